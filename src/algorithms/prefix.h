/* Prefixes: what the algorithms of scan and exscan share.
 *
 * A rank folds its own contribution and those of ever more ranks right below it. Its result is that
 * fold: with its own contribution (scan), or without (exscan). What is added always covers the
 * ranks right below those that are there, so operands stay in rank order. */
#ifndef ALLFOLD_ALGORITHMS_PREFIX_H
#define ALLFOLD_ALGORITHMS_PREFIX_H

#include "algorithms/algorithm.h"
#include "algorithms/segments.h"

struct prefix {
    struct allfold_builder *s;
    size_t n;
    bool is_exclusive;
    bool is_empty;           /* it has no rank but this one */
    bool is_known;           /* `all` is up to date */
    struct allfold_span in;  /* this rank's contribution, which OUT does not hold */
    struct allfold_span all; /* exscan: the fold with this rank's contribution */
    struct allfold_span tmp;
};

/* This rank's contribution where OUT may be written before the input is read for the last time: an
 * exscan in place gets a copy of it. */
struct allfold_span allfold_prefix_input(struct allfold_builder *s,
                                         const struct allfold_problem *problem);

/* The problem's result on this rank is begun: there is no rank but this one in it. */
struct prefix allfold_prefix_begin(struct allfold_builder *s,
                                   const struct allfold_problem *problem);

/* Receives the fold over the ranks right below those that are there, and adds it. */
void allfold_prefix_receive(struct prefix *prefix, int peer);

/* The two parts of that, for who needs what was received in between. */
struct allfold_span allfold_prefix_room(struct prefix *prefix);
void allfold_prefix_add(struct prefix *prefix, struct allfold_span received);

/* The fold with this rank's contribution; to be read before more is added. */
struct allfold_span allfold_prefix_all(struct prefix *prefix);

/* The result is complete. */
void allfold_prefix_end(struct prefix *prefix);

/* The programs that scan and exscan share, and what they claim. */

/* Simultaneous binomial trees: at distance d = 1, 2, 4, ... a rank sends what it has to r + d. */
void allfold_build_simultaneous_trees(struct allfold_builder *s,
                                      const struct allfold_problem *problem,
                                      const struct allfold_parameters *parameters);
struct allfold_claim allfold_claim_simultaneous_trees(const struct allfold_problem *problem,
                                                      const struct allfold_parameters *parameters);

/* Recursive doubling: blocks of 1, 2, 4, ... ranks join, of which each rank knows the fold. */
void allfold_build_joined_blocks(struct allfold_builder *s, const struct allfold_problem *problem,
                                 const struct allfold_parameters *parameters);
struct allfold_claim allfold_claim_joined_blocks(const struct allfold_problem *problem,
                                                 const struct allfold_parameters *parameters);

/* One binomial tree: folds of blocks go up, folds of all that is below a block go down. */
void allfold_build_up_and_right(struct allfold_builder *s, const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters);
struct allfold_claim allfold_claim_up_and_right(const struct allfold_problem *problem,
                                                const struct allfold_parameters *parameters);

/* Linear pipeline. The descriptor's first parameter is the segment. */
void allfold_build_prefix_chain(struct allfold_builder *s, const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters);
struct allfold_claim allfold_claim_prefix_chain(const struct allfold_problem *problem,
                                                const struct allfold_parameters *parameters);

#endif
