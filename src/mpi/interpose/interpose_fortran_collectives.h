/* The collectives with buffers as Fortran calls them. Included for counts of each kind, by
 * interpose_fortran_openmpi.c, which defines
 *
 *     COUNT, DISPLACEMENT  the types of counts and displacements in Fortran
 *     C_COUNT              the type of counts in C
 *     NAMED(name)          how a function here is called
 *     CALLED(name)         the C function that it calls
 *     DESCRIBED(name)      its name for the linker where buffers are descriptors */

static void NAMED(allreduce)(const void *sendbuf, void *recvbuf, const COUNT *count,
                             const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                             MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, CALLED(MPI_Allreduce)(input(sendbuf), output(recvbuf),
                                                     (C_COUNT)*count, MPI_Type_f2c(*datatype),
                                                     MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}
DESCRIBED_PAIR(allreduce, PARAMETERS_5, ARGUMENTS_5)

static void NAMED(reduce)(const void *sendbuf, void *recvbuf, const COUNT *count,
                          const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *root,
                          const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, CALLED(MPI_Reduce)(input(sendbuf), output(recvbuf), (C_COUNT)*count,
                                                  MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                                  (int)*root, MPI_Comm_f2c(*comm)));
}
DESCRIBED_PAIR(reduce, PARAMETERS_6, ARGUMENTS_6)

static void NAMED(bcast)(void *buffer, const COUNT *count, const MPI_Fint *datatype,
                         const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror,
                       CALLED(MPI_Bcast)(output(buffer), (C_COUNT)*count, MPI_Type_f2c(*datatype),
                                         (int)*root, MPI_Comm_f2c(*comm)));
}
DESCRIBED_ONE(bcast, PARAMETERS_5, ARGUMENTS_5)

static void NAMED(reduce_scatter_block)(const void *sendbuf, void *recvbuf, const COUNT *recvcount,
                                        const MPI_Fint *datatype, const MPI_Fint *op,
                                        const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, CALLED(MPI_Reduce_scatter_block)(
                                   input(sendbuf), output(recvbuf), (C_COUNT)*recvcount,
                                   MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}
DESCRIBED_PAIR(reduce_scatter_block, PARAMETERS_5, ARGUMENTS_5)

static void NAMED(allgather)(const void *sendbuf, const COUNT *sendcount, const MPI_Fint *sendtype,
                             void *recvbuf, const COUNT *recvcount, const MPI_Fint *recvtype,
                             const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, CALLED(MPI_Allgather)(input(sendbuf), (C_COUNT)*sendcount,
                                                     MPI_Type_f2c(*sendtype), output(recvbuf),
                                                     (C_COUNT)*recvcount, MPI_Type_f2c(*recvtype),
                                                     MPI_Comm_f2c(*comm)));
}
DESCRIBED_GATHER(allgather, PARAMETERS_4, ARGUMENTS_4)

static void NAMED(reduce_scatter)(const void *sendbuf, void *recvbuf, const COUNT *recvcounts,
                                  const MPI_Fint *datatype, const MPI_Fint *op,
                                  const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, CALLED(MPI_Reduce_scatter)(input(sendbuf), output(recvbuf),
                                                          recvcounts, MPI_Type_f2c(*datatype),
                                                          MPI_Op_f2c(*op), MPI_Comm_f2c(*comm)));
}
DESCRIBED_PAIR(reduce_scatter, PARAMETERS_5, ARGUMENTS_5)

static void NAMED(allgatherv)(const void *sendbuf, const COUNT *sendcount, const MPI_Fint *sendtype,
                              void *recvbuf, const COUNT *recvcounts, const DISPLACEMENT *displs,
                              const MPI_Fint *recvtype, const MPI_Fint *comm, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, CALLED(MPI_Allgatherv)(input(sendbuf), (C_COUNT)*sendcount,
                                                      MPI_Type_f2c(*sendtype), output(recvbuf),
                                                      recvcounts, displs, MPI_Type_f2c(*recvtype),
                                                      MPI_Comm_f2c(*comm)));
}
DESCRIBED_GATHER(allgatherv, PARAMETERS_5, ARGUMENTS_5)

static void NAMED(scan)(const void *sendbuf, void *recvbuf, const COUNT *count,
                        const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                        MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, CALLED(MPI_Scan)(input(sendbuf), output(recvbuf), (C_COUNT)*count,
                                                MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                                MPI_Comm_f2c(*comm)));
}
DESCRIBED_PAIR(scan, PARAMETERS_5, ARGUMENTS_5)

static void NAMED(exscan)(const void *sendbuf, void *recvbuf, const COUNT *count,
                          const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                          MPI_Fint *ierror)
{
    allfold_set_ierror(ierror, CALLED(MPI_Exscan)(input(sendbuf), output(recvbuf), (C_COUNT)*count,
                                                  MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                                  MPI_Comm_f2c(*comm)));
}
DESCRIBED_PAIR(exscan, PARAMETERS_5, ARGUMENTS_5)

static void NAMED(reduce_local)(const void *inbuf, void *inoutbuf, const COUNT *count,
                                const MPI_Fint *datatype, const MPI_Fint *op, MPI_Fint *ierror)
{
    allfold_set_ierror(ierror,
                       CALLED(MPI_Reduce_local)(input(inbuf), output(inoutbuf), (C_COUNT)*count,
                                                MPI_Type_f2c(*datatype), MPI_Op_f2c(*op)));
}
DESCRIBED_PAIR(reduce_local, PARAMETERS_4, ARGUMENTS_4)

static void NAMED(iallreduce)(const void *sendbuf, void *recvbuf, const COUNT *count,
                              const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                              MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, CALLED(MPI_Iallreduce)(input(sendbuf), output(recvbuf),
                                                      (C_COUNT)*count, MPI_Type_f2c(*datatype),
                                                      MPI_Op_f2c(*op), MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_PAIR(iallreduce, PARAMETERS_6, ARGUMENTS_6)

static void NAMED(ireduce)(const void *sendbuf, void *recvbuf, const COUNT *count,
                           const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *root,
                           const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, CALLED(MPI_Ireduce)(input(sendbuf), output(recvbuf), (C_COUNT)*count,
                                                   MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                                   (int)*root, MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_PAIR(ireduce, PARAMETERS_7, ARGUMENTS_7)

static void NAMED(ibcast)(void *buffer, const COUNT *count, const MPI_Fint *datatype,
                          const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *request,
                          MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror,
                       CALLED(MPI_Ibcast)(output(buffer), (C_COUNT)*count, MPI_Type_f2c(*datatype),
                                          (int)*root, MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_ONE(ibcast, PARAMETERS_6, ARGUMENTS_6)

static void NAMED(ireduce_scatter_block)(const void *sendbuf, void *recvbuf, const COUNT *recvcount,
                                         const MPI_Fint *datatype, const MPI_Fint *op,
                                         const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(
        ierror, CALLED(MPI_Ireduce_scatter_block)(input(sendbuf), output(recvbuf),
                                                  (C_COUNT)*recvcount, MPI_Type_f2c(*datatype),
                                                  MPI_Op_f2c(*op), MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_PAIR(ireduce_scatter_block, PARAMETERS_6, ARGUMENTS_6)

static void NAMED(iallgather)(const void *sendbuf, const COUNT *sendcount, const MPI_Fint *sendtype,
                              void *recvbuf, const COUNT *recvcount, const MPI_Fint *recvtype,
                              const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, CALLED(MPI_Iallgather)(input(sendbuf), (C_COUNT)*sendcount,
                                                      MPI_Type_f2c(*sendtype), output(recvbuf),
                                                      (C_COUNT)*recvcount, MPI_Type_f2c(*recvtype),
                                                      MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_GATHER(iallgather, PARAMETERS_5, ARGUMENTS_5)

static void NAMED(ireduce_scatter)(const void *sendbuf, void *recvbuf, const COUNT *recvcounts,
                                   const MPI_Fint *datatype, const MPI_Fint *op,
                                   const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror,
                       CALLED(MPI_Ireduce_scatter)(input(sendbuf), output(recvbuf), recvcounts,
                                                   MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                                   MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_PAIR(ireduce_scatter, PARAMETERS_6, ARGUMENTS_6)

static void NAMED(iallgatherv)(const void *sendbuf, const COUNT *sendcount,
                               const MPI_Fint *sendtype, void *recvbuf, const COUNT *recvcounts,
                               const DISPLACEMENT *displs, const MPI_Fint *recvtype,
                               const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, CALLED(MPI_Iallgatherv)(input(sendbuf), (C_COUNT)*sendcount,
                                                       MPI_Type_f2c(*sendtype), output(recvbuf),
                                                       recvcounts, displs, MPI_Type_f2c(*recvtype),
                                                       MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_GATHER(iallgatherv, PARAMETERS_6, ARGUMENTS_6)

static void NAMED(iscan)(const void *sendbuf, void *recvbuf, const COUNT *count,
                         const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                         MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, CALLED(MPI_Iscan)(input(sendbuf), output(recvbuf), (C_COUNT)*count,
                                                 MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                                 MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_PAIR(iscan, PARAMETERS_6, ARGUMENTS_6)

static void NAMED(iexscan)(const void *sendbuf, void *recvbuf, const COUNT *count,
                           const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                           MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, CALLED(MPI_Iexscan)(input(sendbuf), output(recvbuf), (C_COUNT)*count,
                                                   MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                                   MPI_Comm_f2c(*comm), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_PAIR(iexscan, PARAMETERS_6, ARGUMENTS_6)

static void NAMED(allreduce_init)(const void *sendbuf, void *recvbuf, const COUNT *count,
                                  const MPI_Fint *datatype, const MPI_Fint *op,
                                  const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *request,
                                  MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror,
                       CALLED(MPI_Allreduce_init)(input(sendbuf), output(recvbuf), (C_COUNT)*count,
                                                  MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                                  MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_PAIR(allreduce_init, PARAMETERS_7, ARGUMENTS_7)

static void NAMED(reduce_init)(const void *sendbuf, void *recvbuf, const COUNT *count,
                               const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *root,
                               const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *request,
                               MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror,
                       CALLED(MPI_Reduce_init)(input(sendbuf), output(recvbuf), (C_COUNT)*count,
                                               MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), (int)*root,
                                               MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_PAIR(reduce_init, PARAMETERS_8, ARGUMENTS_8)

static void NAMED(bcast_init)(void *buffer, const COUNT *count, const MPI_Fint *datatype,
                              const MPI_Fint *root, const MPI_Fint *comm, const MPI_Fint *info,
                              MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, CALLED(MPI_Bcast_init)(
                                   output(buffer), (C_COUNT)*count, MPI_Type_f2c(*datatype),
                                   (int)*root, MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_ONE(bcast_init, PARAMETERS_7, ARGUMENTS_7)

static void NAMED(reduce_scatter_block_init)(const void *sendbuf, void *recvbuf,
                                             const COUNT *recvcount, const MPI_Fint *datatype,
                                             const MPI_Fint *op, const MPI_Fint *comm,
                                             const MPI_Fint *info, MPI_Fint *request,
                                             MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, CALLED(MPI_Reduce_scatter_block_init)(
                                   input(sendbuf), output(recvbuf), (C_COUNT)*recvcount,
                                   MPI_Type_f2c(*datatype), MPI_Op_f2c(*op), MPI_Comm_f2c(*comm),
                                   MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_PAIR(reduce_scatter_block_init, PARAMETERS_7, ARGUMENTS_7)

static void NAMED(allgather_init)(const void *sendbuf, const COUNT *sendcount,
                                  const MPI_Fint *sendtype, void *recvbuf, const COUNT *recvcount,
                                  const MPI_Fint *recvtype, const MPI_Fint *comm,
                                  const MPI_Fint *info, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, CALLED(MPI_Allgather_init)(
                                   input(sendbuf), (C_COUNT)*sendcount, MPI_Type_f2c(*sendtype),
                                   output(recvbuf), (C_COUNT)*recvcount, MPI_Type_f2c(*recvtype),
                                   MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_GATHER(allgather_init, PARAMETERS_6, ARGUMENTS_6)

static void NAMED(reduce_scatter_init)(const void *sendbuf, void *recvbuf, const COUNT *recvcounts,
                                       const MPI_Fint *datatype, const MPI_Fint *op,
                                       const MPI_Fint *comm, const MPI_Fint *info,
                                       MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, CALLED(MPI_Reduce_scatter_init)(input(sendbuf), output(recvbuf),
                                                               recvcounts, MPI_Type_f2c(*datatype),
                                                               MPI_Op_f2c(*op), MPI_Comm_f2c(*comm),
                                                               MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_PAIR(reduce_scatter_init, PARAMETERS_7, ARGUMENTS_7)

static void NAMED(allgatherv_init)(const void *sendbuf, const COUNT *sendcount,
                                   const MPI_Fint *sendtype, void *recvbuf, const COUNT *recvcounts,
                                   const DISPLACEMENT *displs, const MPI_Fint *recvtype,
                                   const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *request,
                                   MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror, CALLED(MPI_Allgatherv_init)(
                                   input(sendbuf), (C_COUNT)*sendcount, MPI_Type_f2c(*sendtype),
                                   output(recvbuf), recvcounts, displs, MPI_Type_f2c(*recvtype),
                                   MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_GATHER(allgatherv_init, PARAMETERS_7, ARGUMENTS_7)

static void NAMED(scan_init)(const void *sendbuf, void *recvbuf, const COUNT *count,
                             const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                             const MPI_Fint *info, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror,
                       CALLED(MPI_Scan_init)(input(sendbuf), output(recvbuf), (C_COUNT)*count,
                                             MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                             MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_PAIR(scan_init, PARAMETERS_7, ARGUMENTS_7)

static void NAMED(exscan_init)(const void *sendbuf, void *recvbuf, const COUNT *count,
                               const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                               const MPI_Fint *info, MPI_Fint *request, MPI_Fint *ierror)
{
    MPI_Request made = MPI_REQUEST_NULL;
    allfold_set_ierror(ierror,
                       CALLED(MPI_Exscan_init)(input(sendbuf), output(recvbuf), (C_COUNT)*count,
                                               MPI_Type_f2c(*datatype), MPI_Op_f2c(*op),
                                               MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made));
    *request = MPI_Request_c2f(made);
}
DESCRIBED_PAIR(exscan_init, PARAMETERS_7, ARGUMENTS_7)
