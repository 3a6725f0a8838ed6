/* The shared part of the algorithms of scan and exscan, which compute prefix reductions.
 *
 * A rank reduces its own contribution and those of more and more ranks just below it. Its result is
 * that reduction, with its own contribution (scan) or without (exscan). Each received partial
 * result covers the ranks just below those already included, so operands stay in rank order. */
#ifndef ALLFOLD_ALGORITHMS_PREFIX_H
#define ALLFOLD_ALGORITHMS_PREFIX_H

#include "algorithms/algorithm.h"
#include "algorithms/segments.h"

/* The state of a rank's reduction while its program is written. */
struct prefix {
    struct allfold_builder *s;
    size_t n;
    bool is_exclusive;
    bool is_empty;           /* only this rank is included so far */
    bool is_known;           /* `all` is up to date */
    struct allfold_span in;  /* this rank's contribution, which is not in OUT */
    struct allfold_span all; /* exscan: the reduction including this rank's contribution */
    struct allfold_span tmp;
};

/* Returns this rank's contribution for a program that may write OUT before it has read its input
 * completely: for an exscan in place, a copy of the input. */
struct allfold_span allfold_prefix_input(struct allfold_builder *s,
                                         const struct allfold_problem *problem);

/* Starts the reduction with only this rank included. */
struct prefix allfold_prefix_begin(struct allfold_builder *s,
                                   const struct allfold_problem *problem);

/* Receives the reduction over the ranks just below those included so far, and adds it. */
void allfold_prefix_receive(struct prefix *prefix, int peer);

/* Returns the span for what allfold_prefix_receive would receive, for a program that needs it
 * before it is added. */
struct allfold_span allfold_prefix_room(struct prefix *prefix);

/* Adds the reduction that was received there. */
void allfold_prefix_add(struct prefix *prefix, struct allfold_span received);

/* Returns the reduction including this rank's contribution. It must be read before more is added.
 */
struct allfold_span allfold_prefix_all(struct prefix *prefix);

/* Writes the remaining steps, so that the result is in OUT. */
void allfold_prefix_end(struct prefix *prefix);

/* Programs shared by scan and exscan, and their claims. */

/* Simultaneous binomial trees: at distance d = 1, 2, 4, ... a rank sends its partial result to r +
 * d. */
void allfold_build_simultaneous_trees(struct allfold_builder *s,
                                      const struct allfold_problem *problem,
                                      const struct allfold_parameters *parameters);
struct allfold_claim allfold_claim_simultaneous_trees(const struct allfold_problem *problem,
                                                      const struct allfold_parameters *parameters);

/* Recursive doubling: blocks of 1, 2, 4, ... ranks are joined; each rank has the reduction over its
 * block. */
void allfold_build_joined_blocks(struct allfold_builder *s, const struct allfold_problem *problem,
                                 const struct allfold_parameters *parameters);
struct allfold_claim allfold_claim_joined_blocks(const struct allfold_problem *problem,
                                                 const struct allfold_parameters *parameters);

/* One binomial tree: reductions of blocks go up, reductions over all ranks below a block go down.
 */
void allfold_build_up_and_right(struct allfold_builder *s, const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters);
struct allfold_claim allfold_claim_up_and_right(const struct allfold_problem *problem,
                                                const struct allfold_parameters *parameters);

/* A linear pipeline. The descriptor's first parameter is the segment. */
void allfold_build_prefix_chain(struct allfold_builder *s, const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters);
struct allfold_claim allfold_claim_prefix_chain(const struct allfold_problem *problem,
                                                const struct allfold_parameters *parameters);

#endif
