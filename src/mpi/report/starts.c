/* When ranks started calls that do not block (see starts.h).
 *
 * Invariant: runs from `from` to `next` are not exchanged, and an exchange that is on has those of
 * `message`, which are before `from`. Windows depend on how many runs there were alone, so all
 * ranks have the same. A rank that starts runs before an exchange has ended begins the next one
 * later. */
#include "mpi/report/starts.h"

#include <assert.h>
#include <stddef.h>

#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/report/notes.h"
#include "mpi/transport/point_to_point.h"
#include "util/memory.h"

enum { MOST = 64 /* runs of an exchange */, KEPT = 2 * MOST, MOST_LANES = 512 };

/* A run, in the place of its number modulo KEPT. */
struct start {
    uint64_t number;
    bool is_known, is_seen;     /* `latest` holds; the record is complete */
    struct allfold_event event; /* in nanoseconds of the shared clock */
    struct allfold_latest latest;
};

struct message {
    uint64_t from;
    uint32_t count, unused;
    struct allfold_latest latest[MOST];
};

struct allfold_starts {
    struct allfold_activity activity; /* first; in flight while an exchange is on */
    const struct allfold_communicator *state;
    int tag;
    uint64_t from, next;
    uint32_t window;
    bool is_flushing;
    int step; /* of the exchange, see advance */
    MPI_Request request;
    struct message message, received;
    struct start kept[KEPT];
};

static atomic_uint exchanges; /* that are on */

struct allfold_starts *allfold_starts_make(struct allfold_communicator *state, int lane)
{
    if (lane >= MOST_LANES || state->carrier.comm == MPI_COMM_NULL)
        return NULL;
    struct allfold_starts *starts = allfold_allocate_zeroed(sizeof *starts);
    if (starts == NULL)
        return NULL;
    starts->state = state;
    starts->tag = allfold_news_tag() - 1 - lane;
    starts->window = 1;
    starts->request = MPI_REQUEST_NULL;
    for (int i = 0; i < KEPT; i++)
        starts->kept[i].number = UINT64_MAX;
    return starts;
}

static struct start *find(struct allfold_starts *starts, uint64_t number)
{
    struct start *found = &starts->kept[number % KEPT];
    return found->number == number ? found : NULL;
}

/* Both the last start and the end are known. */
static void end(const struct allfold_starts *starts, struct start *start)
{
    const struct allfold_shared_clock same = {.error_s =
                                                  allfold_notes_of(starts->state)->clock.error_s};
    const struct allfold_log_caller caller = {.rank = starts->state->rank,
                                              .size = starts->state->size,
                                              .clock = &same,
                                              .line = allfold_log_ns};
    allfold_log_end(&start->event, 1, &start->latest, &caller);
    start->number = UINT64_MAX;
}

static void take_latest(struct allfold_starts *starts)
{
    const struct message *message = &starts->message;
    for (uint32_t i = 0; i < message->count; i++) {
        struct start *start = find(starts, message->from + i);
        if (start == NULL || message->latest[i].count < starts->state->size)
            continue; /* overwritten, here or elsewhere */
        start->latest = message->latest[i];
        start->is_known = true;
        if (start->is_seen)
            end(starts, start);
    }
}

/* --- the exchange --- */

/* This rank's children are its sums with higher powers of two, its parent is itself without its
 * lowest one. */
static int child_of(const struct allfold_starts *starts, int k)
{
    const int rank = starts->state->rank, size = starts->state->size;
    const int child = rank | 1 << k;
    return (rank & ((2 << k) - 1)) == 0 && child < size ? child : -1;
}

static int count_children(const struct allfold_starts *starts)
{
    int count = 0;
    while (1 << count < starts->state->size && child_of(starts, count) >= 0)
        count++;
    return count;
}

static size_t bytes_of(const struct message *message)
{
    return offsetof(struct message, latest) + message->count * sizeof *message->latest;
}

static void merge(struct message *into, const struct message *other)
{
    if (other->from != into->from || other->count != into->count)
        into->count = 0; /* a run failed somewhere: nobody knows which are the same */
    for (uint32_t i = 0; i < into->count; i++)
        allfold_latest_merge(&into->latest[i], &other->latest[i]);
}

static int receive(struct allfold_starts *starts, int peer)
{
    return PMPI_Irecv(&starts->received, sizeof starts->received, MPI_BYTE, peer, starts->tag,
                      starts->state->carrier.comm, &starts->request);
}

static int send(struct allfold_starts *starts, int peer)
{
    return PMPI_Isend(&starts->message, (int)bytes_of(&starts->message), MPI_BYTE, peer,
                      starts->tag, starts->state->carrier.comm, &starts->request);
}

/* The steps of n children: n receives, a send to the parent and a receive from there, n sends. */
static int start_step(struct allfold_starts *starts, int children)
{
    const int rank = starts->state->rank, parent = rank & (rank - 1), step = starts->step;
    if (step < children)
        return receive(starts, child_of(starts, step));
    if (step >= children + 2)
        return send(starts, child_of(starts, step - children - 2));
    if (rank == 0)
        return MPI_SUCCESS;
    return step == children ? send(starts, parent) : receive(starts, parent);
}

static void end_step(struct allfold_starts *starts, int children)
{
    if (starts->step < children)
        merge(&starts->message, &starts->received);
    else if (starts->step == children + 1 && starts->state->rank > 0)
        starts->message = starts->received;
    starts->step++;
}

static void begin_exchange(struct allfold_starts *starts);

static void end_exchange(struct allfold_starts *starts, bool is_well)
{
    allfold_activity_remove(&starts->activity);
    exchanges--;
    if (is_well)
        take_latest(starts);
    begin_exchange(starts);
}

/* As far as it goes without waiting. */
static void advance(struct allfold_activity *activity)
{
    struct allfold_starts *starts = (struct allfold_starts *)activity;
    const int children = count_children(starts);
    for (;;) {
        int is_done = 0;
        int error = PMPI_Test(&starts->request, &is_done, MPI_STATUS_IGNORE);
        if (error == MPI_SUCCESS && !is_done)
            return;
        if (error == MPI_SUCCESS) {
            end_step(starts, children);
            if (starts->step == 2 * children + 2) {
                end_exchange(starts, true);
                return;
            }
            error = start_step(starts, children);
        }
        if (error != MPI_SUCCESS) {
            end_exchange(starts, false);
            return;
        }
    }
}

static const struct allfold_activity_kind kind = {.advance = advance};

static void fill(struct allfold_starts *starts, uint32_t count)
{
    struct message *message = &starts->message;
    const int rank = starts->state->rank;
    message->from = starts->from;
    message->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct start *start = find(starts, starts->from + i);
        message->latest[i] =
            start == NULL
                ? allfold_latest_unknown()
                : allfold_latest_of(
                      allfold_is_awaited(start->event.collective, start->event.root, rank), rank,
                      allfold_tick_line_tell(&allfold_log_ns, start->event.begin));
    }
    starts->from += count;
}

/* Where one is due and none is on. */
static void begin_exchange(struct allfold_starts *starts)
{
    const uint64_t left = starts->next - starts->from;
    const uint32_t count = left < starts->window ? (uint32_t)left : starts->window;
    if (starts->activity.link != NULL || count == 0 ||
        (count < starts->window && !starts->is_flushing))
        return;
    fill(starts, count);
    starts->window = starts->window == 1 ? 16 : starts->window < MOST ? 2 * starts->window : MOST;
    starts->step = 0;
    starts->activity.kind = &kind;
    allfold_activity_add(&starts->activity);
    exchanges++;
    if (start_step(starts, count_children(starts)) != MPI_SUCCESS)
        end_exchange(starts, false);
}

/* --- runs --- */

struct allfold_started allfold_starts_add(struct allfold_starts *starts,
                                          enum allfold_collective collective, int root,
                                          double begin_s)
{
    const struct allfold_started started = {starts, starts->next};
    const struct allfold_shared_clock *clock = &allfold_notes_of(starts->state)->clock;
    starts->kept[starts->next % KEPT] = (struct start){
        .number = starts->next,
        .event = {.begin = allfold_log_ns_of(allfold_shared_clock_tell(clock, begin_s)),
                  .collective = collective,
                  .root = root}};
    starts->next++;
    begin_exchange(starts);
    return started;
}

void allfold_starts_see(const struct allfold_started *started, const struct allfold_event *event)
{
    struct start *start = find(started->starts, started->number);
    if (start == NULL)
        return;
    const uint64_t begin = start->event.begin;
    start->event = *event;
    start->event.begin = begin;
    start->event.end = begin + (event->end - event->begin);
    start->is_seen = true;
    if (start->is_known)
        end(started->starts, start);
}

/* --- the end --- */

void allfold_starts_flush(struct allfold_starts *starts)
{
    starts->is_flushing = true;
    begin_exchange(starts);
}

void allfold_starts_wait(void)
{
    const double patience_s = 5, until_s = allfold_now_s() + patience_s;
    for (unsigned times = 0; exchanges > 0 && allfold_now_s() < until_s; times++) {
        allfold_progress();
        allfold_rest(times, MPI_COMM_NULL);
    }
}

/* A message that is under way needs its buffer. */
static bool drop_request(MPI_Request *request)
{
    int is_done = 0;
    PMPI_Cancel(request);
    PMPI_Test(request, &is_done, MPI_STATUS_IGNORE);
    if (!is_done)
        PMPI_Request_free(request);
    return is_done;
}

void allfold_starts_free(struct allfold_starts *starts)
{
    bool is_free = true;
    if (starts == NULL)
        return;
    allfold_progress_lock();
    if (starts->activity.link != NULL) {
        allfold_activity_remove(&starts->activity);
        exchanges--;
        is_free = starts->request == MPI_REQUEST_NULL || drop_request(&starts->request);
    }
    allfold_progress_unlock();
    if (is_free)
        allfold_free(starts);
}
