/* Two trees: their arithmetic against its definition, and what the algorithms over them cost
 * against the paper's formulas (Sanders, Speck and Traeff 2009), by walking the schedules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "algorithms/two_tree.h"
#include "support_claims.h"

enum { MOST_RANKS = 600, SEGMENT = 2 };

struct shape {
    struct two_tree_place place[MOST_RANKS];
    int ranks[MOST_RANKS], least[MOST_RANKS], most[MOST_RANKS]; /* of subtrees */
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
    for (int n = 1; n <= MOST_RANKS; n++) {
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
    /* at most so many ranks with children, one more round for one more */
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
static struct allfold_cost counted(enum allfold_collective collective, const char *name, size_t p,
                                   size_t root, size_t b)
{
    return walked((struct built){.collective = collective,
                                 .name = name,
                                 .p = p,
                                 .root = root,
                                 .n = SEGMENT * b,
                                 .parameter = SEGMENT * sizeof(uint32_t)})
        .cost;
}

/* One round for each further segment, and each rank sends and receives each segment once; an odd
 * number of segments is one more in the first tree. The paper's first segment takes two rounds a
 * level: never less than here. */
static void test_broadcast_and_reduction(void **state)
{
    (void)state;
    for (size_t p = 4; p <= 70; p++)
        for (size_t root = 0; root < p; root += 1 + p / 3)
            for (size_t b = 1; b <= 20; b += 1 + b / 2) {
                const size_t rounds = (size_t)allfold_two_tree_rounds((int)p - 1) + b - 1;
                const size_t all = SEGMENT * b, first = SEGMENT * (b + b % 2);
                assert_cost(counted(ALLFOLD_BCAST, "two_tree", p, root, b), p, root, rounds, first,
                            0);
                assert_cost(counted(ALLFOLD_REDUCE, "two_tree", p, root, b), p, root, rounds, all,
                            first);
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
            assert_cost(counted(ALLFOLD_ALLREDUCE, "two_tree", p, 0, b), p, 0, 2 * once - less,
                        SEGMENT * (2 * b + b % 2), SEGMENT * (b + b % 2));
        }
    for (size_t b = 1; b <= 20; b++)
        assert_cost(counted(ALLFOLD_ALLREDUCE, "two_tree", 2, 0, b), 2, 0, b + b % 2, SEGMENT * b,
                    SEGMENT * ((b + 1) / 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_share_out_the_ranks),
        cmocka_unit_test(test_rounds_of_trees),
        cmocka_unit_test(test_trees_of_many_ranks),
        cmocka_unit_test(test_broadcast_and_reduction),
        cmocka_unit_test(test_reduction_to_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
