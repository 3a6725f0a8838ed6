/* Listed graphs: each host and link is named, and routes are shortest paths.
 *
 * An edge leads from a vertex to another over one link or, as SimGrid's routes do, over several. */
#ifndef ALLFOLD_LAB_NETWORK_LISTED_GRAPH_H
#define ALLFOLD_LAB_NETWORK_LISTED_GRAPH_H

#include "lab/network/graph_link.h"

enum { ALLFOLD_MOST_CORE_VERTICES = 1 << 12 };

struct allfold_listed;

/* NULL without memory. */
struct allfold_listed *allfold_listed_create(void);
void allfold_listed_free(struct allfold_listed *listed);

/* The number of the vertex of that name, which is made where there is none; ALLFOLD_NO_VERTEX
 * without memory. Hosts are numbered as they come; all others are switches. */
uint32_t allfold_listed_vertex(struct allfold_listed *listed, const char *name, size_t length,
                               bool is_host);

/* False where there is no vertex of that name. */
bool allfold_listed_find(const struct allfold_listed *listed, const char *name, size_t length,
                         uint32_t *vertex);

/* The number of the class of that name, which is made where there is none. It is -1 where there are
 * too many, or the name is too long. */
int allfold_listed_class(struct allfold_listed *listed, const char *name, size_t length);

/* Adds a link and says its number. False without memory. Its ends are vertices' numbers of this
 * listing, or ALLFOLD_NO_VERTEX. */
bool allfold_listed_add_link(struct allfold_listed *listed, const struct allfold_graph_link *link,
                             uint32_t *number);

/* Adds an edge over some links. False without memory. */
bool allfold_listed_add_edge(struct allfold_listed *listed, uint32_t from, uint32_t to,
                             const uint32_t *links, uint32_t link_count);

/* Routes are single edges: no way leads over two. */
void allfold_listed_forbid_ways(struct allfold_listed *listed);

/* Numbers hosts first and finds all distances; then nothing is added any more. ALLFOLD_BAD_INPUT
 * where a host cannot reach another one, or there are no hosts or too many switches. */
enum allfold_error allfold_listed_complete(struct allfold_listed *listed, char *message,
                                           size_t message_bytes);

/* What a graph asks of its listing. */
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
