/* SMPI's MPI_Waitsome tests all requests but one. SimGrid forgets a message that a wait found to be
 * done, but keeps one that a test found in the list of its rank. Each message is looked for in that
 * list, so a run of many calls takes a time that grows with their square. One message at a time
 * does as well. */
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
