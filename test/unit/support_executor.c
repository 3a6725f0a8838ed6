/* A transport of the tests' own (see support_executor.h). */
#include "support_executor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "schedule/verbs.h"
#include "support.h"

struct scripted_run run;

static uint32_t operation(uint32_t left, uint32_t right)
{
    return 31 * left + 7 * right + 1;
}

static uint32_t received(const struct allfold_step *step, size_t i)
{
    return 1000003u * (uint32_t)(step->peer + 1) + 1009 * step->number + (uint32_t)i;
}

/* Counts a call; true where it is the one that is to fail. Nothing may follow that one. */
static bool fails(int kind)
{
    assert_false(run.failed);
    if (++run.calls[kind] != run.fault_number || kind != run.fault_kind)
        return false;
    run.failed = true;
    run.had_in_flight = run.in_flight > 0;
    return true;
}

static bool has_arrived(const struct allfold_step *step)
{
    const int operands = step->peer >= 0 ? 1 : step->kind == ALLFOLD_STEP_REDUCE ? 3 : 2;
    for (int which = 0; run.feed != NULL && which < operands; which++)
        for (size_t k = 0; k < step->length; k++)
            if (step->buffer[which] == run.feed->in.buffer &&
                !run.has_arrived[step->offset[which] + k])
                return false;
    return true;
}

static bool is_allowed(uint32_t step)
{
    if (!has_arrived(&run.schedule->steps[step]))
        return false;
    for (uint32_t i = 0; i < step; i++)
        for (uint32_t e = run.schedule->first_edge[i]; e < run.schedule->first_edge[i + 1]; e++)
            if (run.schedule->edges[e] == step && !run.done[i])
                return false;
    return true;
}

static uint32_t oldest_message(void)
{
    uint32_t m = 0;
    while (m < run.schedule->message_count && run.done[run.schedule->message_step[m]])
        m++;
    return m;
}

static bool is_admitted(uint32_t step)
{
    return run.schedule->steps[step].message < oldest_message() + run.window;
}

static uint32_t *address(const struct allfold_step *step, int which)
{
    /* scratch buffers have one length, so they are evenly spread over the arena */
    uint32_t *const bases[] = {run.in, run.out, run.scratch, run.scratch + ELEMENTS};
    return bases[step->buffer[which]] + step->offset[which];
}

static uint32_t find_message(int kind, const struct allfold_message *message)
{
    uint32_t i = 0;
    while (i < run.schedule->step_count &&
           (run.schedule->steps[i].kind != kind || run.schedule->steps[i].peer != message->peer ||
            run.schedule->steps[i].number != message->number))
        i++;
    assert_true(i < run.schedule->step_count);
    return i;
}

static int start(int kind, const struct allfold_message *message)
{
    if (fails(kind))
        return FAULT;
    const uint32_t i = find_message(kind, message);
    const struct allfold_step *step = &run.schedule->steps[i];
    assert_false(run.started[i]);
    assert_true(is_allowed(i));
    assert_true(is_admitted(i));
    assert_true(message->slot < run.window);
    assert_int_equal(run.slot_step[message->slot], NONE);
    assert_int_equal(message->length, step->length);
    assert_ptr_equal(message->data, address(step, 0));
    run.started[i] = true;
    run.slot_step[message->slot] = (int)i;
    run.in_flight++;
    if (kind == ALLFOLD_STEP_SEND)
        assert_memory_equal(message->data, run.sent[i], step->length * sizeof(uint32_t));
    else
        memset(message->data, 0xee, step->length * sizeof(uint32_t));
    return 0;
}

static int scripted_send(struct allfold_transport *transport, const struct allfold_message *message)
{
    assert_ptr_equal(transport, &run.transport);
    return start(ALLFOLD_STEP_SEND, message);
}

static int scripted_receive(struct allfold_transport *transport,
                            const struct allfold_message *message)
{
    assert_ptr_equal(transport, &run.transport);
    return start(ALLFOLD_STEP_RECEIVE, message);
}

void end_message(int i)
{
    const struct allfold_step *step = &run.schedule->steps[i];
    uint32_t *data = address(step, 0);
    if (step->kind == ALLFOLD_STEP_SEND) /* has not changed since */
        assert_memory_equal(data, run.sent[i], step->length * sizeof(uint32_t));
    else
        for (size_t k = 0; k < step->length; k++)
            data[k] = received(step, k);
    run.done[i] = true;
    run.in_flight--;
}

/* Whatever could have started has: messages always, and local steps before a wait. */
static void check_nothing_is_held_back(bool local_too)
{
    for (uint32_t i = 0; i < run.schedule->step_count; i++) {
        const bool is_local = run.schedule->steps[i].peer < 0;
        if (run.started[i] || !is_allowed(i) || (is_local ? !local_too : !is_admitted(i)))
            continue;
        fail_msg("step %u could have started", i);
    }
}

/* Ends some messages; at least one if asked to, the one in slot `oldest`. */
static void end_some(bool wait, uint32_t oldest, uint32_t *slots, uint32_t *count)
{
    const uint32_t first = wait ? oldest : random_below(&run.seed, run.window);
    for (uint32_t k = 0; k < run.window; k++) {
        const uint32_t slot = (first + k) % run.window;
        const bool must = wait && k == 0;
        if (run.slot_step[slot] == NONE || (!must && random_below(&run.seed, run.pace) != 0))
            continue;
        end_message(run.slot_step[slot]);
        run.slot_step[slot] = NONE;
        slots[(*count)++] = slot;
    }
}

static int scripted_test(struct allfold_transport *transport, uint32_t *slots, uint32_t *count)
{
    assert_ptr_equal(transport, &run.transport);
    *count = 0;
    if (fails(PROGRESS))
        return FAULT;
    check_nothing_is_held_back(false);
    end_some(false, 0, slots, count);
    return 0;
}

/* Only where there is nothing else to do, and with the oldest message in flight. */
static int scripted_wait(struct allfold_transport *transport, uint32_t oldest, uint32_t *slots,
                         uint32_t *count)
{
    assert_ptr_equal(transport, &run.transport);
    assert_true(run.may_wait);
    *count = 0;
    if (fails(PROGRESS))
        return FAULT;
    check_nothing_is_held_back(true);
    assert_true(oldest < run.window);
    assert_int_equal(run.slot_step[oldest], run.schedule->message_step[oldest_message()]);
    end_some(true, oldest, slots, count);
    return 0;
}

static void scripted_abandon(struct allfold_transport *transport)
{
    assert_ptr_equal(transport, &run.transport);
    assert_true(run.failed);
    run.abandoned++;
    run.in_flight = 0;
}

/* The step that is run with these operands; it must be allowed and new. */
static uint32_t find_local(int kind, const void *to, const void *left, const void *right, size_t n)
{
    for (uint32_t i = 0; i < run.schedule->step_count; i++) {
        const struct allfold_step *step = &run.schedule->steps[i];
        if (step->kind == kind && !run.started[i] && step->length == n && address(step, 0) == to &&
            address(step, 1) == left && (right == NULL || address(step, 2) == right) &&
            is_allowed(i))
            return i;
    }
    fail_msg("no step may run now that has these operands");
    return 0;
}

static int scripted_reduce(const struct allfold_elements *elements, void *to, const void *left,
                           const void *right, size_t count)
{
    (void)elements;
    if (fails(ALLFOLD_STEP_REDUCE))
        return FAULT;
    const uint32_t i = find_local(ALLFOLD_STEP_REDUCE, to, left, right, count);
    uint32_t *c = to;
    const uint32_t *a = left, *b = right;
    for (size_t k = 0; k < count; k++)
        c[k] = operation(a[k], b[k]);
    run.started[i] = run.done[i] = true;
    return 0;
}

static int scripted_copy(const struct allfold_elements *elements, void *to, const void *from,
                         size_t count)
{
    (void)elements;
    if (fails(ALLFOLD_STEP_COPY))
        return FAULT;
    const uint32_t i = find_local(ALLFOLD_STEP_COPY, to, from, NULL, count);
    memmove(to, from, count * sizeof(uint32_t));
    run.started[i] = run.done[i] = true;
    return 0;
}

const struct allfold_elements words = {
    .extent_bytes = 4, .high_bytes = 4, .reduce = scripted_reduce, .copy = scripted_copy};

void fill_buffers(void)
{
    for (uint32_t k = 0; k < ELEMENTS; k++) {
        run.in[k] = 7 * k + 3;
        run.out[k] = 11 * k + 5;
        for (uint32_t b = 0; b < SCRATCH_BUFFERS; b++)
            run.scratch[b * ELEMENTS + k] = 13 * k + b;
    }
}

void run_in_order(uint32_t *out)
{
    fill_buffers();
    for (uint32_t i = 0; i < run.schedule->step_count; i++) {
        const struct allfold_step *step = &run.schedule->steps[i];
        uint32_t *to = address(step, 0), *left = address(step, 1), *right = address(step, 2);
        for (size_t k = 0; k < step->length; k++) {
            if (step->kind == ALLFOLD_STEP_SEND)
                run.sent[i][k] = to[k];
            else if (step->kind == ALLFOLD_STEP_RECEIVE)
                to[k] = received(step, k);
            else
                to[k] = step->kind == ALLFOLD_STEP_COPY ? left[k] : operation(left[k], right[k]);
        }
    }
    memcpy(out, run.out, sizeof run.out);
}

struct allfold_schedule *random_schedule(uint64_t seed)
{
    const struct allfold_shape shape = {
        .group = allfold_group_all(4, 0), .in_length = ELEMENTS, .out_length = ELEMENTS};
    struct allfold_builder *s = allfold_builder_create(&shape);
    assert_non_null(s);
    struct allfold_schedule *schedule;
    write_random_program(s, &seed, MOST_STEPS, ELEMENTS, SCRATCH_BUFFERS);
    assert_int_equal(allfold_builder_freeze(s, &schedule), ALLFOLD_OK);
    allfold_builder_free(s);
    assert_int_equal(allfold_executor_scratch_bytes(schedule, &words),
                     SCRATCH_BUFFERS * ELEMENTS * sizeof(uint32_t));
    return schedule;
}

void begin_run(const struct allfold_schedule *schedule, uint32_t window, uint64_t seed)
{
    static _Alignas(64) uint32_t scratch[SCRATCH_BUFFERS * ELEMENTS];
    memset(&run, 0, sizeof run);
    run.operations = (struct allfold_transport_operations){.send = scripted_send,
                                                           .receive = scripted_receive,
                                                           .test = scripted_test,
                                                           .wait = scripted_wait,
                                                           .abandon = scripted_abandon};
    run.transport.operations = &run.operations;
    run.schedule = schedule;
    run.window = window;
    run.seed = seed;
    run.pace = 1 + random_below(&seed, 5);
    run.scratch = scratch;
    run.fault_kind = NONE;
    memset(run.slot_step, 0xff, sizeof run.slot_step);
}

int drive(struct allfold_executor *executor, enum drive how)
{
    const struct allfold_binding binding = {run.in,         run.out, run.scratch, &words,
                                            &run.transport, 0,       run.feed};
    bool done = false;
    run.may_wait = false;
    int error = allfold_executor_start(executor, &binding);
    for (int i = 0; error == 0 && how != WAIT && !done && (how == TEST || i < 5); i++) {
        assert_true(i < 100000);
        error = allfold_executor_test(executor, &done);
        assert_true(error != 0 || !run.failed); /* says it at once */
        if (!run.failed)
            check_nothing_is_held_back(true);
    }
    assert_true(how != TEST || done || error != 0);
    run.may_wait = true;
    return error != 0 || how == TEST ? error : allfold_executor_wait(executor);
}

void check_success(const uint32_t *expected)
{
    for (uint32_t i = 0; i < run.schedule->step_count; i++)
        assert_true(run.started[i] && run.done[i]);
    assert_memory_equal(run.out, expected, sizeof run.out);
    for (uint32_t k = 0; k < ELEMENTS; k++)
        assert_int_equal(run.in[k], 7 * k + 3);
    assert_int_equal(run.abandoned, 0);
}
