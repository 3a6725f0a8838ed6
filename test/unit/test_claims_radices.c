/* Recursive splitting, the allgather of vectors and the circulant reduce: what a radix k costs,
 * held against the schedules by walking them, with as many ports as the algorithm claims. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "algorithms/circulant.h"
#include "algorithms/radix.h"
#include "support_claims.h"

enum { MOST_RANKS = 70, MOST_RADIX = 16 };

static struct allfold_cost counted(enum allfold_collective collective, const char *name,
                                   size_t radix, size_t p, size_t root, size_t n)
{
    return walked((struct built){collective, name, p, root, n, radix, 0}).cost;
}

/* Section 2.5 of Rabenseifner 2004, with a core of q ranks by any factors: 2 rounds each, and
 * (2 - 2/q) n sent and (1 - 1/q) n reduced; the removal adds three rounds, and as there, 3/2 n sent
 * by the rank that stays, and n/2 reduced. With radix 2 it is recursive halving and doubling. */
static void test_recursive_splitting(void **state)
{
    (void)state;
    for (size_t radix = 2; radix <= MOST_RADIX; radix++)
        for (size_t p = 2; p <= MOST_RANKS; p++) {
            const struct factors k = allfold_factors((int)p, (int)radix);
            const size_t q = (size_t)k.core, n = 2 * q, removes = q < p;
            const size_t rounds = 2 * (size_t)k.count + 3 * removes;
            const struct allfold_cost cost =
                counted(ALLFOLD_ALLREDUCE, "recursive_splitting", radix, p, 0, n);
            assert_cost(cost, p, 0, rounds, 2 * (n - n / q) + removes * 3 * n / 2,
                        n - n / q + removes * n / 2);
            if (radix > 2)
                continue;
            const struct allfold_cost halving =
                counted(ALLFOLD_ALLREDUCE, "halving_doubling", PRESET, p, 0, n);
            assert_cost(cost, p, 0, halving.rounds, halving.sent, halving.reduced);
        }
}

/* ceil(log_k p) rounds, n (p - 1) sent and reduced. */
static void test_bruck_allgather(void **state)
{
    (void)state;
    for (size_t radix = 2; radix <= MOST_RADIX; radix++)
        for (size_t p = 1; p <= MOST_RANKS; p++)
            assert_cost(counted(ALLFOLD_ALLREDUCE, "bruck_allgather", radix, p, 0, 3), p, 0,
                        ceil_log(radix, p), 3 * (p - 1), 3 * (p - 1));
}

/* Reduce-scatter in ceil(log_k p) rounds with (1 - 1/p) n sent and reduced; then the gather in
 * as many, where for radix 2 the busiest rank sends floor(p/2) blocks. */
static void test_reduce_circulant(void **state)
{
    (void)state;
    for (size_t radix = 2; radix <= MOST_RADIX; radix += 1 + radix / 3)
        for (size_t p = 2; p <= MOST_RANKS; p++)
            for (size_t root = 0; root < p; root += 1 + p / 2) {
                const struct skips skips = allfold_skips((int)p, (int)radix);
                const int last = skips.q - 1;
                const size_t n = 2 * p, largest = radix == 2 ? p / 2
                                                             : (size_t)part_blocks(&skips, last,
                                                                                   skips.s[last]);
                assert_cost(counted(ALLFOLD_REDUCE, "circulant", radix, p, root, n), p, root,
                            2 * ceil_log(radix, p), n - 2 + 2 * largest, n - 2);
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
