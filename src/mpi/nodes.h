/* Nodes: which ranks share memory, and the memory that they share.
 *
 * The memory is an anonymous file that its maker's peers open through /proc: it has no name that a
 * killed program could leave behind, and needs no room in /dev/shm. Where peers cannot open it
 * (they have other rights, or live in another container), messages go through MPI as ever. */
#ifndef ALLFOLD_MPI_NODES_H
#define ALLFOLD_MPI_NODES_H

#include <mpi.h>

#include "algorithms/nodes.h"
#include "execute/shared_memory.h"

/* Ways through the node's memory besides that of blocking calls. */
enum { ALLFOLD_NODE_STREAMS = 16 };

/* Which run of a lane a rank has begun; each in a line of its own. */
struct allfold_arrival {
    _Alignas(64) atomic_uint_least64_t run;
};

struct allfold_node {
    struct allfold_shared_memory *shared; /* that of blocking calls; NULL where there is none */
    struct allfold_shared_options options;
    void *memory;
    size_t bytes;
    int *index_of; /* rank -> index on this node, or -1 */
    MPI_Comm comm;
};

/* Why there is none where none is wanted. */
extern const char allfold_alone_on_node[];

/* Shares memory among those ranks of `comm` that are on one node and can; the others' messages go
 * by `beyond`. Returns why there is no shared memory on this node, in words, or NULL; none is an
 * error. Collective. */
const char *allfold_node_open(struct allfold_node *node, MPI_Comm comm,
                              const struct allfold_nodes *nodes, struct allfold_transport *beyond);

/* Another way through the node's memory, number 1 .. ALLFOLD_NODE_STREAMS, which shares nothing
 * with the others; NULL without memory of its own. Once for each; the node must have memory. */
struct allfold_shared_memory *allfold_node_stream(const struct allfold_node *node, int number,
                                                  struct allfold_transport *beyond);

/* What the node's ranks have begun on that stream, by index. */
struct allfold_arrival *allfold_node_arrivals(const struct allfold_node *node, int number);

void allfold_node_close(struct allfold_node *node);

#endif
