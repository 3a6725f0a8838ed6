/* The figures of a report (see report_figures.h). */
#include "events/report_figures.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char allfold_mode_nonblocking[] = "nonblocking", allfold_mode_persistent[] = "persistent";
const char allfold_needs_nonblocking[] = "without ALLFOLD_NONBLOCKING=1";

const char *allfold_report_collective_name(enum allfold_collective collective)
{
    static const char *const passed[] = {
#define TEXT(name, Name, NAME, destinations, send, receive) #name,
        ALLFOLD_PASSED(TEXT)
#undef TEXT
    };
    assert(collective < ALLFOLD_COLLECTIVE_COUNT + sizeof passed / sizeof *passed);
    return collective < ALLFOLD_COLLECTIVE_COUNT ? allfold_collective_name(collective)
                                                 : passed[collective - ALLFOLD_COLLECTIVE_COUNT];
}

void allfold_report_add_starts(struct allfold_starts_sum *into,
                               const struct allfold_starts_sum *more)
{
    into->calls += more->calls;
    into->last += more->last;
    into->flight_s += more->flight_s;
    into->before_s += more->before_s;
    into->awaited_s += more->awaited_s;
    into->behind_s += more->behind_s;
    into->chance_s += more->chance_s;
    into->squares += more->squares;
}

int allfold_report_size_class(size_t bytes)
{
    return bytes <= 1 ? (int)bytes : 65 - __builtin_clzll(bytes - 1);
}

struct allfold_report_row allfold_report_mean_row(const struct allfold_report_row *row)
{
    struct allfold_report_row mean = *row;
    const struct allfold_row_sums *all = &row->all_ranks;
    struct allfold_figures *figures = &mean.figures;
    const double ranks = all->ranks;
    if (all->ranks == 0)
        return mean;
    mean.moved_bytes = all->bytes / ranks;
    figures->calls = (uint64_t)((double)all->calls / ranks + 0.5);
    figures->seconds = all->seconds / ranks;
    figures->waiting_s = all->waiting_s / ranks;
    figures->moving_s = all->moving_s / ranks;
    figures->flight_s = all->flight_s / ranks;
    figures->awaited_s = all->awaited_s / ranks;
    figures->starts = all->starts;
    figures->starts.calls = (uint64_t)((double)all->starts.calls / ranks + 0.5);
    figures->starts.before_s /= ranks;
    figures->starts.awaited_s /= ranks;
    return mean;
}

void allfold_report_merge(struct allfold_report_row *into, const struct allfold_report_row *row)
{
    assert(row->collective == into->collective && row->p == into->p);
    if (row->least_bytes < into->least_bytes)
        into->least_bytes = row->least_bytes;
    if (row->most_bytes > into->most_bytes)
        into->most_bytes = row->most_bytes;
    into->moved_bytes += row->moved_bytes;
    into->figures.calls += row->figures.calls;
    into->figures.seconds += row->figures.seconds;
    into->figures.waiting_s += row->figures.waiting_s;
    into->figures.moving_s += row->figures.moving_s;
    into->figures.flight_s += row->figures.flight_s;
    into->figures.awaited_s += row->figures.awaited_s;
    allfold_report_add_starts(&into->figures.starts, &row->figures.starts);
    struct allfold_figures *figures = &into->figures;
    for (uint32_t i = 0; i < row->figures.samples && figures->samples < ALLFOLD_MAX_SAMPLES; i++) {
        figures->ours_us[figures->samples] = row->figures.ours_us[i];
        figures->native_us[figures->samples] = row->figures.native_us[i];
        figures->samples++;
    }
    figures->op_calls += row->figures.op_calls;
    figures->op_bytes += row->figures.op_bytes;
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
    summary->calls += figures->calls;
    summary->split += figures->split;
    summary->seconds += figures->seconds;
    summary->waiting_s += figures->waiting_s;
    summary->moving_s += figures->moving_s;
    summary->behind_s += figures->behind_s;
    summary->switches += figures->switches;
    summary->sharing += figures->shares_cores;
    summary->flight_s += figures->flight_s;
    summary->awaited_s += figures->awaited_s;
    allfold_report_add_starts(&summary->starts, &figures->starts);
    if (figures->error_s > summary->error_s)
        summary->error_s = figures->error_s;
}

void allfold_report_add_latest(struct allfold_report_summary *summary, int rank,
                               const struct allfold_report_rank *figures)
{
    int place = summary->latest_count;
    while (place > 0 && summary->latest[place - 1].figures.behind_s < figures->behind_s)
        place--;
    if (place == ALLFOLD_LATEST_RANKS || figures->last == 0)
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
    if (figures->starts.behind_s > summary->last_starter.starts.behind_s) {
        summary->last_starter.rank = rank;
        summary->last_starter.starts = figures->starts;
        snprintf(summary->last_starter.node, sizeof summary->last_starter.node, "%s",
                 figures->node);
    }
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
    const struct allfold_figures *figures = &row->figures;
    if (figures->op_bytes <= 0 || figures->calls == 0)
        return 0;
    return row->moved_bytes / (double)figures->calls * (double)figures->op_calls /
           figures->op_bytes;
}

double allfold_report_overlapped(const struct allfold_figures *figures)
{
    const double left_s = figures->flight_s - figures->awaited_s;
    return left_s > 0 ? left_s / figures->flight_s : 0;
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
        const struct allfold_figures *figures = &rows[i].figures;
        const double bytes = figures->calls == 0 ? 0 : rows[i].moved_bytes / (double)figures->calls;
        const double factor = factor_of_copies(rows[i].collective, bytes);
        if (factor <= 1 || figures->calls == 0 || strcmp(rows[i].algorithm, "native") == 0)
            continue;
        /* a copy that is saved makes no late rank come sooner */
        const double busy_s = figures->waiting_s + figures->moving_s > 0
                                  ? figures->moving_s
                                  : figures->seconds - figures->starts.awaited_s;
        sum.calls += figures->calls;
        sum.seconds += busy_s > 0 ? busy_s : 0;
        sum.saved_s += busy_s > 0 ? busy_s * (1 - 1 / factor) : 0;
    }
    return sum;
}
