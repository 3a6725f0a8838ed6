/* Who came last (see latecomers.h). */
#include "events/latecomers.h"

#include <assert.h>

#include "util/memory.h"

struct allfold_latecomers *allfold_latecomers_make(int p)
{
    struct allfold_latecomers *made =
        allfold_allocate_zeroed(sizeof *made + 2 * (size_t)p * sizeof made->of[0]);
    if (made != NULL)
        made->p = p;
    return made;
}

void allfold_latecomers_add(struct allfold_latecomers *latecomers, int row,
                            const struct allfold_worst_call *call, uint32_t calls)
{
    assert(call->rank >= 0 && call->rank < latecomers->p && row < ALLFOLD_LATE_ROWS);
    const double behind_s = calls * call->behind_s;
    latecomers->of[call->rank].last += calls;
    latecomers->of[call->rank].behind_s += behind_s;
    latecomers->of[call->rank].squares += behind_s * behind_s;
    allfold_late_bins_add(&latecomers->bins[row], call->when_s - call->behind_s, call->when_s);
    if (allfold_worst_takes(&latecomers->worst, call->lost_s))
        allfold_worst_add(&latecomers->worst, call);
}

void allfold_latecomers_map(struct allfold_latecomers *latecomers, struct allfold_late_map *map)
{
    *map = (struct allfold_late_map){.rows = 0};
    for (int r = 0; r < ALLFOLD_LATE_ROWS; r++)
        if (latecomers->bins[r].bin_s > map->bin_s)
            map->bin_s = latecomers->bins[r].bin_s;
    for (int r = 0; r < ALLFOLD_LATE_ROWS; r++) {
        allfold_late_bins_widen(&latecomers->bins[r], map->bin_s);
        allfold_late_bins_shares(&latecomers->bins[r], map->late[r]);
    }
}
