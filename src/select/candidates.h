/* Candidates: the algorithms and parameters that are worth measuring for a problem, ordered by
 * estimated cost. */
#ifndef ALLFOLD_SELECT_CANDIDATES_H
#define ALLFOLD_SELECT_CANDIDATES_H

#include "algorithms/costs.h"

enum { ALLFOLD_MAX_CANDIDATES = 48 };

struct allfold_candidate {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    double cost_s; /* estimated cost (costs.h) */
    bool is_first; /* the candidate of its algorithm with the lowest cost */
};

/* Fills `list` with candidates that can handle the problem, in ascending order of cost, and returns
 * their number, which is the same on all ranks.
 *
 * - Each algorithm is in the list with the combination of parameters that has the lowest cost,
 *   among their defaults and the values that the sweeps try.
 * - The default choice with default parameters is in the list.
 * - The `more` combinations with the lowest cost among all others are in the list. If `more` > 0,
 *   combinations with the default segment are, too.
 * - An algorithm whose ranks have different orders of summation is in the list only if the
 *   operation is exact. */
int allfold_candidates(const struct allfold_problem *problem, int more,
                       struct allfold_candidate list[ALLFOLD_MAX_CANDIDATES]);

#endif
