/* Networks: reading their texts (see network.h). */
#include "model/network/network.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "util/quantity.h"

enum setting {
    SETTING_NAME,
    SETTING_SOCKETS,
    SETTING_CARDS,
    SETTING_EJECTION,
    SETTING_ONE_WAY_LATENCY,
    SETTING_ONE_WAY_BYTE,
    SETTING_REDUCE,
    SETTING_COPY,
    SETTINGS
};

static const char *const setting_names[SETTINGS] = {
    [SETTING_NAME] = "name",
    [SETTING_SOCKETS] = "sockets",
    [SETTING_CARDS] = "cards",
    [SETTING_EJECTION] = "ejection",
    [SETTING_ONE_WAY_LATENCY] = "one_way_latency",
    [SETTING_ONE_WAY_BYTE] = "one_way_byte",
    [SETTING_REDUCE] = "reduce",
    [SETTING_COPY] = "copy",
};

const char *const allfold_level_names[ALLFOLD_LEVEL_COUNT] = {"socket", "node", "network"};

enum value { VALUE_LATENCY, VALUE_OVERHEAD, VALUE_BANDWIDTH, VALUE_LIMIT, VALUE_WAITS, VALUES };

static const char *const value_names[VALUES] = {"latency", "overhead", "bandwidth", "limit",
                                                "waits"};

static const char a_time[] = "a time like 1.5us";
static const char a_rate[] = "a rate like 2.9GB/s, more than 0";

/* Where reading is, and where to say what is wrong. */
struct reader {
    const char *at;
    int line;
    unsigned given; /* bit i: setting i was there */
    struct allfold_network network;
    char *message;
    size_t message_bytes;
};

static void skip_blanks(struct reader *reader)
{
    reader->at += strspn(reader->at, " \t\r");
}

static bool at_end_of_line(struct reader *reader)
{
    skip_blanks(reader);
    return *reader->at == '\0' || *reader->at == '\n' || *reader->at == '#';
}

static enum allfold_error refuse(struct reader *reader, const char *what, const char *expected)
{
    enum { MOST_SHOWN = 60 };
    skip_blanks(reader);
    const int length = (int)strcspn(reader->at, " \t\r\n#,:=");
    if (at_end_of_line(reader))
        snprintf(reader->message, reader->message_bytes, "line %d: %s: expected %s", reader->line,
                 what, expected);
    else
        snprintf(reader->message, reader->message_bytes, "line %d: %s: '%.*s' is not %s",
                 reader->line, what,
                 length == 0           ? 1
                 : length > MOST_SHOWN ? MOST_SHOWN
                                       : length,
                 reader->at, expected);
    return ALLFOLD_BAD_INPUT;
}

static enum allfold_error refuse_words(struct reader *reader, const char *words)
{
    snprintf(reader->message, reader->message_bytes, "line %d: %s", reader->line, words);
    return ALLFOLD_BAD_INPUT;
}

static bool take(struct reader *reader, char c)
{
    skip_blanks(reader);
    if (*reader->at != c)
        return false;
    reader->at++;
    return true;
}

/* The number of the word in a list of names, which is skipped; or `count`. */
static int take_word(struct reader *reader, const char *const *names, int count)
{
    skip_blanks(reader);
    size_t length = 0;
    while (isalpha((unsigned char)reader->at[length]) || reader->at[length] == '_')
        length++;
    for (int i = 0; i < count; i++) {
        if (strlen(names[i]) != length || strncmp(names[i], reader->at, length) != 0)
            continue;
        reader->at += length;
        return i;
    }
    return count;
}

static enum allfold_error read_quantity(struct reader *reader, const char *what,
                                        const struct allfold_unit *units, const char *expected,
                                        double least, double *value)
{
    const char *end;
    double read;
    skip_blanks(reader);
    if (!allfold_quantity_read(reader->at, units, &read, &end) || read < least ||
        strchr(" \t\r\n#,", *end) == NULL)
        return refuse(reader, what, expected);
    *value = read;
    reader->at = end;
    return ALLFOLD_OK;
}

static enum allfold_error read_integer(struct reader *reader, const char *what, int least, int most,
                                       int *value)
{
    char expected[60];
    double read = 0;
    const char *const before = (skip_blanks(reader), reader->at);
    snprintf(expected, sizeof expected, "a whole number from %d to %d", least, most);
    enum allfold_error error =
        read_quantity(reader, what, allfold_no_units, expected, least, &read);
    if (error != ALLFOLD_OK)
        return error;
    *value = read <= most ? (int)read : most + 1;
    if (*value <= most && read <= *value)
        return ALLFOLD_OK;
    reader->at = before;
    return refuse(reader, what, expected);
}

static enum allfold_error read_switch(struct reader *reader, const char *what, bool *value)
{
    int read = 0;
    enum allfold_error error = read_integer(reader, what, 0, 1, &read);
    *value = read == 1;
    return error;
}

static enum allfold_error read_name(struct reader *reader)
{
    char *name = reader->network.name;
    skip_blanks(reader);
    size_t length = strcspn(reader->at, "#\n");
    while (length > 0 && isspace((unsigned char)reader->at[length - 1]))
        length--;
    if (length == 0 || length >= sizeof reader->network.name)
        return refuse(reader, "name", "a name of up to 39 characters");
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)reader->at[i]) && strchr("_-. ", reader->at[i]) == NULL)
            return refuse(reader, "name", "letters, digits and _-. alone");
    memcpy(name, reader->at, length);
    name[length] = '\0';
    reader->at += length;
    return ALLFOLD_OK;
}

static enum allfold_error read_setting(struct reader *reader, enum setting setting)
{
    static const char a_factor[] = "a factor of more than 0, like 0.5";
    struct allfold_network *n = &reader->network;
    const char *name = setting_names[setting];
    if (!take(reader, '='))
        return refuse(reader, name, "= and a value");
    if (reader->given & 1u << setting)
        return refuse_words(reader, "this setting was given before");
    reader->given |= 1u << setting;
    switch (setting) {
    case SETTING_NAME:
        return read_name(reader);
    case SETTING_SOCKETS:
        return read_integer(reader, name, 1, ALLFOLD_MAX_SOCKETS, &n->sockets);
    case SETTING_CARDS:
        return read_integer(reader, name, 1, ALLFOLD_MAX_CARDS, &n->cards);
    case SETTING_EJECTION:
        return read_switch(reader, name, &n->ejection);
    case SETTING_ONE_WAY_LATENCY:
        return read_quantity(reader, name, allfold_no_units, a_factor, 1e-6, &n->one_way_latency);
    case SETTING_ONE_WAY_BYTE:
        return read_quantity(reader, name, allfold_no_units, a_factor, 1e-6, &n->one_way_byte);
    case SETTING_REDUCE:
        return read_quantity(reader, name, allfold_time_units, a_time, 0, &n->reduce_s);
    default:
        return read_quantity(reader, name, allfold_time_units, a_time, 0, &n->copy_s);
    }
}

/* A number of bytes, with K, M or G for powers of 1024. */
static bool read_bytes(struct reader *reader, size_t *bytes)
{
    static const struct allfold_unit units[] = {
        {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"", 1}, {NULL, 0}};
    double value;
    const char *end;
    skip_blanks(reader);
    if (!allfold_quantity_read(reader->at, units, &value, &end) || value > 9e15)
        return false;
    *bytes = (size_t)value;
    reader->at = end;
    return (double)*bytes >= value;
}

/* A range is where the one before it ends; ALLFOLD_BAD_INPUT where it is not. */
static enum allfold_error read_range(struct reader *reader, enum allfold_level level,
                                     struct allfold_link *link)
{
    const int before = reader->network.link_count[level];
    const size_t begin = before == 0 ? 0 : reader->network.links[level][before - 1].to_bytes;
    link->from_bytes = 0;
    link->to_bytes = SIZE_MAX;
    skip_blanks(reader);
    const char *const whole = reader->at;
    bool ok = true;
    if (*reader->at != ':') {
        ok = read_bytes(reader, &link->from_bytes) && take(reader, '-');
        skip_blanks(reader);
        if (ok && *reader->at != ':')
            ok = read_bytes(reader, &link->to_bytes);
    }
    if (!ok || !take(reader, ':') || link->from_bytes >= link->to_bytes) {
        reader->at = whole;
        return refuse(reader, allfold_level_names[level],
                      "a range of bytes like 0-8K: or 8K-:, from less to more");
    }
    if (link->from_bytes == begin && begin != SIZE_MAX)
        return ALLFOLD_OK;
    return refuse_words(reader, "a level's ranges begin with 0, and each where the last one ends");
}

static enum allfold_error read_value(struct reader *reader, enum value value,
                                     struct allfold_link *link)
{
    const char *name = value_names[value];
    switch (value) {
    case VALUE_LATENCY:
        return read_quantity(reader, name, allfold_time_units, a_time, 0, &link->latency_s);
    case VALUE_OVERHEAD:
        return read_quantity(reader, name, allfold_time_units, a_time, 0, &link->overhead_s);
    case VALUE_BANDWIDTH:
        return read_quantity(reader, name, allfold_rate_units, a_rate, 1e-3, &link->bandwidth);
    case VALUE_LIMIT:
        return read_quantity(reader, name, allfold_rate_units, a_rate, 1e-3, &link->limit);
    default:
        return read_switch(reader, name, &link->waits);
    }
}

static enum allfold_error read_values(struct reader *reader, const char *level,
                                      struct allfold_link *link)
{
    unsigned given = 0;
    do {
        const int value = take_word(reader, value_names, VALUES);
        if (value == VALUES)
            return refuse(reader, level, "one of: latency, overhead, bandwidth, limit, waits");
        if (given & 1u << value)
            return refuse_words(reader, "a value is given twice");
        given |= 1u << value;
        if (!take(reader, '='))
            return refuse(reader, value_names[value], "= and a value");
        enum allfold_error error = read_value(reader, (enum value)value, link);
        if (error != ALLFOLD_OK)
            return error;
    } while (take(reader, ','));
    if (!(given & 1u << VALUE_LATENCY))
        return refuse_words(reader, "a level needs a latency, like latency=1.5us");
    if (!(given & 1u << VALUE_OVERHEAD))
        link->overhead_s = link->latency_s;
    if (link->overhead_s > link->latency_s)
        return refuse_words(reader, "the overhead is more than the latency, of which it is a part");
    return ALLFOLD_OK;
}

static enum allfold_error read_level(struct reader *reader, enum allfold_level level)
{
    struct allfold_link link = {.latency_s = 0};
    if (reader->network.link_count[level] == ALLFOLD_MAX_LINKS)
        return refuse_words(reader, "a level has more than 6 ranges");
    enum allfold_error error = read_range(reader, level, &link);
    if (error == ALLFOLD_OK)
        error = read_values(reader, allfold_level_names[level], &link);
    if (error == ALLFOLD_OK)
        reader->network.links[level][reader->network.link_count[level]++] = link;
    return error;
}

static enum allfold_error read_line(struct reader *reader)
{
    enum allfold_error error;
    if (at_end_of_line(reader))
        return ALLFOLD_OK;
    const int setting = take_word(reader, setting_names, SETTINGS);
    const int level =
        setting < SETTINGS ? SETTINGS : take_word(reader, allfold_level_names, ALLFOLD_LEVEL_COUNT);
    if (setting < SETTINGS)
        error = read_setting(reader, (enum setting)setting);
    else if (level < ALLFOLD_LEVEL_COUNT)
        error = read_level(reader, (enum allfold_level)level);
    else
        return refuse(reader, "setting",
                      "one of: name, sockets, cards, ejection, one_way_latency, one_way_byte, "
                      "reduce, copy, socket, node, network");
    if (error == ALLFOLD_OK && !at_end_of_line(reader))
        error = refuse(reader, "after the value", "the end of the line");
    return error;
}

/* Levels without a line are like the one outside; all have to reach to the longest message. */
static enum allfold_error complete(struct reader *reader)
{
    struct allfold_network *n = &reader->network;
    if (n->link_count[ALLFOLD_LEVEL_NETWORK] == 0)
        return refuse_words(reader, "there is no line like network: latency=2us, bandwidth=1GB/s");
    for (int level = ALLFOLD_LEVEL_COUNT - 1; level >= 0; level--) {
        if (n->link_count[level] == 0) {
            memcpy(n->links[level], n->links[level + 1], sizeof n->links[level]);
            n->link_count[level] = n->link_count[level + 1];
        }
        if (n->links[level][n->link_count[level] - 1].to_bytes != SIZE_MAX)
            return refuse(reader, allfold_level_names[level],
                          "a last range without an end, like 8K-:");
    }
    return ALLFOLD_OK;
}

enum allfold_error allfold_network_read(const char *text, struct allfold_network *network,
                                        char *message, size_t message_bytes)
{
    struct reader reader = {.at = text, .message = message, .message_bytes = message_bytes};
    enum allfold_error error = ALLFOLD_OK;
    reader.network = (struct allfold_network){
        .name = "unnamed", .sockets = 1, .cards = 1, .one_way_latency = 1, .one_way_byte = 1};
    while (*reader.at != '\0' && error == ALLFOLD_OK) {
        reader.line++;
        error = read_line(&reader);
        reader.at += strcspn(reader.at, "\n");
        reader.at += *reader.at == '\n';
    }
    if (error == ALLFOLD_OK)
        error = complete(&reader);
    if (error == ALLFOLD_OK)
        *network = reader.network;
    return error;
}
