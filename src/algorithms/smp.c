/* What the SMP algorithms share (see smp.h). */
#include "algorithms/smp.h"

int allfold_smp_lane(const struct allfold_problem *problem)
{
    const int index = problem->nodes->index_of[problem->root];
    return index < problem->nodes->least ? index : 0;
}

struct allfold_claim allfold_smp_claim(const struct allfold_problem *problem,
                                       const struct allfold_algorithm *on_nodes,
                                       const struct allfold_algorithm *between)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const size_t n = problem->count;
    const int lane = allfold_smp_lane(problem);
    const bool hops = nodes->index_of[problem->root] != lane;
    struct allfold_claim claim = {
        .rounds = hops, .sent = hops ? n : 0, .divisor = 1, .is_bound = true};
    allfold_add_claim_of_nodes(&claim, problem, on_nodes, lane, n);
    allfold_add_far_claim(&claim, problem, between, 1, nodes->node_of[problem->root], n);
    return claim;
}

const char *allfold_smp_unmet(const struct allfold_problem *problem,
                              const struct allfold_algorithm *on_nodes,
                              const struct allfold_algorithm *between)
{
    const size_t n = problem->count;
    const char *unmet = allfold_unmet_blocks(problem);
    if (unmet == NULL)
        unmet = allfold_inner_unmet_on_nodes(problem, on_nodes, n);
    if (unmet == NULL)
        unmet = allfold_inner_unmet(problem, between, problem->nodes->count, n);
    return unmet;
}
