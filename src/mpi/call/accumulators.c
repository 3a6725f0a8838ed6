/* Sums of accumulators over ranks (see accumulators.h). Settled accumulators are added as integers,
 * so every algorithm and every order gives the same bytes. */
#include "mpi/call/accumulators.h"

#include <string.h>

#include "mpi/call/collective.h"

enum { MEMBERS = sizeof(struct allfold_accumulator) / sizeof(int64_t) };
_Static_assert(sizeof(struct allfold_accumulator) == MEMBERS * sizeof(int64_t),
               "an accumulator is an array of integers");

int allfold_accumulators_allreduce(const struct allfold_accumulator *mine,
                                   struct allfold_accumulator *sum, int count, MPI_Comm comm)
{
    if (mine != sum && count > 0)
        memcpy(sum, mine, (size_t)count * sizeof *sum);
    for (int i = 0; i < count; i++)
        allfold_accumulator_settle(&sum[i]);
    const struct allfold_call call =
        allfold_describe_reduction(ALLFOLD_ALLREDUCE, MPI_IN_PLACE, sum, (ptrdiff_t)count * MEMBERS,
                                   MPI_INT64_T, MPI_SUM, 0, comm);
    const int error = allfold_serve(&call);
    for (int i = 0; error == MPI_SUCCESS && i < count; i++)
        allfold_accumulator_settle(&sum[i]);
    return error;
}
