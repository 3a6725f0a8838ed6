/* Contests: who wins, and which sizes share a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lab/measure/contest.h"

static const struct allfold_algorithm *ring, *circulant;

static int set_up(void **state)
{
    (void)state;
    ring = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "ring");
    circulant = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "circulant");
    return ring == NULL || circulant == NULL;
}

static struct allfold_contest_entry entry(const struct allfold_algorithm *algorithm, double us,
                                          double off)
{
    return (struct allfold_contest_entry){.algorithm = algorithm,
                                          .median_us = us,
                                          .low_us = us - off,
                                          .high_us = us + off,
                                          .samples = 20};
}

/* Native, ring and circulant with these times, for sizes from 2^i on to twice that. */
static struct allfold_contest contest(int i, double native, double of_ring, double of_circulant)
{
    return (struct allfold_contest){.bytes = (size_t)3 << i >> 1,
                                    .from_bytes = (size_t)1 << i,
                                    .to_bytes = (size_t)2 << i,
                                    .count = 3,
                                    .entries = {entry(ring, of_ring, 0.1), entry(NULL, native, 0.1),
                                                entry(circulant, of_circulant, 0.1)}};
}

static void test_winner(void **state)
{
    (void)state;
    struct allfold_contest one = contest(3, 10, 5, 4);
    assert_int_equal(allfold_contest_winner(&one), 2);
    one = contest(3, 10, 4, 5);
    assert_int_equal(allfold_contest_winner(&one), 0);
    one = contest(3, 3, 4, 5);
    assert_int_equal(allfold_contest_winner(&one), 1);
    one.count = 1;
    assert_int_equal(allfold_contest_winner(&one), 0);
    one.count = 0;
    assert_int_equal(allfold_contest_winner(&one), -1);
}

/* What is faster by its median alone does not win. */
static void test_native_wins_ties(void **state)
{
    (void)state;
    struct allfold_contest one = contest(3, 10, 9, 9.5);
    one.entries[0].high_us = 10; /* wide */
    assert_int_equal(allfold_contest_winner(&one), 2);
    one.entries[2].high_us = 9.9;
    assert_int_equal(allfold_contest_winner(&one), 1);
}

static void test_rows(void **state)
{
    (void)state;
    struct allfold_contest contests[] = {contest(3, 10, 12, 13),   contest(4, 10, 12, 13),
                                         contest(5, 20, 10, 11),   contest(6, 30, 14.3, 14),
                                         contest(7, 40, 20, 20.2), contest(8, 50, 30, 20)};
    struct allfold_contest_row rows[6];
    contests[5].to_bytes = SIZE_MAX;
    assert_int_equal(allfold_contest_rows(contests, 6, 0.03, rows), 3);
    assert_null(rows[0].algorithm);
    assert_int_equal(rows[0].from_bytes, 8);
    /* native leads by 11.9 / 9.9 at 24 bytes, for certain; ring by 19.9 / 10.1 at 48 */
    assert_int_equal(rows[0].to_bytes, 29);
    assert_ptr_equal(rows[1].algorithm, ring);
    assert_int_equal(rows[1].from_bytes, 29);
    assert_int_equal(rows[1].to_bytes, 196); /* 1.01 at 192 bytes, 1 / 1.5 at 384 */
    assert_true(rows[1].us > 14.2 && rows[1].us < 14.4);
    assert_true(rows[1].native_us > 29 && rows[1].native_us < 31);
    assert_int_equal(rows[1].samples, 20);
    assert_ptr_equal(rows[2].algorithm, circulant);
    assert_true(rows[2].to_bytes == SIZE_MAX);
    /* without tolerance each winner has its own row */
    assert_int_equal(allfold_contest_rows(contests, 6, 0, rows), 5);
}

/* A border is where times cross; where one was not measured at both sizes it is in the middle. */
static void test_borders(void **state)
{
    (void)state;
    struct allfold_contest contests[] = {contest(4, 100, 10, 20), contest(5, 100, 40, 20)};
    struct allfold_contest_row rows[2];
    assert_int_equal(allfold_contest_rows(contests, 2, 0.03, rows), 2);
    assert_int_equal(rows[0].to_bytes, 34); /* 24 sqrt(2) */
    assert_int_equal(rows[1].from_bytes, 34);
    contests[1].entries[0].median_us = 80;
    assert_int_equal(allfold_contest_rows(contests, 2, 0.03, rows), 2);
    assert_int_equal(rows[1].from_bytes, 31); /* 24 x 2^(1/3) */
    contests[1].entries[0].algorithm = NULL;
    contests[1].entries[1].median_us = contests[1].entries[1].low_us = 200;
    assert_int_equal(allfold_contest_rows(contests, 2, 0.03, rows), 2);
    assert_int_equal(rows[1].from_bytes, 32);
}

/* Of two that serve the same sizes, the one that is faster in all. */
static void test_best_of_equals(void **state)
{
    (void)state;
    const struct allfold_contest contests[] = {contest(3, 100, 10, 10.1),
                                               contest(4, 100, 10.2, 10)};
    struct allfold_contest_row rows[2];
    assert_int_equal(allfold_contest_rows(contests, 2, 0.03, rows), 1);
    assert_ptr_equal(rows[0].algorithm, circulant);
}

/* Sizes that were not measured are not filled in. */
static void test_gap(void **state)
{
    (void)state;
    const struct allfold_contest contests[] = {contest(3, 100, 10, 11), contest(5, 100, 10, 11)};
    struct allfold_contest_row rows[2];
    assert_int_equal(allfold_contest_rows(contests, 2, 0.03, rows), 2);
    assert_int_equal(rows[0].to_bytes, 16);
    assert_int_equal(rows[1].from_bytes, 32);
}

/* Within the tolerance of the winner, but perhaps slower than native: not taken. */
static void test_never_behind_native(void **state)
{
    (void)state;
    struct allfold_contest contests[] = {contest(3, 10, 5, 6), contest(4, 10, 9.75, 9.5)};
    struct allfold_contest_row rows[2];
    contests[1].entries[0].high_us = 10.2;
    assert_int_equal(allfold_contest_rows(contests, 2, 0.03, rows), 2);
    assert_ptr_equal(rows[1].algorithm, circulant);
}

/* Parameters tell entries apart. */
static void test_parameters(void **state)
{
    (void)state;
    struct allfold_contest contests[] = {contest(3, 100, 10, 50), contest(4, 100, 10, 50)};
    struct allfold_contest_row rows[2];
    contests[1].entries[0].parameters.value[0] = 7;
    assert_int_equal(allfold_contest_rows(contests, 2, 0.03, rows), 2);
    assert_int_equal(rows[1].parameters.value[0], 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_winner),     cmocka_unit_test(test_native_wins_ties),
        cmocka_unit_test(test_rows),       cmocka_unit_test(test_best_of_equals),
        cmocka_unit_test(test_gap),        cmocka_unit_test(test_never_behind_native),
        cmocka_unit_test(test_parameters), cmocka_unit_test(test_borders),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
