/* Scan by simultaneous binomial trees: Hillis and Steele 1986; Sanders and Traeff 2006.
 *
 * At distance d = 1, 2, 4, ... rank r sends its reduction to r + d and adds the one of r - d.
 *
 * Invariant: before distance d a rank has the reduction over the d ranks up to its own, in rank
 * order. */
#include "algorithms/prefix.h"

const struct allfold_algorithm allfold_scan_simultaneous_trees = {
    .name = "simultaneous_trees",
    .alias = "hillis_steele",
    .collective = ALLFOLD_SCAN,
    .source = "Hillis and Steele 1986; Sanders and Traeff 2006, section 2",
    .summary = "to rank r + d at distance d = 1, 2, 4, ...; lg p rounds, one operation in each",
    .use = "short vectors, any p and operation: no scan has fewer rounds or operations in a row; "
           "chain for long ones",
    .consistent = true,
    .is_inner = true,
    .build = allfold_build_simultaneous_trees,
    .claim = allfold_claim_simultaneous_trees,
};
