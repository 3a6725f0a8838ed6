/* Recursive doubling: Rabenseifner 2004, section 2.4.
 *
 * In round k a rank exchanges its whole partial result with the rank at distance 2^k, and both
 * reduce. If p is not a power of two, pairs of ranks are removed: the odd rank of a pair first
 * sends its vector to the even one, and receives the result at the end.
 *
 * Invariant: before round k, OUT (at first: IN) is the reduction over the 2^k core ranks whose
 * indices differ from this one's only in the k lowest bits. */
#include "algorithms/doubling.h"

static struct doubling_round round_of(const void *how, int index, int k)
{
    (void)how;
    return (struct doubling_round){index ^ 1 << k, (index >> k & 1) != 0};
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    allfold_build_doubling(s, problem, round_of, NULL);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    return allfold_doubling_claim(problem);
}

const struct allfold_algorithm allfold_allreduce_recursive_doubling = {
    .name = "recursive_doubling",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Rabenseifner 2004, section 2.4",
    .summary = "whole vectors with ranks at distance 1, 2, 4, ...",
    .use = "short vectors, where rounds decide: any p, any operation; halving_doubling sends less "
           "once vectors are long",
    .consistent = true,
    .keeps_tree = allfold_always_keeps_tree,
    .is_inner = true,
    .build = build,
    .claim = claim,
};
