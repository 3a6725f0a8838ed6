/* Loads the MPI library named by argv[1] itself, as a language binding does, and calls what `dlsym`
 * finds. A function named by a further argument comes from the program's own scope instead. With
 * EARLY in the environment it calls Allfold before. Prints `right`. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;
static char **scoped;

static void *function(const char *name)
{
    for (int i = 0; scoped[i] != NULL; i++)
        if (strcmp(scoped[i], name) == 0)
            return dlsym(RTLD_DEFAULT, name);
    return dlsym(library, name);
}

int main(int argc, char **argv)
{
    int (*init)(int *, char ***), (*finalize)(void);
    int (*comm_size)(MPI_Comm, int *), (*comm_rank)(MPI_Comm, int *);
    int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    const char *(*version)(void);
    *(void **)&version = dlsym(RTLD_DEFAULT, "allfold_version");
    if (getenv("EARLY") != NULL && version != NULL)
        version();
    library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    scoped = argv + 2;
    if (library == NULL)
        return 1;
    *(void **)&init = function("MPI_Init");
    *(void **)&finalize = function("MPI_Finalize");
    *(void **)&comm_size = function("MPI_Comm_size");
    *(void **)&comm_rank = function("MPI_Comm_rank");
    *(void **)&allreduce = function("MPI_Allreduce");
#ifdef OPEN_MPI /* its handles are addresses in the library */
    const MPI_Comm world = (MPI_Comm)dlsym(library, "ompi_mpi_comm_world");
    const MPI_Datatype type = (MPI_Datatype)dlsym(library, "ompi_mpi_int");
    const MPI_Op op = (MPI_Op)dlsym(library, "ompi_mpi_op_sum");
#else
    const MPI_Comm world = MPI_COMM_WORLD;
    const MPI_Datatype type = MPI_INT;
    const MPI_Op op = MPI_SUM;
#endif
    int one = 1, sum = 0, size = 0, rank = 0, wrong = 0;
    init(NULL, NULL);
    comm_size(world, &size);
    comm_rank(world, &rank);
    for (int i = 0; i < 10; i++) {
        allreduce(&one, &sum, 1, type, op, world);
        wrong += sum != size;
    }
    if (rank == 0 || wrong > 0)
        puts(wrong == 0 ? "right" : "wrong");
    finalize();
    return wrong;
}
