/* Symbolic values: equal trees are one object, and every fault of a result is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lab/verify/values.h"
#include "support.h"

/* Joins ranks first .. last of an element from the left. */
static uint32_t chain(struct allfold_values *values, int first, int last, size_t element)
{
    const char *why = NULL;
    uint32_t value = allfold_values_leaf(values, first, element);
    for (int r = first + 1; r <= last; r++)
        value =
            allfold_values_combine(values, value, allfold_values_leaf(values, r, element), &why);
    assert_true(allfold_values_exist(values, value));
    return value;
}

static void assert_fault(const struct allfold_values *values, uint32_t value, int ranks,
                         bool ordered, const char *words)
{
    const char *found = allfold_values_fault(values, value, 1, ranks, ordered);
    if (words == NULL)
        assert_null(found);
    else
        assert_true(found != NULL && strstr(found, words) != NULL);
}

static void check_values(struct allfold_values *values, int p)
{
    const char *why = NULL;
    assert_int_equal(allfold_values_begin(values, p, 3, false), ALLFOLD_OK);
    const uint32_t low = chain(values, 0, p / 2, 1), high = chain(values, p / 2 + 1, p - 1, 1);
    const uint32_t all = allfold_values_combine(values, low, high, &why);
    const uint32_t crossed = allfold_values_combine(values, high, low, &why);
    assert_true(all != crossed);
    assert_int_equal(allfold_values_combine(values, low, high, &why), all);
    assert_true(p == 3 || chain(values, 0, p - 1, 1) != all); /* another bracketing */
    assert_int_equal(chain(values, 0, p - 1, 1), chain(values, 0, p - 1, 1));
    assert_fault(values, all, p, true, NULL);
    assert_fault(values, chain(values, 0, p - 1, 1), p, true, NULL);
    assert_fault(values, crossed, p, false, NULL);
    assert_fault(values, crossed, p, true, "order");
    assert_fault(values, chain(values, 0, p - 1, 2), p, false, "another element");
    assert_fault(values, chain(values, 0, p - 2, 1), p, false, "exactly once");
    assert_fault(values, chain(values, 1, p - 1, 1), p, false, "exactly once");
    assert_fault(values, allfold_values_combine(values, all, low, &why), p, false, "exactly once");
    assert_fault(values, ALLFOLD_UNWRITTEN, p, false, "never written");
    assert_fault(values, ALLFOLD_IN_FLIGHT, p, false, "in flight");
    /* rank 0 in the place of the last: as many, but not each */
    const uint32_t first = allfold_values_leaf(values, 0, 1);
    assert_fault(values, allfold_values_combine(values, chain(values, 0, p - 2, 1), first, &why), p,
                 false, "exactly once");
    /* 0 0 for 1: with weights of powers of two the same sum, but one too many */
    uint32_t twice = allfold_values_combine(values, first, first, &why);
    twice = allfold_values_combine(values, twice, first, &why);
    assert_fault(values, allfold_values_combine(values, twice, chain(values, 2, p - 1, 1), &why), p,
                 false, "exactly once");
    /* the lowest ranks alone, which a scan's results are of */
    assert_fault(values, chain(values, 0, p - 2, 1), p - 1, true, NULL);
    assert_fault(values, chain(values, 1, p - 1, 1), p - 1, false, "exactly once");
    assert_fault(values, all, p - 1, false, "exactly once");
    assert_fault(values, first, 1, true, NULL);
    assert_fault(values, first, 2, true, "exactly once");
}

static void test_values(void **state)
{
    (void)state;
    struct allfold_values *values = allfold_values_create();
    assert_non_null(values);
    static const int sizes[] = {3, 63, 64, 65, 1000, 64, 5};
    for (size_t i = 0; i < LENGTH(sizes); i++)
        check_values(values, sizes[i]);
    const char *why = NULL;
    const uint32_t a = allfold_values_leaf(values, 0, 1), b = allfold_values_leaf(values, 1, 0);
    assert_int_equal(allfold_values_combine(values, a, b, &why), 0);
    assert_string_equal(why, "combines two different elements");
    assert_int_equal(allfold_values_combine(values, a, ALLFOLD_UNWRITTEN, &why), 0);
    assert_string_equal(why, "reads what was never written");
    assert_int_equal(allfold_values_combine(values, ALLFOLD_IN_FLIGHT, a, &why), 0);
    assert_string_equal(why, "reads what a message in flight may change");
    assert_false(allfold_values_exist(values, ALLFOLD_UNWRITTEN));
    assert_false(allfold_values_exist(values, ALLFOLD_IN_FLIGHT));
    allfold_values_free(values);
    allfold_values_free(NULL);
}

/* Spans are combined as their elements are, wherever the trees of an operand change. */
static void test_spans(void **state)
{
    (void)state;
    enum { P = 5, COUNT = 12 };
    struct allfold_values *values = allfold_values_create();
    assert_non_null(values);
    assert_int_equal(allfold_values_begin(values, P, COUNT, false), ALLFOLD_OK);
    uint64_t seed = 3;
    const char *why = NULL;
    for (int round = 0; round < 200; round++) {
        uint32_t left[2 * COUNT], right[2 * COUNT], to[2 * COUNT];
        for (size_t i = 0; i < LENGTH(left); i++) {
            const bool changes = i == 0 || random_below(&seed, 4) == 0;
            const size_t e = changes ? random_below(&seed, COUNT) : (left[i - 1] % COUNT);
            const int r = changes ? (int)random_below(&seed, P) : (int)((left[i - 1] - 1) / COUNT);
            left[i] = allfold_values_leaf(values, r, e);
            right[i] = allfold_values_leaf(values, (r + round) % P, e);
        }
        assert_true(allfold_values_all_exist(values, left, LENGTH(left)));
        assert_true(allfold_values_combine_all(values, to, left, right, LENGTH(left), &why));
        for (size_t i = 0; i < LENGTH(left); i++)
            assert_int_equal(to[i], allfold_values_combine(values, left[i], right[i], &why));
        const size_t bad = random_below(&seed, LENGTH(left));
        right[bad] = (round & 1) != 0 ? ALLFOLD_IN_FLIGHT : ALLFOLD_UNWRITTEN;
        assert_false(allfold_values_all_exist(values, right, LENGTH(right)));
        assert_true(allfold_values_all_exist(values, right, bad));
        assert_false(allfold_values_combine_all(values, to, left, right, LENGTH(left), &why));
        assert_true(allfold_values_combine_all(values, right, left, right, bad, &why));
    }
    allfold_values_free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
