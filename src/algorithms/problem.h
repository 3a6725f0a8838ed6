/* Problems: a collective call as one rank sees it, and the properties of collectives. */
#ifndef ALLFOLD_ALGORITHMS_PROBLEM_H
#define ALLFOLD_ALGORITHMS_PROBLEM_H

#include "allfold_core.h"
#include "topology/nodes.h"

/* Which ranks have an input or a result. */
enum allfold_holders { ALLFOLD_ON_ALL, ALLFOLD_ON_ROOT, ALLFOLD_ON_ALL_BUT_ROOT };

/* Returns whether a rank is one of them. */
static inline bool allfold_is_holder(enum allfold_holders holders, bool is_root)
{
    return holders == ALLFOLD_ON_ALL || is_root == (holders == ALLFOLD_ON_ROOT);
}

/* The ranks whose contributions the result on rank r includes: all ranks, ranks 0 .. r, or ranks 0
 * .. r-1. */
enum allfold_prefix { ALLFOLD_OF_ALL, ALLFOLD_UP_TO_OWN, ALLFOLD_BELOW_OWN };

/* The properties of a collective, for code that handles all collectives in the same way. */
struct allfold_traits {
    const char *name;     /* "reduce_scatter_block" */
    const char *mpi_name; /* "MPI_Reduce_scatter_block" */
    enum allfold_holders in_holders, out_holders;
    bool in_is_blocks,
        out_is_blocks;  /* the vector consists of p blocks of `count` elements, in rank order */
    bool blocks_differ; /* the blocks may have different lengths */
    bool has_root;
    bool reduces;               /* has an operation; otherwise it only moves data */
    bool allows_in_place;       /* on ranks that have both an input and a result */
    enum allfold_prefix prefix; /* whose contributions a rank's result includes */
    bool may_repeat; /* a result may include a contribution more than once: for a barrier, whose
                        result only says that all ranks have come */
};

/* Returns the properties of a collective. */
const struct allfold_traits *allfold_traits(enum allfold_collective collective);

/* Returns whether the caller specifies an operation. The operation of a barrier is internal. */
bool allfold_has_operation(enum allfold_collective collective);

/* Returns whether one of its vectors consists of blocks. */
bool allfold_has_blocks(enum allfold_collective collective);

/* Returns how many of the p ranks, starting at rank 0, contribute to the result on rank r. */
int allfold_contributors(enum allfold_collective collective, int p, int r);

/* Returns whether a reduction's result is the same on all ranks that have one. */
bool allfold_is_alike_on_all(enum allfold_collective collective);

/* Returns whether each rank's result depends on data of all other ranks. */
bool allfold_has_all_of_all(enum allfold_collective collective);

/* Returns the nodes to use in a problem that is otherwise complete: in their order in the network,
 * if the result does not depend on the order of ranks. */
const struct allfold_nodes *allfold_nodes_for(const struct allfold_problem *problem,
                                              const struct allfold_nodes *nodes);

/* Returns the length of the whole vector, of which a rank may have only one block. */
size_t allfold_problem_length(const struct allfold_problem *problem);

/* Returns whether all blocks have `count` elements. */
bool allfold_blocks_are_alike(const struct allfold_problem *problem);

/* Returns the start of block i of the vector, 0 <= i <= p. The blocks have the lengths of
 * problem->begins or, if that is NULL, lengths that differ by at most 1. */
size_t allfold_block_begin(const struct allfold_problem *problem, int i);

/* Returns the length of block i of the vector. */
size_t allfold_block_length(const struct allfold_problem *problem, int i);

/* Returns blocks [first, first + blocks) of a buffer that has the whole vector. */
struct allfold_span allfold_blocks(int buffer, const struct allfold_problem *problem, int first,
                                   int blocks);

/* Returns blocks [first, first + blocks) of a span that is divided into p blocks as in peers.h. */
struct allfold_span allfold_blocks_in(struct allfold_span all, int p, int first, int blocks);

/* Returns the length of the longest block. */
size_t allfold_longest_block(const struct allfold_problem *problem);

/* Returns the length of the shortest block. */
size_t allfold_shortest_block(const struct allfold_problem *problem);

/* Returns the length of the vector without its shortest block: the maximum that a rank receives of
 * the other ranks' blocks. */
size_t allfold_all_but_one(const struct allfold_problem *problem);

/* Returns the allreduce of the whole vector that corresponds to a problem whose vector consists of
 * blocks. Its other properties are unchanged. */
struct allfold_problem allfold_whole_problem(const struct allfold_problem *problem);

/* Returns whether this rank's input may be in OUT. */
bool allfold_problem_allows_in_place(const struct allfold_problem *problem);

/* Returns the buffers of this rank. */
struct allfold_shape allfold_problem_shape(const struct allfold_problem *problem);

#endif
