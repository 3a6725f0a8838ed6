/* Candidates: what is worth measuring for a problem, by its price. */
#ifndef ALLFOLD_SELECT_CANDIDATES_H
#define ALLFOLD_SELECT_CANDIDATES_H

#include "algorithms/costs.h"

enum { ALLFOLD_MAX_CANDIDATES = 48 };

struct allfold_candidate {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    double cost_s; /* its price (costs.h) */
    bool is_first; /* the cheapest of its algorithm */
};

/* Fills `list` with what can serve the problem, the cheapest first. Of each algorithm that is the
 * cheapest combination of the parameters' presets and what the sweeps try. Besides these come the
 * choice, which has the presets, and the cheapest of all others, `more` at most. With more
 * than 0 those with the preset segment are there, too. Algorithms
 * whose ranks bracket differently are there only where the operation is exact. Returns their
 * number, the same on all ranks. */
int allfold_candidates(const struct allfold_problem *problem, int more,
                       struct allfold_candidate list[ALLFOLD_MAX_CANDIDATES]);

#endif
