/* Exchanges of whole vectors, with one peer per round (see doubling.h). */
#include "algorithms/doubling.h"

#include "schedule/verbs.h"

void allfold_build_doubling(struct allfold_builder *s, const struct allfold_problem *problem,
                            struct doubling_round (*round)(const void *how, int index, int k),
                            const void *how)
{
    const int p = problem->group.size, r = problem->group.index;
    const struct allfold_span in = span(ALLFOLD_IN, 0, problem->count);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);
    const struct core core = core_of(p, r, 0);

    if (core.index < 0) {
        send_to(s, core.partner, in);
        recv_from(s, core.partner, out);
        return;
    }
    if (p == 1) {
        copy(s, out, in);
        return;
    }
    const struct allfold_span tmp = scratch(s, problem->count);
    struct allfold_span mine = in;
    if (core.partner >= 0) {
        recv_from(s, core.partner, tmp);
        reduce(s, out, in, tmp);
        mine = out;
    }
    for (int k = 0; k < floor_log2(core.size); k++) {
        const struct doubling_round with = round(how, core.index, k);
        const int peer = core_rank(&core, with.index, 0);
        exchange(s, peer, mine, peer, tmp);
        reduce(s, out, with.is_right ? tmp : mine, with.is_right ? mine : tmp);
        mine = out;
    }
    if (core.partner >= 0)
        send_to(s, core.partner, out);
}

struct allfold_claim allfold_doubling_claim(const struct allfold_problem *problem)
{
    const int p = problem->group.size;
    const size_t lg = (size_t)floor_log2(p);
    const bool removes = (p & (p - 1)) != 0;
    return (struct allfold_claim){
        .rounds = lg + (removes ? 2 : 0),
        .sent = (lg + removes) * problem->count,
        .reduced = (lg + removes) * problem->count,
        .divisor = 1,
    };
}
