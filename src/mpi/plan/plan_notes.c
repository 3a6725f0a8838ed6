/* What the report learns of plans (see plan_notes.h). */
#include "mpi/plan/plan_notes.h"

#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/report/call_sites.h"
#include "mpi/report/live.h"

bool allfold_plan_is_noted(const struct allfold_communicator *state,
                           const struct allfold_entry *entry)
{
    return entry != NULL && allfold_settings_gather(state->agreed.settings);
}

struct allfold_plan_note allfold_plan_note_start(const struct allfold_communicator *state,
                                                 struct allfold_entry *entry, const char *mode,
                                                 const struct allfold_lane *lane,
                                                 const struct allfold_call *call)
{
    struct allfold_plan_note note = {.row = ALLFOLD_NO_ROW};
    if (!allfold_plan_is_noted(state, entry))
        return note;
    const struct allfold_report_sum sum = {.calls = 1, .bytes = (double)entry->vector_bytes};
    note.row = allfold_entry_row(state, entry, mode, allfold_call_site());
    note.start_s = allfold_now_s();
    note.awaited_s = allfold_awaited_s();
    allfold_report_add_sum(note.row, &sum);
    if (lane == NULL || lane->starts == NULL)
        return note;
    allfold_progress_lock();
    note.started = allfold_starts_add(lane->starts, call->collective, call->root, note.start_s);
    allfold_progress_unlock();
    return note;
}

void allfold_plan_note_started(const struct allfold_plan_note *note)
{
    if (note->row == ALLFOLD_NO_ROW)
        return;
    const struct allfold_report_sum sum = {.seconds = allfold_now_s() - note->start_s};
    allfold_report_add_sum(note->row, &sum);
}

void allfold_plan_note_end(struct allfold_plan_note *note)
{
    if (note->row == ALLFOLD_NO_ROW)
        return;
    note->flight_s = allfold_now_s() - note->start_s;
    note->awaited_s = allfold_awaited_s() - note->awaited_s;
}

void allfold_plan_note_seen(const struct allfold_plan_note *note)
{
    if (note->row == ALLFOLD_NO_ROW)
        return;
    const struct allfold_report_sum sum = {
        .seconds = note->awaited_s, .flight_s = note->flight_s, .awaited_s = note->awaited_s};
    const struct allfold_report_rank own = {.flight_s = note->flight_s,
                                            .awaited_s = note->awaited_s};
    allfold_report_add_sum(note->row, &sum);
    allfold_report_add_own(&own);
    if (note->started.starts != NULL) {
        const struct allfold_flight flight = {note->row, note->start_s, note->flight_s,
                                              note->awaited_s};
        allfold_progress_lock();
        allfold_starts_see(&note->started, &flight);
        allfold_progress_unlock();
    }
    allfold_live_refresh();
}
