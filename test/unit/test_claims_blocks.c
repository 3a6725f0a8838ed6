/* Trees, ring, binary blocks (Rabenseifner 2004, sections 2.3, 2.6, 2.7) and recursive multiplying:
 * the formulas held against the schedules, by walking them. See test_claims.c for how the paper's
 * critical path and the walk's busiest rank differ; each difference is stated below.
 *
 * All counts are multiples of 2 p p', so that halves, blocks and segments have no remainders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "support.h"
#include "support_claims.h"

enum { MOST_RANKS = 70, MOST_PORTS = 64 };

static struct allfold_cost allreduce(const char *name, size_t p, size_t n, unsigned ports)
{
    return walked((struct built){ALLFOLD_ALLREDUCE, name, p, 0, n, PRESET, ports}).cost;
}

static struct allfold_cost to_root(const char *name, size_t p, size_t root, size_t n,
                                   unsigned ports)
{
    return walked((struct built){ALLFOLD_REDUCE, name, p, root, n, PRESET, ports}).cost;
}

/* Section 2.3, allreduce: ceil(lg p) (2 alpha + 2 n beta + n gamma).
 *
 * Rounds and reduced: the paper's. Sent: ceil(lg p) n less, as the busiest rank, 0, only receives
 * on the way up. */
static void test_binomial_tree_allreduce(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++) {
        const size_t n = 6, lg = ceil_lg(p), paper_sent = 2 * lg * n;
        assert_cost(allreduce("binomial_tree", p, n, 1), p, 0, 2 * lg, paper_sent - lg * n, lg * n);
    }
}

/* Section 2.7, reduce: 2 (p-1) alpha + (2 - 2/p) n beta + (1 - 1/p) n gamma.
 *
 * Rounds and reduced: the paper's, for every root. Sent: n - 2n/p less, as of the p - 1 messages of
 * the gather, which the root receives one after the other, each rank sends but one. */
static void test_ring_reduce(void **state)
{
    (void)state;
    for (size_t p = 2; p <= 20; p++)
        for (size_t root = 0; root < p; root++) {
            const size_t n = 3 * p, paper_sent = 2 * n - 2 * n / p;
            assert_cost(to_root("ring", p, root, n, 1), p, root, 2 * (p - 1),
                        paper_sent - (n - 2 * n / p), n - n / p);
        }
}

/* Section 2.6: for powers of two the binary blocks are halving and doubling. */
static void test_one_block_is_halving_doubling(void **state)
{
    (void)state;
    for (size_t p = 1; p <= 64; p *= 2) {
        const size_t n = 2 * p;
        const struct allfold_cost cost = allreduce("halving_doubling", p, n, 1);
        assert_cost(allreduce("binary_blocks", p, n, 1), p, 0, cost.rounds, cost.sent,
                    cost.reduced);
        for (size_t root = 0; root < p; root++) {
            const struct allfold_cost to = to_root("halving_doubling", p, root, n, 1);
            assert_cost(to_root("binary_blocks", p, root, n, 1), p, root, to.rounds, to.sent,
                        to.reduced);
        }
    }
}

/* The table of steps and volumes of the busiest sender, from simulated ranks that send any number
 * of messages at once: here, as many ports. The volume is in 64ths of a vector.
 *
 * Sent: the table's. Rounds: one less, as in the simulation the pair of messages downwards is a
 * step of its own, while here it goes along with the allgather's next exchange. */
static void test_blocks_match_the_table(void **state)
{
    (void)state;
    static const struct {
        size_t p, steps, sent;
    } table[] = {{7, 6, 128},   {12, 8, 120},  {13, 8, 144},
                 {31, 10, 128}, {33, 12, 156}, {100, 14, 134}};
    for (size_t i = 0; i < LENGTH(table); i++) {
        const size_t p = table[i].p, n = 64 * 4;
        assert_cost(allreduce("binary_blocks", p, n, MOST_PORTS), p, 0, table[i].steps - 1,
                    table[i].sent * n / 64, n);
    }
}

/* With enough ports, for all p: halving, one message up, doubling, during which the smaller blocks
 * get theirs and catch up. To a root: halving, one message up, the gather; a root outside of the
 * largest block gets rank 0's segment in the meantime. */
static void test_blocks_with_many_ports(void **state)
{
    (void)state;
    for (size_t p = 3; p <= MOST_RANKS; p++) {
        const size_t lg = floor_lg(p), n = (size_t)2 << lg;
        if (is_power_of_two(p))
            continue;
        assert_int_equal(allreduce("binary_blocks", p, n, MOST_PORTS).rounds, 2 * lg + 1);
        for (size_t root = 0; root < p; root++)
            assert_cost(to_root("binary_blocks", p, root, n, MOST_PORTS), p, root, 2 * lg + 1,
                        3 * n / 2 - (n >> lg), n);
    }
}

/* With one port the messages of a smaller block upwards go one after the other: worked out by hand.
 * p = 3: halving 1, the last rank's two messages 2 and 3, the pair downwards (from the rank that
 * had the first one) 3 and 4, and block 0's exchange 5.
 * p = 7: 1 and 2 halving; the last rank sends at 2 and 3, so that block 1 is complete at 3; its
 * ranks send two each, at 3..4 and 4..5, so that the largest is complete at 5. */
static void test_blocks_with_one_port(void **state)
{
    (void)state;
    assert_cost(allreduce("binary_blocks", 3, 4, 1), 3, 0, 5, 4 - 2 + 2 + 2, 4);
    assert_cost(to_root("binary_blocks", 3, 0, 4, 1), 3, 0, 3 + 1, 4, 4);
    assert_int_equal(to_root("binary_blocks", 7, 0, 8, 1).rounds, 5 + 2);
    assert_int_equal(to_root("binary_blocks", 7, 6, 8, 1).rounds, 5 + 2); /* in the others' wake */
    /* p = 2^k + 1: one rank alone sends 2^k messages */
    for (size_t k = 1; k <= 6; k++) {
        const size_t p = ((size_t)1 << k) + 1;
        assert_int_equal(to_root("binary_blocks", p, 0, 2 * p - 2, 1).rounds, 2 * k + p - 1);
        assert_int_equal(allreduce("binary_blocks", p, 2 * p - 2, 1).rounds, 2 * k + p);
    }
}

/* Rounds and messages that reference/recmul.py finds. With one port the messages go one after the
 * other, so they are the rounds then; of a removed pair's rank two are not the busiest's: it sends
 * one vector (the result) and reduces one more, while it receives the other message. */
static void test_recursive_multiplying(void **state)
{
    (void)state;
    static const struct {
        size_t p, radix, rounds, messages;
        bool removes;
    } table[] = {{2, 2, 1, 1, false},  {7, 2, 4, 4, true},     {64, 2, 6, 6, false},
                 {64, 4, 3, 9, false}, {64, 8, 2, 14, false},  {64, 16, 2, 14, false},
                 {7, 4, 3, 5, true},   {13, 4, 4, 6, true},    {24, 4, 3, 6, false},
                 {48, 4, 3, 8, false}, {16, 16, 1, 15, false}, {12, 16, 1, 11, false}};
    for (size_t i = 0; i < LENGTH(table); i++) {
        struct built what = {ALLFOLD_ALLREDUCE, "recursive_multiplying", table[i].p, 0, 5,
                             table[i].radix,    (unsigned)table[i].radix};
        const size_t sent = 5 * (table[i].messages - table[i].removes);
        assert_cost(walked(what).cost, what.p, 0, table[i].rounds, sent, sent);
        what.ports = 1;
        assert_cost(walked(what).cost, what.p, 0, table[i].messages, sent, sent);
    }
}

/* With radix 2 and a power of two, it is recursive doubling; else of the same rounds, or fewer. */
static void test_radix_2_is_recursive_doubling(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++) {
        const struct allfold_cost cost = allreduce("recursive_doubling", p, 3, 1);
        const struct built what = {ALLFOLD_ALLREDUCE, "recursive_multiplying", p, 0, 3, 2, 1};
        assert_cost(walked(what).cost, p, 0, cost.rounds, cost.sent, cost.reduced);
    }
}

/* With one radix and one way at all levels, mixed radices are the algorithms of sections 2.4 and
 * 2.5, with and without removed ranks. */
static void test_levels_alike_are_the_papers(void **state)
{
    (void)state;
    size_t doubling = 0, halving = 0;
    for (size_t p = 2; p <= MOST_RANKS; p++) {
        const size_t core = (size_t)1 << floor_lg(p), n = 2 * core;
        if (is_power_of_two(p)) {
            doubling = 10 * doubling + 2;
            halving = 10 * halving + 6;
        }
        struct built what = {ALLFOLD_ALLREDUCE, "mixed_radix", p, 0, n, doubling, 1};
        struct allfold_cost cost = allreduce("recursive_doubling", p, n, 1);
        assert_cost(walked(what).cost, p, 0, cost.rounds, cost.sent, cost.reduced);
        cost = allreduce("halving_doubling", p, n, 1);
        what.parameter = halving;
        assert_cost(walked(what).cost, p, 0, cost.rounds, cost.sent, cost.reduced);
    }
}

/* 16 ranks: one halving, then radix 2 and 4 on half vectors, then half a vector each way: rounds
 * 1 + 1 + 1 + 1, sent n/2 + n/2 + 3n/2 + n/2. Radix 4 cut, then doubled: n 3/4 twice and 3n/4. */
static void test_mixed_levels(void **state)
{
    (void)state;
    struct built what = {ALLFOLD_ALLREDUCE, "mixed_radix", 16, 0, 8, 624, 4};
    assert_cost(walked(what).cost, 16, 0, 4, 4 + 4 + 12 + 4, 4 + 4 + 12);
    what.parameter = 84;
    assert_cost(walked(what).cost, 16, 0, 3, 6 + 6 + 6, 6 + 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binomial_tree_allreduce),
        cmocka_unit_test(test_ring_reduce),
        cmocka_unit_test(test_one_block_is_halving_doubling),
        cmocka_unit_test(test_blocks_match_the_table),
        cmocka_unit_test(test_blocks_with_many_ports),
        cmocka_unit_test(test_blocks_with_one_port),
        cmocka_unit_test(test_recursive_multiplying),
        cmocka_unit_test(test_radix_2_is_recursive_doubling),
        cmocka_unit_test(test_levels_alike_are_the_papers),
        cmocka_unit_test(test_mixed_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
