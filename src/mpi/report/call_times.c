/* Notes of blocking calls, and their exchange between ranks (see call_times.h). */
#include "mpi/report/call_times.h"

#include <assert.h>
#include <string.h>

#include "algorithms/algorithm.h"
#include "execute/executor.h"
#include "mpi/job/job.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/report/live.h"
#include "mpi/transport/point_to_point.h"
#include "util/machine_key.h"
#include "util/memory.h"

/* The operation of the exchanges, the same on all ranks; MPI_OP_NULL if calls are not split. */
static MPI_Op merge_all = MPI_OP_NULL;
static MPI_Datatype type_of_latest = MPI_DATATYPE_NULL;

/* Maximum number of notes in a window. If only `allfold top` wants notes, not every short call is
 * noted. */
static uint32_t most = ALLFOLD_NOTES;
static bool may_skip;

/* When ranks may first have noted a call. */
static struct allfold_moment opened;

/* A receive buffer for a rank that is out of memory and must take part nevertheless. Its content is
 * not used. */
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

/* Of this process (util/machine_key.h). */
static int64_t clock_key;

/* What two ranks exchange before they compare their clocks. */
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

/* --- the exchange of a whole window --- */

/* The exchange of a whole window by an algorithm of Allfold takes a tenth of the time of the MPI
 * library's nonblocking reduction with a user-defined function, which all shorter windows use.
 * Either all ranks of a communicator have memory for it or none uses it; they agree on this in the
 * exchange before. */
struct allfold_exchange {
    struct allfold_schedule *schedule;
    struct allfold_executor *executor;
    struct allfold_binding binding;
    MPI_Datatype type;
    size_t bytes; /* of all records */
};

static int merge_records(const struct allfold_elements *elements, void *to, const void *left,
                         const void *right, size_t count)
{
    struct allfold_latest *into = to;
    const struct allfold_latest *lower = left, *higher = right;
    (void)elements;
    for (size_t i = 0; i < count; i++) {
        struct allfold_latest merged = lower[i];
        allfold_latest_merge(&merged, &higher[i]);
        into[i] = merged;
    }
    return 0;
}

static int copy_records(const struct allfold_elements *elements, void *to, const void *from,
                        size_t count)
{
    (void)elements;
    memcpy(to, from, count * sizeof(struct allfold_latest));
    return 0;
}

static const struct allfold_elements records = {.extent_bytes = sizeof(struct allfold_latest),
                                                .high_bytes = sizeof(struct allfold_latest),
                                                .reduce = merge_records,
                                                .copy = copy_records};

static bool prepare(const struct allfold_communicator *state, struct allfold_exchange *exchange,
                    size_t count)
{
    const struct allfold_algorithm *algorithm =
        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling");
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
    struct allfold_problem problem = allfold_communicator_problem(state, ALLFOLD_ALLREDUCE);
    problem.count = count;
    problem.element_bytes = sizeof(struct allfold_latest);
    problem.commutative = problem.in_place = true;
    if (allfold_build(algorithm, &problem, &presets, &exchange->schedule, NULL, 0) != ALLFOLD_OK)
        return false;
    exchange->executor =
        allfold_executor_create(exchange->schedule, (uint32_t)state->agreed.settings->window);
    if (exchange->executor == NULL)
        return false;
    exchange->binding.scratch =
        allfold_allocate(1 + allfold_executor_place(exchange->executor, &records));
    return exchange->binding.scratch != NULL;
}

static void free_exchange(struct allfold_exchange *exchange)
{
    if (exchange == NULL)
        return;
    allfold_executor_free(exchange->executor);
    allfold_schedule_free(exchange->schedule);
    allfold_free(exchange->binding.scratch);
    allfold_free(exchange);
}

/* Makes an exchange for `count` records of the datatype `type`. Returns NULL if out of memory, or
 * if all calls of the communicator are native. Local. */
static struct allfold_exchange *make_exchange(const struct allfold_communicator *state,
                                              size_t count, MPI_Datatype type)
{
    struct allfold_exchange *exchange =
        state->carrier.comm == MPI_COMM_NULL ? NULL : allfold_allocate_zeroed(sizeof *exchange);
    if (exchange == NULL)
        return NULL;
    exchange->binding.elements = &records;
    exchange->type = type;
    exchange->bytes = count * sizeof(struct allfold_latest);
    if (prepare(state, exchange, count))
        return exchange;
    free_exchange(exchange);
    return NULL;
}

/* Merges the records of all ranks, in place. Returns an MPI error code. Collective. */
static int run_exchange(const struct allfold_communicator *state, struct allfold_exchange *exchange,
                        struct allfold_latest *latest)
{
    exchange->binding.in = exchange->binding.out = latest;
    exchange->binding.transport = allfold_communicator_begin_run(
        state, exchange->type, sizeof *latest, exchange->bytes, true);
    const int error = allfold_executor_start(exchange->executor, &exchange->binding);
    return error == MPI_SUCCESS ? allfold_wait_executor(exchange->executor, state->carrier.comm)
                                : error;
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

/* Fills in this rank's notes, followed by its numbers of enum allfold_note_word. The exchange takes
 * minima of windows, so each rank contributes the negative of its own. */
static void fill(const struct allfold_communicator *state, struct allfold_latest *latest)
{
    const struct allfold_notes *notes = allfold_notes_of(state);
    bool is_awaited = false;
    for (uint32_t i = 0; i < notes->count; i++) {
        if (notes->list == NULL) {
            latest[i] = allfold_latest_unknown();
            continue;
        }
        const struct allfold_event *note = &notes->list[i];
        if (i == 0 || note->collective != note[-1].collective || note->root != note[-1].root)
            is_awaited = allfold_is_awaited(note->collective, note->root, state->rank);
        latest[i] = allfold_latest_of(is_awaited, state->rank, shared_time(notes, note->begin));
    }
    latest += notes->count;
    latest[ALLFOLD_NOTE_FIT] =
        (struct allfold_latest){.last_s = is_fit_due(notes), .rank = state->rank};
    latest[ALLFOLD_NOTE_WINDOW] =
        (struct allfold_latest){.last_s = -(double)allfold_live_exchange_interval(
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
        return run_exchange(state, notes->own, latest) == MPI_SUCCESS;
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

/* --- the log --- */

/* Adds all notes to the log, and clears them. `latest` is NULL if they are not split. */
static void add_notes(const struct allfold_communicator *state, const struct allfold_latest *latest)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    const struct allfold_log_caller caller = {.rank = state->rank,
                                              .size = state->size,
                                              .members = state->members,
                                              .clock = &notes->clock,
                                              .line = notes->line};
    assert(notes->count == 0 || notes->line.tick_s > 0);
    if (notes->list != NULL && notes->count > 0)
        allfold_log_end(notes->list, notes->count, latest, &caller);
    allfold_tracing_flush();
    notes->count = notes->calls = 0;
}

/* Makes memory for a window of notes, which is empty. If out of memory, calls are counted without
 * notes. */
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

/* If calls are watched, the MPI library's reduction is used: runs of Allfold within a call would
 * not be watched. */
static void make_own(const struct allfold_communicator *state)
{
    struct allfold_notes *notes = allfold_notes_of(state);
    if (notes->window == most && notes->own == NULL && !state->is_watched)
        notes->own = make_exchange(state, most + ALLFOLD_NOTE_WORDS, type_of_latest);
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
        notes->list[notes->count] = (struct allfold_event){.begin = begin,
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
        last->root != root)
        *last = (struct allfold_passed){
            .collective = collective,
            .bytes = bytes,
            .why = why,
            .root = root,
            .shape = allfold_tracing_native(state, collective, root, bytes, why)};
    allfold_notes_serve(
        state,
        allfold_report_passed_row(collective, NULL, state->size, bytes, why, notes->served.site),
        last->shape, bytes);
}

/* --- begin and end --- */

void allfold_notes_open(void)
{
    const struct allfold_job *job = allfold_job();
    if (job->native_reason != NULL || !allfold_settings_note(job->agreed.settings))
        return;
    struct allfold_log *log = allfold_log_lock();
    log->rank = job->rank;
    log->size = job->size;
    log->begin_s = job->begin_s;
    log->nodes = job->nodes;
    allfold_log_unlock();
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
    const bool is_split =
        notes->is_exchanging && allfold_wait_request(&notes->exchange) == MPI_SUCCESS;
    notes->is_exchanging = false;
    if (notes->count > 0)
        add_notes(state, is_split ? notes->latest : NULL);
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
    free_exchange(notes->own);
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
    notes->window = 1; /* the memory may be for more notes, which are used later */
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
