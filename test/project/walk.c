/* The calls whose paths test_walk.sh compares with DESIGN.md. A debugger stops in walk_mark. */
#include <mpi.h>

enum { COUNT = 1000 };

static double in[COUNT], out[COUNT];

__attribute__((noinline)) void walk_mark(const char *call)
{
    __asm__ volatile("" : : "r"(call) : "memory");
}

static void allreduce(const char *call)
{
    walk_mark(call);
    MPI_Allreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    walk_mark("");
}

int main(int argc, char **argv)
{
    MPI_Request request;
    MPI_Init(&argc, &argv);
    allreduce("a first one");
    allreduce("");
    allreduce("a repeated MPI_Allreduce");
    walk_mark("MPI_Iallreduce");
    MPI_Iallreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    walk_mark("");
    MPI_Allreduce_init(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &request);
    walk_mark("MPI_Start");
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    walk_mark("");
    MPI_Request_free(&request);
    MPI_Finalize();
    return 0;
}
