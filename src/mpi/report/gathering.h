/* When this rank was late, and how rank 0 gets it of all ranks (lateness.h). */
#ifndef ALLFOLD_MPI_GATHERING_H
#define ALLFOLD_MPI_GATHERING_H

#include <mpi.h>

#include "events/lateness.h"

/* Has this rank keep who came last to its calls, from now on. After the job has begun; false
 * without memory. */
bool allfold_lateness_watch(void);

/* Gives back the memory for that. */
void allfold_lateness_forget(void);

/* A map has rows for nodes rather than for ranks where there are too many ranks. */
bool allfold_lateness_is_by_node(void);

/* The row of a rank of the job. */
int allfold_lateness_row(int rank);

/* This rank's, which no other thread has before it is closed. */
struct allfold_lateness *allfold_lateness_open(void);
void allfold_lateness_close(void);

/* Rank 0 of `comm` gets the map, without its rows' names, and the worst calls of all, sorted.
 * Returns false on all ranks, or on none, where that fails. Collective. */
bool allfold_lateness_gather(MPI_Comm comm, struct allfold_lateness *own,
                             struct allfold_late_map *map, struct allfold_worst *worst);

#endif
