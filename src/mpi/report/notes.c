/* Notes of blocking calls (see notes.h). */
#include "mpi/report/notes.h"

#include <assert.h>
#include <string.h>

#include "mpi/job/job.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/report/gathering.h"
#include "events/latecomers.h"
#include "mpi/report/live.h"
#include "mpi/transport/point_to_point.h"
#include "util/cores.h"
#include "util/memory.h"

/* What exchanges go by, the same on all ranks: MPI_OP_NULL where calls are not split. */
static MPI_Op merge_all = MPI_OP_NULL;
static MPI_Datatype type_of_latest = MPI_DATATYPE_NULL;

/* Windows have so many notes at most. Where `allfold top` alone wants them, one call of some is
 * noted, if calls are short. */
static uint32_t most = ALLFOLD_NOTES;
static bool may_skip;

/* When ranks may first have noted a call. */
static struct allfold_moment opened;

/* A rank without memory takes part all the same. What this holds is of no use to it. */
static struct allfold_latest spare[ALLFOLD_NOTES + ALLFOLD_NOTE_WORDS];

static void merge(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const struct allfold_latest *others = in;
    struct allfold_latest *into = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        allfold_latest_merge(&into[i], &others[i]);
}

/* --- the clock --- */

enum { PINGS = 12 };

/* Of this process (util/cores.h). */
static int64_t clock_key;

/* What two ranks say before they compare their clocks. */
struct greeting {
    int64_t clock_key;
    struct allfold_shared_clock clock;
};

/* Do both read one clock? Then there is nothing to estimate: a core that a rank waits for between
 * two messages would only make the clocks seem far apart. */
static bool is_one_clock(const struct greeting *other)
{
    return clock_key != 0 && other->clock_key == clock_key;
}

/* The carrier's rank of a rank of the communicator. */
static int carried(const struct allfold_communicator *state, int rank)
{
    return state->carrier.rank_of == NULL ? rank : state->carrier.rank_of[rank];
}

/* Learns the shared time from a rank that knows it, and how far off that may be. */
static void learn_time(struct allfold_communicator *state, int teacher)
{
    struct allfold_clock_bounds bounds = {.count = 0};
    struct allfold_shared_clock *clock = &allfold_notes_of(state)->clock;
    const int peer = carried(state, teacher), tag = allfold_clock_tag();
    struct greeting greeting = {.clock_key = clock_key};
    PMPI_Send(&greeting, sizeof greeting, MPI_BYTE, peer, tag, state->carrier.comm);
    PMPI_Recv(&greeting, sizeof greeting, MPI_BYTE, peer, tag, state->carrier.comm,
              MPI_STATUS_IGNORE);
    if (is_one_clock(&greeting)) {
        *clock = greeting.clock;
        return;
    }
    for (int i = 0; i < PINGS; i++) {
        double answer[2] = {0, 0};
        const double sent_s = allfold_now_s();
        PMPI_Send(answer, 2, MPI_DOUBLE, peer, tag, state->carrier.comm);
        PMPI_Recv(answer, 2, MPI_DOUBLE, peer, tag, state->carrier.comm, MPI_STATUS_IGNORE);
        allfold_clock_bound(&bounds, sent_s, answer[0], allfold_now_s());
        bounds.uncertain_s = answer[1];
    }
    allfold_shared_clock_fit(clock, &bounds);
}

static void teach_time(const struct allfold_communicator *state, int learner)
{
    const struct allfold_shared_clock *clock = &allfold_notes_of(state)->clock;
    const int peer = carried(state, learner), tag = allfold_clock_tag();
    struct greeting greeting;
    PMPI_Recv(&greeting, sizeof greeting, MPI_BYTE, peer, tag, state->carrier.comm,
              MPI_STATUS_IGNORE);
    const struct greeting mine = {.clock_key = clock_key, .clock = *clock};
    PMPI_Send(&mine, sizeof mine, MPI_BYTE, peer, tag, state->carrier.comm);
    if (is_one_clock(&greeting))
        return;
    for (int i = 0; i < PINGS; i++) {
        double answer[2];
        PMPI_Recv(answer, 2, MPI_DOUBLE, peer, tag, state->carrier.comm, MPI_STATUS_IGNORE);
        answer[0] = allfold_shared_clock_tell(clock, allfold_now_s());
        answer[1] = clock->error_s;
        PMPI_Send(answer, 2, MPI_DOUBLE, peer, tag, state->carrier.comm);
    }
}

/* Rank 0's time spreads along a binomial tree. All ranks are here: none needs this one's progress.
 */
static void fit_clocks(struct allfold_communicator *state)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    if (state->rank == 0)
        notes->clock = (struct allfold_shared_clock){.at_s = allfold_now_s(), .is_fitted = true};
    for (int known = 1; known < state->size; known *= 2)
        if (state->rank >= known && state->rank < 2 * known)
            learn_time(state, state->rank - known);
        else if (state->rank < known && state->rank + known < state->size)
            teach_time(state, state->rank + known);
    if (notes->first_fit_s == 0)
        notes->first_fit_s = notes->clock.at_s;
}

void allfold_notes_fit(struct allfold_communicator *state)
{
    if (merge_all != MPI_OP_NULL && state->carrier.comm != MPI_COMM_NULL &&
        !allfold_notes_of(state)->clock.is_fitted)
        fit_clocks(state);
}

static bool is_fit_due(const struct allfold_notes *notes)
{
    const double now_s = allfold_now_s();
    return !notes->clock.is_fitted ||
           allfold_shared_clock_is_due(now_s - notes->clock.at_s, now_s - notes->first_fit_s);
}

/* From now on all notes' ticks have a time. */
static void draw_line(struct allfold_notes *notes)
{
    if (notes->count == 0)
        return;
    const struct allfold_moment now = allfold_moment();
    notes->line = allfold_tick_line(notes->since.ticks == 0 ? opened : notes->since, now);
    notes->since = now;
}

/* --- exchanges --- */

static bool may_split(const struct allfold_communicator *state)
{
    return merge_all != MPI_OP_NULL && state->carrier.comm != MPI_COMM_NULL;
}

static double shared_time(const struct allfold_notes *notes, uint64_t ticks)
{
    return allfold_shared_clock_tell(&notes->clock, allfold_tick_line_tell(&notes->line, ticks));
}

/* What this rank says of its notes, and the words behind them. Of windows the least counts, so
 * each rank says the negative of its own. */
static void fill(const struct allfold_communicator *state, struct allfold_latest *latest)
{
    const struct allfold_notes *notes = allfold_notes_of(state);
    bool is_awaited = false;
    for (uint32_t i = 0; i < notes->count; i++) {
        if (notes->list == NULL) {
            latest[i] = allfold_latest_unknown();
            continue;
        }
        const struct allfold_note *note = &notes->list[i];
        if (i == 0 || note->collective != note[-1].collective || note->root != note[-1].root)
            is_awaited = allfold_is_awaited(note->collective, note->root, state->rank);
        latest[i] = allfold_latest_of(is_awaited, state->rank, shared_time(notes, note->begin));
    }
    latest += notes->count;
    latest[ALLFOLD_NOTE_FIT] =
        (struct allfold_latest){.last_s = is_fit_due(notes), .rank = state->rank};
    latest[ALLFOLD_NOTE_WINDOW] =
        (struct allfold_latest){.last_s = -(double)allfold_live_window(
                                    notes->calls, notes->since.now_s - notes->line.from_s),
                                .rank = state->rank};
    latest[ALLFOLD_NOTE_LACKS] =
        (struct allfold_latest){.last_s = notes->own == NULL, .rank = state->rank};
}

static int start_exchange(const struct allfold_communicator *state, struct allfold_latest *latest,
                          MPI_Request *request)
{
    fill(state, latest);
    return PMPI_Iallreduce(MPI_IN_PLACE, latest,
                           (int)allfold_notes_of(state)->count + ALLFOLD_NOTE_WORDS, type_of_latest,
                           merge_all, allfold_communicator_for_collectives(state), request);
}

/* Ranks that are late may need this one for a plan, so it waits with activities beside. */
static bool exchange(const struct allfold_communicator *state, struct allfold_latest *latest)
{
    MPI_Request request;
    const struct allfold_notes *notes = allfold_notes_of(state);
    if (notes->uses_own && notes->count == most) {
        fill(state, latest);
        return allfold_exchange_run(state, notes->own, latest) == MPI_SUCCESS;
    }
    return start_exchange(state, latest, &request) == MPI_SUCCESS &&
           allfold_wait_request(&request) == MPI_SUCCESS;
}

/* All ranks come to the same. What was exchanged by a clock that is no longer good is exchanged
 * again. */
static bool find_latest(struct allfold_communicator *state, struct allfold_latest *latest)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    if (!exchange(state, latest))
        return false;
    if (latest[notes->count + ALLFOLD_NOTE_FIT].last_s != 0) {
        fit_clocks(state);
        if (!exchange(state, latest))
            return false;
    }
    notes->uses_own = latest[notes->count + ALLFOLD_NOTE_LACKS].last_s == 0;
    return true;
}

/* --- figures --- */

/* Who is behind the mean by less is not late: clocks and messages are no better. */
static const double least_late_s = 1e-6;

/* When this rank began the call, on its own clock. */
static double own_time(const struct allfold_notes *notes, const struct allfold_note *note)
{
    return allfold_tick_line_tell(&notes->line, note->begin) - allfold_job()->begin_s;
}

/* Adds when this rank was late, and how long others waited for it. */
static void add_lateness(const struct allfold_communicator *state, const struct allfold_note *note,
                         const struct allfold_latest *latest, double begin_s, double behind_s,
                         struct allfold_lateness *lateness)
{
    const struct allfold_notes *notes = allfold_notes_of(state);
    const double late_s =
        allfold_latest_late_s(latest, note->collective, note->root, state->rank, begin_s);
    if (late_s <= 0)
        return;
    const double when_s = own_time(notes, note);
    allfold_late_bins_add(&lateness->bins, when_s - late_s, when_s);
    const double lost_s = allfold_latest_mean_s(latest) * latest->count;
    if (behind_s <= 0 || !allfold_worst_takes(&lateness->worst, lost_s))
        return;
    const struct allfold_worst_call call = {.when_s = when_s,
                                            .lost_s = lost_s,
                                            .behind_s = behind_s,
                                            .moving_s = notes->line.tick_s *
                                                        (double)(note->end - note->begin),
                                            .bytes = note->bytes,
                                            .p = state->size,
                                            .rank = allfold_job()->rank,
                                            .collective = note->collective,
                                            .row = note->row};
    allfold_worst_add(&lateness->worst, &call);
}

/* Adds who was last, as this rank sees it. */
static void add_latecomer(const struct allfold_communicator *state, const struct allfold_note *note,
                          const struct allfold_latest *latest, const struct allfold_split *split,
                          struct allfold_latecomers *seen)
{
    const struct allfold_notes *notes = allfold_notes_of(state);
    if (latest->rank < 0)
        return;
    seen->chance_s +=
        note->calls * allfold_latest_chance_s(latest, note->collective, note->root, latest->rank);
    const struct allfold_worst_call call = {
        .when_s = own_time(notes, note) + latest->last_s - shared_time(notes, note->begin),
        .lost_s = allfold_latest_mean_s(latest) * latest->count,
        .behind_s = allfold_latest_behind_s(latest),
        .moving_s = split->moving_s,
        .bytes = note->bytes,
        .p = state->size,
        .rank = state->members == NULL ? latest->rank : state->members[latest->rank],
        .collective = note->collective,
        .row = note->row};
    if (call.behind_s > 0 && (latest->last_s - least_late_s) * latest->count > latest->sum_s)
        allfold_latecomers_add(seen, allfold_lateness_row(call.rank), &call, note->calls);
}

static void trace(const struct allfold_notes *notes, const struct allfold_note *note,
                  const struct allfold_latest *latest, double seconds, double waiting_s)
{
    const struct allfold_traced_call traced = {
        .shape = note->shape,
        .is_split = latest != NULL,
        .begin_s = allfold_tick_line_tell(&notes->line, note->begin),
        .seconds = seconds,
        .waiting_s = waiting_s,
        .all_waiting_s = latest == NULL ? 0 : allfold_latest_mean_s(latest)};
    allfold_tracing_add(&traced, note == notes->list);
}

/* Adds who was late for a call. */
static void add_split(const struct allfold_communicator *state, const struct allfold_note *note,
                      const struct allfold_latest *latest, double begin_s,
                      const struct allfold_split *split, struct allfold_report_rank *own,
                      struct allfold_lateness *lateness)
{
    const struct allfold_notes *notes = allfold_notes_of(state);
    const double last_behind_s = allfold_latest_behind_s(latest);
    const double behind_s = latest->rank == state->rank ? last_behind_s : 0;
    const double behind_in_all_s = note->calls * behind_s;
    own->split += note->calls;
    own->error_s = notes->clock.error_s > own->error_s ? notes->clock.error_s : own->error_s;
    own->last += behind_s > 0 ? note->calls : 0;
    own->behind_s += behind_in_all_s;
    own->squares += behind_in_all_s * behind_in_all_s;
    own->chance_s +=
        note->calls * allfold_latest_chance_s(latest, note->collective, note->root, state->rank);
    if ((begin_s - least_late_s) * latest->count > latest->sum_s)
        add_lateness(state, note, latest, begin_s, behind_s, lateness);
    if (lateness->seen != NULL)
        add_latecomer(state, note, latest, split, lateness->seen);
}

/* Adds a note to its row's figures and to this rank's. `latest` is NULL where it is not split. */
static void add_note(const struct allfold_communicator *state, const struct allfold_note *note,
                     const struct allfold_latest *latest, struct allfold_report_sum *row,
                     struct allfold_report_rank *own, struct allfold_lateness *lateness)
{
    const struct allfold_notes *notes = allfold_notes_of(state);
    const double begin_s = shared_time(notes, note->begin);
    const double took_s = notes->line.tick_s * (double)(note->end - note->begin);
    struct allfold_split split = {0, 0};
    double seconds = note->apart_s >= 0 ? note->apart_s : took_s;
    if (latest != NULL) {
        split =
            allfold_split_call(note->collective, begin_s, begin_s + took_s, note->apart_s, latest);
        seconds = split.waiting_s + split.moving_s;
    }
    if (allfold_tracing_is_on)
        trace(notes, note, latest, seconds, split.waiting_s);
    if (!note->is_recorded)
        return;
    if (latest != NULL)
        add_split(state, note, latest, begin_s, &split, own, lateness);
    row->calls += note->calls;
    row->bytes += note->calls * (double)note->bytes;
    row->seconds += note->calls * seconds;
    row->waiting_s += note->calls * split.waiting_s;
    row->moving_s += note->calls * split.moving_s;
}

/* Sums of some rows. Rows alternate from call to call, and each addition to the report takes a
 * lock. */
struct row_sums {
    uint32_t count;
    struct {
        uint32_t row;
        struct allfold_report_sum sum;
    } of[8];
};

/* The sum of a row; NULL where there is no room for another row. */
static struct allfold_report_sum *find_sum(struct row_sums *sums, uint32_t row)
{
    uint32_t i = 0;
    while (i < sums->count && sums->of[i].row != row)
        i++;
    if (i == sizeof sums->of / sizeof *sums->of)
        return NULL;
    if (i == sums->count) {
        sums->of[sums->count++].row = row;
        sums->of[i].sum = (struct allfold_report_sum){.calls = 0};
    }
    return &sums->of[i].sum;
}

/* Adds notes from the first one on, as long as there is room for their rows. The next one. */
static uint32_t add_some(const struct allfold_communicator *state, uint32_t first,
                         const struct allfold_latest *latest, struct row_sums *sums,
                         struct allfold_report_rank *own)
{
    const struct allfold_notes *notes = allfold_notes_of(state);
    struct allfold_lateness *lateness = allfold_lateness_open();
    struct allfold_report_sum *sum;
    uint32_t i = first;
    for (; i < notes->count && (sum = find_sum(sums, notes->list[i].row)) != NULL; i++)
        add_note(state, &notes->list[i], latest == NULL ? NULL : &latest[i], sum, own, lateness);
    allfold_lateness_close();
    assert(i > first);
    return i;
}

/* Adds all notes to the report, and forgets them. */
static void add_notes(const struct allfold_communicator *state, const struct allfold_latest *latest)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    struct allfold_report_rank own = {.calls = 0};
    assert(notes->count == 0 || notes->line.tick_s > 0);
    for (uint32_t i = 0; i < notes->count && notes->list != NULL;) {
        struct row_sums sums = {.count = 0};
        i = add_some(state, i, latest, &sums, &own);
        for (uint32_t r = 0; r < sums.count; r++) {
            const struct allfold_report_sum *sum = &sums.of[r].sum;
            allfold_report_add_sum(sums.of[r].row, sum);
            own.calls += sum->calls;
            own.seconds += sum->seconds;
            own.waiting_s += sum->waiting_s;
            own.moving_s += sum->moving_s;
        }
    }
    allfold_report_add_own(&own);
    notes->count = notes->calls = 0;
}

/* Makes room for a window of notes; there are none. Without memory calls are counted alone. */
static void make_room(struct allfold_notes *notes)
{
    assert(notes->count == 0 && notes->window <= ALLFOLD_NOTES);
    if (notes->window <= notes->room)
        return;
    allfold_free(notes->list);
    notes->latest = spare;
    notes->room = notes->window;
    notes->list = allfold_allocate(notes->room * (sizeof *notes->list + sizeof *notes->latest) +
                                   ALLFOLD_NOTE_WORDS * sizeof *notes->latest);
    if (notes->list != NULL)
        notes->latest = (struct allfold_latest *)(notes->list + notes->room);
}

/* Calls that are watched are left to the MPI library: nobody watches a run beside them. */
static void make_own(const struct allfold_communicator *state)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    if (notes->window == most && notes->own == NULL && !state->is_watched)
        notes->own = allfold_exchange_make(state, most + ALLFOLD_NOTE_WORDS, type_of_latest);
}

/* With how many notes the ranks exchange them the next time. All come to the same: `latest` is NULL
 * on all or on none. */
static uint32_t next_window(const struct allfold_communicator *state,
                            const struct allfold_latest *latest)
{
    enum { SECOND_WINDOW = 16 };
    const struct allfold_notes *notes = allfold_notes_of(state);
    uint32_t next = notes->window < SECOND_WINDOW ? SECOND_WINDOW : 2 * notes->window;
    next = next < most ? next : most;
    if (latest == NULL || state->agreed.settings->watch == NULL)
        return next;
    const double wanted = -latest[notes->count + ALLFOLD_NOTE_WINDOW].last_s;
    return wanted < next ? (uint32_t)wanted : next;
}

/* One call of how many is noted from now on; all ranks come to the same. */
static uint32_t next_stride(const struct allfold_notes *notes, const struct allfold_latest *latest)
{
    enum { MOST_STRIDE = 16 };
    if (latest == NULL || !may_skip || notes->window < most)
        return 1;
    const double wanted = -latest[notes->count + ALLFOLD_NOTE_WINDOW].last_s / most;
    return wanted < 1 ? 1 : wanted < MOST_STRIDE ? (uint32_t)wanted : MOST_STRIDE;
}

/* Chooses the next call that is noted. Strides are random, or the calls of a loop would be noted
 * unevenly; but the same on all ranks. */
static void choose_next(struct allfold_communicator *state)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    notes->stands_for = 1;
    if (notes->stride > 1) {
        notes->draw = notes->draw * 1664525u + 1013904223u;
        notes->stands_for += (notes->draw >> 8) % (2 * notes->stride - 1);
    }
    state->unnoted = notes->stands_for - 1;
}

static void settle(struct allfold_communicator *state)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    struct allfold_latest *latest = notes->latest;
    draw_line(notes);
    if (!may_split(state) || !find_latest(state, latest))
        latest = NULL;
    const uint32_t window = next_window(state, latest), stride = next_stride(notes, latest);
    add_notes(state, latest);
    allfold_report_save();
    allfold_live_refresh();
    notes->window = window;
    notes->stride = stride;
    make_room(notes);
    make_own(state);
}

void allfold_notes_end(struct allfold_communicator *state, enum allfold_collective collective,
                       int root, uint64_t begin, uint64_t end)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    const struct allfold_served *served = &notes->served;
    assert(notes->count < notes->window && notes->window <= ALLFOLD_NOTES);
    if (notes->list != NULL)
        notes->list[notes->count] = (struct allfold_note){.begin = begin,
                                                          .end = end,
                                                          .apart_s = served->apart_s,
                                                          .bytes = served->bytes,
                                                          .row = served->row,
                                                          .root = root,
                                                          .shape = served->shape,
                                                          .calls = notes->stands_for,
                                                          .is_recorded = allfold_report_records(),
                                                          .collective = collective};
    notes->calls += notes->stands_for;
    if (++notes->count == notes->window)
        settle(state);
    if (may_skip)
        choose_next(state);
}

void allfold_notes_serve_native(const struct allfold_communicator *state,
                                enum allfold_collective collective, int root, size_t bytes,
                                const char *why)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    struct allfold_passed *last = &notes->passed;
    if (last->why != why || last->collective != collective || last->bytes != bytes ||
        last->root != root || last->row == ALLFOLD_NO_ROW ||
        last->phase != allfold_report_phase_now || last->site != notes->served.site) {
        const struct allfold_report_row row =
            allfold_report_native_row(collective, state->size, bytes, why, notes->served.site);
        *last = (struct allfold_passed){
            .collective = collective,
            .bytes = bytes,
            .why = why,
            .phase = row.phase,
            .site = row.site,
            .root = root,
            .row = allfold_report_find_row(&row),
            .shape = allfold_tracing_native(state, collective, root, bytes, why)};
    }
    allfold_notes_serve(state, last->row, last->shape, bytes);
}

/* --- begin and end --- */

void allfold_notes_open(void)
{
    const struct allfold_job *job = allfold_job();
    if (job->native_reason != NULL || !allfold_settings_note(job->agreed.settings))
        return;
    may_skip = job->agreed.settings->report == NULL && job->agreed.settings->trace == NULL;
    most = may_skip ? ALLFOLD_NOTES_FOR_TOP : ALLFOLD_NOTES;
    allfold_ticks_open();
    opened = allfold_moment();
    clock_key = allfold_clock_key();
    bool is_made = PMPI_Type_contiguous(sizeof(struct allfold_latest), MPI_BYTE, &type_of_latest) ==
                       MPI_SUCCESS &&
                   PMPI_Type_commit(&type_of_latest) == MPI_SUCCESS &&
                   PMPI_Op_create(merge, 1, &merge_all) == MPI_SUCCESS;
    if (allfold_synchronize(job->comm, &is_made) == MPI_SUCCESS && is_made)
        return;
    if (merge_all != MPI_OP_NULL)
        PMPI_Op_free(&merge_all);
    merge_all = MPI_OP_NULL;
}

/* Ranks may have made their communicators in any order, so none waits for one exchange before it
 * has begun all others. */
static void begin_last(struct allfold_communicator *state)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    draw_line(notes);
    notes->is_exchanging = notes->count > 0 && may_split(state) &&
                           start_exchange(state, notes->latest, &notes->exchange) == MPI_SUCCESS;
}

static void end_last(struct allfold_communicator *state)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    if (notes->is_exchanging && allfold_wait_request(&notes->exchange) == MPI_SUCCESS)
        add_notes(state, notes->latest);
    notes->is_exchanging = false;
}

void allfold_notes_close(void)
{
    struct allfold_communicator *world = allfold_communicator_known(MPI_COMM_WORLD);
    if (world != NULL && allfold_notes_of(world)->count > 0)
        settle(world); /* here all ranks are, so its clocks may be fitted */
    allfold_communicators_visit(begin_last);
    allfold_communicators_visit(end_last);
    if (merge_all != MPI_OP_NULL)
        PMPI_Op_free(&merge_all);
    if (type_of_latest != MPI_DATATYPE_NULL)
        PMPI_Type_free(&type_of_latest);
    merge_all = MPI_OP_NULL;
    type_of_latest = MPI_DATATYPE_NULL;
}

static void make(struct allfold_communicator *state)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    notes->window = notes->stride = notes->stands_for = 1;
    notes->latest = spare;
    const struct allfold_settings *settings = state->agreed.settings; /* NULL: there is no job */
    state->is_noted = settings != NULL && allfold_settings_note(settings);
    if (state->is_noted)
        make_room(notes);
}

static void free_own(struct allfold_notes *notes)
{
    allfold_exchange_free(notes->own);
    notes->own = NULL;
    notes->uses_own = false;
}

/* The next communicator of the same ranks begins anew, as one without a state to take over does. */
static void shrink(struct allfold_communicator *state)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    draw_line(notes);
    add_notes(state, NULL);
    notes->draw = state->unnoted = 0;
    notes->stride = notes->stands_for = 1;
    notes->window = 1; /* there is room for more, which waits for its turn */
    notes->clock = (struct allfold_shared_clock){.is_fitted = false};
    notes->first_fit_s = 0;
    free_own(notes);
}

static void close_notes(struct allfold_communicator *state)
{
    draw_line(allfold_notes_of(state));
    add_notes(state, NULL);
    allfold_free(allfold_notes_of(state)->list);
    free_own(allfold_notes_of(state));
}

const struct allfold_part allfold_part_notes = {
    .bytes = sizeof(struct allfold_notes), .make = make, .shrink = shrink, .close = close_notes};
