/* The exchange of a whole window of notes, by an algorithm of ours.
 *
 * It takes a tenth of the time of the MPI library's nonblocking reduction with a function of ours,
 * which serves all shorter windows (notes.h). All ranks of a communicator have memory for it, or
 * none uses it: they say so in the exchange before. */
#ifndef ALLFOLD_MPI_EXCHANGE_H
#define ALLFOLD_MPI_EXCHANGE_H

#include <mpi.h>
#include <stddef.h>

#include "events/split.h"
#include "mpi/communicator/communicator.h"

struct allfold_exchange;

/* For so many records; `type` is theirs. NULL without memory, or where messages of the communicator
 * are not ours. Local. */
struct allfold_exchange *allfold_exchange_make(const struct allfold_communicator *state,
                                               size_t count, MPI_Datatype type);

/* Merges the records of all ranks, in place. Returns an MPI error code. Collective. */
int allfold_exchange_run(const struct allfold_communicator *state,
                         struct allfold_exchange *exchange, struct allfold_latest *records);

/* NULL is allowed. */
void allfold_exchange_free(struct allfold_exchange *exchange);

#endif
