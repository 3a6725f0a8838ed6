/* Verdicts over times, and when the guard looks: select/verdict.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "select/verdict.h"

/* A look at two contenders that take `first` and `second`, with some noise. */
static void add_look(struct allfold_looks *looks, double first, double second, double noise)
{
    looks->contenders = 2;
    for (int i = 0; i < ALLFOLD_LOOK_ROUNDS; i++) {
        double *times = &looks->times[(looks->count * ALLFOLD_LOOK_ROUNDS + i) * 2];
        times[0] = first * (i % 2 == 0 ? 1 : 1 + noise);
        times[1] = second * (i % 2 == 0 ? 1 + noise : 1);
    }
    looks->count++;
}

static struct allfold_verdict after(double factor, double noise)
{
    struct allfold_looks looks = {.count = 0};
    struct allfold_verdict verdict = {.is_over = false};
    for (int i = 0; i < ALLFOLD_LOOKS && !verdict.is_over; i++) {
        add_look(&looks, 10e-6 * factor, 10e-6, noise);
        verdict = allfold_verdict_of(&looks);
        assert_true(verdict.is_over || verdict.better == 0); /* never before the last look */
    }
    return verdict;
}

static void test_clear_loss(void **state)
{
    (void)state;
    const struct allfold_verdict verdict = after(1.5, 0);
    assert_true(verdict.is_over);
    assert_int_equal(verdict.better, 1);
    assert_true(fabs(verdict.factor - 1.5) < 1e-9);
    assert_int_equal(after(1.11, 0).better, 1);
    assert_int_equal(after(1.09, 0).better, 0);
    assert_int_equal(after(0.5, 0).better, 0);
}

/* A loss that half of the rounds contradict is noise, however great it is in the others. */
static void test_noise(void **state)
{
    (void)state;
    assert_int_equal(after(1.3, 0.1).better, 1);
    assert_int_equal(after(1.3, 0.6).better, 0);
}

/* One look that shows no loss ends it: then two more cost nothing. */
static void test_one_good_look_is_enough(void **state)
{
    (void)state;
    struct allfold_looks looks = {.count = 0};
    add_look(&looks, 10e-6, 10e-6, 0);
    assert_true(allfold_verdict_of(&looks).is_over);
    struct allfold_looks lucky = {.count = 0};
    add_look(&lucky, 14e-6, 10e-6, 0);
    assert_false(allfold_verdict_of(&lucky).is_over);
    add_look(&lucky, 10e-6, 10e-6, 0);
    assert_true(allfold_verdict_of(&lucky).is_over);
    assert_int_equal(allfold_verdict_of(&lucky).better, 0);
}

/* A great loss in each round of one look is enough; one round that denies it asks for more looks.
 */
static void test_great_loss(void **state)
{
    (void)state;
    struct allfold_looks looks = {.count = 0};
    add_look(&looks, 16e-6, 10e-6, 0);
    assert_true(allfold_verdict_of(&looks).is_over);
    assert_int_equal(allfold_verdict_of(&looks).better, 1);
    looks.times[2 * 3] = 14e-6;
    assert_false(allfold_verdict_of(&looks).is_over);
    assert_int_equal(allfold_verdict_of(&looks).better, 0);
}

/* Of two that are better the faster one is taken; one that failed never is. */
static void test_several(void **state)
{
    (void)state;
    struct allfold_looks looks = {.count = ALLFOLD_LOOKS, .contenders = 3};
    for (int i = 0; i < ALLFOLD_LOOKS * ALLFOLD_LOOK_ROUNDS; i++) {
        looks.times[3 * i] = 30e-6;
        looks.times[3 * i + 1] = 20e-6;
        looks.times[3 * i + 2] = 10e-6;
    }
    assert_int_equal(allfold_verdict_of(&looks).better, 2);
    for (int i = 5; i < 8; i++) /* three rounds of the second look */
        looks.times[3 * i + 2] = HUGE_VAL;
    assert_int_equal(allfold_verdict_of(&looks).better, 1);
}

static const struct allfold_guard_limits presets = {.share = 1e-3};

static void test_first(void **state)
{
    (void)state;
    const struct allfold_guard_limits limits = {.first_calls = 16};
    assert_int_equal(allfold_guard_first(&presets, 0), 1024);
    assert_int_equal(allfold_guard_first(&presets, 8), 1024);
    assert_int_equal(allfold_guard_first(&presets, 64 << 10), 1023);
    assert_int_equal(allfold_guard_first(&presets, 1 << 30), 256);
    assert_int_equal(allfold_guard_first(&limits, 8), 16);
}

static void test_when_to_look(void **state)
{
    (void)state;
    struct allfold_guard_facts facts = {.calls = 100000,
                                        .run_s = 4,
                                        .spent_s = 100e-6,
                                        .agreement_s = 5e-6,
                                        .call_s = 1e-6,
                                        .contenders = 3};
    assert_true(allfold_guard_plan(&presets, &facts).looks);
    facts.look_s = 4e-3; /* it took more than the share is */
    assert_false(allfold_guard_plan(&presets, &facts).looks);
    facts.look_s = 0;
    facts.spent_s = 3.99e-3; /* the share is spent */
    assert_false(allfold_guard_plan(&presets, &facts).looks);
    facts.spent_s = 0;
    facts.call_s = 0; /* the cost of a look is unknown */
    assert_false(allfold_guard_plan(&presets, &facts).looks);
    facts.call_s = 1e-3; /* too much */
    facts.calls = 3000;
    assert_false(allfold_guard_plan(&presets, &facts).looks);
    facts.call_s = 1e-6; /* all calls take 3 ms of 4 s: not worth it */
    assert_false(allfold_guard_plan(&presets, &facts).looks);
}

/* A job of one shape that looks as soon as it may. The share holds all the time if a look takes
 * what was expected of it. Three looks come about. */
static void simulate(uint64_t bytes, double call_s, double agreement_s, double until_s,
                     int least_looks)
{
    struct allfold_guard_facts facts = {
        .agreement_s = agreement_s, .call_s = call_s, .contenders = 3};
    uint64_t due = allfold_guard_first(&presets, bytes);
    int looks = 0, agreements = 0;
    while (facts.run_s < until_s) {
        facts.run_s += (double)(due - facts.calls) * call_s;
        facts.calls = due;
        facts.spent_s += agreement_s;
        agreements++;
        const struct allfold_guard_plan plan = allfold_guard_plan(&presets, &facts);
        assert_true(plan.next >= 1 && plan.next <= 15 * facts.calls);
        if (plan.looks) {
            const double times[] = {call_s, 2 * call_s, 2 * call_s};
            const bool is_first = facts.look_s == 0;
            facts.look_s = allfold_guard_look_s(times, 3, agreement_s);
            if (is_first && facts.look_s > plan.budget_s) {
                facts.spent_s += 3 * agreement_s + 20 * call_s; /* times each twice */
            } else {
                facts.spent_s += facts.look_s;
                looks++;
            }
        }
        if (facts.spent_s > 1e-3 * facts.run_s + agreement_s)
            fail_msg("%g of %g s are spent, calls of %g s", facts.spent_s, facts.run_s, call_s);
        due += plan.next;
    }
    if (looks < least_looks || agreements > 100)
        fail_msg("%d looks, %d agreements, calls of %g s", looks, agreements, call_s);
}

static void test_share(void **state)
{
    (void)state;
    simulate(8, 0.4e-6, 0.4e-6, 60, 3);
    simulate(8, 1e-6, 5e-6, 60, 3);
    simulate(64 << 10, 100e-6, 20e-6, 60, 3);
    simulate(8 << 10, 700e-6, 60e-6, 120, 3);
    simulate(64 << 20, 20e-3, 60e-6, 3600, 3);
    simulate(8, 4e-3, 4e-3, 3600, 3); /* more ranks than cores */
}

/* An agreement waited for a core: the next one comes when the run has paid for it. */
static void test_overspent(void **state)
{
    (void)state;
    struct allfold_guard_facts facts = {.calls = 16384,
                                        .run_s = 2,
                                        .spent_s = 20e-3,
                                        .agreement_s = 20e-6,
                                        .call_s = 100e-6,
                                        .contenders = 3};
    const uint64_t next = allfold_guard_plan(&presets, &facts).next;
    assert_true(next >= 9 * facts.calls && next <= 12 * facts.calls);
    facts.spent_s = 1; /* calls may come faster later: not for ever */
    assert_int_equal(allfold_guard_plan(&presets, &facts).next, 15 * facts.calls);
    facts.spent_s = 1e-3;
    assert_true(allfold_guard_plan(&presets, &facts).next <= facts.calls);
}

static void test_batch(void **state)
{
    (void)state;
    assert_int_equal(allfold_guard_batch(0), 16);
    assert_int_equal(allfold_guard_batch(10e-6), 2);
    assert_int_equal(allfold_guard_batch(60e-6), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clear_loss),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_one_good_look_is_enough),
        cmocka_unit_test(test_great_loss),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_when_to_look),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_overspent),
        cmocka_unit_test(test_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
