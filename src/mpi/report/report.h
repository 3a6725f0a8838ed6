/* The report: what was called, what was chosen, how long it took, and who waited for whom.
 *
 * Every rank gathers its own figures in the log (events/log.h). At MPI_Finalize rank 0 of
 * MPI_COMM_WORLD writes its rows, and what all ranks waited. All functions are thread-safe. */
#ifndef ALLFOLD_MPI_REPORT_REPORT_H
#define ALLFOLD_MPI_REPORT_REPORT_H

#include <mpi.h>

#include "events/log.h"

/* The program enters a phase of that name, if a report is wanted. */
void allfold_report_enter(const char *name);

/* The same for what MPI_Pcontrol says: from 2 on the level is the name, and 1 leaves. From level 0
 * on nothing is recorded until another level comes. */
void allfold_report_enter_level(int level);

/* Says at once where the report cannot be written. After the job has begun. */
void allfold_report_begin(void);

/* Adds the figures of calls that were alike. */
void allfold_report_add(const struct allfold_report_row *row);

/* The row of calls that are passed through for this reason, in such a mode (report_figures.h);
 * `reason` is static, and `site` is of call_sites.h. Each thread remembers its last one. */
uint32_t allfold_report_passed_row(enum allfold_collective collective, const char *mode, int p,
                                   size_t bytes, const char *reason, const char *site);

/* Adds a call that the MPI library served and that is in no communicator's notes. Of a nonblocking
 * call, the times are those of its start. */
void allfold_report_passed(enum allfold_collective collective, const char *mode, int p,
                           size_t bytes, const char *reason, double begin_s, double end_s);

/* Is a file that was written at written_s to be written again? So each time after twice as long a
 * run as the last time, up to a minute, which costs next to nothing. */
bool allfold_report_is_due(double begin_s, double written_s, double now_s);

/* Writes what was gathered so far to the report's file, marked as incomplete, where that is due: a
 * program that is killed leaves it. */
void allfold_report_save(void);

/* Writes the report, if one is wanted, on rank 0 of MPI_COMM_WORLD, with what the others waited.
 * Collective over it. */
void allfold_report_write(void);

/* Forgets all that was gathered. */
void allfold_report_forget(void);

#endif
