/* The graph lines of a network's text (see graph_text.h). */
#include "lab/network/graph_text.h"

#include <ctype.h>
#include <string.h>

#include "lab/network/listed_graph.h"
#include "util/number.h"
#include "util/word.h"

enum { WORD_TOPOLOGY, WORD_LINKS, WORD_HOST, WORD_LINK };

const char *const allfold_graph_words[ALLFOLD_GRAPH_WORDS] = {"topology", "links", "host", "link"};

enum { VALUE_BANDWIDTH, VALUE_LATENCY, VALUE_CLASS, VALUE_SHARED, VALUES };

static const char *const value_names[VALUES] = {"bandwidth", "latency", "class", "shared"};

enum { MOST_NAME = 100, MOST_RANGE = 1 << 20 };

/* A name, or the names of a range, such as node[00-31]. */
struct names {
    char before[MOST_NAME], after[MOST_NAME];
    bool is_range;
    int width; /* of the numbers, filled up with zeros */
    long first, count;
};

static enum allfold_error no_memory(struct allfold_text_reader *text)
{
    allfold_text_error(text, "no memory");
    return ALLFOLD_NO_MEMORY;
}

/* What of a name is here; false where it is too long. */
static bool take_letters(struct allfold_text_reader *text, char *letters)
{
    size_t length = 0;
    while (isalnum((unsigned char)text->at[length]) ||
           (text->at[length] != '\0' && strchr("_-.", text->at[length]) != NULL))
        length++;
    if (length >= MOST_NAME)
        return false;
    memcpy(letters, text->at, length);
    letters[length] = '\0';
    text->at += length;
    return true;
}

static bool take_range(struct allfold_text_reader *text, struct names *names)
{
    const char *end, *const begin = text->at + 1;
    long last;
    if (!allfold_whole_read(begin, 0, INT32_MAX, &names->first, &end) || *end != '-')
        return false;
    names->width = (int)(end - begin);
    if (!allfold_whole_read(end + 1, names->first, INT32_MAX, &last, &end) || *end != ']' ||
        last - names->first >= MOST_RANGE || names->width > 10)
        return false;
    names->count = last - names->first + 1;
    names->is_range = true;
    text->at = end + 1;
    return true;
}

static enum allfold_error take_names(struct allfold_text_reader *text, const char *what,
                                     struct names *names)
{
    allfold_text_skip_blanks(text);
    const char *const whole = text->at;
    *names = (struct names){.count = 1};
    bool ok = take_letters(text, names->before);
    if (ok && *text->at == '[')
        ok = take_range(text, names) && take_letters(text, names->after);
    if (ok && (names->is_range || names->before[0] != '\0'))
        return ALLFOLD_OK;
    text->at = whole;
    return allfold_text_error_expected(text, what, "a name or a range of names like node[00-31]");
}

/* Name number i of them. */
static size_t name_of(const struct names *names, long i, char *name, size_t bytes)
{
    if (!names->is_range)
        return (size_t)snprintf(name, bytes, "%s", names->before);
    return (size_t)snprintf(name, bytes, "%s%0*ld%s", names->before, names->width, names->first + i,
                            names->after);
}

static enum allfold_error read_topology(struct allfold_graph_reader *graphs,
                                        struct allfold_text_reader *text)
{
    char words[200] = "", wrong[200] = "";
    if (!allfold_text_take(text, '='))
        return allfold_text_error_expected(text, "topology", "= and a topology like torus 16x16");
    if (graphs->generated != NULL)
        return allfold_text_error(text, "this setting was given before");
    if (graphs->listed != NULL)
        return allfold_text_error(text, "host and link lines make a topology already");
    allfold_text_skip_blanks(text);
    size_t length = strcspn(text->at, "#\r\n");
    while (length > 0 && isspace((unsigned char)text->at[length - 1]))
        length--;
    if (length >= sizeof words)
        return allfold_text_error(text, "a topology that is too long");
    memcpy(words, text->at, length);
    const enum allfold_error error =
        allfold_graph_generate(words, &graphs->generated, wrong, sizeof wrong);
    if (error != ALLFOLD_OK) {
        snprintf(text->message, text->message_bytes, "line %d: topology: %s", text->line, wrong);
        return error;
    }
    text->at += length;
    return ALLFOLD_OK;
}

static enum allfold_error read_class(struct allfold_text_reader *text,
                                     struct allfold_listed *listed, int *link_class)
{
    char name[MOST_NAME];
    allfold_text_skip_blanks(text);
    const char *const whole = text->at;
    *link_class = take_letters(text, name) ? allfold_listed_class(listed, name, strlen(name)) : -1;
    if (*link_class >= 0)
        return ALLFOLD_OK;
    text->at = whole;
    return allfold_text_error_expected(text, "class",
                                       "a name of up to 23 characters, one of 16 classes at most");
}

/* Values of a link, as bandwidth=12.5GB/s, latency=200ns; class and shared for listed ones. */
static enum allfold_error read_values(struct allfold_text_reader *text,
                                      struct allfold_listed *listed,
                                      struct allfold_graph_link *link)
{
    unsigned given = 0;
    const int known = listed != NULL ? VALUES : VALUE_CLASS;
    do {
        enum allfold_error error;
        const int value = allfold_text_take_word(text, value_names, known);
        if (value == known)
            return allfold_text_error_expected(text, "link",
                                               listed != NULL
                                                   ? "one of: bandwidth, latency, class, shared"
                                                   : "one of: bandwidth, latency");
        if (given & 1u << value)
            return allfold_text_error(text, "a value is given twice");
        given |= 1u << value;
        if (!allfold_text_take(text, '='))
            return allfold_text_error_expected(text, value_names[value], "= and a value");
        if (value == VALUE_BANDWIDTH)
            error =
                allfold_text_quantity(text, "bandwidth", allfold_rate_units,
                                      "a rate like 2.9GB/s, more than 0", 1e-3, &link->bandwidth);
        else if (value == VALUE_LATENCY)
            error = allfold_text_quantity(text, "latency", allfold_time_units, "a time like 1.5us",
                                          0, &link->latency_s);
        else if (value == VALUE_CLASS)
            error = read_class(text, listed, &link->link_class);
        else
            error = allfold_text_switch(text, "shared", &link->both_ways);
        if (error != ALLFOLD_OK)
            return error;
    } while (allfold_text_take(text, ','));
    if (!(given & 1u << VALUE_BANDWIDTH))
        return allfold_text_error(text, "a link needs a bandwidth, like 12.5GB/s");
    if (listed != NULL && !(given & 1u << VALUE_CLASS)) {
        link->link_class = allfold_listed_class(listed, "link", 4);
        if (link->link_class < 0)
            return allfold_text_error(text, "more than 16 classes of links");
    }
    return ALLFOLD_OK;
}

static enum allfold_error read_links(struct allfold_graph_reader *graphs,
                                     struct allfold_text_reader *text)
{
    int link_class = -1;
    struct allfold_graph_link link = {.latency_s = 0};
    struct allfold_graph *graph = graphs->generated;
    if (graph == NULL)
        return allfold_text_error(text, "links: a line like topology = torus 16x16 comes "
                                        "before");
    allfold_text_skip_blanks(text);
    size_t length = strcspn(text->at, ":#\n");
    while (length > 0 && isspace((unsigned char)text->at[length - 1]))
        length--;
    const char *expected = "one of the topology's classes and a colon:";
    char classes[400] = "";
    for (int i = 0; i < allfold_graph_class_count(graph); i++) {
        const char *name = allfold_graph_class_name(graph, i);
        const size_t end = strlen(classes);
        snprintf(classes + end, sizeof classes - end, "%s %s", i == 0 ? expected : ",", name);
        if (allfold_is_word(name, text->at, length))
            link_class = i;
    }
    if (length > 0 && link_class < 0)
        return allfold_text_error_expected(text, "links", classes);
    text->at += length;
    if (!allfold_text_take(text, ':'))
        return allfold_text_error_expected(text, "links", classes);
    const enum allfold_error error = read_values(text, NULL, &link);
    if (error == ALLFOLD_OK)
        allfold_graph_set_links(graph, link_class, link.bandwidth, link.latency_s);
    return error;
}

/* The listing, made where there is none yet. */
static enum allfold_error begin_listing(struct allfold_graph_reader *graphs,
                                        struct allfold_text_reader *text)
{
    if (graphs->generated != NULL)
        return allfold_text_error(text, "the topology line has made all hosts and links");
    if (graphs->listed == NULL)
        graphs->listed = allfold_listed_create();
    return graphs->listed == NULL ? no_memory(text) : ALLFOLD_OK;
}

static enum allfold_error read_hosts(struct allfold_graph_reader *graphs,
                                     struct allfold_text_reader *text)
{
    enum allfold_error error = begin_listing(graphs, text);
    while (error == ALLFOLD_OK) {
        struct names names;
        error = take_names(text, "host", &names);
        for (long i = 0; error == ALLFOLD_OK && i < names.count; i++) {
            char name[3 * MOST_NAME];
            uint32_t there;
            const size_t length = name_of(&names, i, name, sizeof name);
            if (allfold_listed_find(graphs->listed, name, length, &there))
                error = allfold_text_error(text, "host: a name that was there before");
            else if (allfold_listed_vertex(graphs->listed, name, length, true) == ALLFOLD_NO_VERTEX)
                error = no_memory(text);
        }
        if (error == ALLFOLD_OK && allfold_text_at_end_of_line(text))
            return ALLFOLD_OK;
    }
    return error;
}

static enum allfold_error add_cable(struct allfold_listed *listed, const char *const *names,
                                    const struct allfold_graph_link *values,
                                    struct allfold_text_reader *text)
{
    struct allfold_graph_link link = *values;
    uint32_t number;
    link.from = allfold_listed_vertex(listed, names[0], strlen(names[0]), false);
    link.to = allfold_listed_vertex(listed, names[1], strlen(names[1]), false);
    if (link.from == ALLFOLD_NO_VERTEX || link.to == ALLFOLD_NO_VERTEX)
        return no_memory(text);
    if (link.from == link.to)
        return allfold_text_error(text, "a link from a vertex to itself");
    const struct allfold_graph_link back = {.from = link.to,
                                            .to = link.from,
                                            .link_class = link.link_class,
                                            .bandwidth = link.bandwidth,
                                            .latency_s = link.latency_s};
    if (!allfold_listed_add_link(listed, &link, &number) ||
        !allfold_listed_add_edge(listed, link.from, link.to, &number, 1) ||
        (!link.both_ways && !allfold_listed_add_link(listed, &back, &number)) ||
        !allfold_listed_add_edge(listed, link.to, link.from, &number, 1))
        return no_memory(text);
    return ALLFOLD_OK;
}

static enum allfold_error read_link(struct allfold_graph_reader *graphs,
                                    struct allfold_text_reader *text)
{
    struct names ends[2];
    struct allfold_graph_link link = {.latency_s = 0};
    enum allfold_error error = begin_listing(graphs, text);
    for (int i = 0; i < 2 && error == ALLFOLD_OK; i++)
        error = take_names(text, "link", &ends[i]);
    if (error != ALLFOLD_OK)
        return error;
    if (!allfold_text_take(text, ':'))
        return allfold_text_error_expected(text, "link", "a colon behind the two ends");
    const long a = ends[0].count, b = ends[1].count, most = a > b ? a : b;
    if (a != b && a != 1 && b != 1)
        return allfold_text_error(text, "two ranges of names differ in length");
    error = read_values(text, graphs->listed, &link);
    for (long i = 0; i < most && error == ALLFOLD_OK; i++) {
        char names[2][3 * MOST_NAME];
        name_of(&ends[0], a == 1 ? 0 : i, names[0], sizeof names[0]);
        name_of(&ends[1], b == 1 ? 0 : i, names[1], sizeof names[1]);
        error = add_cable(graphs->listed, (const char *const[]){names[0], names[1]}, &link, text);
    }
    return error;
}

enum allfold_error allfold_graph_text_line(struct allfold_graph_reader *graphs, int word,
                                           struct allfold_text_reader *text)
{
    static enum allfold_error (*const readers[ALLFOLD_GRAPH_WORDS])(
        struct allfold_graph_reader *, struct allfold_text_reader *) = {
        [WORD_TOPOLOGY] = read_topology,
        [WORD_LINKS] = read_links,
        [WORD_HOST] = read_hosts,
        [WORD_LINK] = read_link,
    };
    return readers[word](graphs, text);
}

enum allfold_error allfold_graph_text_end(struct allfold_graph_reader *graphs,
                                          struct allfold_text_reader *text,
                                          struct allfold_graph **graph)
{
    enum allfold_error error = ALLFOLD_OK;
    *graph = graphs->generated;
    graphs->generated = NULL;
    if (graphs->listed != NULL)
        error = allfold_graph_list(graphs->listed, graph, text->message, text->message_bytes);
    graphs->listed = NULL;
    if (error != ALLFOLD_OK || *graph == NULL)
        return error;
    for (uint32_t i = 0; i < allfold_graph_link_count(*graph); i++) {
        const struct allfold_graph_link link = allfold_graph_link(*graph, i);
        if (link.bandwidth > 0)
            continue;
        snprintf(text->message, text->message_bytes,
                 "topology: the links of class %s have no bandwidth; add a line like "
                 "links: bandwidth=12.5GB/s, latency=200ns",
                 allfold_graph_class_name(*graph, link.link_class));
        allfold_graph_free(*graph);
        *graph = NULL;
        return ALLFOLD_BAD_INPUT;
    }
    return ALLFOLD_OK;
}

void allfold_graph_text_drop(struct allfold_graph_reader *graphs)
{
    allfold_graph_free(graphs->generated);
    allfold_listed_free(graphs->listed);
    *graphs = (struct allfold_graph_reader){.generated = NULL};
}
