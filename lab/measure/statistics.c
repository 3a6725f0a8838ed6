/* Nonparametric statistics (see statistics.h). */
#include "lab/measure/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int allfold_median_rank(int count, double confidence)
{
    /* what the products of many roundings may be off by */
    const double slack = 1e-12;
    double below = 0; /* the chance of fewer than j samples below the median */
    int j = 0;
    while (2 * (j + 1) <= count) {
        below +=
            exp(lgamma(count + 1.0) - lgamma(j + 1.0) - lgamma(count - j + 1.0) - count * log(2));
        if (1 - 2 * below < confidence - slack)
            break;
        j++;
    }
    return j;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* The value that a share of the sorted samples is below, between two of them in proportion. */
static double quantile(const double *sorted, int count, double share)
{
    const double at = share * (count - 1);
    const int index = (int)at;
    if (index + 1 >= count)
        return sorted[count - 1];
    return sorted[index] + (at - index) * (sorted[index + 1] - sorted[index]);
}

static void fill(struct allfold_statistics *s, const double *sorted, double confidence)
{
    const int n = s->count, j = allfold_median_rank(n, confidence);
    double squares = 0;
    s->least = sorted[0];
    s->most = sorted[n - 1];
    for (int i = 0; i < n; i++)
        s->mean += sorted[i] / n;
    for (int i = 0; i < n; i++)
        squares += (sorted[i] - s->mean) * (sorted[i] - s->mean);
    s->deviation = n > 1 ? sqrt(squares / (n - 1)) : 0;
    s->median = quantile(sorted, n, 0.5);
    s->first = quantile(sorted, n, 0.25);
    s->third = quantile(sorted, n, 0.75);
    s->most_of_99 = sorted[(int)ceil(0.99 * n) - 1];
    s->has_interval = j > 0;
    s->from = sorted[j > 0 ? j - 1 : 0];
    s->to = sorted[j > 0 ? n - j : n - 1];
    assert(s->least <= s->first && s->first <= s->median && s->median <= s->third);
    assert(s->from <= s->median && s->median <= s->to && s->third <= s->most);
    const double fence = 1.5 * (s->third - s->first);
    for (int i = 0; i < n; i++) {
        s->low += sorted[i] < s->first - fence;
        s->high += sorted[i] > s->third + fence;
    }
}

bool allfold_statistics_of(const double *samples, int count, double confidence,
                           struct allfold_statistics *statistics)
{
    *statistics = (struct allfold_statistics){.count = count};
    if (count == 0)
        return true;
    double *sorted = malloc((size_t)count * sizeof *sorted);
    if (sorted == NULL)
        return false;
    memcpy(sorted, samples, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    fill(statistics, sorted, confidence);
    free(sorted);
    return true;
}

bool allfold_is_precise(const struct allfold_statistics *statistics,
                        const struct allfold_effort *effort)
{
    return statistics->has_interval &&
           statistics->to - statistics->from <= effort->width * statistics->median;
}

bool allfold_is_disturbed(double from, double to)
{
    const double widest = 2;
    return !isfinite(to) || to > widest * from;
}

bool allfold_needs_more(const struct allfold_statistics *statistics,
                        const struct allfold_effort *effort, double spent_s)
{
    if (statistics->count < effort->least)
        return true;
    return statistics->count < effort->most && spent_s < effort->longest_s &&
           !allfold_is_precise(statistics, effort);
}
