/* The parts of allreduce as collectives of their own (Rabenseifner 2004, sections 2.2, 2.5
 * and 2.7), the bucket algorithm (Patarasuk and Yuan 2009), the tree and the butterfly of End et
 * al. 2016, and the flat algorithms of textbooks: the formulas held against the schedules, by
 * walking them. See test_claims.c for how the papers' critical path and the walk's busiest rank
 * differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "support.h"
#include "support_claims.h"

enum { MOST_RANKS = 70, BLOCK = 3 };

static struct allfold_cost counted(enum allfold_collective collective, const char *name, size_t p,
                                   size_t root, size_t n)
{
    return walked((struct built){collective, name, p, root, n, PRESET, 0}).cost;
}

/* Section 2.5, the halves of the allreduce for powers of two, with n for the vector of all blocks:
 * lg p alpha + (1 - 1/p) (n beta + n gamma), and lg p alpha + (1 - 1/p) n beta. No difference. */
static void test_powers_of_two(void **state)
{
    (void)state;
    for (size_t p = 1; p <= 512; p *= 2) {
        const size_t n = p * BLOCK, part = n - n / p;
        assert_cost(counted(ALLFOLD_REDUCE_SCATTER_BLOCK, "recursive_halving", p, 0, BLOCK), p, 0,
                    floor_lg(p), part, part);
        assert_cost(counted(ALLFOLD_ALLGATHER, "recursive_doubling", p, 0, BLOCK), p, 0,
                    floor_lg(p), part, 0);
    }
}

/* Section 2.7, the halves of its allreduce, for any p: (p-1) alpha + (1 - 1/p) (n beta + n gamma),
 * and (p-1) alpha + (1 - 1/p) n beta. No difference.
 */
static void test_rings(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++) {
        const size_t n = p * BLOCK, part = n - n / p;
        assert_cost(counted(ALLFOLD_REDUCE_SCATTER_BLOCK, "pairwise_exchange", p, 0, BLOCK), p, 0,
                    p - 1, part, part);
        assert_cost(counted(ALLFOLD_ALLGATHER, "ring", p, 0, BLOCK), p, 0, p - 1, part, 0);
    }
}

/* Patarasuk and Yuan, section 3: each half of the allreduce takes p-1 rounds of n/p, (1 - 1/p) of
 * the vector, which is the least. No difference. With segments that divide a block, as many rounds
 * more as there are segments, of as much in all: no message waits for one that is behind it. */
static void test_bucket(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++)
        for (size_t segments = 1; segments <= 3; segments++) {
            const size_t block = 2 * segments, n = p * block, part = n - n / p;
            const size_t bytes = 2 * sizeof(uint32_t), rounds = (p - 1) * segments;
            const struct built half = {
                ALLFOLD_REDUCE_SCATTER_BLOCK, "bucket", p, 0, block, bytes, 0};
            const struct built both = {ALLFOLD_ALLREDUCE, "bucket", p, 0, n, bytes, 0};
            assert_cost(walked(half).cost, p, 0, rounds, part, part);
            assert_cost(walked(both).cost, p, 0, 2 * rounds, 2 * part, part);
        }
    /* p = 4, n = 7, blocks 2 2 2 1: rank 0 sends 7 - 2, then 7 - 2, and reduces 7 - 1 */
    assert_cost(counted(ALLFOLD_ALLREDUCE, "bucket", 4, 0, 7), 4, 0, 6, 11, 6);
}

/* End et al., section III D: ceil(lg p) + 2 rounds of pairwise exchange.
 *
 * Two less for powers of two, which have no leftover ranks to serve; one less for others, whose
 * butterfly is of floor(lg p) rounds. Sent and reduced: n a round, but of the two rounds for the
 * leftover ranks a rank that serves one sends in the second only, and reduces in the first. */
static void test_pairwise_exchange(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++) {
        const size_t paper = ceil_lg(p) + 2, less = is_power_of_two(p) ? 2 : 1;
        const size_t vectors = paper - less - (is_power_of_two(p) ? 0 : 1);
        assert_cost(counted(ALLFOLD_ALLREDUCE, "pairwise_exchange", p, 0, 5), p, 0, paper - less,
                    vectors * 5, vectors * 5);
    }
}

/* End et al., section I: the binomial spanning tree takes 2 ceil(lg p) rounds, as it is run through
 * twice. No difference. Its root receives and sends ceil(lg p) tokens. */
static void test_binomial_tree_barrier(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++)
        assert_cost(counted(ALLFOLD_BARRIER, "binomial_tree", p, 0, 1), p, 0, 2 * ceil_lg(p),
                    ceil_lg(p), ceil_lg(p));
}

/* Section 2.2, "classical": the root has p - 1 vectors to receive and to reduce, one after the
 * other, and to send back, where all want the result. */
static void test_linear(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++) {
        const size_t n = 5, others = p - 1;
        assert_cost(counted(ALLFOLD_ALLREDUCE, "linear", p, 0, n), p, 0, 2 * others, others * n,
                    others * n);
        for (size_t root = 0; root < p; root++)
            assert_cost(counted(ALLFOLD_REDUCE, "linear", p, root, n), p, root, others,
                        p > 1 ? n : 0, others * n);
    }
}

/* One round of p - 1 messages at a time, with all that there is to send, and to reduce. */
static void test_flat(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++) {
        const size_t others = p - 1, n = BLOCK, once = p > 1;
        assert_cost(counted(ALLFOLD_ALLREDUCE, "flat", p, 0, n), p, 0, once, others * n,
                    others * n);
        assert_cost(counted(ALLFOLD_REDUCE_SCATTER_BLOCK, "flat", p, 0, n), p, 0, once, others * n,
                    others * n);
        assert_cost(counted(ALLFOLD_ALLGATHER, "flat", p, 0, n), p, 0, once, others * n, 0);
        for (size_t root = 0; root < p; root += 1 + p / 3) {
            assert_cost(counted(ALLFOLD_REDUCE, "flat", p, root, n), p, root, once, once * n,
                        others * n);
            assert_cost(counted(ALLFOLD_BCAST, "flat", p, root, n), p, root, once, others * n, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_powers_of_two),
        cmocka_unit_test(test_rings),
        cmocka_unit_test(test_bucket),
        cmocka_unit_test(test_pairwise_exchange),
        cmocka_unit_test(test_binomial_tree_barrier),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
