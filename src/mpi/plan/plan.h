/* Plans: calls that a program starts, leaves, and comes back to. A persistent collective of MPI is
 * a plan; an interposed nonblocking call is a plan that is used once.
 *
 * A plan is a prepared call (prepared.h) with a lane for its messages (lanes.h). So starting
 * it again allocates nothing and looks nothing up. What Allfold does not serve is the native
 * nonblocking call.
 *
 * For nonblocking calls of a program (MPI_Iallreduce): describe the call, and
 *
 *     struct allfold_plan *plan;
 *     const int error = allfold_plan_launch(&call, NULL, &plan);
 *
 * which starts it, or sets `plan` to NULL where the call is to be passed through (alike on all
 * ranks). It is local: it never waits. Then, as often as one likes,
 *
 *     allfold_plan_wait(plan, ALLFOLD_TEST, &is_done)      or ALLFOLD_BLOCK
 *
 * and, once is_done, allfold_plan_release(plan) in any case. Between those, every call of the
 * library advances it (progress.h). A persistent one: allfold_plan_make, allfold_plan_start. */
#ifndef ALLFOLD_MPI_PLAN_PLAN_H
#define ALLFOLD_MPI_PLAN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "allfold.h"
#include "mpi/call/message_lanes.h"
#include "mpi/call/prepared.h"
#include "mpi/communicator/comm_rules.h"
#include "mpi/plan/plan_notes.h"
#include "mpi/progress/progress.h"

enum allfold_plan_status {
    ALLFOLD_PLAN_FREED,   /* its memory waits for the next plan */
    ALLFOLD_PLAN_IDLE,    /* may be started */
    ALLFOLD_PLAN_WAITING, /* for those before it on the lane */
    ALLFOLD_PLAN_RUNNING,
    ALLFOLD_PLAN_ENDED,  /* but nobody has waited for its end yet */
    ALLFOLD_PLAN_BROKEN, /* a run failed, and what it left behind is in its lane */
};

/* What a plan may have of its own. */
struct allfold_plan_options {
    const struct allfold_rules *rules; /* instead of the communicator's, where not NULL */
    bool has_hints;                    /* likewise, where the ranks agree, what is not UNSET */
    struct allfold_comm_hints hints;

    /* In place of the operation's, where not NULL, for elements of so many bytes that travel as
     * that datatype. It gets the plan's `prepared.operands.elements`; the operation only says
     * whether it commutes. */
    int (*reduce)(const struct allfold_elements *elements, void *to, const void *left,
                  const void *right, size_t count);
    size_t element_bytes;
    MPI_Datatype travels_as;
    void *user; /* for `reduce` */
};

struct allfold_plan {
    struct allfold_activity activity; /* first: it comes back with it */
    _Atomic enum allfold_plan_status status;
    bool is_persistent;
    bool is_in_memory; /* all its messages go through the node's memory */
    int code;          /* of the run that has ended */
    struct allfold_plan_note note;
    uint64_t run; /* of the lane, that it is or was last; 0: none yet since its start */
    struct allfold_prepared prepared; /* with the buffers of the last start; native without entry */
    const void *first_sendbuf;        /* those that it was made with */
    void *first_recvbuf;
    struct allfold_plan_options options;
    MPI_Request native;
    struct allfold_check *check; /* that must end before data moves, or NULL */
    struct allfold_plan *next;   /* of those that wait on the lane, or are on a free list */
};

/* A communicator's part. */
struct allfold_planner {
    struct allfold_lanes lanes;
    struct allfold_plan *free_plans; /* of nonblocking calls, the newest first */
    int free_count;
    uint64_t sequence; /* number of the next nonblocking call */
};

static inline struct allfold_planner *allfold_planner_of(const struct allfold_communicator *state)
{
    return state->parts[ALLFOLD_PART_PLAN];
}

/* Makes a persistent plan; `options` may be NULL. Collective over the call's communicator: all
 * ranks get a plan, or all an error. Like the functions below, returns an MPI error code, after the
 * error handler. */
int allfold_plan_make(const struct allfold_call *call, const struct allfold_plan_options *options,
                      struct allfold_plan **plan);

/* A nonblocking call (see above). Local; all ranks make the same calls on a communicator in the
 * same order. If the communicator has no state yet, the call is passed through. The plan's memory
 * is kept for the next call like it, which then allocates nothing. */
int allfold_plan_launch(const struct allfold_call *call, const struct allfold_plan_options *options,
                        struct allfold_plan **plan);

/* The plan whose operands these elements are of. */
static inline struct allfold_plan *allfold_plan_of(const struct allfold_elements *elements)
{
    return (struct allfold_plan *)((uintptr_t)elements -
                                   offsetof(struct allfold_plan, prepared.operands));
}

/* Starts an idle plan. Local. */
int allfold_plan_start(struct allfold_plan *plan);

/* Starts an idle plan on these buffers (see allfold_start_on in allfold.h). Local. */
int allfold_plan_start_on(struct allfold_plan *plan, const void *sendbuf, void *recvbuf);

/* Prints the plan, as allfold_plan_print (allfold.h). Local. */
int allfold_plan_write(const struct allfold_plan *plan, FILE *stream);

/* Waits so many milliseconds at most, or as ALLFOLD_BLOCK and ALLFOLD_TEST say. When *is_done is
 * set, it returns the run's own error, and a persistent plan is idle again. */
int allfold_plan_wait(struct allfold_plan *plan, int timeout_ms, bool *is_done);

/* Has the plan's run ended, so that only allfold_plan_wait is missing? Any thread. */
static inline bool allfold_plan_has_ended(const struct allfold_plan *plan)
{
    return atomic_load_explicit(&plan->status, memory_order_acquire) == ALLFOLD_PLAN_ENDED;
}

/* The program's communicator; MPI_COMM_WORLD if the program freed it before the plan. */
MPI_Comm allfold_plan_comm(const struct allfold_plan *plan);

/* What is wrong if the program uses a plan that must have this status, else NULL. RUNNING: to wait
 * for it; IDLE: to start it; FREED: to free it, which is wrong in flight. The plan may be NULL, or
 * freed. */
const char *allfold_plan_fault(const struct allfold_plan *plan, enum allfold_plan_status status);

/* The same for a function of that name: an MPI error code, after the error handler; MPI_SUCCESS
 * where nothing is wrong. */
int allfold_plan_expect(const struct allfold_plan *plan, enum allfold_plan_status status,
                        const char *function);

/* As allfold_missing (allfold.h), of a plan in flight. */
int allfold_plan_missing(struct allfold_plan *plan, int *ranks, int max, int *count);

/* Gives up a plan that is not in flight. Local. */
void allfold_plan_release(struct allfold_plan *plan);

/* Frees the plans that are kept for nonblocking calls on a communicator: rules have changed, or
 * memory is short. */
void allfold_plans_drop_free(struct allfold_communicator *state);

/* Prepares an idle plan's call once more, for sums in another mode; the message says what is wrong.
 * allfold_plan_remade ends it in any case: the plan takes it, or is as it was. Local. */
void allfold_plan_remake(const struct allfold_plan *plan, enum allfold_reproducible mode,
                         struct allfold_prepared *made, char *message, size_t message_bytes);
void allfold_plan_remade(struct allfold_plan *plan, struct allfold_prepared *made, bool is_kept);

/* allfold_plan_set; see allfold.h. */
int allfold_plan_rules_set(struct allfold_plan *plan, const char *name, const char *value);

/* Memory for a plan, or NULL; and back. */
struct allfold_plan *allfold_plan_take_memory(void);
void allfold_plan_give_memory(struct allfold_plan *plan);

/* Frees the memory of plans that were released; when MPI is finalized. */
void allfold_plans_forget(void);

#endif
