/* Programs within frames: other ranks and other spans under the names IN and OUT; and in place,
 * where IN lies in OUT. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "schedule/verbs.h"
#include "support_builder.h"

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
    assert_refused(s, "send_to at step 0: 3 elements at 4 of buffer 0, which has 6");
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
    assert_non_null(
        strstr(allfold_builder_message(s), "9 elements at 2 of buffer 0, which has 10"));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_errors_in_frames),
        cmocka_unit_test(test_frame_whose_out_is_in),
        cmocka_unit_test(test_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
