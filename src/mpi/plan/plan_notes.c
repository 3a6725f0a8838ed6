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
    struct allfold_plan_note note = {.event.row = ALLFOLD_NO_ROW};
    if (!allfold_plan_is_noted(state, entry))
        return note;
    const uint32_t row = allfold_entry_row(state, entry, mode, allfold_call_site());
    const double now_s = allfold_now_s();
    note.event = (struct allfold_event){.begin = allfold_log_ns_of(now_s),
                                        .bytes = entry->vector_bytes,
                                        .row = row,
                                        .calls = 1,
                                        .root = call->root,
                                        .collective = call->collective,
                                        .kind = ALLFOLD_CALL_IN_FLIGHT};
    note.awaited_s = allfold_awaited_s();
    if (lane == NULL || lane->starts == NULL)
        return note;
    allfold_progress_lock();
    note.started = allfold_starts_add(lane->starts, call->collective, call->root, now_s);
    allfold_progress_unlock();
    return note;
}

static double since_begin_s(const struct allfold_plan_note *note)
{
    return allfold_now_s() - allfold_tick_line_tell(&allfold_log_ns, note->event.begin);
}

void allfold_plan_note_started(struct allfold_plan_note *note)
{
    if (note->event.row != ALLFOLD_NO_ROW)
        note->event.starting_s = since_begin_s(note);
}

void allfold_plan_note_end(struct allfold_plan_note *note)
{
    if (note->event.row == ALLFOLD_NO_ROW)
        return;
    note->event.end = allfold_log_ns_of(allfold_now_s());
    note->event.awaited_s = allfold_awaited_s() - note->awaited_s;
}

void allfold_plan_note_seen(const struct allfold_plan_note *note)
{
    if (note->event.row == ALLFOLD_NO_ROW)
        return;
    allfold_log_end(&note->event, 1, NULL, NULL);
    if (note->started.starts != NULL) {
        allfold_progress_lock();
        allfold_starts_see(&note->started, &note->event);
        allfold_progress_unlock();
    }
    allfold_live_refresh();
}
