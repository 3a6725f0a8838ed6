/* A program that takes its functions of MPI by dlsym from a handle of its own, like some languages'
 * bindings. A preloaded library without a dlsym of its own sees none of its calls. Prints `right`.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

/* The next library after all that were preloaded: the MPI library. */
static void *function(const char *name)
{
    Dl_info info;
    dladdr((void *)(size_t)PMPI_Comm_rank, &info);
    void *library = dlopen(info.dli_fname, RTLD_NOW);
    return library == NULL ? NULL : dlsym(library, name);
}

int main(void)
{
    int (*init)(int *, char ***), (*finalize)(void);
    int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    *(void **)&init = function("MPI_Init");
    *(void **)&finalize = function("MPI_Finalize");
    *(void **)&allreduce = function("MPI_Allreduce");
    if (init == NULL || finalize == NULL || allreduce == NULL)
        return 1;
    int one = 1, sum = 0, size;
    init(NULL, NULL);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 10; i++)
        allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && sum == size)
        puts("right");
    finalize();
    return 0;
}
