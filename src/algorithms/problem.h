/* Problems: what a caller asked, seen from one rank. */
#ifndef ALLFOLD_ALGORITHMS_PROBLEM_H
#define ALLFOLD_ALGORITHMS_PROBLEM_H

#include "allfold_core.h"
#include "topology/nodes.h"

enum allfold_holders { ALLFOLD_ON_ALL, ALLFOLD_ON_ROOT, ALLFOLD_ON_ALL_BUT_ROOT };

static inline bool allfold_is_holder(enum allfold_holders holders, bool is_root)
{
    return holders == ALLFOLD_ON_ALL || is_root == (holders == ALLFOLD_ON_ROOT);
}

/* The ranks whose contributions a reduction's result on rank r has: all, or a prefix of them. */
enum allfold_prefix { ALLFOLD_OF_ALL, ALLFOLD_UP_TO_OWN, ALLFOLD_BELOW_OWN };

/* What a collective is, for code that treats all collectives in the same way. */
struct allfold_traits {
    const char *name;     /* "reduce_scatter_block" */
    const char *mpi_name; /* "MPI_Reduce_scatter_block" */
    enum allfold_holders in_holders, out_holders;
    bool in_is_blocks, out_is_blocks; /* p blocks of count, in the order of the ranks */
    bool blocks_differ;               /* these may have any lengths */
    bool has_root;
    bool reduces;               /* has an operation; else it moves data */
    bool allows_in_place;       /* on ranks that have both an input and a result */
    enum allfold_prefix prefix; /* whose contributions are in a rank's result, where not all are */
    bool may_repeat; /* a contribution may be in a result more than once: all that a barrier's
                        result says is that every rank has come */
};

const struct allfold_traits *allfold_traits(enum allfold_collective collective);

/* Has it an operation of the caller's? A barrier's is our own. */
bool allfold_has_operation(enum allfold_collective collective);

/* Is a buffer of it blocks? */
bool allfold_has_blocks(enum allfold_collective collective);

/* How many of the p ranks, the lowest, have their contributions in the result on rank r. */
int allfold_contributors(enum allfold_collective collective, int p, int r);

/* Is the result of such a reduction the same on all ranks that have one? */
bool allfold_is_alike_on_all(enum allfold_collective collective);

/* Does each rank's result have something of each other one? */
bool allfold_has_all_of_all(enum allfold_collective collective);

/* The nodes for a problem that is complete but for these: as they lie in the network, where nothing
 * goes by the order of the ranks. */
const struct allfold_nodes *allfold_nodes_for(const struct allfold_problem *problem,
                                              const struct allfold_nodes *nodes);

/* The length of the whole vector, of which a rank has one block at least. */
size_t allfold_problem_length(const struct allfold_problem *problem);

/* Have all blocks `count` elements? */
bool allfold_blocks_are_alike(const struct allfold_problem *problem);

/* Where block i of the vector begins, 0 <= i <= p, and how long it is: of p blocks that differ by
 * at most 1, or that have any lengths. */
size_t allfold_block_begin(const struct allfold_problem *problem, int i);
size_t allfold_block_length(const struct allfold_problem *problem, int i);

/* Blocks first to first + blocks - 1 of a buffer that is the vector. */
struct allfold_span allfold_blocks(int buffer, const struct allfold_problem *problem, int first,
                                   int blocks);

/* Blocks first to first + blocks - 1 of a span that is cut into p as peers.h cuts elements. */
struct allfold_span allfold_blocks_in(struct allfold_span all, int p, int first, int blocks);

/* No block is longer than the first of these, nor shorter than the second one. */
size_t allfold_longest_block(const struct allfold_problem *problem);
size_t allfold_shortest_block(const struct allfold_problem *problem);

/* The most elements that are in all blocks but one. */
size_t allfold_all_but_one(const struct allfold_problem *problem);

/* The problem over that whole vector, which this one is about by blocks: block i of it is rank i's.
 */
struct allfold_problem allfold_whole_problem(const struct allfold_problem *problem);

/* May this rank's input lie in OUT? */
bool allfold_problem_allows_in_place(const struct allfold_problem *problem);

/* What buffers the problem gives this rank. */
struct allfold_shape allfold_problem_shape(const struct allfold_problem *problem);

#endif
