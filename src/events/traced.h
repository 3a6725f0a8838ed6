/* The content of a trace: the blocking collectives of rank 0, as it called them (docs/trace.md). */
#ifndef ALLFOLD_EVENTS_TRACED_H
#define ALLFOLD_EVENTS_TRACED_H

#include <stdbool.h>
#include <stdint.h>

#include "topology/nodes.h"
#include "algorithms/problem.h"

#define ALLFOLD_TRACE_MAGIC "allfold trace 3\n"
#define ALLFOLD_NO_SHAPE UINT32_MAX

enum {
    ALLFOLD_TRACED_WORD = 256,   /* maximum bytes of a word, with its terminating zero */
    ALLFOLD_TRACED_EXACT = 1024, /* number of shapes whose size is exact; the sizes of later ones
                                    are rounded to powers of two */
    ALLFOLD_TRACED_SHAPES = 4096,
    ALLFOLD_TRACED_PLACEMENTS = 256,
};

/* The placement of a communicator's ranks, as counts. */
struct allfold_traced_layout {
    int p, nodes, least, most; /* minimum and maximum number of ranks on a node; nodes 0: unknown */
    enum allfold_arrangement arrangement;
    enum allfold_reading reading;
    int shared_cores; /* one node: 1 if ranks share cores; several nodes that are simulated on one
                         machine: its cores; otherwise 0 */
};

/* The node of each rank. */
struct allfold_traced_placement {
    int p, nodes;
    int *node_of; /* rank -> node; nodes are numbered in the order of their lowest ranks */
    int *order;   /* the nodes in their order in the network; NULL: in the order of their numbers */
    int *socket_of; /* rank -> socket of its node, 0 if the node has no known sockets; NULL: no node
                       has */
};

/* The job. */
struct allfold_traced_head {
    char version[ALLFOLD_TRACED_WORD]; /* of Allfold */
    char machine[ALLFOLD_TRACED_WORD], mpi[ALLFOLD_TRACED_WORD];
    struct allfold_traced_layout job;
    int card_mbit; /* rate of each node's network card in Mbit/s; 0: unknown */
};

/* What calls have in common: the choice, and everything that it depends on. */
struct allfold_traced_shape {
    enum allfold_collective collective;
    struct allfold_traced_layout layout;
    uint32_t placement; /* its number, from 1; 0: the layout is sufficient, or the placement is
                           unknown */
    int root;
    size_t bytes;         /* of the vector; if it consists of blocks, of all blocks */
    size_t element_bytes; /* 0: unknown, because the call was passed through */
    bool commutative, exact, canonical;
    char algorithm[ALLFOLD_TRACED_WORD]; /* with its parameters; "native": the MPI library's */
    char source[ALLFOLD_TRACED_WORD];    /* the source of the choice, or the reason why the call was
                                            passed through */
};

/* A call. If is_split, it is known when the last rank came. */
struct allfold_traced_call {
    uint32_t shape;
    bool is_split;
    double begin_s;       /* on this rank's clock */
    double seconds;       /* in the call */
    double waiting_s;     /* the part of `seconds` before the last rank had come */
    double all_waiting_s; /* waiting_s of the mean rank */
};

/* Sums over the calls of a shape. */
struct allfold_traced_sum {
    uint64_t calls, split;
    double seconds, waiting_s, all_waiting_s; /* waiting_s, all_waiting_s: of the split calls */
};

/* Adds a call to the sums of its shape. */
static inline void allfold_traced_sum_add(struct allfold_traced_sum *sum,
                                          const struct allfold_traced_call *call)
{
    sum->calls++;
    sum->split += call->is_split;
    sum->seconds += call->seconds;
    sum->waiting_s += call->is_split ? call->waiting_s : 0;
    sum->all_waiting_s += call->is_split ? call->all_waiting_s : 0;
}

#endif
