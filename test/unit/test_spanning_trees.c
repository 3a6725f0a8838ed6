/* Edge-disjoint spanning trees: that they are trees, share no cable, are as many as there can be,
 * shallow, and the same whatever the order of the cables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "topology/spanning_trees.h"
#include "util/memory.h"

enum { MOST_PAIRS = 1 << 14 };

static struct allfold_cable pairs[MOST_PAIRS];
static int pair_count;

static void add_pair(int a, int b)
{
    assert_true(pair_count < MOST_PAIRS);
    pairs[pair_count++] = (struct allfold_cable){a, b};
}

static int list_torus(const int *sizes, int dimensions)
{
    int nodes = 1;
    pair_count = 0;
    for (int d = 0; d < dimensions; d++)
        nodes *= sizes[d];
    for (int v = 0; v < nodes; v++)
        for (int d = 0, step = 1; d < dimensions; step *= sizes[d++]) {
            const int at = v / step % sizes[d], next = (at + 1) % sizes[d];
            if (next != at)
                add_pair(v, v + (next - at) * step);
        }
    return nodes;
}

static int list_complete(int nodes)
{
    pair_count = 0;
    for (int a = 0; a < nodes; a++)
        for (int b = a + 1; b < nodes; b++)
            add_pair(a, b);
    return nodes;
}

static int list_bipartite(int left, int right)
{
    pair_count = 0;
    for (int a = 0; a < left; a++)
        for (int b = 0; b < right; b++)
            add_pair(a, left + b);
    return left + right;
}

static struct allfold_cables *cables_of(int nodes)
{
    struct allfold_cables *cables;
    assert_true(allfold_cables_make(nodes, pairs, pair_count, &cables));
    return cables;
}

/* Each tree spans all nodes, by cables that are its own; depths are those of the ways to its top.
 */
static void check_trees(const struct allfold_cables *cables)
{
    const int n = cables->nodes;
    int *used = calloc((size_t)cables->count, sizeof *used);
    for (int t = 0; t < cables->trees; t++) {
        const struct allfold_cable_tree *tree = &cables->tree[t];
        int farthest = 0, top = 0;
        for (int v = 0; v < n; v++) {
            int found = -1, nearest = n;
            for (int i = 0; i < tree->row_length; i++) {
                const int distance = allfold_tree_distance(tree, tree->row[i], v);
                nearest = distance < nearest ? distance : nearest;
                assert_true(i == 0 || tree->parent[tree->row[i]] == tree->row[i - 1] ||
                            tree->parent[tree->row[i - 1]] == tree->row[i]);
            }
            farthest = nearest > farthest ? nearest : farthest;
            if (v == tree->top) {
                assert_int_equal(tree->parent[v], -1);
                assert_int_equal(tree->depth[v], 0);
                continue;
            }
            for (int i = cables->first[v]; i < cables->first[v + 1]; i++)
                if (allfold_cable_end(cables, cables->at[i], v) == tree->parent[v])
                    found = cables->at[i];
            assert_true(found >= 0);
            assert_int_equal(cables->tree_of[found], t);
            assert_int_equal(used[found]++, 0);
            assert_int_equal(tree->depth[v], tree->depth[tree->parent[v]] + 1);
        }
        for (int i = 0; i < tree->row_length; i++)
            top += tree->row[i] == tree->top;
        assert_int_equal(top, 1);
        assert_in_range(tree->row_length, 2, ALLFOLD_TREE_ROW);
        assert_int_equal(tree->height, farthest);
    }
    for (int c = 0; c < cables->count; c++)
        assert_int_equal(used[c], cables->tree_of[c] >= 0);
    free(used);
}

static int trees_of(int nodes)
{
    struct allfold_cables *cables = cables_of(nodes);
    check_trees(cables);
    const int trees = cables->trees;
    allfold_cables_free(cables);
    return trees;
}

static int torus_trees(int a, int b, int c)
{
    return trees_of(list_torus((const int[]){a, b, c}, 3));
}

static void test_known_graphs(void **state)
{
    (void)state;
    assert_int_equal(torus_trees(2, 1, 1), 1);
    assert_int_equal(torus_trees(5, 1, 1), 1);
    assert_int_equal(torus_trees(3, 3, 1), 2);
    assert_int_equal(torus_trees(8, 8, 1), 2);
    assert_int_equal(torus_trees(6, 5, 1), 2);
    assert_int_equal(torus_trees(4, 4, 4), 3);
    assert_int_equal(torus_trees(3, 4, 5), 3);
    for (int n = 2; n <= 33; n++)
        assert_int_equal(trees_of(list_complete(n)), n / 2);
    for (int left = 1; left <= 9; left++) /* Palmer 2001 */
        for (int right = left; right <= 9; right++)
            assert_int_equal(trees_of(list_bipartite(left, right)),
                             left * right / (left + right - 1));
    const int cube[] = {2, 2, 2, 2, 2, 2, 2, 2};
    for (int d = 1; d <= 8; d++)
        assert_int_equal(trees_of(list_torus(cube, d)), d == 1 ? 1 : d / 2);
}

static uint64_t drawn;

static int draw(int below)
{
    drawn = drawn * 6364136223846793005u + 1442695040888963407u;
    return (int)((drawn >> 33) % (unsigned)below);
}

/* Cables between parts, over the number of parts less one: no graph has more trees, and the least
 * over all partitions is how many it has (Tutte 1961, Nash-Williams 1961). */
static int most_by_partitions(int nodes)
{
    enum { MOST_NODES = 7 };
    int part[MOST_NODES] = {0}, least = pair_count;
    assert_true(nodes <= MOST_NODES);
    for (;;) {
        int parts = 0, between = 0;
        for (int v = 0; v < nodes; v++)
            parts = part[v] >= parts ? part[v] + 1 : parts;
        for (int i = 0; i < pair_count; i++)
            between += part[pairs[i].a] != part[pairs[i].b];
        if (parts > 1 && between / (parts - 1) < least)
            least = between / (parts - 1);
        int v = nodes - 1; /* the next partition: a part is at most one more than all before */
        for (; v > 0; v--) {
            int most = 0;
            for (int w = 0; w < v; w++)
                most = part[w] > most ? part[w] : most;
            if (part[v] <= most)
                break;
        }
        if (v == 0)
            return least;
        part[v]++;
        for (int w = v + 1; w < nodes; w++)
            part[w] = 0;
    }
}

static void test_as_many_as_there_can_be(void **state)
{
    (void)state;
    int seen[4] = {0};
    drawn = 1;
    while (seen[3] < 40) {
        const int nodes = 2 + draw(6), share = 1 + draw(4);
        pair_count = 0;
        for (int a = 0; a < nodes; a++)
            for (int b = a + 1; b < nodes; b++)
                if (draw(4) < share)
                    add_pair(a, b);
        if (pair_count == 0)
            continue;
        const int most = most_by_partitions(nodes);
        assert_int_equal(trees_of(nodes), most);
        seen[most]++;
    }
    for (int i = 0; i < 4; i++)
        assert_true(seen[i] > 0);
}

/* The same cables in another order, each named from its other end, and some twice. */
static void test_the_order_does_not_matter(void **state)
{
    (void)state;
    const int nodes = list_torus((const int[]){5, 4, 3}, 3), count = pair_count;
    struct allfold_cables *one = cables_of(nodes);
    for (int i = count - 1; i > 0; i--) {
        const int other = draw(i + 1);
        const struct allfold_cable kept = pairs[i];
        pairs[i] = (struct allfold_cable){pairs[other].b, pairs[other].a};
        pairs[other] = kept;
    }
    add_pair(pairs[7].b, pairs[7].a);
    add_pair(pairs[9].a, pairs[9].b);
    struct allfold_cables *other = cables_of(nodes);
    assert_int_equal(one->count, count);
    assert_int_equal(other->count, count);
    assert_memory_equal(one->cables, other->cables, (size_t)count * sizeof *one->cables);
    assert_memory_equal(one->tree_of, other->tree_of, (size_t)count * sizeof *one->tree_of);
    assert_int_equal(one->trees, 3);
    assert_int_equal(other->trees, 3);
    for (int t = 0; t < one->trees; t++)
        assert_memory_equal(one->tree[t].parent, other->tree[t].parent,
                            (size_t)nodes * sizeof *one->tree[t].parent);
    allfold_cables_free(one);
    allfold_cables_free(other);
}

/* No tree can be less deep than the way to the farthest node. These are little deeper. */
static void test_they_are_shallow(void **state)
{
    (void)state;
    static const struct {
        int sizes[3], farthest, most;
    } tori[] = {
        {{8, 8, 1}, 8, 9}, {{16, 16, 1}, 16, 18}, {{4, 4, 4}, 6, 7}, {{10, 10, 10}, 15, 16}};
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        struct allfold_cables *cables = cables_of(list_torus(tori[i].sizes, 3));
        check_trees(cables);
        for (int t = 0; t < cables->trees; t++)
            assert_in_range(allfold_tree_height_from(&cables->tree[t], cables->tree[t].top),
                            tori[i].farthest, tori[i].most);
        allfold_cables_free(cables);
    }
}

/* By other numbers of the nodes, the cables and trees are the same. */
static void test_other_numbers(void **state)
{
    (void)state;
    enum { NODES = 20 };
    struct allfold_cables *cables = cables_of(list_torus((const int[]){5, 4}, 2));
    int number[NODES];
    for (int v = 0; v < NODES; v++)
        number[v] = (7 * v + 3) % NODES;
    struct allfold_cables *made = allfold_cables_renumber(cables, number);
    check_trees(made);
    assert_int_equal(made->nodes, NODES);
    assert_int_equal(made->count, cables->count);
    assert_int_equal(made->trees, 2);
    assert_int_equal(made->most_links, cables->most_links);
    assert_int_equal(made->most_rows, cables->most_rows);
    assert_memory_equal(made->tree_of, cables->tree_of,
                        (size_t)cables->count * sizeof *made->tree_of);
    for (int c = 0; c < cables->count; c++) {
        assert_int_equal(made->cables[c].a, number[cables->cables[c].a]);
        assert_int_equal(made->cables[c].b, number[cables->cables[c].b]);
    }
    for (int v = 0; v < NODES; v++)
        for (int i = cables->first[v]; i < cables->first[v + 1]; i++)
            assert_int_equal(made->at[made->first[number[v]] + i - cables->first[v]],
                             cables->at[i]);
    for (int t = 0; t < 2; t++) {
        const struct allfold_cable_tree *here = &cables->tree[t], *there = &made->tree[t];
        assert_int_equal(there->ends[0], number[here->ends[0]]);
        assert_int_equal(there->ends[1], number[here->ends[1]]);
        for (int v = 0; v < NODES; v++)
            assert_int_equal(there->parent[number[v]],
                             v == here->top ? -1 : number[here->parent[v]]);
    }
    allfold_cables_free(made);
    allfold_cables_free(cables);
}

/* The nodes with one rank each are whole nodes, as if they were made of their numbers. */
static void test_nodes_alone(void **state)
{
    (void)state;
    enum { NODES = 6 };
    const size_t bytes = NODES * sizeof(int);
    int64_t keys[NODES];
    struct allfold_cables *cables = cables_of(list_torus((const int[]){3, 2}, 2));
    for (int v = 0; v < NODES; v++)
        keys[v] = v;
    const struct allfold_nodes *made = allfold_nodes_make(keys, NODES);
    const struct allfold_nodes *alone = &cables->alone;
    assert_ptr_equal(alone->cables, cables);
    assert_int_equal(alone->count, NODES);
    assert_int_equal(alone->most, made->most);
    assert_int_equal(alone->least, made->least);
    assert_int_equal(alone->arrangement, made->arrangement);
    assert_int_equal(alone->is_in_order, made->is_in_order);
    assert_memory_equal(alone->node_of, made->node_of, bytes);
    assert_memory_equal(alone->index_of, made->index_of, bytes);
    assert_memory_equal(alone->first, made->first, bytes + sizeof(int));
    assert_memory_equal(alone->members, made->members, bytes);
    assert_memory_equal(alone->leaders, made->leaders, bytes);
    assert_memory_equal(alone->lasts, made->lasts, bytes);
    assert_memory_equal(alone->lane_first, made->lane_first, 2 * sizeof(int));
    assert_memory_equal(alone->lane_members, made->lane_members, bytes);
    assert_memory_equal(alone->along, made->along, bytes);
    assert_memory_equal(alone->place_of, made->place_of, bytes);
    allfold_nodes_free(made);
    allfold_cables_free(cables);
}

static void test_what_is_left_out(void **state)
{
    (void)state;
    enum { FAN = ALLFOLD_MOST_CABLES_OF_NODE, MANY = ALLFOLD_MOST_CABLED_NODES };
    pair_count = 0;
    assert_null(cables_of(4));
    add_pair(0, 1);
    add_pair(2, 3);
    struct allfold_cables *apart = cables_of(4);
    assert_int_equal(apart->trees, 0);
    allfold_cables_free(apart);
    pair_count = 0;
    for (int v = 1; v <= FAN; v++)
        add_pair(0, v);
    assert_int_equal(trees_of(FAN + 1), 1);
    add_pair(0, FAN + 1);
    assert_null(cables_of(FAN + 2));
    pair_count = 0;
    for (int v = 1; v < MANY; v++)
        add_pair(v - 1, v);
    assert_int_equal(trees_of(MANY), 1);
    add_pair(MANY - 1, MANY);
    assert_null(cables_of(MANY + 1));
}

static void test_ways_in_trees(void **state)
{
    (void)state;
    struct allfold_cables *cables = cables_of(list_torus((const int[]){5, 4}, 2));
    const int n = cables->nodes;
    assert_int_equal(cables->trees, 2);
    for (int t = 0; t < cables->trees; t++) {
        const struct allfold_cable_tree *tree = &cables->tree[t];
        for (int a = 0; a < n; a++) {
            int farthest = 0;
            for (int b = 0; b < n; b++) {
                int at = a, steps = 0;
                while (at != b) {
                    const int next = allfold_tree_next(tree, at, b);
                    assert_true(tree->parent[at] == next || tree->parent[next] == at);
                    assert_int_equal(allfold_tree_distance(tree, at, b),
                                     allfold_tree_distance(tree, next, b) + 1);
                    at = next;
                    steps++;
                }
                assert_int_equal(allfold_tree_next(tree, b, b), -1);
                assert_int_equal(allfold_tree_distance(tree, a, b), steps);
                farthest = steps > farthest ? steps : farthest;
            }
            assert_int_equal(allfold_tree_height_from(tree, a), farthest);
        }
    }
    allfold_cables_free(cables);
}

static void test_without_memory(void **state)
{
    (void)state;
    const int nodes = list_torus((const int[]){4, 3}, 2);
    struct allfold_cables *cables;
    unsigned long failing = 1;
    for (bool fits = false; !fits; failing++) {
        allfold_fail_allocation(failing);
        fits = allfold_cables_make(nodes, pairs, pair_count, &cables);
        allfold_fail_allocation(0);
        assert_true(fits == (cables != NULL));
    }
    assert_true(failing > 4);
    struct allfold_cables *made = NULL;
    const int number[] = {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    for (failing = 1; made == NULL; failing++) {
        allfold_fail_allocation(failing);
        made = allfold_cables_renumber(cables, number);
        allfold_fail_allocation(0);
    }
    assert_true(failing > 4);
    allfold_cables_free(made);
    allfold_cables_free(cables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_graphs),
        cmocka_unit_test(test_as_many_as_there_can_be),
        cmocka_unit_test(test_the_order_does_not_matter),
        cmocka_unit_test(test_they_are_shallow),
        cmocka_unit_test(test_other_numbers),
        cmocka_unit_test(test_nodes_alone),
        cmocka_unit_test(test_what_is_left_out),
        cmocka_unit_test(test_ways_in_trees),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
