/* Straight runs: what comes into their lists, in which order, and what they do after an error. That
 * they give right results is a matter of test_shared_memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/algorithm.h"
#include "transport/shared_memory.h"
#include "execute/executor.h"
#include "execute/straight_run.h"
#include "schedule/verbs.h"

enum { ELEMENTS = 4, EXTENT = 8 };

static struct allfold_schedule *freeze(struct allfold_builder *s)
{
    struct allfold_schedule *schedule;
    assert_int_equal(allfold_builder_freeze(s, &schedule), ALLFOLD_OK);
    allfold_builder_free(s);
    return schedule;
}

static struct allfold_builder *begin(int p, int rank)
{
    const struct allfold_shape shape = {
        .group = allfold_group_all(p, rank), .in_length = ELEMENTS, .out_length = ELEMENTS};
    struct allfold_builder *s = allfold_builder_create(&shape);
    assert_non_null(s);
    return s;
}

/* The list of a schedule whose scratch buffers begin 1000 bytes from each other; or NULL. */
static struct allfold_straight *list_of(const struct allfold_schedule *schedule)
{
    ptrdiff_t places[ALLFOLD_MAX_BUFFERS];
    uint32_t waits_for[ALLFOLD_STRAIGHT_STEPS];
    for (int i = 0; i < ALLFOLD_MAX_BUFFERS; i++)
        places[i] = 1000 * (i - ALLFOLD_SCRATCH);
    const size_t bytes = allfold_straight_bytes(schedule);
    struct allfold_straight *straight = bytes == 0 ? NULL : malloc(bytes);
    if (straight == NULL || allfold_straight_make(straight, schedule, EXTENT, places, waits_for))
        return straight;
    free(straight);
    return NULL;
}

static void test_sends_go_first(void **state)
{
    (void)state;
    struct allfold_builder *s = begin(4, 0);
    const int a = scratch(s, ELEMENTS).buffer, b = scratch(s, ELEMENTS).buffer;
    recv_from(s, 1, span(a, 0, 2));
    recv_from(s, 2, span(b, 1, 1));
    reduce(s, span(ALLFOLD_OUT, 0, 2), span(ALLFOLD_IN, 0, 2), span(a, 0, 2));
    send_to(s, 3, span(ALLFOLD_OUT, 0, 2));
    send_to(s, 3, span(ALLFOLD_IN, 1, 3));
    send_to(s, 1, span(ALLFOLD_IN, 0, 1));
    copy(s, span(ALLFOLD_OUT, 3, 1), span(b, 1, 1));
    struct allfold_schedule *schedule = freeze(s);
    struct allfold_straight *list = list_of(schedule);
    assert_non_null(list);
    const struct allfold_straight_step expected[] = {
        {.sends = true, .peer = 1, .length = 1}, /* the second one to 3 waits for the first */
        {.base = {ALLFOLD_FROM_OUT, ALLFOLD_FROM_IN, ALLFOLD_FROM_SLOT},
         .reduces = true,
         .peer = 1,
         .length = 2},
        {.base = {ALLFOLD_FROM_OUT}, .sends = true, .peer = 3, .length = 2},
        {.sends = true, .peer = 3, .length = 3, .at_bytes = {EXTENT}},
        {.base = {ALLFOLD_FROM_SCRATCH, ALLFOLD_FROM_SLOT},
         .peer = 2,
         .length = 1,
         .at_bytes = {1000 + EXTENT}},
        {.base = {ALLFOLD_FROM_OUT, ALLFOLD_FROM_SCRATCH},
         .peer = -1,
         .length = 1,
         .at_bytes = {3 * EXTENT, 1000 + EXTENT}},
    };
    assert_int_equal(list->count, sizeof expected / sizeof *expected);
    assert_int_equal(list->longest, 3);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct allfold_straight_step *is = &list->steps[i], *shall = &expected[i];
        assert_memory_equal(is->base, shall->base, sizeof is->base);
        assert_memory_equal(is->at_bytes, shall->at_bytes, sizeof is->at_bytes);
        assert_int_equal(is->sends, shall->sends);
        assert_int_equal(is->reduces, shall->reduces);
        assert_int_equal(is->peer, shall->peer);
        assert_int_equal(is->length, shall->length);
    }
    free(list);
    allfold_schedule_free(schedule);
}

/* Sends to one peer must find room whatever that one waits for. */
static void test_bounds(void **state)
{
    (void)state;
    for (int sends = ALLFOLD_STRAIGHT_SENDS; sends <= ALLFOLD_STRAIGHT_SENDS + 1; sends++) {
        struct allfold_builder *s = begin(3, 0);
        for (int i = 0; i < sends; i++) {
            send_to(s, 1, span(ALLFOLD_IN, 0, 1));
            send_to(s, 2, span(ALLFOLD_IN, 0, 1));
        }
        struct allfold_schedule *schedule = freeze(s);
        struct allfold_straight *list = list_of(schedule);
        assert_int_equal(list != NULL, sends == ALLFOLD_STRAIGHT_SENDS);
        free(list);
        allfold_schedule_free(schedule);
    }
    struct allfold_builder *s = begin(ALLFOLD_STRAIGHT_STEPS + 2, 0);
    for (int i = 0; i <= ALLFOLD_STRAIGHT_STEPS; i++)
        send_to(s, i + 1, span(ALLFOLD_IN, 0, 1));
    struct allfold_schedule *schedule = freeze(s);
    assert_int_equal(allfold_straight_bytes(schedule), 0);
    allfold_schedule_free(schedule);
}

static int no_reduce(const struct allfold_elements *elements, void *to, const void *left,
                     const void *right, size_t count)
{
    (void)elements, (void)to, (void)left, (void)right, (void)count;
    return 17;
}

static int plain_copy(const struct allfold_elements *elements, void *to, const void *from,
                      size_t count)
{
    memcpy(to, from, count * (size_t)elements->extent_bytes);
    return 0;
}

/* Two ranks in one thread, so nothing may wait: the run goes as far as it can. */
static void test_tests_and_errors(void **state)
{
    (void)state;
    enum { BUFFER = 64 };
    const size_t bytes = allfold_shared_bytes(2, BUFFER);
    void *memory = aligned_alloc(64, bytes);
    memset(memory, 0, bytes);
    const int index_of[] = {0, 1};
    const struct allfold_elements elements = {
        .extent_bytes = EXTENT, .high_bytes = EXTENT, .reduce = no_reduce, .copy = plain_copy};
    uint64_t in[ELEMENTS] = {1, 2, 3, 4}, out[2][ELEMENTS] = {{0}};
    _Alignas(64) uint64_t room[64];
    struct allfold_shared_memory *shared[2];
    struct allfold_executor *executors[2];
    struct allfold_schedule *schedules[2];
    bool done;
    for (int r = 0; r < 2; r++) {
        struct allfold_builder *s = begin(2, r);
        const int a = scratch(s, ELEMENTS).buffer;
        if (r == 0) {
            send_to(s, 1, span(ALLFOLD_IN, 0, 2));
        } else {
            recv_from(s, 0, span(a, 0, 2));
            reduce(s, span(ALLFOLD_OUT, 0, 2), span(a, 0, 2), span(ALLFOLD_IN, 0, 2));
        }
        schedules[r] = freeze(s);
        executors[r] = allfold_executor_create(schedules[r], ALLFOLD_WINDOW);
        shared[r] = allfold_shared_create(&(struct allfold_shared_options){
            .memory = memory, .size = 2, .index = r, .index_of = index_of, .buffer_bytes = BUFFER});
        allfold_shared_begin(shared[r], EXTENT);
    }
    for (int r = 1; r >= 0; r--) {
        const struct allfold_binding binding = {
            in, out[r], room, &elements, allfold_shared_transport(shared[r]), 0, NULL};
        assert_int_equal(allfold_executor_start(executors[r], &binding), 0);
        assert_int_equal(allfold_executor_test(executors[r], &done), 0);
        assert_int_equal(done, r == 0);
    }
    assert_int_equal(allfold_executor_test(executors[1], &done), 17);
    assert_true(done);
    assert_false(allfold_shared_is_broken(shared[0]));
    assert_false(allfold_shared_is_broken(shared[1])); /* the run went on to its end */
    for (int r = 0; r < 2; r++) {
        allfold_executor_free(executors[r]);
        allfold_schedule_free(schedules[r]);
        allfold_shared_free(shared[r]);
    }
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sends_go_first),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_tests_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
