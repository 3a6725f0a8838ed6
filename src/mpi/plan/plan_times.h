/* Times of a plan's runs for the report: how long each run was in flight, and how much of that time
 * the program waited. Without a report nothing is recorded. */
#ifndef ALLFOLD_MPI_PLAN_PLAN_TIMES_H
#define ALLFOLD_MPI_PLAN_PLAN_TIMES_H

#include "mpi/call/entry.h"
#include "mpi/report/report.h"

/* The note of a plan's last run. */
struct allfold_plan_note {
    struct allfold_event event; /* times in nanoseconds; without a row it is not noted */
    double awaited_s;           /* time that the program had waited before the run */
};

bool allfold_plan_is_noted(const struct allfold_communicator *state);

/* Returns the note of a run that is about to start, in the mode `mode` (report_figures.h). If
 * `entry` is NULL, the MPI library handles the run. */
struct allfold_plan_note allfold_plan_note_start(const struct allfold_communicator *state,
                                                 struct allfold_entry *entry, const char *mode,
                                                 const struct allfold_call *call);

/* Records that the run was started; it may have ended already. */
void allfold_plan_note_started(struct allfold_plan_note *note);

/* Records that the run has ended. The caller holds the mutex of progress.h. */
void allfold_plan_note_end(struct allfold_plan_note *note);

/* Records that the program completes the run, from any thread. */
void allfold_plan_note_seen(const struct allfold_plan_note *note);

#endif
