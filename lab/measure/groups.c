/* Node groups from message times (see groups.h). */
#include "lab/measure/groups.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_PAIRS = ALLFOLD_GROUPED_NODES * (ALLFOLD_GROUPED_NODES - 1) / 2 };

static const double CLEARLY = 1.5, MOSTLY = 0.9;

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count == 0 ? 0 : (values[count / 2] + values[(count - 1) / 2]) / 2;
}

/* Nodes with a way over pairs that take no longer than `most_s` are of one group. */
static void link_nodes(const double *times_s, int n, double most_s, struct allfold_groups *groups)
{
    int number[ALLFOLD_GROUPED_NODES];
    for (int a = 0; a < n; a++)
        groups->group_of[a] = a;
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++) {
            const int of_a = groups->group_of[a], of_b = groups->group_of[b];
            const int first = of_a < of_b ? of_a : of_b;
            if (times_s[a * n + b] > most_s || of_a == of_b)
                continue;
            for (int c = 0; c < n; c++)
                if (groups->group_of[c] == of_a || groups->group_of[c] == of_b)
                    groups->group_of[c] = first;
        }
    groups->count = 0;
    for (int a = 0; a < n; a++) {
        if (groups->group_of[a] == a)
            number[a] = groups->count++;
        groups->group_of[a] = number[groups->group_of[a]];
    }
}

/* Has each group two nodes or more? One node apart is rather disturbed than far. */
static bool has_no_single(int n, const struct allfold_groups *groups)
{
    int size[ALLFOLD_GROUPED_NODES] = {0};
    for (int a = 0; a < n; a++)
        size[groups->group_of[a]]++;
    for (int i = 0; i < groups->count; i++)
        if (size[i] < 2)
            return false;
    return true;
}

/* Do pairs of a group take no longer, and others longer? Fills in the medians. */
static bool is_clear(const double *times_s, int n, double most_s, struct allfold_groups *groups)
{
    double inside[MOST_PAIRS], between[MOST_PAIRS];
    int inside_count = 0, between_count = 0, wrong_inside = 0, wrong_between = 0;
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++) {
            const double time_s = times_s[a * n + b];
            if (groups->group_of[a] == groups->group_of[b]) {
                inside[inside_count++] = time_s;
                wrong_inside += time_s > most_s;
            } else {
                between[between_count++] = time_s;
                wrong_between += time_s <= most_s;
            }
        }
    groups->inside_s = median(inside, inside_count);
    groups->between_s = median(between, between_count);
    return inside_count > 0 && between_count > 0 &&
           groups->between_s >= CLEARLY * groups->inside_s &&
           wrong_inside <= (1 - MOSTLY) * inside_count &&
           wrong_between <= (1 - MOSTLY) * between_count;
}

struct allfold_groups allfold_groups_find(const double *times_s, int n)
{
    double sorted[MOST_PAIRS];
    struct allfold_groups best = {.count = 1};
    double widest = CLEARLY;
    int pairs = 0;
    assert(n <= ALLFOLD_GROUPED_NODES);
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++)
            sorted[pairs++] = times_s[a * n + b];
    best.inside_s = best.between_s = median(sorted, pairs);
    for (int i = 0; i + 1 < pairs; i++) {
        struct allfold_groups tried;
        const double gap = sorted[i] > 0 ? sorted[i + 1] / sorted[i] : 0;
        if (gap < 1.1) /* one time in the middle must not hide a gap */
            continue;
        link_nodes(times_s, n, sorted[i], &tried);
        if (tried.count < 2 || !has_no_single(n, &tried) ||
            !is_clear(times_s, n, sorted[i], &tried) || tried.between_s / tried.inside_s < widest)
            continue;
        widest = tried.between_s / tried.inside_s;
        best = tried;
    }
    return best;
}

bool allfold_groups_are_alike(const struct allfold_groups *a, const struct allfold_groups *b, int n)
{
    bool are_alike = a->count == b->count;
    for (int i = 0; i < n && are_alike && a->count > 1; i++)
        are_alike = a->group_of[i] == b->group_of[i];
    return are_alike;
}
