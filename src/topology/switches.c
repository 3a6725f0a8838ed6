/* Parses topology files and Slurm's topology variables for one host (see switches.h). */
#include "topology/switches.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "util/hash.h"
#include "util/number.h"

enum {
    LINE_BYTES = 1 << 16,
    MOST_NUMBER = 1 << 24,
    MOST_DIMENSIONS = 8,
    MOST_LINKED = 2 * ALLFOLD_MOST_NEIGHBORS /* switches and hosts with a link to the host */
};

/* --- names like node[00-15,20] ---------------------------------------------------------------- */

/* A part of a list: "node[00-15,20]x" has a prefix, numbers and a suffix. */
struct part {
    const char *before, *numbers, *behind;
    size_t before_length, numbers_length, behind_length;
};

/* Reads a part and moves *at after the next comma. Returns false at the end of the list. */
static bool take_part(const char **at, const char *end, struct part *part)
{
    const char *const begin = *at;
    const char *open = NULL, *close = NULL;
    if (begin >= end)
        return false;
    for (; *at < end && (**at != ',' || (open != NULL && close == NULL)); ++*at) {
        if (**at == '[' && open == NULL)
            open = *at;
        else if (**at == ']' && open != NULL && close == NULL)
            close = *at;
    }
    const char *const last = *at;
    *at += *at < end;
    *part = (struct part){.before = begin, .before_length = (size_t)(last - begin)};
    if (close == NULL)
        return true;
    part->before_length = (size_t)(open - begin);
    part->numbers = open + 1;
    part->numbers_length = (size_t)(close - open - 1);
    part->behind = close + 1;
    part->behind_length = (size_t)(last - close - 1);
    return true;
}

/* A range of the numbers of a part, from `first` to `last`, with at least `width` digits. */
struct range {
    long first, last;
    int width;
};

static bool take_range(const char **at, const char *end, struct range *range)
{
    const char *const begin = *at;
    if (begin >= end || !allfold_whole_read(begin, 0, MOST_NUMBER, &range->first, at))
        return false;
    range->width = (int)(*at - begin);
    range->last = range->first;
    if (*at < end && **at == '-' &&
        !allfold_whole_read(*at + 1, range->first, MOST_NUMBER, &range->last, at))
        return false;
    *at += *at < end && **at == ',';
    return true;
}

/* Returns the number between the prefix and the suffix of a name; -1 if there is none. */
static long number_of(const struct part *part, const char *name, size_t *digits)
{
    const size_t length = strlen(name);
    const size_t around = part->before_length + part->behind_length;
    char text[16];
    long number;
    if (length <= around || length - around >= sizeof text ||
        strncmp(name, part->before, part->before_length) != 0 ||
        strncmp(name + length - part->behind_length, part->behind, part->behind_length) != 0)
        return -1;
    *digits = length - around;
    snprintf(text, sizeof text, "%.*s", (int)*digits, name + part->before_length);
    return allfold_whole_is(text, 0, MOST_NUMBER, &number) ? number : -1;
}

/* Returns the position of a name in a list; -1 if it is not in the list. */
static long find(const char *list, size_t length, const char *name)
{
    const char *at = list, *const end = list + length;
    struct part part;
    struct range range;
    long before = 0;
    while (take_part(&at, end, &part)) {
        size_t digits = 0;
        if (part.numbers == NULL) {
            if (strlen(name) == part.before_length &&
                strncmp(name, part.before, part.before_length) == 0)
                return before;
            before++;
            continue;
        }
        const long number = number_of(&part, name, &digits);
        const char *inside = part.numbers;
        while (take_range(&inside, part.numbers + part.numbers_length, &range)) {
            char written[16];
            const int width = snprintf(written, sizeof written, "%0*ld", range.width, number);
            if (number >= range.first && number <= range.last && (size_t)width == digits)
                return before + number - range.first;
            before += range.last - range.first + 1;
        }
    }
    return -1;
}

/* Writes the name at a position of a list; if the list has a single name, that name. Returns false
 * if there is none, or it is too long. */
static bool name_at(const char *list, size_t length, long place, char *name)
{
    const char *at = list, *const end = list + length;
    struct part part;
    struct range range;
    bool is_only = true;
    while (take_part(&at, end, &part)) {
        const char *inside = part.numbers;
        if (inside == NULL) {
            if (place == 0 || (is_only && at >= end))
                return snprintf(name, ALLFOLD_SWITCH_BYTES, "%.*s", (int)part.before_length,
                                part.before) < ALLFOLD_SWITCH_BYTES;
            place--;
        }
        while (inside != NULL && take_range(&inside, part.numbers + part.numbers_length, &range)) {
            if (place <= range.last - range.first)
                return snprintf(name, ALLFOLD_SWITCH_BYTES, "%.*s%0*ld%.*s",
                                (int)part.before_length, part.before, range.width,
                                range.first + place, (int)part.behind_length,
                                part.behind) < ALLFOLD_SWITCH_BYTES;
            place -= range.last - range.first + 1;
        }
        is_only = false;
    }
    return false;
}

/* Returns the number of names in a list. */
static long count_names(const char *list, size_t length)
{
    const char *at = list, *const end = list + length;
    struct part part;
    struct range range;
    long count = 0;
    while (take_part(&at, end, &part)) {
        const char *inside = part.numbers;
        count += inside == NULL;
        while (inside != NULL && take_range(&inside, part.numbers + part.numbers_length, &range))
            count += range.last - range.first + 1;
    }
    return count;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* A switch or host with a link to the host, by `link` and `torus` lines. */
struct linked {
    char name[ALLFOLD_SWITCH_BYTES];
    bool is_host;
};

/* What a pass over the file looks for. */
enum stage { LINKS, HOSTS, SWITCHES };

/* What is searched for, and what was found. */
struct search {
    const char *host;
    char short_host[256];
    int rank;
    enum stage stage;
    struct allfold_switches *switches;
    struct linked linked[MOST_LINKED];
    int linked_count;
    const char *wrong; /* error of the line; NULL: none */
};

/* Returns the position of the host in a list, by either of its names, which *name gets; -1 if it is
 * not in the list. */
static long find_named(const struct search *search, const char *list, size_t length,
                       const char **name)
{
    const long place = find(list, length, search->host);
    *name = place >= 0 ? search->host : search->short_host;
    return place >= 0 ? place : find(list, length, search->short_host);
}

static long find_host(const struct search *search, const char *list, size_t length)
{
    const char *name;
    return find_named(search, list, length, &name);
}

static int64_t hash_of(const char *name)
{
    return (int64_t)(allfold_hash(allfold_hash_of_nothing, name, strlen(name)) >> 1);
}

static bool add(struct search *search, const char *name, size_t length)
{
    struct allfold_switches *switches = search->switches;
    if (switches->depth == ALLFOLD_SWITCH_LEVELS || length == 0 || length >= ALLFOLD_SWITCH_BYTES) {
        search->wrong = "expected up to 3 switches, of up to 63 characters each";
        return false;
    }
    snprintf(switches->name[switches->depth++], ALLFOLD_SWITCH_BYTES, "%.*s", (int)length, name);
    return true;
}

/* Reads the next word of a line, up to a blank. */
static const char *take_word(const char **at, size_t *length)
{
    const char *begin = *at + strspn(*at, " \t");
    *length = strcspn(begin, " \t");
    *at = begin + *length;
    return begin;
}

static bool is_word(const char *word, size_t length, const char *name)
{
    return length == strlen(name) && strncmp(word, name, length) == 0;
}

/* Returns whether the rank is in a list like 0-7. */
static bool is_rank(struct search *search, const char *word, size_t length)
{
    const char *at = word;
    struct range range;
    while (take_range(&at, word + length, &range))
        if (search->rank >= range.first && search->rank <= range.last)
            return true;
    if (at != word + length)
        search->wrong = "expected ranks like 0-7";
    return false;
}

/* Reads "HOSTS SWITCH ..." or "rank RANKS SWITCH ...". Returns whether the line matches. */
static bool read_listed(struct search *search, const char *line)
{
    size_t length;
    const char *word = take_word(&line, &length);
    bool is_it = false;
    if (is_word(word, length, "rank")) {
        word = take_word(&line, &length);
        is_it = is_rank(search, word, length);
    } else {
        is_it = find_host(search, word, length) >= 0;
    }
    if (*(line + strspn(line, " \t")) == '\0')
        search->wrong = "expected hosts and their switch, like node[00-15] leaf0";
    if (!is_it || search->wrong != NULL)
        return false;
    for (word = take_word(&line, &length); length > 0; word = take_word(&line, &length))
        if (!add(search, word, length))
            return false;
    return true;
}

/* Returns the value of a key in a line of topology.conf; NULL if the line does not have the key. */
static const char *value_of(const char *line, const char *key, size_t *length)
{
    const size_t key_length = strlen(key);
    for (const char *word = take_word(&line, length); *length > 0; word = take_word(&line, length))
        if (*length > key_length && word[key_length] == '=' &&
            strncasecmp(word, key, key_length) == 0) {
            *length -= key_length + 1;
            return word + key_length + 1;
        }
    return NULL;
}

/* Reads "SwitchName=S Nodes=..." for the first switch, "SwitchName=S Switches=..." for upper
 * switches. Returns whether the line matches. */
static bool read_slurms(struct search *search, const char *line)
{
    size_t name_length, length = 0;
    const int depth = search->switches->depth;
    const char *name = value_of(line, "SwitchName", &name_length);
    const char *list = value_of(line, depth == 0 ? "Nodes" : "Switches", &length);
    if (list == NULL)
        return false;
    const long place = depth == 0 ? find_host(search, list, length)
                                  : find(list, length, search->switches->name[depth - 1]);
    return place >= 0 && add(search, name, name_length);
}

/* Reads the two lists of "link ONE OTHER: ...". */
static void take_ends(const char *line, const char *ends[2], size_t lengths[2])
{
    take_word(&line, &lengths[0]);
    for (int i = 0; i < 2; i++) {
        ends[i] = take_word(&line, &lengths[i]);
        const size_t before_colon = strcspn(ends[i], ":");
        lengths[i] = before_colon < lengths[i] ? before_colon : lengths[i];
    }
}

static struct linked *find_linked(struct search *search, const char *name)
{
    for (int i = 0; i < search->linked_count; i++)
        if (strcmp(search->linked[i].name, name) == 0)
            return &search->linked[i];
    return NULL;
}

/* Records a link of the host, which the list names `host`, to `name`. */
static void add_linked(struct search *search, const char *host, const char *name, bool is_host)
{
    struct linked *known = find_linked(search, name);
    if (search->switches->host == 0)
        search->switches->host = hash_of(host);
    if (known == NULL && search->linked_count == MOST_LINKED) {
        search->wrong = "this host has more than 64 links; expected up to 32 to other hosts";
        return;
    }
    if (known == NULL) {
        known = &search->linked[search->linked_count++];
        *known = (struct linked){.is_host = false};
        snprintf(known->name, sizeof known->name, "%s", name);
    }
    known->is_host = known->is_host || is_host;
}

/* Records all links of the host in "link ONE OTHER: ...". If one list has a single name, it is
 * linked to each name of the other list. */
static void add_links(struct search *search, const char *line)
{
    const char *ends[2], *host;
    size_t lengths[2];
    char name[ALLFOLD_SWITCH_BYTES];
    take_ends(line, ends, lengths);
    for (int i = 0; i < 2; i++) {
        const long place = find_named(search, ends[i], lengths[i], &host);
        const bool is_only = place >= 0 && count_names(ends[i], lengths[i]) == 1;
        const long others = is_only ? count_names(ends[1 - i], lengths[1 - i]) : 1;
        for (long other = 0; place >= 0 && other < others && search->wrong == NULL; other++)
            if (name_at(ends[1 - i], lengths[1 - i], is_only ? other : place, name))
                add_linked(search, host, name, false);
    }
}

/* Reads the sizes of a torus like 4x4. Returns the number of dimensions; 0 if invalid. */
static int read_sizes(const char *word, size_t length, long sizes[MOST_DIMENSIONS])
{
    const char *at = word, *const end = word + length;
    long hosts = 1;
    for (int d = 0; d < MOST_DIMENSIONS; d++) {
        if (!allfold_whole_read(at, 1, MOST_NUMBER / hosts, &sizes[d], &at) || at > end)
            return 0;
        hosts *= sizes[d];
        if (at == end)
            return d + 1;
        if (*at++ != 'x')
            return 0;
    }
    return 0;
}

/* Records the two neighbors in each dimension from "torus SIZES HOSTS". */
static void add_torus(struct search *search, const char *line)
{
    long sizes[MOST_DIMENSIONS], hosts = 1;
    size_t length, list_length, rest;
    char name[ALLFOLD_SWITCH_BYTES];
    const char *host;
    take_word(&line, &length);
    const char *word = take_word(&line, &length), *list = take_word(&line, &list_length);
    const int dimensions = read_sizes(word, length, sizes);
    take_word(&line, &rest);
    for (int d = 0; d < dimensions; d++)
        hosts *= sizes[d];
    if (dimensions == 0 || rest > 0 || count_names(list, list_length) != hosts) {
        search->wrong = "expected up to 8 sizes, and as many hosts as they make, like torus 4x4 "
                        "node[00-15]";
        return;
    }
    const long place = find_named(search, list, list_length, &host);
    long stride = 1;
    for (int d = dimensions - 1; place >= 0 && d >= 0; stride *= sizes[d--]) {
        const long at = place / stride % sizes[d];
        for (long step = 1; step<sizes[d]; step += sizes[d]> 2 ? sizes[d] - 2 : 1) {
            const long to = place + ((at + step) % sizes[d] - at) * stride;
            if (search->wrong == NULL && name_at(list, list_length, to, name))
                add_linked(search, host, name, true);
        }
    }
}

/* Marks recorded names as hosts if they are in "host HOSTS". */
static void mark_hosts(struct search *search, const char *line)
{
    size_t length;
    take_word(&line, &length);
    for (const char *list = take_word(&line, &length); length > 0; list = take_word(&line, &length))
        for (int i = 0; i < search->linked_count; i++)
            if (find(list, length, search->linked[i].name) >= 0)
                search->linked[i].is_host = true;
}

/* Reads "link ONE OTHER: ..." if the host is linked to a switch. Returns whether it is. */
static bool read_link(struct search *search, const char *line)
{
    const char *ends[2];
    size_t lengths[2];
    char name[ALLFOLD_SWITCH_BYTES];
    take_ends(line, ends, lengths);
    for (int i = 0; i < 2; i++) {
        const long place = find_host(search, ends[i], lengths[i]);
        if (place < 0 || !name_at(ends[1 - i], lengths[1 - i], place, name))
            continue;
        const struct linked *linked = find_linked(search, name);
        if (linked == NULL || !linked->is_host)
            return add(search, name, strlen(name));
    }
    return false;
}

/* Reads "uplinks CARDS ..." and "pair_uplinks CARDS ...". Returns false: they name no switch. */
static bool read_uplinks(struct search *search, const char *line, double *uplinks)
{
    size_t length;
    take_word(&line, &length);
    const char *word = take_word(&line, &length);
    for (int i = 0; length > 0; i++, word = take_word(&line, &length)) {
        const char *end = word;
        double cards = 0;
        const bool is_number = allfold_number_read(word, &cards, &end) && end == word + length;
        if (i == ALLFOLD_SWITCH_LEVELS || !is_number || !(cards > 0 && cards <= MOST_NUMBER)) {
            search->wrong = "expected the rate of links between switches, in cards of a host, of "
                            "up to 3 levels, like 6 12";
            return false;
        }
        uplinks[i] = cards;
    }
    return false;
}

/* Reads a line. Returns whether it names a switch of the host. */
static bool read_line(struct search *search, const char *line)
{
    const int depth = search->switches->depth;
    size_t length;
    const char *at = line;
    const char *word = take_word(&at, &length);
    const bool is_link = is_word(word, length, "link") && strchr(line, ':') != NULL;
    const bool is_torus = is_word(word, length, "torus");
    const bool is_host = is_word(word, length, "host");
    if (search->stage == LINKS && is_link)
        add_links(search, line);
    if (search->stage == LINKS && is_torus)
        add_torus(search, line);
    if (search->stage == HOSTS && is_host)
        mark_hosts(search, line);
    if (search->stage != SWITCHES || is_torus || is_host)
        return false;
    if (is_word(word, length, "uplinks"))
        return read_uplinks(search, line, search->switches->uplinks);
    if (is_word(word, length, "pair_uplinks"))
        return read_uplinks(search, line, search->switches->pair_uplinks);
    if (depth == ALLFOLD_SWITCH_LEVELS)
        return false;
    if (strncasecmp(line, "SwitchName=", 11) == 0)
        return read_slurms(search, line);
    if (depth > 0)
        return false;
    if (is_link)
        return read_link(search, line);
    if (strpbrk(line, "=:") != NULL)
        return false; /* another line of a network */
    return read_listed(search, line);
}

/* Reads the file from the start up to the next switch. Returns false, with `message`, if a line is
 * invalid. */
static bool go_through(struct search *search, FILE *file, char *line, const char *path,
                       bool *is_found, char *message, size_t message_bytes)
{
    *is_found = false;
    rewind(file);
    for (int number = 1; !*is_found && fgets(line, LINE_BYTES, file) != NULL; number++) {
        size_t length = strcspn(line, "#\r\n");
        while (length > 0 && isspace((unsigned char)line[length - 1]))
            length--;
        line[length] = '\0';
        const char *begin = line + strspn(line, " \t");
        if (*begin == '\0')
            continue;
        *is_found = read_line(search, begin);
        if (search->wrong != NULL) {
            snprintf(message, message_bytes, "%.200s: line %d: '%.60s': %s", path, number, begin,
                     search->wrong);
            return false;
        }
    }
    return true;
}

static void set_host(struct search *search, const char *host)
{
    search->host = host;
    snprintf(search->short_host, sizeof search->short_host, "%.*s", (int)strcspn(host, "."), host);
}

static int by_hash(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Copies the hosts with a link to the host into the result. Returns false if there are too many. */
static bool keep_neighbors(const struct search *search)
{
    struct allfold_switches *switches = search->switches;
    for (int i = 0; i < search->linked_count; i++) {
        const int64_t hash = hash_of(search->linked[i].name);
        if (!search->linked[i].is_host || hash == switches->host)
            continue;
        if (switches->neighbors == ALLFOLD_MOST_NEIGHBORS)
            return false;
        switches->neighbor[switches->neighbors++] = hash;
    }
    qsort(switches->neighbor, (size_t)switches->neighbors, sizeof *switches->neighbor, by_hash);
    return true;
}

/* Finds the links of the host, and which of them lead to hosts. Returns false with `message` on
 * errors. */
static bool find_neighbors(struct search *search, FILE *file, char *line, const char *path,
                           char *message, size_t message_bytes)
{
    bool is_found;
    search->stage = LINKS;
    if (!go_through(search, file, line, path, &is_found, message, message_bytes))
        return false;
    search->stage = HOSTS;
    if (search->linked_count > 0 &&
        !go_through(search, file, line, path, &is_found, message, message_bytes))
        return false;
    search->stage = SWITCHES;
    if (keep_neighbors(search))
        return true;
    snprintf(message, message_bytes, "%.200s: more than %d hosts are linked to host '%.100s'", path,
             ALLFOLD_MOST_NEIGHBORS, search->host);
    return false;
}

enum allfold_error allfold_switches_read(const char *path, const char *host, int rank,
                                         struct allfold_switches *switches, char *message,
                                         size_t message_bytes)
{
    struct search search = {.rank = rank, .switches = switches};
    bool goes_on = true;
    *switches = (struct allfold_switches){.depth = 0};
    set_host(&search, host);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        snprintf(message, message_bytes, "%.200s cannot be read: %s", path, strerror(errno));
        return ALLFOLD_BAD_INPUT;
    }
    char *line = malloc(LINE_BYTES);
    bool is_right = line != NULL;
    if (!is_right)
        snprintf(message, message_bytes, "no memory");
    is_right = is_right && find_neighbors(&search, file, line, path, message, message_bytes);
    while (is_right && goes_on) /* the last pass reads the lines after the last switch */
        is_right = go_through(&search, file, line, path, &goes_on, message, message_bytes);
    free(line);
    fclose(file);
    if (is_right && switches->depth == 0 && switches->neighbors == 0)
        snprintf(message, message_bytes,
                 "%.200s: no line has host '%.100s' of rank %d; expected one like '%.60s leaf0'",
                 path, host, rank, search.short_host);
    if (is_right && switches->depth + switches->neighbors > 0)
        return ALLFOLD_OK;
    switches->depth = switches->neighbors = 0;
    return ALLFOLD_BAD_INPUT;
}

/* --- Slurm's variables ------------------------------------------------------------------------ */

/* Returns the start of the last field of a text that ends at `end`. */
static const char *last_field(const char *text, const char *end)
{
    while (end > text && end[-1] != '.')
        end--;
    return end;
}

enum allfold_error allfold_switches_of_slurm(const char *address, const char *pattern,
                                             const char *host, struct allfold_switches *switches,
                                             char *message, size_t message_bytes)
{
    struct search search = {.stage = SWITCHES, .switches = switches};
    const char *address_end = address + strlen(address), *pattern_end = pattern + strlen(pattern);
    bool has_host = false;
    *switches = (struct allfold_switches){.depth = 0};
    set_host(&search, host);
    while (search.wrong == NULL && address_end > address && pattern_end > pattern &&
           switches->depth < ALLFOLD_SWITCH_LEVELS) {
        const char *name = last_field(address, address_end);
        const char *kind = last_field(pattern, pattern_end);
        const size_t length = (size_t)(address_end - name);
        if (strncmp(kind, "node", (size_t)(pattern_end - kind)) == 0)
            has_host = find_host(&search, name, length) >= 0;
        else if (strncmp(kind, "switch", (size_t)(pattern_end - kind)) == 0 && length > 0)
            add(&search, name, length);
        address_end = name > address ? name - 1 : name;
        pattern_end = kind > pattern ? kind - 1 : kind;
    }
    if (has_host && switches->depth > 0)
        return ALLFOLD_OK;
    switches->depth = 0;
    snprintf(message, message_bytes,
             "SLURM_TOPOLOGY_ADDR=%.100s (%.100s) says no switch of host '%.100s'; expected one "
             "like s0.s1.%.60s (switch.switch.node)",
             address, pattern, host, search.short_host);
    return ALLFOLD_BAD_INPUT;
}
