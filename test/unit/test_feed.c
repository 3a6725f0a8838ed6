/* Feeds: with data that arrive late and segment by segment, random programs start what may start
 * and nothing else, and results leave once they have their last value. An error on the way ends the
 * run with it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "schedule/verbs.h"
#include "support.h"
#include "support_executor.h"

/* A feed, and what its buffers are to hold. */
static struct {
    struct allfold_feed feed;
    uint32_t arrived, fails_at; /* segments; UINT32_MAX: none fails */
    uint32_t given[ELEMENTS], left[ELEMENTS];
    uint32_t leaves; /* segments */
} fed;

static uint32_t *fed_buffer(void)
{
    return fed.feed.in.buffer == ALLFOLD_IN ? run.in : run.out;
}

static void arrive(uint32_t segment)
{
    const size_t end = allfold_fed_end(&fed.feed.in, segment);
    for (size_t k = allfold_fed_begin(&fed.feed.in, segment); k < end; k++) {
        assert_false(run.has_arrived[k]);
        run.has_arrived[k] = true;
        fed_buffer()[k] = fed.given[k];
    }
}

static int arrived(struct allfold_feed *feed, bool waits, uint32_t *count)
{
    assert_ptr_equal(feed, &fed.feed);
    assert_true(!waits || run.may_wait);
    uint32_t more = (waits ? 1 : 0) + random_below(&run.seed, 2);
    for (; more > 0 && fed.arrived < feed->in_count; more--) {
        if (fed.arrived == fed.fails_at) {
            run.failed = true;
            run.had_in_flight = run.in_flight > 0;
            return FAULT;
        }
        arrive(feed->order[fed.arrived++]);
    }
    *count = fed.arrived;
    return 0;
}

static void leave(struct allfold_feed *feed, uint32_t segment)
{
    for (size_t k = allfold_fed_begin(&feed->out, segment);
         k < allfold_fed_end(&feed->out, segment); k++)
        fed.left[k] = run.out[k];
    fed.leaves++;
}

/* A random part of a buffer, in random segments. */
static struct allfold_fed random_part(int buffer)
{
    const size_t first = random_below(&run.seed, ELEMENTS);
    return (struct allfold_fed){.buffer = buffer,
                                .first = first,
                                .end = first +
                                       random_below(&run.seed, (uint32_t)(ELEMENTS + 1 - first)),
                                .segment = 1 + random_below(&run.seed, 6)};
}

/* Takes the data away that are to arrive. */
static uint32_t *begin_fed(const struct allfold_schedule *schedule)
{
    const int buffer = random_below(&run.seed, 2) == 0 ? ALLFOLD_IN : ALLFOLD_OUT;
    memset(&fed, 0, sizeof fed);
    fed.fails_at = UINT32_MAX;
    fed.feed = (struct allfold_feed){.arrived = arrived,
                                     .leave = leave,
                                     .in = random_part(buffer),
                                     .out = random_part(ALLFOLD_OUT)};
    memcpy(fed.given, fed_buffer(), sizeof fed.given);
    for (size_t k = 0; k < ELEMENTS; k++)
        run.has_arrived[k] = k < fed.feed.in.first || k >= fed.feed.in.end;
    for (size_t k = fed.feed.in.first; k < fed.feed.in.end; k++)
        fed_buffer()[k] = 0xdddddddd;
    uint32_t *memory = malloc(sizeof *memory * allfold_feed_words(&fed.feed, schedule) + 1);
    assert_non_null(memory);
    allfold_feed_make(&fed.feed, schedule, memory);
    run.feed = &fed.feed;
    return memory;
}

/* What no step touches may be still to arrive. */
static void arrive_late(void)
{
    while (fed.arrived < fed.feed.in_count)
        arrive(fed.feed.order[fed.arrived++]);
}

/* What some step writes has left, as it is in the end; all else has stayed. */
static void check_left(const struct allfold_schedule *schedule, const uint32_t *expected)
{
    uint32_t leaves = 0;
    for (uint32_t s = 0; s < fed.feed.out_count; s++) {
        const size_t begin = allfold_fed_begin(&fed.feed.out, s);
        const size_t end = allfold_fed_end(&fed.feed.out, s);
        bool is_written = false;
        for (uint32_t i = 0; i < schedule->step_count; i++) {
            const struct allfold_step *step = &schedule->steps[i];
            is_written |= step->kind != ALLFOLD_STEP_SEND && step->buffer[0] == ALLFOLD_OUT &&
                          step->offset[0] < end && begin < step->offset[0] + step->length;
        }
        leaves += is_written;
        if (is_written)
            assert_memory_equal(&fed.left[begin], &expected[begin],
                                (end - begin) * sizeof *expected);
    }
    assert_int_equal(fed.leaves, leaves);
}

static void test_random_programs(void **state)
{
    (void)state;
    static const uint32_t windows[] = {1, 4, ALLFOLD_MAX_WINDOW};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct allfold_schedule *schedule = random_schedule(seed);
        for (size_t i = 0; i < LENGTH(windows); i++) {
            struct allfold_executor *executor = allfold_executor_create(schedule, windows[i]);
            assert_non_null(executor);
            for (uint64_t again = 0; again < 12; again++) {
                uint32_t expected[ELEMENTS];
                begin_run(schedule, windows[i], 100 * seed + again);
                run_in_order(expected);
                fill_buffers();
                uint32_t *memory = begin_fed(schedule);
                assert_int_equal(drive(executor, again % DRIVES), 0);
                arrive_late();
                allfold_feed_end(&fed.feed);
                check_success(expected);
                check_left(schedule, expected);
                free(memory);
            }
            allfold_executor_free(executor);
        }
        allfold_schedule_free(schedule);
    }
}

/* The run ends with the error, or goes without the segment where no step touches it. */
static void test_errors(void **state)
{
    (void)state;
    int seen = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct allfold_schedule *schedule = random_schedule(seed);
        struct allfold_executor *executor = allfold_executor_create(schedule, 4);
        assert_non_null(executor);
        uint32_t expected[ELEMENTS];
        begin_run(schedule, 4, seed);
        run_in_order(expected);
        fill_buffers();
        uint32_t *memory = begin_fed(schedule);
        fed.fails_at = random_below(&run.seed, 1 + fed.feed.in_count);
        const int error = drive(executor, seed % DRIVES);
        assert_int_equal(error, run.failed ? FAULT : 0);
        seen += error == FAULT;
        free(memory);
        allfold_executor_free(executor);
        allfold_schedule_free(schedule);
    }
    assert_true(seen > 10);
}

/* Segments come in the order in which a ring goes through its blocks, not in that of memory. */
static void test_order(void **state)
{
    (void)state;
    const struct allfold_shape shape = {.group = allfold_group_all(4, 2), .in_length = 12};
    struct allfold_builder *s = allfold_builder_create(&shape);
    struct allfold_schedule *schedule;
    send_to(s, 3, span(ALLFOLD_IN, 6, 3));
    send_to(s, 3, span(ALLFOLD_IN, 3, 3));
    send_to(s, 3, span(ALLFOLD_IN, 0, 3));
    assert_int_equal(allfold_builder_freeze(s, &schedule), ALLFOLD_OK);
    struct allfold_feed feed = {.in = {ALLFOLD_IN, 0, 12, 3}};
    uint32_t memory[64];
    assert_true(allfold_feed_words(&feed, schedule) <= LENGTH(memory));
    allfold_feed_make(&feed, schedule, memory);
    static const uint32_t order[] = {2, 1, 0, 3};
    assert_memory_equal(feed.order, order, sizeof order);
    allfold_schedule_free(schedule);
    allfold_builder_free(s);
}

static bool left[3];

static void note_left(struct allfold_feed *feed, uint32_t segment)
{
    (void)feed;
    assert_false(left[segment]);
    left[segment] = true;
}

static void check_which(bool first, bool second, bool third)
{
    assert_int_equal(left[0], first);
    assert_int_equal(left[1], second);
    assert_int_equal(left[2], third);
}

/* As in an allgather in place, the own block arrives and the others are received. The segment that
 * has some of both leaves once both are there; that of the own block alone never does. */
static void test_in_place(void **state)
{
    (void)state;
    const struct allfold_shape shape = {.group = allfold_group_all(2, 1), .out_length = 12};
    struct allfold_builder *s = allfold_builder_create(&shape);
    struct allfold_schedule *schedule;
    send_to(s, 0, span(ALLFOLD_OUT, 6, 6));
    recv_from(s, 0, span(ALLFOLD_OUT, 0, 6));
    assert_int_equal(allfold_builder_freeze(s, &schedule), ALLFOLD_OK);
    for (int how = 0; how < 3; how++) {
        struct allfold_feed feed = {
            .in = {ALLFOLD_OUT, 6, 12, 3}, .out = {ALLFOLD_OUT, 0, 12, 4}, .leave = note_left};
        uint32_t memory[64];
        memset(left, 0, sizeof left);
        assert_true(allfold_feed_words(&feed, schedule) <= LENGTH(memory));
        allfold_feed_make(&feed, schedule, memory);
        if (how == 0)
            allfold_feed_note_arrival(&feed, 0);
        check_which(false, false, false);
        for (uint32_t i = 0; i < schedule->step_count; i++)
            allfold_feed_note_step(&feed, &schedule->steps[i]);
        check_which(true, how == 0, false);
        if (how == 1)
            allfold_feed_note_arrival(&feed, 0);
        check_which(true, how < 2, false);
        if (how < 2)
            allfold_feed_note_arrival(&feed, 1);
        allfold_feed_end(&feed); /* where the run did not wait for the arrivals */
        check_which(true, true, false);
    }
    allfold_schedule_free(schedule);
    allfold_builder_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs),
                                       cmocka_unit_test(test_errors), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_in_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
