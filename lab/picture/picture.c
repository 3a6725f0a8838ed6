/* Makes pictures from symbolic traces (see picture.h). */
#include "lab/picture/picture.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/picture/element_names.h"
#include "lab/verify/symbolic_trace.h"
#include "util/memory.h"

struct painter {
    const struct allfold_case *of;
    struct allfold_trace trace;
    struct allfold_picture *picture;
};

/* Elements next to each other over the same ranks are named together. */
static void name_values(const struct painter *painter, const uint32_t *values, size_t length,
                        char *text)
{
    const bool letters = allfold_names_are_letters(painter->of);
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < length;) {
        const uint64_t ranks = allfold_values_ranks(painter->trace.values, values[i]);
        const size_t first = allfold_values_element(painter->trace.values, values[i]);
        size_t j = i + 1;
        while (j < length && allfold_values_ranks(painter->trace.values, values[j]) == ranks &&
               allfold_values_element(painter->trace.values, values[j]) == first + (j - i))
            j++;
        at = allfold_name_elements(letters, text, at, first, first + (j - i) - 1);
        at = allfold_name_ranks(text, at, ranks);
        i = j;
    }
}

/* Notes that a rank holds a value of a shown element. */
static bool add_holding(struct painter *painter, struct allfold_holding holding)
{
    struct allfold_picture *picture = painter->picture;
    void *holdings = allfold_make_room(picture->holdings, picture->holding_count,
                                       &picture->holding_capacity, sizeof *picture->holdings);
    if (holdings == NULL)
        return false;
    picture->holdings = holdings;
    picture->holdings[picture->holding_count++] = holding;
    return true;
}

static bool add_holdings(struct painter *painter, const struct allfold_trace_event *event, int rank)
{
    for (size_t i = 0; i < event->length && event->values != NULL; i++) {
        const uint32_t value = event->values[i];
        struct allfold_holding holding = {.rank = rank, .round = event->round};
        if (!allfold_values_exist(painter->trace.values, value) ||
            !allfold_row_of(painter->of, allfold_values_element(painter->trace.values, value),
                            &holding.row))
            continue;
        holding.ranks = allfold_values_ranks(painter->trace.values, value);
        if (!add_holding(painter, holding))
            return false;
    }
    return true;
}

/* What the ranks hold before the collective. */
static bool add_inputs(struct painter *painter)
{
    for (int r = 0; r < painter->of->p; r++) {
        const struct allfold_problem problem = allfold_case_problem(painter->of, r);
        const size_t length = allfold_problem_shape(&problem).in_length;
        for (size_t row = 0; row < allfold_row_count(painter->of); row++)
            if (allfold_row_element(painter->of, row) < length &&
                !add_holding(painter, (struct allfold_holding){
                                          .rank = r, .row = row, .ranks = UINT64_C(1) << r}))
                return false;
    }
    return true;
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
        return add_holdings(painter, event, event->rank) &&
               (event->step->kind != ALLFOLD_STEP_REDUCE || add_mark(painter, mark, event->values));
    case ALLFOLD_TRACE_MESSAGE:
        mark.kind = ALLFOLD_MARK_MESSAGE;
        return add_holdings(painter, event, event->peer) && add_mark(painter, mark, event->values);
    case ALLFOLD_TRACE_LOST:
        mark.kind = ALLFOLD_MARK_LOST;
        return add_mark(painter, mark, event->values);
    case ALLFOLD_TRACE_WAITS:
        mark.kind = event->peer_step == NULL ? ALLFOLD_MARK_UNSENT : ALLFOLD_MARK_STUCK;
        mark.from = is_send ? event->rank : event->peer;
        mark.to = is_send ? event->peer : event->rank;
        mark.blocked_rank = event->peer;
        return event->has_met || add_mark(painter, mark, event->values);
    }
    return true;
}

/* By rounds; the rest makes pictures the same everywhere. */
static int compare_holdings(const void *left, const void *right)
{
    const struct allfold_holding *a = left, *b = right;
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank - b->rank;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->ranks != b->ranks ? (a->ranks < b->ranks ? -1 : 1) : 0;
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
    painter->picture->mark_count = painter->picture->holding_count = 0;
    if (!add_inputs(painter))
        return ALLFOLD_NO_MEMORY;
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

enum allfold_error allfold_picture_make_from_schedules(const struct allfold_case *of,
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
    if (picture->holding_count > 0)
        qsort(picture->holdings, picture->holding_count, sizeof *picture->holdings,
              compare_holdings);
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
    error = allfold_picture_make_from_schedules(of, schedules, picture);
    if (error != ALLFOLD_OK)
        snprintf(message, message_bytes, "no memory");
    allfold_case_free(of, schedules);
    return error;
}

void allfold_picture_free(struct allfold_picture *picture)
{
    allfold_free(picture->marks);
    allfold_free(picture->holdings);
}

size_t allfold_picture_last_round(const struct allfold_picture *picture)
{
    const size_t rounds = picture->cost.rounds;
    const size_t last =
        picture->mark_count == 0 ? 0 : picture->marks[picture->mark_count - 1].round;
    return last > rounds ? last : rounds;
}
