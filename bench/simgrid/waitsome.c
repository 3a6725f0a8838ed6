/* A replacement of SMPI's MPI_Waitsome, which tests all requests but one. SimGrid removes a message
 * that a wait completed, but keeps one that a test completed in the list of its rank. Each message
 * is searched for in that list, so the time of a run grows with the square of the number of calls.
 * Completing one message at a time is sufficient here. */
#include <mpi.h>

int PMPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[],
                  MPI_Status statuses[])
{
    *done = 1;
    const int error = PMPI_Waitany(count, requests, indices, statuses);
    if (indices[0] == MPI_UNDEFINED)
        *done = MPI_UNDEFINED;
    return error;
}
