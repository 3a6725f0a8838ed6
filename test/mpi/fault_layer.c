/*
 * fault_layer.c: preloaded between the library and MPI. After fault_arm(n) it makes the n-th
 * receive fail with MPI_ERR_INTERN, as a broken network may.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

static int countdown;

void fault_arm(int n);

void fault_arm(int n)
{
    countdown = n;
}

int PMPI_Irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    static int (*next)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    if (next == NULL) {
        void *found = dlsym(RTLD_NEXT, "PMPI_Irecv");
        memcpy(&next, &found, sizeof found);
    }
    if (countdown > 0 && --countdown == 0)
        return MPI_ERR_INTERN;
    return next(data, count, type, source, tag, comm, request);
}
