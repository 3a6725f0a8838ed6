/* What a trace holds: the blocking collectives of rank 0, as it called them (docs/trace.md). */
#ifndef ALLFOLD_EVENTS_TRACED_H
#define ALLFOLD_EVENTS_TRACED_H

#include <stdbool.h>
#include <stdint.h>

#include "topology/nodes.h"
#include "algorithms/problem.h"

#define ALLFOLD_TRACE_MAGIC "allfold trace 3\n"
#define ALLFOLD_NO_SHAPE UINT32_MAX

enum {
    ALLFOLD_TRACED_WORD = 256,   /* bytes of a word, its end included */
    ALLFOLD_TRACED_EXACT = 1024, /* shapes with their very bytes; later ones have powers of two */
    ALLFOLD_TRACED_SHAPES = 4096,
    ALLFOLD_TRACED_PLACEMENTS = 256,
};

/* Where the ranks of a communicator are. */
struct allfold_traced_layout {
    int p, nodes, least, most; /* ranks on the emptiest and the fullest node; nodes 0: not known */
    enum allfold_arrangement arrangement;
    enum allfold_reading reading;
    int shared_cores; /* of one node 1 if ranks share cores; of several those of the one machine
                         that all are on; else 0 */
};

/* Where each rank is. */
struct allfold_traced_placement {
    int p, nodes;
    int *node_of;   /* rank -> node; nodes are numbered in the order of their lowest ranks */
    int *order;     /* the nodes as they lie in the network; NULL: in the order of their numbers */
    int *socket_of; /* rank -> socket of its node, 0 if the node has none; NULL: no node has any */
};

/* The job. */
struct allfold_traced_head {
    char version[ALLFOLD_TRACED_WORD]; /* of Allfold */
    char machine[ALLFOLD_TRACED_WORD], mpi[ALLFOLD_TRACED_WORD];
    struct allfold_traced_layout job;
    int card_mbit; /* a second, of each node's network card; 0: not known */
};

/* What calls have in common: all that the choice depends on, and the choice. */
struct allfold_traced_shape {
    enum allfold_collective collective;
    struct allfold_traced_layout layout;
    uint32_t placement; /* its number, from 1; 0: the layout says all, or it is not known */
    int root;
    size_t bytes;         /* of the vector; for blocks, of all of them */
    size_t element_bytes; /* 0: not known, as the call was passed through */
    bool commutative, exact, canonical;
    char algorithm[ALLFOLD_TRACED_WORD]; /* with its parameters; "native": the MPI library's */
    char source[ALLFOLD_TRACED_WORD];    /* who chose it, or why it was passed through */
};

/* A call. Where it is split, it is known when the last rank came. */
struct allfold_traced_call {
    uint32_t shape;
    bool is_split;
    double begin_s;       /* on the rank's clock */
    double seconds;       /* in the call */
    double waiting_s;     /* of these, until the last rank had come */
    double all_waiting_s; /* the same of the mean rank */
};

/* Calls of a shape. */
struct allfold_traced_sum {
    uint64_t calls, split;
    double seconds, waiting_s, all_waiting_s; /* both kinds of waiting: of the split ones */
};

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
