/* The argument check: what ALLFOLD_TIMEOUT=check asks for.
 *
 * Before data moves, all ranks compare their calls: collective, type signature of the data,
 * operation, root, and the call's number on the communicator. If they differ, the call is an error
 * on all ranks, and the message names who called what.
 *
 * They compare by one nonblocking allreduce on the private communicator. So the checked calls of a
 * communicator, blocking or not, are compared in the order in which each rank makes them. The
 * allreduce merges the different sayings, each with the lowest rank that says so and how many do.
 * So every rank learns all that the message needs, at any number of ranks. */
#ifndef ALLFOLD_MPI_CALL_CHECK_H
#define ALLFOLD_MPI_CALL_CHECK_H

#include "mpi/call/call.h"
#include "mpi/communicator/communicator.h"
#include "mpi/process/runtime.h"

/* A comparison in flight. */
struct allfold_check;

/* Begins to compare a call; one that is not blocking is counted. Local. Returns an MPI error code.
 */
int allfold_check_start(struct allfold_communicator *state, const struct allfold_call *call,
                        enum allfold_call_mode mode, struct allfold_check **check);

/* Has the comparison ended? Then it is freed, and *check is NULL. *code is MPI_SUCCESS where all
 * ranks call the same, else an MPI error code that carries the message. Without the error handler.
 * Local. */
bool allfold_check_test(struct allfold_check **check, int *code);

/* Compares and waits. Returns the code likewise, after the error handler. Collective. */
int allfold_check_call(struct allfold_communicator *state, const struct allfold_call *call,
                       enum allfold_call_mode mode);

/* Frees what all checks share; before MPI is finalized. */
void allfold_checks_forget(void);

#endif
