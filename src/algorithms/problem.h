/* Problems: what a caller asked, seen from one rank. */
#ifndef ALLFOLD_ALGORITHMS_PROBLEM_H
#define ALLFOLD_ALGORITHMS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "algorithms/nodes.h"
#include "schedule/builder.h"

/* `count` is the length of the vector; where buffers are blocks, of one block. */
enum allfold_collective {
    ALLFOLD_ALLREDUCE, /* IN: count on all; OUT: count on all */
    ALLFOLD_REDUCE,    /* IN: count on all; OUT: count on the root, none elsewhere */
    ALLFOLD_BCAST,     /* IN: count on the root, none elsewhere; OUT: count on all but the root */
    ALLFOLD_REDUCE_SCATTER_BLOCK, /* IN: p blocks on all; OUT: count on all */
    ALLFOLD_ALLGATHER,            /* IN: count on all; OUT: p blocks on all */
    ALLFOLD_BARRIER,              /* IN and OUT: count tokens on all; see may_repeat */
    ALLFOLD_COLLECTIVE_COUNT
};

enum allfold_holders { ALLFOLD_ON_ALL, ALLFOLD_ON_ROOT, ALLFOLD_ON_ALL_BUT_ROOT };

static inline bool allfold_is_holder(enum allfold_holders holders, bool is_root)
{
    return holders == ALLFOLD_ON_ALL || is_root == (holders == ALLFOLD_ON_ROOT);
}

/* What a collective is, for all that treat collectives alike. */
struct allfold_traits {
    const char *name;     /* "reduce_scatter_block" */
    const char *mpi_name; /* "MPI_Reduce_scatter_block" */
    enum allfold_holders in_holders, out_holders;
    bool in_is_blocks, out_is_blocks; /* p blocks of count, in the order of the ranks */
    bool has_root;
    bool reduces;         /* has an operation; else it moves data */
    bool allows_in_place; /* on ranks that have both an input and a result */
    bool may_repeat;      /* a contribution may be in a result more than once: all that a barrier's
                             result says is that every rank has come */
};

struct allfold_cost_model; /* see costs.h */

/* All but `group.index` and `in_place` is alike on all ranks, and only that may decide which
 * messages there are. */
struct allfold_problem {
    enum allfold_collective collective;
    struct allfold_group group;
    int root; /* index in the group; 0 where the collective has none */
    size_t count;
    size_t length;        /* of the whole vector where it is blocks but not p times count: blocks as
                             peers.h cuts it, `count` the longest; else 0 */
    size_t element_bytes; /* of an element as it travels, without gaps */
    bool commutative;     /* of the operation; true where there is none */
    bool exact;           /* any bracketing gives the same bits; true where there is no operation */
    bool one_node;        /* all ranks are on one node */
    const struct allfold_nodes *nodes; /* where they are, by rank of the whole group; NULL where
                                          nothing is known of it */
    const struct allfold_cost_model *costs; /* constants of the machine; NULL: the presets */
    bool in_place;                          /* this rank's input lies in OUT */
};

const struct allfold_traits *allfold_traits(enum allfold_collective collective);

/* Has it an operation of the caller's? A barrier's is our own. */
bool allfold_has_operation(enum allfold_collective collective);

/* "allreduce", "reduce", ...; NULL for what is no collective. */
const char *allfold_collective_name(enum allfold_collective collective);

/* The collective of that name; ALLFOLD_COLLECTIVE_COUNT where there is none. */
enum allfold_collective allfold_collective_find(const char *name);

/* Is a buffer of it blocks? */
bool allfold_has_blocks(enum allfold_collective collective);

/* The length of the whole vector, of which a rank has one block at least. */
size_t allfold_problem_length(const struct allfold_problem *problem);

/* The problem over that whole vector, which this one is about by blocks: block i of it is rank i's.
 */
struct allfold_problem allfold_whole_problem(const struct allfold_problem *problem);

/* May this rank's input lie in OUT? */
bool allfold_problem_allows_in_place(const struct allfold_problem *problem);

/* What buffers the problem gives this rank. */
struct allfold_shape allfold_problem_shape(const struct allfold_problem *problem);

#endif
