/* The Fortran functions of Open MPI that the library replaces: Open MPI's own call PMPI_, and so
 * bypass interpose.c. No logic but that Fortran's handles and constants become those of C.
 *
 * MPI_IN_PLACE and MPI_BOTTOM of Fortran are variables: the program and all libraries share one of
 * each. Their addresses depend on the program, and their names on the compiler that the MPI library
 * was built for. */
#include "mpi/interpose/interpose_fortran.h"
#include "mpi/interpose/newer_mpi.h"

ALLFOLD_SPELLINGS(ALLFOLD_DECLARE, mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)
ALLFOLD_SPELLINGS(ALLFOLD_DECLARE, mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)

enum { SPELLINGS = 4 };
static const char *const in_place[SPELLINGS] = {
    ALLFOLD_SPELLINGS(ALLFOLD_ADDRESS, mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)};
static const char *const bottom[SPELLINGS] = {
    ALLFOLD_SPELLINGS(ALLFOLD_ADDRESS, mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)};

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of counts are handed on as they are");

/* Names that nobody defines have the address NULL. */
static int is_one_of(const void *buffer, const char *const *addresses)
{
    for (int i = 0; i < SPELLINGS && buffer != NULL; i++)
        if (buffer == addresses[i])
            return 1;
    return 0;
}

static void *output(void *buffer)
{
    return is_one_of(buffer, bottom) ? MPI_BOTTOM : buffer;
}

static const void *input(const void *buffer)
{
    return is_one_of(buffer, in_place) ? MPI_IN_PLACE
           : is_one_of(buffer, bottom) ? MPI_BOTTOM
                                       : buffer;
}

static void allreduce(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                      const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                      MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Allreduce(input(sendbuf), output(recvbuf), (int)*count,
                                             MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                             MPI_Comm_f2c(*comm)));
}

static void reduce(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                   const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *root,
                   const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Reduce(input(sendbuf), output(recvbuf), (int)*count,
                                          MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), (int)*root,
                                          MPI_Comm_f2c(*comm)));
}

static void bcast(void *buffer, const MPI_Fint *count, const MPI_Fint *datatype,
                  const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Bcast(output(buffer), (int)*count, MPI_Type_f2c(*datatype),
                                         (int)*root, MPI_Comm_f2c(*comm)));
}

static void reduce_scatter_block(const void *sendbuf, void *recvbuf, const MPI_Fint *recvcount,
                                 const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                                 MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Reduce_scatter_block(input(sendbuf), output(recvbuf),
                                                        (int)*recvcount, MPI_Type_f2c(*datatype),
                                                        MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

static void allgather(const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                      void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                      const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror,
                       MPI_Allgather(input(sendbuf), (int)*sendcount, MPI_Type_f2c(*sendtype),
                                     output(recvbuf), (int)*recvcount, MPI_Type_f2c(*recvtype),
                                     MPI_Comm_f2c(*comm)));
}

static void reduce_scatter(const void *sendbuf, void *recvbuf, const MPI_Fint *recvcounts,
                           const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                           MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Reduce_scatter(input(sendbuf), output(recvbuf), recvcounts,
                                                  MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                                  MPI_Comm_f2c(*comm)));
}

static void allgatherv(const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                       void *recvbuf, const MPI_Fint *recvcounts, const MPI_Fint *displs,
                       const MPI_Fint *recvtype, const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror,
                       MPI_Allgatherv(input(sendbuf), (int)*sendcount, MPI_Type_f2c(*sendtype),
                                      output(recvbuf), recvcounts, displs, MPI_Type_f2c(*recvtype),
                                      MPI_Comm_f2c(*comm)));
}

static void barrier(const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Barrier(MPI_Comm_f2c(*comm)));
}

static void scan(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                 const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                 MPI_Fint *ierror)
{
    allfold_set_ierror(ierror,
                       MPI_Scan(input(sendbuf), output(recvbuf), (int)*count,
                                MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

static void exscan(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                   const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                   MPI_Fint *ierror)
{
    allfold_set_ierror(ierror,
                       MPI_Exscan(input(sendbuf), output(recvbuf), (int)*count,
                                  MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}

static void reduce_local(const void *inbuf, void *inoutbuf, const MPI_Fint *count,
                         const MPI_Fint *datatype, const MPI_Fint *op, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Reduce_local(input(inbuf), output(inoutbuf), (int)*count,
                                                MPI_Type_f2c(*datatype), MPI_Op_f2c(*op)));
}

static void pcontrol(const MPI_Fint *level)
{
    MPI_Pcontrol((int)*level);
}

static void comm_set_info(const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Comm_set_info(MPI_Comm_f2c(*comm), MPI_Info_f2c(*info)));
}

static void comm_dup_with_info(const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *newcomm,
                               MPI_Fint *ierror)
{
    MPI_Comm made = MPI_COMM_NULL;
    allfold_set_ierror(ierror,
                       MPI_Comm_dup_with_info(MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *newcomm = MPI_Comm_c2f(made);
}

static void alloc_mem(const MPI_Aint *size, const MPI_Fint *info, void *baseptr, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Alloc_mem(*size, MPI_Info_f2c(*info), baseptr));
}

/* The same where `baseptr` is a TYPE(C_PTR). */
static void alloc_mem_cptr(const MPI_Aint *size, const MPI_Fint *info, void *baseptr,
                           MPI_Fint *ierror)
{
    alloc_mem(size, info, baseptr, ierror);
}

static void free_mem(void *base, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Free_mem(base));
}

static void init(MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Init(NULL, NULL));
}

static void init_thread(const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror)
{
    int level = MPI_THREAD_SINGLE;
    allfold_set_ierror(ierror, MPI_Init_thread(NULL, NULL, (int)*required, &level));
    *provided = (MPI_Fint)level;
}

static void finalize(MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Finalize());
}

static void iallreduce(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                       const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                       MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, MPI_Iallreduce(input(sendbuf), output(recvbuf), (int)*count,
                                              MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                              MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}

static void ireduce(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                    const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *root,
                    const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, MPI_Ireduce(input(sendbuf), output(recvbuf), (int)*count,
                                           MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), (int)*root,
                                           MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}

static void ibcast(void *buffer, const MPI_Fint *count, const MPI_Fint *datatype,
                   const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, MPI_Ibcast(output(buffer), (int)*count, MPI_Type_f2c(*datatype),
                                          (int)*root, MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}

static void ireduce_scatter_block(const void *sendbuf, void *recvbuf, const MPI_Fint *recvcount,
                                  const MPI_Fint *datatype, const MPI_Fint *op,
                                  const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror,
                       MPI_Ireduce_scatter_block(input(sendbuf), output(recvbuf), (int)*recvcount,
                                                 MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                                 MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}

static void iallgather(const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                       void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                       const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror,
                       MPI_Iallgather(input(sendbuf), (int)*sendcount, MPI_Type_f2c(*sendtype),
                                      output(recvbuf), (int)*recvcount, MPI_Type_f2c(*recvtype),
                                      MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}

static void ireduce_scatter(const void *sendbuf, void *recvbuf, const MPI_Fint *recvcounts,
                            const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                            MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, MPI_Ireduce_scatter(input(sendbuf), output(recvbuf), recvcounts,
                                                   MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                                   MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}

static void iallgatherv(const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                        void *recvbuf, const MPI_Fint *recvcounts, const MPI_Fint *displs,
                        const MPI_Fint *recvtype, const MPI_Fint *comm, MPI_Fint *request,
                        MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror,
                       MPI_Iallgatherv(input(sendbuf), (int)*sendcount, MPI_Type_f2c(*sendtype),
                                       output(recvbuf), recvcounts, displs, MPI_Type_f2c(*recvtype),
                                       MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}

static void iscan(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                  const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                  MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, MPI_Iscan(input(sendbuf), output(recvbuf), (int)*count,
                                         MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                         MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}

static void iexscan(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                    const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                    MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, MPI_Iexscan(input(sendbuf), output(recvbuf), (int)*count,
                                           MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                           MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}

/* Persistent ones, whose names begin with mpix_ in Open MPI 4. */

static void allreduce_init(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                           const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                           const MPI_Fint *info, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, MPI_Allreduce_init(input(sendbuf), output(recvbuf), (int)*count,
                                                  MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                                  MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}

static void reduce_init(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                        const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *root,
                        const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *request,
                        MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, MPI_Reduce_init(input(sendbuf), output(recvbuf), (int)*count,
                                               MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), (int)*root,
                                               MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}

static void bcast_init(void *buffer, const MPI_Fint *count, const MPI_Fint *datatype,
                       const MPI_Fint *root, const MPI_Fint *comm, const MPI_Fint *info,
                       MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror,
                       MPI_Bcast_init(output(buffer), (int)*count, MPI_Type_f2c(*datatype),
                                      (int)*root, MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}

static void reduce_scatter_block_init(const void *sendbuf, void *recvbuf, const MPI_Fint *recvcount,
                                      const MPI_Fint *datatype, const MPI_Fint *op,
                                      const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *request,
                                      MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(
        ierror, MPI_Reduce_scatter_block_init(input(sendbuf), output(recvbuf), (int)*recvcount,
                                              MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                              MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}

static void allgather_init(const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                           void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                           const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *request,
                           MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror,
                       MPI_Allgather_init(input(sendbuf), (int)*sendcount, MPI_Type_f2c(*sendtype),
                                          output(recvbuf), (int)*recvcount, MPI_Type_f2c(*recvtype),
                                          MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}

static void reduce_scatter_init(const void *sendbuf, void *recvbuf, const MPI_Fint *recvcounts,
                                const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                                const MPI_Fint *info, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror,
                       MPI_Reduce_scatter_init(input(sendbuf), output(recvbuf), recvcounts,
                                               MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                               MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}

static void allgatherv_init(const void *sendbuf, const MPI_Fint *sendcount,
                            const MPI_Fint *sendtype, void *recvbuf, const MPI_Fint *recvcounts,
                            const MPI_Fint *displs, const MPI_Fint *recvtype, const MPI_Fint *comm,
                            const MPI_Fint *info, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(
        ierror, MPI_Allgatherv_init(input(sendbuf), (int)*sendcount, MPI_Type_f2c(*sendtype),
                                    output(recvbuf), recvcounts, displs, MPI_Type_f2c(*recvtype),
                                    MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}

static void scan_init(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                      const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                      const MPI_Fint *info, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, MPI_Scan_init(input(sendbuf), output(recvbuf), (int)*count,
                                             MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                             MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}

static void exscan_init(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                        const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                        const MPI_Fint *info, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, MPI_Exscan_init(input(sendbuf), output(recvbuf), (int)*count,
                                               MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                               MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}

/* Messages: who waits for one makes progress, see interpose_requests.c. */

static void send(const void *buffer, const MPI_Fint *count, const MPI_Fint *datatype,
                 const MPI_Fint *to, const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Send(input(buffer), (int)*count, MPI_Type_f2c(*datatype),
                                        (int)*to, (int)*tag, MPI_Comm_f2c(*comm)));
}

static void ssend(const void *buffer, const MPI_Fint *count, const MPI_Fint *datatype,
                  const MPI_Fint *to, const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, MPI_Ssend(input(buffer), (int)*count, MPI_Type_f2c(*datatype),
                                         (int)*to, (int)*tag, MPI_Comm_f2c(*comm)));
}

static void recv(void *buffer, const MPI_Fint *count, const MPI_Fint *datatype,
                 const MPI_Fint *from, const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *status,
                 MPI_Fint *ierror)
{
    MPI_Status its;
    const int is_ignored = allfold_is_ignored(status);
    const int code =
        MPI_Recv(output(buffer), (int)*count, MPI_Type_f2c(*datatype), (int)*from, (int)*tag,
                 MPI_Comm_f2c(*comm), is_ignored ? MPI_STATUS_IGNORE : &its);
    if (code == MPI_SUCCESS && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

static void sendrecv(const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                     const MPI_Fint *to, const MPI_Fint *sendtag, void *recvbuf,
                     const MPI_Fint *recvcount, const MPI_Fint *recvtype, const MPI_Fint *from,
                     const MPI_Fint *recvtag, const MPI_Fint *comm, MPI_Fint *status,
                     MPI_Fint *ierror)
{
    MPI_Status its;
    const int is_ignored = allfold_is_ignored(status);
    const int code = MPI_Sendrecv(input(sendbuf), (int)*sendcount, MPI_Type_f2c(*sendtype),
                                  (int)*to, (int)*sendtag, output(recvbuf), (int)*recvcount,
                                  MPI_Type_f2c(*recvtype), (int)*from, (int)*recvtag,
                                  MPI_Comm_f2c(*comm), is_ignored ? MPI_STATUS_IGNORE : &its);
    if (code == MPI_SUCCESS && !is_ignored)
        MPI_Status_c2f(&its, status);
    allfold_set_ierror(ierror, code);
}

ALLFOLD_ALIASES(allreduce, ALLREDUCE)
ALLFOLD_ALIASES(reduce, REDUCE)
ALLFOLD_ALIASES(bcast, BCAST)
ALLFOLD_ALIASES(reduce_scatter_block, REDUCE_SCATTER_BLOCK)
ALLFOLD_ALIASES(allgather, ALLGATHER)
ALLFOLD_ALIASES(reduce_scatter, REDUCE_SCATTER)
ALLFOLD_ALIASES(allgatherv, ALLGATHERV)
ALLFOLD_ALIASES(barrier, BARRIER)
ALLFOLD_ALIASES(scan, SCAN)
ALLFOLD_ALIASES(exscan, EXSCAN)
ALLFOLD_ALIASES(reduce_local, REDUCE_LOCAL)
ALLFOLD_ALIASES(pcontrol, PCONTROL)
ALLFOLD_ALIASES(comm_set_info, COMM_SET_INFO)
ALLFOLD_ALIASES(comm_dup_with_info, COMM_DUP_WITH_INFO)
ALLFOLD_ALIASES(alloc_mem, ALLOC_MEM)
ALLFOLD_ALIASES(alloc_mem_cptr, ALLOC_MEM_CPTR)
ALLFOLD_ALIASES(free_mem, FREE_MEM)
ALLFOLD_ALIASES(init, INIT)
ALLFOLD_ALIASES(init_thread, INIT_THREAD)
ALLFOLD_ALIASES(finalize, FINALIZE)
ALLFOLD_ALIASES(iallreduce, IALLREDUCE)
ALLFOLD_ALIASES(ireduce, IREDUCE)
ALLFOLD_ALIASES(ibcast, IBCAST)
ALLFOLD_ALIASES(ireduce_scatter_block, IREDUCE_SCATTER_BLOCK)
ALLFOLD_ALIASES(iallgather, IALLGATHER)
ALLFOLD_ALIASES(ireduce_scatter, IREDUCE_SCATTER)
ALLFOLD_ALIASES(iallgatherv, IALLGATHERV)
ALLFOLD_ALIASES(iscan, ISCAN)
ALLFOLD_ALIASES(iexscan, IEXSCAN)
ALLFOLD_ALIASES(send, SEND)
ALLFOLD_ALIASES(ssend, SSEND)
ALLFOLD_ALIASES(recv, RECV)
ALLFOLD_ALIASES(sendrecv, SENDRECV)
ALLFOLD_PERSISTENT_ALIASES(allreduce_init, ALLREDUCE_INIT)
ALLFOLD_PERSISTENT_ALIASES(reduce_init, REDUCE_INIT)
ALLFOLD_PERSISTENT_ALIASES(bcast_init, BCAST_INIT)
ALLFOLD_PERSISTENT_ALIASES(reduce_scatter_block_init, REDUCE_SCATTER_BLOCK_INIT)
ALLFOLD_PERSISTENT_ALIASES(allgather_init, ALLGATHER_INIT)
ALLFOLD_PERSISTENT_ALIASES(reduce_scatter_init, REDUCE_SCATTER_INIT)
ALLFOLD_PERSISTENT_ALIASES(allgatherv_init, ALLGATHERV_INIT)
ALLFOLD_PERSISTENT_ALIASES(scan_init, SCAN_INIT)
ALLFOLD_PERSISTENT_ALIASES(exscan_init, EXSCAN_INIT)
