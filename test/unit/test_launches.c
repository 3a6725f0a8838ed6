/* Contests of several launches: what they have in common decides, and no launch by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include "lab/measure/launches.h"

static const struct allfold_algorithm *ring, *circulant;

static struct allfold_contest_entry entry(const struct allfold_algorithm *algorithm, double us)
{
    return (struct allfold_contest_entry){.algorithm = algorithm,
                                          .median_us = us,
                                          .low_us = 0.99 * us,
                                          .high_us = 1.01 * us,
                                          .samples = 20};
}

/* Native, ring and circulant with these times; of 0, it was not measured. */
static struct allfold_contest contest(double native, double of_ring, double of_circulant)
{
    struct allfold_contest made = {.bytes = 64, .from_bytes = 45, .to_bytes = 90};
    const struct allfold_contest_entry all[] = {entry(NULL, native), entry(ring, of_ring),
                                                entry(circulant, of_circulant)};
    for (int i = 0; i < 3; i++)
        if (all[i].median_us > 0)
            made.entries[made.count++] = all[i];
    return made;
}

static bool is_near(double value, double expected)
{
    return fabs(value - expected) < 1e-9;
}

/* Pools launches; returns the winner's entry, of which the caller's contest holds all others. */
static const struct allfold_contest_entry *pool(const struct allfold_contest *launches, int count,
                                                struct allfold_contest *pooled)
{
    const struct allfold_contest *all[ALLFOLD_LAUNCHES];
    for (int i = 0; i < count; i++)
        all[i] = launches[i].count == 0 ? NULL : &launches[i];
    assert_true(allfold_launches_pool(all, count, pooled));
    return &pooled->entries[allfold_contest_winner(pooled)];
}

/* The winner of an odd launch, by far, does not win; and not where all are slower there. */
static void test_no_launch_decides(void **state)
{
    (void)state;
    struct allfold_contest pooled,
        launches[] = {contest(30, 10, 11), contest(30, 60, 11), contest(33, 10, 12)};
    assert_ptr_equal(pool(launches, 3, &pooled)->algorithm, ring);
    launches[1] = contest(300, 200, 100);
    assert_ptr_equal(pool(launches, 3, &pooled)->algorithm, ring);
    assert_ptr_equal(pool(launches, 2, &pooled)->algorithm, circulant); /* the worse of two */
    launches[2] = contest(30, 14, 12);
    assert_ptr_equal(pool(launches, 3, &pooled)->algorithm, circulant);
}

/* Times next to the fastest of their launch count, and not the launch's own. */
static void test_scale(void **state)
{
    (void)state;
    struct allfold_contest pooled;
    const struct allfold_contest launches[] = {contest(3000, 1000, 1200), contest(30, 10, 11),
                                               contest(40, 20, 22)};
    const struct allfold_contest_entry *winner = pool(launches, 3, &pooled);
    assert_ptr_equal(winner->algorithm, ring);
    assert_true(is_near(winner->median_us, 20));
    assert_true(is_near(allfold_contest_native(&pooled)->median_us, 60));
    assert_int_equal(winner->samples, 60);
    assert_int_equal(pooled.bytes, 64);
    assert_int_equal(pooled.from_bytes, 45);
    assert_int_equal(pooled.to_bytes, 90);
}

/* Native stays where nothing was faster for certain in more than half of the launches. */
static void test_native_stays(void **state)
{
    (void)state;
    struct allfold_contest pooled,
        launches[] = {contest(30, 10, 0), contest(30, 29.8, 0), contest(30, 31, 0)};
    assert_null(pool(launches, 3, &pooled)->algorithm); /* 29.8 is not certain */
    launches[1] = contest(30, 29, 0);
    assert_ptr_equal(pool(launches, 3, &pooled)->algorithm, ring);
    launches[2] = contest(30, 60, 0);
    assert_ptr_equal(pool(launches, 3, &pooled)->algorithm, ring);
    assert_null(pool(launches + 1, 2, &pooled)->algorithm); /* in one of two */
}

/* What was measured in too few launches is not there, however fast; what lacks one may win. */
static void test_missing(void **state)
{
    (void)state;
    struct allfold_contest pooled,
        launches[] = {contest(30, 10, 1), contest(30, 12, 0), contest(30, 0, 0)};
    const struct allfold_contest *none[3] = {NULL, NULL, &launches[0]};
    assert_ptr_equal(pool(launches, 3, &pooled)->algorithm, ring);
    assert_int_equal(pooled.count, 2);
    assert_true(is_near(pooled.entries[1].median_us, 12)); /* nor does it make the others slow */
    launches[2].count = 0;                                 /* not measured there at all */
    assert_ptr_equal(pool(launches, 3, &pooled)->algorithm, ring);
    assert_false(allfold_launches_pool(none, 3, &pooled));
    launches[0] = contest(0, 10, 1);
    launches[1] = contest(0, 10, 1);
    none[0] = none[1] = &launches[1];
    assert_false(allfold_launches_pool(none, 3, &pooled)); /* there is no native */
}

/* One launch is what it was; its interval is next to native's. */
static void test_one(void **state)
{
    (void)state;
    struct allfold_contest pooled, launch = contest(30, 29.5, 40);
    assert_null(pool(&launch, 1, &pooled)->algorithm);
    launch = contest(30, 29, 40);
    const struct allfold_contest_entry *winner = pool(&launch, 1, &pooled);
    assert_ptr_equal(winner->algorithm, ring);
    assert_true(is_near(winner->median_us, 29));
    assert_true(is_near(winner->high_us, 1.01 * 29 / 0.99));
    assert_true(is_near(winner->low_us, 0.99 * 29 / 1.01));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_launch_decides),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_native_stays),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_one),
    };
    ring = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "ring");
    circulant = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "circulant");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
