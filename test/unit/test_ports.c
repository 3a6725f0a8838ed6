/* The arithmetic of algorithms with several messages at a time, against its definitions: rounds,
 * skips, arcs, and the n and p that dissemination can serve. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "algorithms/circulant.h"
#include "algorithms/adapted_dissemination.h"
#include "algorithms/ports.h"
#include "support.h"

static void test_rounds_are_the_least_that_reach_all(void **state)
{
    (void)state;
    for (int n = 1; n <= ALLFOLD_MOST_PORTS; n++)
        for (int p = 1; p <= 5000; p++) {
            const int k = rounds_with_ports(p, n), fewest = fewest_ports(p, n);
            size_t reached = 1, before = 0;
            for (int i = 0; i < k; i++) {
                before = reached;
                reached *= (size_t)n + 1;
            }
            assert_true(reached >= (size_t)p && before < (size_t)p);
            assert_in_range(fewest, 1, n);
            assert_int_equal(rounds_with_ports(p, fewest), k);
            assert_true(fewest == 1 || rounds_with_ports(p, fewest - 1) > k);
        }
    assert_int_equal(rounds_with_ports(INT32_MAX, 1), 31);
}

static void test_skips_are_divided_and_rounded_up(void **state)
{
    (void)state;
    for (int radix = 2; radix <= ALLFOLD_MOST_PORTS + 1; radix++)
        for (int p = 1; p <= 5000; p++) {
            const struct skips skips = allfold_skips(p, radix);
            assert_int_equal(skips.q, rounds_with_ports(p, radix - 1));
            assert_int_equal(skips.s[0], 1);
            assert_int_equal(skips.s[skips.q], p);
            for (int k = 0; k < skips.q; k++) {
                const int s = skips.s[k], t = skips.s[k + 1];
                assert_true(s * radix >= t && (s - 1) * radix < t);
                int parts = 0, end = s;
                for (int lo = s; lo < t; lo += s) {
                    assert_int_equal(lo, end);
                    end = lo + part_blocks(&skips, k, lo);
                    parts++;
                }
                assert_int_equal(end, t);
                assert_in_range(parts, 1, radix - 1);
            }
        }
    assert_int_equal(allfold_skips(INT32_MAX, 2).q, 31);
}

static void test_arcs_are_blocks_one_after_the_other(void **state)
{
    (void)state;
    for (int p = 1; p <= 9; p++)
        for (size_t n = 0; n <= 30; n++)
            for (int first = 0; first < 2 * p; first++)
                for (int blocks = 0; blocks <= p; blocks++) {
                    const struct allfold_problem problem = {.group = allfold_group_all(p, 0),
                                                            .count = n};
                    const struct arc arc = allfold_arc(&problem, ALLFOLD_OUT, first, blocks);
                    size_t at = 0; /* in the arc */
                    for (int i = 0; i < blocks; i++) {
                        const int b = (first + i) % p;
                        for (size_t e = block_begin(n, p, b); e < block_begin(n, p, b + 1); e++) {
                            const struct allfold_span of =
                                at < arc.head.length ? arc.head : arc.tail;
                            const size_t before = at < arc.head.length ? 0 : arc.head.length;
                            assert_int_equal(of.offset + at - before, e);
                            at++;
                        }
                    }
                    assert_int_equal(arc_length(arc), at);
                }
}

/* g of equations (5) and (6) without p: how far to the left a boundary lies; l = 0 is the own
 * element. */
static int boundary(int n, int l, int j)
{
    int power = 1;
    for (int i = 1; i < l; i++)
        power *= n + 1;
    return l == 0 ? 0 : power - 1 + j * power;
}

/* A 5-tuple of equation (8), or of the base border, exists for k rounds. */
static bool has_tuple(int n, int p, int k, int last)
{
    for (int s = 1; s <= n; s++)
        for (int l = 0; l < k; l++)
            for (int j = l == 0 ? 0 : 1; j <= (l == 0 ? 0 : n); j++) {
                const int sender = s * last + boundary(n, l, j);
                if (p - 1 == sender)
                    return true;
                for (int m = 0; m < k; m++)
                    for (int i = m == 0 ? 0 : 1; i <= (m == 0 ? 0 : n); i++)
                        if (p == sender - boundary(n, m, i))
                            return true;
            }
    return false;
}

static void test_adaptions_are_those_of_the_paper(void **state)
{
    (void)state;
    int adaptable = 0, pairs = 0;
    for (int p = 2; p <= 64; p++)
        for (int n = 1; n < p; n++) {
            struct adaption a;
            int last = 1;
            for (int l = 1; l < rounds_with_ports(p, n); l++)
                last *= n + 1;
            const bool is = allfold_adapt(p, n, &a);
            assert_int_equal(is, has_tuple(n, p, rounds_with_ports(p, n), last));
            pairs++;
            adaptable += is;
            if (!is)
                continue;
            assert_int_equal(a.last, last);
            assert_int_equal(p, a.senders * last + a.sent - a.left_out);
            assert_in_range(a.sent, 0, last);
            assert_in_range(a.left_out, 0, last);
            assert_true(a.sent == 0 || a.senders * last % p != 0); /* no message to itself */
        }
    assert_int_equal(pairs, 2016);
    assert_int_equal(adaptable, 1991);
}

static int not_adaptable(int n, int most)
{
    int count = 0;
    struct adaption a;
    for (int p = n + 1; p <= most; p++)
        count += !allfold_adapt(p, n, &a);
    return count;
}

static void test_what_cannot_be_adapted_to(void **state)
{
    (void)state;
    static const int with_1[] = {13, 21, 25, 26, 27, 29, 37, 41, 42, 43, 45,
                                 49, 50, 51, 52, 53, 54, 55, 57, 58, 59, 61};
    static const int with_2[] = {40, 41, 64};
    struct adaption a;
    for (size_t i = 0; i < LENGTH(with_1); i++)
        assert_false(allfold_adapt(with_1[i], 1, &a));
    for (size_t i = 0; i < LENGTH(with_2); i++)
        assert_false(allfold_adapt(with_2[i], 2, &a));
    assert_int_equal(not_adaptable(1, 64), LENGTH(with_1));
    assert_int_equal(not_adaptable(2, 64), LENGTH(with_2));
    assert_int_equal(not_adaptable(1, 1024), 848);
    assert_int_equal(not_adaptable(3, 1024), 540);
    assert_int_equal(not_adaptable(8, 1024), 151);
    assert_true(allfold_adapt(13, 0, &a));
    assert_int_equal(a.n, 2); /* the least */
    assert_true(allfold_adapt(1, 0, &a));
    assert_int_equal(early_messages(&a) + last_messages(&a), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounds_are_the_least_that_reach_all),
        cmocka_unit_test(test_skips_are_divided_and_rounded_up),
        cmocka_unit_test(test_arcs_are_blocks_one_after_the_other),
        cmocka_unit_test(test_adaptions_are_those_of_the_paper),
        cmocka_unit_test(test_what_cannot_be_adapted_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
