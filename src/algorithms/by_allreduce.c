/* Collectives by an allreduce (see by_allreduce.h). */
#include "algorithms/by_allreduce.h"

#include "algorithms/composed.h"
#include "schedule/verbs.h"

void allfold_by_allreduce_build(struct allfold_builder *s, const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const bool has_out = problem->collective != ALLFOLD_REDUCE || r == problem->root;
    allfold_build_inner(s, problem,
                        &(struct inner){.named = allfold_named(parameters, 0),
                                        .group = allfold_group_all(p, r),
                                        .nodes = problem->nodes,
                                        .count = n,
                                        .in = span(ALLFOLD_IN, 0, n),
                                        .out = has_out ? span(ALLFOLD_OUT, 0, n) : scratch(s, n)});
}

struct allfold_claim allfold_by_allreduce_claim(const struct allfold_problem *problem,
                                                const struct allfold_parameters *parameters)
{
    return allfold_inner_claim(problem, allfold_named(parameters, 0), problem->group.size, 0,
                               problem->count, problem->nodes);
}

const char *allfold_by_allreduce_unmet(const struct allfold_problem *problem,
                                       const struct allfold_parameters *parameters)
{
    return allfold_inner_unmet(problem, allfold_named(parameters, 0), problem->group.size,
                               problem->count, problem->nodes);
}

bool allfold_by_allreduce_keeps_tree(const struct allfold_problem *problem,
                                     const struct allfold_parameters *parameters)
{
    const struct allfold_named named = allfold_named(parameters, 0);
    const struct allfold_problem inner = allfold_inner_problem(
        problem, named.algorithm, problem->group.size, problem->count, problem->nodes);
    return allfold_keeps_tree(named.algorithm, &inner, &named.parameters);
}
