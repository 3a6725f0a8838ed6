/* Linear allreduce, called flat tree in textbooks, for reference.
 *
 * Every rank sends its vector to rank 0, which reduces the vectors in rank order and sends the
 * result back to each.
 *
 * Invariant: after rank i, rank 0 has the reduction over the ranks 0 .. i, from left to right. */
#include "algorithms/algorithm.h"
#include "algorithms/linear.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);

    allfold_linear_reduce(s, problem, 0);
    if (r != 0)
        recv_from(s, 0, out);
    for (int i = 1; r == 0 && i < p; i++)
        send_to(s, i, out);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const size_t others = (size_t)problem->group.size - 1;
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = 2 * others,
            .sent = others * problem->count,
            .reduced = others * problem->count,
            .divisor = 1,
        },
        problem->count);
}

const struct allfold_algorithm allfold_allreduce_linear = {
    .name = "linear",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "textbooks",
    .summary = "all ranks to rank 0 and back, one after the other",
    .use =
        "never for speed: reduces strictly from left to right, to compare results and times with",
    .consistent = true,
    .build = build,
    .claim = claim,
};
