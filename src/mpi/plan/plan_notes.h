/* What the report learns of a plan's runs: how long each was in flight, and how long of that the
 * program waited. Without a report nothing is noted. */
#ifndef ALLFOLD_MPI_PLAN_PLAN_NOTES_H
#define ALLFOLD_MPI_PLAN_PLAN_NOTES_H

#include "mpi/call/entry.h"
#include "mpi/report/report.h"

/* Of a plan's last run. */
struct allfold_plan_note {
    struct allfold_event event; /* in nanoseconds; without a row it is not noted */
    double awaited_s;           /* by the program, before the run */
};

bool allfold_plan_is_noted(const struct allfold_communicator *state);

/* A run is to be started, in such a mode (report_figures.h). Without an entry the MPI
 * library serves it. */
struct allfold_plan_note allfold_plan_note_start(const struct allfold_communicator *state,
                                                 struct allfold_entry *entry, const char *mode,
                                                 const struct allfold_call *call);

/* It was started, and may have ended. */
void allfold_plan_note_started(struct allfold_plan_note *note);

/* The run has ended. Under the mutex of progress. */
void allfold_plan_note_end(struct allfold_plan_note *note);

/* The program sees the end, by whatever thread. */
void allfold_plan_note_seen(const struct allfold_plan_note *note);

#endif
