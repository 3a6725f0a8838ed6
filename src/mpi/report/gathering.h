/* When this rank was late, and how rank 0 gets it of all ranks (lateness.h). */
#ifndef ALLFOLD_MPI_GATHERING_H
#define ALLFOLD_MPI_GATHERING_H

#include <mpi.h>

#include "mpi/report/lateness.h"

/* This rank's, which no other thread has before it is closed. */
struct allfold_lateness *allfold_lateness_open(void);
void allfold_lateness_close(void);

/* Rank 0 of `comm` gets the map, without its rows' names, and the worst calls of all, sorted; `row`
 * is this rank's. Returns false on all ranks, or on none, where that fails. Collective. */
bool allfold_lateness_gather(MPI_Comm comm, int row, struct allfold_lateness *own,
                             struct allfold_late_map *map, struct allfold_worst *worst);

#endif
