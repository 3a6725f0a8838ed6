/* Nodes: which ranks share memory, and the memory that they share.
 *
 * The memory is a file (see shared_file.h) for their messages, and each rank's heap (see
 * node_heaps.h), where other ranks read what they are sent. If ranks cannot open each other's files
 * (they have other rights, or live in another container), messages go through MPI. */
#ifndef ALLFOLD_MPI_TRANSPORT_NODE_MEMORY_H
#define ALLFOLD_MPI_TRANSPORT_NODE_MEMORY_H

#include <mpi.h>

#include "topology/nodes.h"
#include "transport/shared_memory.h"

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
    int streams;                   /* besides that of blocking calls */
    bool shares_cores;             /* its ranks are more than their cores */
    bool attaches;                 /* its ranks attach any memory of each other (XPMEM) */
    int *index_of;                 /* rank -> index on this node, or -1 */
    struct allfold_visible *heaps; /* of each index */
    MPI_Comm comm;
};

/* What ranks have alike whose nodes are one machine (util/cores.h); 0: nothing, or not known. */
int64_t allfold_node_machine(void);

/* What ranks of a node have alike that share a last-level cache; 0: this rank may run on cores of
 * several, or it is not known. */
int64_t allfold_node_socket(void);

/* Why there is no shared memory where none is wanted. */
extern const char allfold_alone_on_node[];

/* Shares memory among those ranks of `comm` that are on one node and can share. The memory has so
 * many streams, at most ALLFOLD_NODE_STREAMS, beside that of blocking calls. Messages to other
 * ranks go by `beyond`. `around` is the job's node, which knows whether its ranks share cores; NULL
 * for the job's node itself. Returns NULL, or in words why this node has no shared memory, which is
 * no error. Collective. */
const char *allfold_node_open(struct allfold_node *node, MPI_Comm comm,
                              const struct allfold_nodes *nodes, int streams,
                              struct allfold_transport *beyond, const struct allfold_node *around);

/* Another stream through the node's memory, with a number from 1 to `streams`. It shares nothing
 * with the others. NULL without memory of its own. Once for each number; the node must have
 * memory. */
struct allfold_shared_memory *allfold_node_stream(const struct allfold_node *node, int number,
                                                  struct allfold_transport *beyond);

/* The runs that the node's ranks have begun on stream `number`, by index. */
struct allfold_arrival *allfold_node_arrivals(const struct allfold_node *node, int number);

void allfold_node_close(struct allfold_node *node);

/* Memory of this process that the ranks of its node see, for MPI_Alloc_mem; NULL where there is
 * none or so little is not worth it. Any thread. */
void *allfold_node_allocate(size_t bytes);

/* Takes memory of allfold_node_allocate back; false for other memory. Any thread. */
bool allfold_node_take_back(void *memory);

/* After the last node is closed: frees what they had in common. */
void allfold_nodes_forget(void);

/* Do large allocations of the program come from the heap here? Local. */
bool allfold_one_copy_has_heap(void);

/* Why the program's own vectors are not read in place, in words; NULL where they are. */
const char *allfold_one_copy_is_off(const struct allfold_node *node);

#endif
