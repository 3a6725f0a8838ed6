/* Reductions and claims of flat algorithms (see flat.h). */
#include "algorithms/flat.h"

#include "schedule/verbs.h"

void allfold_flat_fold(struct allfold_builder *s, const struct allfold_problem *problem,
                       struct allfold_span to, struct allfold_span mine, struct allfold_span all)
{
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = mine.length;
    if (problem->canonical && p > 1) {
        allfold_canonical_fold(s, p, r, to, mine, all);
        return;
    }
    struct allfold_span sum = r == 0 ? mine : allfold_operand_of_others(all, n, r, 0);
    /* what is below r is folded in place, as `to` may be `mine` */
    for (int i = 1; i < p; i++) {
        const struct allfold_span next = i == r ? mine : allfold_operand_of_others(all, n, r, i);
        const struct allfold_span result = i < r ? sum : to;
        reduce(s, result, sum, next);
        sum = result;
    }
    copy(s, to, sum);
}

struct allfold_claim allfold_flat_claim(const struct allfold_problem *problem,
                                        const struct allfold_parameters *parameters)
{
    (void)parameters;
    const struct allfold_traits *traits = allfold_traits(problem->collective);
    const size_t others = (size_t)problem->group.size - 1;
    const bool to_one = traits->out_holders == ALLFOLD_ON_ROOT && others > 0;
    const bool scatters = traits->in_is_blocks, gathers = traits->out_is_blocks;
    const size_t given = (to_one ? 1 : others) * problem->count;
    const size_t taken = traits->has_root && !to_one ? 0 : others * problem->count;
    const bool differs = scatters || problem->begins != NULL; /* from peer to peer, or unknown */
    return (struct allfold_claim){
        .rounds = others > 0,
        .sent = scatters ? allfold_all_but_one(problem) : given,
        .reduced = traits->reduces ? others * problem->count : 0,
        .ports = (unsigned)others,
        .divisor = 1,
        .is_bound = problem->begins != NULL,
        .got = gathers ? allfold_all_but_one(problem) : taken,
        .again = differs || to_one || others == 0 ? 0 : given - problem->count,
    };
}
