/* Allgather round a ring (see ring.h). */
#include "algorithms/ring.h"

#include "algorithms/pairwise.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

void allfold_ring_allgather(struct allfold_builder *s, const struct allfold_problem *problem,
                            struct segments cut)
{
    const int p = problem->group.size, r = problem->group.index;
    for (int i = 0; i < p - 1; i++) {
        const struct allfold_span mine = allfold_block(ALLFOLD_OUT, problem, wrap(r - i, p));
        const struct allfold_span next = allfold_block(ALLFOLD_OUT, problem, wrap(r - i - 1, p));
        for (size_t j = 0; j < cut.count; j++)
            exchange(s, wrap(r + 1, p), segment_of(mine, cut, j), wrap(r - 1, p),
                     segment_of(next, cut, j));
    }
}
