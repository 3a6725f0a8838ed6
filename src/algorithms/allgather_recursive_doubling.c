/* Allgather by recursive doubling: Rabenseifner 2004, section 2.5 (the second half of its
 * allreduce), for a power of two of ranks.
 *
 * Invariant: before the round at distance d a rank has the blocks of the d ranks that differ from
 * it only in bits below d. These blocks are consecutive. */
#include "algorithms/algorithm.h"

#include <assert.h>

#include "algorithms/power_of_two.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    assert((p & (p - 1)) == 0); /* rounds at all distances d that are powers of two cover p ranks */
    const struct allfold_span own = allfold_blocks(ALLFOLD_OUT, problem, r, 1);

    copy(s, own, span(ALLFOLD_IN, 0, own.length));
    for (int d = 1; d < p; d *= 2) {
        const int mine = r & ~(d - 1);
        exchange(s, r ^ d, allfold_blocks(ALLFOLD_OUT, problem, mine, d), r ^ d,
                 allfold_blocks(ALLFOLD_OUT, problem, mine ^ d, d));
    }
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    return (struct allfold_claim){
        .rounds = (size_t)ceil_log2(p),
        .sent = (size_t)(p - 1) * problem->count,
        .divisor = 1,
    };
}

const struct allfold_algorithm allfold_allgather_recursive_doubling = {
    .name = "recursive_doubling",
    .collective = ALLFOLD_ALLGATHER,
    .source = "Rabenseifner 2004, section 2.5",
    .summary = "pairs exchange all they hold, in lg p rounds",
    .use = "blocks of any length on a power of two of ranks: fewest rounds and least volume; ring "
           "where p is none",
    .consistent = true,
    .build = build,
    .claim = claim,
    .unmet = allfold_unmet_power_of_two,
};
