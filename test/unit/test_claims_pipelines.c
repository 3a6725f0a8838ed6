/* The formulas of the pipelined algorithms held against the schedules, by walking them.
 *
 * The papers count steps of a telephone model, in which a rank exchanges with one other at a time.
 * The walk (allfold_walk) lets a rank send to one and receive from another at once, so it may need
 * fewer rounds, never more. Where it does, the test says by how much. Segments are of two elements,
 * and b is their number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "algorithms/two_tree.h"
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
 * as root. One more for others: the chain, to be in rank order, begins at the root too. */
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

/* The volume of a chain where all hosts have their turns: each rank but the root reduces each
 * segment once in the mean, and all ranks send each once. Three rounds for two segments, at most
 * two for each; where p is no power of two, some more (the worst roots that were found). */
static void test_rotating_tree(void **state)
{
    (void)state;
    for (size_t p = 2; p <= 32; p *= 2)
        for (size_t root = 0; root < p; root += 1 + p / 5)
            for (size_t b = p; b <= 3 * p; b += p) {
                const struct counted counted = count(ALLFOLD_REDUCE, "rotating_tree", p, root, b);
                expect(counted, counted.cost.rounds, b, b);
                assert_in_range(counted.cost.rounds, b, 2 * b + 10);
            }
    assert_int_equal(count(ALLFOLD_REDUCE, "rotating_tree", 4, 0, 64).cost.rounds, 64 + 3);
    static const size_t worst[][2] = {{33, 17}, {59, 43}, {58, 42}, {97, 49}};
    for (size_t i = 0; i < sizeof worst / sizeof *worst; i++) {
        const size_t b = 512;
        const size_t rounds =
            count(ALLFOLD_REDUCE, "rotating_tree", worst[i][0], worst[i][1], b).cost.rounds;
        assert_in_range(rounds, 2 * b + 1, 2 * b + b / 5 + 15);
    }
}

/* The report's own totals. Exercise 2, reduce and then broadcast: 2 (b + p - 1), two more than
 * twice the b + p - 2 that it has for each. Exercise 3: p - 1 + b, which is one segment's way up
 * and all others' behind it. This is p + b - 4 less than it takes: the segments have to come down,
 * too, and a rank between sends each twice. Exercise 5, by its time alpha (d - 1) + ...: d - 1 + b
 * rounds for a tree of depth d = h - 1. This is 3h - 6 + 2b less, as above, and because a rank with
 * two children and a parent sends each three times. */
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
 * Two less here from three ranks on. Nothing comes down beside the first two segments, and nothing
 * goes up beside the last two, so these follow each other one round closer. */
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
 * tree of p = 2^h - 1 ranks. Here it takes the least t with N(t) >= p, N(t) = 1 + N(t-1) + N(t-2).
 * This t is never more, and is less from p = 7 on, because the subtree that is served first is the
 * larger. Roots inside serve all ranks below them first, and all above: at most 2 more. */
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

/* TU Wien exercise 5, one tree of p = 2^h - 1 ranks: 4h - 6 + 3b steps for b > 1. Here two less, as
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

/* Dual root, p = 2^h - 2: 4h - 10 + 3b steps, exactly. Sibling leaves: two steps more. Only at p =
 * 6 is the busiest rank's volume less: 2 instead of 3, of which one is a root's exchange. For other
 * p never more than for the next 2^h - 2. */
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

/* Two trees: their arithmetic against its definition. The costs of the algorithms over them against
 * the paper's formulas (Sanders, Speck and Traeff 2009), by walking the schedules. */

enum { MOST_RANKS_TWO_TREE = 600, SEGMENT_TWO_TREE = 2 };

struct shape {
    struct two_tree_place place[MOST_RANKS_TWO_TREE];
    int ranks[MOST_RANKS_TWO_TREE], least[MOST_RANKS_TWO_TREE],
        most[MOST_RANKS_TWO_TREE]; /* of subtrees */
};

/* The subtree of rank i, found by its children. */
static void explore(struct shape *shape, int n, int i)
{
    const struct two_tree_place *place = &shape->place[i];
    shape->ranks[i]++;
    shape->least[i] = shape->most[i] = i;
    for (int c = 0; c < place->child_count; c++) {
        const int child = place->children[c];
        assert_in_range(child, 0, n - 1);
        assert_int_equal(shape->place[child].parent, i);
        assert_int_equal(shape->place[child].time, place->times[c]);
        assert_in_range(place->times[c] - place->time, c + 1, 2);
        assert_true(c == 0 || place->times[0] < place->times[1]);
        explore(shape, n, child);
        shape->ranks[i] += shape->ranks[child];
        if (n % 2 == 0) /* in order */
            assert_true(shape->most[child] == i - 1 || shape->least[child] == i + 1);
        shape->least[i] = shape->least[child] < i ? shape->least[child] : shape->least[i];
        shape->most[i] = shape->most[child] > i ? shape->most[child] : shape->most[i];
    }
    if (n % 2 == 0)
        assert_int_equal(shape->most[i] - shape->least[i] + 1, shape->ranks[i]);
}

/* Returns when the last rank receives. */
static int check_tree(struct shape *shape, int n, int tree)
{
    const struct two_tree_place above = allfold_two_tree(n, tree, n);
    int last = 0;
    *shape = (struct shape){.ranks = {0}};
    for (int i = 0; i < n; i++) {
        shape->place[i] = allfold_two_tree(n, tree, i);
        last = shape->place[i].time > last ? shape->place[i].time : last;
    }
    assert_int_equal(above.parent, -1);
    assert_int_equal(above.child_count, 1);
    const int root = above.children[0];
    assert_int_equal(above.times[0], 1 + tree);
    assert_int_equal(shape->place[root].parent, n);
    assert_int_equal(shape->place[root].time, 1 + tree);
    explore(shape, n, root);
    assert_int_equal(shape->ranks[root], n); /* so each rank is there, and once */
    return last;
}

static void test_trees_share_out_the_ranks(void **state)
{
    (void)state;
    static struct shape first, second;
    for (int n = 1; n <= MOST_RANKS_TWO_TREE; n++) {
        const int last = check_tree(&first, n, 0);
        const bool alone = n == 2 || n == 6 || n == 14;
        assert_int_equal(check_tree(&second, n, 1), last + 1);
        assert_int_equal(allfold_two_tree_rounds(n), last - alone);
        for (int i = 0; i < n; i++) {
            assert_true(first.place[i].child_count == 0 || second.place[i].child_count == 0);
            assert_true((first.place[i].time - second.place[i].time) % 2 != 0);
        }
    }
}

static void test_rounds_of_trees(void **state)
{
    (void)state;
    /* the most ranks with children; one more rank takes a round more */
    static const int most[] = {0, 0, 1, 2, 3, 6, 9, 16, 25, 42, 67, 110, 177};
    for (int t = 2; t < 13; t++) {
        const bool alone = most[t] == 1 || most[t] == 3;
        assert_int_equal(allfold_two_tree_rounds(2 * most[t]), 1 + t - alone);
        assert_int_equal(allfold_two_tree_rounds(2 * most[t] + 1), 1 + t);
        const int more = 2 * most[t] + 2;
        assert_int_equal(allfold_two_tree_rounds(more), 2 + t - (more == 6 || more == 14));
        for (int k = most[t - 1] + 1; k <= most[t]; k++)
            assert_int_equal(allfold_two_tree_is_full(2 * k), k >= most[t] - most[t] % 2);
    }
    assert_int_equal(allfold_two_tree_rounds(0), 0);
    assert_int_equal(allfold_two_tree_rounds(1), 1);
    /* less than two rounds a level of the paper's trees, which have h levels; at most 1.45 h + 2 */
    for (int n = 1, h = 1; n < 1 << 29; n += 1 + n / 7) {
        h += n >= 1 << h;
        assert_true(allfold_two_tree_rounds(n) < 2 * h);
        assert_true(20 * allfold_two_tree_rounds(n) <= 29 * h + 40);
    }
}

static void test_trees_of_many_ranks(void **state)
{
    (void)state;
    static const int large[] = {4095, 4096, 99991, (1 << 24) - 2, INT32_MAX - 1, INT32_MAX};
    for (size_t l = 0; l < sizeof large / sizeof *large; l++)
        for (int i = 0; i < 800; i++) {
            const int n = large[l], r = i % 2 == 0 ? i : n - i;
            for (int tree = 0; tree < 2; tree++) {
                const struct two_tree_place place = allfold_two_tree(n, tree, r);
                const struct two_tree_place above = allfold_two_tree(n, tree, place.parent);
                const int c = above.children[0] != r;
                assert_int_equal(above.children[c], r);
                assert_int_equal(above.times[c], place.time);
                assert_in_range(place.time, 1, allfold_two_tree_rounds(n) + 1);
            }
        }
}

/* Of b segments. */
static struct allfold_cost counted_two_tree(enum allfold_collective collective, const char *name,
                                            size_t p, size_t root, size_t b)
{
    return walked((struct built){.collective = collective,
                                 .name = name,
                                 .p = p,
                                 .root = root,
                                 .n = SEGMENT_TWO_TREE * b,
                                 .parameter = SEGMENT_TWO_TREE * sizeof(uint32_t)})
        .cost;
}

/* One round for each further segment, and each rank sends and receives each segment once. Of an odd
 * number of segments, the first tree has one more. The paper's first segment takes two rounds a
 * level: never less than here. */
static void test_broadcast_and_reduction(void **state)
{
    (void)state;
    for (size_t p = 4; p <= 70; p++)
        for (size_t root = 0; root < p; root += 1 + p / 3)
            for (size_t b = 1; b <= 20; b += 1 + b / 2) {
                const size_t rounds = (size_t)allfold_two_tree_rounds((int)p - 1) + b - 1;
                const size_t all = SEGMENT_TWO_TREE * b, first = SEGMENT_TWO_TREE * (b + b % 2);
                assert_cost(counted_two_tree(ALLFOLD_BCAST, "two_tree", p, root, b), p, root,
                            rounds, first, 0);
                assert_cost(counted_two_tree(ALLFOLD_REDUCE, "two_tree", p, root, b), p, root,
                            rounds, all, first);
            }
}

/* Both, one after the other: two rounds for each further segment, and volume 2. Without a parent of
 * both roots, for even p, two rounds less. */
static void test_reduction_to_all(void **state)
{
    (void)state;
    for (size_t p = 4; p <= 200; p++)
        for (size_t b = 1; b <= 20; b += 1 + b / 2) {
            const size_t once = (size_t)allfold_two_tree_rounds((int)(p - p % 2)) + b - 1;
            const bool overlaps =
                p % 2 == 0 && p != 6 && b == 2 && allfold_two_tree_is_full((int)p);
            const size_t less = overlaps ? 4 : p % 2 == 0 ? 2 : 0;
            assert_cost(counted_two_tree(ALLFOLD_ALLREDUCE, "two_tree", p, 0, b), p, 0,
                        2 * once - less, SEGMENT_TWO_TREE * (2 * b + b % 2),
                        SEGMENT_TWO_TREE * (b + b % 2));
        }
    for (size_t b = 1; b <= 20; b++)
        assert_cost(counted_two_tree(ALLFOLD_ALLREDUCE, "two_tree", 2, 0, b), 2, 0, b + b % 2,
                    SEGMENT_TWO_TREE * b, SEGMENT_TWO_TREE * ((b + 1) / 2));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_pipelines),
        cmocka_unit_test(test_rotating_tree),
        cmocka_unit_test(test_totals_of_the_report),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_dual_chain),
        cmocka_unit_test(test_pipelined_trees),
        cmocka_unit_test(test_doubly_pipelined_tree),
        cmocka_unit_test(test_dual_root),
        cmocka_unit_test(test_circulant),
        cmocka_unit_test(test_trees_share_out_the_ranks),
        cmocka_unit_test(test_rounds_of_trees),
        cmocka_unit_test(test_trees_of_many_ranks),
        cmocka_unit_test(test_broadcast_and_reduction),
        cmocka_unit_test(test_reduction_to_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
