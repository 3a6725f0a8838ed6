/* The formulas of Rabenseifner 2004 held against the schedules, by walking them.
 *
 * The paper gives times along the critical path: the latency term counts rounds, the factors of
 * n*beta and n*gamma count elements that pass, or are reduced, one after the other. Here
 * f_alpha = f_beta = 1 (a message in one direction costs as much as in both). allfold_walk counts
 * rounds alike, but elements of the busiest single rank. The two differ exactly where consecutive
 * messages of the critical path are sent by different ranks; each such difference is stated below.
 *
 * All counts are multiples of 2 p p', so that halves, blocks and segments have no remainders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "schedule/verbs.h"
#include "support_claims.h"

enum { MOST_RANKS = 40 };

/* What allfold_walk counts of an algorithm with preset parameters. */
static struct allfold_cost counted(enum allfold_collective collective, const char *name, size_t p,
                                   size_t root, size_t n)
{
    return walked((struct built){collective, name, p, root, n, PRESET, 0}).cost;
}

/* Section 2.4: ceil(lg p) (alpha + n beta + n gamma), and alpha + n beta where p is no power of
 * two.
 *
 * Rounds: the paper's. Reduced: the paper's. Sent: n less than the paper where p is no power of
 * two, because the first message of the critical path is the removed rank's, and the busiest rank
 * (that stays of a pair) only receives it. */
static void test_recursive_doubling(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++) {
        const size_t n = 12, removes = !is_power_of_two(p);
        const size_t paper_rounds = ceil_lg(p) + removes;
        const size_t paper_sent = ceil_lg(p) * n + removes * n;
        const size_t paper_reduced = ceil_lg(p) * n;
        if (removes) /* the same in other words: floor(lg p) + 2 */
            assert_int_equal(paper_rounds, floor_lg(p) + 2);
        assert_cost(counted(ALLFOLD_ALLREDUCE, "recursive_doubling", p, 0, n), p, 0, paper_rounds,
                    paper_sent - removes * n, paper_reduced);
    }
}

/* Section 2.5, allreduce: 2 lg p alpha + (2 - 2/p) n beta + (1 - 1/p) n gamma for powers of two,
 * else (2 lg p' + 3) alpha + (4 - 2/p') n beta + (3/2 - 1/p') n gamma.
 *
 * Rounds and reduced: the paper's. Sent: for powers of two the paper's; else n/2 less, because the
 * second message of the removal step, half a vector, is sent by the removed rank and received by
 * the one that stays, the busiest. */
static void test_halving_doubling_allreduce(void **state)
{
    (void)state;
    for (size_t p = 2; p <= MOST_RANKS; p++) {
        const size_t core = (size_t)1 << floor_lg(p), n = 2 * p * core;
        const struct allfold_cost cost = counted(ALLFOLD_ALLREDUCE, "halving_doubling", p, 0, n);
        if (is_power_of_two(p))
            assert_cost(cost, p, 0, 2 * floor_lg(p), 2 * n - 2 * n / p, n - n / p);
        else
            assert_cost(cost, p, 0, 2 * floor_lg(p) + 3, 4 * n - 2 * n / core - n / 2,
                        3 * n / 2 - n / core);
    }
}

/* Section 2.5, reduce: what the busiest rank sends less than the critical path.
 *
 * The critical path of the gather goes n/p' + 2n/p' + ... + n/2 = n - n/p' through several ranks;
 * each rank but the root sends once in it: n/(2d), where d is the highest bit in which its number
 * differs from the root's. So n - n/p' is missing and the best n/(2d) of the busiest ranks is
 * there. Where p is no power of two, the removed rank's half is missing too (as in the allreduce),
 * and only the ranks that stay of a pair have sent n/2 before: the busiest is among them, except
 * that with one pair any rank at d = 1 has as much. */
static size_t missing_in_reduce(size_t p, size_t root, size_t n)
{
    const size_t core = (size_t)1 << floor_lg(p), pairs = p - core;
    const size_t root_index = root < 2 * pairs ? root / 2 : root - pairs;
    size_t most = 0; /* sent in removal and gather */
    for (size_t i = 0; i < core; i++) {
        const size_t apart = i ^ root_index;
        size_t sent = i < pairs ? n / 2 : 0;
        if (apart != 0)
            sent += n / 2 >> floor_lg(apart);
        most = sent > most ? sent : most;
    }
    const size_t paper = (pairs > 0 ? n : 0) + n - n / core;
    return paper - most;
}

/* Section 2.5, reduce: 2 lg p alpha + (2 - 2/p) n beta + (1 - 1/p) n gamma for powers of two, else
 * (2 lg p' + 2) alpha + (3 - 2/p') n beta + (3/2 - 1/p') n gamma; a root that would be removed
 * causes no overhead. Rounds and reduced: the paper's, for every root. */
static void test_halving_doubling_reduce(void **state)
{
    (void)state;
    for (size_t p = 2; p <= MOST_RANKS; p++)
        for (size_t root = 0; root < p; root++) {
            const size_t core = (size_t)1 << floor_lg(p), n = 2 * p * core;
            const size_t missing = missing_in_reduce(p, root, n);
            const struct allfold_cost cost =
                counted(ALLFOLD_REDUCE, "halving_doubling", p, root, n);
            if (is_power_of_two(p)) {
                assert_int_equal(missing, n / 2 - n / p); /* some rank always is at d = 1 */
                assert_cost(cost, p, root, 2 * floor_lg(p), 2 * n - 2 * n / p - missing, n - n / p);
            } else {
                assert_cost(cost, p, root, 2 * floor_lg(p) + 2, 3 * n - 2 * n / core - missing,
                            3 * n / 2 - n / core);
            }
        }
}

/* Section 2.7, allreduce: 2 (p-1) alpha + (2 - 2/p) n beta + (1 - 1/p) n gamma. No difference, as
 * all ranks do the same. */
static void test_ring(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++) {
        const size_t n = 3 * p;
        assert_cost(counted(ALLFOLD_ALLREDUCE, "ring", p, 0, n), p, 0, 2 * (p - 1),
                    2 * n - 2 * n / p, n - n / p);
    }
}

/* The most children in the tree of peers.h, from its definition: at each split at the largest power
 * of two below the size, the part without the root is led by a rank with lg of that part's size. */
static size_t most_children(size_t p, size_t root)
{
    size_t of_root = 0, most = 0;
    while (p > 1) {
        const size_t low = (size_t)1 << floor_lg(p - 1);
        const size_t other = root < low ? p - low : low;
        most = ceil_lg(other) > most ? ceil_lg(other) : most;
        of_root++;
        p -= other;
        root -= root < low ? 0 : low;
    }
    return of_root > most ? of_root : most;
}

/* Section 2.3, reduce: ceil(lg p) (alpha + n beta + n gamma).
 *
 * Rounds: the paper's, for any root. Sent: n instead of ceil(lg p) n, because on the way to the
 * root each rank sends once. Reduced: n for each child, so (ceil(lg p) - degree) n less; that is 0
 * for root 0, and at most n: only a root in the upper part of an incomplete tree lacks a child. */
static void test_binomial_tree_reduce(void **state)
{
    (void)state;
    size_t less = 0;
    for (size_t p = 2; p <= MOST_RANKS; p++)
        for (size_t root = 0; root < p; root++) {
            const size_t n = 6, degree = most_children(p, root);
            assert_true(degree == ceil_lg(p) || (degree + 1 == ceil_lg(p) && root > 0));
            less += degree < ceil_lg(p);
            assert_cost(counted(ALLFOLD_REDUCE, "binomial_tree", p, root, n), p, root, ceil_lg(p),
                        n, ceil_lg(p) * n - (ceil_lg(p) - degree) * n);
        }
    assert_true(less > 0);
    const struct allfold_cost cost = counted(ALLFOLD_REDUCE, "binomial_tree", 5, 4, 6);
    assert_cost(cost, 5, 4, 3, 6, 2 * 6); /* 0-3 reduce in 2 rounds, then the root once */
}

/* Section 2.3, the broadcast in the allreduce: ceil(lg p) (alpha + n beta). Rounds: the paper's.
 * Sent: n for each child, so (ceil(lg p) - degree) n less, as above. */
static void test_binomial_tree_bcast(void **state)
{
    (void)state;
    for (size_t p = 2; p <= MOST_RANKS; p++)
        for (size_t root = 0; root < p; root++) {
            const size_t n = 6, degree = most_children(p, root);
            assert_cost(counted(ALLFOLD_BCAST, "binomial_tree", p, root, n), p, root, ceil_lg(p),
                        ceil_lg(p) * n - (ceil_lg(p) - degree) * n, 0);
        }
}

/* Fig. 1: 13 ranks, 8 parts A-H. */
static void test_figure_1(void **state)
{
    (void)state;
    const size_t part = 1, n = 8 * part;
    /* removal: 4; halving: 4 + 2 + 1; doubling: 1 + 2 + 4; the result: 8 */
    assert_cost(counted(ALLFOLD_ALLREDUCE, "halving_doubling", 13, 0, n), 13, 0, 9, 26, 11);
}

/* Messages one after the other at one port are so many rounds; at two ports, half as many. */
static void test_walk_counts_ports(void **state)
{
    (void)state;
    struct allfold_schedule *schedules[2];
    for (int r = 0; r < 2; r++) {
        const struct allfold_shape shape = {
            .group = allfold_group_all(2, r), .in_length = 6, .out_length = 6};
        struct allfold_builder *s = allfold_builder_create(&shape);
        assert_non_null(s);
        for (size_t i = 0; i < 6; i++) {
            exchange(s, 1 - r, span(ALLFOLD_IN, i, 1), 1 - r, span(ALLFOLD_OUT, i, 1));
        }
        assert_int_equal(allfold_builder_freeze(s, &schedules[r]), ALLFOLD_OK);
        allfold_builder_free(s);
    }
    static const size_t rounds[] = {0, 6, 3, 2, 2, 2, 1};
    for (unsigned ports = 1; ports <= 6; ports++) {
        struct allfold_cost cost;
        char message[100] = "";
        assert_int_equal(allfold_walk((const struct allfold_schedule *const *)schedules, 2, ports,
                                      &cost, message, sizeof message),
                         ALLFOLD_OK);
        assert_int_equal(cost.rounds, rounds[ports]);
        assert_int_equal(cost.sent, 6);
        assert_int_equal(cost.reduced, 0);
    }
    for (int r = 0; r < 2; r++)
        allfold_schedule_free(schedules[r]);
}

/* Where p does not divide n, block sizes show: hand counts. */
static void test_remainders(void **state)
{
    (void)state;
    /* p = 3, n = 7, blocks 3 2 2: rank 1 sends all but its 2, then all but its right one's 2 */
    assert_cost(counted(ALLFOLD_ALLREDUCE, "ring", 3, 0, 7), 3, 0, 4, 10, 6);
    /* p = 4, n = 5: halves 2 3, quarters 1 1 1 2; rank 0 sends 3 + 1, then 1 + 2; rank 3, with
     * 2 + 1, then 2 + 3, the most of all; it reduces 3 + 2 */
    assert_cost(counted(ALLFOLD_ALLREDUCE, "halving_doubling", 4, 0, 5), 4, 0, 4, 8, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recursive_doubling),
        cmocka_unit_test(test_halving_doubling_allreduce),
        cmocka_unit_test(test_halving_doubling_reduce),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_binomial_tree_reduce),
        cmocka_unit_test(test_binomial_tree_bcast),
        cmocka_unit_test(test_figure_1),
        cmocka_unit_test(test_walk_counts_ports),
        cmocka_unit_test(test_remainders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
