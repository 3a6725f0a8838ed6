/* Roll-call (see roll_call.h).
 *
 * A question names a lane and a run on it, which are numbered alike on all ranks, so its answer is
 * right whenever it comes; one that comes too late is taken for the next question's, and ignored
 * there where it is about another run. Messages are so short that MPI takes them at once. */
#include "mpi/arrivals/roll_call.h"

#include <sched.h>
#include <string.h>

#include "mpi/communicator/communicator.h"
#include "mpi/progress/progress.h"
#include "mpi/report/report.h"
#include "util/memory.h"

enum { LANE, RUN, AT, WORDS };

/* The lane of blocking calls, which are numbered twice: see allfold_roll_call_arrive. */
enum { BLOCKING = 0 };

/* A run that others are asked about, and what is known of them. */
struct roll {
    struct allfold_communicator *state;
    int lane;
    uint64_t run;
    unsigned char *known;
};

/* Probes and receives at once, as another thread may look for the same message. */
static int receive(struct allfold_communicator *state, int tag, int64_t *words, int *from)
{
    int found = 0;
    MPI_Status status;
    MPI_Message message;
    const int error = PMPI_Improbe(MPI_ANY_SOURCE, tag, state->comm, &found, &message, &status);
    *from = -1;
    if (error != MPI_SUCCESS || !found)
        return error;
    *from = status.MPI_SOURCE;
    return PMPI_Mrecv(words, WORDS, MPI_INT64_T, &message, MPI_STATUS_IGNORE);
}

/* Which run of a lane this rank has begun last. */
static int64_t begun(struct allfold_communicator *state, int64_t number)
{
    const struct allfold_lanes *lanes = &state->lanes;
    if (number == BLOCKING)
        return (int64_t)atomic_load(&state->at);
    if (number >= (int64_t)lanes->capacity || lanes->lanes[number] == NULL)
        return 0;
    return (int64_t)lanes->lanes[number]->run;
}

void allfold_roll_call_answer(struct allfold_communicator *state)
{
    int64_t words[WORDS];
    const int tag = allfold_question_tag();
    for (int from; receive(state, tag, words, &from) == MPI_SUCCESS && from >= 0;) {
        words[AT] = begun(state, words[LANE]);
        PMPI_Send(words, WORDS, MPI_INT64_T, from, tag + 1, state->comm);
    }
}

void allfold_roll_call_arrive(struct allfold_communicator *state, uint64_t at)
{
    atomic_store(&state->at, at);
    if (state->node.memory != NULL)
        atomic_store_explicit(
            &allfold_node_arrivals(&state->node, BLOCKING)[state->node.options.index].run, at,
            memory_order_release);
}

static unsigned char presence(const struct roll *roll, uint64_t at)
{
    if (at < roll->run)
        return ALLFOLD_ABSENT;
    return at == roll->run ? ALLFOLD_HERE : ALLFOLD_GONE;
}

static void hear(void *known, int peer, bool has_come)
{
    if (has_come && ((unsigned char *)known)[peer] == ALLFOLD_SILENT)
        ((unsigned char *)known)[peer] = ALLFOLD_GONE; /* or here: it need not be asked */
}

/* What this rank knows by itself. */
static void look(const struct roll *roll, struct allfold_arrival *arrivals,
                 const struct allfold_executor *executor)
{
    const struct allfold_communicator *state = roll->state;
    for (int r = 0; r < state->size && arrivals != NULL; r++) {
        const int index = state->node.index_of[r];
        if (index >= 0)
            roll->known[r] = presence(roll, atomic_load(&arrivals[index].run));
    }
    if (executor != NULL)
        allfold_executor_tell_received(executor, hear, roll->known);
    roll->known[state->rank] = ALLFOLD_HERE;
}

static int ask(const struct roll *roll, int *asked)
{
    const struct allfold_communicator *state = roll->state;
    const int64_t words[WORDS] = {roll->lane, (int64_t)roll->run, 0};
    int error = MPI_SUCCESS;
    *asked = 0;
    for (int r = 0; r < state->size && error == MPI_SUCCESS; r++) {
        if (roll->known[r] != ALLFOLD_SILENT)
            continue;
        error = PMPI_Send(words, WORDS, MPI_INT64_T, r, allfold_question_tag(), state->comm);
        ++*asked;
    }
    return error;
}

static int await_answers(const struct roll *roll, int asked)
{
    const double deadline_s = allfold_now_s() + 1e-3 * ALLFOLD_ROLL_CALL_MS;
    while (asked > 0 && allfold_now_s() < deadline_s) {
        int64_t words[WORDS];
        int from;
        const int error = receive(roll->state, allfold_question_tag() + 1, words, &from);
        if (error != MPI_SUCCESS)
            return error;
        if (from >= 0 && words[LANE] == roll->lane && words[RUN] == (int64_t)roll->run) {
            roll->known[from] = presence(roll, (uint64_t)words[AT]);
            asked--;
        }
        allfold_progress(); /* answers, too */
        allfold_progress_answer(roll->state);
        sched_yield();
    }
    return MPI_SUCCESS;
}

static int call_roll(const struct roll *roll)
{
    int asked;
    const int error = ask(roll, &asked);
    return error != MPI_SUCCESS ? error : await_answers(roll, asked);
}

static struct roll roll_of(const struct allfold_plan *plan, unsigned char *known)
{
    return (struct roll){plan->state, plan->lane->number, plan->run, known};
}

static void look_at_plan(const struct allfold_plan *plan, unsigned char *known)
{
    const struct roll roll = roll_of(plan, known);
    look(&roll, plan->lane->arrivals, plan->entry->executor);
}

int allfold_roll_call(struct allfold_plan *plan, int *ranks, int max, int *count)
{
    const int p = plan->state->size;
    *count = 0;
    unsigned char *known = allfold_allocate_zeroed((size_t)p);
    if (known == NULL)
        return MPI_ERR_NO_MEM;
    allfold_progress();
    if (!allfold_progress_look(plan, look_at_plan, known))
        memset(known, ALLFOLD_HERE, (size_t)p);
    const struct roll roll = roll_of(plan, known);
    const int error = call_roll(&roll);
    for (int r = 0; r < p && error == MPI_SUCCESS; r++) {
        if (known[r] >= ALLFOLD_HERE)
            continue;
        if (*count < max)
            ranks[*count] = r;
        ++*count;
    }
    allfold_free(known);
    return error;
}

int allfold_roll_call_blocking(struct allfold_communicator *state,
                               const struct allfold_executor *executor, unsigned char *known)
{
    const struct roll roll = {state, BLOCKING, atomic_load(&state->at), known};
    struct allfold_arrival *arrivals =
        state->node.memory == NULL ? NULL : allfold_node_arrivals(&state->node, BLOCKING);
    memset(known, ALLFOLD_SILENT, (size_t)state->size);
    look(&roll, arrivals, executor);
    return call_roll(&roll);
}
