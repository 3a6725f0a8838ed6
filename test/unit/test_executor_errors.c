/* The executor when a call of the transport or of the elements fails: it says so at once, gives up
 * what is in flight, and can be started again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "support.h"
#include "support_executor.h"

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
        cmocka_unit_test(test_every_call_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
