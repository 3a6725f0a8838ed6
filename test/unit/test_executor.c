/* The executor: starts what may start and nothing else, as soon as it may, within its window. When
 * a call of the transport or the elements fails, it says so at once, gives up what is in flight,
 * and can start again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/memory.h"
#include "schedule/verbs.h"
#include "support.h"
#include "support_executor.h"

/* Every window, every way to go on, many times with one executor, without an allocation. */
static void test_random_programs(void **state)
{
    (void)state;
    static const uint32_t windows[] = {1, 2, 4, 16, ALLFOLD_MAX_WINDOW};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct allfold_schedule *schedule = random_schedule(seed);
        for (size_t i = 0; i < LENGTH(windows); i++) {
            struct allfold_executor *executor = allfold_executor_create(schedule, windows[i]);
            assert_non_null(executor);
            allfold_fail_allocation(1);
            for (uint64_t again = 0; again < 12; again++) {
                uint32_t expected[ELEMENTS];
                begin_run(schedule, windows[i], 100 * seed + again);
                run_in_order(expected);
                fill_buffers();
                assert_int_equal(drive(executor, again % DRIVES), 0);
                check_success(expected);
            }
            assert_null(allfold_allocate(1)); /* that failure was still to come */
            allfold_executor_free(executor);
        }
        allfold_schedule_free(schedule);
    }
}

static struct allfold_schedule *small_schedule(size_t messages)
{
    const struct allfold_shape shape = {
        .group = allfold_group_all(4, 0), .in_length = ELEMENTS, .out_length = ELEMENTS};
    struct allfold_builder *s = allfold_builder_create(&shape);
    assert_non_null(s);
    scratch(s, ELEMENTS);
    scratch(s, ELEMENTS);
    for (size_t i = 0; i < messages; i++)
        recv_from(s, 1, span(ALLFOLD_OUT, i, 1));
    struct allfold_schedule *schedule;
    assert_int_equal(allfold_builder_freeze(s, &schedule), ALLFOLD_OK);
    allfold_builder_free(s);
    return schedule;
}

static uint32_t ended[4], ended_count;

/* Ends just what the test says. */
static int manual_test(struct allfold_transport *transport, uint32_t *slots, uint32_t *count)
{
    (void)transport;
    for (uint32_t i = 0; i < ended_count; i++) {
        slots[i] = ended[i];
        end_message(run.slot_step[ended[i]]);
        run.slot_step[ended[i]] = NONE;
    }
    *count = ended_count;
    ended_count = 0;
    return 0;
}

/* The window follows the oldest message and not the number in flight. */
static void test_window_waits_for_the_oldest(void **state)
{
    (void)state;
    struct allfold_schedule *schedule = small_schedule(7);
    struct allfold_executor *executor = allfold_executor_create(schedule, 4);
    assert_non_null(executor);
    begin_run(schedule, 4, 1);
    run.operations.test = manual_test;
    const struct allfold_binding binding = {run.in,         run.out, run.scratch, &words,
                                            &run.transport, 0,       NULL};
    assert_int_equal(allfold_executor_start(executor, &binding), 0);
    /* what ends, and how many messages have started then */
    static const struct {
        uint32_t slots[2], count, started;
    } turns[] = {{{0}, 0, 4},    {{2, 1}, 2, 4}, {{0}, 1, 7},
                 {{2, 0}, 2, 7}, {{3}, 1, 7},    {{1}, 1, 7}};
    for (size_t i = 0; i < LENGTH(turns); i++) {
        bool done;
        memcpy(ended, turns[i].slots, sizeof turns[i].slots);
        ended_count = turns[i].count;
        assert_int_equal(allfold_executor_test(executor, &done), 0);
        assert_int_equal(run.calls[ALLFOLD_STEP_RECEIVE], turns[i].started);
        assert_int_equal(done, i + 1 == LENGTH(turns));
    }
    allfold_executor_free(executor);
    allfold_schedule_free(schedule);
}

static int polls;

static int poll_nothing(struct allfold_transport *transport, uint32_t *slots, uint32_t *count)
{
    (void)transport;
    (void)slots;
    *count = 0;
    polls++;
    return 0;
}

static int copy_nothing(const struct allfold_elements *elements, void *to, const void *from,
                        size_t count)
{
    (void)elements;
    (void)to;
    (void)from;
    (void)count;
    return 0;
}

/* A message is on its way while eight steps copy an element each: it is polled for after 4096 bytes
 * of these, and at the end. */
static void test_polls_after_work(void **state)
{
    (void)state;
    enum { COPIES = 8 };
    static const struct {
        ptrdiff_t bytes;
        int polls;
    } cases[] = {{4, 1},    {511, 1},  {512, 1},  {513, 1},  {585, 1},    {586, 2},
                 {2047, 3}, {2048, 4}, {4095, 4}, {4096, 8}, {1 << 20, 8}};
    const struct allfold_shape shape = {
        .group = allfold_group_all(4, 0), .in_length = ELEMENTS, .out_length = ELEMENTS};
    struct allfold_builder *s = allfold_builder_create(&shape);
    assert_non_null(s);
    const struct allfold_span room = scratch(s, ELEMENTS);
    recv_from(s, 1, span(ALLFOLD_OUT, 0, 1));
    for (size_t i = 0; i < COPIES; i++)
        copy(s, part(room, i, 1), span(ALLFOLD_IN, i, 1));
    struct allfold_schedule *schedule;
    assert_int_equal(allfold_builder_freeze(s, &schedule), ALLFOLD_OK);
    allfold_builder_free(s);
    struct allfold_executor *executor = allfold_executor_create(schedule, 4);
    assert_non_null(executor);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct allfold_elements elements = {
            .extent_bytes = cases[i].bytes, .high_bytes = cases[i].bytes, .copy = copy_nothing};
        begin_run(schedule, 4, 1);
        run.operations.test = poll_nothing;
        const struct allfold_binding binding = {run.in,         run.out, run.scratch, &elements,
                                                &run.transport, 0,       NULL};
        bool done;
        polls = 0;
        assert_int_equal(allfold_executor_start(executor, &binding), 0);
        assert_int_equal(allfold_executor_test(executor, &done), 0);
        assert_false(done);
        assert_int_equal(polls, cases[i].polls);
        ended[0] = 0;
        ended_count = 1;
        run.operations.test = manual_test;
        assert_int_equal(allfold_executor_test(executor, &done), 0);
        assert_true(done);
    }
    allfold_executor_free(executor);
    allfold_schedule_free(schedule);
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    struct allfold_schedule *schedule = small_schedule(0);
    allfold_fail_allocation(1);
    assert_null(allfold_executor_create(schedule, 16));
    struct allfold_executor *executor = allfold_executor_create(schedule, 16);
    assert_non_null(executor);
    begin_run(schedule, 16, 1);
    for (int how = 0; how < DRIVES; how++)
        assert_int_equal(drive(executor, (enum drive)how), 0);
    for (int kind = 0; kind < CALL_KINDS; kind++)
        assert_int_equal(run.calls[kind], 0);
    allfold_executor_free(executor);
    allfold_executor_free(NULL);
    allfold_schedule_free(schedule);
}

/* Lets the call fail that is number `number` of its kind; false where there are fewer of them. */
static bool run_with_fault(struct allfold_executor *executor, uint32_t window, uint64_t seed,
                           enum drive how, int kind, uint32_t number)
{
    const struct allfold_schedule *schedule = run.schedule;
    uint32_t expected[ELEMENTS], calls[CALL_KINDS];
    begin_run(schedule, window, seed);
    run_in_order(expected);
    fill_buffers();
    run.fault_kind = kind;
    run.fault_number = number;
    const int error = drive(executor, how);
    if (!run.failed) {
        assert_int_equal(error, 0);
        check_success(expected);
        return false;
    }
    assert_int_equal(error, FAULT);
    /* allowed with nothing in flight, too: it then gives up nothing */
    assert_true(run.had_in_flight ? run.abandoned == 1 : run.abandoned <= 1);
    memcpy(calls, run.calls, sizeof calls);
    const uint32_t abandoned = run.abandoned;
    bool done = false;
    assert_int_equal(allfold_executor_test(executor, &done), FAULT);
    assert_true(done);
    assert_int_equal(allfold_executor_wait(executor), FAULT);
    assert_memory_equal(run.calls, calls, sizeof calls);
    assert_int_equal(run.abandoned, abandoned);
    return true;
}

static void test_every_call_may_fail(void **state)
{
    (void)state;
    static const uint32_t windows[] = {2, 16};
    size_t faults[CALL_KINDS] = {0};
    for (uint64_t seed = 1; seed <= 8; seed++)
        for (size_t i = 0; i < LENGTH(windows); i++) {
            struct allfold_schedule *schedule = random_schedule(seed);
            struct allfold_executor *executor = allfold_executor_create(schedule, windows[i]);
            assert_non_null(executor);
            begin_run(schedule, windows[i], seed);
            for (int how = 0; how < DRIVES; how++)
                for (int kind = 0; kind < CALL_KINDS; kind++) {
                    /* the last run of each has no fault: the executor serves again after faults */
                    uint32_t number = 1;
                    while (
                        run_with_fault(executor, windows[i], seed, (enum drive)how, kind, number))
                        number++;
                    faults[kind] += number - 1;
                }
            allfold_executor_free(executor);
            allfold_schedule_free(schedule);
        }
    for (int kind = 0; kind < CALL_KINDS; kind++)
        assert_true(faults[kind] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_window_waits_for_the_oldest),
        cmocka_unit_test(test_polls_after_work),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_every_call_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
