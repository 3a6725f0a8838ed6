/* Reads the settings of settings.def (see config.h). */
#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/quantity.h"
#include "util/word.h"

enum { NO_PROMISE, PROMISE };

const struct allfold_setting allfold_setting[ALLFOLD_SETTINGS] = {
#define SETTING(id, type, value, range, scope, promise, word, argument, letter, help)              \
    [SETTING_##                                                                                    \
        id] = {SETTING_##id,       "ALLFOLD_" #id, TYPE_##type, value,  range, SCOPE_##scope,      \
               promise == PROMISE, word,           argument,    letter, help},
#define PART(setting, id, name, type, value, range, scope, promise, help)                          \
    [SETTING_##id] = {SETTING_##setting,  name, TYPE_##type, value, range, SCOPE_##scope,          \
                      promise == PROMISE, "",   "",          0,     help},
#define OLD(...)
#include "config/settings.def"
#undef SETTING
#undef PART
#undef OLD
};

const struct allfold_old_name allfold_old_names[] = {
#define SETTING(...)
#define PART(...)
#define OLD(name, id, option) {name, SETTING_##id, option},
#include "config/settings.def"
#undef SETTING
#undef PART
#undef OLD
};

const int allfold_old_name_count = sizeof allfold_old_names / sizeof *allfold_old_names;

/* Names of earlier versions that do nothing any more, and what does it instead. */
static const struct {
    const char *name, *instead;
} removed_names[] = {
    {"ALLFOLD_TUNE", "ALLFOLD_GUARD=any"},
    {"ALLFOLD_TRIALS", "ALLFOLD_GUARD=any"},
};

enum { REMOVED_NAMES = sizeof removed_names / sizeof *removed_names };

/* Not a setting: `allfold run --mpi` sets it for the preloaded library. */
static const char internal_name[] = "ALLFOLD_MPI";

static const char *row_name(enum allfold_setting_id id)
{
    return allfold_setting[allfold_setting[id].of].name;
}

/* --- texts that stay --- */

static struct kept {
    struct kept *next;
    char text[];
} * kept;

/* Most texts fit in here, so the process allocates nothing that it keeps to its end. */
static char room[16 << 10];
static size_t room_used;

const char *allfold_keep_text(const char *text, size_t length)
{
    for (const char *at = room; at < room + room_used; at += strlen(at) + 1)
        if (allfold_is_word(at, text, length))
            return at;
    if (length < sizeof room - room_used) {
        char *fresh = room + room_used;
        memcpy(fresh, text, length);
        fresh[length] = '\0';
        room_used += length + 1;
        return fresh;
    }
    for (const struct kept *one = kept; one != NULL; one = one->next)
        if (allfold_is_word(one->text, text, length))
            return one->text;
    struct kept *fresh = allfold_allocate(sizeof *fresh + length + 1);
    if (fresh == NULL)
        return NULL;
    memcpy(fresh->text, text, length);
    fresh->text[length] = '\0';
    fresh->next = kept;
    kept = fresh;
    return fresh->text;
}

/* --- complaints --- */

/* The first one is kept. */
static void break_promise(char *broken, const char *what, const char *expected)
{
    if (*broken == '\0')
        snprintf(broken, ALLFOLD_MESSAGE_BYTES,
                 "%.300s: expected %.200s; nothing runs, as the results would lack what the "
                 "variable promises. Correct the variable or unset it",
                 what, expected);
}

/* "ALLFOLD_NETWORK=card=100" */
static void write_value(enum allfold_setting_id id, const char *value, char *line, size_t bytes)
{
    const bool is_part = allfold_setting_is_part(id);
    snprintf(line, bytes, "%s=%s%s%.200s", row_name(id), is_part ? allfold_setting[id].name : "",
             is_part ? "=" : "", value);
}

static void complain(const struct allfold_environment *reading, enum allfold_setting_id id,
                     const char *text)
{
    const struct allfold_setting *row = &allfold_setting[id];
    char value[300], message[ALLFOLD_MESSAGE_BYTES];
    write_value(id, text, value, sizeof value);
    if (row->is_promise) {
        break_promise(reading->broken_promise, value, row->range);
        return;
    }
    snprintf(message, sizeof message, "%s is not %s; %s is taken", value, row->range,
             row->value[0] == '\0' ? "none" : row->value);
    reading->complain(message);
}

/* --- one value --- */

/* Which of "auto, off or on" a text is, or -1. */
static int find_word(const char *words, const char *text)
{
    for (int i = 0;; i++) {
        const char *comma = strstr(words, ", "), * or = strstr(words, " or ");
        const char *end = comma != NULL ? comma : or ;
        const size_t length = end == NULL ? strlen(words) : (size_t)(end - words);
        if (allfold_is_word(text, words, length))
            return i;
        if (end == NULL)
            return -1;
        words = end + strlen(comma != NULL ? ", " : " or ");
    }
}

static bool read_size(const char *text, double *number)
{
    size_t size;
    const char *end;
    if (!allfold_size_read(text, &size, &end) || *end != '\0')
        return false;
    *number = (double)size;
    return true;
}

/* Of which the range says "... from LEAST to MOST". */
static bool read_number(const char *range, const char *text, double *number)
{
    static const char from[] = " from ", to[] = " to ";
    size_t least, most;
    const char *at = strstr(range, from);
    return at != NULL && allfold_size_read(at + strlen(from), &least, &at) &&
           allfold_size_read(at + strlen(to), &most, &at) && read_size(text, number) &&
           *number >= (double)least && *number <= (double)most;
}

static bool is_power_of_two(size_t number)
{
    return (number & (number - 1)) == 0;
}

static bool read_duration(const char *text, double *seconds)
{
    static const double least_s = 1e-3;
    return allfold_duration_read(text, strlen(text), seconds) && *seconds >= least_s;
}

static bool read_rate(const char *text, double *mbit)
{
    static const double most_mbit = 1e9;
    const char *end;
    *mbit = strcmp(text, "auto") == 0 ? -1 : 0;
    return *mbit < 0 || strcmp(text, "off") == 0 ||
           (allfold_quantity_read(text, allfold_bit_rate_units, mbit, &end) && *end == '\0' &&
            *mbit >= 1 && *mbit <= most_mbit);
}

bool allfold_text_is_off(const char *text)
{
    return text == NULL || strcmp(text, "0") == 0 || strcmp(text, "off") == 0;
}

bool allfold_text_is_on(const char *text)
{
    return strcmp(text, "1") == 0 || strcmp(text, "on") == 0;
}

/* Returns whether a text names a file, and is not meant as a switch. */
static bool is_file_name(const char *text)
{
    return !allfold_text_is_on(text) && find_word("true, false, yes or no", text) < 0;
}

bool allfold_setting_read(enum allfold_setting_id id, const char *text, double *number)
{
    const char *range = allfold_setting[id].range;
    const bool is_off = allfold_text_is_off(text);
    *number = is_off ? 0 : 1;
    switch (allfold_setting[id].type) {
    case TYPE_SWITCH:
        return is_off || allfold_text_is_on(text);
    case TYPE_FILE:
        return is_off || is_file_name(text) ||
               (allfold_text_is_on(text) && strchr(range, '1') != NULL);
    case TYPE_WORDS:
        *number = find_word(range, text);
        return *number >= 0;
    case TYPE_DIRECTORY: /* a slash in front, so that all ranks mean the same one */
        return is_off || allfold_text_is_on(text) || *text == '/';
    case TYPE_SIZE:
        return read_size(text, number);
    case TYPE_NUMBER:
        return read_number(range, text, number);
    case TYPE_POWER:
        return read_number(range, text, number) && is_power_of_two((size_t)*number);
    case TYPE_DURATION:
        return is_off || read_duration(text, number);
    case TYPE_RATE:
        return read_rate(text, number);
    default:
        return true;
    }
}

bool allfold_setting_is_default(enum allfold_setting_id id, const char *text)
{
    const char *value = allfold_setting[id].value;
    double now, before;
    const bool is_path =
        allfold_setting[id].type == TYPE_FILE && !allfold_text_is_off(text) && *text != '\0';
    if (text == NULL || strcmp(text, value) == 0)
        return true;
    if (is_path || allfold_setting[id].type >= TYPE_TEXT)
        return false;
    return allfold_setting_read(id, text, &now) && allfold_setting_read(id, value, &before) &&
           now <= before && now >= before;
}

double allfold_texts_number(const struct allfold_texts *texts, enum allfold_setting_id id,
                            const struct allfold_environment *reading)
{
    double number = 0;
    if (texts->of[id] != NULL) {
        if (allfold_setting_read(id, texts->of[id], &number))
            return number;
        complain(reading, id, texts->of[id]);
    }
    allfold_setting_read(id, allfold_setting[id].value, &number);
    return number;
}

/* --- a setting and its parts --- */

static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

enum allfold_setting_id allfold_setting_find_part(enum allfold_setting_id of, const char *at,
                                                  const char **value)
{
    const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
    *value = at + length;
    for (int i = (int)of + 1; i < ALLFOLD_SETTINGS && allfold_setting[i].of == of; i++) {
        const struct allfold_setting *part = &allfold_setting[i];
        const bool is_named = allfold_is_word(part->name, at, length) &&
                              (**value == '=' || (**value == ':' && part->type == TYPE_RULES) ||
                               (part->type == TYPE_SWITCH && strchr(",", **value) != NULL));
        if (is_named)
            return (enum allfold_setting_id)i;
    }
    return of;
}

/* Does the next part begin behind the sign at `at`? In rules, commas are also in parentheses, and
 * a semicolon may take the place of a comma. */
static bool is_end(enum allfold_setting_id of, const char *at)
{
    const char *value;
    if (*at == ',')
        return at[1] == '\0' || strchr(letters, at[1]) != NULL;
    return *at == ';' && allfold_setting[of].type == TYPE_RULES &&
           allfold_setting_find_part(of, at + 1 + strspn(at + 1, " \t"), &value) != of;
}

/* The end of a value, which is copied to `text` with each doubled comma as one. */
static const char *copy_value(enum allfold_setting_id of, const char *at, char *text)
{
    int depth = 0;
    for (; *at != '\0' && (depth > 0 || !is_end(of, at)); at++) {
        if (allfold_setting[of].type == TYPE_RULES)
            depth += (*at == '(') - (*at == ')');
        else if (at[0] == ',' && at[1] == ',')
            at++;
        *text++ = *at;
    }
    *text = '\0';
    return at;
}

static void refuse_part(const struct allfold_environment *reading, enum allfold_setting_id of,
                        const char *text)
{
    char value[300], message[ALLFOLD_MESSAGE_BYTES], names[300] = "";
    for (int i = (int)of + 1; i < ALLFOLD_SETTINGS && allfold_setting[i].of == of; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                 names[0] == '\0' ? "" : ", ", allfold_setting[i].name);
    snprintf(value, sizeof value, "%s: '%.200s' is no part of it", row_name(of), text);
    if (allfold_setting[of].is_promise) {
        break_promise(reading->broken_promise, value,
                      names[0] == '\0' ? allfold_setting[of].range : names);
        return;
    }
    snprintf(message, sizeof message,
             "%s and does nothing; expected %s%s; a comma of a value is written twice", value,
             names[0] == '\0' ? "one value" : "one of ", names);
    reading->complain(message);
}

static const char no_memory[] = "memory to read it";

/* Reads the parts of `text` into `texts`; `value` is a copy of that length. */
static void split(struct allfold_texts *texts, enum allfold_setting_id of, const char *text,
                  char *value, const struct allfold_environment *reading)
{
    const bool has_own = allfold_setting[of].type != TYPE_RULES;
    for (const char *at = text; *at != '\0'; at += *at != '\0') {
        const bool is_first = at == text;
        const char *name = at + strspn(at, " \t"), *start;
        const enum allfold_setting_id id = allfold_setting_find_part(of, name, &start);
        const bool has_value = id != of && strchr("=:", *start) != NULL && *start != '\0';
        at = id != of && !has_value ? start
                                    : copy_value(of, id == of ? at : start + has_value, value);
        if (id == of && (!is_first || !has_own) && value[strspn(value, " \t;")] != '\0')
            refuse_part(reading, of, value);
        else if (id != of && !has_value)
            texts->of[id] = "1";
        else if (value[0] != '\0' && (id != of || has_own) &&
                 (texts->of[id] = allfold_keep_text(value, strlen(value))) == NULL)
            break_promise(reading->broken_promise, allfold_setting[of].name, no_memory);
    }
}

static const char *text_of_name(const struct allfold_environment *reading, const char *name)
{
    const char *text = reading->get(name);
    return text == NULL || *text == '\0' ? NULL : text;
}

static void read_setting(struct allfold_texts *texts, enum allfold_setting_id of,
                         const struct allfold_environment *reading)
{
    const char *text = text_of_name(reading, allfold_setting[of].name);
    char *value = text == NULL ? NULL : allfold_allocate(strlen(text) + 1);
    if (value != NULL)
        split(texts, of, text, value, reading);
    else if (text != NULL)
        break_promise(reading->broken_promise, allfold_setting[of].name, no_memory);
    allfold_free(value);
}

/* Two commas for one that would end the value. */
static void add_value(char *line, size_t bytes, enum allfold_setting_id of, const char *text)
{
    size_t at = strlen(line);
    for (; *text != '\0' && at + 3 < bytes; text++) {
        line[at++] = *text;
        const bool needs_two =
            *text == ',' && (text[1] == ',' || text[1] == '\0' || is_end(of, text));
        if (allfold_setting[of].type != TYPE_RULES && needs_two)
            line[at++] = ',';
    }
    line[at] = '\0';
}

static void add_text(char *line, size_t bytes, const char *text)
{
    const size_t at = strlen(line);
    snprintf(line + at, bytes - at, "%s", text);
}

void allfold_texts_write(const struct allfold_texts *texts, enum allfold_setting_id id, char *line,
                         size_t line_bytes)
{
    const enum allfold_setting_id of = allfold_setting[id].of;
    bool is_first = true;
    snprintf(line, line_bytes, "%s=", row_name(of));
    for (int i = (int)of; i < ALLFOLD_SETTINGS && allfold_setting[i].of == of; i++) {
        const bool is_flag = allfold_setting[i].type == TYPE_SWITCH && i != (int)of;
        if (texts->of[i] == NULL)
            continue;
        add_text(line, line_bytes, is_first ? "" : ",");
        is_first = false;
        if (i != (int)of)
            add_text(line, line_bytes, allfold_setting[i].name);
        if (is_flag && strcmp(texts->of[i], "1") == 0)
            continue;
        add_text(line, line_bytes, i != (int)of ? "=" : "");
        add_value(line, line_bytes, of, texts->of[i]);
    }
}

/* --- old names --- */

/* What an old name's value is today. */
static const char *translate(const struct allfold_old_name *old, const char *text)
{
    if (old->id != SETTING_NONBLOCKING_THREAD)
        return text;
    return strcmp(text, "thread") == 0 ? "1" : strcmp(text, "calls") == 0 ? "0" : text;
}

/* The settings that took the place of old names, each once: " ALLFOLD_NETWORK='card=off,nodes=4x2'"
 */
static void write_replacements(const struct allfold_texts *texts, const bool *is_used, char *line,
                               size_t bytes)
{
    char one[ALLFOLD_MESSAGE_BYTES];
    line[0] = '\0';
    for (int i = 0; i < ALLFOLD_SETTINGS; i++) {
        if (!is_used[i])
            continue;
        allfold_texts_write(texts, (enum allfold_setting_id)i, one, sizeof one);
        char *value = strchr(one, '=') + 1;
        const char *quote = strpbrk(value, "();: *$&|<>\"\\") == NULL ? "" : "'";
        const size_t at = strlen(line);
        snprintf(line + at, bytes - at, " %.*s%s%s%s", (int)(value - one), one, quote, value,
                 quote);
    }
}

static void read_old_names(struct allfold_texts *texts, const struct allfold_environment *reading)
{
    const struct allfold_texts given = *texts;
    bool is_used[ALLFOLD_SETTINGS] = {false};
    char names[300] = "", line[500], message[ALLFOLD_MESSAGE_BYTES];
    for (int i = 0; i < allfold_old_name_count; i++) {
        const struct allfold_old_name *old = &allfold_old_names[i];
        const char *text = text_of_name(reading, old->name);
        if (text == NULL)
            continue;
        if (given.of[old->id] != NULL) {
            write_value(old->id, given.of[old->id], line, sizeof line);
            snprintf(message, sizeof message, "%s does nothing, because %s is set", old->name,
                     line);
            reading->complain(message);
            continue;
        }
        texts->of[old->id] = translate(old, text);
        is_used[allfold_setting[old->id].of] = true;
        add_text(names, sizeof names, names[0] == '\0' ? "" : ", ");
        add_text(names, sizeof names, old->name);
    }
    if (names[0] == '\0')
        return;
    write_replacements(texts, is_used, line, sizeof line);
    snprintf(message, sizeof message,
             "old names are set, which work until version 0.3: set%s instead of %s", line, names);
    reading->complain(message);
}

/* Removes invalid files and directories, so that ranks tell each other only of valid ones. */
static void drop_wrong_paths(struct allfold_texts *texts, const struct allfold_environment *reading)
{
    double number;
    for (int i = 0; i < ALLFOLD_SETTINGS; i++) {
        const enum allfold_setting_id id = (enum allfold_setting_id)i;
        if (!allfold_setting_is_path(id) || texts->of[i] == NULL ||
            allfold_setting_read(id, texts->of[i], &number))
            continue;
        complain(reading, id, texts->of[i]);
        texts->of[i] = NULL;
    }
}

void allfold_texts_read(struct allfold_texts *texts, const struct allfold_environment *reading)
{
    memset(texts, 0, sizeof *texts);
    for (int i = 0; i < ALLFOLD_SETTINGS; i++)
        if (!allfold_setting_is_part((enum allfold_setting_id)i))
            read_setting(texts, (enum allfold_setting_id)i, reading);
    read_old_names(texts, reading);
    drop_wrong_paths(texts, reading);
    if (!allfold_text_is_off(texts->of[SETTING_TIMEOUT_ABORT]) &&
        allfold_text_is_off(texts->of[SETTING_TIMEOUT]))
        complain(reading, SETTING_TIMEOUT, allfold_setting[SETTING_TIMEOUT_ABORT].name);
}

enum allfold_setting_id allfold_setting_find_old(const char *name)
{
    for (int i = 0; i < allfold_old_name_count; i++)
        if (strcmp(name, allfold_old_names[i].name) == 0)
            return allfold_old_names[i].id;
    return ALLFOLD_SETTINGS;
}

const char *allfold_option_name(enum allfold_setting_id id)
{
    char name[40];
    const char *from = row_name(id) + strlen("ALLFOLD_");
    size_t length = 0;
    for (; from[length] != '\0' && length < sizeof name; length++)
        name[length] = from[length] == '_' ? '-' : (char)(from[length] - 'A' + 'a');
    return allfold_keep_text(name, length);
}

/* --- names --- */

/* Names are short, so all ways are tried. */
bool allfold_is_similar(const char *a, size_t a_length, const char *b, int changes)
{
    while (a_length > 0 && *a == *b) {
        a++;
        b++;
        a_length--;
    }
    if (a_length == 0 && *b == '\0')
        return true;
    if (changes == 0)
        return false;
    return (a_length > 0 && allfold_is_similar(a + 1, a_length - 1, b, changes - 1)) ||
           (*b != '\0' && allfold_is_similar(a, a_length, b + 1, changes - 1)) ||
           (a_length > 0 && *b != '\0' &&
            allfold_is_similar(a + 1, a_length - 1, b + 1, changes - 1)) ||
           (a_length > 1 && *b != '\0' && a[0] == b[1] && a[1] == b[0] &&
            allfold_is_similar(a + 2, a_length - 2, b + 2, changes - 1));
}

/* The setting or part whose name differs from this one by at most `changes` edits; ALLFOLD_SETTINGS
 * if there is none. */
static enum allfold_setting_id find_name(const char *name, size_t length, int changes)
{
    for (int i = 0; i < ALLFOLD_SETTINGS; i++)
        if (!allfold_setting_is_part((enum allfold_setting_id)i) &&
            allfold_is_similar(name, length, allfold_setting[i].name, changes))
            return (enum allfold_setting_id)i;
    for (int i = 0; i < allfold_old_name_count; i++)
        if ((changes == 0 || allfold_setting[allfold_old_names[i].id].of != SETTING_TEST) &&
            allfold_is_similar(name, length, allfold_old_names[i].name, changes))
            return allfold_old_names[i].id;
    return ALLFOLD_SETTINGS;
}

/* What to set instead of a name of earlier versions; NULL: it is not one. */
static const char *find_instead(const char *name, size_t length)
{
    for (int i = 0; i < REMOVED_NAMES; i++)
        if (allfold_is_word(removed_names[i].name, name, length))
            return removed_names[i].instead;
    return NULL;
}

/* "ALLFOLD_REPORT", or "ALLFOLD_REPORT=sites". */
static void write_name(enum allfold_setting_id id, char *line, size_t bytes)
{
    const bool is_part = allfold_setting_is_part(id);
    snprintf(line, bytes, "%s%s%s", row_name(id), is_part ? "=" : "",
             is_part ? allfold_setting[id].name : "");
}

static void check_name(char *broken_promise, const char *name, size_t length,
                       void (*complain_of)(const char *message))
{
    char message[ALLFOLD_MESSAGE_BYTES], better[100] = "";
    const char *instead = find_instead(name, length);
    enum allfold_setting_id similar = ALLFOLD_SETTINGS;
    for (int changes = 1; changes <= 2 && instead == NULL && similar == ALLFOLD_SETTINGS; changes++)
        similar = find_name(name, length, changes);
    if (similar != ALLFOLD_SETTINGS)
        write_name(similar, better, sizeof better);
    snprintf(message, sizeof message, "%.*s is not a variable of Allfold",
             (int)(length < 100 ? length : 100), name);
    if (similar != ALLFOLD_SETTINGS && allfold_setting[similar].is_promise) {
        break_promise(broken_promise, message, better);
        return;
    }
    const size_t at = strlen(message);
    snprintf(message + at, sizeof message - at, " and does nothing; %s%s`allfold info` lists them",
             instead != NULL ? instead : better,
             instead != NULL     ? " replaces it; "
             : better[0] != '\0' ? " is one; "
                                 : "");
    complain_of(message);
}

static void check_switch(const char *value, void (*complain_of)(const char *message))
{
    char message[ALLFOLD_MESSAGE_BYTES];
    if (*value == '\0' || find_word("on, 1, off or 0", value) >= 0)
        return;
    snprintf(message, sizeof message, "ALLFOLD=%.200s is not off or on; on is taken", value);
    complain_of(message);
}

void allfold_names_check(char *broken_promise, char *const *environment,
                         void (*complain_of)(const char *message))
{
    static const char prefix[] = "ALLFOLD_", all[] = "ALLFOLD=";
    for (; *environment != NULL; environment++) {
        const size_t length = strcspn(*environment, "=");
        if (strncmp(*environment, all, sizeof all - 1) == 0)
            check_switch(*environment + sizeof all - 1, complain_of);
        else if (strncmp(*environment, prefix, sizeof prefix - 1) == 0 &&
                 find_name(*environment, length, 0) == ALLFOLD_SETTINGS &&
                 !allfold_is_word(internal_name, *environment, length))
            check_name(broken_promise, *environment, length, complain_of);
    }
}

/* --- this process --- */

static const char *get_variable(const char *name)
{
    return getenv(name);
}

static void ignore(const char *message)
{
    (void)message;
}

bool allfold_promises_are_kept(char *const *environment, char *why)
{
    struct allfold_texts texts;
    const struct allfold_environment reading = {get_variable, ignore, why};
    *why = '\0';
    allfold_texts_read(&texts, &reading);
    for (int i = 0; i < ALLFOLD_SETTINGS; i++)
        if (allfold_setting[i].is_promise)
            allfold_texts_number(&texts, (enum allfold_setting_id)i, &reading);
    allfold_names_check(why, environment, ignore);
    return *why == '\0';
}
