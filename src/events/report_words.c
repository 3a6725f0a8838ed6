/* The sentences of a report (see report_words.h). Figures are means over the ranks, because a sum
 * over ranks is not a time that a user can observe. */
#include "events/report_words.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "events/late_test.h"
#include "util/quantity.h"

enum { TIME_BYTES = ALLFOLD_TIME_BYTES };

/* Three digits are what such figures are worth. Seconds alone, as in the tables: a reader compares
 * the figures with each other. */
const char *allfold_report_time(double seconds, char text[ALLFOLD_TIME_BYTES])
{
    snprintf(text, TIME_BYTES,
             seconds >= 100 || seconds <= 0 ? "%.0f s"
             : seconds >= 1e-3              ? "%.3g s"
                                            : "%.6f s",
             seconds);
    return text;
}

/* What belongs to a single call, as in the tables. */
static const char *write_us(double seconds, char text[ALLFOLD_TIME_BYTES])
{
    snprintf(text, TIME_BYTES, seconds >= 1e-4 ? "%.0f us" : "%.3g us", 1e6 * seconds);
    return text;
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static double mean(double sum, const struct allfold_report_summary *summary)
{
    return summary->ranks > 0 ? sum / summary->ranks : 0;
}

bool allfold_report_has_waiting(const struct allfold_report_summary *summary)
{
    const double share = 0.05;
    return summary->sums.split > 0 && summary->latest_count > 0 &&
           summary->sums.waiting_s >= share * (summary->sums.waiting_s + summary->sums.moving_s) &&
           summary->sums.waiting_s > summary->error_s * (double)summary->sums.split;
}

/* What the MPI library would need for what was moved, if some calls were compared; else less than
 * 0. */
static double compared_native_s(const struct allfold_report_row *rows, uint32_t count)
{
    double seconds = 0;
    bool is_compared = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_sums *of = &rows[i].sums;
        /* the difference of a call, not the ratio: what else delays calls delays both */
        const double saved_us = allfold_report_compare(&rows[i].figures).saved_us;
        is_compared |= rows[i].figures.samples > 0;
        seconds += fmax(of->moving_s + 1e-6 * saved_us * of->calls, 0);
    }
    return is_compared ? seconds : -1;
}

/* What of the mean moving time the rows say, which are rank 0's. */
static double native_of_all_s(const struct allfold_report_head *head,
                              const struct allfold_report_row *rows, uint32_t count)
{
    const double native_s = compared_native_s(rows, count);
    double moving_s = 0;
    for (uint32_t i = 0; i < count; i++)
        moving_s += rows[i].sums.moving_s;
    if (native_s < 0 || moving_s <= 0 || head->summary.sums.moving_s <= 0)
        return -1;
    return mean(head->summary.sums.moving_s, &head->summary) * native_s / moving_s;
}

bool allfold_report_is_blamed(const struct allfold_report_head *head,
                              const struct allfold_report_rank *rank)
{
    return allfold_is_above_chance(rank->sums.behind_s, rank->sums.chance_s, rank->sums.squares,
                                   head->p);
}

/* The place among the latest ranks of the first that is blamed; -1: none is. */
static int find_blamed(const struct allfold_report_head *head)
{
    const struct allfold_report_summary *summary = &head->summary;
    for (int i = 0; i < summary->latest_count; i++)
        if (allfold_report_is_blamed(head, &summary->latest[i].figures))
            return i;
    return -1;
}

static void say_latest(const struct allfold_report_head *head, FILE *stream)
{
    const struct allfold_report_summary *summary = &head->summary;
    const int blamed = find_blamed(head);
    char behind[TIME_BYTES];
    if (blamed < 0) {
        fprintf(stream, "No rank was late significantly more often than by chance.\n");
        return;
    }
    const struct allfold_report_rank *rank = &summary->latest[blamed].figures;
    fprintf(stream, "Rank %d", summary->latest[blamed].rank);
    if (*rank->node != '\0')
        fprintf(stream, " (%s)", rank->node);
    fprintf(stream,
            " arrived last in %.0f %% of its calls, on average %s behind the mean of the "
            "others: %.0f %% of all lateness, where chance gives %.2g %%.\n",
            percent(rank->sums.last, rank->sums.split),
            write_us(rank->sums.behind_s / rank->sums.last, behind),
            percent(rank->sums.behind_s, summary->sums.behind_s),
            percent(rank->sums.chance_s, summary->sums.behind_s));
}

/* The end of a sentence whose figures are means. While the program runs, they are rank 0's. */
static void say_means(const struct allfold_report_head *head, FILE *stream)
{
    if (head->is_incomplete)
        fputs(".\n", stream);
    else
        fprintf(stream, " (means over %d ranks).\n", head->summary.ranks);
}

/* How many calls were made with the MPI library, too. */
static unsigned count_samples(const struct allfold_report_row *rows, uint32_t count)
{
    unsigned samples = 0;
    for (uint32_t i = 0; i < count; i++)
        samples += rows[i].figures.samples;
    return samples;
}

/* The time in all collectives, those that do not block among them: the mean of the ranks, or what
 * is known of it. */
static double collectives_s(const struct allfold_report_head *head,
                            const struct allfold_report_row *rows, uint32_t count)
{
    const bool knows_all = count > 0 && rows[0].ranks > 0;
    double seconds = 0;
    for (uint32_t i = 0; i < count; i++)
        seconds += knows_all ? rows[i].all_ranks.seconds / head->p : rows[i].sums.seconds;
    return knows_all || head->summary.ranks == 0 ? seconds
                                                 : mean(head->summary.sums.seconds, &head->summary);
}

/* The answer first: how much of the run collectives took, and what Allfold saved of that. */
static void say_run(const struct allfold_report_head *head, const struct allfold_report_row *rows,
                    uint32_t count, FILE *stream)
{
    const struct allfold_report_summary *of = &head->summary;
    char run[TIME_BYTES], calls[TIME_BYTES], saved[TIME_BYTES], native[TIME_BYTES];
    const double seconds = collectives_s(head, rows, count);
    const double native_s = native_of_all_s(head, rows, count);
    const double saved_s = native_s - mean(of->sums.moving_s, of);
    fprintf(stream, "The program ran for %s and spent %.3g %% of that (%s) in collectives",
            allfold_report_time(head->run_s, run), percent(seconds, head->run_s),
            allfold_report_time(seconds, calls));
    if (native_s >= 0)
        fprintf(stream,
                "; Allfold %s about %s: the MPI library would need %s to move the data "
                "(compared calls: %u).\n",
                saved_s >= 0 ? "saved" : "lost", allfold_report_time(fabs(saved_s), saved),
                allfold_report_time(native_s, native), count_samples(rows, count));
    else
        fprintf(stream, "; what Allfold saved is not known%s.\n",
                head->compares ? ", as no call was compared" : " without --report=compare");
}

void allfold_report_print_words(const struct allfold_report_head *head,
                                const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    const struct allfold_report_summary *of = &head->summary;
    char all[TIME_BYTES], waiting[TIME_BYTES], moving[TIME_BYTES], other[TIME_BYTES];
    if (head->is_incomplete)
        fprintf(stream, "Incomplete: written %s after the start, while the program ran.\n",
                allfold_report_time(head->run_s, other));
    say_run(head, rows, count, stream);
    if (of->sums.flight_s > 0)
        fprintf(stream,
                "Nonblocking calls were in flight for %s; the program waited %s for them: %.3g %% "
                "was overlapped (means over %d ranks).\n",
                allfold_report_time(mean(of->sums.flight_s, of), all),
                allfold_report_time(mean(of->sums.awaited_s, of), waiting),
                percent(of->sums.flight_s - of->sums.awaited_s, of->sums.flight_s), of->ranks);
    if (of->sums.split <= 0)
        return;
    fprintf(stream, "Of %s in collectives %s waited %s for late ranks; moving data took %s",
            allfold_report_time(mean(of->sums.waiting_s + of->sums.moving_s, of), all),
            head->is_incomplete ? "rank 0" : "a rank",
            allfold_report_time(mean(of->sums.waiting_s, of), waiting),
            allfold_report_time(mean(of->sums.moving_s, of), moving));
    say_means(head, stream);
    if (allfold_report_has_waiting(of))
        say_latest(head, stream);
    if (of->sums.calls > of->sums.split)
        fprintf(stream, "In %.3g %% of the calls, which took %s, it is not known who waited.\n",
                percent((double)(of->sums.calls - of->sums.split), of->sums.calls),
                allfold_report_time(
                    mean(of->sums.seconds - of->sums.waiting_s - of->sums.moving_s, of), other));
    if (of->error_s > 0)
        fprintf(stream, "The ranks' clocks agree to within %s.\n", write_us(of->error_s, other));
    else
        fprintf(stream, "The ranks read one clock.\n");
}

/* --- advice --- */

struct list {
    struct allfold_advice *advice;
    int count;
};

static void __attribute__((format(printf, 3, 4)))
advise(struct list *list, const char *kind, const char *format, ...)
{
    if (list->count == ALLFOLD_MOST_ADVICE)
        return;
    struct allfold_advice *advice = &list->advice[list->count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(advice->text, sizeof advice->text, format, arguments);
    va_end(arguments);
    advice->kind = kind;
}

static bool is_waiting_long(const struct allfold_report_head *head)
{
    const struct allfold_report_summary *of = &head->summary;
    const double least_share = 0.3, least_of_run = 0.01;
    return allfold_report_has_waiting(of) &&
           of->sums.waiting_s >= least_share * (of->sums.waiting_s + of->sums.moving_s) &&
           mean(of->sums.waiting_s, of) >= least_of_run * head->run_s;
}

/* Says first what a rank without a core of its own cannot help. A core that other programs take is
 * lost for some milliseconds each time. */
static bool advise_cores(const struct allfold_report_head *head, struct list *list)
{
    const struct allfold_report_summary *of = &head->summary;
    const double least_per_s = 20;
    const double per_s = head->run_s > 0 ? mean((double)of->switches, of) / head->run_s : 0;
    if (!is_waiting_long(head) || (of->sharing == 0 && per_s < least_per_s))
        return false;
    if (of->sharing > 0)
        advise(
            list, "cores",
            "Give each rank a core of its own: %s share cores with other ranks (%.0f involuntary "
            "context switches a second and rank), so much of the waiting for late ranks, %.0f %% "
            "of the run, may be waiting for a core.",
            head->is_incomplete || of->sharing < of->ranks ? "some ranks" : "all ranks", per_s,
            percent(mean(of->sums.waiting_s, of), head->run_s));
    else
        advise(list, "cores",
               "Keep other programs off the ranks' cores: there were %.0f involuntary context "
               "switches a second and rank, and waiting for late ranks is %.0f %% of the run.",
               per_s, percent(mean(of->sums.waiting_s, of), head->run_s));
    return true;
}

static void advise_balance(const struct allfold_report_head *head, struct list *list)
{
    const struct allfold_report_summary *of = &head->summary;
    const double one_rank = 0.5;
    if (!is_waiting_long(head))
        return;
    const bool lacks_cores = advise_cores(head, list);
    const int blamed = find_blamed(head);
    const struct allfold_report_rank *latest = &of->latest[blamed < 0 ? 0 : blamed].figures;
    const double run = percent(mean(of->sums.waiting_s, of), head->run_s);
    const double share = percent(latest->sums.behind_s, of->sums.behind_s);
    const double chance = percent(latest->sums.chance_s, of->sums.behind_s);
    if (blamed >= 0 && latest->sums.behind_s >= one_rank * of->sums.behind_s)
        advise(list, "balance",
               "Balance the work: waiting is %.0f %% of the run, and rank %d is behind in %.0f %% "
               "of that, where chance gives %.2g %%. Give it less work, or look at its node%s%s.",
               run, of->latest[blamed].rank, share, chance, *latest->node == '\0' ? "" : ", ",
               latest->node);
    else if (!lacks_cores)
        advise(list, "balance",
               "Balance the work: waiting is %.0f %% of the run. No one rank is to blame (the "
               "latest one is behind in %.0f %% of that, where chance gives %.2g %%): ranks take "
               "turns, as with uneven work or disturbed cores.",
               run, share, chance);
}

static void advise_tuning(const struct allfold_report_head *head,
                          const struct allfold_report_row *rows, uint32_t count, struct list *list)
{
    enum { LEAST_SAMPLES = 4 };
    const double clear_gain = 0.9, least_of_run = 0.01;
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_report_row *row = &rows[i];
        const double gain = allfold_report_compare(&row->figures).gain;
        char size[TIME_BYTES];
        if (row->figures.samples < LEAST_SAMPLES || gain <= 0 || gain > clear_gain ||
            row->sums.moving_s < least_of_run * head->run_s)
            continue;
        allfold_size_write(row->most_bytes, size, sizeof size);
        advise(list, "tune",
               "Tune: for %s of %s bytes on %d ranks the MPI library is %.2f times as fast as %s "
               "(%u samples). `allfold tune` measures what is best.",
               allfold_collective_name(row->collective), size, row->p, 1 / gain, row->algorithm,
               row->figures.samples);
    }
}

/* How long the data of such calls moved. */
static double moving_of(const struct allfold_report_finding *one,
                        const struct allfold_report_row *rows, uint32_t count)
{
    double moving_s = 0;
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].collective == one->collective && rows[i].p == one->p &&
            rows[i].least_bytes <= one->bytes && rows[i].most_bytes >= one->bytes)
            moving_s += rows[i].sums.moving_s;
    return moving_s;
}

/* What the guard found to be faster than the choice (docs/guard.md). */
static void advise_rows(const struct allfold_report_head *head,
                        const struct allfold_report_row *rows, uint32_t count, struct list *list)
{
    const double least_of_run = 0.01;
    for (uint32_t i = 0; i < head->found.count; i++) {
        const struct allfold_report_finding *one = &head->found.list[i];
        char size[TIME_BYTES];
        if (moving_of(one, rows, count) < least_of_run * head->run_s)
            continue;
        allfold_size_write(one->bytes, size, sizeof size);
        advise(list, "row",
               "Add a table row: the guard measured %s to be %.2f times as fast as %s for %s of %s "
               "bytes on %d ranks (%s). ALLFOLD_GUARD=learn=FILE keeps the row for later runs.",
               one->better, one->factor, one->chosen, allfold_collective_name(one->collective),
               size, one->p, one->outcome);
    }
}

static void advise_one_copy(const struct allfold_report_head *head,
                            const struct allfold_report_row *rows, uint32_t count,
                            struct list *list)
{
    const double least_of_run = 0.01;
    const struct allfold_report_one_copy sum = allfold_report_one_copy(rows, count);
    if (head->copies && sum.saved_s >= least_of_run * head->run_s)
        advise(list, "one-copy",
               "Avoid copying long vectors: %llu calls copied theirs through shared memory. "
               "Allocate them with MPI_Alloc_mem, or run with `--one-copy`; this may save up to "
               "%.0f %% of the run.",
               (unsigned long long)sum.calls, percent(sum.saved_s, head->run_s));
}

/* Calls that do not block and that the MPI library served for want of a setting. */
static uint64_t count_passed(const struct allfold_report_row *rows, uint32_t count)
{
    uint64_t calls = 0;
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].mode != NULL && strcmp(rows[i].source, allfold_needs_nonblocking) == 0)
            calls += (uint64_t)rows[i].sums.calls;
    return calls;
}

static void advise_nonblocking(const struct allfold_report_row *rows, uint32_t count,
                               struct list *list)
{
    enum { LEAST_CALLS = 100 };
    const uint64_t calls = count_passed(rows, count);
    if (calls >= LEAST_CALLS)
        advise(
            list, "nonblocking",
            "Try `allfold run --nonblocking`: %llu nonblocking or persistent collectives went to "
            "the MPI library, and nothing is known of their time. ALLFOLD_NONBLOCKING=1 is the "
            "same.",
            (unsigned long long)calls);
}

/* The time that an algorithm could save: what is not known to be spent on late ranks. */
static double at_stake_s(const struct allfold_report_summary *of)
{
    return mean(of->sums.seconds - of->sums.waiting_s + of->sums.awaited_s, of);
}

/* What the time that data moves is worth. */
static void advise_moving(const struct allfold_report_head *head,
                          const struct allfold_report_row *rows, uint32_t count, struct list *list)
{
    const double little = 0.01, much = 0.05;
    const double moving_s = mean(head->summary.sums.moving_s, &head->summary);
    const double run = percent(moving_s, head->run_s);
    const double stake_s = at_stake_s(&head->summary);
    if (stake_s < little * head->run_s && count_passed(rows, count) == 0)
        advise(list, "nothing",
               "Collectives without their waiting for late ranks take %.2g %% of the run: no "
               "algorithm can save more than that.",
               percent(stake_s, head->run_s));
    else if (moving_s > much * head->run_s && compared_native_s(rows, count) < 0)
        advise(list, "compare",
               "Moving data takes %.0f %% of the run. `allfold run --report=compare` says what the "
               "MPI "
               "library would need.",
               run);
}

int allfold_report_advise(const struct allfold_report_head *head,
                          const struct allfold_report_row *rows, uint32_t count,
                          struct allfold_advice advice[ALLFOLD_MOST_ADVICE])
{
    struct list list = {.advice = advice};
    advise_nonblocking(rows, count, &list);
    if (head->summary.sums.split <= 0 && head->summary.sums.flight_s <= 0)
        return list.count;
    advise_balance(head, &list);
    advise_tuning(head, rows, count, &list);
    advise_rows(head, rows, count, &list);
    advise_one_copy(head, rows, count, &list);
    advise_moving(head, rows, count, &list);
    return list.count;
}

/* --- lines --- */

static void print_one_copy(const struct allfold_report_head *head,
                           const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    const struct allfold_report_one_copy sum = allfold_report_one_copy(rows, count);
    if (head->copies && sum.calls > 0)
        fprintf(stream,
                "One copy: %llu calls copied long vectors, and moved data for %.6f seconds. "
                "`allfold run --one-copy` may save up to %.6f seconds of that.\n",
                (unsigned long long)sum.calls, sum.seconds, sum.saved_s);
}

static void print_nodes(const struct allfold_report_head *head, FILE *stream)
{
    if (head->nodes == 0)
        fprintf(stream, "nodes not known");
    else if (head->least_per_node == head->most_per_node)
        fprintf(stream, "%d x %d (nodes x ranks per node)", head->nodes, head->most_per_node);
    else
        fprintf(stream, "%d nodes with %d to %d ranks", head->nodes, head->least_per_node,
                head->most_per_node);
    if (head->switches > 0)
        fprintf(stream, ", %d switch%s", head->switches, head->switches == 1 ? "" : "es");
    if (head->fabric[0] != '\0')
        fprintf(stream, ", messages by the fabric %s", head->fabric);
}

/* `rows` and `count` are unused; put_lines (report_html.c) needs all parts to have one type. */
void allfold_report_print_title(const struct allfold_report_head *head,
                                const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    (void)rows;
    (void)count;
    fprintf(stream, "Allfold %s report: %s, %s, p = %d, ", ALLFOLD_VERSION, head->machine,
            head->mpi, head->p);
    print_nodes(head, stream);
    fprintf(stream, "\n");
}

/* How often a result of ours has other bits than the native one. */
static void print_bits(const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    uint64_t compared = 0, differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        compared += rows[i].figures.bits_compared;
        differ += rows[i].figures.bits_differ;
    }
    if (compared > 0)
        fprintf(stream,
                "Bits: %llu of %llu floating-point results of rank 0 differ from the native ones "
                "in some bit.\n",
                (unsigned long long)differ, (unsigned long long)compared);
}

/* An operation of the program's own costs a call, and may expect a whole vector. */
static void print_operations(const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    for (uint32_t i = 0; i < count; i++) {
        const double pieces = allfold_report_pieces(&rows[i]);
        char most[32];
        if (pieces <= 0)
            continue;
        allfold_size_write(rows[i].most_bytes, most, sizeof most);
        fprintf(stream,
                "Operation: in %.0f calls of %s up to %s on %d ranks (%s), rank 0 called the "
                "program's operation %.0f times, in %.3g piece%s a vector.\n",
                rows[i].sums.calls, allfold_collective_name(rows[i].collective), most, rows[i].p,
                rows[i].algorithm, rows[i].sums.op_calls, pieces, pieces > 1.001 ? "s" : "");
    }
}

static void print_findings(const struct allfold_report_findings *found, FILE *stream)
{
    const struct allfold_report_guard *guard = &found->guard;
    if (guard->state == NULL || (guard->looks == 0 && found->count == 0))
        return; /* it had no reason to look, or no time */
    fprintf(stream, "Guard (%s): %u looks; %.6f of %.3f seconds.%s\n", guard->state, guard->looks,
            guard->spent_s, guard->run_s, found->count == 0 ? "" : " Slower choices:");
    for (uint32_t i = 0; i < found->count; i++) {
        const struct allfold_report_finding *one = &found->list[i];
        char size[32];
        allfold_size_write(one->bytes, size, sizeof size);
        fprintf(stream, "%-20s %4d %13s  %s is %.2f times as fast as %s (%s): %s\n",
                allfold_collective_name(one->collective), one->p, size, one->better, one->factor,
                one->chosen, one->source, one->outcome);
    }
}

bool allfold_report_has_staged(const struct allfold_report_head *head)
{
    return head->staged_to_host > 0 || head->staged_to_device > 0;
}

static void print_staged(const struct allfold_report_head *head, FILE *stream)
{
    char to_host[32], to_device[32], pageable[32];
    if (!allfold_report_has_staged(head))
        return;
    allfold_size_write(head->staged_to_host, to_host, sizeof to_host);
    allfold_size_write(head->staged_to_device, to_device, sizeof to_device);
    allfold_size_write(head->staged_pageable, pageable, sizeof pageable);
    fprintf(stream, "Device memory: %s staged to the host, %s back; %s of it not pinned.\n",
            to_host, to_device, pageable);
}

void allfold_report_print_more(const struct allfold_report_head *head,
                               const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    print_bits(rows, count, stream);
    print_operations(rows, count, stream);
    print_one_copy(head, rows, count, stream);
    print_findings(&head->found, stream);
    print_staged(head, stream);
    if (head->no_lines != NULL)
        fprintf(stream, "Calls have places without source lines: %s.\n", head->no_lines);
}

/* --- when ranks were late --- */

const struct allfold_late_level allfold_late_levels[ALLFOLD_LATE_LEVELS] = {
    {0, ' ', "0"},       {0.01F, '.', "0.15"}, {0.05F, ':', "0.35"},
    {0.15F, '+', "0.6"}, {0.4F, '*', "0.8"},   {0.7F, '#', "1"}};

int allfold_late_level(float share)
{
    int level = ALLFOLD_LATE_LEVELS - 1;
    while (share < allfold_late_levels[level].least)
        level--;
    return level;
}

bool allfold_report_has_lateness(const struct allfold_report_head *head)
{
    return head->late.rows > 0 && allfold_report_has_waiting(&head->summary);
}

const char *allfold_late_row_name(const struct allfold_late_map *map, int r,
                                  char name[ALLFOLD_LATE_ROW_BYTES])
{
    const struct allfold_late_row *row = &map->list[r];
    const char *what = map->is_by_node ? "node" : "rank";
    int length;
    if (row->first == row->last)
        length = snprintf(name, ALLFOLD_LATE_ROW_BYTES, "%s %d", what, row->first);
    else
        length = snprintf(name, ALLFOLD_LATE_ROW_BYTES, "%ss %d-%d", what, row->first, row->last);
    if (*row->node != '\0')
        snprintf(name + length, ALLFOLD_LATE_ROW_BYTES - (size_t)length, " (%s)", row->node);
    return name;
}

void allfold_report_print_late_words(const struct allfold_late_map *map, FILE *stream)
{
    char bin[ALLFOLD_TIME_BYTES];
    const bool is_joint = map->is_by_node || map->list[0].first < map->list[0].last;
    fprintf(
        stream,
        "Each column is %s; a figure is the part of it that %s was behind the mean of the others.",
        allfold_report_time(map->bin_s, bin), is_joint ? "the latest rank of a row" : "a rank");
}
