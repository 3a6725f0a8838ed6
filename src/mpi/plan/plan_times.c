/* Notes of plans for the report (see plan_times.h). */
#include "mpi/plan/plan_times.h"

#include "mpi/call/block_counts.h"
#include "mpi/call/collective.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/report/call_sites.h"
#include "mpi/report/live.h"

bool allfold_plan_is_noted(const struct allfold_communicator *state)
{
    const struct allfold_settings *settings = state->agreed.settings; /* NULL: there is no job */
    return settings != NULL && allfold_settings_gather(settings);
}

static uint32_t row_of(const struct allfold_communicator *state, struct allfold_entry *entry,
                       const char *mode, const struct allfold_call *call, size_t bytes)
{
    if (entry != NULL)
        return allfold_entry_row(state, entry, mode, allfold_call_site());
    if (!allfold_report_records())
        return ALLFOLD_NO_ROW;
    const char *why = state->native_reason[call->collective];
    return allfold_report_passed_row(call->collective, mode, state->size, bytes,
                                     why != NULL ? why : "native is chosen", allfold_call_site());
}

struct allfold_plan_note allfold_plan_note_start(const struct allfold_communicator *state,
                                                 struct allfold_entry *entry, const char *mode,
                                                 const struct allfold_call *call)
{
    struct allfold_plan_note note = {.event.row = ALLFOLD_NO_ROW};
    if (!allfold_plan_is_noted(state))
        return note;
    const size_t bytes =
        entry != NULL ? entry->vector_bytes : allfold_call_bytes(call, state->size);
    const uint32_t row = row_of(state, entry, mode, call, bytes);
    note.event = (struct allfold_event){.begin = allfold_log_ns_of(allfold_now_s()),
                                        .bytes = bytes,
                                        .row = row,
                                        .calls = 1,
                                        .root = call->root,
                                        .collective = call->collective,
                                        .kind = ALLFOLD_CALL_IN_FLIGHT};
    note.awaited_s = allfold_awaited_s();
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
    allfold_live_refresh();
}
