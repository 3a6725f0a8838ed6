/* Watches over blocking calls (see watch.h). */
#include "mpi/arrivals/watch.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/arrivals/line.h"
#include "mpi/report/report.h"
#include "mpi/arrivals/roll_call.h"
#include "mpi/process/runtime.h"
#include "util/memory.h"

static _Thread_local struct allfold_watch *current;

static int timeout_ms(const struct allfold_communicator *state)
{
    return state->settings->common.timeout_ms;
}

void allfold_watch_begin(struct allfold_watch *watch, struct allfold_communicator *state,
                         const struct allfold_call *call)
{
    *watch = (struct allfold_watch){.state = state, .call = call};
    if (call != NULL)
        allfold_roll_call_arrive(state, 2 * ++state->calls - 1);
    if (timeout_ms(state) == 0)
        return;
    watch->begin_s = allfold_now_s();
    watch->interval_s = 1e-3 * timeout_ms(state);
    current = watch;
}

void allfold_watch_end(const struct allfold_watch *watch)
{
    if (watch->call != NULL)
        allfold_roll_call_arrive(watch->state, 2 * watch->state->calls);
    current = NULL;
}

struct allfold_communicator *allfold_watched(void)
{
    return current == NULL ? NULL : current->state;
}

void allfold_watch_executor(const struct allfold_executor *executor)
{
    if (current != NULL)
        current->executor = executor;
}

static void begin_line(struct allfold_line *line, const struct allfold_watch *watch,
                       double waited_s)
{
    if (watch->call == NULL)
        allfold_line_add(line, "the first call");
    else
        allfold_line_add_call(line, watch->call->collective, ALLFOLD_BLOCKING);
    allfold_line_add(line, " on ");
    allfold_line_add_comm(line, watch->state->user);
    if (watch->call != NULL)
        allfold_line_add(line, ", call %llu there,", (unsigned long long)watch->state->calls);
    allfold_line_add(line, " has waited %.6g s on rank %d", waited_s, watch->state->rank);
}

static void add_known(struct allfold_line *line, const struct allfold_watch *watch,
                      const unsigned char *known, enum allfold_presence presence, const char *words)
{
    const int p = watch->state->size;
    if (memchr(known, presence, (size_t)p) == NULL)
        return;
    allfold_line_add(line, "; %s: ", words);
    allfold_line_add_ranks(line, watch->state->comm, p, known, (unsigned char)presence);
}

/* Every rank that waits could say it; the lowest one does. */
static bool is_to_speak(const struct allfold_watch *watch, const unsigned char *known)
{
    for (int r = 0; r < watch->state->rank; r++)
        if (known[r] == ALLFOLD_HERE)
            return false;
    return true;
}

/* At the first call nothing is known of each other yet, so two say it: one of them has come. */
static bool tell_first(const struct allfold_watch *watch, struct allfold_line *line)
{
    if (watch->state->rank > 1)
        return false;
    allfold_line_add(line, "; which ranks have not come is known from the second call on");
    allfold_warn(line->text);
    return true;
}

/* Says for whom this rank waits; false where another rank does. */
static bool tell(const struct allfold_watch *watch, double waited_s)
{
    struct allfold_communicator *state = watch->state;
    struct allfold_line line = {.length = 0};
    begin_line(&line, watch, waited_s);
    if (watch->call == NULL)
        return tell_first(watch, &line);
    unsigned char *known = allfold_allocate_zeroed((size_t)state->size);
    const bool speaks = known != NULL &&
                        allfold_roll_call_blocking(state, watch->executor, known) == MPI_SUCCESS &&
                        is_to_speak(watch, known);
    if (speaks) {
        add_known(&line, watch, known, ALLFOLD_ABSENT, "ranks that have not come");
        add_known(&line, watch, known, ALLFOLD_SILENT, "ranks that do not answer");
        allfold_warn(line.text);
    }
    allfold_free(known);
    return speaks;
}

void allfold_watch_look(void)
{
    struct allfold_watch *watch = current;
    if (watch == NULL)
        return;
    const double waited_s = allfold_now_s() - watch->begin_s;
    if (waited_s < watch->interval_s)
        return;
    watch->interval_s *= 2;
    current = NULL; /* what it takes to find out is not watched */
    const bool has_told = tell(watch, waited_s);
    current = watch;
    if (has_told && watch->state->settings->common.timeout_aborts)
        PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}
