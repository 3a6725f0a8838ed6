/* Peer arithmetic: logarithms, blocks, cores, trees and halves against their definitions, for every
 * p up to MOST_RANKS and every root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>

#include "algorithms/halving.h"
#include "algorithms/trees.h"

enum { MOST_RANKS = 130 };

static void test_logs_bound_their_argument(void **state)
{
    (void)state;
    for (int p = 1; p <= 5000; p++) {
        const int low = floor_log2(p), high = ceil_log2(p);
        assert_true(1 << low <= p && p < 2 << low);
        assert_true(p <= 1 << high && (high == 0 || p > 1 << (high - 1)));
    }
    for (int k = 1; k < 30; k++) {
        assert_int_equal(floor_log2((1 << k) - 1), k - 1);
        assert_int_equal(floor_log2(1 << k), k);
        assert_int_equal(ceil_log2(1 << k), k);
        assert_int_equal(ceil_log2((1 << k) + 1), k + 1);
    }
    assert_int_equal(floor_log2(INT32_MAX), 30);
    assert_int_equal(ceil_log2(INT32_MAX), 31);
}

static void test_division_rounds_up_and_indices_wrap(void **state)
{
    (void)state;
    for (size_t a = 0; a < 60; a++)
        for (size_t b = 1; b < 20; b++) {
            const size_t q = ceil_divide(a, b);
            assert_true(q * b >= a && (q == 0 || (q - 1) * b < a));
        }
    assert_true(ceil_divide(SIZE_MAX, 2) == SIZE_MAX / 2 + 1);
    for (int p = 1; p < 20; p++)
        for (int i = -p; i < 3 * p; i++) {
            const int wrapped = wrap(i, p);
            assert_in_range(wrapped, 0, p - 1);
            assert_int_equal((i - wrapped) % p, 0);
        }
}

static void test_blocks_cover_exactly_and_differ_by_one_at_most(void **state)
{
    (void)state;
    static const size_t large[] = {1000003, (size_t)1 << 40, ((size_t)1 << 40) + 17};
    for (int p = 1; p <= MOST_RANKS; p++)
        for (size_t i = 0; i < 400 + 3; i++) {
            const size_t n = i < 400 ? i : large[i - 400];
            assert_int_equal(block_begin(n, p, 0), 0);
            assert_int_equal(block_begin(n, p, p), n);
            for (int b = 0; b < p; b++) {
                const size_t length = block_length(n, p, b);
                assert_int_equal(block_begin(n, p, b) + length, block_begin(n, p, b + 1));
                assert_true(length == n / (size_t)p || length == ceil_divide(n, (size_t)p));
                assert_true(b == 0 || length <= block_length(n, p, b - 1));
            }
        }
}

/* The pairs of the paper, and of each the one that stays. */
static void check_core(int p, int root)
{
    const int size = 1 << floor_log2(p);
    int next = 0;
    for (int r = 0; r < p; r++) {
        const struct core core = core_of(p, r, root);
        assert_int_equal(core.size, size);
        assert_int_equal(core.pairs, p - size);
        if (r < 2 * (p - size))
            assert_int_equal(core.partner, r % 2 == 0 ? r + 1 : r - 1);
        else
            assert_int_equal(core.partner, -1);
        if (r == root)
            assert_true(core.index >= 0);
        if (core.index < 0) {
            assert_true(core.partner >= 0);
            assert_true(core_of(p, core.partner, root).index >= 0);
            assert_true(r % 2 == 1 || core.partner == root);
            continue;
        }
        /* in the order of the ranks, one after the other: a bijection that keeps rank order */
        assert_int_equal(core.index, next++);
        for (int viewer = 0; viewer < p; viewer += 7) {
            const struct core seen = core_of(p, viewer, root);
            assert_int_equal(core_rank(&seen, core.index, root), r);
        }
    }
    assert_int_equal(next, size);
}

static void test_cores_number_the_ranks_that_stay(void **state)
{
    (void)state;
    for (int p = 1; p <= MOST_RANKS; p++)
        for (int root = 0; root < p; root++)
            check_core(p, root);
}

/* A tree of all ranks, and what follows from it. */
struct shape {
    struct tree tree[MOST_RANKS];
    int size[MOST_RANKS];               /* ranks in the subtree */
    int lo[MOST_RANKS], hi[MOST_RANKS]; /* lowest and highest rank in the subtree */
    int height[MOST_RANKS];
    int ends[MOST_RANKS]; /* round after which a reduction up the tree has reached the rank */
};

static void explore(struct shape *shape, int r)
{
    const struct tree *tree = &shape->tree[r];
    shape->size[r] = 1;
    shape->lo[r] = shape->hi[r] = r;
    shape->height[r] = shape->ends[r] = 0;
    for (int i = tree->child_count - 1; i >= 0; i--) {
        const int child = tree->children[i].rank;
        assert_int_equal(shape->tree[child].parent, r);
        explore(shape, child);
        assert_int_equal(shape->size[child], tree->children[i].covered);
        shape->size[r] += shape->size[child];
        if (shape->height[child] >= shape->height[r])
            shape->height[r] = shape->height[child] + 1;
        if (shape->ends[child] > shape->ends[r])
            shape->ends[r] = shape->ends[child];
        shape->ends[r]++;
        /* what comes from each child lies next to what is there already */
        assert_true(shape->hi[child] + 1 == shape->lo[r] || shape->hi[r] + 1 == shape->lo[child]);
        if (shape->lo[child] < shape->lo[r])
            shape->lo[r] = shape->lo[child];
        if (shape->hi[child] > shape->hi[r])
            shape->hi[r] = shape->hi[child];
    }
    assert_int_equal(shape->hi[r] - shape->lo[r] + 1, shape->size[r]);
    assert_int_equal(tree->covered, shape->size[r]);
}

static void check_tree(int p, int root,
                       struct tree (*tree_of)(struct allfold_builder *s, int p, int root, int r),
                       int (*degree_of)(int p, int root))
{
    struct allfold_builder *s =
        allfold_builder_create(&(struct allfold_shape){.group = allfold_group_all(p, 0)});
    assert_non_null(s);
    static struct shape shape;
    int degree = 0;
    for (int r = 0; r < p; r++) {
        shape.tree[r] = tree_of(s, p, root, r);
        assert_true((shape.tree[r].parent == -1) == (r == root));
        if (shape.tree[r].child_count > degree)
            degree = shape.tree[r].child_count;
    }
    explore(&shape, root);
    assert_int_equal(shape.size[root], p); /* so each rank is there, and once */
    assert_true(shape.height[root] <= ceil_log2(p));
    assert_true(shape.ends[root] <= ceil_log2(p));
    assert_int_equal(degree_of(p, root), degree);
    for (int r = 0; r < p; r++)
        if (r != root)
            assert_int_equal(shape.lo[r], r); /* led by its lowest rank */
    allfold_builder_free(s);
}

static void test_trees_agree_and_keep_neighbours_together(void **state)
{
    (void)state;
    for (int p = 1; p <= MOST_RANKS; p++)
        for (int root = 0; root < p; root++)
            for (int i = 0; i < 2; i++)
                check_tree(p, root, i ? allfold_canonical_tree : allfold_tree,
                           i ? allfold_canonical_tree_degree : allfold_tree_degree);
}

static void test_trees_are_those_of_the_definition(void **state)
{
    (void)state;
    /* p = 13, root 9: 0-7 | 8-12, then 8-11 | 12, then 8-9 | 10-11, then 8 | 9 */
    struct allfold_builder *s =
        allfold_builder_create(&(struct allfold_shape){.group = allfold_group_all(13, 0)});
    const struct tree tree = allfold_tree(s, 13, 9, 9);
    static const int children[] = {0, 12, 10, 8};
    assert_int_equal(tree.child_count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(tree.children[i].rank, children[i]);
    assert_int_equal(allfold_tree(s, 13, 9, 6).parent, 4);
    assert_int_equal(allfold_tree_degree(13, 9), 4);
    assert_int_equal(allfold_tree_degree(5, 4), 2);
    assert_int_equal(allfold_tree_degree(1, 0), 0);
    assert_int_equal(allfold_tree_degree(1 << 24, 0), 24);
    assert_int_equal(allfold_tree(s, (1 << 24) - 3, 0, (1 << 24) - 4).parent, (1 << 24) - 8);
    allfold_builder_free(s);
}

static struct tree_split split_off_one(int lo, int hi, int root)
{
    assert_int_equal(lo, root);
    return (struct tree_split){hi - 1, hi - 1};
}

/* Nothing bounds the number of children: here the root has all other ranks. */
static void test_trees_with_many_children(void **state)
{
    (void)state;
    enum { P = 3000 };
    struct allfold_builder *s =
        allfold_builder_create(&(struct allfold_shape){.group = allfold_group_all(P, 0)});
    const struct tree tree = allfold_tree_of_splits(s, P, 0, 0, split_off_one);
    assert_int_equal(tree.child_count, P - 1);
    for (int i = 0; i < P - 1; i++)
        assert_int_equal(tree.children[i].rank, P - 1 - i);
    assert_int_equal(allfold_tree_of_splits(s, P, 0, 7, split_off_one).child_count, 0);
    allfold_builder_free(s);
}

/* All levels are full but the last, which is filled from the left. */
static void test_halves_of_the_canonical_tree(void **state)
{
    (void)state;
    static const int left[] = {0, 0, 1, 2, 2, 3, 4, 4, 4, 5, 6, 7, 8, 8};
    for (int n = 2; n < (int)(sizeof left / sizeof *left); n++)
        assert_int_equal(canonical_left(n), left[n]);
    for (int n = 2; n < 1 << 12; n++) {
        const int low = canonical_left(n), full = 1 << (ceil_log2(n) - 1);
        assert_true(low >= n - low && low <= full);
        assert_true(low == full || 2 * (n - low) == full);
    }
    assert_int_equal(canonical_left(INT_MAX), 1 << 30);
}

static void check_halves(size_t n, int size)
{
    for (int distance = 1; distance <= size; distance *= 2) {
        size_t covered = 0;
        for (int i = 0; i < size; i++) {
            const struct bounds kept = allfold_halved(n, i, distance);
            const size_t length = kept.hi - kept.lo, parts = (size_t)distance;
            assert_true(kept.lo <= kept.hi && kept.hi <= n);
            assert_true(length == n / parts || length == ceil_divide(n, parts));
            covered += i < distance ? length : 0;
            if (distance == 1)
                continue;
            /* with the partner at that distance: the whole of before, lower half to the 0 bit */
            const struct bounds whole = allfold_halved(n, i, distance / 2);
            const struct bounds other = allfold_halved(n, i ^ distance / 2, distance);
            const struct bounds low = i & distance / 2 ? other : kept;
            const struct bounds high = i & distance / 2 ? kept : other;
            assert_int_equal(low.lo, whole.lo);
            assert_int_equal(low.hi, high.lo);
            assert_int_equal(high.hi, whole.hi);
        }
        assert_int_equal(covered, n);
    }
}

static void test_halves_cover_what_was_halved(void **state)
{
    (void)state;
    for (int size = 1; size <= 128; size *= 2)
        for (size_t n = 0; n < 300; n++)
            check_halves(n, size);
    check_halves(((size_t)1 << 40) + 5, 1024);
    const struct bounds kept = allfold_halved(13, 1, 4); /* 0-12, second half 6-12, first of it */
    assert_int_equal(kept.lo, 6);
    assert_int_equal(kept.hi, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logs_bound_their_argument),
        cmocka_unit_test(test_division_rounds_up_and_indices_wrap),
        cmocka_unit_test(test_blocks_cover_exactly_and_differ_by_one_at_most),
        cmocka_unit_test(test_cores_number_the_ranks_that_stay),
        cmocka_unit_test(test_trees_agree_and_keep_neighbours_together),
        cmocka_unit_test(test_trees_are_those_of_the_definition),
        cmocka_unit_test(test_trees_with_many_children),
        cmocka_unit_test(test_halves_of_the_canonical_tree),
        cmocka_unit_test(test_halves_cover_what_was_halved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
