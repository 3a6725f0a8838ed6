/* SMPI's nonblocking allreduce sends p^2 messages at once. For each that ends, SimGrid shares its
 * links anew among all the others, so one allreduce of 128 ranks takes minutes. Allfold's set-up
 * synchronizes by it so that plans in flight make progress meanwhile. Here no plans are in flight,
 * so the blocking one does as well. */
#include <mpi.h>

int PMPI_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    return PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
}
