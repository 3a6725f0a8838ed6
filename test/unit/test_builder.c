/* The schedule language: what each verb makes and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "schedule/verbs.h"
#include "support_builder.h"

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

static const size_t LARGE = (size_t)-3; /* wraps when something is added to it */

static void test_spans_outside_their_buffers(void **state)
{
    (void)state;
    struct allfold_builder *s = plain_builder();
    send_to(s, 0, span(ALLFOLD_IN, 7, 4));
    assert_refused(s, "send_to at step 0: 4 elements at 7 of buffer 0, which has 10");
    s = plain_builder();
    send_to(s, 0, span(ALLFOLD_IN, 0, 10));
    recv_from(s, 0, span(ALLFOLD_OUT, 11, 0));
    assert_refused(s, "recv_from at step 1: 0 elements at 11 of buffer 1, which has 10");
    s = plain_builder();
    recv_from(s, 0, span(ALLFOLD_SCRATCH, 0, 1));
    assert_refused(s, "recv_from at step 0: 1 elements at 0 of buffer 2, which has 0");
    s = plain_builder();
    send_to(s, 0, span(-1, 0, 1));
    assert_refused(s, "send_to at step 0: 1 elements at 0 of buffer -1, which has 0");
    s = plain_builder();
    send_to(s, 0, span(ALLFOLD_IN, LARGE, 8));
    assert_refused(
        s, "send_to at step 0: 8 elements at 18446744073709551613 of buffer 0, which has 10");
    s = plain_builder();
    send_to(s, 0, span(ALLFOLD_IN, 8, LARGE));
    assert_refused(
        s, "send_to at step 0: 18446744073709551613 elements at 8 of buffer 0, which has 10");
    s = plain_builder();
    struct allfold_span tmp = scratch(s, 4);
    reduce(s, tmp, span(ALLFOLD_IN, 0, 4), part(tmp, 0, 5));
    assert_refused(s, "reduce at step 0: 5 elements at 0 of buffer 2, which has 4");
    s = plain_builder();
    tmp = scratch(s, 4);
    copy(s, range(ALLFOLD_OUT, 6, 10), part(tmp, 1, 4));
    assert_refused(s, "copy at step 0: 4 elements at 1 of buffer 2, which has 4");
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
    struct allfold_builder *s = plain_builder(); /* neighbours, operands among themselves, itself */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_frozen_fields),
        cmocka_unit_test(test_spans_outside_their_buffers),
        cmocka_unit_test(test_wrong_peers),
        cmocka_unit_test(test_wrong_operands),
        cmocka_unit_test(test_partial_overlap),
        cmocka_unit_test(test_scratch_limit),
        cmocka_unit_test(test_empty_spans_leave_no_steps),
        cmocka_unit_test(test_message_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
