/* An allreduce over the levels of a recursion (see level_walks.h). */
#include "algorithms/level_walks.h"

#include "algorithms/multiplying.h"
#include "schedule/verbs.h"

/* The rank that stays of a pair has the pair's reduction in OUT, and true comes back. */
static bool remove_pair(struct allfold_builder *s, const struct core *core, int r, size_t n,
                        bool halves, struct allfold_span tmp)
{
    const struct allfold_span in = span(ALLFOLD_IN, 0, n), out = span(ALLFOLD_OUT, 0, n);
    if (halves)
        return allfold_remove_pair(s, core, r, n, out, tmp);
    if (core->index < 0) {
        send_to(s, core->partner, in);
        return false;
    }
    recv_from(s, core->partner, part(tmp, 0, n));
    reduce(s, out, in, part(tmp, 0, n));
    return true;
}

void allfold_levels_allreduce(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct levels *levels)
{
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span in = span(ALLFOLD_IN, 0, n), out = span(ALLFOLD_OUT, 0, n);
    const struct core core = core_of_size(p, levels->core, r, 0);
    const struct allfold_span tmp = scratch(s, allfold_levels_room(levels, n));
    const bool is_paired = core.partner >= 0;

    if (p == 1)
        copy(s, out, in);
    if (is_paired && !remove_pair(s, &core, r, n, levels->level[0].scatters, tmp)) {
        recv_from(s, core.partner, out);
        return;
    }
    struct bounds held[ALLFOLD_MAX_FACTORS + 1] = {{0, n}};
    struct digit digit[ALLFOLD_MAX_FACTORS];
    for (int i = 0, stride = 1; i < levels->count; stride *= levels->level[i++].radix) {
        digit[i] = allfold_digit(core.index, levels->level[i].radix, stride);
        held[i + 1] = allfold_multiply(s, &core, &digit[i], levels->level[i].scatters, held[i],
                                       i == 0 && !is_paired ? in : out, out, tmp);
    }
    for (int i = levels->count - 1; i >= 0; i--)
        if (levels->level[i].scatters)
            allfold_collect(s, &core, &digit[i], held[i], out);
    if (is_paired)
        send_to(s, core.partner, out);
}
