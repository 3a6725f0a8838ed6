/* Nonblocking and persistent collectives of the program: plans of Allfold as real MPI requests.
 *
 * A nonblocking call becomes a generalized request. A persistent call becomes a persistent receive
 * from this rank itself; when the plan has ended, progress sends the matching message. So the
 * program holds a real request, and every completion function of MPI accepts it, together with
 * other requests. The interposed completion functions only have to advance plans while they wait.
 * If no plan is in flight, they are native at the cost of a load.
 *
 * With MPI_THREAD_MULTIPLE any thread may complete a request that another thread started. */
#ifndef ALLFOLD_MPI_PLAN_NONBLOCKING_H
#define ALLFOLD_MPI_PLAN_NONBLOCKING_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "mpi/call/call.h"

extern atomic_uint allfold_requests_in_flight;

/* Returns whether any request of Allfold is in flight. Costs a load. If it returns false, what
 * other threads did for completed requests is visible (acquire). */
static inline bool allfold_is_request_in_flight(void)
{
    return atomic_load_explicit(&allfold_requests_in_flight, memory_order_acquire) > 0;
}

/* Starts a nonblocking call by Allfold or, on all ranks, by the MPI library, and writes its
 * request. Returns an MPI error code, after the error handler. Local. */
int allfold_nonblocking_start(const struct allfold_call *call, MPI_Request *request);

/* Makes a persistent request by Allfold or, on all ranks, by the MPI library; `info` may have
 * Allfold's keys (comm_rules.h). Collective, like the call. */
int allfold_persistent_make(const struct allfold_call *call, MPI_Info info, MPI_Request *request);

/* Starts a persistent request and returns true if it is Allfold's; else returns false. Local. */
bool allfold_persistent_start(MPI_Request request, int *code);

/* Does what MPI_Startall does. Requests that are not Allfold's go to the underlying MPI library in
 * one call, as the program made it. Returns an MPI error code, after the error handler. Local. */
int allfold_persistent_start_all(int count, MPI_Request *requests);

/* Frees an idle persistent request and returns true if it is Allfold's; else returns false. */
bool allfold_persistent_free(MPI_Request *request, int *code);

/* MPI allows neither to cancel a collective's request nor to free one in flight. If the request is
 * Allfold's and this is such a call, these functions raise the error and return true; the program
 * can still complete the request. MPI libraries differ in the class of this error, even between
 * versions; Allfold's is always MPI_ERR_REQUEST. */
bool allfold_request_refuses_cancel(const MPI_Request *request, int *code);
bool allfold_request_refuses_free(const MPI_Request *request, int *code);

/* MPI lets a program free an operation or a datatype that requests still need. If requests of
 * Allfold may need it, these functions free it once they are complete, set it to MPI_OP_NULL or
 * MPI_DATATYPE_NULL, and return true. Otherwise they return false: the caller frees it now. */
bool allfold_op_free_later(MPI_Op *op);
bool allfold_type_free_later(MPI_Datatype *type);

/* Advances all plans once. Requests whose plans have ended are then complete for MPI. */
void allfold_requests_progress(void);

/* Completes the requests that the program freed in flight, and frees those that it did not free.
 * Must be called in MPI_Finalize. */
void allfold_requests_finish(void);

#endif
