/* The report: what was called, what was chosen, how long it took.
 *
 * Every rank gathers its own figures; rank 0 of MPI_COMM_WORLD writes its own at MPI_Finalize. All
 * functions are thread-safe. */
#ifndef ALLFOLD_MPI_REPORT_H
#define ALLFOLD_MPI_REPORT_H

#include <mpi.h>

#include "mpi/report/report_format.h"

/* Adds the figures of calls that were alike. */
void allfold_report_add(const struct allfold_report_row *row);

/* Adds one call that was passed through, and why. `bytes` is the vector's size as far as it is
 * known; `reason` is static. */
void allfold_report_native(enum allfold_collective collective, int p, size_t bytes,
                           const char *reason, double seconds);

/* Adds a choice that the guard found to be slower than need be, and what the guard did in all. */
void allfold_report_found(const struct allfold_report_finding *finding);
void allfold_report_guard(const struct allfold_report_guard *guard);

/* Writes the report, if one is wanted and this is rank 0 of MPI_COMM_WORLD. */
void allfold_report_write(void);

#endif
