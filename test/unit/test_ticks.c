/* Ticks: they ascend, and moments turn them into the monotonic clock's time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "support.h"
#include "util/ticks.h"

static void pass(double seconds)
{
    const double until = allfold_monotonic_s() + seconds;
    while (allfold_monotonic_s() < until)
        ;
}

/* What lies between two moments has the time that the clock shows; whatever ticks are. The process
 * may be stopped while it looks, so the best of many counts. */
static void check_ticks(void)
{
    const struct allfold_moment from = allfold_moment();
    double best = HUGE_VAL;
    enum { TRIES = 50 };
    struct {
        uint64_t ticks;
        double now_s;
    } seen[TRIES];
    for (int i = 0; i < TRIES; i++) {
        pass(20e-6);
        seen[i].ticks = allfold_ticks();
        seen[i].now_s = allfold_monotonic_s();
        assert_true(i == 0 || seen[i].ticks > seen[i - 1].ticks);
    }
    const struct allfold_moment to = allfold_moment();
    const struct allfold_tick_line line = allfold_tick_line(from, to);
    assert_true(allfold_tick_line_tell(&line, from.ticks) == from.now_s);
    assert_true(fabs(allfold_tick_line_tell(&line, to.ticks) - to.now_s) < 1e-9);
    for (int i = 0; i < TRIES; i++)
        best = fmin(best, fabs(allfold_tick_line_tell(&line, seen[i].ticks) - seen[i].now_s));
    assert_true(best < 1e-6);
}

static void test_of_this_machine(void **state)
{
    (void)state;
    allfold_ticks_open();
    check_ticks();
}

static void test_of_the_kernel(void **state)
{
    (void)state;
    static const char *const sources[] = {"", "hpet", "tsc ", "kvm-clock"};
    for (size_t i = 0; i < LENGTH(sources); i++) {
        allfold_ticks_choose(sources[i]);
        assert_false(allfold_ticks_are_counted);
        check_ticks();
    }
}

static void test_lines(void **state)
{
    (void)state;
    const struct allfold_moment from = {1000, 5}, to = {3000, 6};
    const struct allfold_tick_line line = allfold_tick_line(from, to);
    assert_true(allfold_tick_line_tell(&line, 2000) == 5.5);
    assert_true(allfold_tick_line_tell(&line, 0) == 4.5); /* before the first moment */
    const struct allfold_tick_line none = allfold_tick_line(from, from);
    assert_true(allfold_tick_line_tell(&none, 2000) == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_this_machine),
        cmocka_unit_test(test_of_the_kernel),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
