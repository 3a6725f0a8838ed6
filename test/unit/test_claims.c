/* The formulas of Rabenseifner 2004 held against the schedules, by walking them.
 *
 * The paper gives times along the critical path. The latency term counts rounds. The factors of
 * n*beta and n*gamma count elements that pass, or are reduced, one after the other. Here f_alpha =
 * f_beta = 1 (a message in one direction costs as much as in both). The walk counts rounds alike,
 * but elements of the busiest single rank. The two differ exactly where consecutive messages of the
 * critical path are sent by different ranks; each such difference is stated below.
 *
 * All counts are multiples of 2 p p', so that halves, blocks and segments have no remainders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "schedule/verbs.h"
#include "support.h"
#include "support_claims.h"

enum { MOST_RANKS = 40, BLOCK = 3 };

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
 * two. The first message of the critical path is the removed rank's, and the busiest rank (that
 * stays of a pair) only receives it. */
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

/* Section 2.5, allreduce. Powers of two: 2 lg p alpha + (2 - 2/p) n beta + (1 - 1/p) n gamma. Else:
 * (2 lg p' + 3) alpha + (4 - 2/p') n beta + (3/2 - 1/p') n gamma.
 *
 * Rounds and reduced: the paper's. Sent: for powers of two the paper's, else n/2 less. The removed
 * rank sends the second message of the removal step, half a vector, to the rank that stays, which
 * is the busiest. */
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
 * The critical path of the gather goes n/p' + 2n/p' + ... + n/2 = n - n/p' through several ranks.
 * Each rank but the root sends n/(2d) once in it, where d is the highest bit in which its number
 * differs from the root's. So n - n/p' is missing and the best n/(2d) of the busiest ranks is
 * there. Where p is no power of two, the removed rank's half is missing too (as in the allreduce).
 * Only the ranks that stay of a pair have sent n/2 before, so the busiest is among them. One
 * exception: with one pair any rank at d = 1 has as much. */
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

/* Section 2.5, reduce. Powers of two: 2 lg p alpha + (2 - 2/p) n beta + (1 - 1/p) n gamma. Else: (2
 * lg p' + 2) alpha + (3 - 2/p') n beta + (3/2 - 1/p') n gamma. A root that would be removed causes
 * no overhead. Rounds and reduced: the paper's, for every root. */
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

/* The most children in the tree of peers.h, from its definition: each part is split at the largest
 * power of two below its size. The leader of the part without the root has lg of that part's size
 * as children. */
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
 * root each rank sends once. Reduced: n for each child, so (ceil(lg p) - degree) n less. This is 0
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

/* At one port each message is a round; at two ports, there are half as many rounds. */
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

/* What goes one after the other, whoever sends it. Along a pipeline that is more than any rank
 * sends: a segment for each of p - 2 + b rounds. A tree has a whole vector for each level, up and
 * down. In the ring all ranks send alike, and the row is what one of them sends. */
static void test_rows(void **state)
{
    (void)state;
    for (size_t p = 2; p <= MOST_RANKS; p++)
        for (size_t b = 1; b <= 4; b++) {
            const size_t n = 2 * b, bytes = 2 * sizeof(uint32_t);
            const struct built chain = {ALLFOLD_BCAST, "chain", p, 0, n, bytes, 0};
            assert_int_equal(walked(chain).cost.serial, 2 * (p - 2 + b));
            assert_int_equal(counted(ALLFOLD_REDUCE, "binomial_tree", p, 0, n).serial,
                             ceil_lg(p) * n);
            assert_int_equal(counted(ALLFOLD_ALLREDUCE, "binomial_tree", p, 0, n).serial,
                             2 * ceil_lg(p) * n);
            assert_int_equal(counted(ALLFOLD_ALLREDUCE, "ring", p, 0, p * b).serial,
                             2 * (p - 1) * b);
        }
}

/* Data that go to several peers are written once; blocks differ. */
static void test_written_once(void **state)
{
    (void)state;
    for (size_t p = 2; p <= MOST_RANKS; p++) {
        const struct allfold_cost bcast = counted(ALLFOLD_BCAST, "flat", p, 0, BLOCK);
        assert_true(bcast.sent == (p - 1) * BLOCK && bcast.written == BLOCK);
        assert_int_equal(counted(ALLFOLD_ALLGATHER, "flat", p, 0, BLOCK).written, BLOCK);
        assert_int_equal(counted(ALLFOLD_REDUCE_SCATTER_BLOCK, "flat", p, 0, BLOCK).written,
                         (p - 1) * BLOCK);
    }
}

/* Where p does not divide n, block sizes show: hand counts. */
static void test_remainders(void **state)
{
    (void)state;
    /* p = 3, n = 7, blocks 3 2 2: rank 1 sends all but its 2, then all but its right one's 2 */
    assert_cost(counted(ALLFOLD_ALLREDUCE, "ring", 3, 0, 7), 3, 0, 4, 10, 6);
    /* p = 4, n = 5: halves 2 3, quarters 1 1 1 2. Rank 0 sends 3 + 1, then 1 + 2. Rank 3, with 2 +
     * 1, then 2 + 3, sends the most of all; it reduces 3 + 2. */
    assert_cost(counted(ALLFOLD_ALLREDUCE, "halving_doubling", 4, 0, 5), 4, 0, 4, 8, 5);
}

/* Trees, ring, binary blocks (Rabenseifner 2004, sections 2.3, 2.6, 2.7) and recursive
 * multiplying: the formulas held against the schedules, by walking them. See test_claims.c for how
 * the paper's critical path and the walk's busiest rank differ; each difference is stated below.
 *
 * All counts are multiples of 2 p p', so that halves, blocks and segments have no remainders. */

enum { MOST_RANKS_BLOCKS = 70, MOST_PORTS = 64 };

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
    for (size_t p = 1; p <= MOST_RANKS_BLOCKS; p++) {
        const size_t n = 6, lg = ceil_lg(p), paper_sent = 2 * lg * n;
        assert_cost(allreduce("binomial_tree", p, n, 1), p, 0, 2 * lg, paper_sent - lg * n, lg * n);
    }
}

/* Section 2.7, reduce: 2 (p-1) alpha + (2 - 2/p) n beta + (1 - 1/p) n gamma.
 *
 * Rounds and reduced: the paper's, for every root. Sent: n - 2n/p less. The root receives the p - 1
 * messages of the gather one after the other, but each rank sends only one. */
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
 * Sent: the table's. Rounds: one less. In the simulation the pair of messages downwards is a step
 * of its own. Here it goes along with the allgather's next exchange. */
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
    for (size_t p = 3; p <= MOST_RANKS_BLOCKS; p++) {
        const size_t lg = floor_lg(p), n = (size_t)2 << lg;
        if (is_power_of_two(p))
            continue;
        assert_int_equal(allreduce("binary_blocks", p, n, MOST_PORTS).rounds, 2 * lg + 1);
        for (size_t root = 0; root < p; root++)
            assert_cost(to_root("binary_blocks", p, root, n, MOST_PORTS), p, root, 2 * lg + 1,
                        3 * n / 2 - (n >> lg), n);
    }
}

/* With one port the messages of a smaller block upwards go one after the other. Worked out by hand.
 * For p = 3, halving is round 1, the last rank's two messages 2 and 3, and block 0's exchange 5.
 * The pair downwards, from the rank that had the first one, is 3 and 4.
 * For p = 7, halving is 1 and 2. The last rank sends at 2 and 3, so that block 1 is complete at 3.
 * Its ranks send two each, at 3..4 and 4..5, so that the largest is complete at 5. */
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
 * other, so they are the rounds then. Two messages of a removed pair are not both the busiest
 * rank's. It sends one vector (the result) and reduces one more, while it receives the other
 * message. */
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
    for (size_t p = 1; p <= MOST_RANKS_BLOCKS; p++) {
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
    for (size_t p = 2; p <= MOST_RANKS_BLOCKS; p++) {
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

/* 16 ranks: one halving, then radix 2 and 4 on half vectors, then half a vector each way. Rounds 1
 * + 1 + 1 + 1, sent n/2 + n/2 + 3n/2 + n/2. Radix 4 cut, then doubled: n 3/4 twice and 3n/4. */
static void test_mixed_levels(void **state)
{
    (void)state;
    struct built what = {ALLFOLD_ALLREDUCE, "mixed_radix", 16, 0, 8, 624, 4};
    assert_cost(walked(what).cost, 16, 0, 4, 4 + 4 + 12 + 4, 4 + 4 + 12);
    what.parameter = 84;
    assert_cost(walked(what).cost, 16, 0, 3, 6 + 6 + 6, 6 + 6);
}

/* Formulas held against the schedules, by walking them. First come the parts of allreduce as
 * collectives of their own (Rabenseifner 2004, sections 2.2, 2.5 and 2.7). Then the bucket
 * algorithm (Patarasuk and Yuan 2009), the tree and the butterfly of End et al. 2016, and the flat
 * algorithms of textbooks. See test_claims.c for how the papers' critical path and the walk's
 * busiest rank differ. */

enum { MOST_RANKS_PARTS = 70 };

/* Section 2.5, the halves of the allreduce for powers of two, with n for the vector of all blocks.
 * Reduce-scatter: lg p alpha + (1 - 1/p) (n beta + n gamma). Allgather: lg p alpha + (1 - 1/p) n
 * beta. No difference. */
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
    for (size_t p = 1; p <= MOST_RANKS_PARTS; p++) {
        const size_t n = p * BLOCK, part = n - n / p;
        assert_cost(counted(ALLFOLD_REDUCE_SCATTER_BLOCK, "pairwise_exchange", p, 0, BLOCK), p, 0,
                    p - 1, part, part);
        assert_cost(counted(ALLFOLD_ALLGATHER, "ring", p, 0, BLOCK), p, 0, p - 1, part, 0);
    }
}

/* Patarasuk and Yuan, section 3: each half of the allreduce takes p-1 rounds of n/p, (1 - 1/p) of
 * the vector, which is the least. No difference. With segments that divide a block, there are as
 * many rounds more as segments, with as much in all. No message waits for one that is behind it. */
static void test_bucket(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS_PARTS; p++)
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
 * butterfly is of floor(lg p) rounds. Sent and reduced: n a round. One exception: of the two rounds
 * for the leftover ranks, a rank that serves one sends only in the second, and reduces in the
 * first. */
static void test_pairwise_exchange(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS_PARTS; p++) {
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
    for (size_t p = 1; p <= MOST_RANKS_PARTS; p++)
        assert_cost(counted(ALLFOLD_BARRIER, "binomial_tree", p, 0, 1), p, 0, 2 * ceil_lg(p),
                    ceil_lg(p), ceil_lg(p));
}

/* Section 2.2, "classical": the root receives and reduces p - 1 vectors, one after the other. It
 * sends p - 1 back if all want the result. */
static void test_linear(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS_PARTS; p++) {
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
    for (size_t p = 1; p <= MOST_RANKS_PARTS; p++) {
        const size_t others = p - 1, n = BLOCK, once = p > 1;
        assert_cost(counted(ALLFOLD_ALLREDUCE, "flat", p, 0, n), p, 0, once, others * n,
                    others * n);
        assert_cost(counted(ALLFOLD_REDUCE_SCATTER_BLOCK, "flat", p, 0, n), p, 0, once, others * n,
                    others * n);
        assert_cost(counted(ALLFOLD_ALLGATHER, "flat", p, 0, n), p, 0, once, others * n, 0);
        assert_cost(counted(ALLFOLD_BARRIER, "flat", p, 0, 1), p, 0, once, others, others);
        for (size_t root = 0; root < p; root += 1 + p / 3) {
            assert_cost(counted(ALLFOLD_REDUCE, "flat", p, root, n), p, root, once, once * n,
                        others * n);
            assert_cost(counted(ALLFOLD_BCAST, "flat", p, root, n), p, root, once, others * n, 0);
        }
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recursive_doubling),
        cmocka_unit_test(test_halving_doubling_allreduce),
        cmocka_unit_test(test_halving_doubling_reduce),
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_binomial_tree_reduce),
        cmocka_unit_test(test_binomial_tree_bcast),
        cmocka_unit_test(test_figure_1),
        cmocka_unit_test(test_walk_counts_ports),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_written_once),
        cmocka_unit_test(test_remainders),
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
