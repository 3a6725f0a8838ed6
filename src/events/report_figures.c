/* Merges, sorts and names the data of a report (see report_figures.h). */
#include "events/report_figures.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/quantity.h"

const char allfold_mode_nonblocking[] = "nonblocking", allfold_mode_persistent[] = "persistent";
const char allfold_needs_nonblocking[] = "without ALLFOLD_NONBLOCKING=1";

const char *allfold_report_collective_name(enum allfold_collective collective)
{
    static const char *const passed[] = {
#define PASSED(name, Name, NAME, destinations, send, receive) #name,
#include "mpi/collectives.def"
    };
    assert((unsigned)collective < ALLFOLD_ALL_COLLECTIVES);
    return collective < ALLFOLD_COLLECTIVE_COUNT ? allfold_collective_name(collective)
                                                 : passed[collective - ALLFOLD_COLLECTIVE_COUNT];
}

int allfold_report_size_class(size_t bytes)
{
    return bytes <= 1 ? (int)bytes : 65 - __builtin_clzll(bytes - 1);
}

struct allfold_report_row allfold_report_mean_row(const struct allfold_report_row *row)
{
    struct allfold_report_row mean = *row;
    if (row->ranks == 0)
        return mean;
    mean.sums = (struct allfold_sums){.calls = 0};
    allfold_sums_add(&mean.sums, &row->all_ranks, 1.0 / row->ranks);
    mean.sums.calls = floor(mean.sums.calls + 0.5);
    return mean;
}

void allfold_report_merge(struct allfold_report_row *into, const struct allfold_report_row *row)
{
    assert(row->collective == into->collective && row->p == into->p);
    if (row->least_bytes < into->least_bytes)
        into->least_bytes = row->least_bytes;
    if (row->most_bytes > into->most_bytes)
        into->most_bytes = row->most_bytes;
    allfold_sums_add(&into->sums, &row->sums, 1);
    struct allfold_figures *figures = &into->figures;
    for (uint32_t i = 0; i < row->figures.samples && figures->samples < ALLFOLD_MAX_SAMPLES; i++) {
        figures->ours_us[figures->samples] = row->figures.ours_us[i];
        figures->native_us[figures->samples] = row->figures.native_us[i];
        figures->samples++;
    }
    figures->bits_compared += row->figures.bits_compared;
    figures->bits_differ += row->figures.bits_differ;
}

void allfold_report_add_finding(struct allfold_report_findings *found,
                                const struct allfold_report_finding *finding)
{
    uint32_t i = 0;
    while (i < found->count &&
           (found->list[i].collective != finding->collective || found->list[i].p != finding->p ||
            found->list[i].bytes != finding->bytes ||
            strcmp(found->list[i].chosen, finding->chosen) != 0 ||
            strcmp(found->list[i].better, finding->better) != 0))
        i++;
    if (i == ALLFOLD_MOST_FINDINGS)
        return;
    found->list[i] = *finding;
    found->count += i == found->count;
}

void allfold_report_add_sums(struct allfold_report_summary *summary,
                             const struct allfold_report_rank *figures)
{
    summary->ranks++;
    allfold_sums_add(&summary->sums, &figures->sums, 1);
    summary->switches += figures->switches;
    summary->sharing += figures->shares_cores;
    if (figures->error_s > summary->error_s)
        summary->error_s = figures->error_s;
}

void allfold_report_add_latest(struct allfold_report_summary *summary, int rank,
                               const struct allfold_report_rank *figures)
{
    int place = summary->latest_count;
    while (place > 0 && summary->latest[place - 1].figures.sums.behind_s < figures->sums.behind_s)
        place--;
    if (place == ALLFOLD_LATEST_RANKS || figures->sums.last <= 0)
        return;
    if (summary->latest_count < ALLFOLD_LATEST_RANKS)
        summary->latest_count++;
    for (int i = summary->latest_count - 1; i > place; i--)
        summary->latest[i] = summary->latest[i - 1];
    summary->latest[place].rank = rank;
    summary->latest[place].figures = *figures;
}

void allfold_report_add_rank(struct allfold_report_summary *summary, int rank,
                             const struct allfold_report_rank *figures)
{
    allfold_report_add_sums(summary, figures);
    allfold_report_add_latest(summary, rank, figures);
}

static int compare_rows(const void *left, const void *right)
{
    const struct allfold_report_row *a = left, *b = right;
    if (a->phase != b->phase)
        return (uintptr_t)a->phase < (uintptr_t)b->phase ? -1 : 1;
    if (a->collective != b->collective)
        return a->collective < b->collective ? -1 : 1;
    if (a->p != b->p)
        return a->p < b->p ? 1 : -1;
    return a->least_bytes < b->least_bytes ? -1 : a->least_bytes > b->least_bytes;
}

void allfold_report_sort(struct allfold_report_row *rows, uint32_t count)
{
    if (count > 0)
        qsort(rows, count, sizeof *rows, compare_rows);
}

void allfold_report_name_call(const struct allfold_report_row *row,
                              char name[ALLFOLD_CALL_NAME_BYTES])
{
    const bool is_nonblocking = row->mode == allfold_mode_nonblocking;
    snprintf(name, ALLFOLD_CALL_NAME_BYTES, "%s%s%s", is_nonblocking ? "i" : "",
             allfold_report_collective_name(row->collective),
             row->mode == NULL || is_nonblocking ? "" : "_init");
}

void allfold_report_name_sizes(const struct allfold_report_row *row,
                               char sizes[ALLFOLD_SIZES_BYTES])
{
    char least[32], most[32];
    const bool one = row->least_bytes == row->most_bytes;
    allfold_size_write(row->least_bytes, least, sizeof least);
    allfold_size_write(row->most_bytes, most, sizeof most);
    snprintf(sizes, ALLFOLD_SIZES_BYTES, "%s%s%s", least, one ? "" : "-", one ? "" : most);
}

void allfold_report_make_plain(char *name)
{
    for (char *c = name; *c != '\0'; c++)
        if (*c == '"' || *c == '\\' || (*c >= 0 && *c < ' '))
            *c = ' ';
}

static int compare_floats(const void *left, const void *right)
{
    const float a = *(const float *)left, b = *(const float *)right;
    return a < b ? -1 : a > b;
}

static double median(const float *values, uint32_t count)
{
    float sorted[ALLFOLD_MAX_SAMPLES];
    if (count == 0)
        return 0;
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_floats);
    return (sorted[count / 2] + sorted[(count - 1) / 2]) / 2.0;
}

struct allfold_comparison allfold_report_compare(const struct allfold_figures *figures)
{
    float gains[ALLFOLD_MAX_SAMPLES], saved_us[ALLFOLD_MAX_SAMPLES];
    for (uint32_t i = 0; i < figures->samples; i++) {
        gains[i] = figures->ours_us[i] > 0 ? figures->native_us[i] / figures->ours_us[i] : 0;
        saved_us[i] = figures->native_us[i] - figures->ours_us[i];
    }
    return (struct allfold_comparison){
        .ours_us = median(figures->ours_us, figures->samples),
        .native_us = median(figures->native_us, figures->samples),
        .gain = median(gains, figures->samples),
        .saved_us = median(saved_us, figures->samples),
    };
}

double allfold_report_pieces(const struct allfold_report_row *row)
{
    const struct allfold_sums *sums = &row->sums;
    return sums->op_bytes <= 0 || sums->calls <= 0
               ? 0
               : sums->bytes / sums->calls * sums->op_calls / sums->op_bytes;
}

double allfold_report_overlapped(const struct allfold_sums *sums)
{
    const double left_s = sums->flight_s - sums->awaited_s;
    return left_s > 0 ? left_s / sums->flight_s : 0;
}

/* The time of a call that copies its vectors over that of one that reads them in place: the least
 * quotient of the columns with and without `--one-copy` in docs/one_copy.md, rounded down, over
 * near and far cores and both MPI libraries. The quotients of a reduction to a root are Open MPI's,
 * as MPICH's own changes too much from run to run. Other collectives have those of Allreduce. */
static double factor_of_copies(enum allfold_collective collective, double bytes)
{
    static const struct {
        double least_bytes, allreduce, reduce, bcast;
    } factors[] = {{32 << 20, 1.57, 1.4, 1.12},
                   {4 << 20, 1.29, 1.4, 1.12},
                   {1 << 20, 1.33, 1.44, 1},
                   {256 << 10, 1.23, 1.11, 1.25},
                   {0, 1, 1, 1}};
    int i = 0;
    while (bytes < factors[i].least_bytes)
        i++;
    return collective == ALLFOLD_REDUCE  ? factors[i].reduce
           : collective == ALLFOLD_BCAST ? factors[i].bcast
                                         : factors[i].allreduce;
}

struct allfold_report_one_copy allfold_report_one_copy(const struct allfold_report_row *rows,
                                                       uint32_t count)
{
    struct allfold_report_one_copy sum = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_sums *of = &rows[i].sums;
        const double bytes = of->calls <= 0 ? 0 : of->bytes / of->calls;
        const double factor = factor_of_copies(rows[i].collective, bytes);
        if (factor <= 1 || of->calls <= 0 || strcmp(rows[i].algorithm, "native") == 0)
            continue;
        /* a copy that is saved makes no late rank come sooner */
        const double busy_s = of->waiting_s + of->moving_s > 0 ? of->moving_s : of->seconds;
        sum.calls += (uint64_t)of->calls;
        sum.seconds += busy_s > 0 ? busy_s : 0;
        sum.saved_s += busy_s > 0 ? busy_s * (1 - 1 / factor) : 0;
    }
    return sum;
}
