/* The fold of flat algorithms, and what they claim (see flat.h). */
#include "algorithms/flat.h"

#include "schedule/verbs.h"

void allfold_flat_fold(struct allfold_builder *s, struct allfold_span to, struct allfold_span mine,
                       struct allfold_span all, int p, int r)
{
    const size_t n = mine.length;
    struct allfold_span sum = r == 0 ? mine : allfold_flat_place(all, n, r, 0);
    /* what is below r is folded in place, as `to` may be `mine` */
    for (int i = 1; i < p; i++) {
        const struct allfold_span next = i == r ? mine : allfold_flat_place(all, n, r, i);
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
    return (struct allfold_claim){
        .rounds = others > 0,
        .sent = (to_one ? 1 : others) * problem->count,
        .reduced = traits->reduces ? others * problem->count : 0,
        .ports = (unsigned)others,
        .divisor = 1,
        .got = traits->has_root && !to_one ? 0 : others * problem->count,
    };
}
