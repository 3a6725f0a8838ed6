/* Linear reduce, called flat tree in textbooks, for reference.
 *
 * Every rank sends its vector to the root, which reduces the vectors in rank order.
 *
 * Invariant: after rank i the root has the reduction over the ranks 0 .. i, from left to right. */
#include "algorithms/algorithm.h"
#include "algorithms/linear.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    allfold_linear_reduce(s, problem, problem->root);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const size_t others = (size_t)problem->group.size - 1;
    return (struct allfold_claim){
        .rounds = others,
        .sent = others > 0 ? problem->count : 0,
        .reduced = others * problem->count,
        .divisor = 1,
        .got = others * problem->count,
    };
}

const struct allfold_algorithm allfold_reduce_linear = {
    .name = "linear",
    .collective = ALLFOLD_REDUCE,
    .source = "textbooks",
    .summary = "all ranks send to the root, one after the other",
    .use =
        "never for speed: reduces strictly from left to right, to compare results and times with",
    .consistent = true,
    .build = build,
    .claim = claim,
};
