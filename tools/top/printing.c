/* Prints running programs as tables and JSON (see printing.h). */
#include "printing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "events/late_test.h"
#include "util/quantity.h"

enum { MOST_ROWS = 12, MOST_RANKS = 16, TEXT = 64 };

/* Figures older than this come from ranks that have not exchanged any for a while. */
static const double OLD_S = 3;

/* --- figures --- */

/* Returns a negative number if the share is not known. */
static double share(double part, double whole)
{
    return whole > 0 ? fmin(1, fmax(0, part / whole)) : -1;
}

static void name_share(double value, char text[TEXT])
{
    if (value < 0)
        snprintf(text, TEXT, "-");
    else
        snprintf(text, TEXT, "%.0f %%", 100 * value);
}

static double rate(double count, double interval_s)
{
    return interval_s > 0 ? count / interval_s : 0;
}

/* Microseconds of the mean call. */
static double mean_us(double seconds, double calls)
{
    return calls <= 0 ? 0 : 1e6 * seconds / calls;
}

/* Of all ranks of the program here, since their last figures. */
struct recent {
    double interval_s, seconds, waiting_s;
};

static struct recent recent_of(const struct top_program *program)
{
    struct recent sum = {0, 0, 0};
    for (int i = 0; i < program->count; i++) {
        const struct allfold_page_figures *figures = &program->pages[i].figures;
        sum.interval_s += figures->interval_s;
        sum.seconds += figures->own.recent.seconds;
        sum.waiting_s += figures->own.recent.waiting_s;
    }
    return sum;
}

/* --- a table --- */

static void print_head(const struct top_program *program)
{
    const struct allfold_page_copy *first = program->pages;
    const struct allfold_page_head *head = &first->head;
    printf("%s, process %d on %s: p = %d", head->program, head->pid, head->host, head->p);
    if (head->nodes > 0)
        printf(", %d node%s", head->nodes, head->nodes == 1 ? "" : "s");
    if (program->count < head->p)
        printf(", %d ranks here", program->count);
    printf("; %s, Allfold %s; %.0f s\n", head->mpi, head->allfold, first->run_s);
}

/* Returns whether a rank was late by more than chance. If the last second has too few calls for
 * that, all calls are used. */
static bool is_clear(const struct allfold_sums *sum, int ranks)
{
    return allfold_is_above_chance(sum->behind_s, sum->chance_s, sum->squares, ranks);
}

static void print_waiting(const struct top_program *program)
{
    const struct allfold_page_figures *figures = &program->pages->figures;
    const struct recent sum = recent_of(program);
    char inside[TEXT], waiting[TEXT];
    if (sum.interval_s <= 0) {
        printf("The ranks have exchanged no figures yet.\n");
        return;
    }
    name_share(share(sum.seconds, sum.interval_s), inside);
    name_share(share(sum.waiting_s, sum.interval_s), waiting);
    printf("In %.1f s the ranks here spent %s of their time in collectives, and %s waiting for "
           "late ranks.\n",
           figures->interval_s, inside, waiting);
    const struct allfold_page_late *late = figures->late;
    const int ranks = program->pages->head.p;
    if (figures->late_count > 0 && late->sums.recent.last > 0 &&
        (is_clear(&late->sums.recent, ranks) || is_clear(&late->sums.all, ranks)))
        printf("Rank %d came last in %.0f of %.0f calls, %.1f ms behind the others.\n", late->rank,
               late->sums.recent.last, figures->own.recent.split,
               1e-3 * mean_us(late->sums.recent.behind_s, late->sums.recent.last));
}

/* The ranks that are in no collective now, as many as fit. */
static void print_outside(const struct top_program *program, int outside)
{
    int listed = 0;
    for (int i = 0; i < program->count && listed < MOST_RANKS; i++)
        if (program->pages[i].in_call_s < 0)
            printf("%s %d", listed++ == 0 ? "" : ",", program->pages[i].head.rank);
    printf("%s.\n", listed < outside ? ", ..." : "");
}

/* Ranks in a call while others are in none: who waits now, and in what. */
static void print_stuck(const struct top_program *program)
{
    const struct allfold_page_copy *longest = program->pages;
    int inside = 0;
    for (int i = 0; i < program->count; i++) {
        inside += program->pages[i].in_call_s >= 0;
        if (program->pages[i].in_call_s > longest->in_call_s)
            longest = &program->pages[i];
    }
    if (program->pages->age_s < OLD_S)
        return;
    printf("These figures are %.0f s old. ", program->pages->age_s);
    if (inside == 0) {
        printf("No rank here is in a collective now.\n");
        return;
    }
    printf("%d of %d ranks here %s in a collective, rank %d in %s for %.0f s", inside,
           program->count, inside == 1 ? "is" : "are", longest->head.rank, longest->call,
           longest->in_call_s);
    if (inside < program->count)
        printf("; not in one:");
    print_outside(program, program->count - inside);
}

static int compare_rows(const void *left, const void *right)
{
    const struct allfold_page_sums *a = &((const struct allfold_page_row *)left)->sums,
                                   *b = &((const struct allfold_page_row *)right)->sums;
    const double a_s = a->recent.seconds + a->recent.flight_s,
                 b_s = b->recent.seconds + b->recent.flight_s;
    if (a_s != b_s)
        return a_s < b_s ? 1 : -1;
    return (a->all.seconds < b->all.seconds) - (a->all.seconds > b->all.seconds);
}

static void print_row(const struct allfold_page_row *row, double interval_s)
{
    const struct allfold_sums *recent = &row->sums.recent;
    char waiting[TEXT], bytes[TEXT];
    name_share(share(recent->waiting_s, recent->waiting_s + recent->moving_s), waiting);
    allfold_size_write(row->most_bytes, bytes, sizeof bytes);
    printf("%-24s %6d %9s %9.1f %9.2f %10.1f %8s  %s (%s)%s%s\n", row->call, row->p, bytes,
           rate(recent->calls, interval_s), rate(recent->bytes, interval_s) / 1048576,
           mean_us(recent->seconds, recent->calls), waiting, row->algorithm, row->source,
           row->phase[0] == '\0' ? "" : " in ", row->phase);
}

static void print_rows(const struct allfold_page_copy *page)
{
    struct allfold_page_row rows[ALLFOLD_PAGE_ROWS];
    const uint32_t count = page->figures.row_count;
    memcpy(rows, page->figures.rows, count * sizeof *rows);
    qsort(rows, count, sizeof *rows, compare_rows);
    printf("\n%-24s %6s %9s %9s %9s %10s %8s  %s\n", "collective", "p", "bytes", "calls/s", "MiB/s",
           "us/call", "waiting", "algorithm (why)");
    for (uint32_t i = 0; i < count && i < MOST_ROWS; i++)
        print_row(&rows[i], page->figures.interval_s);
    const uint32_t left = page->figures.left_out + (count > MOST_ROWS ? count - MOST_ROWS : 0);
    if (left > 0)
        printf("and %u less busy ones\n", left);
}

static void print_rank(const struct allfold_page_copy *page)
{
    const struct allfold_page_figures *figures = &page->figures;
    const struct allfold_sums *recent = &figures->own.recent;
    char inside[TEXT], waiting[TEXT], now[TEXT] = "elsewhere";
    name_share(share(recent->seconds, figures->interval_s), inside);
    name_share(share(recent->waiting_s, figures->interval_s), waiting);
    if (page->in_call_s >= 0)
        snprintf(now, sizeof now, "in %s for %.1f ms", page->call, 1e3 * page->in_call_s);
    printf("%6d %8d %12llu %9s %9s %9.0f %11.3f  %s\n", page->head.rank, page->head.pid,
           (unsigned long long)page->calls, inside, waiting, recent->last,
           1e-3 * mean_us(recent->behind_s, recent->last), now);
}

static void print_ranks(const struct top_program *program)
{
    printf("\n%6s %8s %12s %9s %9s %9s %11s  %s\n", "rank", "process", "calls", "in calls",
           "waiting", "came last", "behind ms", "now");
    for (int i = 0; i < program->count && i < MOST_RANKS; i++)
        print_rank(&program->pages[i]);
    if (program->count > MOST_RANKS)
        printf("and %d more, which --json has\n", program->count - MOST_RANKS);
}

void top_print_program(const struct top_program *program)
{
    print_head(program);
    print_waiting(program);
    print_stuck(program);
    print_rows(program->pages);
    print_ranks(program);
}

void top_print_list(const struct top_running *running)
{
    struct top_program program;
    printf("%8s %-24s %6s %6s %8s\n", "process", "program", "p", "here", "seconds");
    for (int at = 0; top_running_next(running, &at, &program);)
        printf("%8d %-24s %6d %6d %8.0f\n", program.pages->head.pid, program.pages->head.program,
               program.pages->head.p, program.count, program.pages->run_s);
    printf("Choose one: allfold top PROCESS\n");
}

/* --- JSON --- */

static void set_sum(json_t *object, const struct allfold_page_sums *sums)
{
    const struct allfold_sums *all = &sums->all, *recent = &sums->recent;
    const struct {
        const char *name;
        double value;
    } figures[] = {{"calls", all->calls},
                   {"seconds", all->seconds},
                   {"waiting_seconds", all->waiting_s},
                   {"moving_seconds", all->moving_s},
                   {"recent_calls", recent->calls},
                   {"recent_seconds", recent->seconds},
                   {"recent_waiting_seconds", recent->waiting_s},
                   {"recent_moving_seconds", recent->moving_s}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        allfold_json_set_number(object, figures[i].name, figures[i].value);
}

static void set_late(json_t *object, const struct allfold_page_sums *sums)
{
    allfold_json_set_number(object, "last", sums->all.last);
    allfold_json_set_number(object, "behind_seconds", sums->all.behind_s);
    allfold_json_set_number(object, "recent_last", sums->recent.last);
    allfold_json_set_number(object, "recent_behind_seconds", sums->recent.behind_s);
}

static json_t *json_row(const struct allfold_page_row *row)
{
    json_t *object = json_object();
    allfold_json_set_text(object, "collective", row->call);
    allfold_json_set_text(object, "phase", row->phase[0] == '\0' ? NULL : row->phase);
    allfold_json_set_number(object, "p", row->p);
    allfold_json_set_number(object, "least_bytes", (double)row->least_bytes);
    allfold_json_set_number(object, "most_bytes", (double)row->most_bytes);
    allfold_json_set_text(object, "algorithm", row->algorithm);
    allfold_json_set_text(object, "source", row->source);
    allfold_json_set_number(object, "bytes", row->sums.all.bytes);
    allfold_json_set_number(object, "recent_bytes", row->sums.recent.bytes);
    set_sum(object, &row->sums);
    return object;
}

static json_t *json_rank(const struct allfold_page_copy *page)
{
    json_t *object = json_object();
    allfold_json_set_number(object, "rank", page->head.rank);
    allfold_json_set_number(object, "process", page->head.pid);
    allfold_json_set_number(object, "calls_begun_and_ended", (double)page->calls);
    allfold_json_set_text(object, "in_call", page->in_call_s < 0 ? NULL : page->call);
    json_object_set_new(object, "in_call_seconds",
                        page->in_call_s < 0 ? json_null() : allfold_json_number(page->in_call_s));
    allfold_json_set_number(object, "interval_seconds", page->figures.interval_s);
    set_sum(object, &page->figures.own);
    set_late(object, &page->figures.own);
    return object;
}

static json_t *json_program(const struct top_program *program)
{
    const struct allfold_page_copy *first = program->pages;
    const struct allfold_page_figures *figures = &first->figures;
    json_t *object = json_object(), *rows = json_array(), *late = json_array(),
           *ranks = json_array();
    allfold_json_set_text(object, "program", first->head.program);
    allfold_json_set_number(object, "process", first->head.pid);
    allfold_json_set_text(object, "host", first->head.host);
    allfold_json_set_text(object, "mpi", first->head.mpi);
    allfold_json_set_text(object, "allfold", first->head.allfold);
    allfold_json_set_number(object, "p", first->head.p);
    allfold_json_set_number(object, "nodes", first->head.nodes);
    allfold_json_set_number(object, "run_seconds", first->run_s);
    allfold_json_set_number(object, "age_seconds", first->age_s);
    allfold_json_set_number(object, "interval_seconds", figures->interval_s);
    allfold_json_set_number(object, "left_out", figures->left_out);
    for (uint32_t i = 0; i < figures->row_count; i++)
        json_array_append_new(rows, json_row(&figures->rows[i]));
    for (uint32_t i = 0; i < figures->late_count; i++) {
        json_t *one = json_object();
        allfold_json_set_number(one, "rank", figures->late[i].rank);
        set_late(one, &figures->late[i].sums);
        json_array_append_new(late, one);
    }
    for (int i = 0; i < program->count; i++)
        json_array_append_new(ranks, json_rank(&program->pages[i]));
    json_object_set_new(object, "rows", rows);
    json_object_set_new(object, "late", late);
    json_object_set_new(object, "ranks", ranks);
    return object;
}

bool top_print_json(const struct top_running *running, int pid)
{
    struct top_program program;
    json_t *object = json_object(), *programs = json_array();
    if (pid != 0 && top_running_find(running, pid, 0, &program))
        json_array_append_new(programs, json_program(&program));
    for (int at = 0; pid == 0 && top_running_next(running, &at, &program);)
        json_array_append_new(programs, json_program(&program));
    allfold_json_set_number(object, "removed_pages", running->removed);
    json_object_set_new(object, "programs", programs);
    return allfold_json_print(object, stdout);
}
