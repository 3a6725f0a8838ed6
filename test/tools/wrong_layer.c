/* wrong_layer.c: preloaded before the MPI library, makes its MPI_Allreduce of WRONG_COUNT doubles
 * wrong on rank 1 from the WRONG_FROM-th call on. The last byte is wrong, or with WRONG_LEAVES=1
 * the result is not touched at all. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1000 };

static int number_of(const char *name)
{
    const char *text = getenv(name);
    return text == NULL ? -1 : atoi(text);
}

int PMPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm)
{
    static int (*next)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    static int calls;
    if (next == NULL) {
        void *found = dlsym(RTLD_NEXT, "PMPI_Allreduce");
        memcpy(&next, &found, sizeof found);
    }
    const int is_second = number_of("OMPI_COMM_WORLD_RANK") == 1 || number_of("PMI_RANK") == 1;
    const int is_wrong =
        is_second && count == number_of("WRONG_COUNT") && ++calls >= number_of("WRONG_FROM");
    double other[ROOM];
    if (!is_wrong || count > ROOM)
        return next(in, out, count, type, op, comm);
    if (number_of("WRONG_LEAVES") == 1)
        return next(in, other, count, type, op, comm);
    const int error = next(in, out, count, type, op, comm);
    ((char *)out)[sizeof(double) * (size_t)count - 1] ^= 1;
    return error;
}
