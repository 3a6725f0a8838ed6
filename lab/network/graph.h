/* Network graphs: the hosts, switches, links and routes of a network topology.
 *
 * The vertices of a graph are its hosts, numbered in [0, hosts), and its switches, numbered after
 * the hosts. Each node of a job is on one host. Links connect vertices. A cable consists of two
 * links, one for each direction. Each link belongs to a class with a name, such as "card" or
 * "global".
 *
 * A generated graph computes its routes by arithmetic and stores no tables:
 *
 *     switch 64                  64 hosts on one switch
 *     torus 16x16                up to ALLFOLD_MAX_DIMENSIONS dimensions; without switches
 *     fat-tree 16:6 32           32 leaves of 16 hosts, 6 uplinks each, one to each of 6 spines
 *     fat-tree 16:8 8:4 8        three tiers; D:U: D links down and U links up; the last tier: D
 *     dragonfly 9 4 2            9 groups of 4 routers of 2 hosts
 *     dragonfly 4:4 4:3 8:2 8    groups, chassis, routers, hosts; N:L: bundles of L cables
 *
 * Routes do not depend on the load:
 *
 * - torus: dimension by dimension, in the shorter direction; upwards if both are equally long.
 * - fat tree: up to the lowest common tier, by uplinks that the destination determines (D-mod-k),
 *   then down.
 * - dragonfly: minimal; router t mod R of the R routers of a group has the cable to group t.
 * - listed graphs (listed_graph.h): shortest paths; a hash of the pair chooses among equal ones.
 *
 * Invariant: the links of a route form a path from host to host, with each link at most once. */
#ifndef ALLFOLD_LAB_NETWORK_GRAPH_H
#define ALLFOLD_LAB_NETWORK_GRAPH_H

#include "lab/network/graph_link.h"

struct allfold_graph;
struct allfold_listed;

/* Creates a graph from a description such as "torus 16x16". Returns ALLFOLD_OK; ALLFOLD_BAD_INPUT
 * with a message that says what was expected; or ALLFOLD_NO_MEMORY. The links have a bandwidth of 0
 * until allfold_graph_set_links sets it. The caller frees the graph with allfold_graph_free. */
enum allfold_error allfold_graph_generate(const char *words, struct allfold_graph **graph,
                                          char *message, size_t message_bytes);

/* Creates a graph from a listing (listed_graph.h). Takes ownership of `listed`, also on errors. The
 * caller frees the graph with allfold_graph_free. */
enum allfold_error allfold_graph_list(struct allfold_listed *listed, struct allfold_graph **graph,
                                      char *message, size_t message_bytes);

/* Sets bandwidth and latency of a cable, for one class or for all classes (link_class = -1). A
 * bundle of n cables is a link with n times the bandwidth. Only for generated graphs. */
void allfold_graph_set_links(struct allfold_graph *graph, int link_class, double bandwidth,
                             double latency_s);

/* Frees a graph; NULL is allowed. */
void allfold_graph_free(struct allfold_graph *graph);

uint32_t allfold_graph_host_count(const struct allfold_graph *graph);
uint32_t allfold_graph_vertex_count(const struct allfold_graph *graph);
uint32_t allfold_graph_link_count(const struct allfold_graph *graph);

/* Returns a link; `number` is in [0, link count). */
struct allfold_graph_link allfold_graph_link(const struct allfold_graph *graph, uint32_t number);

/* Returns the number of link classes, which are numbered from the hosts outwards. */
int allfold_graph_class_count(const struct allfold_graph *graph);

/* Returns the name of a link class. */
const char *allfold_graph_class_name(const struct allfold_graph *graph, int link_class);

/* Computes the route from host `from` to host `to`. Writes the numbers of its first `most` links,
 * in order, to `links`, and returns the number of all its links; 0 if the hosts are the same. */
int allfold_graph_route(const struct allfold_graph *graph, uint32_t from, uint32_t to,
                        uint32_t *links, int most);

/* Returns the number of levels at which hosts are grouped by distance; 0: no groups. In a fat tree
 * the groups are the hosts below a leaf switch, below a switch of the next tier, and so on; in a
 * dragonfly the hosts of a router, a chassis, a group; in a torus those of a ring, a plane, ... A
 * listed graph has one level: the hosts that are linked to the same switch. */
int allfold_graph_group_levels(const struct allfold_graph *graph);

/* Returns an identifier of a host's group at a level, which is different for each group. Level 0
 * has the smallest groups. */
uint32_t allfold_graph_group_of(const struct allfold_graph *graph, int level, uint32_t host);

/* The capacity of the links from a group of a level to the other groups within the same group of
 * the next level. All members are 0 if all hosts are in one group. */
struct allfold_graph_uplinks {
    double cards; /* bandwidth to all other groups, in units of the bandwidth of a host's card */
    double pair_cards; /* bandwidth to one other group, in the same units */
    double farther_s;  /* additional latency, compared with that within a group of level 0 */
};

/* Computes the capacity of the uplinks of a level from a sample of routes. */
struct allfold_graph_uplinks allfold_graph_uplinks_of(const struct allfold_graph *graph, int level);

/* Returns the maximum number of links of a route. */
int allfold_graph_longest_route(const struct allfold_graph *graph);

/* Writes the name of a vertex: "host 3", "switch 2", or its name in a listed graph. */
void allfold_graph_vertex_name(const struct allfold_graph *graph, uint32_t vertex, char *name,
                               size_t name_bytes);

/* Writes the graph as lines of a network's text (graph_text.h). */
void allfold_graph_write(const struct allfold_graph *graph, FILE *stream);

#endif
