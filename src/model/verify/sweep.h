/* Sweeps: the cases that the verifier goes through, one after the other. */
#ifndef ALLFOLD_MODEL_SWEEP_H
#define ALLFOLD_MODEL_SWEEP_H

#include "model/verify/verify.h"

struct allfold_sweep {
    const struct allfold_algorithm *algorithm;
    int p_first, p_last;
    bool sampled; /* a few random p, roots and counts of the range, instead of all; collectives of
                     blocks and algorithms for nodes, which take p^2 elements or messages, only up
                     to p = 400 where it begins below */
    int samples;  /* how many p, when sampled */
    uint64_t seed;

    /* Called once where a case fails, which ends the sweep: with the smallest case that fails
     * (shrink.h) and what is wrong there. */
    void (*on_failure)(void *context, const struct allfold_case *of,
                       const struct allfold_blame *blame);

    /* Called after each p with how many p of `total` are done; may be NULL. */
    void (*on_progress)(void *context, int p, int done, int total);
    void *context;
};

struct allfold_sweep_result {
    size_t schedules; /* sets of schedules built, one for all ranks each */
    size_t runs;      /* of a set on virtual ranks */
    bool failed;
    size_t unserved; /* cases whose needs are not met */
};

/* Goes through every p of the range, all roots, counts 0, 1, p-1, p, p+1, 3p+2 and one that the
 * claim's divisor divides (blocks, which are all alike: 0, 1, 2, 5), all values to try of the
 * parameters, in place and not, all modes of virtual ranks, and windows from the smallest, 2, that
 * serves to the default; and of each such set of schedules the claims and the order of the steps,
 * above p = 16 those of four random ranks. Above p = 24 the roots take turns at the counts, in
 * place and not: every root and every count, but not each with each. Algorithms that need nodes: on
 * all even placements, in blocks and in turn, and on a few uneven ones, above p = 12 with four
 * roots each; for operations that commute only where others are not served, as the schedules are
 * the same. ALLFOLD_NO_MEMORY, else ALLFOLD_OK also where a case failed. */
enum allfold_error allfold_sweep_run(const struct allfold_sweep *sweep,
                                     struct allfold_sweep_result *result);

#endif
