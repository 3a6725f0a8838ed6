/* The report: what was called, what was chosen, how long it took.
 *
 * Every rank gathers its own figures; rank 0 of MPI_COMM_WORLD writes its own at MPI_Finalize. All
 * functions are thread-safe. */
#ifndef ALLFOLD_MPI_REPORT_H
#define ALLFOLD_MPI_REPORT_H

#include <mpi.h>

#include "mpi/call/cache.h"

/* Adds the figures of an entry that is about to go, used on p ranks. */
void allfold_report_entry(int p, const struct allfold_entry *entry);

/* Adds one call that went to the MPI library, and why. `bytes` is the vector's size as far as it is
 * known; `reason` is static. */
void allfold_report_native(enum allfold_collective collective, int p, size_t bytes,
                           const char *reason, double seconds);

/* Finds out how ranks are spread over nodes, where `user` is MPI_COMM_WORLD; else does nothing.
 * Collective over `comm`, which has the same ranks. */
void allfold_report_machine(MPI_Comm user, MPI_Comm comm);

/* Writes the report, if one is wanted and this is rank 0 of MPI_COMM_WORLD. */
void allfold_report_write(void);

/* Seconds from some fixed time on, for differences. */
double allfold_now_s(void);

#endif
