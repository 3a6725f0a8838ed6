/* A replacement of SMPI's nonblocking allreduce, which sends p^2 messages at once. Whenever one of
 * them ends, SimGrid computes the rates of all others anew, so one allreduce of 128 ranks takes
 * minutes. Allfold's setup uses this call for synchronization so that plans in flight make
 * progress. No plans are in flight here, so a blocking allreduce is sufficient. */
#include <mpi.h>

int PMPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}
