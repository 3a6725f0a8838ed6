/* What plans are made of, for the ways of making them: plan.c, plan_turns.c. */
#ifndef ALLFOLD_MPI_PLAN_PARTS_H
#define ALLFOLD_MPI_PLAN_PARTS_H

#include "mpi/plan/plan.h"

/* Memory for a plan, or NULL; and it back. */
struct allfold_plan *allfold_plan_take_memory(void);
void allfold_plan_give_memory(struct allfold_plan *plan);

/* A plan without what makes it run; it holds the state. */
void allfold_plan_set_up(struct allfold_plan *plan, const struct allfold_call *call,
                         const struct allfold_plan_options *options,
                         struct allfold_communicator *state);

/* Reads the plan's call; false where it is not ours to serve. */
bool allfold_plan_read(struct allfold_plan *plan);

/* Reads it, and makes entry and scratch. ALLFOLD_OK without an entry: the MPI library is to serve
 * it. */
enum allfold_error allfold_plan_prepare(struct allfold_plan *plan, char *message,
                                        size_t message_bytes);

/* Says where its messages go. */
void allfold_plan_set_lane(struct allfold_plan *plan, struct allfold_lane *lane);

/* Keeps a plan of a nonblocking call for one like it; false where it is of no use. */
bool allfold_plan_spare(struct allfold_plan *plan);

/* Gives back all that a plan has, but its own memory and the state. */
void allfold_plan_strip(struct allfold_plan *plan);

#endif
