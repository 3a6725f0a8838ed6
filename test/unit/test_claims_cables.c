/* What goes over the cables of nodes that are linked directly, counted in the schedules. Each cable
 * of a tree carries that tree's part of the vector, once or once each way. No other cable has any.
 * Tutte 1961 and Nash-Williams 1961 say how many trees there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "topology/cables.h"
#include "algorithms/costs.h"
#include "support.h"
#include "support_claims.h"

enum { MOST_NODES = 64, MOST_RANKS = 4 };

/* A torus with some ranks on each node, in blocks or dealt out to the nodes in turn. */
static const struct allfold_nodes *torus_of(int a, int b, int c, int ranks, bool in_turn)
{
    const int sizes[] = {a, b, c}, n = a * b * c;
    struct allfold_cable pairs[3 * MOST_NODES];
    int64_t keys[MOST_NODES * MOST_RANKS];
    int count = 0;
    assert_true(n <= MOST_NODES && ranks <= MOST_RANKS);
    for (int r = 0; r < n * ranks; r++)
        keys[r] = in_turn ? r % n : r / ranks;
    for (int v = 0; v < n; v++)
        for (int d = 0, step = 1; d < 3; step *= sizes[d++]) {
            const int at = v / step % sizes[d], next = (at + 1) % sizes[d];
            if (next != at)
                pairs[count++] = (struct allfold_cable){v, v + (next - at) * step};
        }
    return extended(allfold_nodes_make(keys, n * ranks),
                    (struct allfold_nodes_facts){.cables = pairs, .cable_count = count});
}

/* With one rank on each node. */
static const struct allfold_nodes *torus(int a, int b, int c)
{
    return torus_of(a, b, c, 1, false);
}

/* Says that the nodes lie in the network in another order than their numbers. */
static const struct allfold_nodes *shuffled(const struct allfold_nodes *nodes)
{
    const int p = nodes->first[nodes->count];
    int64_t keys[MOST_NODES * MOST_RANKS];
    for (int r = 0; r < p; r++)
        keys[r] = 7 * r % 11;
    nodes = extended(nodes, (struct allfold_nodes_facts){.order = keys});
    assert_non_null(nodes->ordered);
    return nodes;
}

static struct allfold_case in_segments(const struct allfold_nodes *nodes,
                                       enum allfold_collective collective, const char *name,
                                       int root, size_t n, size_t segment)
{
    struct allfold_case of = case_on(nodes, collective, name, root, n);
    of.parameters.value[0] = segment * sizeof(int32_t);
    return of;
}

/* A composition that has disjoint_trees between the nodes. */
static struct allfold_case composed_on(const struct allfold_nodes *nodes,
                                       enum allfold_collective collective, const char *name,
                                       int root, size_t n)
{
    struct allfold_case of = case_on(nodes, collective, name, root, n);
    of.parameters.value[1] =
        allfold_number_of(allfold_algorithm_find(collective, "disjoint_trees"));
    return of;
}

/* The elements from each node to each other one, and what else the schedules cost. */
struct counted {
    size_t sent[MOST_NODES][MOST_NODES];
    struct allfold_cost cost;
    struct allfold_claim claim;
};

static const struct counted *counted(const struct allfold_case *of)
{
    static struct counted counted;
    struct allfold_schedule **schedules;
    char message[200] = "";
    memset(&counted, 0, sizeof counted);
    counted.claim = allfold_case_claim(of);
    if (allfold_case_build(of, &schedules, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s: %s", of->algorithm->name, message);
    for (int r = 0; r < of->p; r++)
        for (uint32_t i = 0; i < schedules[r]->step_count; i++) {
            const struct allfold_step *step = &schedules[r]->steps[i];
            const int from = of->nodes->node_of[r];
            const int to = step->peer < 0 ? from : of->nodes->node_of[step->peer];
            if (step->kind == ALLFOLD_STEP_SEND && from != to)
                counted.sent[from][to] += step->length;
        }
    assert_int_equal(allfold_walk((const struct allfold_schedule *const *)schedules, of->p,
                                  counted.claim.ports, &counted.cost, message, sizeof message),
                     ALLFOLD_OK);
    allfold_case_free(of, schedules);
    return &counted;
}

/* Cables carry n / k in both directions, or in the one that leads to the root or away from it. */
static void check_cables(const struct allfold_case *of, const struct counted *counted)
{
    const struct allfold_cables *cables = of->nodes->cables;
    const bool has_root = allfold_traits(of->algorithm->collective)->has_root;
    const size_t share = of->count / (size_t)cables->trees;
    size_t over_cables = 0, all = 0;
    for (int c = 0; c < cables->count; c++) {
        const struct allfold_cable *cable = &cables->cables[c];
        const size_t there = counted->sent[cable->a][cable->b];
        const size_t back = counted->sent[cable->b][cable->a];
        over_cables += there + back;
        if (cables->tree_of[c] < 0) {
            assert_int_equal(there + back, 0);
            continue;
        }
        assert_int_equal(there + back, has_root ? share : 2 * share);
        assert_true(there == share || back == share);
    }
    for (int a = 0; a < of->nodes->count; a++)
        for (int b = 0; b < of->nodes->count; b++)
            all += counted->sent[a][b];
    assert_int_equal(all, over_cables);
}

/* On a torus of d dimensions with d trees the busiest rank sends and gets 2 n over its 2 d cables,
 * and reduces little more than n. No allreduce over these cables has less. */
static void test_allreduce(void **state)
{
    static const int sizes[][3] = {{3, 3, 1}, {8, 8, 1}, {6, 5, 1}, {4, 4, 4}, {3, 4, 5}};
    (void)state;
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        const struct allfold_nodes *nodes = torus(sizes[i][0], sizes[i][1], sizes[i][2]);
        const size_t d = sizes[i][2] == 1 ? 2 : 3, n = 96;
        assert_int_equal(nodes->cables->trees, d);
        const struct allfold_case of =
            in_segments(nodes, ALLFOLD_ALLREDUCE, "disjoint_trees", 0, n, 2);
        const struct counted *found = counted(&of);
        check_cables(&of, found);
        assert_int_equal(found->claim.sent, 2 * n);
        assert_int_equal(found->cost.sent, 2 * n);
        assert_int_equal(found->cost.got, 2 * n);
        /* there are four tops in a row: each reduces a fourth of a part more than other ranks */
        assert_in_range(found->cost.reduced, n, n + 2 * (n / d / 4));
        assert_in_range(found->claim.reduced, found->cost.reduced, n + 2 * (n / d / 4));
        assert_in_range(found->cost.rounds, found->claim.rounds / 2, found->claim.rounds);
        allfold_nodes_free(nodes);
    }
}

/* With one segment in each tree the root gets n over its cables, or sends it, whatever rank it is.
 */
static void test_one_way(void **state)
{
    (void)state;
    const struct allfold_nodes *nodes = torus(4, 3, 2);
    const int p = nodes->count;
    const size_t n = 36, trees = (size_t)nodes->cables->trees;
    assert_int_equal(trees, 2);
    for (int root = 0; root < p; root++) {
        const struct allfold_case reduce =
            in_segments(nodes, ALLFOLD_REDUCE, "disjoint_trees", root, n, n);
        const struct allfold_case bcast =
            in_segments(nodes, ALLFOLD_BCAST, "disjoint_trees", root, n, n);
        const struct counted *up = counted(&reduce);
        check_cables(&reduce, up);
        assert_int_equal(up->cost.sent, n);
        for (int r = 0; r < p; r++) {
            size_t sent = 0;
            for (int peer = 0; peer < p; peer++)
                sent += up->sent[r][peer];
            assert_int_equal(sent, r == root ? 0 : n);
        }
        const struct counted *down = counted(&bcast);
        check_cables(&bcast, down);
        assert_int_equal(down->cost.got, n);
        for (int r = 0; r < p; r++) {
            size_t got = 0;
            for (int peer = 0; peer < p; peer++)
                got += down->sent[peer][r];
            assert_int_equal(got, r == root ? 0 : n);
        }
    }
    allfold_nodes_free(nodes);
}

/* With many segments the ranks around the root reduce most of what it would. So none reduces much
 * more than n on a torus, where the root has twice as much in each tree with two children. */
static void test_roots_are_spared(void **state)
{
    (void)state;
    const struct allfold_nodes *nodes = torus(8, 8, 1);
    const size_t n = 256, share = n / 2;
    for (int root = 0; root < nodes->count; root += 7) {
        const struct allfold_case plain =
            in_segments(nodes, ALLFOLD_REDUCE, "disjoint_trees", root, n, share);
        const struct allfold_case turns =
            in_segments(nodes, ALLFOLD_REDUCE, "disjoint_trees", root, n, 2);
        const size_t at_root = counted(&plain)->cost.reduced;
        const struct counted *found = counted(&turns);
        assert_in_range(at_root, n + share, 2 * n);
        assert_in_range(found->cost.reduced, n, n + share);
        assert_in_range(found->claim.reduced, found->cost.reduced, n + 2 * share);
        size_t over_root = 0;
        for (int peer = 0; peer < nodes->count; peer++)
            over_root += found->sent[peer][root];
        assert_in_range(over_root, n, 2 * n);
    }
    allfold_nodes_free(nodes);
}

/* Of a ring there is one tree: a chain from its middle, on which a segment takes half way round. */
static void test_rounds_of_a_ring(void **state)
{
    (void)state;
    for (int p = 5; p <= 32; p++) {
        const struct allfold_nodes *nodes = torus(p, 1, 1);
        for (int root = 0; root < p; root += 1 + p / 3) {
            const struct allfold_case one =
                in_segments(nodes, ALLFOLD_BCAST, "disjoint_trees", root, 1, 1);
            const struct counted *found = counted(&one);
            const struct allfold_cable_tree *chain = &nodes->cables->tree[0];
            const size_t farthest = (size_t)allfold_tree_height_from(chain, root);
            assert_int_equal(found->cost.rounds, farthest);
            assert_int_equal(found->claim.rounds, farthest);
            const struct allfold_case reduce =
                in_segments(nodes, ALLFOLD_REDUCE, "disjoint_trees", root, 1, 1);
            assert_int_equal(counted(&reduce)->cost.rounds, farthest);
        }
        allfold_nodes_free(nodes);
    }
}

/* Nodes that lie in the network in another order than their numbers send over the same cables. */
static void test_another_order(void **state)
{
    (void)state;
    const struct allfold_nodes *nodes = torus(4, 3, 1);
    const size_t n = 96;
    nodes = shuffled(nodes);
    for (int root = 0; root < nodes->count; root++) {
        const struct allfold_case cases[] = {
            in_segments(nodes, ALLFOLD_ALLREDUCE, "disjoint_trees", 0, n, 2),
            in_segments(nodes, ALLFOLD_REDUCE, "disjoint_trees", root, n, n),
            in_segments(nodes, ALLFOLD_BCAST, "disjoint_trees", root, n, 2),
        };
        for (size_t i = 0; i < LENGTH(cases); i++)
            check_cables(&cases[i], counted(&cases[i]));
    }
    allfold_nodes_free(nodes);
}

/* Between nodes of several ranks a composition sends over the same cables as nodes of one rank do:
 * by lanes, which share each cable, or by leaders. Nodes may lie in the network in another order
 * than their numbers. */
static void test_several_ranks(void **state)
{
    (void)state;
    const size_t n = 96;
    for (int kind = 0; kind < 4; kind++) {
        const struct allfold_nodes *nodes = torus_of(4, 3, 1, 4, kind % 2 == 1);
        if (kind / 2 == 1)
            nodes = shuffled(nodes);
        assert_int_equal(nodes->cables->trees, 2);
        const struct allfold_case cases[] = {
            composed_on(nodes, ALLFOLD_ALLREDUCE, "multilane", 0, n),
            composed_on(nodes, ALLFOLD_ALLREDUCE, "smp", 0, n),
            composed_on(nodes, ALLFOLD_REDUCE, "smp", 13, n),
            composed_on(nodes, ALLFOLD_BCAST, "smp", 31, n),
        };
        for (size_t i = 0; i < LENGTH(cases); i++) {
            const bool has_root = i >= 2;
            const struct counted *found = counted(&cases[i]);
            check_cables(&cases[i], found);
            assert_int_equal(found->claim.far_lanes, i == 0 ? 4 : 1);
            assert_in_range(found->claim.far_sent, has_root ? n : 2 * n, 2 * n);
        }
        allfold_nodes_free(nodes);
    }
}

/* With several ranks on a node it is not known which of them would use which cable. */
static void test_what_is_not_served(void **state)
{
    (void)state;
    const int64_t keys[] = {0, 0, 1, 2};
    const struct allfold_cable pairs[] = {{0, 1}, {1, 2}};
    const struct allfold_nodes_facts two = {.cables = pairs, .cable_count = 2};
    const struct allfold_nodes *several = extended(allfold_nodes_make(keys, 4), two);
    struct allfold_case of = in_segments(several, ALLFOLD_ALLREDUCE, "disjoint_trees", 0, 4, 1);
    of.p = 4;
    assert_false(allfold_case_is_served(&of));
    of = composed_on(several, ALLFOLD_ALLREDUCE, "smp", 0, 4);
    assert_true(allfold_case_is_served(&of)); /* where the leaders do */
    of.parameters.value[1] = allfold_number_of(of.algorithm);
    assert_false(allfold_case_is_served(&of)); /* which know no nodes but for cables */
    of = composed_on(several, ALLFOLD_REDUCE, "smp", 0, 4);
    assert_true(allfold_case_is_served(&of));
    of.parameters.value[0] = of.parameters.value[1];
    assert_false(allfold_case_is_served(&of)); /* on a node there are no cables */
    allfold_nodes_free(several);
    const struct allfold_nodes *ring = torus(5, 1, 1);
    of = in_segments(ring, ALLFOLD_ALLREDUCE, "disjoint_trees", 0, 4, 1);
    assert_true(allfold_case_is_served(&of));
    const struct allfold_problem unordered = {.collective = ALLFOLD_ALLREDUCE,
                                              .group = allfold_group_all(5, 0),
                                              .count = 4,
                                              .element_bytes = 4,
                                              .nodes = ring};
    assert_non_null(allfold_unmet_need(of.algorithm, &unordered, &of.parameters));
    of.nodes = ring = extended(ring, two); /* which leave nodes 3 and 4 alone */
    assert_false(allfold_case_is_served(&of));
    allfold_nodes_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allreduce),          cmocka_unit_test(test_one_way),
        cmocka_unit_test(test_roots_are_spared),   cmocka_unit_test(test_rounds_of_a_ring),
        cmocka_unit_test(test_what_is_not_served), cmocka_unit_test(test_another_order),
        cmocka_unit_test(test_several_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
