/* The inner algorithm over renumbered ranks (see renumbered.h). */
#include "algorithms/renumbered.h"

#include "algorithms/composed.h"
#include "schedule/verbs.h"

void allfold_renumbered_build(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const struct allfold_shape shape = allfold_problem_shape(problem);
    allfold_build_inner(s, problem,
                        &(struct inner){.named = allfold_named(parameters, 0),
                                        .group = {.size = problem->group.size,
                                                  .index = nodes->place_of[problem->group.index],
                                                  .ranks = nodes->along},
                                        .root = nodes->place_of[problem->root],
                                        .count = problem->count,
                                        .in = span(ALLFOLD_IN, 0, shape.in_length),
                                        .out = span(ALLFOLD_OUT, 0, shape.out_length)});
}

struct allfold_claim allfold_renumbered_claim(const struct allfold_problem *problem,
                                              const struct allfold_parameters *parameters)
{
    return allfold_inner_claim(problem, allfold_named(parameters, 0), problem->group.size,
                               problem->nodes->place_of[problem->root], problem->count, NULL);
}

const char *allfold_renumbered_unmet(const struct allfold_problem *problem,
                                     const struct allfold_parameters *parameters)
{
    return allfold_inner_unmet(problem, allfold_named(parameters, 0), problem->group.size,
                               problem->count, NULL);
}
