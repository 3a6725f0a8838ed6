/* Recursive splitting, the allgather of vectors and the circulant reduce: what a radix k costs,
 * held against the schedules by walking them, and the arithmetic of the circulant gather.
 *
 * The walk gives a rank as many ports as the algorithm claims; where that lets two rounds go at
 * once, the test says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "algorithms/circulant.h"
#include "algorithms/ports.h"
#include "algorithms/radix.h"
#include "model/verify.h"
#include "model/walk.h"

enum { MOST_RANKS = 70, MOST_RADIX = 16 };

static struct allfold_cost counted(enum allfold_collective collective, const char *name, int radix,
                                   int p, int root, size_t n)
{
    struct allfold_case of = {.algorithm = allfold_algorithm_find(collective, name),
                              .parameters = {{(size_t)radix}},
                              .p = p,
                              .root = root,
                              .count = n};
    assert_non_null(of.algorithm);
    struct allfold_schedule **schedules;
    struct allfold_cost cost;
    const struct allfold_claim claim = allfold_case_claim(&of);
    char message[200] = "";
    if (allfold_case_build(&of, &schedules, message, sizeof message) != ALLFOLD_OK ||
        allfold_walk((const struct allfold_schedule *const *)schedules, p,
                     allfold_claim_ports(&claim), &cost, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s, radix = %d, p = %d: %s", name, radix, p, message);
    allfold_case_free(&of, schedules);
    return cost;
}

static void assert_cost(struct allfold_cost cost, int radix, int p, size_t rounds, size_t sent,
                        size_t reduced)
{
    if (cost.rounds != rounds || cost.sent != sent || cost.reduced != reduced)
        fail_msg("radix = %d, p = %d: counted %zu %zu %zu, expected %zu %zu %zu", radix, p,
                 cost.rounds, cost.sent, cost.reduced, rounds, sent, reduced);
}

/* Section 2.5 of Rabenseifner 2004, with a core of q ranks by any factors: 2 rounds each, and
 * (2 - 2/q) n sent and (1 - 1/q) n reduced; the removal adds three rounds, and as there, 3/2 n sent
 * by the rank that stays, and n/2 reduced. With radix 2 it is recursive halving and doubling. */
static void test_recursive_splitting(void **state)
{
    (void)state;
    for (int radix = 2; radix <= MOST_RADIX; radix++)
        for (int p = 2; p <= MOST_RANKS; p++) {
            const struct factors k = allfold_factors(p, radix);
            const size_t q = (size_t)k.core, n = 2 * q, removes = k.core < p;
            const size_t rounds = 2 * (size_t)k.count + 3 * removes;
            const struct allfold_cost cost =
                counted(ALLFOLD_ALLREDUCE, "recursive_splitting", radix, p, 0, n);
            assert_cost(cost, radix, p, rounds, 2 * (n - n / q) + removes * 3 * n / 2,
                        n - n / q + removes * n / 2);
            if (radix > 2)
                continue;
            const struct allfold_cost halving =
                counted(ALLFOLD_ALLREDUCE, "halving_doubling", 0, p, 0, n);
            assert_cost(cost, radix, p, halving.rounds, halving.sent, halving.reduced);
        }
}

/* ceil(log_k p) rounds, n (p - 1) sent and reduced. */
static void test_bruck_allgather(void **state)
{
    (void)state;
    for (int radix = 2; radix <= MOST_RADIX; radix++)
        for (int p = 1; p <= MOST_RANKS; p++) {
            const size_t all = 3 * (size_t)(p - 1);
            assert_cost(counted(ALLFOLD_ALLREDUCE, "bruck_allgather", radix, p, 0, 3), radix, p,
                        (size_t)rounds_with_ports(p, radix - 1), all, all);
        }
}

/* Reduce-scatter in ceil(log_k p) rounds with (1 - 1/p) n sent and reduced; then the gather in
 * as many, where for radix 2 the busiest rank sends floor(p/2) blocks. */
static void test_reduce_circulant(void **state)
{
    (void)state;
    for (int radix = 2; radix <= MOST_RADIX; radix += 1 + radix / 3)
        for (int p = 2; p <= MOST_RANKS; p++)
            for (int root = 0; root < p; root += 1 + p / 2) {
                const struct skips skips = allfold_skips(p, radix);
                const size_t n = 2 * (size_t)p, q = (size_t)rounds_with_ports(p, radix - 1);
                const size_t largest =
                    radix == 2 ? (size_t)p / 2
                               : (size_t)part_blocks(&skips, skips.q - 1, skips.s[skips.q - 1]);
                assert_cost(counted(ALLFOLD_REDUCE, "circulant", radix, p, root, n), radix, p,
                            2 * q, n - 2 + 2 * largest, n - 2);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recursive_splitting),
        cmocka_unit_test(test_bruck_allgather),
        cmocka_unit_test(test_reduce_circulant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
