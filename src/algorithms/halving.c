/* Recursive vector halving, for allreduce and reduce (see halving.h). */
#include "algorithms/halving.h"

#include "schedule/verbs.h"

struct bounds allfold_half_of(struct bounds whole, bool second)
{
    size_t mid = whole.lo + (whole.hi - whole.lo) / 2;
    return second ? (struct bounds){mid, whole.hi} : (struct bounds){whole.lo, mid};
}

struct bounds allfold_halved(size_t n, int index, int distance)
{
    struct bounds kept = {0, n};
    for (int d = 1; d < distance; d *= 2)
        kept = allfold_half_of(kept, index & d);
    return kept;
}

bool allfold_remove_pair(struct allfold_builder *s, const struct core *core, int r, size_t n,
                         struct allfold_span result, struct allfold_span tmp)
{
    const bool is_upper = r > core->partner;
    const struct bounds all = {0, n};
    const struct bounds mine = allfold_half_of(all, is_upper),
                        theirs = allfold_half_of(all, !is_upper);
    const struct allfold_span my_in = range(ALLFOLD_IN, mine.lo, mine.hi);
    const struct allfold_span my_tmp = part(tmp, mine.lo, mine.hi - mine.lo);
    const struct allfold_span my_result = part(result, mine.lo, mine.hi - mine.lo);

    exchange(s, core->partner, range(ALLFOLD_IN, theirs.lo, theirs.hi), core->partner, my_tmp);
    if (is_upper)
        reduce(s, my_result, my_tmp, my_in);
    else
        reduce(s, my_result, my_in, my_tmp);

    if (core->index < 0)
        send_to(s, core->partner, my_result);
    else
        recv_from(s, core->partner, part(result, theirs.lo, theirs.hi - theirs.lo));
    return core->index >= 0;
}

void allfold_halve(struct allfold_builder *s, const struct core *core, int root, size_t n,
                   struct allfold_span result, bool from_result, struct allfold_span tmp)
{
    struct allfold_span mine = from_result ? result : span(ALLFOLD_IN, 0, n);
    struct bounds kept = {0, n};
    for (int distance = 1; distance < core->size; distance *= 2) {
        const bool second = core->index & distance;
        const struct bounds given = allfold_half_of(kept, !second);
        kept = allfold_half_of(kept, second);
        const size_t length = kept.hi - kept.lo;
        const int peer = core_rank(core, core->index ^ distance, root);

        exchange(s, peer, part(mine, given.lo, given.hi - given.lo), peer,
                 part(tmp, kept.lo, length));
        if (second)
            reduce(s, part(result, kept.lo, length), part(tmp, kept.lo, length),
                   part(mine, kept.lo, length));
        else
            reduce(s, part(result, kept.lo, length), part(mine, kept.lo, length),
                   part(tmp, kept.lo, length));
        mine = result;
    }
}

void allfold_join(struct allfold_builder *s, const struct core *core, int root, size_t n,
                  struct allfold_span result, int distance)
{
    const int peer_index = core->index ^ distance;
    const int peer = core_rank(core, peer_index, root);
    const struct bounds mine = allfold_halved(n, core->index, 2 * distance);
    const struct bounds theirs = allfold_halved(n, peer_index, 2 * distance);
    exchange(s, peer, part(result, mine.lo, mine.hi - mine.lo), peer,
             part(result, theirs.lo, theirs.hi - theirs.lo));
}

void allfold_gather_halves(struct allfold_builder *s, const struct core *core, int root, int to,
                           int first, size_t n, struct allfold_span result)
{
    const int apart = core->index ^ to;
    for (int distance = core->size / 2; distance >= 1; distance /= 2) {
        const int peer_index = core->index ^ distance;
        const int peer = peer_index == 0 ? first : core_rank(core, peer_index, root);
        const struct bounds mine = allfold_halved(n, core->index, 2 * distance);
        const struct bounds theirs = allfold_halved(n, peer_index, 2 * distance);
        if (apart & distance) {
            send_to(s, peer, part(result, mine.lo, mine.hi - mine.lo));
            return;
        }
        recv_from(s, peer, part(result, theirs.lo, theirs.hi - theirs.lo));
    }
}
