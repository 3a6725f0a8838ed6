/* Gathers on rank 0 what the report prints about all ranks: when each was late, the worst calls,
 * and the sums of rows. */
#ifndef ALLFOLD_MPI_REPORT_GATHERING_H
#define ALLFOLD_MPI_REPORT_GATHERING_H

#include <mpi.h>

#include "events/log.h"

/* Gives rank 0 of `comm` the lateness map, without the names of its rows, and the worst calls of
 * all ranks, sorted. Returns false on all ranks if that failed. Collective over `comm`. */
bool allfold_lateness_gather(MPI_Comm comm, struct allfold_log *log, struct allfold_late_map *map,
                             struct allfold_worst *worst);

/* Sums each row over the ranks that have it, on rank 0 of `comm`. Rows of two ranks are the same
 * row if the report prints the same names for them. The sums go up a binomial tree, in which each
 * rank merges its own rows with those of its children. Collective over `comm`. */
void allfold_rows_gather(struct allfold_log *log, MPI_Comm comm);

#endif
