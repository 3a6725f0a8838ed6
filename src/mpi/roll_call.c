/* Roll-call (see roll_call.h).
 *
 * A question names a lane and a run on it, which are numbered alike on all ranks, so its answer is
 * right whenever it comes; one that comes too late is taken for the next question's, and ignored
 * there where it is about another run. Messages are so short that MPI takes them at once. */
#include "mpi/roll_call.h"

#include <sched.h>
#include <string.h>

#include "mpi/communicator.h"
#include "mpi/progress.h"
#include "mpi/report.h"
#include "schedule/memory.h"

enum { LANE, RUN, HAS_COME, WORDS };
enum { UNKNOWN, HERE, ABSENT };

static int receive(struct allfold_communicator *state, int tag, int64_t *words, int *from)
{
    int found = 0;
    MPI_Status status;
    int error = PMPI_Iprobe(MPI_ANY_SOURCE, tag, state->comm, &found, &status);
    *from = -1;
    if (error != MPI_SUCCESS || !found)
        return error;
    *from = status.MPI_SOURCE;
    return PMPI_Recv(words, WORDS, MPI_INT64_T, *from, tag, state->comm, MPI_STATUS_IGNORE);
}

static bool has_begun(const struct allfold_lanes *lanes, int64_t number, int64_t run)
{
    const struct allfold_lane *lane =
        number < (int64_t)lanes->capacity ? lanes->lanes[number] : NULL;
    return lane != NULL && (int64_t)lane->run >= run;
}

void allfold_roll_call_answer(struct allfold_communicator *state)
{
    int64_t words[WORDS];
    const int tag = allfold_question_tag();
    for (int from; receive(state, tag, words, &from) == MPI_SUCCESS && from >= 0;) {
        words[HAS_COME] = has_begun(&state->lanes, words[LANE], words[RUN]);
        PMPI_Send(words, WORDS, MPI_INT64_T, from, tag + 1, state->comm);
    }
}

static void hear(void *context, int peer, bool has_come)
{
    unsigned char *known = context;
    if (has_come)
        known[peer] = HERE;
}

/* What this rank knows by itself. */
static void look(const struct allfold_plan *plan, unsigned char *known)
{
    const struct allfold_communicator *state = plan->state;
    const struct allfold_lane *lane = plan->lane;
    for (int r = 0; r < state->size && lane->arrivals != NULL; r++) {
        const int index = state->node.index_of[r];
        if (index >= 0)
            known[r] = atomic_load(&lane->arrivals[index].run) >= plan->run ? HERE : ABSENT;
    }
    allfold_executor_tell_received(plan->entry->executor, hear, known);
    known[state->rank] = HERE;
}

static int ask(const struct allfold_plan *plan, const unsigned char *known, int *asked)
{
    const struct allfold_communicator *state = plan->state;
    const int64_t words[WORDS] = {plan->lane->number, (int64_t)plan->run, 0};
    int error = MPI_SUCCESS;
    *asked = 0;
    for (int r = 0; r < state->size && error == MPI_SUCCESS; r++) {
        if (known[r] != UNKNOWN)
            continue;
        error = PMPI_Send(words, WORDS, MPI_INT64_T, r, allfold_question_tag(), state->comm);
        ++*asked;
    }
    return error;
}

static int await_answers(const struct allfold_plan *plan, unsigned char *known, int asked)
{
    struct allfold_communicator *state = plan->state;
    const double deadline_s = allfold_now_s() + 1e-3 * ALLFOLD_ROLL_CALL_MS;
    while (asked > 0 && allfold_now_s() < deadline_s) {
        int64_t words[WORDS];
        int from;
        const int error = receive(state, allfold_question_tag() + 1, words, &from);
        if (error != MPI_SUCCESS)
            return error;
        if (from >= 0 && words[LANE] == plan->lane->number && words[RUN] == (int64_t)plan->run) {
            known[from] = words[HAS_COME] ? HERE : ABSENT;
            asked--;
        }
        allfold_progress(); /* answers, too */
        allfold_roll_call_answer(state);
        sched_yield();
    }
    return MPI_SUCCESS;
}

int allfold_roll_call(struct allfold_plan *plan, int *ranks, int max, int *count)
{
    const int p = plan->state->size;
    int asked;
    *count = 0;
    unsigned char *known = allfold_allocate_zeroed((size_t)p);
    if (known == NULL)
        return MPI_ERR_NO_MEM;
    allfold_progress();
    if (!allfold_progress_look(plan, look, known))
        memset(known, HERE, (size_t)p);
    int error = ask(plan, known, &asked);
    if (error == MPI_SUCCESS)
        error = await_answers(plan, known, asked);
    for (int r = 0; r < p && error == MPI_SUCCESS; r++) {
        if (known[r] == HERE)
            continue;
        if (*count < max)
            ranks[*count] = r;
        ++*count;
    }
    allfold_free(known);
    return error;
}
