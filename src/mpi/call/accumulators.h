/* Sums of accumulators over the ranks of a communicator (allfold_accumulator.h). */
#ifndef ALLFOLD_MPI_CALL_ACCUMULATORS_H
#define ALLFOLD_MPI_CALL_ACCUMULATORS_H

#include <mpi.h>

#include "allfold_accumulator.h"

/* Does what allfold_accumulator_allreduce does; see allfold.h. */
int allfold_accumulators_allreduce(const struct allfold_accumulator *mine,
                                   struct allfold_accumulator *sum, int count, MPI_Comm comm);

#endif
