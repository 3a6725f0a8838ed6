/* Contests between algorithms (see contest.h). */
#include "lab/measure/contest.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool is_same(const struct allfold_contest_entry *a, const struct allfold_contest_entry *b)
{
    return a->algorithm == b->algorithm &&
           (a->algorithm == NULL ||
            memcmp(&a->parameters, &b->parameters, sizeof a->parameters) == 0);
}

const struct allfold_contest_entry *allfold_contest_find(const struct allfold_contest *contest,
                                                         const struct allfold_contest_entry *entry)
{
    for (int i = 0; i < contest->count; i++)
        if (is_same(&contest->entries[i], entry))
            return &contest->entries[i];
    return NULL;
}

const struct allfold_contest_entry *allfold_contest_native(const struct allfold_contest *contest)
{
    const struct allfold_contest_entry native = {.algorithm = NULL};
    return allfold_contest_find(contest, &native);
}

static bool beats_native(const struct allfold_contest *contest,
                         const struct allfold_contest_entry *entry)
{
    const struct allfold_contest_entry *native = allfold_contest_native(contest);
    return entry->algorithm != NULL && (native == NULL || entry->high_us < native->low_us);
}

int allfold_contest_winner(const struct allfold_contest *contest)
{
    int best = -1, native = -1;
    for (int i = 0; i < contest->count; i++) {
        const struct allfold_contest_entry *entry = &contest->entries[i];
        if (entry->algorithm == NULL)
            native = i;
        else if (beats_native(contest, entry) &&
                 (best < 0 || entry->median_us < contest->entries[best].median_us))
            best = i;
    }
    return best < 0 ? native : best;
}

/* The time next to the winner's; 0 where it is not good enough there, or was not measured. */
static double share_of(const struct allfold_contest *contest,
                       const struct allfold_contest_entry *entry, double tolerance)
{
    const struct allfold_contest_entry *own = allfold_contest_find(contest, entry);
    if (own == NULL)
        return 0;
    const struct allfold_contest_entry *winner = &contest->entries[allfold_contest_winner(contest)];
    if (own == winner)
        return 1;
    const double share = own->median_us / winner->median_us;
    return beats_native(contest, own) && share <= 1 + tolerance ? share : 0;
}

/* How many contests, from the first on, an entry of the first is good enough for; *sum is of its
 * shares in so many of them. */
static int reach_of(const struct allfold_contest *contests, int count,
                    const struct allfold_contest_entry *entry, double tolerance, int most,
                    double *sum)
{
    int reached = 0;
    *sum = 0;
    for (; reached < count && reached < most; reached++) {
        const double share = share_of(&contests[reached], entry, tolerance);
        const bool follows =
            reached == 0 || contests[reached - 1].to_bytes == contests[reached].from_bytes;
        if (share <= 0 || !follows)
            break;
        *sum += share;
    }
    return reached;
}

static struct allfold_contest_row row_of(const struct allfold_contest *contests, int reach,
                                         const struct allfold_contest_entry *entry)
{
    assert(reach >= 1); /* an entry is good enough for the size that it wins */
    const struct allfold_contest *middle = &contests[reach / 2];
    const struct allfold_contest_entry *shown = allfold_contest_find(middle, entry);
    const struct allfold_contest_entry *native = allfold_contest_native(middle);
    assert(shown != NULL && contests[0].from_bytes < contests[reach - 1].to_bytes);
    return (struct allfold_contest_row){.from_bytes = contests[0].from_bytes,
                                        .to_bytes = contests[reach - 1].to_bytes,
                                        .algorithm = entry->algorithm,
                                        .parameters = entry->parameters,
                                        .us = shown->median_us,
                                        .native_us = native == NULL ? 0 : native->median_us,
                                        .samples = shown->samples};
}

/* How much less the first one takes than the second; against the native algorithm, of what is
 * certain. 0 where one of them was not measured. */
static double lead_of(const struct allfold_contest *contest,
                      const struct allfold_contest_entry *first,
                      const struct allfold_contest_entry *second)
{
    const struct allfold_contest_entry *one = allfold_contest_find(contest, first);
    const struct allfold_contest_entry *other = allfold_contest_find(contest, second);
    if (one == NULL || other == NULL)
        return 0;
    if (one->algorithm == NULL)
        return log(other->high_us / one->low_us);
    if (other->algorithm == NULL)
        return log(other->low_us / one->high_us);
    return log(other->median_us / one->median_us);
}

/* Where the second one overtakes the first between two sizes; else what it was. */
static size_t border_of(const struct allfold_contest *before, const struct allfold_contest *after,
                        const struct allfold_contest_entry *first,
                        const struct allfold_contest_entry *second)
{
    const double lead = lead_of(before, first, second), lag = lead_of(after, second, first);
    if (before->to_bytes != after->from_bytes || !(lead > 0) || !(lag > 0))
        return before->to_bytes;
    const double factor = log((double)after->bytes / (double)before->bytes);
    const size_t border = (size_t)ceil((double)before->bytes * exp(factor * lead / (lead + lag)));
    return border <= before->bytes ? before->bytes + 1
           : border > after->bytes ? after->bytes
                                   : border;
}

/* The row that reaches furthest is the longest that any could be, so the rows are as few as can be.
 */
int allfold_contest_rows(const struct allfold_contest *contests, int count, double tolerance,
                         struct allfold_contest_row *rows)
{
    const struct allfold_contest_entry *last = NULL;
    int made = 0;
    for (int at = 0; at < count;) {
        const struct allfold_contest *first = &contests[at];
        double sum, least = 0;
        int reach = 0, chosen = -1;
        for (int i = 0; i < first->count; i++) {
            const int own = reach_of(first, count - at, &first->entries[i], tolerance, count, &sum);
            if (own < reach || own == 0 || (own == reach && sum >= least))
                continue;
            reach = own;
            least = sum;
            chosen = i;
        }
        if (chosen >= 0) {
            rows[made] = row_of(first, reach, &first->entries[chosen]);
            if (last != NULL && rows[made - 1].to_bytes == rows[made].from_bytes)
                rows[made - 1].to_bytes = rows[made].from_bytes =
                    border_of(first - 1, first, last, &first->entries[chosen]);
            last = &first->entries[chosen];
            made++;
        }
        at += reach > 0 ? reach : 1;
    }
    return made;
}
