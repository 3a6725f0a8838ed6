/*
 * stacking_layer.c: another tool in the chain. Counts the reductions, broadcasts and starts of
 * requests that come to it, and says at MPI_Finalize how many. It hands them on to the next
 * library, or with LAYER_CALLS=pmpi to the MPI library at once, as tools for MPI's profiling
 * interface do.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int reductions, in_place, broadcasts, starts, startalls, started;

static void *find(const char *name, void *pmpi)
{
    const char *calls = getenv("LAYER_CALLS");
    void *next = calls != NULL && strcmp(calls, "pmpi") == 0 ? NULL : dlsym(RTLD_NEXT, name);
    return next == NULL ? pmpi : next;
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    int (*next)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    void *found = find("MPI_Allreduce", (void *)PMPI_Allreduce);
    memcpy(&next, &found, sizeof next);
    reductions++;
    in_place += sendbuf == MPI_IN_PLACE;
    return next(sendbuf, recvbuf, count, datatype, op, comm);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    int (*next)(void *, int, MPI_Datatype, int, MPI_Comm);
    void *found = find("MPI_Bcast", (void *)PMPI_Bcast);
    memcpy(&next, &found, sizeof next);
    broadcasts++;
    return next(buffer, count, datatype, root, comm);
}

int MPI_Start(MPI_Request *request)
{
    int (*next)(MPI_Request *);
    void *found = find("MPI_Start", (void *)PMPI_Start);
    memcpy(&next, &found, sizeof next);
    starts++;
    return next(request);
}

int MPI_Startall(int count, MPI_Request requests[])
{
    int (*next)(int, MPI_Request *);
    void *found = find("MPI_Startall", (void *)PMPI_Startall);
    memcpy(&next, &found, sizeof next);
    startalls++;
    started += count;
    return next(count, requests);
}

int MPI_Finalize(void)
{
    int (*next)(void), rank;
    void *found = find("MPI_Finalize", (void *)PMPI_Finalize);
    memcpy(&next, &found, sizeof next);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr,
                "layer: %d reductions, %d broadcasts\n"
                "layer: %d in place\n"
                "layer: %d MPI_Start, %d MPI_Startall of %d requests\n",
                reductions, broadcasts, in_place, starts, startalls, started);
    return next();
}
