/* Flat barrier: in one round every rank notifies all others that it has arrived.
 *
 * Invariant: a rank leaves after it has received the notices of all others. */
#include "algorithms/all.h"
#include "algorithms/flat.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    allfold_allreduce_flat.build(s, problem, parameters);
}

const struct allfold_algorithm allfold_barrier_flat = {
    .name = "flat",
    .collective = ALLFOLD_BARRIER,
    .source = "textbooks",
    .summary = "tokens to all ranks at once",
    .use = "few ranks of a node: one round of p-1 messages, which is the fewest turns where ranks "
           "share cores",
    .consistent = true,
    .build = build,
    .claim = allfold_flat_claim,
};
