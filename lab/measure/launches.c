/* Combines the contests of several launches (see launches.h). */
#include "lab/measure/launches.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The median; of an even number the greater one of the two in the middle. Sorts them. */
static double middle(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return values[count / 2];
}

/* Without the native algorithm, nothing of a launch can be compared. */
static const struct allfold_contest_entry *find(const struct allfold_contest *launch,
                                                const struct allfold_contest_entry *entry)
{
    if (launch == NULL || allfold_contest_native(launch) == NULL)
        return NULL;
    return allfold_contest_find(launch, entry);
}

/* Was it measured in more than half of the launches? */
static bool is_contender(const struct allfold_contest *const *launches, int count,
                         const struct allfold_contest_entry *entry)
{
    int having = 0;
    for (int i = 0; i < count; i++)
        having += find(launches[i], entry) != NULL;
    return 2 * having > count;
}

/* The least time in each launch of what is in more than half of them; infinite where there is none.
 */
static void find_fastest(const struct allfold_contest *const *launches, int count, double *us)
{
    for (int i = 0; i < count; i++) {
        us[i] = INFINITY;
        for (int j = 0; launches[i] != NULL && j < launches[i]->count; j++)
            if (is_contender(launches, count, &launches[i]->entries[j]))
                us[i] = fmin(us[i], launches[i]->entries[j].median_us);
    }
}

/* Its times are next to those of the fastest, the ends of its interval next to the native
 * algorithm: to the end that is the worse one for it. */
static struct allfold_contest_entry pool_entry(const struct allfold_contest *const *launches,
                                               int count, const double *fastest_us,
                                               const struct allfold_contest_entry *entry)
{
    double shares[ALLFOLD_LAUNCHES], from[ALLFOLD_LAUNCHES], to[ALLFOLD_LAUNCHES];
    struct allfold_contest_entry pooled = *entry;
    pooled.samples = 0;
    for (int i = 0; i < count; i++) {
        const struct allfold_contest_entry *own = find(launches[i], entry);
        shares[i] = from[i] = to[i] = INFINITY;
        if (own == NULL)
            continue;
        const struct allfold_contest_entry *native = allfold_contest_native(launches[i]);
        shares[i] = own->median_us / fastest_us[i];
        from[i] = own->low_us / native->high_us;
        to[i] = own->high_us / native->low_us;
        pooled.samples += own->samples;
    }
    pooled.median_us = middle(shares, count);
    pooled.low_us = middle(from, count);
    pooled.high_us = middle(to, count);
    return pooled;
}

/* All but the native algorithm, which is there, at the scale of both. */
static void add_others(const struct allfold_contest *const *launches, int count,
                       const double *fastest_us, double unit_us, struct allfold_contest *pooled)
{
    const double native_us = pooled->entries[0].median_us;
    for (int i = 0; i < count; i++)
        for (int j = 0; launches[i] != NULL && j < launches[i]->count; j++) {
            const struct allfold_contest_entry *own = &launches[i]->entries[j];
            if (!is_contender(launches, count, own) || allfold_contest_find(pooled, own) != NULL ||
                pooled->count == ALLFOLD_CONTEST_ENTRIES)
                continue;
            struct allfold_contest_entry entry = pool_entry(launches, count, fastest_us, own);
            entry.median_us *= unit_us;
            entry.low_us *= native_us;
            entry.high_us *= native_us;
            pooled->entries[pooled->count++] = entry;
        }
}

bool allfold_launches_pool(const struct allfold_contest *const *launches, int count,
                           struct allfold_contest *pooled)
{
    const struct allfold_contest_entry own = {.algorithm = NULL};
    double fastest_us[ALLFOLD_LAUNCHES], sorted[ALLFOLD_LAUNCHES];
    assert(count >= 1 && count <= ALLFOLD_LAUNCHES);
    *pooled = (struct allfold_contest){.count = 0};
    if (!is_contender(launches, count, &own))
        return false;
    for (int i = 0; i < count; i++)
        if (launches[i] != NULL)
            *pooled = *launches[i];
    find_fastest(launches, count, fastest_us);
    memcpy(sorted, fastest_us, sizeof sorted);
    const double unit_us = middle(sorted, count);
    struct allfold_contest_entry native = pool_entry(launches, count, fastest_us, &own);
    native.median_us *= unit_us;
    native.low_us = native.high_us = native.median_us; /* the others' are next to it */
    pooled->count = 1;
    pooled->entries[0] = native;
    add_others(launches, count, fastest_us, unit_us, pooled);
    return true;
}
