/* Pictures (see picture.h). */
#include "model/picture/picture.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/verify/trace.h"
#include "util/memory.h"

struct painter {
    const struct allfold_case *of;
    struct allfold_trace trace;
    struct allfold_picture *picture;
};

/* "A-D", or "0-3" where there are more elements than letters. */
static size_t name_elements(const struct painter *painter, char *text, size_t at, size_t first,
                            size_t last)
{
    const bool letters = allfold_case_elements(painter->of) <= 26;
    char range[48];
    if (letters && first == last)
        snprintf(range, sizeof range, "%c", (char)('A' + first));
    else if (letters)
        snprintf(range, sizeof range, "%c-%c", (char)('A' + first), (char)('A' + last));
    else if (first == last)
        snprintf(range, sizeof range, "[%zu]", first);
    else
        snprintf(range, sizeof range, "[%zu-%zu]", first, last);
    at += (size_t)snprintf(text + at, ALLFOLD_LABEL_BYTES - at, "%s%s", at > 0 ? " " : "", range);
    return at < ALLFOLD_LABEL_BYTES ? at : ALLFOLD_LABEL_BYTES - 1;
}

/* "0-1", "0,4": the ranks of a set. */
static size_t name_ranks(char *text, size_t at, uint64_t ranks)
{
    const char *before = " ";
    for (int r = 0; r < 64; r++) {
        int last = r;
        if ((ranks >> r & 1) == 0)
            continue;
        while (last < 63 && (ranks >> (last + 1) & 1) != 0)
            last++;
        if (at < ALLFOLD_LABEL_BYTES)
            at += (size_t)(last == r
                               ? snprintf(text + at, ALLFOLD_LABEL_BYTES - at, "%s%d", before, r)
                               : snprintf(text + at, ALLFOLD_LABEL_BYTES - at, "%s%d-%d", before, r,
                                          last));
        before = ",";
        r = last;
    }
    return at < ALLFOLD_LABEL_BYTES ? at : ALLFOLD_LABEL_BYTES - 1;
}

/* Elements next to each other over the same ranks are named together. */
static void name_values(const struct painter *painter, const uint32_t *values, size_t length,
                        char *text)
{
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < length;) {
        const uint64_t ranks = allfold_values_ranks(painter->trace.values, values[i]);
        const size_t first = allfold_values_element(painter->trace.values, values[i]);
        size_t j = i + 1;
        while (j < length && allfold_values_ranks(painter->trace.values, values[j]) == ranks &&
               allfold_values_element(painter->trace.values, values[j]) == first + (j - i))
            j++;
        at = name_elements(painter, text, at, first, first + (j - i) - 1);
        at = name_ranks(text, at, ranks);
        i = j;
    }
}

static bool add_mark(struct painter *painter, struct allfold_mark mark, const uint32_t *values)
{
    struct allfold_picture *picture = painter->picture;
    void *marks = allfold_make_room(picture->marks, picture->mark_count, &picture->mark_capacity,
                                    sizeof *picture->marks);
    if (marks == NULL)
        return false;
    picture->marks = marks;
    if (values != NULL && allfold_values_all_exist(painter->trace.values, values, mark.elements))
        name_values(painter, values, mark.elements, mark.label);
    picture->marks[picture->mark_count++] = mark;
    return true;
}

static bool on_event(void *context, const struct allfold_trace_event *event)
{
    struct painter *painter = context;
    const bool is_send = event->step->kind == ALLFOLD_STEP_SEND;
    struct allfold_mark mark = {.from = event->rank,
                                .to = event->peer,
                                .number = event->step->number,
                                .round = event->round,
                                .elements = event->length};
    switch (event->kind) {
    case ALLFOLD_TRACE_LOCAL:
        mark.kind = ALLFOLD_MARK_REDUCTION;
        return event->step->kind != ALLFOLD_STEP_REDUCE || add_mark(painter, mark, event->values);
    case ALLFOLD_TRACE_MESSAGE:
        mark.kind = ALLFOLD_MARK_MESSAGE;
        return add_mark(painter, mark, event->values);
    case ALLFOLD_TRACE_LOST:
        mark.kind = ALLFOLD_MARK_LOST;
        return add_mark(painter, mark, event->values);
    case ALLFOLD_TRACE_WAITS:
        mark.kind = event->peer_step == NULL ? ALLFOLD_MARK_UNSENT : ALLFOLD_MARK_STUCK;
        mark.from = is_send ? event->rank : event->peer;
        mark.to = is_send ? event->peer : event->rank;
        mark.late = event->peer;
        return event->has_met || add_mark(painter, mark, event->values);
    }
    return true;
}

static int compare_marks(const void *left, const void *right)
{
    const struct allfold_mark *a = left, *b = right;
    const bool a_is_local = a->kind == ALLFOLD_MARK_REDUCTION;
    const bool b_is_local = b->kind == ALLFOLD_MARK_REDUCTION;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    if (a_is_local != b_is_local)
        return a_is_local ? 1 : -1;
    return a->from != b->from ? a->from - b->from : a->to - b->to;
}

/* One trace, with this window where there is one. */
static enum allfold_error paint(struct painter *painter, struct allfold_schedule *const *schedules,
                                uint32_t window)
{
    const struct allfold_claim claim = allfold_case_claim(painter->of);
    allfold_trace_end(&painter->trace);
    painter->picture->mark_count = 0;
    painter->trace = (struct allfold_trace){
        .of = painter->of,
        .schedules = (const struct allfold_schedule *const *)schedules,
        .rules = {.ports = window > 0 ? ALLFOLD_WALK_ANY_PORTS : allfold_claim_ports(&claim),
                  .window = window,
                  .in_order = window > 0},
        .on_event = on_event,
        .context = painter,
    };
    const enum allfold_error error = allfold_trace_run(&painter->trace);
    painter->picture->cost = painter->trace.cost;
    return error;
}

/* Whether a message is from and to ranks that there are; marks of others are not drawn. */
static bool is_drawable(const struct allfold_mark *mark, int p)
{
    return mark->from >= 0 && mark->from < p && mark->to >= 0 && mark->to < p;
}

enum allfold_error allfold_picture_make_of(const struct allfold_case *of,
                                           struct allfold_schedule *const *schedules,
                                           struct allfold_picture *picture)
{
    struct painter painter = {.of = of, .picture = picture};
    *picture = (struct allfold_picture){.marks = NULL};
    assert(of->p <= ALLFOLD_PICTURE_RANKS);
    enum allfold_error error = allfold_blame_find(of, schedules, &picture->blame);
    if (error != ALLFOLD_NO_MEMORY)
        error = paint(&painter, schedules, 0);
    if (error == ALLFOLD_OK && picture->blame.kind == ALLFOLD_BLAME_DEADLOCK)
        error = paint(&painter, schedules, of->window);
    allfold_trace_end(&painter.trace);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < picture->mark_count; i++)
        if (is_drawable(&picture->marks[i], of->p))
            picture->marks[kept++] = picture->marks[i];
    picture->mark_count = kept;
    if (picture->mark_count > 0)
        qsort(picture->marks, picture->mark_count, sizeof *picture->marks, compare_marks);
    return error == ALLFOLD_NO_MEMORY ? error : ALLFOLD_OK;
}

enum allfold_error allfold_picture_make(const struct allfold_case *of,
                                        struct allfold_picture *picture, char *message,
                                        size_t message_bytes)
{
    struct allfold_schedule **schedules;
    *picture = (struct allfold_picture){.marks = NULL};
    enum allfold_error error = allfold_case_build(of, &schedules, message, message_bytes);
    if (error != ALLFOLD_OK)
        return error;
    error = allfold_picture_make_of(of, schedules, picture);
    if (error != ALLFOLD_OK)
        snprintf(message, message_bytes, "no memory");
    allfold_case_free(of, schedules);
    return error;
}

void allfold_picture_free(struct allfold_picture *picture)
{
    allfold_free(picture->marks);
}
