/* Plans: calls that a program starts and completes later. A persistent collective of MPI is a plan;
 * an interposed nonblocking call is a plan that is used once.
 *
 * A plan is a prepared call (prepared.h) with a lane for its messages (message_lanes.h), so
 * starting it again needs no allocation and no lookup. A plan that Allfold does not handle is a
 * native nonblocking call.
 *
 * To make a nonblocking call of the program (MPI_Iallreduce), describe the call, and launch it:
 *
 *     struct allfold_plan *plan;
 *     const int error = allfold_plan_launch(&call, NULL, &plan);
 *
 * This starts the plan without waiting, or sets `plan` to NULL on all ranks if the call must be
 * passed through. Then call
 *
 *     allfold_plan_wait(plan, ALLFOLD_TEST, &is_done)      or ALLFOLD_BLOCK
 *
 * until `is_done` is true, and then allfold_plan_release(plan). In between, every call of the
 * library advances the plan (progress.h). Persistent calls use allfold_plan_make and
 * allfold_plan_start instead of allfold_plan_launch. */
#ifndef ALLFOLD_MPI_PLAN_PLAN_H
#define ALLFOLD_MPI_PLAN_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "allfold.h"
#include "mpi/call/message_lanes.h"
#include "mpi/call/prepared.h"
#include "mpi/communicator/comm_rules.h"
#include "mpi/plan/plan_times.h"
#include "mpi/progress/progress.h"

enum allfold_plan_status {
    ALLFOLD_PLAN_FREED,   /* released; its memory is kept for the next plan */
    ALLFOLD_PLAN_IDLE,    /* may be started */
    ALLFOLD_PLAN_WAITING, /* waits for earlier plans of its lane */
    ALLFOLD_PLAN_RUNNING,
    ALLFOLD_PLAN_ENDED,  /* complete, but allfold_plan_wait has not returned it yet */
    ALLFOLD_PLAN_BROKEN, /* a run failed, and its messages may be left in the lane */
};

/* What differs from the communicator's settings for one plan. */
struct allfold_plan_options {
    const struct allfold_rules *rules; /* NULL: the communicator's rules */
    bool has_hints; /* `hints` are used, if the ranks agree on them and if they are not UNSET */
    struct allfold_comm_hints hints;

    /* Replaces the function of the operation, if not NULL, for elements of `element_bytes` bytes
     * that travel as `travels_as`. `elements` is the plan's `prepared.operands.elements`. The
     * operation then only says whether it commutes. */
    int (*reduce)(const struct allfold_elements *elements, void *to, const void *left,
                  const void *right, size_t count);
    size_t element_bytes;
    MPI_Datatype travels_as;
    void *user; /* an argument of the caller for `reduce` */
};

struct allfold_plan {
    struct allfold_activity activity; /* first, because its callbacks get its address */
    _Atomic enum allfold_plan_status status;
    bool is_persistent;
    bool is_in_memory; /* all its messages go through the node's memory */
    int code;          /* error code of the last run */
    struct allfold_plan_note note;
    uint64_t run; /* number of its last run on the lane; 0: none since it was started */
    /* With the buffers of the last start; without an entry the plan is native. */
    struct allfold_prepared prepared;
    const void *first_sendbuf; /* the buffers that it was made with */
    void *first_recvbuf;
    struct allfold_plan_options options;
    MPI_Request native;
    struct allfold_check *check; /* the argument check, which must end before data moves; or NULL */
    struct allfold_plan *next;   /* next plan that waits on the lane, or next on a free list */
};

/* The plans of a communicator: its part ALLFOLD_PART_PLAN. */
struct allfold_planner {
    struct allfold_lanes lanes;
    struct allfold_plan *free_plans; /* plans of nonblocking calls, newest first */
    int free_count;
    uint64_t sequence; /* number of the next nonblocking call */
};

static inline struct allfold_planner *allfold_planner_of(const struct allfold_communicator *state)
{
    return state->parts[ALLFOLD_PART_PLAN];
}

/* Makes a persistent plan; `options` may be NULL. Either all ranks get a plan, or all an error.
 * Like the functions below, returns an MPI error code, after the error handler. Collective over the
 * call's communicator. */
int allfold_plan_make(const struct allfold_call *call, const struct allfold_plan_options *options,
                      struct allfold_plan **plan);

/* Starts a nonblocking call, as described at the top. All ranks make the same calls on a
 * communicator in the same order. If the communicator has no state yet, the call is passed through.
 * The plan's memory is kept for the next call of the same shape, which then allocates nothing.
 * Local. */
int allfold_plan_launch(const struct allfold_call *call, const struct allfold_plan_options *options,
                        struct allfold_plan **plan);

/* Returns the plan that contains these elements. */
static inline struct allfold_plan *allfold_plan_of(const struct allfold_elements *elements)
{
    return (struct allfold_plan *)((uintptr_t)elements -
                                   offsetof(struct allfold_plan, prepared.operands));
}

/* Starts an idle plan. Local. */
int allfold_plan_start(struct allfold_plan *plan);

/* Starts an idle plan on other buffers (see allfold_start_on in allfold.h). Local. */
int allfold_plan_start_on(struct allfold_plan *plan, const void *sendbuf, void *recvbuf);

/* Prints the plan like allfold_plan_print (allfold.h). Local. */
int allfold_plan_write(const struct allfold_plan *plan, FILE *stream);

/* Waits at most `timeout_ms` milliseconds; ALLFOLD_BLOCK and ALLFOLD_TEST are allowed. If it sets
 * *is_done, it returns the error code of the run, and a persistent plan is idle again. */
int allfold_plan_wait(struct allfold_plan *plan, int timeout_ms, bool *is_done);

/* Returns whether the plan's run has ended, so that only allfold_plan_wait is missing.
 * Thread-safe. */
static inline bool allfold_plan_has_ended(const struct allfold_plan *plan)
{
    return atomic_load_explicit(&plan->status, memory_order_acquire) == ALLFOLD_PLAN_ENDED;
}

/* Returns the program's communicator; MPI_COMM_WORLD if the program freed it before the plan. */
MPI_Comm allfold_plan_comm(const struct allfold_plan *plan);

/* Returns what is wrong if the program uses a plan that must have status `status`, or NULL.
 * RUNNING: to wait for it; IDLE: to start it; FREED: to free it, which is an error in flight. The
 * plan may be NULL or freed. */
const char *allfold_plan_fault(const struct allfold_plan *plan, enum allfold_plan_status status);

/* Like allfold_plan_fault, for the function `function`. Returns an MPI error code, after the error
 * handler; MPI_SUCCESS if nothing is wrong. */
int allfold_plan_expect(const struct allfold_plan *plan, enum allfold_plan_status status,
                        const char *function);

/* Does what allfold_missing does (allfold.h), for a plan in flight. */
int allfold_plan_missing(struct allfold_plan *plan, int *ranks, int max, int *count);

/* Releases a plan that is not in flight. Local. */
void allfold_plan_release(struct allfold_plan *plan);

/* Frees the plans that are kept for nonblocking calls on a communicator, because rules have changed
 * or memory is short. */
void allfold_plans_drop_free(struct allfold_communicator *state);

/* Prepare an idle plan's call again, for sums in another mode. allfold_plan_remake writes the new
 * call to `made`, or says in `message` what is wrong. allfold_plan_remade must follow: with
 * `is_kept` the plan takes the new call, else it keeps the old one. Local. */
void allfold_plan_remake(const struct allfold_plan *plan, enum allfold_reproducible mode,
                         struct allfold_prepared *made, char *message, size_t message_bytes);
void allfold_plan_remade(struct allfold_plan *plan, struct allfold_prepared *made, bool is_kept);

/* Does what allfold_plan_set does; see allfold.h. */
int allfold_plan_rules_set(struct allfold_plan *plan, const char *name, const char *value);

/* Allocate and release the memory of a plan. allfold_plan_take_memory returns NULL if out of
 * memory. */
struct allfold_plan *allfold_plan_take_memory(void);
void allfold_plan_give_memory(struct allfold_plan *plan);

/* Frees the memory of released plans. Must be called in MPI_Finalize. */
void allfold_plans_forget(void);

#endif
