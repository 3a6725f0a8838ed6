/* Listed graphs: network graphs (graph.h) that are given by lists of their hosts, switches and
 * links. Routes are shortest paths.
 *
 * An edge connects two vertices over one link or, as the routes of SimGrid, over several. */
#ifndef ALLFOLD_LAB_NETWORK_LISTED_GRAPH_H
#define ALLFOLD_LAB_NETWORK_LISTED_GRAPH_H

#include "lab/network/graph_link.h"

enum { ALLFOLD_MOST_CORE_VERTICES = 1 << 12 };

struct allfold_listed;

/* Creates an empty listing. Returns NULL if out of memory. Free it with allfold_listed_free. */
struct allfold_listed *allfold_listed_create(void);
void allfold_listed_free(struct allfold_listed *listed);

/* Returns the number of the vertex with a name of `length` bytes; adds the vertex if it does not
 * exist. Returns ALLFOLD_NO_VERTEX if out of memory. Hosts are numbered in the order in which they
 * are added; all other vertices are switches. */
uint32_t allfold_listed_vertex(struct allfold_listed *listed, const char *name, size_t length,
                               bool is_host);

/* Finds the vertex with that name. Returns false if there is none. */
bool allfold_listed_find(const struct allfold_listed *listed, const char *name, size_t length,
                         uint32_t *vertex);

/* Returns the number of the link class with that name; adds the class if it does not exist. Returns
 * -1 if there are too many classes, or if the name is too long. */
int allfold_listed_class(struct allfold_listed *listed, const char *name, size_t length);

/* Adds a link and writes its number. Its ends are numbers of vertices of this listing, or
 * ALLFOLD_NO_VERTEX. Returns false if out of memory. */
bool allfold_listed_add_link(struct allfold_listed *listed, const struct allfold_graph_link *link,
                             uint32_t *number);

/* Adds an edge over `link_count` links. Returns false if out of memory. */
bool allfold_listed_add_edge(struct allfold_listed *listed, uint32_t from, uint32_t to,
                             const uint32_t *links, uint32_t link_count);

/* Restricts routes to single edges: no route consists of two or more edges. */
void allfold_listed_forbid_ways(struct allfold_listed *listed);

/* Completes the listing: renumbers the vertices, hosts first, and computes all distances. Nothing
 * may be added afterwards. Returns ALLFOLD_OK; ALLFOLD_NO_MEMORY; or ALLFOLD_BAD_INPUT if a host
 * cannot reach another one, there are no hosts, or there are more than ALLFOLD_MOST_CORE_VERTICES
 * switches and hosts with several links. */
enum allfold_error allfold_listed_complete(struct allfold_listed *listed, char *message,
                                           size_t message_bytes);

/* The functions of graph.h with the same names (allfold_graph_host_count, ...), for a listing. */
uint32_t allfold_listed_host_count(const struct allfold_listed *listed);
uint32_t allfold_listed_vertex_count(const struct allfold_listed *listed);
uint32_t allfold_listed_link_count(const struct allfold_listed *listed);
struct allfold_graph_link allfold_listed_link(const struct allfold_listed *listed, uint32_t number);
int allfold_listed_class_count(const struct allfold_listed *listed);
const char *allfold_listed_class_name(const struct allfold_listed *listed, int link_class);
const char *allfold_listed_vertex_name(const struct allfold_listed *listed, uint32_t vertex);
int allfold_listed_route(const struct allfold_listed *listed, uint32_t from, uint32_t to,
                         uint32_t *links, int most);
int allfold_listed_longest_route(const struct allfold_listed *listed);
void allfold_listed_write(const struct allfold_listed *listed, FILE *stream);

#endif
