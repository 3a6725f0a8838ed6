/* The report: what was called, what was chosen, how long it took, and which ranks waited for which.
 *
 * Every rank gathers its own numbers in the log (events/log.h). At MPI_Finalize rank 0 of
 * MPI_COMM_WORLD writes its rows and the waiting times of all ranks. All functions are
 * thread-safe. */
#ifndef ALLFOLD_MPI_REPORT_REPORT_H
#define ALLFOLD_MPI_REPORT_REPORT_H

#include <mpi.h>

#include "events/log.h"

/* Enters the program phase `name`, if a report is wanted. */
void allfold_report_enter(const char *name);

/* Enters or leaves a phase as MPI_Pcontrol(level) asks: from 2 on the level is the name of a phase,
 * 1 leaves the phase, and 0 stops recording until another level comes. */
void allfold_report_enter_level(int level);

/* Prints a message at once if the report's file cannot be written. Must be called after the job has
 * begun. */
void allfold_report_begin(void);

/* Adds the numbers of calls that share a row. */
void allfold_report_add(const struct allfold_report_row *row);

/* Returns the row of calls that are passed through for this reason, in the mode `mode`
 * (report_figures.h). `reason` must be static, and `site` must come from call_sites.h. Each thread
 * caches its last row. */
uint32_t allfold_report_passed_row(enum allfold_collective collective, const char *mode, int p,
                                   size_t bytes, const char *reason, const char *site);

/* Adds a call that the MPI library handled and that is in no communicator's notes. The times of a
 * nonblocking call are those of its start. */
void allfold_report_passed(enum allfold_collective collective, const char *mode, int p,
                           size_t bytes, const char *reason, double begin_s, double end_s);

/* Returns whether a file that was last written at `written_s` should be written again. The interval
 * doubles each time, up to a minute, so the cost is negligible. */
bool allfold_report_is_due(double begin_s, double written_s, double now_s);

/* Writes the report so far to its file, marked as incomplete, if that is due, so that a program
 * that is killed leaves a report. */
void allfold_report_save(void);

/* Writes the report, if one is wanted, on rank 0 of MPI_COMM_WORLD, with the waiting times of all
 * ranks. Collective over MPI_COMM_WORLD. */
void allfold_report_write(void);

/* Deletes all that was gathered. */
void allfold_report_forget(void);

#endif
