/* The schedule language: what each verb makes and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "schedule/hazards.h"
#include "algorithms/algorithm.h"
#include "schedule/verbs.h"
#include "support.h"
#include "support_builder.h"
#include "util/memory.h"

static void test_print(void **state)
{
    (void)state;
    struct allfold_builder *s = plain_builder();
    const struct allfold_span tmp = scratch(s, 5), tmp2 = scratch(s, 3);
    exchange(s, 2, span(ALLFOLD_IN, 5, 5), 3, tmp);
    recv_from(s, 3, tmp2);
    reduce(s, span(ALLFOLD_OUT, 0, 5), tmp, span(ALLFOLD_IN, 0, 5));
    reduce(s, span(ALLFOLD_OUT, 2, 3), span(ALLFOLD_OUT, 2, 3), tmp2);
    copy(s, range(ALLFOLD_OUT, 5, 10), span(ALLFOLD_OUT, 0, 5));
    send_to(s, 2, part(range(ALLFOLD_OUT, 2, 10), 1, 4));
    assert_prints(s, "0: send to 2 #0 IN[5,10)\n"
                     "1: receive from 3 #0 TMP0[0,5)\n"
                     "2: receive from 3 #1 TMP1[0,3)\n"
                     "3: reduce OUT[0,5) = TMP0[0,5) o IN[0,5)  after 1\n"
                     "4: reduce OUT[2,5) = OUT[2,5) o TMP1[0,3)  after 2 3\n"
                     "5: copy OUT[5,10) = OUT[0,5)  after 3 4\n"
                     "6: send to 2 #1 OUT[3,7)  after 4 5\n");
}

static void test_frozen_fields(void **state)
{
    (void)state;
    struct allfold_builder *s = plain_builder();
    const struct allfold_span tmp = scratch(s, 7);
    assert_int_equal(tmp.buffer, ALLFOLD_SCRATCH);
    assert_int_equal(tmp.offset, 0);
    assert_int_equal(tmp.length, 7);
    scratch(s, 0);
    recv_from(s, 0, part(tmp, 2, 4));
    reduce(s, span(ALLFOLD_OUT, 1, 4), part(tmp, 2, 4), span(ALLFOLD_IN, 3, 4));
    struct allfold_schedule *schedule = frozen(s);
    assert_int_equal(schedule->step_count, 2);
    assert_int_equal(schedule->message_count, 1);
    assert_int_equal(schedule->edge_count, 1);
    assert_int_equal(schedule->root_count, 1);
    assert_int_equal(schedule->buffer_count, 4);
    assert_int_equal(schedule->buffer_length[ALLFOLD_IN], 10);
    assert_int_equal(schedule->buffer_length[ALLFOLD_SCRATCH], 7);
    assert_int_equal(allfold_schedule_scratch(schedule), 7);
    assert_int_equal(schedule->message_step[0], 0);
    const struct allfold_step *step = &schedule->steps[1];
    assert_int_equal(step->kind, ALLFOLD_STEP_REDUCE);
    assert_int_equal(step->peer, -1);
    assert_int_equal(step->length, 4);
    static const int buffers[] = {ALLFOLD_OUT, ALLFOLD_SCRATCH, ALLFOLD_IN};
    static const size_t offsets[] = {1, 2, 3};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(step->buffer[i], buffers[i]);
        assert_int_equal(step->offset[i], offsets[i]);
    }
    allfold_schedule_free(schedule);
    assert_prints(plain_builder(), ""); /* no steps are a schedule too */
    allfold_schedule_free(NULL);
    allfold_builder_free(NULL);
}

/* A copy of IN is sent from IN, whole or in part; not what was written over it, or is a copy of
 * something else. */
static void test_sends_of_copies(void **state)
{
    (void)state;
    struct allfold_builder *s = plain_builder();
    const struct allfold_span out = span(ALLFOLD_OUT, 2, 6), tmp = scratch(s, 2);
    copy(s, out, span(ALLFOLD_IN, 1, 6));
    send_to(s, 0, part(out, 2, 3));
    send_to(s, 0, span(ALLFOLD_OUT, 1, 3));
    recv_from(s, 0, span(ALLFOLD_OUT, 3, 1));
    send_to(s, 0, out);
    send_to(s, 0, part(out, 0, 1));
    copy(s, tmp, span(ALLFOLD_OUT, 3, 2));
    send_to(s, 0, tmp);
    struct allfold_schedule *schedule = frozen(s);
    static const int buffers[] = {ALLFOLD_OUT, ALLFOLD_IN, ALLFOLD_OUT,     ALLFOLD_OUT,
                                  ALLFOLD_OUT, ALLFOLD_IN, ALLFOLD_SCRATCH, ALLFOLD_SCRATCH};
    static const size_t offsets[] = {2, 3, 1, 3, 2, 1, 0, 0}, lengths[] = {6, 3, 3, 1, 6, 1, 2, 2};
    assert_int_equal(schedule->step_count, LENGTH(buffers));
    for (size_t i = 0; i < LENGTH(buffers); i++) {
        assert_int_equal(schedule->steps[i].buffer[0], buffers[i]);
        assert_int_equal(schedule->steps[i].offset[0], offsets[i]);
        assert_int_equal(schedule->steps[i].length, lengths[i]);
    }
    assert_int_equal(schedule->waits_for[1], 0);
    assert_int_equal(schedule->waits_for[2], 1);
    allfold_schedule_free(schedule);

    s = builder_of(4, 1, 4, 10, true);
    copy(s, span(ALLFOLD_OUT, 6, 4), span(ALLFOLD_IN, 0, 4));
    send_to(s, 0, span(ALLFOLD_OUT, 6, 4));
    schedule = frozen(s);
    assert_int_equal(schedule->steps[1].buffer[0], ALLFOLD_OUT); /* in place IN may be written */
    assert_int_equal(schedule->steps[1].offset[0], 6);
    allfold_schedule_free(schedule);
}

static const size_t LARGE = (size_t)-3; /* wraps when something is added to it */

static void test_spans_outside_their_buffers(void **state)
{
    (void)state;
    struct allfold_builder *s = plain_builder();
    send_to(s, 0, span(ALLFOLD_IN, 7, 4));
    assert_refused(s, "send_to at step 0: 4 elements at 7 of IN, which has 10");
    s = plain_builder();
    send_to(s, 0, span(ALLFOLD_IN, 0, 10));
    recv_from(s, 0, span(ALLFOLD_OUT, 11, 0));
    assert_refused(s, "recv_from at step 1: 0 elements at 11 of OUT, which has 10");
    s = plain_builder();
    recv_from(s, 0, span(ALLFOLD_SCRATCH, 0, 1));
    assert_refused(s, "recv_from at step 0: 1 elements at 0 of TMP0, which has 0");
    s = plain_builder();
    send_to(s, 0, span(-1, 0, 1));
    assert_refused(s, "send_to at step 0: 1 elements at 0 of buffer -1, which has 0");
    s = plain_builder();
    send_to(s, 0, span(ALLFOLD_IN, LARGE, 8));
    assert_refused(s, "send_to at step 0: 8 elements at 18446744073709551613 of IN, which has 10");
    s = plain_builder();
    send_to(s, 0, span(ALLFOLD_IN, 8, LARGE));
    assert_refused(s, "send_to at step 0: 18446744073709551613 elements at 8 of IN, which has 10");
    s = plain_builder();
    struct allfold_span tmp = scratch(s, 4);
    reduce(s, tmp, span(ALLFOLD_IN, 0, 4), part(tmp, 0, 5));
    assert_refused(s, "reduce at step 0: 5 elements at 0 of TMP0, which has 4");
    s = plain_builder();
    tmp = scratch(s, 4);
    copy(s, range(ALLFOLD_OUT, 6, 10), part(tmp, 1, 4));
    assert_refused(s, "copy at step 0: 4 elements at 1 of TMP0, which has 4");
}

static void test_wrong_peers(void **state)
{
    (void)state;
    struct allfold_builder *s = plain_builder();
    send_to(s, 4, span(ALLFOLD_IN, 0, 1));
    assert_refused(s, "send_to at step 0: peer 4, which is not in the group (p = 4)");
    s = plain_builder();
    recv_from(s, -1, span(ALLFOLD_OUT, 0, 1));
    assert_refused(s, "recv_from at step 0: peer -1, which is not in the group (p = 4)");
    s = plain_builder();
    send_to(s, 1, span(ALLFOLD_IN, 0, 1));
    assert_refused(s, "send_to at step 0: peer 1, which is this rank itself (p = 4)");
}

static void test_wrong_operands(void **state)
{
    (void)state;
    const struct allfold_span in = span(ALLFOLD_IN, 0, 4), out = span(ALLFOLD_OUT, 0, 4);
    struct allfold_builder *s = plain_builder();
    recv_from(s, 0, in);
    assert_refused(s, "recv_from at step 0 writes into IN");
    s = plain_builder();
    reduce(s, in, in, out);
    assert_refused(s, "reduce at step 0 writes into IN");
    s = plain_builder();
    copy(s, in, out);
    assert_refused(s, "copy at step 0 writes into IN");
    s = builder_of(4, 1, 10, 10, true); /* not in place either: other ranks' are not */
    copy(s, in, span(ALLFOLD_OUT, 5, 4));
    assert_refused(s, "copy at step 0 writes into IN");
    s = plain_builder();
    reduce(s, out, part(in, 0, 3), in);
    assert_refused(s, "reduce at step 0: lengths 4 = 3 o 4 differ");
    s = plain_builder();
    reduce(s, out, in, part(in, 0, 2));
    assert_refused(s, "reduce at step 0: lengths 4 = 4 o 2 differ");
    s = plain_builder();
    copy(s, out, part(in, 0, 3));
    assert_refused(s, "copy at step 0: spans of 4 and 3 elements overlap or differ");
}

static void test_partial_overlap(void **state)
{
    (void)state;
    const struct allfold_span in = span(ALLFOLD_IN, 0, 4), out = span(ALLFOLD_OUT, 3, 4);
    for (size_t offset = 0; offset <= 6; offset++) {
        if (offset == 3)
            continue;
        struct allfold_builder *s = plain_builder();
        reduce(s, out, span(ALLFOLD_OUT, offset, 4), in);
        assert_refused(s, "reduce at step 0 overlaps an operand in part");
        s = plain_builder();
        reduce(s, out, in, span(ALLFOLD_OUT, offset, 4));
        assert_refused(s, "reduce at step 0 overlaps an operand in part");
        s = plain_builder();
        copy(s, out, span(ALLFOLD_OUT, offset, 4));
        assert_refused(s, "copy at step 0: spans of 4 and 4 elements overlap or differ");
        s = builder_of(4, 1, 10, 10, true);
        copy(s, out, span(ALLFOLD_IN, offset, 4));
        assert_refused(s, "copy at step 0: spans of 4 and 4 elements overlap or differ");
    }
    struct allfold_builder *s = plain_builder(); /* neighbors, operands among themselves, itself */
    reduce(s, range(ALLFOLD_OUT, 2, 4), range(ALLFOLD_OUT, 0, 2), range(ALLFOLD_OUT, 4, 6));
    reduce(s, range(ALLFOLD_OUT, 6, 8), range(ALLFOLD_OUT, 0, 2), range(ALLFOLD_OUT, 1, 3));
    reduce(s, range(ALLFOLD_OUT, 6, 8), range(ALLFOLD_OUT, 6, 8), range(ALLFOLD_OUT, 6, 8));
    struct allfold_schedule *schedule = frozen(s);
    assert_int_equal(schedule->step_count, 3);
    allfold_schedule_free(schedule);
}

static void test_scratch_limit(void **state)
{
    (void)state;
    enum { MOST = ALLFOLD_MAX_BUFFERS - ALLFOLD_SCRATCH };
    for (int wanted = MOST; wanted <= MOST + 1; wanted++) {
        struct allfold_builder *s = plain_builder();
        for (int i = 0; i < wanted; i++)
            recv_from(s, 0, scratch(s, 3));
        if (wanted > MOST) {
            assert_refused(s, "more than 126 scratch buffers");
            continue;
        }
        struct allfold_schedule *schedule = frozen(s);
        assert_int_equal(schedule->buffer_count, ALLFOLD_MAX_BUFFERS);
        assert_int_equal(schedule->steps[MOST - 1].buffer[0], ALLFOLD_MAX_BUFFERS - 1);
        allfold_schedule_free(schedule);
    }
}

static void test_empty_spans_leave_no_steps(void **state)
{
    (void)state;
    struct allfold_builder *s = plain_builder();
    const struct allfold_span none = span(ALLFOLD_OUT, 10, 0);
    const struct allfold_span empty = scratch(s, 0);
    send_to(s, 0, span(ALLFOLD_IN, 0, 0));
    recv_from(s, 0, none);
    reduce(s, none, empty, none);
    copy(s, none, empty);
    exchange(s, 0, span(ALLFOLD_IN, 0, 1), 0, span(ALLFOLD_OUT, 0, 1));
    /* both sides leave the empty message out, so those that are left count from 0 */
    assert_prints(s, "0: send to 0 #0 IN[0,1)\n1: receive from 0 #0 OUT[0,1)\n");
}

/* Peers in an order that is not theirs, several messages each, both directions. */
static void test_message_numbers(void **state)
{
    (void)state;
    enum { P = 3001, ROUNDS = 3 };
    struct allfold_builder *s = builder_of(P, 7, 1, 1, false);
    uint32_t messages = 0;
    for (uint32_t k = 0; k < ROUNDS; k++)
        for (int i = 0; i < P; i++) {
            const int peer = (int)((unsigned)i * 1237u % P);
            if (peer == 7)
                continue;
            for (int twice = 0; twice <= peer % 2; twice++, messages++)
                send_to(s, peer, span(ALLFOLD_IN, 0, 1));
            recv_from(s, peer, span(ALLFOLD_OUT, 0, 1));
            messages++;
        }
    struct allfold_schedule *schedule = frozen(s);
    assert_int_equal(schedule->message_count, messages);
    static uint32_t next[P][2];
    for (uint32_t i = 0; i < messages; i++) {
        const struct allfold_step *step = &schedule->steps[i];
        assert_int_equal(step->number, next[step->peer][step->kind]++);
        assert_int_equal(step->message, i);
        assert_int_equal(schedule->message_step[i], i);
    }
    for (int peer = 0; peer < P; peer++) {
        assert_int_equal(next[peer][ALLFOLD_STEP_SEND], peer == 7 ? 0 : ROUNDS * (1 + peer % 2));
        assert_int_equal(next[peer][ALLFOLD_STEP_RECEIVE], peer == 7 ? 0 : ROUNDS);
    }
    allfold_schedule_free(schedule);
}

/* Programs within frames: other ranks and other spans under the names IN and OUT; and in place,
 * where IN lies in OUT. */

static void test_frames(void **state)
{
    (void)state;
    struct allfold_builder *s = builder_of(12, 5, 10, 10, false);
    const struct allfold_span tmp = scratch(s, 6);
    const struct allfold_group lane = {.size = 4, .index = 1, .first = 2, .stride = 3};
    static const int list[] = {11, 5, 0};
    const struct allfold_group node = {.size = 3, .index = 1, .ranks = list};
    const struct allfold_frame whole =
        allfold_frame_enter(s, &lane, range(ALLFOLD_IN, 2, 8), range(ALLFOLD_OUT, 4, 10));
    send_to(s, 3, span(ALLFOLD_IN, 1, 5));
    recv_from(s, 0, span(ALLFOLD_OUT, 0, 6));
    const struct allfold_frame outer =
        allfold_frame_enter(s, &node, range(ALLFOLD_OUT, 1, 3), part(tmp, 3, 3));
    send_to(s, 0, span(ALLFOLD_IN, 0, 2));
    recv_from(s, 2, span(ALLFOLD_OUT, 1, 2));
    copy(s, part(tmp, 0, 2), span(ALLFOLD_IN, 0, 2));
    allfold_frame_leave(s, outer);
    send_to(s, 2, span(ALLFOLD_OUT, 5, 1));
    allfold_frame_leave(s, whole);
    send_to(s, 11, span(ALLFOLD_IN, 0, 10));
    assert_prints(s, "0: send to 11 #0 IN[3,8)\n"
                     "1: receive from 2 #0 OUT[4,10)\n"
                     "2: send to 11 #1 OUT[5,7)  after 1\n"
                     "3: receive from 0 #0 TMP0[4,6)\n"
                     "4: copy TMP0[0,2) = OUT[5,7)  after 1\n"
                     "5: send to 8 #0 OUT[9,10)  after 1\n"
                     "6: send to 11 #2 IN[0,10)\n");
}

static void test_errors_in_frames(void **state)
{
    (void)state;
    const struct allfold_group pair = {.size = 2, .index = 0, .first = 1, .stride = 2};
    struct allfold_builder *s = plain_builder();
    allfold_frame_enter(s, &pair, range(ALLFOLD_IN, 2, 8), range(ALLFOLD_OUT, 0, 6));
    send_to(s, 1, span(ALLFOLD_IN, 4, 3)); /* inside IN, outside the frame */
    assert_refused(s, "send_to at step 0: 3 elements at 4 of IN, which has 6");
    s = plain_builder();
    allfold_frame_enter(s, &pair, range(ALLFOLD_IN, 2, 8), range(ALLFOLD_OUT, 0, 6));
    recv_from(s, 2, span(ALLFOLD_OUT, 0, 3));
    assert_refused(s, "recv_from at step 0: peer 2, which is not in the group (p = 2)");
    s = plain_builder();
    allfold_frame_enter(s, &pair, range(ALLFOLD_IN, 2, 8), range(ALLFOLD_OUT, 0, 6));
    send_to(s, 0, span(ALLFOLD_IN, 0, 3));
    assert_refused(s, "send_to at step 0: peer 0, which is this rank itself (p = 2)");
    s = plain_builder();
    allfold_frame_enter(s, &pair, range(ALLFOLD_OUT, 0, 6), range(ALLFOLD_OUT, 2, 8));
    copy(s, span(ALLFOLD_OUT, 0, 3), span(ALLFOLD_IN, 0, 3));
    assert_refused(s, "copy at step 0: spans of 3 and 3 elements overlap or differ");
    s = plain_builder();
    allfold_frame_enter(s, &pair, span(ALLFOLD_IN, 2, 9), range(ALLFOLD_OUT, 0, 6));
    assert_int_equal(allfold_builder_error(s), ALLFOLD_BAD_SCHEDULE);
    assert_non_null(strstr(allfold_builder_message(s), "9 elements at 2 of IN, which has 10"));
    allfold_builder_free(s);
}

/* What a frame calls OUT may be the caller's IN around it, which is never written. */
static void test_frame_whose_out_is_in(void **state)
{
    (void)state;
    const struct allfold_group pair = {.size = 2, .index = 0, .first = 1, .stride = 2};
    struct allfold_builder *s = plain_builder();
    allfold_frame_enter(s, &pair, range(ALLFOLD_IN, 0, 5), range(ALLFOLD_IN, 5, 10));
    recv_from(s, 1, span(ALLFOLD_OUT, 0, 5));
    assert_int_equal(allfold_builder_error(s), ALLFOLD_BAD_SCHEDULE);
    assert_non_null(strstr(allfold_builder_message(s), "writes into IN"));
    allfold_builder_free(s);
    s = plain_builder(); /* a rank without an output gives an empty one */
    allfold_frame_enter(s, &pair, range(ALLFOLD_IN, 0, 5), range(ALLFOLD_IN, 5, 5));
    send_to(s, 1, span(ALLFOLD_IN, 0, 5));
    assert_prints(s, "0: send to 3 #0 IN[0,5)\n");
}

static void test_in_place(void **state)
{
    (void)state;
    struct allfold_builder *s = builder_of(4, 1, 10, 10, true);
    const struct allfold_span in = span(ALLFOLD_IN, 0, 10), out = span(ALLFOLD_OUT, 0, 10);
    copy(s, out, in); /* is there already */
    send_to(s, 0, part(in, 0, 5));
    recv_from(s, 0, part(out, 4, 2));
    reduce(s, part(out, 6, 4), part(in, 6, 4), part(in, 0, 4));
    send_to(s, 2, part(in, 5, 5));
    struct allfold_schedule *schedule = NULL;
    assert_int_equal(allfold_builder_freeze(s, &schedule), ALLFOLD_OK);
    assert_int_equal(schedule->buffer_length[ALLFOLD_IN], 0);
    assert_int_equal(schedule->buffer_length[ALLFOLD_OUT], 10);
    allfold_schedule_free(schedule);
    assert_prints(s, "0: send to 0 #0 OUT[0,5)\n"
                     "1: receive from 0 #0 OUT[4,6)  after 0\n"
                     "2: reduce OUT[6,10) = OUT[6,10) o OUT[0,4)\n"
                     "3: send to 2 #0 OUT[5,10)  after 1 2\n");
}

/* Which steps wait for which: those that touch a common element that one of them writes, and no
 * others. Held against a reading of the rule that compares all pairs of steps. */

/* Whether steps touch a common element that one of them writes. */
static bool conflict(const struct allfold_step *a, const struct allfold_step *b)
{
    static const int operands[] = {[ALLFOLD_STEP_SEND] = 1,
                                   [ALLFOLD_STEP_RECEIVE] = 1,
                                   [ALLFOLD_STEP_REDUCE] = 3,
                                   [ALLFOLD_STEP_COPY] = 2};
    for (int i = 0; i < operands[a->kind]; i++)
        for (int j = 0; j < operands[b->kind]; j++) {
            const bool writes = (i == 0 && a->kind != ALLFOLD_STEP_SEND) ||
                                (j == 0 && b->kind != ALLFOLD_STEP_SEND);
            if (writes && a->buffer[i] == b->buffer[j] && a->offset[i] < b->offset[j] + b->length &&
                b->offset[j] < a->offset[i] + a->length)
                return true;
        }
    return false;
}

enum { MOST_STEPS = 64 };

/* Direct edges between conflicting steps alone, forward, each once; waits_for and roots of them. */
static void check_edges(const struct allfold_schedule *schedule, uint64_t seed,
                        bool reach[MOST_STEPS][MOST_STEPS])
{
    uint32_t waits_for[MOST_STEPS] = {0}, roots = 0;
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        assert_true(schedule->first_edge[i] <= schedule->first_edge[i + 1]);
        for (uint32_t e = schedule->first_edge[i]; e < schedule->first_edge[i + 1]; e++) {
            const uint32_t to = schedule->edges[e];
            if (to <= i || to >= schedule->step_count || reach[i][to] ||
                !conflict(&schedule->steps[i], &schedule->steps[to]))
                fail_msg("seed %llu: wrong edge %u -> %u", (unsigned long long)seed, i, to);
            reach[i][to] = true;
            waits_for[to]++;
        }
    }
    assert_int_equal(schedule->first_edge[0], 0);
    assert_int_equal(schedule->first_edge[schedule->step_count], schedule->edge_count);
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        assert_int_equal(schedule->waits_for[i], waits_for[i]);
        if (waits_for[i] == 0)
            assert_int_equal(schedule->roots[roots++], i);
    }
    assert_int_equal(schedule->root_count, roots);
}

/* Any two steps that conflict keep their order, by edges. */
static void check_hazards(const struct allfold_schedule *schedule, uint64_t seed)
{
    static bool reach[MOST_STEPS][MOST_STEPS];
    memset(reach, 0, sizeof reach);
    check_edges(schedule, seed, reach);
    const uint32_t n = schedule->step_count;
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t j = i + 1; j < n; j++)
            for (uint32_t k = j + 1; reach[i][j] && k < n; k++)
                reach[i][k] = reach[i][k] || reach[j][k];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (conflict(&schedule->steps[i], &schedule->steps[j]) && !reach[i][j])
                fail_msg("seed %llu: step %u does not wait for step %u", (unsigned long long)seed,
                         j, i);
}

static void test_hazards_of_random_programs(void **state)
{
    (void)state;
    size_t steps = 0;
    for (uint64_t first = 1; first <= 4000; first++) {
        uint64_t seed = first;
        const size_t length = 1 + random_below(&seed, 12);
        const bool in_place = random_below(&seed, 3) == 0;
        struct allfold_builder *s = builder_of(4, 0, length, length, in_place);
        write_random_program(s, &seed, MOST_STEPS, length, (int)random_below(&seed, 4));
        struct allfold_schedule *schedule = frozen(s);
        steps += schedule->step_count;
        check_hazards(schedule, first);
        allfold_schedule_free(schedule);
    }
    assert_true(steps > 4000 * MOST_STEPS / 2); /* few of the verbs are left out as empty */
}

/* What schedules cost in memory, and what building them does without. */

/* Touches all lists that grow: steps, edges, intervals, readers, peers, scratch. */
static void write_large_program(struct allfold_builder *s)
{
    uint64_t seed = 5;
    write_random_program(s, &seed, 120, 40, 3);
    for (int peer = 1; peer < 40; peer++)
        exchange(s, peer, span(ALLFOLD_OUT, (size_t)peer, 1), peer,
                 span(ALLFOLD_SCRATCH, (size_t)peer, 1));
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    unsigned long n = 1;
    for (enum allfold_error error = ALLFOLD_NO_MEMORY; error != ALLFOLD_OK; n++) {
        const struct allfold_shape shape = {
            .group = allfold_group_all(40, 0), .in_length = 40, .out_length = 40};
        struct allfold_schedule *schedule = (struct allfold_schedule *)(uintptr_t)1;
        allfold_builder_drop_spare();
        allfold_fail_allocation(n);
        struct allfold_builder *s = allfold_builder_create(&shape);
        assert_true((s == NULL) == (n == 1));
        if (s == NULL)
            continue;
        write_large_program(s);
        error = allfold_builder_freeze(s, &schedule);
        assert_true(error == ALLFOLD_OK || error == ALLFOLD_NO_MEMORY);
        assert_true((schedule == NULL) == (error != ALLFOLD_OK));
        if (allfold_builder_error(s) != ALLFOLD_OK)
            assert_non_null(strstr(allfold_builder_message(s), "no memory for step"));
        allfold_builder_free(s);
        allfold_schedule_free(schedule);
    }
    allfold_fail_allocation(0);
    assert_true(n > 20);
}

static void check_failing_build(const char *name)
{
    unsigned long n = 1;
    for (enum allfold_error error = ALLFOLD_NO_MEMORY; error != ALLFOLD_OK; n++) {
        const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                                .group = allfold_group_all(64, 0),
                                                .count = 1000,
                                                .element_bytes = 4,
                                                .commutative = true};
        const struct allfold_algorithm *of = allfold_algorithm_find(ALLFOLD_ALLREDUCE, name);
        const struct allfold_parameters parameters = allfold_parameter_presets(of);
        struct allfold_schedule *schedule = (struct allfold_schedule *)(uintptr_t)1;
        char message[80] = "";
        allfold_builder_drop_spare();
        allfold_fail_allocation(n);
        error = allfold_build(of, &problem, &parameters, &schedule, message, sizeof message);
        assert_true((schedule == NULL) == (error != ALLFOLD_OK));
        if (error != ALLFOLD_OK) {
            assert_int_equal(error, ALLFOLD_NO_MEMORY);
            assert_string_equal(message, "no memory");
        }
        allfold_schedule_free(schedule);
    }
    allfold_fail_allocation(0);
    assert_true(n > 10);
}

static void test_allocations_of_allfold_build_may_fail(void **state)
{
    (void)state;
    check_failing_build("ring");
    check_failing_build("binomial_tree"); /* which has memory for the children of a rank */
}

static struct allfold_schedule *schedule_of_rank(const char *name, int p, int r, size_t count)
{
    const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                            .group = allfold_group_all(p, r),
                                            .count = count,
                                            .element_bytes = 4,
                                            .commutative = true};
    const struct allfold_algorithm *algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, name);
    assert_non_null(algorithm);
    const struct allfold_parameters parameters = allfold_parameter_presets(algorithm);
    struct allfold_schedule *schedule;
    char message[200] = "";
    if (allfold_build(algorithm, &problem, &parameters, &schedule, message, sizeof message) !=
        ALLFOLD_OK)
        fail_msg("%s", message);
    return schedule;
}

static void test_large_rings_have_linear_size(void **state)
{
    (void)state;
    enum { P = 4096, MESSAGES = 4 * (P - 1) };
    struct allfold_schedule *schedule = schedule_of_rank("ring", P, 1234, 3 * P + 1);
    assert_int_equal(schedule->message_count, MESSAGES);
    assert_int_equal(schedule->step_count, MESSAGES + P - 1);
    /* a step waits for what wrote its block, or for two uses before of its scratch */
    assert_true(schedule->edge_count <= 2 * schedule->step_count);
    assert_true(schedule->bytes <=
                sizeof *schedule + schedule->step_count * (sizeof *schedule->steps + 7 * 4) + 64);
    allfold_schedule_free(schedule);
}

static void test_recursive_doubling_is_logarithmic(void **state)
{
    (void)state;
    for (int lg = 1; lg <= 24; lg++) {
        struct allfold_schedule *schedule =
            schedule_of_rank("recursive_doubling", 1 << lg, (1 << lg) / 3, 10);
        assert_int_equal(schedule->step_count, 3 * lg);
        assert_int_equal(schedule->message_count, 2 * lg);
        assert_true(schedule->edge_count <= 6u * (unsigned)lg);
        assert_true(schedule->bytes <= sizeof *schedule + (size_t)lg * 300 + 64);
        allfold_schedule_free(schedule);
    }
}

/* While a block is sent segment by segment, another one is received and a third one is reduced. */
static void test_streams_are_found_fast(void **state)
{
    (void)state;
    enum { SEGMENTS = 5000, STREAMS = 3 };
    struct allfold_hazards hazards = {.interval_count = 0};
    uint32_t step = 0;
    assert_int_equal(allfold_hazards_add_buffer(&hazards, 0, STREAMS * SEGMENTS), ALLFOLD_OK);
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < SEGMENTS; i++)
            for (size_t k = 0; k < STREAMS; k++, step++) {
                const struct allfold_span at = {.buffer = 0,
                                                .offset =
                                                    (k + (size_t)round) % STREAMS * SEGMENTS + i,
                                                .length = 1};
                assert_int_equal(k == 0 ? allfold_hazards_read(&hazards, at, step)
                                        : allfold_hazards_write(&hazards, at, step),
                                 ALLFOLD_OK);
            }
    assert_in_range(hazards.walked, step / 2, 4 * step);
    allfold_hazards_clear(&hazards);
    assert_int_equal(hazards.walked, 0);
    allfold_hazards_free(&hazards);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_frozen_fields),
        cmocka_unit_test(test_sends_of_copies),
        cmocka_unit_test(test_spans_outside_their_buffers),
        cmocka_unit_test(test_wrong_peers),
        cmocka_unit_test(test_wrong_operands),
        cmocka_unit_test(test_partial_overlap),
        cmocka_unit_test(test_scratch_limit),
        cmocka_unit_test(test_empty_spans_leave_no_steps),
        cmocka_unit_test(test_message_numbers),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_errors_in_frames),
        cmocka_unit_test(test_frame_whose_out_is_in),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_hazards_of_random_programs),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_allocations_of_allfold_build_may_fail),
        cmocka_unit_test(test_large_rings_have_linear_size),
        cmocka_unit_test(test_recursive_doubling_is_logarithmic),
        cmocka_unit_test(test_streams_are_found_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
