/* The MPI functions that complete requests or wait for messages. They advance Allfold's activities
 * in flight. Functions that wait for messages must do so, too: another rank may need this rank's
 * part of a collective before it sends. The underlying MPI library completes the requests. If no
 * activity is in flight, these functions only call it. */
#include <mpi.h>

#include "mpi/plan/native_starts.h"
#include "mpi/plan/nonblocking.h"
#include "mpi/progress/progress.h"
#include "mpi/process/runtime.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

/* Returns whether anything of Allfold is in flight. A plan of the program itself advances here,
 * too. */
static bool is_busy(void)
{
    return allfold_is_request_in_flight() || allfold_has_activities();
}

/* What one finds complete another thread may have completed: what it wrote is to be seen, too. */
static int seen(int code)
{
    allfold_is_request_in_flight();
    return code;
}

/* A round, before one looks whether what one waits for is there. */
static void go_round(unsigned times)
{
    allfold_rest(times, MPI_COMM_NULL);
    allfold_requests_progress();
}

/* Records that the program begins to wait for its own requests, if a report is wanted and something
 * of Allfold is in flight. Returns whether it was recorded. */
static bool begin_to_wait(void)
{
    const bool is_noted = is_busy() && allfold_settings_gather(allfold_settings());
    if (is_noted)
        allfold_await_begin();
    return is_noted;
}

/* The wait is over. */
static int waited(bool is_noted, int code)
{
    if (is_noted)
        allfold_await_end();
    return seen(code);
}

ALLFOLD_PUBLIC int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    int is_done;
    const bool is_noted = begin_to_wait();
    for (unsigned times = 0; is_busy(); times++) {
        go_round(times);
        const int code = allfold_next()->test(request, &is_done, status);
        if (code != MPI_SUCCESS || is_done)
            return waited(is_noted, code);
    }
    return waited(is_noted, allfold_next()->wait(request, status));
}

/* Writes the results of requests that were ended one by one, if the call fails as a whole. */
static void set_errors(MPI_Status statuses[], int begin, int end)
{
    for (int i = begin; i < end && statuses != MPI_STATUSES_IGNORE; i++)
        statuses[i].MPI_ERROR = MPI_SUCCESS;
}

/* Completes requests in their order, up to the first that is not complete; *ended is their number.
 * Each is tested alone, because MPICH's MPI_Testall fails on partitioned requests. Returns false if
 * one of them failed, now or before (`fine`). */
static bool end_in_order(int count, MPI_Request requests[], MPI_Status statuses[], int *ended,
                         bool fine)
{
    int is_done = 1;
    while (*ended < count && is_done) {
        MPI_Status *status =
            statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[*ended];
        const int code = allfold_next()->test(&requests[*ended], &is_done, status);
        if (code != MPI_SUCCESS && fine)
            set_errors(statuses, 0, *ended);
        fine = fine && code == MPI_SUCCESS;
        is_done = is_done || code != MPI_SUCCESS;
        if (is_done && !fine && status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = code;
        *ended += is_done;
    }
    return fine;
}

ALLFOLD_PUBLIC int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    const bool is_noted = begin_to_wait();
    bool fine = true;
    int ended = 0;
    for (unsigned times = 0; ended < count && is_busy(); times++) {
        go_round(times);
        fine = end_in_order(count, requests, statuses, &ended, fine);
    }
    const int left = count - ended;
    MPI_Status *rest = statuses == MPI_STATUSES_IGNORE ? MPI_STATUSES_IGNORE : statuses + ended;
    int code = left > 0 || ended == 0 ? allfold_next()->waitall(left, requests + ended, rest)
                                      : MPI_SUCCESS;
    if (code == MPI_ERR_IN_STATUS && fine)
        set_errors(statuses, 0, ended);
    if (code == MPI_SUCCESS && !fine) {
        set_errors(statuses, ended, count);
        code = MPI_ERR_IN_STATUS;
    }
    return waited(is_noted, code);
}

ALLFOLD_PUBLIC int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    int is_done;
    const bool is_noted = begin_to_wait();
    for (unsigned times = 0; is_busy(); times++) {
        go_round(times);
        const int code = allfold_next()->testany(count, requests, index, &is_done, status);
        if (code != MPI_SUCCESS || is_done)
            return waited(is_noted, code);
    }
    return waited(is_noted, allfold_next()->waitany(count, requests, index, status));
}

ALLFOLD_PUBLIC int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[],
                                MPI_Status statuses[])
{
    const bool is_noted = begin_to_wait();
    for (unsigned times = 0; is_busy(); times++) {
        go_round(times);
        const int code = allfold_next()->testsome(count, requests, done, indices, statuses);
        if (code != MPI_SUCCESS || *done != 0)
            return waited(is_noted, code);
    }
    return waited(is_noted, allfold_next()->waitsome(count, requests, done, indices, statuses));
}

ALLFOLD_PUBLIC int MPI_Test(MPI_Request *request, int *is_done, MPI_Status *status)
{
    if (is_busy())
        allfold_requests_progress();
    return seen(allfold_next()->test(request, is_done, status));
}

ALLFOLD_PUBLIC int MPI_Testall(int count, MPI_Request requests[], int *is_done,
                               MPI_Status statuses[])
{
    if (is_busy())
        allfold_requests_progress();
    return seen(allfold_next()->testall(count, requests, is_done, statuses));
}

ALLFOLD_PUBLIC int MPI_Testany(int count, MPI_Request requests[], int *index, int *is_done,
                               MPI_Status *status)
{
    if (is_busy())
        allfold_requests_progress();
    return seen(allfold_next()->testany(count, requests, index, is_done, status));
}

ALLFOLD_PUBLIC int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[],
                                MPI_Status statuses[])
{
    if (is_busy())
        allfold_requests_progress();
    return seen(allfold_next()->testsome(count, requests, done, indices, statuses));
}

ALLFOLD_PUBLIC int MPI_Request_get_status(MPI_Request request, int *is_done, MPI_Status *status)
{
    if (is_busy())
        allfold_requests_progress();
    return seen(allfold_next()->request_get_status(request, is_done, status));
}

ALLFOLD_PUBLIC int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *is_there, MPI_Status *status)
{
    if (is_busy())
        allfold_requests_progress();
    return allfold_next()->iprobe(source, tag, comm, is_there, status);
}

ALLFOLD_PUBLIC int MPI_Request_free(MPI_Request *request)
{
    int code;
    if (allfold_request_refuses_free(request, &code) || allfold_persistent_free(request, &code))
        return code;
    if (request != NULL)
        allfold_native_starts_free(*request);
    return allfold_next()->request_free(request);
}

ALLFOLD_PUBLIC int MPI_Cancel(MPI_Request *request)
{
    int code;
    return allfold_request_refuses_cancel(request, &code) ? code : allfold_next()->cancel(request);
}

ALLFOLD_PUBLIC int MPI_Start(MPI_Request *request)
{
    int code;
    return allfold_persistent_start(*request, &code) ? code : allfold_native_start_one(request);
}

ALLFOLD_PUBLIC int MPI_Startall(int count, MPI_Request requests[])
{
    return allfold_persistent_start_all(count, requests);
}

ALLFOLD_PUBLIC int MPI_Op_free(MPI_Op *op)
{
    return allfold_op_free_later(op) ? MPI_SUCCESS : allfold_next()->op_free(op);
}

ALLFOLD_PUBLIC int MPI_Type_free(MPI_Datatype *type)
{
    return allfold_type_free_later(type) ? MPI_SUCCESS : allfold_next()->type_free(type);
}

/* Waits for what was begun in place of a call that waits. */
static int finish(int code, MPI_Request *request, MPI_Status *status)
{
    return code == MPI_SUCCESS ? MPI_Wait(request, status) : code;
}

ALLFOLD_PUBLIC int MPI_Send(const void *buffer, int count, MPI_Datatype datatype, int to, int tag,
                            MPI_Comm comm)
{
    MPI_Request request;
    if (!is_busy())
        return allfold_next()->send(buffer, count, datatype, to, tag, comm);
    return finish(allfold_next()->isend(buffer, count, datatype, to, tag, comm, &request), &request,
                  MPI_STATUS_IGNORE);
}

ALLFOLD_PUBLIC int MPI_Ssend(const void *buffer, int count, MPI_Datatype datatype, int to, int tag,
                             MPI_Comm comm)
{
    MPI_Request request;
    if (!is_busy())
        return allfold_next()->ssend(buffer, count, datatype, to, tag, comm);
    return finish(allfold_next()->issend(buffer, count, datatype, to, tag, comm, &request),
                  &request, MPI_STATUS_IGNORE);
}

ALLFOLD_PUBLIC int MPI_Recv(void *buffer, int count, MPI_Datatype datatype, int from, int tag,
                            MPI_Comm comm, MPI_Status *status)
{
    MPI_Request request;
    if (!is_busy())
        return allfold_next()->recv(buffer, count, datatype, from, tag, comm, status);
    return finish(allfold_next()->irecv(buffer, count, datatype, from, tag, comm, &request),
                  &request, status);
}

ALLFOLD_PUBLIC int MPI_Sendrecv(const void *out, int send_count, MPI_Datatype send_type, int to,
                                int send_tag, void *in, int count, MPI_Datatype datatype, int from,
                                int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Request send, receive;
    if (!is_busy())
        return allfold_next()->sendrecv(out, send_count, send_type, to, send_tag, in, count,
                                        datatype, from, tag, comm, status);
    int code = allfold_next()->irecv(in, count, datatype, from, tag, comm, &receive);
    if (code != MPI_SUCCESS)
        return code;
    code = finish(allfold_next()->isend(out, send_count, send_type, to, send_tag, comm, &send),
                  &send, MPI_STATUS_IGNORE);
    const int received = MPI_Wait(&receive, status);
    return code != MPI_SUCCESS ? code : received;
}

ALLFOLD_PUBLIC int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    int is_there;
    for (unsigned times = 0; is_busy(); times++) {
        go_round(times);
        const int code = allfold_next()->iprobe(from, tag, comm, &is_there, status);
        if (code != MPI_SUCCESS || is_there)
            return code;
    }
    return allfold_next()->probe(from, tag, comm, status);
}
