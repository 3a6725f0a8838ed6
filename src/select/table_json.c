/* The JSON parser of table files (see table_file.h). It accepts the members of table files only,
 * and does not check what their values mean. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "select/table_file.h"
#include "util/memory.h"

/* --- objects: which members they have, and where these go ------------------------------------- */

enum kind { TEXT, WHOLE, NUMBER, TRUTH, OBJECT, ARRAY }; /* numbers are never less than 0 */

/* A member of an object, and where it goes: a const char *, int64_t, double, int or json_t *. */
struct member {
    const char *name; /* NULL ends a list */
    enum kind kind;
    bool is_needed;
    size_t offset;
};

/* Where reading is, and where to say what is wrong. */
struct parser {
    struct allfold_table_draft *draft;
    char *message;
    size_t message_bytes;
};

static const char *const kind_texts[] = {
    [TEXT] = "a text",
    [WHOLE] = "a whole number of 0 or more",
    [NUMBER] = "a number of 0 or more",
    [TRUTH] = "true or false",
    [OBJECT] = "an object, {...}",
    [ARRAY] = "an array, [...]",
};

static bool is_kind(const json_t *value, enum kind kind)
{
    switch (kind) {
    case TEXT:
        return json_is_string(value);
    case WHOLE:
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case NUMBER:
        return json_is_number(value) && json_number_value(value) >= 0;
    case TRUTH:
        return json_is_boolean(value);
    case OBJECT:
        return json_is_object(value);
    default:
        return json_is_array(value);
    }
}

static void put(void *into, const json_t *value, enum kind kind)
{
    if (kind == TEXT)
        *(const char **)into = json_string_value(value);
    else if (kind == WHOLE)
        *(int64_t *)into = json_integer_value(value);
    else if (kind == NUMBER)
        *(double *)into = json_number_value(value);
    else if (kind == TRUTH)
        *(int *)into = json_is_true(value);
    else
        *(const json_t **)into = value;
}

static void describe(const json_t *value, char *text, size_t text_bytes)
{
    if (json_is_string(value))
        snprintf(text, text_bytes, "\"%.40s\"", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, text_bytes, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, text_bytes, "%g", json_real_value(value));
    else
        snprintf(text, text_bytes, "%s",
                 json_is_object(value)  ? "an object"
                 : json_is_array(value) ? "an array"
                 : json_is_true(value)  ? "true"
                 : json_is_false(value) ? "false"
                                        : "null");
}

/* Reports a value of the wrong kind; `name` is NULL if it is not a member. */
static enum allfold_error refuse_kind(struct parser *parser, const char *what, const char *name,
                                      const json_t *value, enum kind kind)
{
    char text[64];
    describe(value, text, sizeof text);
    snprintf(parser->message, parser->message_bytes, "%s%s%s%s is %s; expected %s", what,
             name == NULL ? "" : ": \"", name == NULL ? "" : name, name == NULL ? "" : "\"", text,
             kind_texts[kind]);
    return ALLFOLD_BAD_INPUT;
}

static enum allfold_error refuse_member(struct parser *parser, const char *what, const char *name,
                                        const struct member *members)
{
    int at = snprintf(parser->message, parser->message_bytes,
                      "%s: \"%.40s\" is no member of it; "
                      "expected one of:",
                      what, name);
    for (int i = 0; members[i].name != NULL && (size_t)at < parser->message_bytes; i++)
        at += snprintf(parser->message + at, parser->message_bytes - (size_t)at, "%s %s",
                       i == 0 ? "" : ",", members[i].name);
    return ALLFOLD_BAD_INPUT;
}

/* The member of a name, sought first at `next`, as files have members in one order mostly. */
static const struct member *find_member(const char *name, const struct member *members,
                                        const struct member *next)
{
    if (next->name != NULL && strcmp(next->name, name) == 0)
        return next;
    while (members->name != NULL && strcmp(members->name, name) != 0)
        members++;
    return members;
}

static enum allfold_error check_all_came(struct parser *parser, const char *what,
                                         const struct member *members, unsigned came_bits)
{
    for (int i = 0; members[i].name != NULL; i++)
        if (members[i].is_needed && (came_bits >> i & 1) == 0) {
            snprintf(parser->message, parser->message_bytes, "%s: \"%s\" is missing; expected %s",
                     what, members[i].name, kind_texts[members[i].kind]);
            return ALLFOLD_BAD_INPUT;
        }
    return ALLFOLD_OK;
}

/* Reads an object: nothing but members, of the right kinds, and all that are needed. The others
 * stay in *into. `what` is what messages call it. By iterators: json_object_foreach and
 * json_object_get hash each name once more. */
static enum allfold_error read_members(struct parser *parser, const char *what, json_t *object,
                                       const struct member *members, void *into)
{
    const struct member *next = members;
    unsigned came = 0;
    if (!is_kind(object, OBJECT))
        return refuse_kind(parser, what, NULL, object, OBJECT);
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        const char *name = json_object_iter_key(at);
        const struct member *member = find_member(name, members, next);
        if (member->name == NULL)
            return refuse_member(parser, what, name, members);
        const json_t *value = json_object_iter_value(at);
        if (!is_kind(value, member->kind))
            return refuse_kind(parser, what, member->name, value, member->kind);
        put((char *)into + member->offset, value, member->kind);
        came |= 1u << (member - members);
        next = member + 1;
    }
    return check_all_came(parser, what, members, came);
}

/* --- the file --------------------------------------------------------------------------------- */

enum { MOST_FILE_BYTES = 16 << 20 };

struct top {
    int64_t version;
    const char *created;
    json_t *machine, *model, *rows;
};

static const struct member top_members[] = {
    {"allfold_table", WHOLE, true, offsetof(struct top, version)},
    {"created", TEXT, false, offsetof(struct top, created)},
    {"machine", OBJECT, false, offsetof(struct top, machine)},
    {"model", OBJECT, false, offsetof(struct top, model)}, /* of older versions: unused */
    {"rows", ARRAY, true, offsetof(struct top, rows)},
    {0},
};

struct machine {
    const char *host, *processor, *mpi, *allfold;
};

static const struct member machine_members[] = {
    {"host", TEXT, false, offsetof(struct machine, host)},
    {"processor", TEXT, false, offsetof(struct machine, processor)},
    {"mpi", TEXT, false, offsetof(struct machine, mpi)},
    {"allfold", TEXT, false, offsetof(struct machine, allfold)},
    {0},
};

static const struct member row_members[] = {
    {"collective", TEXT, true, offsetof(struct allfold_table_words, collective)},
    {"nodes", WHOLE, true, offsetof(struct allfold_table_words, nodes)},
    {"ppn", WHOLE, true, offsetof(struct allfold_table_words, ppn)},
    {"placement", TEXT, false, offsetof(struct allfold_table_words, placement)},
    {"p", WHOLE, false, offsetof(struct allfold_table_words, p)},
    {"from_bytes", WHOLE, false, offsetof(struct allfold_table_words, from_bytes)},
    {"to_bytes", WHOLE, false, offsetof(struct allfold_table_words, to_bytes)},
    {"commutative", TRUTH, false, offsetof(struct allfold_table_words, commutative)},
    {"exact", TRUTH, false, offsetof(struct allfold_table_words, exact)},
    {"algorithm", TEXT, true, offsetof(struct allfold_table_words, algorithm)},
    {"us", NUMBER, false, offsetof(struct allfold_table_words, us)},
    {"native_us", NUMBER, false, offsetof(struct allfold_table_words, native_us)},
    {"samples", WHOLE, false, offsetof(struct allfold_table_words, samples)},
    {0},
};

static enum allfold_error copy_text(struct parser *parser, const char *name, const char *text,
                                    char copy[ALLFOLD_TABLE_TEXT_BYTES])
{
    if (text == NULL)
        return ALLFOLD_OK;
    if (strlen(text) < ALLFOLD_TABLE_TEXT_BYTES) {
        strcpy(copy, text);
        return ALLFOLD_OK;
    }
    snprintf(parser->message, parser->message_bytes,
             "\"%s\" is %zu bytes long; expected less than %d", name, strlen(text),
             ALLFOLD_TABLE_TEXT_BYTES);
    return ALLFOLD_BAD_INPUT;
}

static enum allfold_error read_head(struct parser *parser, const struct top *top)
{
    struct allfold_table_head *head = &parser->draft->head;
    struct machine machine = {NULL};
    enum allfold_error error = ALLFOLD_OK;
    if (top->machine != NULL)
        error = read_members(parser, "\"machine\"", top->machine, machine_members, &machine);
    const struct {
        const char *name, *text;
        char *copy;
    } texts[] = {{"created", top->created, head->created},
                 {"host", machine.host, head->host},
                 {"processor", machine.processor, head->processor},
                 {"mpi", machine.mpi, head->mpi},
                 {"allfold", machine.allfold, head->allfold}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts && error == ALLFOLD_OK; i++)
        error = copy_text(parser, texts[i].name, texts[i].text, texts[i].copy);
    return error;
}

static enum allfold_error read_row(struct parser *parser, size_t number, json_t *object)
{
    char what[32], wrong[760] = "";
    struct allfold_table_words words = {.p = -1,
                                        .from_bytes = -1,
                                        .to_bytes = -1,
                                        .commutative = -1,
                                        .exact = -1,
                                        .us = -1,
                                        .native_us = -1,
                                        .samples = -1};
    snprintf(what, sizeof what, "row %zu", number);
    enum allfold_error error = read_members(parser, what, object, row_members, &words);
    if (error != ALLFOLD_OK)
        return error;
    error = parser->draft->take(parser->draft, &words, wrong, sizeof wrong);
    if (error != ALLFOLD_OK)
        snprintf(parser->message, parser->message_bytes, "%s: %s", what, wrong);
    return error;
}

static enum allfold_error read_top(struct parser *parser, json_t *json)
{
    enum { VERSION = 1 };
    struct top top = {0};
    enum allfold_error error = read_members(parser, "the table", json, top_members, &top);
    if (error == ALLFOLD_OK && top.version != VERSION) {
        snprintf(parser->message, parser->message_bytes,
                 "\"allfold_table\" is %lld; expected 1, the version of the format that Allfold "
                 "%s reads",
                 (long long)top.version, ALLFOLD_VERSION);
        return ALLFOLD_BAD_INPUT;
    }
    if (error == ALLFOLD_OK)
        error = read_head(parser, &top);
    for (size_t i = 0; error == ALLFOLD_OK && i < json_array_size(top.rows); i++)
        error = read_row(parser, i + 1, json_array_get(top.rows, i));
    return error;
}

static enum allfold_error read_text(struct parser *parser, const char *text, size_t bytes)
{
    json_error_t wrong = {.text = ""}; /* which jansson does not set if it is out of memory */
    json_t *json = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &wrong);
    if (json == NULL &&
        (wrong.text[0] == '\0' || json_error_code(&wrong) == json_error_out_of_memory)) {
        snprintf(parser->message, parser->message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    if (json == NULL) {
        snprintf(parser->message, parser->message_bytes, "line %d, column %d: %s; expected JSON",
                 wrong.line, wrong.column, wrong.text);
        return ALLFOLD_BAD_INPUT;
    }
    const enum allfold_error error = read_top(parser, json);
    json_decref(json);
    return error;
}

/* Reads the whole file; it may get shorter meanwhile if it is being written. */
static ssize_t read_all(int file, char *text, size_t bytes)
{
    size_t at = 0;
    while (at < bytes) {
        const ssize_t got = read(file, text + at, bytes - at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        at += (size_t)got;
    }
    return (ssize_t)at;
}

static enum allfold_error read_file(struct parser *parser, int file)
{
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        snprintf(parser->message, parser->message_bytes, "is no regular file; expected a table");
        return ALLFOLD_BAD_INPUT;
    }
    if (status.st_size > MOST_FILE_BYTES) {
        snprintf(parser->message, parser->message_bytes, "has %lld bytes; expected %d at most",
                 (long long)status.st_size, MOST_FILE_BYTES);
        return ALLFOLD_BAD_INPUT;
    }
    char *text = allfold_allocate((size_t)status.st_size + 1);
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    snprintf(parser->message, parser->message_bytes, "no memory");
    const ssize_t bytes = text == NULL ? 0 : read_all(file, text, (size_t)status.st_size);
    if (text != NULL && bytes >= 0) {
        error = read_text(parser, text, (size_t)bytes);
    } else if (text != NULL) {
        snprintf(parser->message, parser->message_bytes, "cannot be read (%s)", strerror(errno));
        error = ALLFOLD_BAD_INPUT;
    }
    allfold_free(text);
    return error;
}

/* All that the module shows. */
__attribute__((visibility("default"))) enum allfold_error
allfold_table_parse(const char *path, struct allfold_table_draft *draft, char *message,
                    size_t message_bytes)
{
    struct parser parser = {draft, message, message_bytes};
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not hold us */
    if (file < 0) {
        snprintf(message, message_bytes, "cannot be opened (%s); expected a table",
                 strerror(errno));
        return ALLFOLD_BAD_INPUT;
    }
    const enum allfold_error error = read_file(&parser, file);
    close(file);
    return error;
}
