/* The Fortran functions that start and complete requests, for Open MPI and MPICH. These functions
 * of Open MPI, and those of MPICH's module mpi_f08, call PMPI_ functions and so bypass
 * interpose_requests.c. They only convert handles, statuses and indices between Fortran and C. */
#include "mpi/interpose/interpose_fortran.h"
#include "util/memory.h"

#ifdef OPEN_MPI
ALLFOLD_SPELLINGS(ALLFOLD_DECLARE, mpi_fortran_status_ignore, MPI_FORTRAN_STATUS_IGNORE)
ALLFOLD_SPELLINGS(ALLFOLD_DECLARE, mpi_fortran_statuses_ignore, MPI_FORTRAN_STATUSES_IGNORE)
static const void *const ignored[] = {
    ALLFOLD_SPELLINGS(ALLFOLD_ADDRESS, mpi_fortran_status_ignore, MPI_FORTRAN_STATUS_IGNORE)
        ALLFOLD_SPELLINGS(ALLFOLD_ADDRESS, mpi_fortran_statuses_ignore,
                          MPI_FORTRAN_STATUSES_IGNORE)};
#else
extern MPI_F08_status MPIR_F08_MPI_STATUS_IGNORE_OBJ __attribute__((weak));
extern MPI_F08_status MPIR_F08_MPI_STATUSES_IGNORE_OBJ[1] __attribute__((weak));
static const void *const ignored[] = {&MPIR_F08_MPI_STATUS_IGNORE_OBJ,
                                      MPIR_F08_MPI_STATUSES_IGNORE_OBJ};
#endif

/* Weak names that are not defined have the address NULL. */
int allfold_is_ignored(const MPI_Fint *status)
{
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored && status != NULL; i++)
        if (status == ignored[i])
            return 1;
    return 0;
}

/* Requests and statuses of a call as C has them. */
struct in_c {
    int count;
    MPI_Request *requests;
    MPI_Status *statuses; /* MPI_STATUSES_IGNORE if the Fortran statuses are ignored */
    MPI_Request few_requests[16];
    MPI_Status few_statuses[16];
};

/* Returns false if out of memory. */
static int to_c(struct in_c *c, const MPI_Fint *count, const MPI_Fint *requests,
                const MPI_Fint *statuses)
{
    enum { FEW = sizeof c->few_requests / sizeof *c->few_requests };
    c->count = (int)*count;
    const size_t room = c->count > 0 ? (size_t)c->count : 0;
    c->requests = room <= FEW ? c->few_requests : allfold_allocate(room * sizeof *c->requests);
    c->statuses = allfold_is_ignored(statuses) ? MPI_STATUSES_IGNORE
                  : room <= FEW                ? c->few_statuses
                                               : allfold_allocate(room * sizeof *c->statuses);
    for (size_t i = 0; i < room && c->requests != NULL; i++)
        c->requests[i] = MPI_Request_f2c(requests[i]);
    return c->requests != NULL && (c->statuses != NULL || allfold_is_ignored(statuses));
}

/* Writes back what a call has changed: all requests, and the first statuses. */
static void to_fortran(struct in_c *c, MPI_Fint *requests, MPI_Fint *statuses, int status_count)
{
    for (int i = 0; i < c->count && c->requests != NULL && requests != NULL; i++)
        requests[i] = MPI_Request_c2f(c->requests[i]);
    for (int i = 0; i < status_count && c->statuses != MPI_STATUSES_IGNORE; i++)
        MPI_Status_c2f(&c->statuses[i], statuses + (ptrdiff_t)i * ALLFOLD_STATUS_FINTS);
    if (c->requests != c->few_requests)
        allfold_free(c->requests);
    if (c->statuses != c->few_statuses && c->statuses != MPI_STATUSES_IGNORE)
        allfold_free(c->statuses);
}

static int no_memory(struct in_c *c)
{
    to_fortran(c, NULL, NULL, 0);
    return MPI_ERR_NO_MEM;
}

static int has_statuses(int code)
{
    int class = MPI_SUCCESS;
    if (code != MPI_SUCCESS)
        MPI_Error_class(code, &class);
    return class == MPI_SUCCESS || class == MPI_ERR_IN_STATUS;
}

/* Indices count from 1 in Fortran. */
static MPI_Fint index_of(int in_c)
{
    return (MPI_Fint)(in_c == MPI_UNDEFINED ? MPI_UNDEFINED : in_c + 1);
}

static void wait(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierror)
{
    MPI_Request one = MPI_Request_f2c(*request);
    MPI_Status its;
    const int is_ignored = allfold_is_ignored(status);
    const int code = MPI_Wait(&one, is_ignored ? MPI_STATUS_IGNORE : &its);
    *request = MPI_Request_c2f(one);
    if (code == MPI_SUCCESS && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

static void test(MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *ierror)
{
    MPI_Request one = MPI_Request_f2c(*request);
    MPI_Status its;
    int is_done = 0;
    const int is_ignored = allfold_is_ignored(status);
    const int code = MPI_Test(&one, &is_done, is_ignored ? MPI_STATUS_IGNORE : &its);
    *request = MPI_Request_c2f(one);
    *flag = is_done;
    if (code == MPI_SUCCESS && is_done && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

static void request_get_status(const MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status,
                               MPI_Fint *ierror)
{
    MPI_Status its;
    int is_done = 0;
    const int is_ignored = allfold_is_ignored(status);
    const int code = MPI_Request_get_status(MPI_Request_f2c(*request), &is_done,
                                            is_ignored ? MPI_STATUS_IGNORE : &its);
    *flag = is_done;
    if (code == MPI_SUCCESS && is_done && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

static void waitall(const MPI_Fint *count, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *ierror)
{
    struct in_c c;
    if (!to_c(&c, count, requests, statuses)) {
        allfold_set_ierror(ierror, no_memory(&c));
        return;
    }
    const int code = MPI_Waitall(c.count, c.requests, c.statuses);
    to_fortran(&c, requests, statuses, has_statuses(code) ? c.count : 0);
    allfold_set_ierror(ierror, code);
}

static void testall(const MPI_Fint *count, MPI_Fint *requests, MPI_Fint *flag, MPI_Fint *statuses,
                    MPI_Fint *ierror)
{
    struct in_c c;
    int are_done = 0;
    if (!to_c(&c, count, requests, statuses)) {
        allfold_set_ierror(ierror, no_memory(&c));
        return;
    }
    const int code = MPI_Testall(c.count, c.requests, &are_done, c.statuses);
    *flag = are_done;
    to_fortran(&c, requests, statuses, has_statuses(code) && are_done ? c.count : 0);
    allfold_set_ierror(ierror, code);
}

static void waitany(const MPI_Fint *count, MPI_Fint *requests, MPI_Fint *which, MPI_Fint *status,
                    MPI_Fint *ierror)
{
    struct in_c c;
    int done = MPI_UNDEFINED;
    if (!to_c(&c, count, requests, status)) {
        allfold_set_ierror(ierror, no_memory(&c));
        return;
    }
    MPI_Status its;
    const int is_ignored = allfold_is_ignored(status);
    const int code = MPI_Waitany(c.count, c.requests, &done, is_ignored ? MPI_STATUS_IGNORE : &its);
    *which = index_of(done);
    to_fortran(&c, requests, status, 0);
    if (code == MPI_SUCCESS && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

static void testany(const MPI_Fint *count, MPI_Fint *requests, MPI_Fint *which, MPI_Fint *flag,
                    MPI_Fint *status, MPI_Fint *ierror)
{
    struct in_c c;
    int done = MPI_UNDEFINED, is_done = 0;
    if (!to_c(&c, count, requests, status)) {
        allfold_set_ierror(ierror, no_memory(&c));
        return;
    }
    MPI_Status its;
    const int is_ignored = allfold_is_ignored(status);
    const int code =
        MPI_Testany(c.count, c.requests, &done, &is_done, is_ignored ? MPI_STATUS_IGNORE : &its);
    *which = index_of(done);
    *flag = is_done;
    to_fortran(&c, requests, status, 0);
    if (code == MPI_SUCCESS && is_done && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

/* MPI_Waitsome and MPI_Testsome. */
static void complete_some(int (*complete)(int, MPI_Request *, int *, int *, MPI_Status *),
                          const MPI_Fint *count, MPI_Fint *requests, MPI_Fint *done,
                          MPI_Fint *indices, MPI_Fint *statuses, MPI_Fint *ierror)
{
    struct in_c c;
    int done_count = MPI_UNDEFINED, few[16];
    int *in_c = *count <= 16 ? few : allfold_allocate((size_t)*count * sizeof *in_c);
    if (!to_c(&c, count, requests, statuses) || in_c == NULL) {
        allfold_set_ierror(ierror, no_memory(&c));
        if (in_c != few)
            allfold_free(in_c);
        return;
    }
    const int code = complete(c.count, c.requests, &done_count, in_c, c.statuses);
    const int some = has_statuses(code) && done_count != MPI_UNDEFINED ? done_count : 0;
    *done = (MPI_Fint)done_count;
    for (int i = 0; i < some; i++)
        indices[i] = index_of(in_c[i]);
    to_fortran(&c, requests, statuses, some);
    if (in_c != few)
        allfold_free(in_c);
    allfold_set_ierror(ierror, code);
}

static void waitsome(const MPI_Fint *count, MPI_Fint *requests, MPI_Fint *done, MPI_Fint *indices,
                     MPI_Fint *statuses, MPI_Fint *ierror)
{
    complete_some(MPI_Waitsome, count, requests, done, indices, statuses, ierror);
}

static void testsome(const MPI_Fint *count, MPI_Fint *requests, MPI_Fint *done, MPI_Fint *indices,
                     MPI_Fint *statuses, MPI_Fint *ierror)
{
    complete_some(MPI_Testsome, count, requests, done, indices, statuses, ierror);
}

static void cancel(const MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request one = MPI_Request_f2c(*request);
    allfold_set_ierror(ierror, MPI_Cancel(&one));
}

static void request_free(MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request one = MPI_Request_f2c(*request);
    allfold_set_ierror(ierror, MPI_Request_free(&one));
    *request = MPI_Request_c2f(one);
}

static void start(MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request one = MPI_Request_f2c(*request);
    allfold_set_ierror(ierror, MPI_Start(&one));
    *request = MPI_Request_c2f(one);
}

static void startall(const MPI_Fint *count, MPI_Fint *requests, MPI_Fint *ierror)
{
    struct in_c c;
    static const MPI_Fint no_statuses;
    if (!to_c(&c, count, requests, &no_statuses)) {
        allfold_set_ierror(ierror, no_memory(&c));
        return;
    }
    allfold_set_ierror(ierror, MPI_Startall(c.count, c.requests));
    to_fortran(&c, requests, NULL, 0);
}

static void op_free(MPI_Fint *op, MPI_Fint *ierror)
{
    MPI_Op one = MPI_Op_f2c(*op);
    allfold_set_ierror(ierror, MPI_Op_free(&one));
    *op = MPI_Op_c2f(one);
}

static void type_free(MPI_Fint *type, MPI_Fint *ierror)
{
    MPI_Datatype one = MPI_Type_f2c(*type);
    allfold_set_ierror(ierror, MPI_Type_free(&one));
    *type = MPI_Type_c2f(one);
}

static void probe(const MPI_Fint *from, const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *status,
                  MPI_Fint *ierror)
{
    MPI_Status its;
    const int is_ignored = allfold_is_ignored(status);
    const int code = MPI_Probe((int)*from, (int)*tag, MPI_Comm_f2c(*comm),
                               is_ignored ? MPI_STATUS_IGNORE : &its);
    if (code == MPI_SUCCESS && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

static void iprobe(const MPI_Fint *from, const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *flag,
                   MPI_Fint *status, MPI_Fint *ierror)
{
    MPI_Status its;
    int is_there = 0;
    const int is_ignored = allfold_is_ignored(status);
    const int code = MPI_Iprobe((int)*from, (int)*tag, MPI_Comm_f2c(*comm), &is_there,
                                is_ignored ? MPI_STATUS_IGNORE : &its);
    *flag = is_there;
    if (code == MPI_SUCCESS && is_there && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

ALLFOLD_ALIASES(wait, WAIT)
ALLFOLD_ALIASES(test, TEST)
ALLFOLD_ALIASES(request_get_status, REQUEST_GET_STATUS)
ALLFOLD_ALIASES(waitall, WAITALL)
ALLFOLD_ALIASES(testall, TESTALL)
ALLFOLD_ALIASES(waitany, WAITANY)
ALLFOLD_ALIASES(testany, TESTANY)
ALLFOLD_ALIASES(waitsome, WAITSOME)
ALLFOLD_ALIASES(testsome, TESTSOME)
ALLFOLD_ALIASES(request_free, REQUEST_FREE)
ALLFOLD_ALIASES(cancel, CANCEL)
ALLFOLD_ALIASES(start, START)
ALLFOLD_ALIASES(startall, STARTALL)
ALLFOLD_ALIASES(op_free, OP_FREE)
ALLFOLD_ALIASES(type_free, TYPE_FREE)
ALLFOLD_ALIASES(probe, PROBE)
ALLFOLD_ALIASES(iprobe, IPROBE)
