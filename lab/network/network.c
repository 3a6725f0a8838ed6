/* Networks: reads and writes their texts, and has the predefined networks (see network.h). */
#include "lab/network/network.h"

#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab/network/graph_text.h"
#include "util/memory.h"
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

enum value {
    VALUE_LATENCY,
    VALUE_OVERHEAD,
    VALUE_BANDWIDTH,
    VALUE_LIMIT,
    VALUE_WAITS,
    VALUE_OFFLOADED,
    VALUE_IN_MEMORY,
    VALUE_STORE,
    VALUE_PIECE,
    VALUE_TAKE,
    VALUES
};

static const char *const value_names[VALUES] = {"latency", "overhead",  "bandwidth", "limit",
                                                "waits",   "offloaded", "in_memory", "store",
                                                "piece",   "take"};

static const char a_time[] = "a time like 1.5us";
static const char a_rate[] = "a rate like 2.9GB/s, more than 0";

/* A text as it is read. */
struct network_reader {
    struct allfold_text_reader text;
    unsigned given; /* bit i: setting i was there */
    struct allfold_network network;
    struct allfold_graph_reader graph;
};

static enum allfold_error read_name(struct network_reader *reader)
{
    char *name = reader->network.name;
    allfold_text_skip_blanks(&reader->text);
    size_t length = strcspn(reader->text.at, "#\n");
    while (length > 0 && isspace((unsigned char)reader->text.at[length - 1]))
        length--;
    if (length == 0 || length >= sizeof reader->network.name)
        return allfold_text_error_expected(&reader->text, "name", "a name of up to 39 characters");
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)reader->text.at[i]) &&
            strchr("_-. ", reader->text.at[i]) == NULL)
            return allfold_text_error_expected(&reader->text, "name",
                                               "letters, digits and _-. alone");
    memcpy(name, reader->text.at, length);
    name[length] = '\0';
    reader->text.at += length;
    return ALLFOLD_OK;
}

static enum allfold_error read_setting(struct network_reader *reader, enum setting setting)
{
    static const char a_factor[] = "a factor of more than 0, like 0.5";
    struct allfold_network *n = &reader->network;
    const char *name = setting_names[setting];
    if (!allfold_text_take(&reader->text, '='))
        return allfold_text_error_expected(&reader->text, name, "= and a value");
    if (reader->given & 1u << setting)
        return allfold_text_error(&reader->text, "this setting was given before");
    reader->given |= 1u << setting;
    switch (setting) {
    case SETTING_NAME:
        return read_name(reader);
    case SETTING_SOCKETS:
        return allfold_text_integer(&reader->text, name, 1, ALLFOLD_MAX_SOCKETS, &n->sockets);
    case SETTING_CARDS:
        return allfold_text_integer(&reader->text, name, 1, ALLFOLD_MAX_CARDS, &n->cards);
    case SETTING_EJECTION:
        return allfold_text_switch(&reader->text, name, &n->ejection);
    case SETTING_ONE_WAY_LATENCY:
        return allfold_text_quantity(&reader->text, name, allfold_no_units, a_factor, 1e-6,
                                     &n->one_way_latency);
    case SETTING_ONE_WAY_BYTE:
        return allfold_text_quantity(&reader->text, name, allfold_no_units, a_factor, 1e-6,
                                     &n->one_way_byte);
    case SETTING_REDUCE:
        return allfold_text_quantity(&reader->text, name, allfold_time_units, a_time, 0,
                                     &n->reduce_s);
    default:
        return allfold_text_quantity(&reader->text, name, allfold_time_units, a_time, 0,
                                     &n->copy_s);
    }
}

/* A number of bytes, with K, M or G for powers of 1024. */
static bool read_bytes(struct network_reader *reader, size_t *bytes)
{
    static const struct allfold_unit units[] = {
        {"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"", 1}, {NULL, 0}};
    double value;
    const char *end;
    allfold_text_skip_blanks(&reader->text);
    if (!allfold_quantity_read(reader->text.at, units, &value, &end) || value > 9e15)
        return false;
    *bytes = (size_t)value;
    reader->text.at = end;
    return (double)*bytes >= value;
}

/* A range is where the one before it ends; ALLFOLD_BAD_INPUT where it is not. */
static enum allfold_error read_range(struct network_reader *reader, enum allfold_level level,
                                     struct allfold_link *link)
{
    const int before = reader->network.link_count[level];
    const size_t begin = before == 0 ? 0 : reader->network.links[level][before - 1].to_bytes;
    link->from_bytes = 0;
    link->to_bytes = SIZE_MAX;
    allfold_text_skip_blanks(&reader->text);
    const char *const whole = reader->text.at;
    bool ok = true;
    if (*reader->text.at != ':') {
        ok = read_bytes(reader, &link->from_bytes) && allfold_text_take(&reader->text, '-');
        allfold_text_skip_blanks(&reader->text);
        if (ok && *reader->text.at != ':')
            ok = read_bytes(reader, &link->to_bytes);
    }
    if (!ok || !allfold_text_take(&reader->text, ':') || link->from_bytes >= link->to_bytes) {
        reader->text.at = whole;
        return allfold_text_error_expected(
            &reader->text, allfold_level_names[level],
            "a range of bytes like 0-8K: or 8K-:, from less to more");
    }
    if (link->from_bytes == begin && begin != SIZE_MAX)
        return ALLFOLD_OK;
    return allfold_text_error(&reader->text,
                              "a level's ranges begin with 0, and each where the last one ends");
}

static enum allfold_error read_value(struct network_reader *reader, enum value value,
                                     struct allfold_link *link)
{
    const char *name = value_names[value];
    switch (value) {
    case VALUE_LATENCY:
        return allfold_text_quantity(&reader->text, name, allfold_time_units, a_time, 0,
                                     &link->latency_s);
    case VALUE_OVERHEAD:
        return allfold_text_quantity(&reader->text, name, allfold_time_units, a_time, 0,
                                     &link->overhead_s);
    case VALUE_BANDWIDTH:
        return allfold_text_quantity(&reader->text, name, allfold_rate_units, a_rate, 1e-3,
                                     &link->bandwidth);
    case VALUE_LIMIT:
        return allfold_text_quantity(&reader->text, name, allfold_rate_units, a_rate, 1e-3,
                                     &link->limit);
    case VALUE_WAITS:
        return allfold_text_switch(&reader->text, name, &link->waits);
    case VALUE_OFFLOADED:
        return allfold_text_switch(&reader->text, name, &link->offloaded);
    case VALUE_IN_MEMORY:
        return allfold_text_switch(&reader->text, name, &link->in_memory);
    case VALUE_STORE:
        return allfold_text_quantity(&reader->text, name, allfold_rate_units, a_rate, 1e-3,
                                     &link->store);
    case VALUE_PIECE:
        return read_bytes(reader, &link->piece_bytes)
                   ? ALLFOLD_OK
                   : allfold_text_error_expected(&reader->text, name, "a number of bytes like 32K");
    default:
        return allfold_text_quantity(&reader->text, name, allfold_time_units, a_time, 0,
                                     &link->take_s);
    }
}

static enum allfold_error read_values(struct network_reader *reader, const char *level,
                                      struct allfold_link *link)
{
    unsigned given = 0;
    do {
        const int value = allfold_text_take_word(&reader->text, value_names, VALUES);
        if (value == VALUES)
            return allfold_text_error_expected(
                &reader->text, level,
                "one of: latency, overhead, bandwidth, limit, waits, offloaded, in_memory, "
                "store, piece, take");
        if (given & 1u << value)
            return allfold_text_error(&reader->text, "a value is given twice");
        given |= 1u << value;
        if (!allfold_text_take(&reader->text, '='))
            return allfold_text_error_expected(&reader->text, value_names[value], "= and a value");
        enum allfold_error error = read_value(reader, (enum value)value, link);
        if (error != ALLFOLD_OK)
            return error;
    } while (allfold_text_take(&reader->text, ','));
    if (!(given & 1u << VALUE_LATENCY))
        return allfold_text_error(&reader->text, "a level needs a latency, like latency=1.5us");
    if (!(given & 1u << VALUE_OVERHEAD))
        link->overhead_s = link->latency_s;
    if (link->overhead_s > link->latency_s)
        return allfold_text_error(&reader->text,
                                  "the overhead is more than the latency, of which it is a part");
    if (!link->in_memory && given & (1u << VALUE_STORE | 1u << VALUE_PIECE | 1u << VALUE_TAKE))
        return allfold_text_error(&reader->text,
                                  "store, piece and take are values of links in_memory=1");
    return ALLFOLD_OK;
}

static enum allfold_error read_level(struct network_reader *reader, enum allfold_level level)
{
    struct allfold_link link = {.latency_s = 0};
    if (reader->network.link_count[level] == ALLFOLD_MAX_LINKS)
        return allfold_text_error(&reader->text, "a level has more than 6 ranges");
    enum allfold_error error = read_range(reader, level, &link);
    if (error == ALLFOLD_OK)
        error = read_values(reader, allfold_level_names[level], &link);
    if (error == ALLFOLD_OK && link.in_memory && level == ALLFOLD_LEVEL_NETWORK)
        return allfold_text_error(
            &reader->text, "nodes share no memory: expected in_memory=1 of socket or node alone");
    if (error == ALLFOLD_OK)
        reader->network.links[level][reader->network.link_count[level]++] = link;
    return error;
}

static enum allfold_error read_line(struct network_reader *reader)
{
    enum allfold_error error;
    if (allfold_text_at_end_of_line(&reader->text))
        return ALLFOLD_OK;
    const int setting = allfold_text_take_word(&reader->text, setting_names, SETTINGS);
    const int level =
        setting < SETTINGS
            ? SETTINGS
            : allfold_text_take_word(&reader->text, allfold_level_names, ALLFOLD_LEVEL_COUNT);
    const int word =
        setting < SETTINGS || level < ALLFOLD_LEVEL_COUNT
            ? ALLFOLD_GRAPH_WORDS
            : allfold_text_take_word(&reader->text, allfold_graph_words, ALLFOLD_GRAPH_WORDS);
    if (setting < SETTINGS)
        error = read_setting(reader, (enum setting)setting);
    else if (level < ALLFOLD_LEVEL_COUNT)
        error = read_level(reader, (enum allfold_level)level);
    else if (word < ALLFOLD_GRAPH_WORDS)
        error = allfold_graph_text_line(&reader->graph, word, &reader->text);
    else
        return allfold_text_error_expected(
            &reader->text, "setting",
            "one of: name, sockets, cards, ejection, one_way_latency, "
            "one_way_byte, reduce, copy, socket, node, network, topology, "
            "links, host, link");
    if (error == ALLFOLD_OK && !allfold_text_at_end_of_line(&reader->text))
        error =
            allfold_text_error_expected(&reader->text, "after the value", "the end of the line");
    return error;
}

/* Levels without a line are like the one outside; all have to reach to the longest message. */
static enum allfold_error complete(struct network_reader *reader)
{
    struct allfold_network *n = &reader->network;
    if (n->link_count[ALLFOLD_LEVEL_NETWORK] == 0)
        return allfold_text_error(&reader->text,
                                  "there is no line like network: latency=2us, bandwidth=1GB/s");
    for (int level = ALLFOLD_LEVEL_COUNT - 1; level >= 0; level--) {
        if (n->link_count[level] == 0) {
            memcpy(n->links[level], n->links[level + 1], sizeof n->links[level]);
            n->link_count[level] = n->link_count[level + 1];
        }
        if (n->links[level][n->link_count[level] - 1].to_bytes != SIZE_MAX)
            return allfold_text_error_expected(&reader->text, allfold_level_names[level],
                                               "a last range without an end, like 8K-:");
    }
    return ALLFOLD_OK;
}

/* A graph has limits of its own: its links. */
static enum allfold_error complete_graph(struct network_reader *reader)
{
    struct allfold_network *n = &reader->network;
    const unsigned no_use = 1u << SETTING_CARDS | 1u << SETTING_EJECTION |
                            1u << SETTING_ONE_WAY_LATENCY | 1u << SETTING_ONE_WAY_BYTE;
    enum allfold_error error = allfold_graph_text_end(&reader->graph, &reader->text, &n->graph);
    if (error != ALLFOLD_OK || n->graph == NULL)
        return error;
    for (int i = 0; i < SETTINGS; i++) {
        if (!(reader->given & no_use & 1u << i))
            continue;
        snprintf(reader->text.message, reader->text.message_bytes,
                 "%s is for networks without a topology; links have their own rates",
                 setting_names[i]);
        return ALLFOLD_BAD_INPUT;
    }
    for (int i = 0; i < n->link_count[ALLFOLD_LEVEL_NETWORK]; i++) {
        if (n->links[ALLFOLD_LEVEL_NETWORK][i].limit <= 0)
            continue;
        snprintf(reader->text.message, reader->text.message_bytes,
                 "network: limit is for networks without a topology; links have their own rates");
        return ALLFOLD_BAD_INPUT;
    }
    return ALLFOLD_OK;
}

enum allfold_error allfold_network_read(const char *text, struct allfold_network *network,
                                        char *message, size_t message_bytes)
{
    struct network_reader reader = {
        .text = {.at = text, .message = message, .message_bytes = message_bytes}};
    enum allfold_error error = ALLFOLD_OK;
    reader.network = (struct allfold_network){
        .name = "unnamed", .sockets = 1, .cards = 1, .one_way_latency = 1, .one_way_byte = 1};
    while (*reader.text.at != '\0' && error == ALLFOLD_OK) {
        reader.text.line++;
        error = read_line(&reader);
        reader.text.at += strcspn(reader.text.at, "\n");
        reader.text.at += *reader.text.at == '\n';
    }
    if (error == ALLFOLD_OK)
        error = complete(&reader);
    if (error == ALLFOLD_OK)
        error = complete_graph(&reader);
    allfold_graph_text_drop(&reader.graph);
    if (error == ALLFOLD_OK)
        *network = reader.network;
    else
        allfold_network_clear(&reader.network);
    return error;
}

void allfold_network_clear(struct allfold_network *network)
{
    allfold_graph_free(network->graph);
    network->graph = NULL;
}

/* Named machines. None of them was measured by us; docs/model.md says where the figures are from.
 */

/* Bienz et al. 2019, section IV: a socket, a node and the network apart, a limit on what a node
 * sends, each message whole on its sender and receiver. The paper prints no figures; these are of
 * the order that its authors' other papers give for Blue Waters, recalled and not looked up. */
static const char blue_waters[] =
    "name = blue_waters\n"
    "sockets = 2\n"
    "reduce = 0.2ns\n"
    "socket 0-512: latency=0.44us, bandwidth=2.2GB/s\n"
    "socket 512-8K: latency=0.53us, bandwidth=3.2GB/s\n"
    "socket 8K-: latency=1.7us, bandwidth=6.2GB/s, waits=1\n"
    "node 0-512: latency=0.83us, bandwidth=0.48GB/s\n"
    "node 512-8K: latency=1.2us, bandwidth=0.96GB/s\n"
    "node 8K-: latency=2.5us, bandwidth=6.2GB/s, waits=1\n"
    "network 0-512: latency=2.3us, bandwidth=0.61GB/s, limit=6.6GB/s\n"
    "network 512-8K: latency=7us, bandwidth=0.75GB/s, limit=6.6GB/s\n"
    "network 8K-: latency=3us, bandwidth=2.9GB/s, limit=6.6GB/s, waits=1\n";

/* Rabenseifner 2004, section 2.1: flat, alpha + n beta both ways at once, factors one way. The
 * paper gives the factors' range, 0.5 to 1, and no figures of its Cray T3E 900. One way, a message
 * takes 5 us and goes at 300 MB/s here, as Ames Laboratory measured Cray's MPI there (MP_Lite
 * performance on the Cray T3E). The factors and the time of a reduction are guessed. */
static const char t3e[] = "name = t3e\n"
                          "one_way_latency = 0.7\n"
                          "one_way_byte = 0.7\n"
                          "reduce = 3ns\n"
                          "network: latency=7.1us, bandwidth=210MB/s\n";

/* Two sockets and one card of 200 Gbit/s: rough figures, as of many clusters today. */
static const char cluster[] =
    "name = cluster\n"
    "sockets = 2\n"
    "ejection = 1\n"
    "reduce = 0.1ns\n"
    "copy = 0.1ns\n"
    "socket: latency=0.2us, overhead=0.1us, bandwidth=10GB/s, limit=80GB/s\n"
    "node: latency=0.4us, overhead=0.1us, bandwidth=7GB/s, limit=120GB/s\n"
    "network 0-8K: latency=1.5us, overhead=0.3us, bandwidth=10GB/s, limit=24GB/s\n"
    "network 8K-: latency=3us, overhead=0.5us, bandwidth=12GB/s, limit=24GB/s, waits=1\n";

/* Links of 100 Gbit/s and 200 ns, as most of bench/simgrid has them, around what `cluster` takes
 * for a message of its own. */
#define ALLFOLD_ON_A_GRAPH                                                                         \
    "sockets = 2\n"                                                                                \
    "reduce = 0.1ns\n"                                                                             \
    "copy = 0.1ns\n"                                                                               \
    "links: bandwidth=12.5GB/s, latency=200ns\n"                                                   \
    "socket: latency=0.2us, overhead=0.1us, bandwidth=10GB/s, limit=80GB/s\n"                      \
    "node: latency=0.4us, overhead=0.1us, bandwidth=7GB/s, limit=120GB/s\n"                        \
    "network 0-64K: latency=0.6us, overhead=0.2us\n"                                               \
    "network 64K-: latency=1.2us, overhead=0.3us, waits=1\n"

static const char on_a_graph[] = ALLFOLD_ON_A_GRAPH;

/* 1024 hosts each. The dragonfly has 4 cables between groups, 3 between chassis, 2 between routers.
 */
static const char torus[] = "name = torus\ntopology = torus 32x32\n" ALLFOLD_ON_A_GRAPH;
static const char fat_tree[] = "name = fat-tree\ntopology = fat-tree 16:8 64\n" ALLFOLD_ON_A_GRAPH;
static const char dragonfly[] =
    "name = dragonfly\ntopology = dragonfly 4:4 4:3 8:2 8\n" ALLFOLD_ON_A_GRAPH;

const struct allfold_network_preset allfold_network_presets[] = {{"blue_waters", blue_waters},
                                                                 {"t3e", t3e},
                                                                 {"cluster", cluster},
                                                                 {"torus", torus},
                                                                 {"fat-tree", fat_tree},
                                                                 {"dragonfly", dragonfly},
                                                                 {NULL, NULL}};

static void write_quantity(const char *before, double value, const struct allfold_unit *units,
                           FILE *stream)
{
    char text[64];
    allfold_quantity_write(value, units, text, sizeof text);
    fprintf(stream, "%s%s", before, text);
}

static void write_link(const char *level, const struct allfold_link *link, FILE *stream)
{
    fprintf(stream, "%s %zu-", level, link->from_bytes);
    if (link->to_bytes != SIZE_MAX)
        fprintf(stream, "%zu", link->to_bytes);
    write_quantity(": latency=", link->latency_s, allfold_time_units, stream);
    write_quantity(", overhead=", link->overhead_s, allfold_time_units, stream);
    if (link->bandwidth > 0)
        write_quantity(", bandwidth=", link->bandwidth, allfold_rate_units, stream);
    if (link->limit > 0)
        write_quantity(", limit=", link->limit, allfold_rate_units, stream);
    if (link->store > 0)
        write_quantity(", store=", link->store, allfold_rate_units, stream);
    if (link->take_s > 0)
        write_quantity(", take=", link->take_s, allfold_time_units, stream);
    if (link->piece_bytes > 0)
        fprintf(stream, ", piece=%zu", link->piece_bytes);
    fprintf(stream, "%s%s%s\n", link->waits ? ", waits=1" : "",
            link->offloaded ? ", offloaded=1" : "", link->in_memory ? ", in_memory=1" : "");
}

void allfold_network_write(const struct allfold_network *network, FILE *stream)
{
    fprintf(stream, "name = %s\nsockets = %d", network->name, network->sockets);
    if (network->graph == NULL) {
        fprintf(stream, "\ncards = %d\nejection = %d", network->cards, network->ejection);
        write_quantity("\none_way_latency = ", network->one_way_latency, allfold_no_units, stream);
        write_quantity("\none_way_byte = ", network->one_way_byte, allfold_no_units, stream);
    }
    write_quantity("\nreduce = ", network->reduce_s, allfold_time_units, stream);
    write_quantity("\ncopy = ", network->copy_s, allfold_time_units, stream);
    fprintf(stream, "\n");
    if (network->graph != NULL)
        allfold_graph_write(network->graph, stream);
    for (int level = 0; level < ALLFOLD_LEVEL_COUNT; level++)
        for (int i = 0; i < network->link_count[level]; i++)
            write_link(allfold_level_names[level], &network->links[level][i], stream);
}

const struct allfold_link *allfold_network_link(const struct allfold_network *network,
                                                enum allfold_level level, size_t bytes)
{
    int i = 0;
    assert(network->link_count[level] > 0);
    while (i + 1 < network->link_count[level] && bytes >= network->links[level][i].to_bytes)
        i++;
    assert(bytes < network->links[level][i].to_bytes || bytes == SIZE_MAX);
    return &network->links[level][i];
}

static enum allfold_error read_file(const char *name, struct allfold_network *network,
                                    char *message, size_t message_bytes)
{
    enum { MOST_BYTES = 1 << 22 };
    static const char no_file[] =
        "'%.200s' is no file that can be read, nor one of: blue_waters, t3e, cluster, torus, "
        "fat-tree, dragonfly; nor a topology like 'torus 16x16'";
    char words[400] = "", *text = malloc(MOST_BYTES);
    FILE *stream = fopen(name, "r");
    enum allfold_error error = ALLFOLD_BAD_INPUT;
    const size_t length = stream == NULL || text == NULL ? 0 : fread(text, 1, MOST_BYTES, stream);
    if (text == NULL) {
        error = ALLFOLD_NO_MEMORY;
        snprintf(message, message_bytes, "no memory");
    } else if (stream == NULL || ferror(stream)) {
        snprintf(message, message_bytes, no_file, name);
    } else if (length == MOST_BYTES) {
        snprintf(message, message_bytes, "%.200s: longer than 4194303 bytes", name);
    } else {
        text[length] = '\0';
        error = allfold_network_read(text, network, words, sizeof words);
        if (error != ALLFOLD_OK)
            snprintf(message, message_bytes, "%.200s: %s", name, words);
    }
    if (stream != NULL)
        fclose(stream);
    free(text);
    return error;
}

/* A name like "torus 16x16": that topology with the links of the presets. */
static enum allfold_error read_topology(const char *words, struct allfold_network *network,
                                        char *message, size_t message_bytes)
{
    char text[1000];
    snprintf(text, sizeof text, "topology = %.100s\nname = %.*s\n%s", words,
             (int)strcspn(words, " \t"), words, on_a_graph);
    return allfold_network_read(text, network, message, message_bytes);
}

enum allfold_error allfold_network_find(const char *name, struct allfold_network *network,
                                        char *message, size_t message_bytes)
{
    for (int i = 0; allfold_network_presets[i].name != NULL; i++)
        if (strcmp(allfold_network_presets[i].name, name) == 0)
            return allfold_network_read(allfold_network_presets[i].text, network, message,
                                        message_bytes);
    return strpbrk(name, " \t") != NULL && strpbrk(name, "/.") == NULL
               ? read_topology(name, network, message, message_bytes)
               : read_file(name, network, message, message_bytes);
}

static enum allfold_error
make(enum allfold_error (*fill)(const char *, struct allfold_network *, char *, size_t),
     const char *from, struct allfold_network **network, char *message, size_t message_bytes)
{
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    *network = allfold_allocate(sizeof **network);
    if (*network == NULL)
        snprintf(message, message_bytes, "no memory");
    else
        error = fill(from, *network, message, message_bytes);
    if (error != ALLFOLD_OK) {
        allfold_free(*network);
        *network = NULL;
    }
    return error;
}

enum allfold_error allfold_network_open(const char *name, struct allfold_network **network,
                                        char *message, size_t message_bytes)
{
    return make(allfold_network_find, name, network, message, message_bytes);
}

enum allfold_error allfold_network_parse(const char *text, struct allfold_network **network,
                                         char *message, size_t message_bytes)
{
    return make(allfold_network_read, text, network, message, message_bytes);
}

void allfold_network_free(struct allfold_network *network)
{
    if (network != NULL)
        allfold_network_clear(network);
    allfold_free(network);
}

const char *allfold_network_preset_name(size_t i)
{
    const size_t count = sizeof allfold_network_presets / sizeof *allfold_network_presets - 1;
    return i < count ? allfold_network_presets[i].name : NULL;
}
