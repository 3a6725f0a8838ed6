/* The diagnosis of wrong schedules (see diagnosis.h). All errors are found in the schedules
 * themselves and in a symbolic trace of them, which shows the messages that do not match, the wrong
 * data and the steps that wait. A blame is therefore the same whichever run failed. */
#include "lab/verify/diagnosis.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lab/verify/canonical_value.h"
#include "lab/verify/data_races.h"
#include "lab/verify/symbolic_trace.h"
#include "util/memory.h"

/* A step that waits forever. */
struct wait {
    int rank, peer;
    uint32_t step, peer_step; /* the latter ALLFOLD_NO_STEP where the peer has none */
    bool is_send, has_met;
};

/* What a trace found: the first of each kind of fault. */
struct finder {
    const struct allfold_case *of;
    struct allfold_schedule *const *schedules;
    struct allfold_trace trace;
    struct allfold_blame *blame;
    struct allfold_trace_event unsent, lost, misfit, bad; /* `step` NULL: none */
    struct wait *waits;
    uint32_t wait_count, wait_capacity;
};

static const char *const kind_names[ALLFOLD_BLAME_KIND_COUNT] = {
    [ALLFOLD_BLAME_NOTHING] = "nothing",
    [ALLFOLD_BLAME_NOT_BUILT] = "not built",
    [ALLFOLD_BLAME_OUTSIDE] = "outside of a buffer",
    [ALLFOLD_BLAME_INPUT_WRITTEN] = "input written",
    [ALLFOLD_BLAME_UNORDERED] = "unordered steps",
    [ALLFOLD_BLAME_WAITS_FOR_LATER] = "waits for a later step",
    [ALLFOLD_BLAME_NO_SUCH_PEER] = "no such peer",
    [ALLFOLD_BLAME_NEVER_SENT] = "never sent",
    [ALLFOLD_BLAME_NEVER_RECEIVED] = "never received",
    [ALLFOLD_BLAME_LENGTHS_DIFFER] = "lengths differ",
    [ALLFOLD_BLAME_DEADLOCK] = "deadlock",
    [ALLFOLD_BLAME_READ_UNWRITTEN] = "read before written",
    [ALLFOLD_BLAME_MIXED_ELEMENTS] = "mixed elements",
    [ALLFOLD_BLAME_RESULT_UNWRITTEN] = "result not written",
    [ALLFOLD_BLAME_OTHER_ELEMENT] = "another element's result",
    [ALLFOLD_BLAME_MISSING] = "contribution missing",
    [ALLFOLD_BLAME_TWICE] = "contribution twice",
    [ALLFOLD_BLAME_FOREIGN] = "contribution of another rank",
    [ALLFOLD_BLAME_RANK_ORDER] = "not in rank order",
    [ALLFOLD_BLAME_BRACKETS] = "bracketed differently",
    [ALLFOLD_BLAME_TREE] = "not the canonical tree",
    [ALLFOLD_BLAME_WRONG_GIVER] = "from the wrong rank",
    [ALLFOLD_BLAME_CLAIM] = "claim broken",
    [ALLFOLD_BLAME_RUN] = "a run failed",
};

const char *allfold_blame_kind_name(enum allfold_blame_kind kind)
{
    return kind < ALLFOLD_BLAME_KIND_COUNT ? kind_names[kind] : NULL;
}

static void clear(struct allfold_blame *blame, const struct allfold_case *of)
{
    *blame = (struct allfold_blame){.rank = -1,
                                    .step = -1,
                                    .other_step = -1,
                                    .peer = -1,
                                    .number = -1,
                                    .contribution = -1,
                                    .missing = -1,
                                    .buffer = -1};
    allfold_case_title(of, blame->where, sizeof blame->where);
}

/* Adds words to the blame's text. */
static void __attribute__((format(printf, 2, 3)))
say(struct allfold_blame *blame, const char *words, ...)
{
    const size_t at = strlen(blame->text);
    va_list arguments;
    va_start(arguments, words);
    vsnprintf(blame->text + at, sizeof blame->text - at, words, arguments);
    va_end(arguments);
}

void allfold_blame_say(struct allfold_blame *blame, enum allfold_blame_kind kind,
                       const struct allfold_case *of, const char *text)
{
    clear(blame, of);
    blame->kind = kind;
    say(blame, "%s", text);
}

/* "element 3", "elements 3 to 5" */
static void say_elements(struct allfold_blame *blame, size_t first, size_t length)
{
    if (length == 1)
        say(blame, "element %zu", first);
    else
        say(blame, "elements %zu to %zu", first, first + length - 1);
}

static void say_buffer(struct allfold_blame *blame, int buffer)
{
    if (buffer < ALLFOLD_SCRATCH)
        say(blame, "%s", buffer == ALLFOLD_IN ? "IN" : "OUT");
    else
        say(blame, "TMP%d", buffer - ALLFOLD_SCRATCH);
}

static void say_span(struct allfold_blame *blame, const struct allfold_step *step, int which)
{
    say_buffer(blame, step->buffer[which]);
    say(blame, "[%zu,%zu)", step->offset[which], step->offset[which] + step->length);
}

static const char *step_name(const struct allfold_step *step)
{
    static const char *const names[] = {[ALLFOLD_STEP_SEND] = "send",
                                        [ALLFOLD_STEP_RECEIVE] = "receive",
                                        [ALLFOLD_STEP_REDUCE] = "reduce",
                                        [ALLFOLD_STEP_COPY] = "copy"};
    return names[step->kind];
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* --- a rank's steps by themselves --- */

static int operand_count(const struct allfold_step *step)
{
    return step->kind == ALLFOLD_STEP_REDUCE ? 3 : step->kind == ALLFOLD_STEP_COPY ? 2 : 1;
}

static bool writes(const struct allfold_step *step, int which)
{
    return which == 0 && step->kind != ALLFOLD_STEP_SEND;
}

/* Whether an operand is where it may be; else blames it. */
static bool check_operand(struct finder *finder, int r, uint32_t index, int which)
{
    struct allfold_blame *blame = finder->blame;
    const struct allfold_schedule *schedule = finder->schedules[r];
    const struct allfold_step *step = &schedule->steps[index];
    const int buffer = step->buffer[which];
    const size_t length =
        buffer < (int)schedule->buffer_count ? schedule->buffer_length[buffer] : 0;
    const bool is_outside =
        step->offset[which] > length || step->length > length - step->offset[which];
    if (!is_outside && (!writes(step, which) || buffer != ALLFOLD_IN))
        return true;
    blame->kind = is_outside ? ALLFOLD_BLAME_OUTSIDE : ALLFOLD_BLAME_INPUT_WRITTEN;
    blame->rank = r;
    blame->step = (int)index;
    blame->buffer = buffer;
    blame->first = step->offset[which];
    blame->length = step->length;
    blame->found = length;
    say(blame, "Rank %d's step %u, a %s, %s ", r, index, step_name(step),
        writes(step, which) ? "writes" : "reads");
    say_span(blame, step, which);
    if (is_outside)
        say(blame, ", but that buffer has %zu element%s. Let the step stay inside of it.", length,
            plural(length));
    else
        say(blame, ". The input is the caller's and stays as it is: write to OUT or to scratch.");
    return false;
}

static bool check_steps(struct finder *finder)
{
    for (int r = 0; r < finder->of->p; r++)
        for (uint32_t i = 0; i < finder->schedules[r]->step_count; i++)
            for (int which = 0; which < operand_count(&finder->schedules[r]->steps[i]); which++)
                if (!check_operand(finder, r, i, which))
                    return false;
    return true;
}

/* --- what the trace finds --- */

static bool is_earlier(const struct allfold_trace_event *a, const struct allfold_trace_event *b)
{
    if (b->step == NULL || a->round != b->round)
        return b->step == NULL || a->round < b->round;
    return a->rank != b->rank ? a->rank < b->rank : a->step < b->step;
}

static void keep_first(struct allfold_trace_event *first, const struct allfold_trace_event *event)
{
    if (is_earlier(event, first))
        *first = *event;
}

static uint32_t index_of(const struct finder *finder, int rank, const struct allfold_step *step)
{
    return (uint32_t)(step - finder->schedules[rank]->steps);
}

static bool add_wait(struct finder *finder, const struct allfold_trace_event *event)
{
    struct wait *waits =
        allfold_make_room(finder->waits, finder->wait_count, &finder->wait_capacity, sizeof *waits);
    if (waits == NULL)
        return false;
    finder->waits = waits;
    waits[finder->wait_count++] = (struct wait){
        .rank = event->rank,
        .peer = event->peer,
        .step = index_of(finder, event->rank, event->step),
        .peer_step = event->peer_step == NULL ? ALLFOLD_NO_STEP
                                              : index_of(finder, event->peer, event->peer_step),
        .is_send = event->step->kind == ALLFOLD_STEP_SEND,
        .has_met = event->has_met,
    };
    return true;
}

static bool on_event(void *context, const struct allfold_trace_event *event)
{
    struct finder *finder = context;
    if (event->kind == ALLFOLD_TRACE_LOST)
        keep_first(&finder->lost, event);
    if (event->kind == ALLFOLD_TRACE_WAITS && event->peer_step == NULL)
        keep_first(&finder->unsent, event);
    if (event->kind == ALLFOLD_TRACE_MESSAGE && event->step->length != event->peer_step->length)
        keep_first(&finder->misfit, event);
    if (event->fault != NULL)
        keep_first(&finder->bad, event);
    return event->kind != ALLFOLD_TRACE_WAITS || add_wait(finder, event);
}

static enum allfold_error run_trace(struct finder *finder, uint32_t window, bool in_order)
{
    const struct allfold_claim claim = allfold_case_claim(finder->of);
    allfold_trace_end(&finder->trace);
    finder->wait_count = 0;
    finder->trace = (struct allfold_trace){
        .of = finder->of,
        .schedules = (const struct allfold_schedule *const *)finder->schedules,
        .rules = {.ports = window > 0 ? ALLFOLD_WALK_ANY_PORTS : allfold_claim_ports(&claim),
                  .window = window,
                  .in_order = in_order},
        .on_event = on_event,
        .context = finder,
    };
    return allfold_trace_run(&finder->trace);
}

/* --- messages --- */

static int waiting_ranks(const struct finder *finder)
{
    int ranks = 0;
    for (uint32_t i = 0; i < finder->wait_count; i++) /* in the order of the ranks */
        ranks += i == 0 || finder->waits[i].rank != finder->waits[i - 1].rank;
    return ranks;
}

static void blame_message(struct finder *finder, enum allfold_blame_kind kind,
                          const struct allfold_trace_event *event)
{
    struct allfold_blame *blame = finder->blame;
    blame->kind = kind;
    blame->rank = event->rank;
    blame->step = (int)index_of(finder, event->rank, event->step);
    blame->peer = event->peer;
    blame->number = (int)event->step->number;
    if (event->peer_step != NULL)
        blame->other_step = (int)index_of(finder, event->peer, event->peer_step);
    blame->buffer = event->step->buffer[0];
    blame->first = event->step->offset[0];
    blame->length = event->step->length;
    blame->waiting = waiting_ranks(finder);
}

/* How many messages a rank's schedule has of one kind with a peer. */
static size_t count_messages(const struct allfold_schedule *schedule, enum allfold_step_kind kind,
                             int peer)
{
    size_t count = 0;
    for (uint32_t i = 0; i < schedule->step_count; i++)
        count += schedule->steps[i].kind == kind && schedule->steps[i].peer == peer;
    return count;
}

static void say_lost_instead(struct finder *finder)
{
    const struct allfold_trace_event *lost = &finder->lost;
    if (lost->step == NULL || lost->rank != finder->unsent.peer)
        return;
    say(finder->blame,
        " Rank %d's step %u sends message %u, of %zu element%s, to rank %d, which never receives "
        "it: is the peer wrong there?",
        lost->rank, index_of(finder, lost->rank, lost->step), lost->step->number, lost->length,
        plural(lost->length), lost->peer);
}

static void blame_unsent(struct finder *finder)
{
    const struct allfold_trace_event *e = &finder->unsent;
    struct allfold_blame *blame = finder->blame;
    blame_message(finder, ALLFOLD_BLAME_NEVER_SENT, e);
    const size_t sent = count_messages(finder->schedules[e->peer], ALLFOLD_STEP_SEND, e->rank);
    say(blame, "Rank %d waits for ever at step %d for message %u of rank %d (%zu element%s).",
        e->rank, blame->step, e->step->number, e->peer, e->length, plural(e->length));
    if (sent == 0)
        say(blame, " Rank %d sends nothing to rank %d.", e->peer, e->rank);
    else
        say(blame, " Rank %d never sends that message: it sends %zu message%s to rank %d.", e->peer,
            sent, plural(sent), e->rank);
    say_lost_instead(finder);
    if (blame->waiting > 1)
        say(blame, " %d ranks wait for ever because of it.", blame->waiting);
    say(blame, " Let rank %d send it, or let rank %d not wait for it.", e->peer, e->rank);
}

static void blame_lost(struct finder *finder)
{
    const struct allfold_trace_event *e = &finder->lost;
    struct allfold_blame *blame = finder->blame;
    blame_message(finder, ALLFOLD_BLAME_NEVER_RECEIVED, e);
    const size_t received =
        count_messages(finder->schedules[e->peer], ALLFOLD_STEP_RECEIVE, e->rank);
    say(blame,
        "Rank %d sends message %u (%zu element%s) to rank %d at step %d, and nobody receives it.",
        e->rank, e->step->number, e->length, plural(e->length), e->peer, blame->step);
    if (received == 0)
        say(blame, " Rank %d receives nothing from rank %d.", e->peer, e->rank);
    else
        say(blame, " Rank %d receives %zu message%s from rank %d.", e->peer, received,
            plural(received), e->rank);
    say(blame, " Let rank %d receive it, or let rank %d not send it.", e->peer, e->rank);
}

static void blame_peer(struct finder *finder, const struct allfold_trace_event *e)
{
    struct allfold_blame *blame = finder->blame;
    blame_message(finder, ALLFOLD_BLAME_NO_SUCH_PEER, e);
    say(blame, "Rank %d's step %d, a %s, is with rank %d, but the ranks are 0 to %d.", e->rank,
        blame->step, step_name(e->step), e->peer, finder->of->p - 1);
}

static void blame_lengths(struct finder *finder)
{
    const struct allfold_trace_event *e = &finder->misfit;
    struct allfold_blame *blame = finder->blame;
    blame_message(finder, ALLFOLD_BLAME_LENGTHS_DIFFER, e);
    blame->found = e->step->length;
    blame->expected = e->peer_step->length;
    say(blame,
        "Message %u from rank %d to rank %d has two lengths: rank %d sends %zu element%s at step "
        "%d, rank %d receives %zu at step %d. Both must name the same length.",
        e->step->number, e->rank, e->peer, e->rank, blame->found, plural(blame->found), blame->step,
        e->peer, blame->expected, blame->other_step);
}

/* Whether `peer` is one of the ranks. */
static bool is_rank(const struct finder *finder, int peer)
{
    return peer >= 0 && peer < finder->of->p;
}

/* False where it blames one. */
static bool check_messages(struct finder *finder)
{
    const struct allfold_trace_event *lost = &finder->lost, *unsent = &finder->unsent;
    if (lost->step != NULL && !is_rank(finder, lost->peer))
        blame_peer(finder, lost);
    else if (unsent->step != NULL && !is_rank(finder, unsent->peer))
        blame_peer(finder, unsent);
    else if (finder->misfit.step != NULL)
        blame_lengths(finder);
    else if (unsent->step != NULL)
        blame_unsent(finder);
    else if (lost->step != NULL)
        blame_lost(finder);
    else
        return true;
    return false;
}

/* --- ranks that wait for each other --- */

/* Whether step `to` cannot begin before `from` has ended; 1, 0, or -1 without memory. */
static int ends_before(const struct allfold_schedule *schedule, uint32_t from, uint32_t to)
{
    if (from >= to)
        return 0;
    bool *after = allfold_allocate_zeroed(schedule->step_count * sizeof *after);
    if (after == NULL)
        return -1;
    after[from] = true;
    for (uint32_t i = from; i < to; i++)
        for (uint32_t e = schedule->first_edge[i]; after[i] && e < schedule->first_edge[i + 1]; e++)
            after[schedule->edges[e]] = true;
    const bool is_after = after[to];
    allfold_free(after);
    return is_after;
}

/* The wait that keeps a step of a rank from beginning: one that it comes after, else the rank's
 * oldest, for which its window is full. */
static const struct wait *wait_before(const struct finder *finder, int rank, uint32_t step)
{
    const struct wait *oldest = NULL;
    for (uint32_t i = 0; i < finder->wait_count; i++) {
        const struct wait *wait = &finder->waits[i];
        if (wait->rank != rank || wait->has_met)
            continue;
        if (oldest == NULL)
            oldest = wait;
        if (step != ALLFOLD_NO_STEP && ends_before(finder->schedules[rank], wait->step, step) == 1)
            return wait;
    }
    return oldest;
}

static void say_wait(struct finder *finder, const struct wait *wait)
{
    const struct allfold_step *step = &finder->schedules[wait->rank]->steps[wait->step];
    say(finder->blame, " Rank %d waits at step %u for rank %d to %s message %u%s", wait->rank,
        wait->step, wait->peer, wait->is_send ? "receive" : "send", step->number,
        wait->peer_step == ALLFOLD_NO_STEP ? "" : " (");
    if (wait->peer_step != ALLFOLD_NO_STEP)
        say(finder->blame, "its step %u)", wait->peer_step);
    say(finder->blame, ".");
}

/* Goes from wait to wait until a rank comes again: from there on it is a circle. */
static void blame_deadlock(struct finder *finder, uint32_t window)
{
    enum { MOST_SAID = 4 };
    struct allfold_blame *blame = finder->blame;
    const struct wait *first = NULL;
    for (uint32_t i = 0; i < finder->wait_count && first == NULL; i++)
        if (!finder->waits[i].has_met)
            first = &finder->waits[i];
    blame->kind = ALLFOLD_BLAME_DEADLOCK;
    blame->waiting = waiting_ranks(finder);
    if (first == NULL) {
        say(blame, "No message can begin any more, and steps are left.");
        return;
    }
    const struct wait *slow = first, *fast = first; /* they meet in the circle */
    for (bool met = false; !met;) {
        for (int i = 0; i < 2; i++) {
            const struct wait *next = wait_before(finder, fast->peer, fast->peer_step);
            fast = next == NULL ? fast : next;
        }
        const struct wait *next = wait_before(finder, slow->peer, slow->peer_step);
        slow = next == NULL ? slow : next;
        met = slow == fast;
    }
    const struct allfold_step *step = &finder->schedules[slow->rank]->steps[slow->step];
    blame->rank = slow->rank;
    blame->step = (int)slow->step;
    blame->peer = slow->peer;
    blame->other_step = slow->peer_step == ALLFOLD_NO_STEP ? -1 : (int)slow->peer_step;
    blame->number = (int)step->number;
    blame->length = step->length;
    say(blame, "%d rank%s for ever, in a circle.", blame->waiting,
        blame->waiting == 1 ? " waits" : "s wait");
    if (window > 0)
        say(blame, " At most %u messages of a rank are in flight, and its oldest ends first.",
            window);
    int said = 0;
    bool sends = false;
    do {
        sends = sends || fast->is_send;
        if (said < MOST_SAID)
            say_wait(finder, fast);
        const struct wait *next = wait_before(finder, fast->peer, fast->peer_step);
        fast = next == NULL ? slow : next;
        said++;
    } while (fast != slow);
    if (said > MOST_SAID)
        say(blame, " So do %d more.", said - MOST_SAID);
    if (window > 0)
        say(blame, " Let each rank receive earlier: its sends must not fill the window.");
    else if (sends)
        say(blame, " Let one of them receive before it sends, or use `exchange`.");
    else
        say(blame, " Let one of them send before it receives.");
}

/* --- the order of a rank's steps --- */

static enum allfold_error check_order(struct finder *finder)
{
    struct allfold_blame *blame = finder->blame;
    for (int r = 0; r < finder->of->p; r++) {
        const struct allfold_schedule *schedule = finder->schedules[r];
        struct allfold_order_fault fault;
        const enum allfold_error error = allfold_order_find(schedule, &fault);
        if (error == ALLFOLD_OK)
            continue;
        if (error == ALLFOLD_NO_MEMORY)
            return error;
        const struct allfold_step *a = &schedule->steps[fault.step];
        const struct allfold_step *b = &schedule->steps[fault.other_step];
        blame->rank = r;
        blame->step = (int)fault.step;
        blame->other_step = (int)fault.other_step;
        if (fault.leads_back) {
            blame->kind = ALLFOLD_BLAME_WAITS_FOR_LATER;
            say(blame, "Rank %d's step %u waits for step %u, which comes after it.", r, fault.step,
                fault.other_step);
            return error;
        }
        blame->kind = ALLFOLD_BLAME_UNORDERED;
        blame->buffer = a->buffer[fault.operand];
        blame->first = a->offset[fault.operand];
        blame->length = a->length;
        say(blame,
            "Rank %d's steps %u, a %s, and %u, a %s, may run in either order, but both touch ", r,
            fault.step, step_name(a), fault.other_step, step_name(b));
        say_span(blame, a, fault.operand);
        say(blame, " and one of them writes it. An edge from step %u to step %u is missing.",
            fault.step, fault.other_step);
        return error;
    }
    return ALLFOLD_OK;
}

/* --- data --- */

static void blame_data(struct finder *finder)
{
    const struct allfold_trace_event *e = &finder->bad;
    struct allfold_blame *blame = finder->blame;
    const bool is_message = e->step->peer >= 0;
    const uint32_t index = index_of(finder, e->rank, e->step);
    const uint32_t *values =
        allfold_trace_buffer(&finder->trace, e->rank, e->step->buffer[e->fault_operand]) +
        e->step->offset[e->fault_operand];
    const bool is_mixed = strcmp(e->fault, "combines two different elements") == 0;
    blame->kind = is_mixed ? ALLFOLD_BLAME_MIXED_ELEMENTS : ALLFOLD_BLAME_READ_UNWRITTEN;
    blame->rank = e->rank;
    blame->step = (int)index;
    blame->peer = is_message ? e->peer : -1;
    blame->number = is_message ? (int)e->step->number : -1;
    blame->buffer = e->step->buffer[e->fault_operand];
    blame->first = e->step->offset[e->fault_operand] + e->fault_at;
    blame->length = 1;
    if (is_mixed) {
        blame->length = e->step->length - e->fault_at;
        say(blame, "Rank %d's step %u reduces ", e->rank, index);
        say_span(blame, e->step, 1);
        say(blame, " with ");
        say_span(blame, e->step, 2);
        say(blame,
            ", but these hold different elements of the vector from the one at %zu on. A reduction "
            "must have the same element left and right.",
            e->fault_at);
        return;
    }
    while (e->fault_at + blame->length < e->length &&
           !allfold_values_exist(finder->trace.values, values[e->fault_at + blame->length]))
        blame->length++;
    say(blame, "Rank %d's step %u, a %s", e->rank, index, step_name(e->step));
    if (is_message)
        say(blame, " to rank %d", e->peer);
    say(blame, ", reads ");
    say_buffer(blame, blame->buffer);
    say(blame, "[%zu,%zu)", blame->first, blame->first + blame->length);
    say(blame, " before any step has written it. Let a receive, a copy or a reduction write it "
               "first.");
}

/* --- results --- */

/* Of a run of wrong elements of a result. */
struct result {
    int rank;
    size_t first, length; /* in OUT */
    size_t element;       /* of the vector, that the first one should be of */
    uint32_t value;
};

static void begin_result(struct allfold_blame *blame, enum allfold_blame_kind kind,
                         const struct result *result)
{
    blame->kind = kind;
    blame->rank = result->rank;
    blame->buffer = ALLFOLD_OUT;
    blame->first = result->first;
    blame->length = result->length;
    say(blame, "Rank %d's result ", result->rank);
}

/* How often the ranks contributed to a result, to which the lowest `count` of the p should. */
struct contributors {
    const unsigned *times;
    int p, count;
};

enum fault { ABSENT, REPEATED, FOREIGN };

static bool has_fault(const struct contributors *of, int r, enum fault fault)
{
    if (r >= of->count)
        return fault == FOREIGN && of->times[r] > 0;
    return fault == ABSENT ? of->times[r] == 0 : fault == REPEATED && of->times[r] > 1;
}

/* The lowest rank with that fault; -1 where there is none. */
static int first_with(const struct contributors *of, enum fault fault)
{
    for (int r = 0; r < of->p; r++)
        if (has_fault(of, r, fault))
            return r;
    return -1;
}

/* "rank 2", "ranks 2 and 3", "ranks 2, 3 and 4 more": those with that fault. */
static void say_ranks(struct finder *finder, const struct contributors *of, enum fault fault)
{
    enum { NAMED = 4 };
    int count = 0, said = 0;
    for (int r = 0; r < of->p; r++)
        count += has_fault(of, r, fault);
    say(finder->blame, "rank%s ", plural((size_t)count));
    for (int r = 0; r < of->p && said < NAMED; r++)
        if (has_fault(of, r, fault)) {
            const char *before = said == 0 ? "" : said + 1 == count ? " and " : ", ";
            say(finder->blame, "%s%d", before, r);
            said++;
        }
    if (count > said)
        say(finder->blame, " and %d more", count - said);
}

/* Which contributions a result misses, and which ones it has though it should not. */
static void say_contributions(struct finder *finder, const struct contributors *of, bool may_repeat)
{
    struct allfold_blame *blame = finder->blame;
    const bool is_twice = !may_repeat && first_with(of, REPEATED) >= 0;
    const bool misses = first_with(of, ABSENT) >= 0, is_foreign = first_with(of, FOREIGN) >= 0;
    if (misses) {
        say(blame, "misses the contribution of ");
        say_ranks(finder, of, ABSENT);
    }
    if (is_twice) {
        say(blame, "%shas the contribution of ", misses ? " and " : "");
        say_ranks(finder, of, REPEATED);
        if (of->times[blame->contribution] == 2)
            say(blame, " twice");
        else
            say(blame, " %u times", of->times[blame->contribution]);
    }
    if (is_foreign) {
        say(blame, "%shas the contribution of ", misses || is_twice ? " and " : "");
        say_ranks(finder, of, FOREIGN);
    }
}

static enum allfold_error blame_contributions(struct finder *finder, const struct result *result)
{
    struct allfold_blame *blame = finder->blame;
    const int p = finder->of->p;
    const enum allfold_collective collective = finder->of->algorithm->collective;
    const bool may_repeat = allfold_traits(collective)->may_repeat;
    unsigned *times = allfold_allocate((size_t)p * sizeof *times);
    if (times == NULL || !allfold_values_times(finder->trace.values, result->value, times)) {
        allfold_free(times);
        return ALLFOLD_NO_MEMORY;
    }
    const struct contributors of = {times, p, allfold_contributors(collective, p, result->rank)};
    const int twice = may_repeat ? -1 : first_with(&of, REPEATED);
    const int foreign = first_with(&of, FOREIGN), missing = first_with(&of, ABSENT);
    assert(twice >= 0 || foreign >= 0 || missing >= 0);
    begin_result(blame,
                 twice >= 0     ? ALLFOLD_BLAME_TWICE
                 : foreign >= 0 ? ALLFOLD_BLAME_FOREIGN
                                : ALLFOLD_BLAME_MISSING,
                 result);
    blame->missing = missing;
    blame->contribution = twice >= 0 ? twice : foreign;
    blame->expected = twice >= 0 || foreign < 0;
    blame->found = blame->contribution >= 0 ? times[blame->contribution] : 0;
    say_contributions(finder, &of, may_repeat);
    say(blame, " in ");
    say_elements(blame, result->first, result->length);
    char text[160];
    allfold_values_print(finder->trace.values, result->value, text, sizeof text);
    say(blame, ", which is %s over ranks. Expected: the contribution of each of the %d %sranks%s.",
        text, of.count, of.count < p ? "lowest " : "", may_repeat ? "" : " once");
    allfold_free(times);
    return ALLFOLD_OK;
}

static void blame_rank_order(struct finder *finder, const struct result *result)
{
    struct allfold_blame *blame = finder->blame;
    char text[160];
    int left = -1, right = -1;
    begin_result(blame, ALLFOLD_BLAME_RANK_ORDER, result);
    if (allfold_values_inversion(finder->trace.values, result->value, &left, &right))
        say(blame, "has rank %d's contribution left of rank %d's", left, right);
    else
        say(blame, "does not have the contributions in rank order");
    blame->contribution = left;
    blame->peer = right;
    allfold_values_print(finder->trace.values, result->value, text, sizeof text);
    say(blame, " in ");
    say_elements(blame, result->first, result->length);
    say(blame,
        ", which is %s over ranks. An operation that does not commute needs rank order: let `left` "
        "of each reduction cover the lower ranks, or say ALLFOLD_NEEDS_COMMUTATIVE.",
        text);
}

static void blame_brackets(struct finder *finder, const struct result *result)
{
    struct allfold_blame *blame = finder->blame;
    char own[160], other[160];
    const uint32_t *first = allfold_trace_buffer(&finder->trace, 0, ALLFOLD_OUT);
    begin_result(blame, ALLFOLD_BLAME_BRACKETS, result);
    blame->peer = 0;
    allfold_values_print(finder->trace.values, result->value, own, sizeof own);
    allfold_values_print(finder->trace.values, first[result->first], other, sizeof other);
    say(blame, "is bracketed differently than rank 0's in ");
    say_elements(blame, result->first, result->length);
    say(blame,
        ": %s on rank %d, %s on rank 0. So rounding may differ between ranks: bracket alike, or "
        "say .consistent = false.",
        own, result->rank, other);
}

/* Whether a result that is right is bracketed alike on all ranks, where it has to be. */
static bool is_alike(const struct finder *finder, const struct result *result)
{
    const struct allfold_algorithm *algorithm = finder->of->algorithm;
    return !algorithm->consistent || !allfold_is_alike_on_all(algorithm->collective) ||
           result->value == allfold_trace_buffer(&finder->trace, 0, ALLFOLD_OUT)[result->first];
}

static void blame_tree(struct finder *finder, const struct result *result)
{
    char text[ALLFOLD_CONTRAST_BYTES];
    allfold_canonical_contrast(finder->trace.values, finder->of, result->rank, result->value, text);
    begin_result(finder->blame, ALLFOLD_BLAME_TREE, result);
    say(finder->blame, "is not bracketed by the canonical tree in ");
    say_elements(finder->blame, result->first, result->length);
    say(finder->blame, ": %s. Bracket so, or leave out .keeps_tree.", text);
}

/* What a rank was to be given, or another element. */
static void blame_place(struct finder *finder, const struct result *result, int giver)
{
    struct allfold_blame *blame = finder->blame;
    const struct allfold_values *values = finder->trace.values;
    const size_t element = allfold_values_element(values, result->value);
    const int from = (int)(result->value - 1 - element) /
                     (int)allfold_case_elements(finder->of); /* the leaf's rank */
    const bool is_other = giver < 0 || from == giver;
    begin_result(blame, is_other ? ALLFOLD_BLAME_OTHER_ELEMENT : ALLFOLD_BLAME_WRONG_GIVER, result);
    blame->found = element;
    blame->expected = result->element;
    say(blame, "has in ");
    say_elements(blame, result->first, result->length);
    if (is_other) {
        say(blame, " what belongs to element %zu. Expected: element %zu", element, result->element);
    } else {
        blame->contribution = from;
        blame->missing = giver;
        say(blame, " what rank %d gave. Expected: what rank %d gave", from, giver);
    }
    say(blame, ".");
}

/* What is wrong with a reduction's result; NULL for nothing. */
static const char *fault_of(const struct finder *finder, const struct result *result,
                            bool is_ordered)
{
    const struct allfold_case *of = finder->of;
    const int ranks = allfold_contributors(of->algorithm->collective, of->p, result->rank);
    return allfold_values_fault(finder->trace.values, result->value, result->element, ranks,
                                is_ordered);
}

/* Whether one element of a result is right; the same rules as verifier.c's. */
static bool is_right(const struct finder *finder, const struct result *result, int giver)
{
    const struct allfold_case *of = finder->of;
    if (giver >= 0)
        return result->value == allfold_values_leaf(finder->trace.values, giver, result->element);
    if (fault_of(finder, result, !of->commutes && allfold_is_ordered(of->algorithm)) != NULL)
        return false;
    return is_alike(finder, result) &&
           allfold_canonical_is(finder->trace.values, of, result->rank, result->value);
}

static enum allfold_error blame_result(struct finder *finder, struct result *result, int giver)
{
    const struct allfold_values *values = finder->trace.values;
    if (!allfold_values_exist(values, result->value)) {
        begin_result(finder->blame, ALLFOLD_BLAME_RESULT_UNWRITTEN, result);
        say(finder->blame, "is not written in ");
        say_elements(finder->blame, result->first, result->length);
        say(finder->blame, ". Let a receive, a copy or a reduction write it to OUT.");
        return ALLFOLD_OK;
    }
    if (giver >= 0 || allfold_values_element(values, result->value) != result->element) {
        blame_place(finder, result, giver);
        return ALLFOLD_OK;
    }
    if (fault_of(finder, result, false) != NULL)
        return blame_contributions(finder, result);
    const bool is_ordered = !finder->of->commutes && allfold_is_ordered(finder->of->algorithm);
    if (is_ordered && fault_of(finder, result, true) != NULL)
        blame_rank_order(finder, result);
    else if (!is_alike(finder, result))
        blame_brackets(finder, result);
    else
        blame_tree(finder, result);
    return ALLFOLD_OK;
}

/* The first wrong elements of rank r's result, if there are any; those that follow and are wrong in
 * the same way belong to them. */
static enum allfold_error check_result(struct finder *finder, int r)
{
    const size_t length = allfold_case_result_length(finder->of, r);
    const uint32_t *out = allfold_trace_buffer(&finder->trace, r, ALLFOLD_OUT);
    for (size_t e = 0; e < length; e++) {
        struct result result = {.rank = r, .first = e, .length = 1, .value = out[e]};
        const struct allfold_origin origin = allfold_case_origin(finder->of, r, e);
        result.element = origin.element;
        if (is_right(finder, &result, origin.giver))
            continue;
        const uint32_t stride = allfold_values_exist(finder->trace.values, out[e]) ? 1 : 0;
        while (e + result.length < length && e + result.length < origin.end &&
               out[e + result.length] == out[e] + stride * (uint32_t)result.length)
            result.length++;
        return blame_result(finder, &result, origin.giver);
    }
    return ALLFOLD_OK;
}

/* --- all together --- */

static enum allfold_error find(struct finder *finder)
{
    const struct allfold_case *of = finder->of;
    if (!check_steps(finder))
        return ALLFOLD_OK;
    enum allfold_error error = run_trace(finder, 0, false);
    if (error == ALLFOLD_NO_MEMORY || !check_messages(finder))
        return error;
    const bool is_stuck = error == ALLFOLD_NO_PROGRESS;
    error = check_order(finder);
    if (error != ALLFOLD_OK)
        return error;
    if (is_stuck) {
        blame_deadlock(finder, 0);
        return ALLFOLD_OK;
    }
    if (finder->bad.step != NULL) {
        blame_data(finder);
        return ALLFOLD_OK;
    }
    for (int r = 0; r < of->p && finder->blame->kind == ALLFOLD_BLAME_NOTHING; r++) {
        error = check_result(finder, r);
        if (error != ALLFOLD_OK)
            return error;
    }
    if (finder->blame->kind != ALLFOLD_BLAME_NOTHING || of->mode != ALLFOLD_VIRTUAL_SYNCHRONOUS ||
        of->window == 0)
        return ALLFOLD_OK;
    error = run_trace(finder, of->window, true);
    if (error == ALLFOLD_NO_PROGRESS)
        blame_deadlock(finder, of->window);
    return error;
}

enum allfold_error allfold_blame_find(const struct allfold_case *of,
                                      struct allfold_schedule *const *schedules,
                                      struct allfold_blame *blame)
{
    struct finder finder = {.of = of, .schedules = schedules, .blame = blame};
    clear(blame, of);
    const enum allfold_error error = find(&finder);
    allfold_trace_end(&finder.trace);
    allfold_free(finder.waits);
    assert((blame->kind == ALLFOLD_BLAME_NOTHING) == (blame->text[0] == '\0') ||
           error == ALLFOLD_NO_MEMORY);
    if (error == ALLFOLD_NO_MEMORY)
        return error;
    return blame->kind == ALLFOLD_BLAME_NOTHING ? ALLFOLD_OK : ALLFOLD_DISPROVED;
}
