/* Progress: the plans of this process that are in flight move on in every call of the library.
 *
 * A rank that waits for one plan, or in a blocking call, moves the others on: else ranks that wait
 * in different orders would wait for each other for ever. One round tests each plan in flight once,
 * and what it can do without waiting, it does.
 *
 * All functions may be called by any thread: where MPI_THREAD_MULTIPLE was granted one mutex keeps
 * the plans of all of them, so any thread moves on any plan, and so may one that does nothing else.
 */
#ifndef ALLFOLD_MPI_PROGRESS_H
#define ALLFOLD_MPI_PROGRESS_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "execute/executor.h"

struct allfold_communicator;
struct allfold_plan;

extern atomic_uint allfold_plans_in_flight;

/* Is any plan of this process in flight? Costs a load. */
static inline bool allfold_is_plan_in_flight(void)
{
    return atomic_load_explicit(&allfold_plans_in_flight, memory_order_relaxed) > 0;
}

/* One round over all plans in flight. */
void allfold_progress(void);

/* Starts a run of an idle plan, whose data is packed, or puts it where its turn comes. */
void allfold_progress_start(struct allfold_plan *plan);

/* Goes on until the plan has ended or `deadline_s` (of allfold_now_s) is past; negative: for ever;
 * 0: one round. Returns whether it has ended. */
bool allfold_progress_wait(struct allfold_plan *plan, double deadline_s);

/* As allfold_lane_get and allfold_lane_free_from, of lanes that others may look at meanwhile. */
struct allfold_lane *allfold_progress_lane(struct allfold_communicator *state, int number);
int allfold_progress_free_lane(struct allfold_communicator *state, int from);

/* Has `look` look at a plan that stands still meanwhile; false, without that, where it is not
 * running.
 */
bool allfold_progress_look(const struct allfold_plan *plan,
                           void (*look)(const struct allfold_plan *plan, unsigned char *known),
                           unsigned char *known);

/* As allfold_executor_wait, with plans in flight beside it. */
int allfold_wait_beside_plans(struct allfold_executor *executor, MPI_Comm comm);

/* Waits for an MPI request, with plans in flight beside it. */
int allfold_wait_request(MPI_Request *request);

/* For whoever looks again and again for what does not come: lets others have the core, and MPI go
 * on, after so many times in vain. `comm` may be MPI_COMM_NULL. */
void allfold_rest(unsigned times, MPI_Comm comm);

/* Answers whoever asks by a roll-call: on the communicators of plans in flight, and on `state`,
 * which may be NULL. */
void allfold_progress_answer(struct allfold_communicator *state);

/* Finds the least of each of so many numbers that the ranks of `comm` give, with plans in flight
 * beside it: ranks that come late may still need this one for a plan. */
int allfold_find_least(MPI_Comm comm, int64_t *least, int count);

/* Returns when all ranks of `comm` have come, and whether all of them are ready, as *all_are_ready
 * says of this one before; where it fails, they are not. Before anything of MPI's in which ranks
 * wait for each other without a look at plans. */
int allfold_meet(MPI_Comm comm, bool *all_are_ready);

#endif
