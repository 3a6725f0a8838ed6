/* Nonblocking and persistent collectives of the program, as plans of ours behind requests of MPI's.
 *
 * A nonblocking call becomes a generalized request. A persistent call becomes a persistent receive
 * from this rank itself, which progress answers when the plan has ended. So the program holds a
 * real request. Any completion function of MPI takes it, among others of any kind; the interposed
 * ones only have to advance plans while they wait. While no plan is in flight, they are native at
 * the cost of a load.
 *
 * With MPI_THREAD_MULTIPLE any thread may complete what another one started. */
#ifndef ALLFOLD_MPI_PLAN_NONBLOCKING_H
#define ALLFOLD_MPI_PLAN_NONBLOCKING_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "mpi/call/call.h"

extern atomic_uint allfold_requests_in_flight;

/* Is any request of ours in flight? Costs a load. What other threads did for those that are not any
 * more is to be seen then. */
static inline bool allfold_is_request_in_flight(void)
{
    return atomic_load_explicit(&allfold_requests_in_flight, memory_order_acquire) > 0;
}

/* Starts a nonblocking call, by Allfold or else by the MPI library (the same on all ranks), and
 * writes its request. Returns an MPI error code, after the error handler. Local. */
int allfold_nonblocking_start(const struct allfold_call *call, MPI_Request *request);

/* Makes a persistent request in the same way; the info may have Allfold's key (comm_rules.h).
 * Collective, like the call. */
int allfold_persistent_make(const struct allfold_call *call, MPI_Info info, MPI_Request *request);

/* Starts a persistent request where it is ours; false where it is not. Local. */
bool allfold_persistent_start(MPI_Request request, int *code);

/* MPI_Startall: those that are not ours go to the next library in one call, as the program made it.
 * Returns an MPI error code, after the error handler. Local. */
int allfold_persistent_start_all(int count, MPI_Request *requests);

/* Frees an idle persistent request where it is ours; false where it is not. */
bool allfold_persistent_free(MPI_Request *request, int *code);

/* MPI allows neither to cancel a collective's request nor to free one in flight. If the request is
 * ours, these raise the error, and the program can still complete it. MPI libraries differ in the
 * class of this error, even between versions; ours is always MPI_ERR_REQUEST. */
bool allfold_request_refuses_cancel(const MPI_Request *request, int *code);
bool allfold_request_refuses_free(const MPI_Request *request, int *code);

/* MPI lets a program free an operation or a datatype that requests still need. If some of our
 * requests may need it, these functions free it once they are gone, and set it to MPI_OP_NULL or
 * MPI_DATATYPE_NULL. Otherwise they return false: the caller frees it now. */
bool allfold_op_free_later(MPI_Op *op);
bool allfold_type_free_later(MPI_Datatype *type);

/* One round over all plans; requests whose plans have ended are then complete for MPI. */
void allfold_requests_progress(void);

/* At MPI_Finalize: completes what the program gave up, and frees what it did not. */
void allfold_requests_finish(void);

#endif
