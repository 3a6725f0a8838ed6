/* Reads SimGrid's platform files (see simgrid_platform.h). */
#include "simgrid_platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/network/listed_graph.h"
#include "util/number.h"
#include "util/quantity.h"

enum allfold_error allfold_tool_network(const char *name, struct allfold_network *network,
                                        char *message, size_t message_bytes)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".xml") == 0
               ? allfold_tool_platform_read(name, network, message, message_bytes)
               : allfold_network_find(name, network, message, message_bytes);
}

#ifndef ALLFOLD_HAS_EXPAT

enum allfold_error allfold_tool_platform_read(const char *name, struct allfold_network *network,
                                              char *message, size_t message_bytes)
{
    (void)network;
    snprintf(message, message_bytes,
             "%.200s: this command was built without expat, which reads XML; install libexpat1-dev "
             "and build again",
             name);
    return ALLFOLD_BAD_INPUT;
}

#else

#include <expat.h>

enum { MOST_ROUTE = 256, MOST_ID = 100 };

static const struct allfold_unit rates[] = {
    {"TBps", 1e12},     {"GBps", 1e9},      {"MBps", 1e6},      {"kBps", 1e3}, {"Bps", 1},
    {"Tbps", 125e9},    {"Gbps", 125e6},    {"Mbps", 125e3},    {"kbps", 125}, {"bps", 0.125},
    {"GiBps", 1 << 30}, {"MiBps", 1 << 20}, {"KiBps", 1 << 10}, {NULL, 0}};
static const struct allfold_unit times[] = {{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12},
                                            {"s", 1},     {"m", 60},    {NULL, 0}};

/* A link as routes name it: one, or one in each direction. */
struct named_link {
    char id[MOST_ID];
    uint32_t number; /* there; the next one back */
    bool is_split;
};

struct platform {
    XML_Parser parser;
    struct allfold_listed *listed;
    struct allfold_graph *graph;
    char name[40];
    double node_latency_s, node_bandwidth;
    struct named_link *links;
    uint32_t link_count, link_room;
    bool is_full; /* routing="Full": routes are whole */
    char src[MOST_ID], dst[MOST_ID];
    bool is_symmetrical;
    uint32_t there[MOST_ROUTE], back[MOST_ROUTE];
    uint32_t route_length;
    enum allfold_error error;
    char *message;
    size_t message_bytes;
};

static unsigned long long line_of(XML_Parser parser)
{
#ifdef ALLFOLD_EXPAT_HAS_LINE_64 /* later versions of expat deprecate the other */
    return XML_GetCurrentLineNumber64(parser);
#else
    return XML_GetCurrentLineNumber(parser);
#endif
}

static void refuse(struct platform *platform, const char *what, const char *value,
                   const char *expected)
{
    if (platform->error != ALLFOLD_OK)
        return;
    platform->error = ALLFOLD_BAD_INPUT;
    snprintf(platform->message, platform->message_bytes, "line %llu: %s '%.60s': expected %s",
             line_of(platform->parser), what, value, expected);
    XML_StopParser(platform->parser, XML_FALSE);
}

/* Returns an attribute or its default; NULL and an error if it is missing and has no default. */
static const char *attribute(struct platform *platform, const char **attributes, const char *name,
                             const char *preset)
{
    for (int i = 0; attributes[i] != NULL; i += 2)
        if (strcmp(attributes[i], name) == 0)
            return attributes[i + 1];
    if (preset == NULL)
        refuse(platform, "an element without", name, "that attribute");
    return preset;
}

static double quantity(struct platform *platform, const char *text,
                       const struct allfold_unit *units, const char *expected)
{
    double value = 0;
    const char *end;
    if (text == NULL)
        return 0;
    if (!allfold_quantity_read(text, units, &value, &end) || *end != '\0' || value < 0)
        refuse(platform, "value", text, expected);
    return value;
}

static double rate_of(struct platform *platform, const char *text)
{
    return quantity(platform, text, rates, "a rate like 12.5GBps");
}

static double time_of(struct platform *platform, const char *text)
{
    return quantity(platform, text, times, "a time like 200ns");
}

/* Returns how many hosts "0-15,20" are; 0 if the text is wrong. */
static long radical_count(const char *text)
{
    long count = 0;
    for (;; text++) {
        long first, last;
        if (!allfold_whole_read(text, 0, ALLFOLD_MAX_HOSTS, &first, &text))
            return 0;
        last = first;
        if (*text == '-' && !allfold_whole_read(text + 1, first, ALLFOLD_MAX_HOSTS, &last, &text))
            return 0;
        count += last - first + 1;
        if (*text == '\0')
            return count;
        if (*text != ',')
            return 0;
    }
}

/* Reads numbers such as 2;32,32;1,16 by group and position. Returns false if there are other
 * characters. */
static bool read_groups(const char *text, long groups[4][ALLFOLD_MAX_DIMENSIONS], int counts[4])
{
    int group = 0;
    memset(counts, 0, 4 * sizeof *counts);
    for (;; text++) {
        if (group == 4 || counts[group] == ALLFOLD_MAX_DIMENSIONS ||
            !allfold_whole_read(text, 1, ALLFOLD_MAX_HOSTS, &groups[group][counts[group]], &text))
            return false;
        counts[group]++;
        if (*text == '\0')
            return true;
        if (*text != ',' && *text != ';')
            return false;
        group += *text == ';';
    }
}

/* Writes Allfold's name of a cluster's topology. Returns false if its parameters are not as
 * expected. */
static bool words_of(const char *topology, const char *parameters, char *words, size_t bytes)
{
    long n[4][ALLFOLD_MAX_DIMENSIONS];
    int counts[4];
    size_t end = 0;
    if (!read_groups(parameters, n, counts))
        return false;
    if (strcmp(topology, "TORUS") == 0) {
        for (int d = 0; d < counts[0]; d++)
            end += (size_t)snprintf(words + end, bytes - end, "%s%ld", d == 0 ? "torus " : "x",
                                    n[0][d]);
        return counts[1] == 0;
    }
    if (strcmp(topology, "DRAGONFLY") == 0) {
        snprintf(words, bytes, "dragonfly %ld:%ld %ld:%ld %ld:%ld %ld", n[0][0], n[0][1], n[1][0],
                 n[1][1], n[2][0], n[2][1], n[3][0]);
        return counts[0] == 2 && counts[1] == 2 && counts[2] == 2 && counts[3] == 1;
    }
    const long tiers = n[0][0];
    if (counts[0] != 1 || counts[1] != tiers || counts[2] != tiers || counts[3] != tiers ||
        n[2][0] != 1 || n[3][0] != 1)
        return false;
    end = (size_t)snprintf(words, bytes, "fat-tree");
    for (int l = 0; l < tiers; l++) {
        end += (size_t)snprintf(words + end, bytes - end, " %ld", n[1][l]);
        if (l + 1 < tiers)
            end += (size_t)snprintf(words + end, bytes - end, ":%ld*%ld", n[2][l + 1], n[3][l + 1]);
    }
    return true;
}

static void set_name(struct platform *platform, const char *id)
{
    snprintf(platform->name, sizeof platform->name, "%s", id);
    for (char *c = platform->name; *c != '\0'; c++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", *c) == NULL)
            *c = '_';
}

static void read_cluster(struct platform *platform, const char **attributes)
{
    char words[400], wrong[300] = "";
    const char *radical = attribute(platform, attributes, "radical", NULL);
    const char *id = attribute(platform, attributes, "id", NULL);
    const char *bandwidth = attribute(platform, attributes, "bw", NULL);
    const char *latency = attribute(platform, attributes, "lat", NULL);
    const char *topology = attribute(platform, attributes, "topology", "FLAT");
    const char *parameters = attribute(platform, attributes, "topo_parameters", "");
    const char *policy = attribute(platform, attributes, "sharing_policy", "SPLITDUPLEX");
    if (platform->error != ALLFOLD_OK)
        return;
    if (platform->graph != NULL || platform->listed != NULL)
        refuse(platform, "cluster", id, "one cluster, or one zone, alone");
    if (attribute(platform, attributes, "bb_bw", "")[0] != '\0')
        refuse(platform, "cluster with a backbone", id, "none; describe it by links and routes");
    if (strcmp(policy, "SPLITDUPLEX") != 0)
        refuse(platform, "sharing_policy", policy, "SPLITDUPLEX");
    const long hosts = radical_count(radical);
    if (hosts == 0)
        refuse(platform, "radical", radical, "numbers like 0-1023");
    const bool is_flat = strcmp(topology, "FLAT") == 0;
    if (!is_flat && strcmp(topology, "TORUS") != 0 && strcmp(topology, "FAT_TREE") != 0 &&
        strcmp(topology, "DRAGONFLY") != 0)
        refuse(platform, "topology", topology, "FLAT, TORUS, FAT_TREE or DRAGONFLY");
    snprintf(words, sizeof words, "switch %ld", hosts);
    if (platform->error == ALLFOLD_OK && !is_flat &&
        !words_of(topology, parameters, words, sizeof words))
        refuse(platform, "topo_parameters", parameters,
               "16,16 or 2;32,32;1,16;1,1 (a host has one link) or 4,4;4,3;8,2;8");
    if (platform->error != ALLFOLD_OK)
        return;
    if (allfold_graph_generate(words, &platform->graph, wrong, sizeof wrong) != ALLFOLD_OK)
        refuse(platform, "cluster", words, wrong);
    else if (allfold_graph_host_count(platform->graph) != (uint32_t)hosts)
        refuse(platform, "radical", radical, "as many hosts as its topology has");
    if (platform->error != ALLFOLD_OK)
        return;
    allfold_graph_set_links(platform->graph, -1, rate_of(platform, bandwidth),
                            time_of(platform, latency));
    platform->node_latency_s =
        time_of(platform, attribute(platform, attributes, "loopback_lat", "100ns"));
    platform->node_bandwidth =
        rate_of(platform, attribute(platform, attributes, "loopback_bw", "12.5GBps"));
    set_name(platform, id);
}

static void lack_memory(struct platform *platform)
{
    if (platform->error != ALLFOLD_OK)
        return;
    platform->error = ALLFOLD_NO_MEMORY;
    snprintf(platform->message, platform->message_bytes, "no memory");
    XML_StopParser(platform->parser, XML_FALSE);
}

/* Makes the listing if there is none. */
static bool is_listing(struct platform *platform)
{
    if (platform->graph != NULL)
        refuse(platform, "element beside the cluster", platform->name, "the cluster alone");
    else if (platform->listed == NULL && (platform->listed = allfold_listed_create()) == NULL)
        lack_memory(platform);
    return platform->error == ALLFOLD_OK;
}

static void read_vertex(struct platform *platform, const char **attributes, bool is_host)
{
    const char *id = attribute(platform, attributes, "id", NULL);
    if (!is_listing(platform))
        return;
    if (allfold_listed_vertex(platform->listed, id, strlen(id), is_host) == ALLFOLD_NO_VERTEX)
        lack_memory(platform);
}

static void read_link(struct platform *platform, const char **attributes)
{
    struct allfold_graph_link link = {.from = ALLFOLD_NO_VERTEX, .to = ALLFOLD_NO_VERTEX};
    const char *id = attribute(platform, attributes, "id", NULL);
    const char *policy = attribute(platform, attributes, "sharing_policy", "SHARED");
    link.bandwidth = rate_of(platform, attribute(platform, attributes, "bandwidth", NULL));
    link.latency_s = time_of(platform, attribute(platform, attributes, "latency", "0s"));
    if (!is_listing(platform))
        return;
    struct named_link named = {.is_split = strcmp(policy, "SPLITDUPLEX") == 0};
    if (!named.is_split && strcmp(policy, "SHARED") != 0)
        refuse(platform, "sharing_policy", policy, "SHARED or SPLITDUPLEX");
    if (link.bandwidth <= 0 || strlen(id) >= MOST_ID)
        refuse(platform, "link", id, "a bandwidth, and an id of up to 99 characters");
    if (platform->error != ALLFOLD_OK)
        return;
    snprintf(named.id, sizeof named.id, "%s", id);
    link.both_ways = !named.is_split;
    link.link_class = allfold_listed_class(platform->listed, "link", 4);
    uint32_t second;
    struct named_link *wide = platform->links;
    if (platform->link_count == platform->link_room) {
        platform->link_room = 2 * platform->link_room + 64;
        wide = realloc(platform->links, platform->link_room * sizeof *wide);
    }
    if (wide != NULL)
        platform->links = wide;
    if (wide == NULL || !allfold_listed_add_link(platform->listed, &link, &named.number) ||
        (named.is_split && !allfold_listed_add_link(platform->listed, &link, &second)))
        lack_memory(platform);
    else
        platform->links[platform->link_count++] = named;
}

static void begin_route(struct platform *platform, const char **attributes)
{
    const char *src = attribute(platform, attributes, "src", NULL);
    const char *dst = attribute(platform, attributes, "dst", NULL);
    const char *symmetrical = attribute(platform, attributes, "symmetrical", "YES");
    if (!is_listing(platform))
        return;
    snprintf(platform->src, sizeof platform->src, "%s", src);
    snprintf(platform->dst, sizeof platform->dst, "%s", dst);
    platform->is_symmetrical = strcmp(symmetrical, "NO") != 0 && strcmp(symmetrical, "no") != 0;
    platform->route_length = 0;
}

/* A link of the route, there and back. */
static void pass_link(struct platform *platform, const char **attributes)
{
    const char *id = attribute(platform, attributes, "id", NULL);
    const char *direction = attribute(platform, attributes, "direction", "UP");
    uint32_t i = 0;
    if (platform->error != ALLFOLD_OK)
        return;
    while (i < platform->link_count && strcmp(platform->links[i].id, id) != 0)
        i++;
    if (i == platform->link_count || platform->route_length == MOST_ROUTE) {
        refuse(platform, "link_ctn", id, "a link from before, 256 of a route at most");
        return;
    }
    const struct named_link *link = &platform->links[i];
    const bool is_down = link->is_split && strcmp(direction, "DOWN") == 0;
    platform->there[platform->route_length] = link->number + is_down;
    platform->back[platform->route_length++] = link->number + (link->is_split && !is_down);
}

static void end_route(struct platform *platform)
{
    uint32_t from, to;
    uint32_t *back = platform->back;
    const uint32_t length = platform->route_length;
    if (!allfold_listed_find(platform->listed, platform->src, strlen(platform->src), &from) ||
        !allfold_listed_find(platform->listed, platform->dst, strlen(platform->dst), &to) ||
        from == to || length == 0) {
        refuse(platform, "route to", platform->dst,
               "two different hosts or routers from before, and a link");
        return;
    }
    for (uint32_t i = 0; i < length / 2; i++) {
        const uint32_t kept = back[i];
        back[i] = back[length - 1 - i];
        back[length - 1 - i] = kept;
    }
    if (!allfold_listed_add_edge(platform->listed, from, to, platform->there, length) ||
        (platform->is_symmetrical &&
         !allfold_listed_add_edge(platform->listed, to, from, back, length)))
        lack_memory(platform);
}

static void begin_zone(struct platform *platform, const char **attributes)
{
    const char *routing = attribute(platform, attributes, "routing", NULL);
    if (platform->error != ALLFOLD_OK)
        return;
    platform->is_full = strcmp(routing, "Full") == 0;
    if (!platform->is_full && strcmp(routing, "Floyd") != 0 && strcmp(routing, "Dijkstra") != 0 &&
        strcmp(routing, "DijkstraCache") != 0)
        refuse(platform, "routing", routing, "Full, Floyd or Dijkstra");
    set_name(platform, attribute(platform, attributes, "id", "platform"));
}

static void XMLCALL begin_element(void *of, const char *name, const char **attributes)
{
    struct platform *platform = of;
    if (strcmp(name, "cluster") == 0)
        read_cluster(platform, attributes);
    else if (strcmp(name, "host") == 0 || strcmp(name, "router") == 0)
        read_vertex(platform, attributes, name[0] == 'h');
    else if (strcmp(name, "link") == 0)
        read_link(platform, attributes);
    else if (strcmp(name, "route") == 0)
        begin_route(platform, attributes);
    else if (strcmp(name, "link_ctn") == 0)
        pass_link(platform, attributes);
    else if (strcmp(name, "zone") == 0 || strcmp(name, "AS") == 0)
        begin_zone(platform, attributes);
    else if (strcmp(name, "platform") != 0 && strcmp(name, "prop") != 0 &&
             strcmp(name, "config") != 0)
        refuse(platform, "element", name, "cluster, zone, host, router, link, route or link_ctn");
}

static void XMLCALL end_element(void *of, const char *name)
{
    struct platform *platform = of;
    if (platform->error == ALLFOLD_OK && strcmp(name, "route") == 0)
        end_route(platform);
}

static void parse(struct platform *platform, FILE *stream)
{
    char text[1 << 14];
    for (bool is_last = false; !is_last && platform->error == ALLFOLD_OK;) {
        const size_t length = fread(text, 1, sizeof text, stream);
        is_last = length < sizeof text;
        if (ferror(stream)) {
            platform->error = ALLFOLD_BAD_INPUT;
            snprintf(platform->message, platform->message_bytes, "it cannot be read");
        } else if (XML_Parse(platform->parser, text, (int)length, is_last) != XML_STATUS_OK &&
                   platform->error == ALLFOLD_OK) {
            platform->error = ALLFOLD_BAD_INPUT;
            snprintf(platform->message, platform->message_bytes, "line %llu: %s",
                     line_of(platform->parser),
                     XML_ErrorString(XML_GetErrorCode(platform->parser)));
        }
    }
}

/* What a message costs beside the links, as text; then with the graph. */
static void finish(struct platform *platform, struct allfold_network *network)
{
    char text[600], latency[64], bandwidth[64];
    if (platform->error == ALLFOLD_OK && platform->listed != NULL) {
        if (platform->is_full)
            allfold_listed_forbid_ways(platform->listed);
        platform->error = allfold_graph_list(platform->listed, &platform->graph, platform->message,
                                             platform->message_bytes);
        platform->listed = NULL;
    }
    if (platform->error == ALLFOLD_OK && platform->graph == NULL) {
        platform->error = ALLFOLD_BAD_INPUT;
        snprintf(platform->message, platform->message_bytes, "there is no cluster and no host");
    }
    if (platform->error != ALLFOLD_OK)
        return;
    allfold_quantity_write(platform->node_latency_s + 0.3e-6, allfold_time_units, latency,
                           sizeof latency);
    allfold_quantity_write(platform->node_bandwidth, allfold_rate_units, bandwidth,
                           sizeof bandwidth);
    snprintf(text, sizeof text,
             "name = %s\n"
             "node 0-64K: latency=%s, overhead=0.15us, bandwidth=%s, offloaded=1\n"
             "node 64K-: latency=%s, overhead=0.15us, bandwidth=%s, waits=1, offloaded=1\n"
             "network 0-64K: latency=0.3us, overhead=0.15us\n"
             "network 64K-: latency=0.3us, overhead=0.15us, waits=1\n",
             platform->name, latency, bandwidth, latency, bandwidth);
    platform->error =
        allfold_network_read(text, network, platform->message, platform->message_bytes);
    if (platform->error != ALLFOLD_OK)
        return;
    network->graph = platform->graph;
    platform->graph = NULL;
}

enum allfold_error allfold_tool_platform_read(const char *name, struct allfold_network *network,
                                              char *message, size_t message_bytes)
{
    char words[400] = "no memory";
    FILE *stream = fopen(name, "r");
    struct platform *platform = calloc(1, sizeof *platform);
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    if (stream == NULL) {
        snprintf(words, sizeof words, "it cannot be read");
        error = ALLFOLD_BAD_INPUT;
    } else if (platform != NULL && (platform->parser = XML_ParserCreate(NULL)) != NULL) {
        platform->message = words;
        platform->message_bytes = sizeof words;
        platform->node_latency_s = 100e-9;
        platform->node_bandwidth = 12.5e9;
        set_name(platform, "platform");
        XML_SetUserData(platform->parser, platform);
        XML_SetElementHandler(platform->parser, begin_element, end_element);
        parse(platform, stream);
        finish(platform, network);
        error = platform->error;
        XML_ParserFree(platform->parser);
        allfold_graph_free(platform->graph);
        allfold_listed_free(platform->listed);
        free(platform->links);
    }
    if (error != ALLFOLD_OK)
        snprintf(message, message_bytes, "%.200s: %s", name, words);
    free(platform);
    if (stream != NULL)
        fclose(stream);
    return error;
}

#endif
