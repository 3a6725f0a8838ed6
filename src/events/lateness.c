/* Bins, the heap of the worst calls and the map (see lateness.h). */
#include "events/lateness.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

/* Widths are this one, doubled some times, so bins of one rank are whole bins of another. */
static const double first_bin_s = 1.0 / 1024;

static void double_bins(struct allfold_late_bins *bins)
{
    double *late_s = bins->late_s;
    for (int i = 0; i < ALLFOLD_LATE_BINS; i++)
        late_s[i] = 2 * i < ALLFOLD_LATE_BINS ? late_s[2 * i] + late_s[2 * i + 1] : 0;
    bins->bin_s *= 2;
}

void allfold_late_bins_widen(struct allfold_late_bins *bins, double bin_s)
{
    assert(isfinite(bin_s));
    if (bins->bin_s == 0)
        bins->bin_s = first_bin_s;
    while (bins->bin_s < bin_s)
        double_bins(bins);
}

void allfold_late_bins_add(struct allfold_late_bins *bins, double from_s, double to_s)
{
    from_s = from_s < 0 ? 0 : from_s;
    if (!(to_s > from_s))
        return;
    /* one more, as a time at the very end may be rounded up into the next bin */
    if (to_s >= bins->bin_s * (ALLFOLD_LATE_BINS - 1))
        allfold_late_bins_widen(bins, to_s / (ALLFOLD_LATE_BINS - 1));
    const double a_second = 1 / bins->bin_s; /* exact: widths are powers of two */
    const int first = (int)(from_s * a_second), last = (int)(to_s * a_second);
    assert(first <= last && last < ALLFOLD_LATE_BINS);
    for (int i = first; i <= last; i++) {
        const double begin_s = i == first ? from_s : i * bins->bin_s;
        const double end_s = i == last ? to_s : (i + 1) * bins->bin_s;
        bins->late_s[i] += end_s - begin_s;
    }
}

void allfold_late_bins_shares(const struct allfold_late_bins *bins, float shares[ALLFOLD_LATE_BINS])
{
    for (int i = 0; i < ALLFOLD_LATE_BINS; i++) {
        const double share = bins->bin_s > 0 ? bins->late_s[i] / bins->bin_s : 0;
        shares[i] = share > 1 ? 1 : (float)share; /* threads may be late in calls side by side */
    }
}

/* Of calls that are alike all ranks keep the same. */
static bool is_worse(const struct allfold_worst_call *a, const struct allfold_worst_call *b)
{
    if (a->lost_s != b->lost_s)
        return a->lost_s > b->lost_s;
    return a->when_s != b->when_s ? a->when_s < b->when_s : a->rank < b->rank;
}

/* Sifts the first call down until the calls are a heap again. */
static void sink(struct allfold_worst *worst, struct allfold_worst_call call)
{
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < worst->count; at = child) {
        if (child + 1 < worst->count && is_worse(&worst->calls[child], &worst->calls[child + 1]))
            child++;
        if (!is_worse(&call, &worst->calls[child]))
            break;
        worst->calls[at] = worst->calls[child];
    }
    worst->calls[at] = call;
}

void allfold_worst_add(struct allfold_worst *worst, const struct allfold_worst_call *call)
{
    if (worst->count == ALLFOLD_WORST_CALLS) {
        if (is_worse(call, &worst->calls[0]))
            sink(worst, *call);
        return;
    }
    uint32_t at = worst->count++;
    for (; at > 0 && is_worse(&worst->calls[(at - 1) / 2], call); at = (at - 1) / 2)
        worst->calls[at] = worst->calls[(at - 1) / 2];
    worst->calls[at] = *call;
}

void allfold_worst_merge(struct allfold_worst *into, const struct allfold_worst *other)
{
    for (uint32_t i = 0; i < other->count; i++)
        allfold_worst_add(into, &other->calls[i]);
}

static int compare_calls(const void *left, const void *right)
{
    return is_worse(left, right) ? -1 : is_worse(right, left);
}

void allfold_worst_sort(struct allfold_worst *worst)
{
    qsort(worst->calls, worst->count, sizeof *worst->calls, compare_calls);
}

int allfold_late_row_of(int item, int items)
{
    const int each = (items - 1) / ALLFOLD_LATE_ROWS + 1;
    assert(item >= 0 && item < items);
    return item / each;
}

void allfold_late_map_name(struct allfold_late_map *map, int item, int items, const char *node)
{
    const int r = allfold_late_row_of(item, items);
    struct allfold_late_row *row = &map->list[r];
    assert(r <= map->rows && map->rows <= ALLFOLD_LATE_ROWS);
    if (r == map->rows) {
        map->rows++;
        row->first = item;
        snprintf(row->node, sizeof row->node, "%s", node);
    } else if (strcmp(row->node, node) != 0) {
        *row->node = '\0';
    }
    row->last = item;
}

int allfold_late_bins_reached(const struct allfold_late_map *map, double run_s)
{
    const double bins = map->bin_s > 0 ? ceil(run_s / map->bin_s) : ALLFOLD_LATE_BINS;
    return bins < 1 ? 1 : bins < ALLFOLD_LATE_BINS ? (int)bins : ALLFOLD_LATE_BINS;
}

/* --- as other ranks see it --- */

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
