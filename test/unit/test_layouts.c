/* Scratch memory for datatypes of every layout: buffers never overlap, are aligned, and are not
 * larger than needed. Also where the executor takes elements to be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "execute/executor.h"
#include "schedule/verbs.h"
#include "support.h"

enum { ELEMENTS = 16 };

/* Datatypes: extent, and the bytes that an element touches. */
static const struct allfold_elements layouts[] = {
    {.extent_bytes = 4, .low_bytes = 0, .high_bytes = 4},
    {.extent_bytes = 1, .low_bytes = 0, .high_bytes = 1},
    {.extent_bytes = 24, .low_bytes = 0, .high_bytes = 10},     /* a gap at the end */
    {.extent_bytes = 24, .low_bytes = 8, .high_bytes = 24},     /* a gap at the begin */
    {.extent_bytes = 8, .low_bytes = 0, .high_bytes = 40},      /* elements interleave */
    {.extent_bytes = 0, .low_bytes = 0, .high_bytes = 4},       /* all in one place */
    {.extent_bytes = 16, .low_bytes = -20, .high_bytes = -4},   /* before their address */
    {.extent_bytes = 16, .low_bytes = -200, .high_bytes = 300}, /* around it */
    {.extent_bytes = 16, .low_bytes = 64, .high_bytes = 80},    /* far behind it */
    {.extent_bytes = 256, .low_bytes = 130, .high_bytes = 136},
    {.extent_bytes = -8, .low_bytes = 0, .high_bytes = 8}, /* downwards */
    {.extent_bytes = -24, .low_bytes = -12, .high_bytes = -4},
    {.extent_bytes = -24, .low_bytes = 100, .high_bytes = 130},
    {.extent_bytes = -4, .low_bytes = -10, .high_bytes = 60},
};

static const size_t lengths[] = {5, 0, 1, 17, 3, 64};
enum { BUFFERS = sizeof lengths / sizeof *lengths };

/* Byte ranges that the buffers were seen to take. */
static struct {
    const struct allfold_elements *elements;
    char *arena;
    size_t arena_bytes;
    char *low[BUFFERS], *high[BUFFERS];
} seen;

/* Writes all bytes of a scratch buffer, whose number the message's length tells. */
static int touching_receive(struct allfold_transport *transport,
                            const struct allfold_message *message)
{
    (void)transport;
    size_t b = 0;
    while (lengths[b] != message->length)
        b++;
    char *element = message->data;
    assert_int_equal((element - seen.arena) % 64, 0); /* aligned as the type may expect */
    for (size_t i = 0; i < message->length; i++, element += seen.elements->extent_bytes) {
        char *low = element + seen.elements->low_bytes, *high = element + seen.elements->high_bytes;
        assert_true(low >= seen.arena && high <= seen.arena + seen.arena_bytes);
        memset(low, (int)b, (size_t)(high - low));
        seen.low[b] = i == 0 || low < seen.low[b] ? low : seen.low[b];
        seen.high[b] = i == 0 || high > seen.high[b] ? high : seen.high[b];
    }
    return 0;
}

/* A send tells where its span is: element 3 of the longest scratch buffer, of IN, of OUT. */
static const char *third[3];
static int telling_send(struct allfold_transport *transport, const struct allfold_message *message)
{
    (void)transport;
    third[message->number] = message->data;
    return 0;
}

static int ending_wait(struct allfold_transport *transport, uint32_t oldest, uint32_t *slots,
                       uint32_t *count)
{
    (void)transport;
    *count = 1;
    slots[0] = oldest;
    return 0;
}

static struct allfold_schedule *schedule_of_buffers(void)
{
    const struct allfold_shape shape = {
        .group = allfold_group_all(4, 0), .in_length = ELEMENTS, .out_length = ELEMENTS};
    struct allfold_builder *s = allfold_builder_create(&shape);
    assert_non_null(s);
    struct allfold_span last = {0, 0, 0};
    for (size_t b = 0; b < BUFFERS; b++) {
        last = scratch(s, lengths[b]);
        recv_from(s, 1, last);
    }
    send_to(s, 1, part(last, 3, 1));
    send_to(s, 1, span(ALLFOLD_IN, 3, 1));
    send_to(s, 1, span(ALLFOLD_OUT, 3, 1));
    struct allfold_schedule *schedule;
    assert_int_equal(allfold_builder_freeze(s, &schedule), ALLFOLD_OK);
    allfold_builder_free(s);
    return schedule;
}

static void check_layout(const struct allfold_schedule *schedule,
                         const struct allfold_elements *elements, struct allfold_executor *executor)
{
    static char user[2][8192];
    static const struct allfold_transport_operations operations = {
        .send = telling_send, .receive = touching_receive, .wait = ending_wait};
    struct allfold_transport transport = {.operations = &operations};
    memset(&seen, 0, sizeof seen);
    seen.elements = elements;
    seen.arena_bytes = allfold_executor_scratch_bytes(schedule, elements);
    seen.arena = aligned_alloc(64, (seen.arena_bytes + 63) / 64 * 64);
    assert_non_null(seen.arena);
    const struct allfold_binding binding = {
        user[0] + 4096, user[1] + 4096, seen.arena, elements, &transport, 0, NULL};
    assert_int_equal(allfold_executor_start(executor, &binding), 0);
    assert_int_equal(allfold_executor_wait(executor), 0);
    const ptrdiff_t ahead = 3 * elements->extent_bytes;
    const ptrdiff_t lowest = elements->extent_bytes < 0 ? 63 * elements->extent_bytes : 0;
    assert_ptr_equal(third[0], seen.low[BUFFERS - 1] - elements->low_bytes - lowest + ahead);
    assert_ptr_equal(third[1], user[0] + 4096 + ahead);
    assert_ptr_equal(third[2], user[1] + 4096 + ahead);
    size_t used = 0;
    for (size_t a = 0; a < BUFFERS; a++) {
        used += (size_t)(seen.high[a] - seen.low[a]);
        for (size_t b = 0; b < a; b++)
            assert_true(seen.high[a] <= seen.low[b] || seen.high[b] <= seen.low[a]);
    }
    /* element 0 aligned, the end aligned: less than 2 * 64 lost on each buffer that has elements */
    const size_t one = (size_t)(elements->high_bytes - elements->low_bytes);
    assert_true(seen.arena_bytes <= used + one + BUFFERS * 128);
    free(seen.arena);
}

static void test_layouts(void **state)
{
    (void)state;
    struct allfold_schedule *schedule = schedule_of_buffers();
    struct allfold_executor *executor = allfold_executor_create(schedule, ALLFOLD_WINDOW);
    assert_non_null(executor);
    for (size_t i = 0; i < LENGTH(layouts); i++)
        check_layout(schedule, &layouts[i], executor);
    allfold_executor_free(executor);
    allfold_schedule_free(schedule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layouts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
