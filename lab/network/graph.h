/* Graphs: what lies between the cards of a network's nodes.
 *
 * A graph has hosts (vertices 0 to hosts - 1, one for each node of a job), switches (the vertices
 * behind them) and links. A cable is two links, one each way. Links of a kind make a class, such as
 * "card" or "global", which has a name for people.
 *
 * A generated graph computes its routes by arithmetic and keeps no tables:
 *
 *     switch 64                  64 hosts on one switch
 *     torus 16x16                any number of dimensions; hosts are the vertices
 *     fat-tree 16:6 32           32 leaves of 16 hosts, 6 uplinks each, one to each of 6 spines
 *     fat-tree 16:8 8:4 8        three tiers; D:U says D below and U above, the last one D
 *     dragonfly 9 4 2            9 groups of 4 routers of 2 hosts
 *     dragonfly 4:4 4:3 8:2 8    groups, chassis, routers, hosts; N:L has L cables side by side
 *
 * Routes never depend on load:
 *
 * - torus: dimension by dimension, the shorter way around; half way around goes up.
 * - fat tree: up to the least common tier, the uplink by the destination (D-mod-k), then down.
 * - dragonfly: minimal; the cable to group t is at router t mod R of the R routers of a group.
 * - listed graphs (listed_graph.h): shortest paths; among equal ones a hash of the pair decides.
 *
 * Invariant: a route's links follow each other from host to host, each at most once. */
#ifndef ALLFOLD_LAB_NETWORK_GRAPH_H
#define ALLFOLD_LAB_NETWORK_GRAPH_H

#include "lab/network/graph_link.h"

struct allfold_graph;
struct allfold_listed;

/* Makes a graph from words like "torus 16x16". ALLFOLD_BAD_INPUT with what would be right.
 * Its links have a bandwidth of 0 until allfold_graph_set_links says another one. */
enum allfold_error allfold_graph_generate(const char *words, struct allfold_graph **graph,
                                          char *message, size_t message_bytes);

/* Makes the graph of a listing (listed_graph.h), which it then owns; also where that fails. */
enum allfold_error allfold_graph_list(struct allfold_listed *listed, struct allfold_graph **graph,
                                      char *message, size_t message_bytes);

/* Of a generated graph: sets one cable of each class (link_class = -1), or of the class of
 * that number. A bundle of cables has that many
 * times the bandwidth. */
void allfold_graph_set_links(struct allfold_graph *graph, int link_class, double bandwidth,
                             double latency_s);

/* Frees a graph; NULL is allowed. */
void allfold_graph_free(struct allfold_graph *graph);

uint32_t allfold_graph_host_count(const struct allfold_graph *graph);
uint32_t allfold_graph_vertex_count(const struct allfold_graph *graph);
uint32_t allfold_graph_link_count(const struct allfold_graph *graph);

struct allfold_graph_link allfold_graph_link(const struct allfold_graph *graph, uint32_t number);

/* Classes are numbered from the hosts outwards. */
int allfold_graph_class_count(const struct allfold_graph *graph);
const char *allfold_graph_class_name(const struct allfold_graph *graph, int link_class);

/* The links on the way from a host to another, in order: how many there are, of which the first
 * `most` are written. None from a host to itself. */
int allfold_graph_route(const struct allfold_graph *graph, uint32_t from, uint32_t to,
                        uint32_t *links, int most);

/* Hosts that are near each other, level by level. In a tree they are below a leaf, a switch of the
 * next tier and so on. In a dragonfly they are on a router, in a chassis, in a group. In a torus
 * they are in a ring, a plane, ... In a listed graph there is one level: hosts that are linked to
 * the same switch. 0: the graph has no groups. */
int allfold_graph_group_levels(const struct allfold_graph *graph);

/* The group of a host on a level, of which 0 is the nearest: any number that the group's hosts
 * share and no others have. */
uint32_t allfold_graph_group_of(const struct allfold_graph *graph, int level, uint32_t host);

/* The links from a group of a level to the others in the same group of the next level. Where hosts
 * send to all these groups alike, the links have the rate of `cards` cards of a host; where they
 * send to one of these groups, of `pair_cards`. The way over them is `farther_s` longer than within
 * the nearest group. All are 0 where the hosts are in one group. */
struct allfold_graph_uplinks {
    double cards, pair_cards, farther_s;
};
struct allfold_graph_uplinks allfold_graph_uplinks_of(const struct allfold_graph *graph, int level);

/* No route has more links. */
int allfold_graph_longest_route(const struct allfold_graph *graph);

/* The name of a vertex, as in "host 3", "switch 2" or as a file calls it. */
void allfold_graph_vertex_name(const struct allfold_graph *graph, uint32_t vertex, char *name,
                               size_t name_bytes);

/* Writes the lines of a network's text that make this graph. */
void allfold_graph_write(const struct allfold_graph *graph, FILE *stream);

#endif
