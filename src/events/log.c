/* Adds the records of calls to rows, sums, lateness and the trace (see log.h). */
#include "events/log.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "util/memory.h"

/* Who is behind the mean by less is not late: clocks and messages are no better. */
static const double least_late_s = 1e-6;

const struct allfold_tick_line allfold_log_ns = {.tick_s = 1e-9};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct allfold_log the_log;

struct allfold_log *allfold_log_lock(void)
{
    pthread_mutex_lock(&mutex);
    return &the_log;
}

void allfold_log_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

bool allfold_log_watch(struct allfold_log *log)
{
    if (log->seen == NULL)
        log->seen = allfold_latecomers_make(log->size);
    return log->seen != NULL;
}

bool allfold_log_is_by_node(const struct allfold_log *log)
{
    return log->size > ALLFOLD_LATE_ROWS && log->nodes != NULL && log->nodes->count > 1;
}

int allfold_log_late_row(const struct allfold_log *log, int rank)
{
    return allfold_log_is_by_node(log)
               ? allfold_late_row_of(log->nodes->node_of[rank], log->nodes->count)
               : allfold_late_row_of(rank, log->size);
}

/* --- who was late --- */

/* A call for which ranks waited, without who came last and when. */
static struct allfold_worst_call worst_of(const struct allfold_event *event,
                                          const struct allfold_latest *latest,
                                          const struct allfold_log_caller *caller)
{
    return (struct allfold_worst_call){.lost_s = allfold_latest_mean_s(latest) * latest->count,
                                       .behind_s = allfold_latest_behind_s(latest),
                                       .bytes = event->bytes,
                                       .p = caller->size,
                                       .collective = event->collective,
                                       .row = event->row};
}

/* Adds when this rank was late, and how long others waited for it. */
static void add_lateness(struct allfold_log *log, const struct allfold_event *event,
                         const struct allfold_latest *latest,
                         const struct allfold_log_caller *caller, double begin_s, double shared_s)
{
    const double late_s =
        allfold_latest_late_s(latest, event->collective, event->root, caller->rank, shared_s);
    if (late_s <= 0)
        return;
    const double when_s = begin_s - log->begin_s;
    allfold_late_bins_add(&log->late, when_s - late_s, when_s);
    if (latest->rank != caller->rank)
        return;
    struct allfold_worst_call call = worst_of(event, latest, caller);
    if (call.behind_s <= 0 || !allfold_worst_takes(&log->worst, call.lost_s))
        return;
    call.when_s = when_s;
    call.moving_s = caller->line.tick_s * (double)(event->end - event->begin);
    call.rank = log->rank;
    allfold_worst_add(&log->worst, &call);
}

/* Adds who was last, as this rank sees it. */
static void add_latecomer(struct allfold_log *log, const struct allfold_event *event,
                          const struct allfold_latest *latest,
                          const struct allfold_log_caller *caller, double ahead_s, double moving_s)
{
    if (latest->rank < 0)
        return;
    log->seen->chance_s += event->calls * allfold_latest_chance_s(latest, event->collective,
                                                                  event->root, latest->rank);
    struct allfold_worst_call call = worst_of(event, latest, caller);
    call.when_s = latest->last_s - ahead_s - log->begin_s;
    call.moving_s = moving_s;
    call.rank = caller->members == NULL ? latest->rank : caller->members[latest->rank];
    if (call.behind_s > 0 && (latest->last_s - least_late_s) * latest->count > latest->sum_s)
        allfold_latecomers_add(log->seen, allfold_log_late_row(log, call.rank), &call,
                               event->calls);
}

/* Adds who was late for a call. */
static void add_split(struct allfold_log *log, const struct allfold_event *event,
                      const struct allfold_latest *latest, const struct allfold_log_caller *caller,
                      double begin_s, double shared_s, double moving_s)
{
    struct allfold_sums *own = &log->own.sums;
    const double calls = event->calls, error_s = caller->clock->error_s;
    const double behind_s =
        latest->rank == caller->rank ? calls * allfold_latest_behind_s(latest) : 0;
    own->split += calls;
    own->last += behind_s > 0 ? calls : 0;
    own->behind_s += behind_s;
    own->squares += behind_s * behind_s;
    own->chance_s +=
        calls * allfold_latest_chance_s(latest, event->collective, event->root, caller->rank);
    log->own.error_s = error_s > log->own.error_s ? error_s : log->own.error_s;
    if ((shared_s - least_late_s) * latest->count > latest->sum_s)
        add_lateness(log, event, latest, caller, begin_s, shared_s);
    if (log->seen != NULL)
        add_latecomer(log, event, latest, caller, shared_s - begin_s, moving_s);
}

/* --- calls --- */

/* NULL: there is no row. */
static struct allfold_sums *sums_of(const struct allfold_log *log, uint32_t row)
{
    assert(row == ALLFOLD_NO_ROW || row < log->row_count);
    return row == ALLFOLD_NO_ROW ? NULL : &log->rows[row].sums;
}

static void add_to_row(struct allfold_log *log, uint32_t row, const struct allfold_sums *sums)
{
    struct allfold_sums *of = sums_of(log, row);
    if (of != NULL)
        allfold_sums_add(of, sums, 1);
}

static void add_call(struct allfold_sums *sums, const struct allfold_event *event, double seconds,
                     const struct allfold_split *split)
{
    const double calls = event->calls;
    sums->calls += calls;
    sums->bytes += calls * (double)event->bytes;
    sums->seconds += calls * seconds;
    sums->waiting_s += calls * split->waiting_s;
    sums->moving_s += calls * split->moving_s;
}

static void end_blocked(struct allfold_log *log, const struct allfold_event *event,
                        const struct allfold_latest *latest,
                        const struct allfold_log_caller *caller)
{
    const double begin_s = allfold_tick_line_tell(&caller->line, event->begin);
    const double took_s = caller->line.tick_s * (double)(event->end - event->begin);
    double seconds = event->apart_s >= 0 ? event->apart_s : took_s, shared_s = 0;
    struct allfold_split split = {0, 0};
    if (latest != NULL) {
        shared_s = allfold_shared_clock_tell(caller->clock, begin_s);
        split = allfold_split_call(event->collective, shared_s, shared_s + took_s, event->apart_s,
                                   latest);
        seconds = split.waiting_s + split.moving_s;
    }
    if (log->tracer != NULL) {
        const struct allfold_traced_call call = {
            .shape = event->shape,
            .is_split = latest != NULL,
            .begin_s = begin_s,
            .seconds = seconds,
            .waiting_s = split.waiting_s,
            .all_waiting_s = latest == NULL ? 0 : allfold_latest_mean_s(latest)};
        allfold_tracer_add(log->tracer, &call);
    }
    if (!event->is_recorded)
        return;
    struct allfold_sums *of_row = sums_of(log, event->row);
    add_call(&log->own.sums, event, seconds, &split);
    if (of_row != NULL)
        add_call(of_row, event, seconds, &split);
    if (latest != NULL)
        add_split(log, event, latest, caller, begin_s, shared_s, split.moving_s);
}

/* A call whose record has nanoseconds. Of a nonblocking call this rank's sums get the time in
 * flight alone. */
static void end_timed(struct allfold_log *log, const struct allfold_event *event)
{
    const double took_s = allfold_log_ns.tick_s * (double)(event->end - event->begin);
    const struct allfold_split unknown = {0, 0};
    struct allfold_sums call = {.calls = 0};
    if (event->kind == ALLFOLD_CALL_IN_FLIGHT) {
        call.flight_s = took_s;
        call.awaited_s = event->awaited_s;
        allfold_sums_add(&log->own.sums, &call, 1);
        add_call(&call, event, event->starting_s + event->awaited_s, &unknown);
    } else {
        add_call(&call, event, took_s, &unknown);
        if (event->kind == ALLFOLD_CALL_BLOCKED)
            allfold_sums_add(&log->own.sums, &call, 1);
    }
    add_to_row(log, event->row, &call);
}

void allfold_log_end(const struct allfold_event *events, uint32_t count,
                     const struct allfold_latest *latest, const struct allfold_log_caller *caller)
{
    struct allfold_log *log = allfold_log_lock();
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_latest *last = latest == NULL ? NULL : &latest[i];
        if (caller == NULL)
            end_timed(log, &events[i]);
        else
            end_blocked(log, &events[i], last, caller);
    }
    allfold_log_unlock();
}

void allfold_log_add(uint32_t row, const struct allfold_sums *sums)
{
    add_to_row(allfold_log_lock(), row, sums);
    allfold_log_unlock();
}

/* --- phases --- */

const char *allfold_report_phase_now;

static const char *find_phase(const char *name)
{
    enum { MOST_PHASES = 64, NAME_BYTES = 32 };
    static char names[MOST_PHASES][NAME_BYTES]; /* in the order of their first use */
    static int count;
    char plain[NAME_BYTES];
    int i = 0;
    snprintf(plain, sizeof plain, "%s", name);
    allfold_report_make_plain(plain);
    while (i < count && strcmp(names[i], plain) != 0)
        i++;
    if (i == MOST_PHASES)
        return names[MOST_PHASES - 1];
    if (i == count)
        snprintf(names[count++], NAME_BYTES, "%s", i < MOST_PHASES - 1 ? plain : "other");
    return names[i];
}

void allfold_log_enter(const char *name)
{
    allfold_log_lock();
    allfold_report_phase_now = name == NULL || *name == '\0' ? NULL : find_phase(name);
    allfold_log_unlock();
}

static atomic_bool is_silent;

bool allfold_report_records(void)
{
    return !atomic_load_explicit(&is_silent, memory_order_relaxed);
}

void allfold_log_record(bool is_on)
{
    atomic_store(&is_silent, !is_on);
}

/* --- rows --- */

/* Sites have no text before the report is written, so there their place alone tells them apart. */
static bool is_same_site(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && *a != '\0' && strcmp(a, b) == 0);
}

static bool has_same_key(const struct allfold_report_row *a, const struct allfold_report_row *b)
{
    return a->collective == b->collective && a->p == b->p &&
           allfold_report_size_class(a->least_bytes) == allfold_report_size_class(b->least_bytes) &&
           a->phase == b->phase && a->mode == b->mode && is_same_site(a->site, b->site) &&
           strcmp(a->algorithm, b->algorithm) == 0 && strcmp(a->source, b->source) == 0;
}

/* The number of the row with the same key, which is added if it is missing. */
static uint32_t find_row(struct allfold_log *log, const struct allfold_report_row *row)
{
    uint32_t i = 0;
    while (i < log->row_count && !has_same_key(&log->rows[i], row))
        i++;
    if (i < log->row_count) {
        allfold_report_merge(&log->rows[i], row);
        return i;
    }
    void *moved = allfold_make_room(log->rows, i, &log->row_capacity, sizeof *log->rows);
    if (moved == NULL)
        return ALLFOLD_NO_ROW;
    log->rows = moved;
    log->rows[log->row_count++] = *row;
    return i;
}

uint32_t allfold_log_row(const struct allfold_report_row *row)
{
    const uint32_t found = find_row(allfold_log_lock(), row);
    allfold_log_unlock();
    return found;
}

uint32_t allfold_report_find_row(const struct allfold_report_row *row)
{
    return allfold_report_records() ? allfold_log_row(row) : ALLFOLD_NO_ROW;
}

struct allfold_report_row allfold_report_native_row(enum allfold_collective collective, int p,
                                                    size_t bytes, const char *reason,
                                                    const char *site)
{
    return (struct allfold_report_row){.phase = allfold_report_phase_now,
                                       .site = site,
                                       .collective = collective,
                                       .p = p,
                                       .least_bytes = bytes,
                                       .most_bytes = bytes,
                                       .algorithm = "native",
                                       .source = reason};
}

/* --- rows of other ranks --- */

struct allfold_log_text {
    struct allfold_log_text *next;
    char text[];
};

/* A copy that lasts as long as the log; NULL without memory. */
static const char *keep(struct allfold_log *log, const char *text)
{
    struct allfold_log_text *kept = log->texts;
    while (kept != NULL && strcmp(kept->text, text) != 0)
        kept = kept->next;
    if (kept != NULL)
        return kept->text;
    const size_t bytes = strlen(text) + 1;
    kept = allfold_allocate(sizeof *kept + bytes);
    if (kept == NULL)
        return NULL;
    memcpy(kept->text, text, bytes);
    kept->next = log->texts;
    log->texts = kept;
    return kept->text;
}

void allfold_log_merge_row(struct allfold_log *log, const struct allfold_report_row *row)
{
    struct allfold_report_row own = *row;
    own.phase = row->phase == NULL ? NULL : find_phase(row->phase);
    own.site = row->site == NULL ? NULL : keep(log, row->site);
    own.source = keep(log, row->source);
    own.sums = (struct allfold_sums){.calls = 0};
    own.figures = (struct allfold_figures){.samples = 0};
    own.all_ranks = own.sums;
    own.ranks = 0;
    const uint32_t found = own.source == NULL ? ALLFOLD_NO_ROW : find_row(log, &own);
    if (found == ALLFOLD_NO_ROW)
        return;
    log->rows[found].ranks += row->ranks;
    allfold_sums_add(&log->rows[found].all_ranks, &row->all_ranks, 1);
}

/* --- the guard --- */

void allfold_report_found(const struct allfold_report_finding *finding)
{
    allfold_report_add_finding(&allfold_log_lock()->found, finding);
    allfold_log_unlock();
}

void allfold_report_guard(const struct allfold_report_guard *guard)
{
    allfold_log_lock()->found.guard = *guard;
    allfold_log_unlock();
}

void allfold_log_free(struct allfold_log *log)
{
    while (log->texts != NULL) {
        struct allfold_log_text *text = log->texts;
        log->texts = text->next;
        allfold_free(text);
    }
    allfold_free(log->rows);
    allfold_free(log->seen);
    *log = (struct allfold_log){.size = 0};
}
