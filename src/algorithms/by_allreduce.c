/* Reduce, reduce-scatter and barrier by an allreduce (see by_allreduce.h). */
#include "algorithms/by_allreduce.h"

#include "algorithms/composed.h"
#include "schedule/verbs.h"

static size_t length_of(const struct allfold_problem *problem)
{
    return allfold_has_blocks(problem->collective) ? allfold_problem_length(problem)
                                                   : problem->count;
}

void allfold_by_allreduce_build(struct allfold_builder *s, const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = length_of(problem);
    const bool takes_block = allfold_has_blocks(problem->collective);
    const bool has_out =
        !takes_block && (problem->collective != ALLFOLD_REDUCE || r == problem->root);
    const struct allfold_span all = has_out ? span(ALLFOLD_OUT, 0, n) : scratch(s, n);
    allfold_build_inner(s, problem,
                        &(struct inner){.named = allfold_named(parameters, 0),
                                        .group = allfold_group_all(p, r),
                                        .nodes = problem->nodes,
                                        .count = n,
                                        .in = span(ALLFOLD_IN, 0, n),
                                        .out = all});
    if (takes_block) {
        const struct allfold_span mine = allfold_blocks(all.buffer, problem, r, 1);
        copy(s, span(ALLFOLD_OUT, 0, mine.length), part(all, mine.offset, mine.length));
    }
}

struct allfold_claim allfold_by_allreduce_claim(const struct allfold_problem *problem,
                                                const struct allfold_parameters *parameters)
{
    struct allfold_claim claim =
        allfold_inner_claim(problem, allfold_named(parameters, 0), problem->group.size, 0,
                            length_of(problem), problem->nodes);
    claim.is_bound |= problem->begins != NULL;
    return claim;
}

const char *allfold_by_allreduce_unmet(const struct allfold_problem *problem,
                                       const struct allfold_parameters *parameters)
{
    return allfold_inner_unmet(problem, allfold_named(parameters, 0), problem->group.size,
                               length_of(problem), problem->nodes);
}

bool allfold_by_allreduce_keeps_tree(const struct allfold_problem *problem,
                                     const struct allfold_parameters *parameters)
{
    const struct allfold_named named = allfold_named(parameters, 0);
    const struct allfold_problem inner = allfold_inner_problem(
        problem, named.algorithm, problem->group.size, length_of(problem), problem->nodes);
    return allfold_keeps_tree(named.algorithm, &inner, &named.parameters);
}
