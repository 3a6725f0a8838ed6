/* The argument check of ALLFOLD_TIMEOUT=check.
 *
 * Before data moves, all ranks compare their calls: collective, type signature of the data,
 * operation, root, and the call's number on the communicator. If they differ, the call is an error
 * on all ranks, and the message says which ranks called what.
 *
 * The comparison is a nonblocking allreduce on the private communicator. So the checked calls of a
 * communicator, blocking or not, are compared in the order in which each rank makes them. The
 * allreduce merges the different descriptions of the call; each has the lowest rank that gave it
 * and the number of ranks. So every rank learns all that the message needs, whatever the number of
 * ranks. */
#ifndef ALLFOLD_MPI_CALL_CHECK_H
#define ALLFOLD_MPI_CALL_CHECK_H

#include "mpi/call/call.h"
#include "mpi/communicator/communicator.h"
#include "mpi/process/runtime.h"

/* A comparison in flight. */
struct allfold_check;

/* Begins to compare a call; also counts it unless it is blocking. Returns an MPI error code.
 * Local. */
int allfold_check_start(struct allfold_communicator *state, const struct allfold_call *call,
                        enum allfold_call_mode mode, struct allfold_check **check);

/* Returns whether the comparison has ended. Then it is freed and *check is NULL; *code is
 * MPI_SUCCESS if all ranks make the same call, else an MPI error code that has the message as its
 * text. The error handler is not called. Local. */
bool allfold_check_test(struct allfold_check **check, int *code);

/* Compares and waits. Returns the code of allfold_check_test, after the error handler. Collective
 * over the communicator. */
int allfold_check_call(struct allfold_communicator *state, const struct allfold_call *call,
                       enum allfold_call_mode mode);

/* Frees the memory that all checks share. Must be called before MPI_Finalize. */
void allfold_checks_forget(void);

#endif
