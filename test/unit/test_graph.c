/* Graphs: routes of all pairs, link by link; what is said of wrong texts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lab/network/network.h"
#include "util/memory.h"
#include "support.h"
#include "support_simulate.h"

enum { MOST_ROUTE = 64 };

static const char *const generated[] = {
    "switch 5",
    "torus 7",
    "torus 16x16",
    "torus 4x3x5",
    "torus 2x2x2x3",
    "fat-tree 16:6 8",
    "fat-tree 4:2 3:2 5",
    "fat-tree 4:2*3 3:3 5",
    "fat-tree 32:16 8",
    "fat-tree 6",
    "dragonfly 9 4 2",
    "dragonfly 4:4 4:3 8:2 2",
    "dragonfly 1 3 2",
    "dragonfly 12 2 1",
    "dragonfly 3 2 4 3",
    "torus 1024x1024",
    "fat-tree 64:32 32:32 512",
};

static struct allfold_graph *graph_of(const char *words)
{
    struct allfold_graph *graph;
    char message[300] = "";
    if (allfold_graph_generate(words, &graph, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s", message);
    allfold_graph_set_links(graph, -1, 1e9, 1e-7);
    return graph;
}

/* A text's graph of these lines. */
static struct allfold_network listed_of(const char *lines)
{
    char text[4000];
    snprintf(text, sizeof text, "network: latency=1us\n%s", lines);
    return network_of(text);
}

/* Link by link from host to host, no link twice; its length. */
static int check_route(const struct allfold_graph *graph, uint32_t from, uint32_t to)
{
    uint32_t stack[MOST_ROUTE], at = from;
    const int most = allfold_graph_longest_route(graph);
    uint32_t *links = most <= MOST_ROUTE ? stack : malloc((size_t)most * sizeof *links);
    const int length = allfold_graph_route(graph, from, to, links, most);
    assert_true(length <= most && (length == 0) == (from == to));
    for (int i = 0; i < length; i++) {
        assert_true(links[i] < allfold_graph_link_count(graph));
        const struct allfold_graph_link link = allfold_graph_link(graph, links[i]);
        assert_true(link.from == at || (link.both_ways && link.to == at));
        at = link.from == at ? link.to : link.from;
        for (int k = 0; k < i && length < MOST_ROUTE; k++)
            assert_int_not_equal(links[i], links[k]);
    }
    assert_int_equal(at, to);
    if (links != stack)
        free(links);
    return length;
}

static void routes_lead_from_host_to_host(void **context)
{
    (void)context;
    for (size_t i = 0; i < LENGTH(generated); i++) {
        struct allfold_graph *graph = graph_of(generated[i]);
        const uint32_t hosts = allfold_graph_host_count(graph);
        uint64_t seed = i + 1;
        for (uint32_t a = 0; hosts <= 300 && a < hosts; a++)
            for (uint32_t b = 0; b < hosts; b++)
                check_route(graph, a, b);
        for (int k = 0; hosts > 300 && k < 300; k++)
            check_route(graph, random_below(&seed, hosts), random_below(&seed, hosts));
        allfold_graph_free(graph);
    }
}

/* Every link is between two vertices that exist, has its class's values, and a link back. */
static void links_come_in_pairs(void **context)
{
    (void)context;
    for (size_t i = 0; i < LENGTH(generated); i++) {
        struct allfold_graph *graph = graph_of(generated[i]);
        const uint32_t count = allfold_graph_link_count(graph);
        const uint32_t vertices = allfold_graph_vertex_count(graph);
        uint64_t there = 0, back = 0;
        for (uint32_t k = 0; k < count && count < 1 << 16; k++) {
            const struct allfold_graph_link link = allfold_graph_link(graph, k);
            assert_true(link.from < vertices && link.to < vertices && link.from != link.to);
            assert_true(link.bandwidth >= 1e9 && link.latency_s > 0);
            there += ((uint64_t)link.from << 20 ^ link.to) * 0x9e3779b97f4a7c15u >> 20;
            back += ((uint64_t)link.to << 20 ^ link.from) * 0x9e3779b97f4a7c15u >> 20;
        }
        assert_true(there == back);
        allfold_graph_free(graph);
    }
}

static void lengths_are_those_of_the_topology(void **context)
{
    struct allfold_graph *graph = graph_of("torus 16x16");
    (void)context;
    for (uint32_t a = 0; a < 256; a++)
        for (uint32_t b = 0; b < 256; b++) {
            const int x = abs((int)(a % 16) - (int)(b % 16)),
                      y = abs((int)(a / 16) - (int)(b / 16));
            assert_int_equal(check_route(graph, a, b), (x < 8 ? x : 16 - x) + (y < 8 ? y : 16 - y));
        }
    allfold_graph_free(graph);
    graph = graph_of("fat-tree 4:2 3:2 5");
    assert_int_equal(allfold_graph_host_count(graph), 60);
    assert_int_equal(allfold_graph_vertex_count(graph), 60 + 15 + 5 * 2 + 4);
    for (uint32_t a = 0; a < 60; a++)
        for (uint32_t b = 0; b < 60; b++)
            assert_int_equal(check_route(graph, a, b), a == b             ? 0
                                                       : a / 4 == b / 4   ? 2
                                                       : a / 12 == b / 12 ? 4
                                                                          : 6);
    allfold_graph_free(graph);
    graph = graph_of("dragonfly 4:4 4:3 8:2 8");
    assert_int_equal(allfold_graph_host_count(graph), 1024);
    assert_int_equal(check_route(graph, 0, 1), 2);
    assert_int_equal(check_route(graph, 0, 8), 3);
    assert_int_equal(check_route(graph, 0, 64 + 8), 4);
    assert_int_equal(check_route(graph, 0, 1023), 6);
    assert_true(allfold_graph_link(graph, allfold_graph_link_count(graph) - 1).bandwidth >= 3.9e9);
    allfold_graph_free(graph);
}

/* When each host sends to each other one, links of a class carry alike: D-mod-k and rings. */
static void all_to_all_loads_links_evenly(void **context)
{
    static const struct {
        const char *words;
        int link_class;
        uint32_t load; /* of each link of the class; both ways together in rings */
    } even[] = {
        {"fat-tree 16:8 8", 0, 127},
        {"fat-tree 16:8 8", 1, 16 * 112 / 8},
        {"fat-tree 4:2 4:2 4", 2, 4 * 4 * 48 / 4},
        {"switch 9", 0, 8},
        {"torus 5x5", 0, 5 * (1 + 2)},
        {"torus 5x5", 1, 5 * (1 + 2)},
        {"dragonfly 5 4 1", 3, 16},
    };
    (void)context;
    for (size_t i = 0; i < LENGTH(even); i++) {
        struct allfold_graph *graph = graph_of(even[i].words);
        const uint32_t hosts = allfold_graph_host_count(graph);
        uint32_t links[MOST_ROUTE], *load = calloc(allfold_graph_link_count(graph), sizeof *load);
        for (uint32_t a = 0; a < hosts; a++)
            for (uint32_t b = 0; b < hosts; b++)
                for (int k = allfold_graph_route(graph, a, b, links, MOST_ROUTE); k > 0; k--)
                    load[links[k - 1]]++;
        for (uint32_t k = 0; k < allfold_graph_link_count(graph); k++)
            if (allfold_graph_link(graph, k).link_class == even[i].link_class &&
                load[k] != even[i].load)
                fail_msg("%s: link %u carries %u, not %u", even[i].words, k, load[k], even[i].load);
        free(load);
        allfold_graph_free(graph);
    }
}

/* Two leaves of two hosts, two spines; and a ring of hosts. */
static void listed_graphs_take_shortest_ways(void **context)
{
    struct allfold_network n = listed_of(
        "host a[0-1] b[0-1]\n"
        "link a[0-1] leafa: bandwidth=1GB/s, latency=100ns, class=card\n"
        "link b[0-1] leafb: bandwidth=1GB/s, latency=100ns, class=card\n"
        "link spine[0-1] leafa: bandwidth=2GB/s, latency=200ns, class=up\n"
        "link leafb spine[0-1]: bandwidth=2GB/s, latency=200ns, class=up, shared=1 # one wire\n");
    (void)context;
    assert_int_equal(allfold_graph_host_count(n.graph), 4);
    assert_int_equal(allfold_graph_vertex_count(n.graph), 8);
    assert_int_equal(allfold_graph_link_count(n.graph), 2 * 6 + 2);
    assert_int_equal(allfold_graph_class_count(n.graph), 2);
    assert_string_equal(allfold_graph_class_name(n.graph, 1), "up");
    uint32_t first[4], used[2] = {0, 0};
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = 0; b < 4; b++) {
            char name[40];
            const int length = check_route(n.graph, a, b);
            assert_int_equal(length, a == b ? 0 : a / 2 == b / 2 ? 2 : 4);
            if (length < 4)
                continue;
            allfold_graph_route(n.graph, a, b, first, 4);
            const struct allfold_graph_link up = allfold_graph_link(n.graph, first[1]);
            const uint32_t spine = a < 2 ? up.to : up.from == 5 ? up.to : up.from;
            allfold_graph_vertex_name(n.graph, spine, name, sizeof name);
            assert_memory_equal(name, "spine", 5);
            used[name[5] - '0']++;
        }
    assert_true(used[0] > 0 && used[1] > 0 && used[0] + used[1] == 8);
    allfold_network_clear(&n);
    n = listed_of(
        "host h[0-4]\nlink h[0-3] h[1-4]: bandwidth=1GB/s\nlink h4 h0: bandwidth=1GB/s\n");
    for (uint32_t a = 0; a < 5; a++)
        for (uint32_t b = 0; b < 5; b++) {
            const uint32_t up = (b + 5 - a) % 5;
            assert_int_equal(check_route(n.graph, a, b), up < 3 ? up : 5 - up);
        }
    allfold_network_clear(&n);
}

static void texts_read_back_with_their_graph(void **context)
{
    static const char *const texts[] = {
        "topology = torus 4x4\nlinks: bandwidth=1GB/s\nlinks ring y: bandwidth=2GB/s,latency=3ns\n",
        "topology = fat-tree 4:2*2 8:4 2\nlinks: bandwidth=12.5GB/s, latency=200ns\n",
        "topology = dragonfly 4:4 4:3 8:2 8\nlinks: bandwidth=12.5GB/s, latency=200ns\n",
        "topology = dragonfly 9 4 2\nlinks: bandwidth=12.5GB/s, latency=200ns\n",
        "topology = switch 9\nlinks card: bandwidth=12.5GB/s, latency=200ns\n",
        "host x y[1-2]\nlink x s: bandwidth=1GB/s, latency=1ns\nlink s y[1-2]: bandwidth=2GB/s, "
        "shared=1, class=thin\n",
    };
    (void)context;
    for (size_t i = 0; i < LENGTH(texts); i++) {
        struct allfold_network n = listed_of(texts[i]);
        char *text = NULL, *again = NULL;
        size_t length;
        FILE *stream = open_memstream(&text, &length);
        allfold_network_write(&n, stream);
        fclose(stream);
        struct allfold_network back = network_of(text);
        stream = open_memstream(&again, &length);
        allfold_network_write(&back, stream);
        fclose(stream);
        assert_string_equal(text, again);
        assert_int_equal(allfold_graph_link_count(n.graph), allfold_graph_link_count(back.graph));
        for (uint32_t k = 0; k < allfold_graph_link_count(n.graph); k++) {
            const struct allfold_graph_link a = allfold_graph_link(n.graph, k);
            const struct allfold_graph_link b = allfold_graph_link(back.graph, k);
            assert_true(a.from == b.from && a.to == b.to && a.link_class == b.link_class);
            assert_true(a.both_ways == b.both_ways);
            assert_memory_equal(&a.bandwidth, &b.bandwidth, sizeof a.bandwidth);
            assert_memory_equal(&a.latency_s, &b.latency_s, sizeof a.latency_s);
        }
        free(text);
        free(again);
        allfold_network_clear(&n);
        allfold_network_clear(&back);
    }
}

static void wrong_graphs_are_refused_clearly(void **context)
{
    static const char *const wrong[][2] = {
        {"topology = ring 8", "line 2: topology: 'ring 8' is no topology; expected switch, torus"},
        {"topology = torus 16*16",
         "line 2: topology: 'torus 16*16': expected numbers of 1 or more"},
        {"topology = torus 16x1", "expected sides of 2 or more, like torus 16x16"},
        {"topology = torus", "expected numbers of 1 or more, like torus"},
        {"topology = torus 4096x4097", "up to 16777216 hosts"},
        {"topology = torus 2x2x2x2x2x2x2x2x2", "expected numbers"},
        {"topology = fat-tree 16:6", "a last tier with a number of switches below alone"},
        {"topology = fat-tree 16 6", "D:U for all tiers but the last"},
        {"topology = dragonfly 9 4", "groups, routers, hosts"},
        {"topology = switch 5 5", "one number of hosts"},
        {"topology = switch 4", "the links of class card have no bandwidth"},
        {"topology = switch 4\ntopology = switch 4", "line 3: this setting was given before"},
        {"links: bandwidth=1GB/s",
         "line 2: links: a line like topology = torus 16x16 comes before"},
        {"topology = torus 4x4\nlinks ring z: bandwidth=1GB/s",
         "line 3: links: 'ring' is not one of the topology's classes and a colon: ring x, ring y"},
        {"topology = torus 4x4\nlinks: latency=1us", "line 3: a link needs a bandwidth"},
        {"topology = torus 4x4\nlinks: bandwidth=1GB/s, class=a",
         "'class' is not one of: bandwidth"},
        {"topology = torus 4x4\nhost a", "line 3: the topology line has made all hosts"},
        {"host a\ntopology = torus 4x4", "line 3: host and link lines make a topology already"},
        {"host a b", "there is no way from host a to host b"},
        {"link a b: bandwidth=1GB/s", "there are no hosts"},
        {"host a a", "line 2: host: a name that was there before"},
        {"host n[3-1]", "line 2: host: 'n[3-1]' is not a name or a range"},
        {"host a b\nlink a b bandwidth=1GB/s", "line 3: link: 'bandwidth' is not a colon"},
        {"host a b\nlink a a: bandwidth=1GB/s", "line 3: a link from a vertex to itself"},
        {"host a[0-2]\nlink a[0-2] s[0-1]: bandwidth=1GB/s", "two ranges of names differ"},
        {"host a\nlink a b: bandwidth=0", "line 3: bandwidth: '0' is not a rate like"},
        {"host a\nlink a b: bandwidth=1GB/s, shared=2",
         "line 3: shared: '2' is not a whole number"},
        {"topology = switch 4\nlinks: bandwidth=1GB/s\ncards = 2", "cards is for networks without"},
        {"topology = switch 4\nlinks: bandwidth=1GB/s\nnetwork 1-: latency=1us", "line 4"},
    };
    (void)context;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        struct allfold_network network;
        char text[1000], message[500] = "";
        snprintf(text, sizeof text, "network: latency=1us\n%s", wrong[i][0]);
        assert_int_equal(allfold_network_read(text, &network, message, sizeof message),
                         ALLFOLD_BAD_INPUT);
        if (strstr(message, wrong[i][1]) == NULL)
            fail_msg("'%s' gives '%s', not '%s'", wrong[i][0], message, wrong[i][1]);
    }
}

/* Each allocation fails once: an error, nothing lost (the leak checker sees). */
static void no_memory_is_said(void **context)
{
    static const char text[] =
        "network: latency=1us\nhost a[0-9]\nlink a[0-9] s: bandwidth=1GB/s\n";
    (void)context;
    for (unsigned long n = 1;; n++) {
        struct allfold_network network;
        char message[300] = "";
        allfold_fail_allocation(n);
        const enum allfold_error error =
            allfold_network_read(text, &network, message, sizeof message);
        allfold_fail_allocation(0);
        if (error == ALLFOLD_OK) {
            assert_true(n > 10);
            allfold_network_clear(&network);
            return;
        }
        assert_int_equal(error, ALLFOLD_NO_MEMORY);
        assert_true(strstr(message, "no memory") != NULL);
    }
}

static void topologies_are_names_of_networks(void **context)
{
    struct allfold_network network;
    char message[500] = "";
    (void)context;
    assert_int_equal(allfold_network_find("torus 4x4", &network, message, sizeof message),
                     ALLFOLD_OK);
    assert_int_equal(allfold_graph_host_count(network.graph), 16);
    assert_string_equal(network.name, "torus");
    allfold_network_clear(&network);
    assert_int_equal(allfold_network_find("torus 4y4", &network, message, sizeof message),
                     ALLFOLD_BAD_INPUT);
    assert_non_null(strstr(message, "'torus 4y4': expected"));
}

/* The class of the farthest link on the way. */
static int farthest(const struct allfold_graph *graph, uint32_t a, uint32_t b)
{
    uint32_t links[MOST_ROUTE];
    const int length = allfold_graph_route(graph, a, b, links, MOST_ROUTE);
    int class = -1;
    for (int i = 0; i < length; i++) {
        const struct allfold_graph_link link = allfold_graph_link(graph, links[i]);
        class = link.link_class > class ? link.link_class : class;
    }
    return class;
}

/* Classes are numbered from the hosts outwards: hosts of a group have no links of farther classes
 * between them than its level, and others have. */
static void groups_are_what_near_links_join(void **context)
{
    (void)context;
    for (size_t i = 0; i < LENGTH(generated); i++) {
        struct allfold_graph *graph = graph_of(generated[i]);
        const uint32_t hosts = allfold_graph_host_count(graph);
        const int levels = allfold_graph_group_levels(graph);
        assert_int_equal(levels, allfold_graph_class_count(graph) - 1);
        for (uint32_t a = 0; hosts <= 300 && a < hosts; a++)
            for (uint32_t b = 0; b < hosts; b++)
                for (int level = 0; level < levels; level++)
                    assert_int_equal(allfold_graph_group_of(graph, level, a) ==
                                         allfold_graph_group_of(graph, level, b),
                                     farthest(graph, a, b) <= level);
        allfold_graph_free(graph);
    }
}

static void listed_hosts_are_grouped_by_their_switch(void **context)
{
    (void)context;
    struct allfold_network network =
        listed_of("host h[0-5]\nlink h[0-2] left: bandwidth=1GB/s, latency=1us\n"
                  "link h[3-4] right: bandwidth=1GB/s, latency=1us\n"
                  "link left right: bandwidth=1GB/s, latency=1us\n"
                  "link h5 h0: bandwidth=1GB/s, latency=1us\n");
    const struct allfold_graph *graph = network.graph;
    assert_int_equal(allfold_graph_group_levels(graph), 1);
    for (uint32_t a = 0; a < 6; a++)
        for (uint32_t b = 0; b < 6; b++)
            assert_int_equal(allfold_graph_group_of(graph, 0, a) ==
                                 allfold_graph_group_of(graph, 0, b),
                             a == b || (a < 5 && b < 5 && a / 3 == b / 3));
    allfold_network_clear(&network);
}

/* In cards of a host. 4 of 16, of which traffic to the own group takes none. Two thin tiers, of
 * which each counts what goes no further. A ring of 8, where a byte takes 8/7 of 2 links. A cable
 * from each group to each other one; a dragonfly's one chassis is its group. */
static void uplinks_are_those_of_the_topology(void **context)
{
    (void)context;
    static const struct {
        const char *words;
        double cards[3], pair_cards[3];
    } known[] = {
        {"fat-tree 16:4 4", {4, 0}, {4, 0}},       {"fat-tree 16:16 4", {16, 0}, {16, 0}},
        {"fat-tree 8:2 4:2 4", {2, 4}, {2, 4}},    {"torus 8x8", {7, 0}, {7, 0}},
        {"dragonfly 4 4 2", {2, 0, 3}, {1, 0, 1}}, {"dragonfly 9 4 2", {2, 0, 8}, {1, 0, 1}}};
    for (size_t i = 0; i < LENGTH(known); i++) {
        struct allfold_graph *graph = graph_of(known[i].words);
        allfold_graph_set_links(graph, -1, 1e9, 1e-6);
        for (int level = 0; level < allfold_graph_group_levels(graph); level++) {
            const struct allfold_graph_uplinks found = allfold_graph_uplinks_of(graph, level);
            if (fabs(found.cards - known[i].cards[level]) > 0.1 * known[i].cards[level] ||
                (found.farther_s > 0) != (found.cards > 0))
                fail_msg("%s, level %d: %g cards, %g s", known[i].words, level, found.cards,
                         found.farther_s);
            const double pair_cards = known[i].pair_cards[level];
            if (fabs(found.pair_cards - pair_cards) > 0.1 * pair_cards)
                fail_msg("%s, level %d: %g cards to another group", known[i].words, level,
                         found.pair_cards);
        }
        allfold_graph_free(graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routes_lead_from_host_to_host),
        cmocka_unit_test(links_come_in_pairs),
        cmocka_unit_test(lengths_are_those_of_the_topology),
        cmocka_unit_test(all_to_all_loads_links_evenly),
        cmocka_unit_test(listed_graphs_take_shortest_ways),
        cmocka_unit_test(texts_read_back_with_their_graph),
        cmocka_unit_test(wrong_graphs_are_refused_clearly),
        cmocka_unit_test(no_memory_is_said),
        cmocka_unit_test(topologies_are_names_of_networks),
        cmocka_unit_test(groups_are_what_near_links_join),
        cmocka_unit_test(listed_hosts_are_grouped_by_their_switch),
        cmocka_unit_test(uplinks_are_those_of_the_topology),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
