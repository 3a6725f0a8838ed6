/* The formulas of the pipelined algorithms held against the schedules, by walking them.
 *
 * The papers count steps of a telephone model, in which a rank exchanges with one other at a time;
 * allfold_walk lets a rank send to one and receive from another at once, so it may need fewer
 * rounds, never more. Where it does, the test says by how much. Segments are of two elements, and
 * b is their number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "support_claims.h"

enum { MOST_RANKS = 34, MOST_SEGMENTS = 20, SEGMENT = 2 };

/* 1, 2, 4, 7, 11, 17 segments. */
static size_t next(size_t b)
{
    return b + 1 + b / 2;
}

/* p, root and b, and what allfold_walk counts of them. */
struct counted {
    size_t p, root, b;
    struct allfold_cost cost;
};

static struct counted count(enum allfold_collective collective, const char *name, size_t p,
                            size_t root, size_t b)
{
    const struct built built = {collective, name, p, root, SEGMENT * b, SEGMENT * sizeof(uint32_t),
                                0};
    return (struct counted){p, root, b, walked(built).cost};
}

/* Elements sent and reduced are given in segments. */
static void expect(struct counted counted, size_t rounds, size_t sent, size_t reduced)
{
    const struct allfold_cost *cost = &counted.cost;
    if (cost->rounds != rounds || cost->sent != SEGMENT * sent ||
        cost->reduced != SEGMENT * reduced)
        fail_msg("p = %zu, root = %zu, b = %zu: counted %zu %zu %zu, expected %zu %zu %zu",
                 counted.p, counted.root, counted.b, cost->rounds, cost->sent, cost->reduced,
                 rounds, SEGMENT * sent, SEGMENT * reduced);
}

/* TU Wien exercise 2: p + b - 2 rounds, each rank sends and reduces each segment once. The
 * broadcast's: the paper's for any root. The reduce's: the paper's for the first and the last rank
 * as root; one more for others, because the chain, to be in order, begins at the root too. */
static void test_linear_pipelines(void **state)
{
    (void)state;
    for (size_t p = 2; p <= MOST_RANKS; p++)
        for (size_t root = 0; root < p; root += 1 + p / 5)
            for (size_t b = 1; b <= MOST_SEGMENTS; b = next(b)) {
                const size_t inside = root > 0 && root < p - 1;
                expect(count(ALLFOLD_BCAST, "chain", p, root, b), p + b - 2, b, 0);
                expect(count(ALLFOLD_REDUCE, "chain", p, root, b), p + b - 2 + inside, b, b);
            }
    expect(count(ALLFOLD_REDUCE, "chain", 9, 8, 5), 9 + 5 - 2, 5, 5);
}

/* The report's own totals. Exercise 2, reduce and then broadcast: 2 (b + p - 1), two more than
 * twice the b + p - 2 that it has for each. Exercise 3: p - 1 + b, which is one segment's way up
 * and all others' behind it; p + b - 4 less than it takes, as they have to come down, too, and a
 * rank between sends each twice. Exercise 5, by its time alpha (d - 1) + ...: d - 1 + b rounds for
 * a tree of depth d = h - 1; 3h - 6 + 2b less, as above, and as a rank with two children and a
 * parent sends each three times. */
static void test_totals_of_the_report(void **state)
{
    (void)state;
    for (size_t b = 2; b <= MOST_SEGMENTS; b = next(b)) {
        for (size_t p = 3; p <= MOST_RANKS; p++) {
            const size_t up = count(ALLFOLD_REDUCE, "chain", p, 0, b).cost.rounds;
            const size_t down = count(ALLFOLD_BCAST, "chain", p, 0, b).cost.rounds;
            const size_t both = count(ALLFOLD_ALLREDUCE, "chain", p, 0, b).cost.rounds;
            assert_int_equal(up + down, 2 * (b + p - 1) - 2);
            assert_int_equal(both, (p - 1 + b) + (p + b - 4));
        }
        for (size_t h = 3; h <= 7; h++) {
            const size_t p = ((size_t)1 << h) - 1, d = h - 1;
            const size_t rounds = count(ALLFOLD_ALLREDUCE, "pipelined_tree", p, 0, b).cost.rounds;
            assert_int_equal(rounds, (d - 1 + b) + (3 * h - 6 + 2 * b));
        }
    }
}

/* TU Wien exercise 3: 2 (p-1) + 2b - 1 steps for b > 1, 2 (p-1) for b = 1; two ranks take b + 1.
 * Two less here from three ranks on: nothing comes down beside the first two segments, and nothing
 * goes up beside the last two, so they follow each other one round closer. */
static void test_chain(void **state)
{
    (void)state;
    for (size_t p = 2; p <= MOST_RANKS; p++)
        for (size_t b = 1; b <= MOST_SEGMENTS; b = next(b)) {
            const size_t paper = p == 2 ? b + 1 : b == 1 ? 2 * (p - 1) : 2 * (p - 1) + 2 * b - 1;
            const size_t less = p > 2 && b > 1 ? 2 : 0, most = p > 2 ? 2 * b : b;
            expect(count(ALLFOLD_ALLREDUCE, "chain", p, 0, b), paper - less, most, b);
        }
}

/* Dual chain: 2b + 2 ceil(p/2) - 3; two ranks just exchange, in b rounds, where the formula has
 * 2b - 1. */
static void test_dual_chain(void **state)
{
    (void)state;
    for (size_t b = 1; b <= MOST_SEGMENTS; b = next(b)) {
        expect(count(ALLFOLD_ALLREDUCE, "dual_chain", 2, 0, b), b, b, b);
        for (size_t p = 3; p <= MOST_RANKS; p++)
            expect(count(ALLFOLD_ALLREDUCE, "dual_chain", p, 0, b), 2 * b + 2 * ((p + 1) / 2) - 3,
                   2 * b, 2 * b);
    }
}

/* TU Wien exercise 4: 2 rounds for each segment. The first takes 2 (h-1) in the paper's complete
 * tree of p = 2^h - 1 ranks; here the least t with N(t) >= p, N(t) = 1 + N(t-1) + N(t-2), which is
 * never more and is less from p = 7 on, because the subtree that is served first is the larger.
 * Roots inside serve all ranks below them first, and all above: at most 2 more. */
static void test_pipelined_trees(void **state)
{
    (void)state;
    size_t now = 1, before = 0, t = 0; /* N(t), N(t-1) */
    for (size_t p = 3; p <= MOST_RANKS; p++) {
        while (now < p) {
            const size_t after = 1 + now + before;
            before = now;
            now = after;
            t++;
        }
        const size_t h = ceil_lg(p + 1);
        assert_true(t <= 2 * (h - 1));
        assert_true(p < 7 || p != ((size_t)1 << h) - 1 || t < 2 * (h - 1));
        for (size_t b = 1; b <= MOST_SEGMENTS; b = next(b))
            for (size_t end = 0; end < 2; end++) {
                const size_t root = end * (p - 1), rounds = t + 2 * (b - 1);
                expect(count(ALLFOLD_BCAST, "pipelined_tree", p, root, b), rounds, 2 * b, 0);
                expect(count(ALLFOLD_REDUCE, "pipelined_tree", p, root, b), rounds, b, 2 * b);
            }
        for (size_t root = 1; root < p - 1; root++) {
            const struct counted counted = count(ALLFOLD_REDUCE, "pipelined_tree", p, root, 4);
            assert_in_range(counted.cost.rounds, t + 6, t + 2 + 6);
        }
    }
}

/* TU Wien exercise 5, one tree of p = 2^h - 1 ranks: 4h - 6 + 3b steps for b > 1; here two less, as
 * in the chain. One segment goes up and down in 4 (h-1). A tree of three ranks has none with both a
 * parent and two children: 2 rounds a segment. */
static void test_doubly_pipelined_tree(void **state)
{
    (void)state;
    for (size_t b = 1; b <= MOST_SEGMENTS; b = next(b)) {
        expect(count(ALLFOLD_ALLREDUCE, "pipelined_tree", 3, 0, b), 4 + 2 * (b - 1), 2 * b, 2 * b);
        for (size_t h = 3; h <= 7; h++) {
            const size_t p = ((size_t)1 << h) - 1;
            const size_t rounds = b == 1 ? 4 * (h - 1) : 4 * h - 6 + 3 * b - 2;
            expect(count(ALLFOLD_ALLREDUCE, "pipelined_tree", p, 0, b), rounds, 3 * b, 2 * b);
        }
    }
}

/* Dual root, p = 2^h - 2: 4h - 10 + 3b steps, exactly. Sibling leaves: two steps more, and only at
 * p = 6 is the busiest rank's volume less: 2 instead of 3, of which one is a root's exchange. For
 * other p never more than for the next 2^h - 2. */
static void test_dual_root(void **state)
{
    (void)state;
    for (size_t b = 1; b <= MOST_SEGMENTS; b = next(b))
        for (size_t h = 3; h <= 7; h++) {
            const size_t p = ((size_t)1 << h) - 2, rounds = 4 * h - 10 + 3 * b;
            const size_t shared = p == 6 ? 2 * b : 3 * b;
            expect(count(ALLFOLD_ALLREDUCE, "dual_root", p, 0, b), rounds, 3 * b, 3 * b);
            expect(count(ALLFOLD_ALLREDUCE, "sibling_leaves", p, 0, b), rounds + 2, shared, shared);
        }
    for (size_t p = 2; p <= MOST_RANKS; p++) {
        const size_t h = ceil_lg(p + 2);
        assert_true(count(ALLFOLD_ALLREDUCE, "dual_root", p, 0, 7).cost.rounds <= 4 * h - 10 + 21);
    }
}

/* Round-optimal: b - 1 + ceil(lg p) rounds, for any p and root. In the reduce each rank sends once;
 * the root receives in each round. */
static void test_circulant(void **state)
{
    (void)state;
    for (size_t p = 2; p <= 2 * MOST_RANKS; p++)
        for (size_t root = 0; root < p; root += 1 + p / 3)
            for (size_t b = 1; b <= MOST_SEGMENTS; b = next(b)) {
                const size_t rounds = b - 1 + ceil_lg(p);
                expect(count(ALLFOLD_BCAST, "pipelined_circulant", p, root, b), rounds, rounds, 0);
                expect(count(ALLFOLD_REDUCE, "pipelined_circulant", p, root, b), rounds, b, rounds);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_pipelines),
        cmocka_unit_test(test_totals_of_the_report),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_dual_chain),
        cmocka_unit_test(test_pipelined_trees),
        cmocka_unit_test(test_doubly_pipelined_tree),
        cmocka_unit_test(test_dual_root),
        cmocka_unit_test(test_circulant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
