/* The shared memory of a node: which ranks share it, and how it is opened.
 *
 * It consists of a file for messages (see shared_file.h), and of each rank's heap (see
 * node_heaps.h), where other ranks read data in place. If ranks cannot open each other's files
 * (other permissions, another container), messages go through MPI. */
#ifndef ALLFOLD_MPI_TRANSPORT_NODE_MEMORY_H
#define ALLFOLD_MPI_TRANSPORT_NODE_MEMORY_H

#include <mpi.h>

#include "topology/nodes.h"
#include "transport/shared_memory.h"

/* Maximum number of streams through the node's memory, in addition to the one of blocking calls. */
enum { ALLFOLD_NODE_STREAMS = 16 };

/* The run of a lane that a rank has begun last; each in a cache line of its own. */
struct allfold_arrival {
    _Alignas(64) atomic_uint_least64_t run;
};

struct allfold_node {
    /* The stream of blocking calls; NULL if there is no shared memory. */
    struct allfold_shared_memory *shared;
    struct allfold_shared_options options;
    void *memory;
    size_t bytes;
    int streams;                   /* number of streams besides that of blocking calls */
    bool shares_cores;             /* the node has more ranks than cores for them */
    bool attaches;                 /* ranks can attach any memory of each other (XPMEM) */
    int *index_of;                 /* index_of[rank]: the rank's index on this node, or -1 */
    struct allfold_visible *heaps; /* heaps[index]: the mapped heap of that rank */
    MPI_Comm comm;
};

/* Returns a number that is equal on ranks that run on one machine (util/cores.h); 0: not known. */
int64_t allfold_node_machine(void);

/* Returns a number that is equal on ranks of a node that share a last-level cache; 0: this rank may
 * run on cores with different caches, or it is not known. */
int64_t allfold_node_socket(void);

/* The reason if no shared memory is wanted. */
extern const char allfold_alone_on_node[];

/* Opens the shared memory of those ranks of `comm` that are on one node and can share it. It has
 * `streams` streams, at most ALLFOLD_NODE_STREAMS, besides that of blocking calls. Messages to
 * other ranks go through `beyond`. `around` is the job's node, which knows whether its ranks share
 * cores; NULL if this is the job's node. Returns NULL, or why this node has no shared memory, which
 * is no error. Collective over `comm`. */
const char *allfold_node_open(struct allfold_node *node, MPI_Comm comm,
                              const struct allfold_nodes *nodes, int streams,
                              struct allfold_transport *beyond, const struct allfold_node *around);

/* Makes the stream `number`, from 1 to `streams`, through the node's memory. It shares nothing with
 * the other streams. Returns NULL if out of memory. May be called once for each number; the node
 * must have shared memory. */
struct allfold_shared_memory *allfold_node_stream(const struct allfold_node *node, int number,
                                                  struct allfold_transport *beyond);

/* Returns an array with the runs that the node's ranks have begun on stream `number`, by index. */
struct allfold_arrival *allfold_node_arrivals(const struct allfold_node *node, int number);

void allfold_node_close(struct allfold_node *node);

/* Allocates memory that the ranks of the node can read in place, for MPI_Alloc_mem. Returns NULL if
 * there is none, or if `bytes` is too small to be worth it. Thread-safe. */
void *allfold_node_allocate(size_t bytes);

/* Frees memory of allfold_node_allocate and returns true; returns false for other memory.
 * Thread-safe. */
bool allfold_node_take_back(void *memory);

/* Frees what all nodes have in common. Must be called after the last node is closed. */
void allfold_nodes_forget(void);

/* Returns whether large allocations of the program come from the heap. Local. */
bool allfold_one_copy_has_heap(void);

/* Returns why the program's own vectors are not read in place; NULL if they are. */
const char *allfold_one_copy_is_off(const struct allfold_node *node);

#endif
