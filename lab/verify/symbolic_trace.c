/* Symbolic traces (see symbolic_trace.h). */
#include "lab/verify/symbolic_trace.h"

#include <assert.h>
#include <string.h>

#include "util/memory.h"

static int operand_count(const struct allfold_step *step)
{
    return step->kind == ALLFOLD_STEP_REDUCE ? 3 : step->kind == ALLFOLD_STEP_COPY ? 2 : 1;
}

/* Whether all that a step touches is in its rank's buffers. */
static bool is_inside(const struct allfold_trace *trace, int rank, const struct allfold_step *step)
{
    const struct allfold_schedule *schedule = trace->schedules[rank];
    for (int i = 0; i < operand_count(step); i++) {
        if (step->buffer[i] >= schedule->buffer_count)
            return false;
        const size_t length = schedule->buffer_length[step->buffer[i]];
        if (step->offset[i] > length || step->length > length - step->offset[i])
            return false;
    }
    return true;
}

static uint32_t *operand(const struct allfold_trace *trace, int rank,
                         const struct allfold_step *step, int which)
{
    return allfold_trace_buffer(trace, rank, step->buffer[which]) + step->offset[which];
}

static bool tell(struct allfold_trace *trace, const struct allfold_trace_event *event)
{
    if (!trace->on_event(trace->context, event))
        trace->out_of_memory = true;
    return !trace->out_of_memory;
}

/* Notes the first value of an operand that is none. */
static void check_operand(const struct allfold_trace *trace, struct allfold_trace_event *event,
                          int which)
{
    const uint32_t *values = operand(trace, event->rank, event->step, which);
    for (size_t i = 0; i < event->length && event->fault == NULL; i++) {
        if (allfold_values_exist(trace->values, values[i]))
            continue;
        event->fault = "reads what was never written";
        event->fault_operand = which;
        event->fault_at = i;
    }
}

static void reduce(struct allfold_trace *trace, struct allfold_trace_event *event)
{
    const struct allfold_step *step = event->step;
    uint32_t *to = operand(trace, event->rank, step, 0);
    const uint32_t *left = operand(trace, event->rank, step, 1);
    const uint32_t *right = operand(trace, event->rank, step, 2);
    check_operand(trace, event, 1);
    check_operand(trace, event, 2);
    for (size_t i = 0; i < step->length; i++) {
        const char *why = NULL;
        to[i] = allfold_values_combine(trace->values, left[i], right[i], &why);
        if (why == allfold_values_no_memory) {
            trace->out_of_memory = true;
        } else if (why != NULL && event->fault == NULL) {
            event->fault = why;
            event->fault_operand = 2;
            event->fault_at = i;
        }
    }
}

static bool on_local(void *context, int rank, const struct allfold_step *step, size_t time)
{
    struct allfold_trace *trace = context;
    struct allfold_trace_event event = {.kind = ALLFOLD_TRACE_LOCAL,
                                        .rank = rank,
                                        .peer = rank,
                                        .step = step,
                                        .round = time,
                                        .length = step->length};
    if (!is_inside(trace, rank, step))
        return tell(trace, &event);
    uint32_t *to = operand(trace, rank, step, 0);
    event.values = to;
    if (step->kind == ALLFOLD_STEP_REDUCE) {
        reduce(trace, &event);
    } else {
        check_operand(trace, &event, 1);
        memmove(to, operand(trace, rank, step, 1), step->length * sizeof *to);
    }
    return !trace->out_of_memory && tell(trace, &event);
}

static bool on_message(void *context, int from, const struct allfold_step *send, int to,
                       const struct allfold_step *receive, size_t time)
{
    struct allfold_trace *trace = context;
    struct allfold_trace_event event = {.kind = ALLFOLD_TRACE_MESSAGE,
                                        .rank = from,
                                        .peer = to,
                                        .step = send,
                                        .peer_step = receive,
                                        .round = time};
    event.length = receive->length < send->length ? receive->length : send->length;
    if (!is_inside(trace, from, send) || !is_inside(trace, to, receive))
        return tell(trace, &event);
    event.values = operand(trace, from, send, 0);
    check_operand(trace, &event, 0);
    memmove(operand(trace, to, receive, 0), event.values, event.length * sizeof *event.values);
    return tell(trace, &event);
}

static bool on_lost(void *context, int from, const struct allfold_step *send, size_t time)
{
    struct allfold_trace *trace = context;
    struct allfold_trace_event event = {.kind = ALLFOLD_TRACE_LOST,
                                        .rank = from,
                                        .peer = send->peer,
                                        .step = send,
                                        .round = time,
                                        .length = send->length};
    if (is_inside(trace, from, send)) {
        event.values = operand(trace, from, send, 0);
        check_operand(trace, &event, 0);
    }
    return tell(trace, &event);
}

static void on_waiting(void *context, const struct allfold_walk_wait *wait)
{
    struct allfold_trace *trace = context;
    const struct allfold_step *step = &trace->schedules[wait->rank]->steps[wait->step];
    struct allfold_trace_event event = {.kind = ALLFOLD_TRACE_WAITS,
                                        .rank = wait->rank,
                                        .peer = step->peer,
                                        .step = step,
                                        .round = wait->time,
                                        .has_met = wait->has_met,
                                        .length = step->length};
    if (wait->peer_step != ALLFOLD_NO_STEP)
        event.peer_step = &trace->schedules[step->peer]->steps[wait->peer_step];
    if (step->kind == ALLFOLD_STEP_SEND && is_inside(trace, wait->rank, step))
        event.values = operand(trace, wait->rank, step, 0);
    if (!trace->out_of_memory)
        tell(trace, &event);
}

/* What the ranks hold before the collective; in place it lies in OUT. */
static void fill_inputs(struct allfold_trace *trace)
{
    for (int r = 0; r < trace->of->p; r++) {
        const struct allfold_schedule *schedule = trace->schedules[r];
        const struct allfold_problem problem = allfold_case_problem(trace->of, r);
        const struct allfold_shape shape = allfold_problem_shape(&problem);
        const int buffer = shape.in_place ? ALLFOLD_OUT : ALLFOLD_IN;
        const size_t offset = shape.in_place ? shape.in_place_offset : 0;
        for (size_t e = 0; e < shape.in_length; e++)
            if (offset + e < schedule->buffer_length[buffer])
                allfold_trace_buffer(trace, r, buffer)[offset + e] =
                    allfold_values_leaf(trace->values, r, e);
    }
}

static enum allfold_error set_up(struct allfold_trace *trace)
{
    const int p = trace->of->p;
    size_t length = 0, buffers = 0;
    for (int r = 0; r < p; r++) {
        buffers += trace->schedules[r]->buffer_count;
        for (uint32_t b = 0; b < trace->schedules[r]->buffer_count; b++)
            length += trace->schedules[r]->buffer_length[b];
    }
    trace->values = allfold_values_create();
    trace->base = allfold_allocate(buffers * sizeof *trace->base);
    trace->first = allfold_allocate((size_t)p * sizeof *trace->first);
    trace->memory = allfold_allocate_zeroed(length * sizeof *trace->memory);
    if (trace->values == NULL || trace->base == NULL || trace->first == NULL ||
        trace->memory == NULL)
        return ALLFOLD_NO_MEMORY;
    uint32_t *at = trace->memory;
    size_t next = 0;
    for (int r = 0; r < p; r++) {
        trace->first[r] = next;
        for (uint32_t b = 0; b < trace->schedules[r]->buffer_count; b++) {
            trace->base[next++] = at;
            at += trace->schedules[r]->buffer_length[b];
        }
    }
    assert(next == buffers && at == trace->memory + length);
    return allfold_values_begin(trace->values, p, allfold_case_elements(trace->of),
                                allfold_traits(trace->of->algorithm->collective)->may_repeat);
}

enum allfold_error allfold_trace_run(struct allfold_trace *trace)
{
    const struct allfold_walk_observer observer = {.on_local = on_local,
                                                   .on_message = on_message,
                                                   .context = trace,
                                                   .on_lost = on_lost,
                                                   .on_waiting = on_waiting};
    enum allfold_error error = set_up(trace);
    if (error != ALLFOLD_OK)
        return error;
    fill_inputs(trace);
    error =
        allfold_walk_faulty(trace->schedules, trace->of->p, &trace->rules, &observer, &trace->cost);
    return trace->out_of_memory ? ALLFOLD_NO_MEMORY : error;
}

void allfold_trace_end(struct allfold_trace *trace)
{
    allfold_values_free(trace->values);
    allfold_free(trace->base);
    allfold_free(trace->first);
    allfold_free(trace->memory);
}
