/* Exscan by simultaneous binomial trees: Hillis and Steele 1986; Sanders and Traeff 2006.
 *
 * At distance d = 1, 2, 4, ... rank r sends its reduction to r + d and adds the one of r - d. The
 * sent reduction includes the rank's own contribution, the result does not: two operations per
 * round.
 *
 * Invariant: before distance d a rank has the reduction over the d ranks up to its own, in rank
 * order. */
#include "algorithms/prefix.h"

const struct allfold_algorithm allfold_exscan_simultaneous_trees = {
    .name = "simultaneous_trees",
    .alias = "hillis_steele",
    .collective = ALLFOLD_EXSCAN,
    .source = "Hillis and Steele 1986; Sanders and Traeff 2006, section 2",
    .summary = "to rank r + d at distance d = 1, 2, 4, ...; lg p rounds, two operations in each",
    .use = "short vectors, any p and operation, where rounds decide; doubling_123 has at most one "
           "round more and half the operations",
    .consistent = true,
    .is_inner = true,
    .build = allfold_build_simultaneous_trees,
    .claim = allfold_claim_simultaneous_trees,
};
