/* Which ranks live where: as keys say it, and as users write it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "topology/cables.h"
#include "algorithms/problem.h"
#include "util/memory.h"
#include "topology/nodes_make.h"
#include "topology/placement.h"
#include "support.h"

enum { MOST_RANKS = 64 };

/* What the fields mean, one by one. */
static void check(const struct allfold_nodes *nodes, const int64_t *keys, int p)
{
    int most = 0, least = p, next_new = 0;
    for (int r = 0; r < p; r++) {
        int lower = 0, same = 0;
        for (int other = 0; other < p; other++) {
            lower += other < r && keys[other] == keys[r];
            same += keys[other] == keys[r];
            assert_int_equal(nodes->node_of[other] == nodes->node_of[r], keys[other] == keys[r]);
        }
        if (lower == 0) /* a new node has the next number */
            assert_int_equal(nodes->node_of[r], next_new++);
        const int node = nodes->node_of[r];
        assert_int_equal(nodes->index_of[r], lower);
        assert_int_equal(allfold_node_size(nodes, node), same);
        assert_int_equal(nodes->members[nodes->first[node] + lower], r);
        most = same > most ? same : most;
        least = same < least ? same : least;
    }
    assert_int_equal(nodes->count, next_new);
    for (int n = 0; n < nodes->count; n++)
        assert_int_equal(nodes->leaders[n], nodes->members[nodes->first[n]]);
    for (int lane = 0, at = 0; lane < nodes->most; lane++) {
        assert_int_equal(nodes->lane_first[lane], at);
        for (int n = 0; n < nodes->count; n++)
            for (int r = 0; r < p; r++)
                if (nodes->node_of[r] == n && nodes->index_of[r] == lane)
                    assert_int_equal(nodes->lane_members[at++], r);
        assert_int_equal(nodes->lane_first[lane + 1], at);
    }
    assert_int_equal(nodes->most, most);
    assert_int_equal(nodes->least, least);
}

static void test_keys(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int p = 1; p <= MOST_RANKS; p++)
        for (uint32_t kinds = 1; kinds <= 9; kinds++) {
            int64_t keys[MOST_RANKS];
            for (int r = 0; r < p; r++)
                keys[r] = (int64_t)random_below(&seed, kinds) * 1000003 - 2000000;
            const struct allfold_nodes *nodes = allfold_nodes_make(keys, p);
            assert_non_null(nodes);
            check(nodes, keys, p);
            allfold_nodes_free(nodes);
        }
    allfold_nodes_free(NULL);
}

static void test_arrangements(void **state)
{
    (void)state;
    static const struct {
        const char *placement;
        int p;
        int64_t keys[8]; /* where there is no text for it */
        enum allfold_arrangement arrangement;
    } cases[] = {
        {"4x2", 8, {0}, ALLFOLD_IN_BLOCKS},           {"3,1,2", 6, {0}, ALLFOLD_IN_BLOCKS},
        {"1x5", 5, {0}, ALLFOLD_IN_BLOCKS},           {"1x5:cyclic", 5, {0}, ALLFOLD_IN_BLOCKS},
        {"5x1:cyclic", 5, {0}, ALLFOLD_IN_BLOCKS},    {"4x2:cyclic", 8, {0}, ALLFOLD_CYCLIC},
        {"1,3,2:cyclic", 6, {0}, ALLFOLD_CYCLIC},     {NULL, 4, {0, 1, 1, 0}, ALLFOLD_IRREGULAR},
        {NULL, 5, {0, 1, 0, 0, 1}, ALLFOLD_IRREGULAR}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t keys[8];
        char message[200];
        memcpy(keys, cases[i].keys, sizeof keys);
        if (cases[i].placement != NULL)
            assert_int_equal(allfold_placement_read(cases[i].placement, cases[i].p, keys, message,
                                                    sizeof message),
                             ALLFOLD_OK);
        const struct allfold_nodes *nodes = allfold_nodes_make(keys, cases[i].p);
        assert_int_equal(nodes->arrangement, cases[i].arrangement);
        assert_int_equal(allfold_nodes_are_blocks(nodes),
                         cases[i].arrangement == ALLFOLD_IN_BLOCKS);
        allfold_nodes_free(nodes);
    }
}

static void test_placements(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int p;
        int64_t nodes[8];
    } cases[] = {{"4x2", 8, {0, 0, 1, 1, 2, 2, 3, 3}},
                 {"4x2:cyclic", 8, {0, 1, 2, 3, 0, 1, 2, 3}},
                 {"1x1", 1, {0}},
                 {"3,1,2", 6, {0, 0, 0, 1, 2, 2}},
                 {"3,1,2:cyclic", 6, {0, 1, 2, 0, 2, 0}},
                 {"5", 5, {0}}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t nodes[8];
        char message[200] = "";
        assert_int_equal(
            allfold_placement_read(cases[i].text, cases[i].p, nodes, message, sizeof message),
            ALLFOLD_OK);
        assert_memory_equal(nodes, cases[i].nodes, (size_t)cases[i].p * sizeof *nodes);
        assert_int_equal(
            allfold_placement_read(cases[i].text, cases[i].p + 1, nodes, message, sizeof message),
            ALLFOLD_BAD_INPUT);
        assert_non_null(strstr(message, cases[i].text));
        assert_non_null(strstr(message, "but there are"));
        assert_int_equal(allfold_placement_read(cases[i].text, 0, NULL, message, sizeof message),
                         ALLFOLD_OK);
    }
}

static void test_refused_placements(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "x",
                                        "4x",
                                        "x2",
                                        "0x2",
                                        "4x0",
                                        "4x2x",
                                        "4x2:",
                                        "-1x2",
                                        "4x2:block",
                                        "3,",
                                        ",3",
                                        "3,,1",
                                        "3,0,1",
                                        "3, 1",
                                        "4 x 2",
                                        "99999999999999",
                                        "abc",
                                        "4x-2",
                                        "4x2 ",
                                        "4x2x",
                                        "4x0x2",
                                        "4x2x2x2",
                                        "4x2:cyclic "};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        char message[200] = "";
        if (allfold_placement_read(texts[i], 0, NULL, message, sizeof message) != ALLFOLD_BAD_INPUT)
            fail_msg("'%s' is taken", texts[i]);
        assert_non_null(strstr(message, "expected nodes x ranks like 4x2"));
    }
}

enum { LEVELS = 3 };

/* The first level of keys that a and b share. */
static int expected_level(int64_t keys[LEVELS][MOST_RANKS], int a, int b)
{
    int level = 0;
    while (level < LEVELS && keys[level][a] != keys[level][b])
        level++;
    return level;
}

/* All that is known of groups follows from which ranks come together on which level; a level that
 * was left out is no level. */
static void check_groups(const struct allfold_nodes *nodes, int64_t keys[LEVELS][MOST_RANKS], int p)
{
    bool counts[LEVELS + 1] = {true};
    int number[LEVELS + 1] = {0};
    for (int a = 0; a < p; a++)
        for (int b = 0; b < p; b++)
            counts[expected_level(keys, a, b)] = true;
    for (int l = 1; l <= LEVELS; l++) /* a level where no two ranks come together says nothing */
        number[l] = number[l - 1] + counts[l];
    for (int a = 0; a < p; a++)
        for (int b = 0; b < p; b++)
            assert_int_equal(allfold_level_of(nodes, a, b), number[expected_level(keys, a, b)]);
    for (int i = 0; i < p; i++)
        assert_int_equal(nodes->place_of[nodes->along[i]], i);
    for (int i = 1; i < p; i++) { /* who comes later is never nearer than who came before */
        const int a = nodes->along[i - 1], b = nodes->along[i];
        for (int k = i + 1; k < p; k++)
            assert_true(expected_level(keys, a, nodes->along[k]) >= expected_level(keys, a, b));
    }
    for (const struct allfold_nodes *at = nodes; at->groups != NULL; at = at->groups) {
        assert_int_equal(at->groups->first[at->groups->count], at->count);
        for (int n = 0; n < at->count; n++) {
            const int g = at->groups->node_of[n], i = at->groups->index_of[n];
            assert_int_equal(allfold_rank_on(at->groups, g, i), at->leaders[n]);
            assert_true(at->groups->leaders[g] <= at->leaders[n]);
        }
    }
}

static void test_groups(void **state)
{
    (void)state;
    uint64_t seed = 9;
    for (int round = 0; round < 400; round++) {
        int64_t keys[LEVELS][MOST_RANKS];
        const int p = 1 + (int)random_below(&seed, MOST_RANKS);
        uint32_t kinds[LEVELS];
        for (int l = 0; l < LEVELS; l++)
            kinds[l] = 1 + random_below(&seed, l == 0 ? (uint32_t)p : kinds[l - 1]);
        for (int r = 0; r < p; r++) {
            keys[0][r] = random_below(&seed, kinds[0]);
            for (int l = 1; l < LEVELS; l++)
                keys[l][r] = keys[l - 1][r] * 7 % kinds[l];
        }
        const struct allfold_group_level groups[] = {{.keys = keys[1]}, {.keys = keys[2]}};
        const struct allfold_nodes *nodes =
            extended(allfold_nodes_make(keys[0], p),
                     (struct allfold_nodes_facts){.groups = groups, .levels = LEVELS - 1});
        check_groups(nodes, keys, p);
        allfold_nodes_free(nodes);
    }
}

static void test_groups_that_say_nothing(void **state)
{
    (void)state;
    const int64_t of_nodes[] = {0, 0, 1, 1, 2, 2, 3, 3}, all[8] = {0};
    const int64_t parts[] = {0, 1, 0, 1, 0, 1, 0, 1}, pairs[] = {0, 0, 1, 1, 0, 0, 1, 1};
    const int64_t parts_pairs[] = {0, 0, 0, 0, 1, 1, 1, 1};
    const struct allfold_nodes *nodes = allfold_nodes_make(of_nodes, 8);
    const int64_t *const none[] = {of_nodes, all, parts};
    for (size_t i = 0; i < LENGTH(none); i++) {
        const struct allfold_group_level groups = {.keys = none[i]};
        nodes = extended(nodes, (struct allfold_nodes_facts){.groups = &groups, .levels = 1});
        assert_null(nodes->groups);
        assert_true(nodes->is_in_order);
    }
    const struct allfold_group_level of_pairs = {.keys = pairs}, across = {.keys = parts_pairs};
    nodes = extended(nodes, (struct allfold_nodes_facts){.groups = &of_pairs, .levels = 1});
    assert_int_equal(nodes->groups->count, 2);
    assert_false(nodes->is_in_order);
    assert_false(allfold_nodes_are_nested_blocks(nodes));
    assert_true(allfold_nodes_are_blocks(nodes));
    nodes = extended(nodes, (struct allfold_nodes_facts){.groups = &across, .levels = 1});
    assert_null(nodes->groups->groups);
    assert_int_equal(allfold_group_levels(nodes), 1);
    allfold_nodes_free(nodes);
}

/* Nodes lie where their lowest ranks' keys say, and groups where their first node is; numbers of
 * nodes and of groups stay. */
static void test_order(void **state)
{
    (void)state;
    const int64_t of_nodes[] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4},
                  switches[] = {0, 0, 1, 1, 0, 0, 0, 1, 1, 0};
    const int64_t order[] = {2, 3, 0, 2, 1, 0, 0, 0, 0, 0};
    const struct allfold_group_level groups = {.keys = switches};
    const struct allfold_nodes *nodes =
        extended(allfold_nodes_make(of_nodes, 10), (struct allfold_nodes_facts){.order = order});
    const int ordered[] = {2, 7, 4, 9, 0, 5, 3, 8, 1, 6};
    assert_memory_equal(nodes->along, ordered, sizeof ordered);
    for (int i = 0; i < 10; i++)
        assert_int_equal(nodes->place_of[ordered[i]], i);
    check(nodes, of_nodes, 10);
    nodes = extended(nodes, (struct allfold_nodes_facts){.groups = &groups, .levels = 1});
    const int grouped[] = {2, 7, 3, 8, 4, 9, 0, 5, 1, 6};
    assert_memory_equal(nodes->along, grouped, sizeof grouped);
    assert_int_equal(nodes->groups->node_of[0], 0);
    assert_false(nodes->is_in_order);
    allfold_nodes_free(nodes);
}

/* The nodes as they lie in the network: the same ranks on them, in the same order along all. */
static void check_ordered(const struct allfold_nodes *nodes, int p)
{
    const struct allfold_nodes *ordered = nodes->ordered;
    assert_non_null(ordered);
    assert_memory_equal(ordered->along, nodes->along, (size_t)p * sizeof *nodes->along);
    assert_memory_equal(ordered->place_of, nodes->place_of, (size_t)p * sizeof *nodes->along);
    assert_memory_equal(ordered->index_of, nodes->index_of, (size_t)p * sizeof *nodes->along);
    assert_int_equal(ordered->count, nodes->count);
    assert_int_equal(ordered->arrangement, nodes->arrangement);
    for (int i = 0, node = 0; i < p; i++) {
        const int rank = nodes->along[i], other = nodes->along[i > 0 ? i - 1 : 0];
        node += nodes->node_of[rank] != nodes->node_of[other];
        assert_int_equal(ordered->node_of[rank], node);
        assert_int_equal(ordered->leaders[node], nodes->leaders[nodes->node_of[rank]]);
        assert_int_equal(allfold_socket_of(ordered, rank), allfold_socket_of(nodes, rank));
        for (int j = 0; j < p; j++)
            assert_int_equal(allfold_level_of(ordered, rank, j), allfold_level_of(nodes, rank, j));
    }
    for (int n = 0; n < ordered->count; n++)
        for (int i = 0; i < allfold_node_size(ordered, n); i++)
            assert_int_equal(ordered->lane_members[ordered->lane_first[i] + n],
                             allfold_rank_on(ordered, n, i));
}

static void test_ordered(void **state)
{
    (void)state;
    const int64_t of_nodes[] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4},
                  switches[] = {0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0},
                  hosts[] = {3, 1, 2, 5, 0},
                  sockets[] = {0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1};
    const struct allfold_group_level groups = {switches, 3, 2, 5e-6};
    const struct allfold_nodes *nodes = allfold_nodes_make(of_nodes, 20);
    struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE, .commutative = true};
    assert_null(nodes->ordered); /* they are numbered so */
    assert_ptr_equal(allfold_nodes_for(&problem, nodes), nodes);
    nodes = extended(nodes, (struct allfold_nodes_facts){.order = hosts});
    check_ordered(nodes, 20);
    nodes = extended(nodes, (struct allfold_nodes_facts){.sockets = sockets});
    check_ordered(nodes, 20);
    nodes = extended(nodes, (struct allfold_nodes_facts){.groups = &groups, .levels = 1});
    check_ordered(nodes, 20);
    nodes = extended(nodes, (struct allfold_nodes_facts){.card_mbit = 100000});
    assert_int_equal(nodes->card_mbit, 100000);
    assert_int_equal(nodes->ordered->card_mbit, 100000);
    nodes = extended(nodes, (struct allfold_nodes_facts){.cores = 4});
    assert_int_equal(nodes->ordered->card_mbit, 100000); /* as it was */
    assert_true(nodes->ordered->cores == 4 && nodes->ordered->is_crowded);
    assert_true(nodes->ordered->groups->is_in_order);
    assert_false(nodes->groups->is_in_order);
    assert_true(nodes->ordered->groups->pair_uplinks > 1.9 &&
                nodes->ordered->groups->farther_s > 4e-6);
    check(nodes, of_nodes, 20);
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++) {
        problem.collective = (enum allfold_collective)i;
        const bool is_free = i == ALLFOLD_ALLREDUCE || i == ALLFOLD_REDUCE || i == ALLFOLD_BCAST ||
                             i == ALLFOLD_BARRIER;
        problem.commutative = true;
        assert_ptr_equal(allfold_nodes_for(&problem, nodes), is_free ? nodes->ordered : nodes);
        problem.commutative = false;
        assert_ptr_equal(allfold_nodes_for(&problem, nodes), nodes);
    }
    allfold_nodes_free(nodes);
}

/* Nodes of some ranks of others are as these have them. What was said of these no longer matters
 * where something else is said. */
static void test_like(void **state)
{
    (void)state;
    const int64_t of_nodes[] = {0, 1, 2, 0, 1, 2, 0, 1, 2},
                  switches[] = {0, 1, 0, 0, 1, 0, 0, 1, 0}, hosts[] = {2, 1, 0},
                  sockets[] = {0, 0, 0, 1, 1, 1, 0, 0, 0};
    const struct allfold_group_level groups = {switches, 3, 2, 5e-6};
    const struct allfold_nodes *all =
        allfold_nodes_create(&(const struct allfold_nodes_facts){.p = 9,
                                                                 .keys = of_nodes,
                                                                 .order = hosts,
                                                                 .sockets = sockets,
                                                                 .groups = &groups,
                                                                 .levels = 1,
                                                                 .cores = 6,
                                                                 .card_mbit = 1000});
    const int members[] = {4, 8, 2, 1, 5, 7};
    struct allfold_nodes_facts facts = {.p = 6, .like = all, .members = members};
    const struct allfold_nodes *some = allfold_nodes_create(&facts);
    assert_int_equal(some->count, 2);
    for (int r = 0; r < 6; r++) {
        assert_int_equal(some->node_of[r], all->node_of[members[r]] != 1);
        for (int other = 0; other < 6; other++)
            assert_true(some->node_of[r] != some->node_of[other] ||
                        (sockets[members[r]] == sockets[members[other]]) ==
                            (allfold_socket_of(some, r) == allfold_socket_of(some, other)));
    }
    assert_int_equal(some->node_of[some->along[0]], 1); /* that of the first host */
    assert_null(some->groups);                          /* a node in each */
    assert_int_equal(some->cores, 6);
    assert_true(some->is_crowded); /* by the ranks of all */
    assert_int_equal(some->card_mbit, 1000);
    some = extended(some, (struct allfold_nodes_facts){.even_sockets = 1, .card_mbit = -1});
    assert_null(some->sockets);
    assert_int_equal(some->card_mbit, 0);
    allfold_nodes_free(some);
    facts = (struct allfold_nodes_facts){.p = 4, .like = all};
    some = allfold_nodes_create(&facts);
    assert_int_equal(some->groups->count, 2);
    assert_true(some->groups->uplinks > 2.9 && some->groups->farther_s > 4e-6);
    allfold_nodes_free(some);
    allfold_nodes_free(all);
}

/* Without memory there are no nodes, and nothing is lost. */
static void test_no_memory(void **state)
{
    (void)state;
    const int64_t of_nodes[] = {0, 1, 2, 0, 1, 2, 0, 1, 2},
                  switches[] = {0, 1, 0, 0, 1, 0, 0, 1, 0}, hosts[] = {2, 1, 0},
                  sockets[] = {0, 0, 0, 1, 1, 1, 0, 0, 0};
    const struct allfold_group_level groups = {.keys = switches};
    const struct allfold_cable cables[] = {{0, 1}, {1, 2}};
    struct allfold_nodes_facts facts = {.p = 9,
                                        .keys = of_nodes,
                                        .order = hosts,
                                        .sockets = sockets,
                                        .groups = &groups,
                                        .levels = 1,
                                        .cables = cables,
                                        .cable_count = 2};
    const struct allfold_nodes *made[2] = {NULL, NULL}; /* all, and the first of these */
    for (int i = 0; i < 2; i++) {
        unsigned n = 1;
        for (; made[i] == NULL; n++) {
            allfold_fail_allocation(n);
            made[i] = allfold_nodes_create(&facts);
            allfold_fail_allocation(0);
        }
        assert_true(n > 20);
        assert_non_null(made[i]->ordered);
        facts = (struct allfold_nodes_facts){.p = 8, .like = made[0]};
    }
    allfold_nodes_free(made[1]);
    allfold_nodes_free(made[0]);
    assert_null(allfold_nodes_extended(NULL, facts));
}

/* Nodes in another order have the same cables by their own numbers. Nodes of the first ranks have
 * those between these. */
static void test_cables(void **state)
{
    (void)state;
    const int64_t of_nodes[] = {7, 3, 3, 5, 7, 1}, hosts[] = {3, 1, 1, 2, 3, 0};
    const struct allfold_cable ring[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, one = {0, 2};
    const struct allfold_nodes *nodes = allfold_nodes_create(&(const struct allfold_nodes_facts){
        .p = 6, .keys = of_nodes, .order = hosts, .cables = ring, .cable_count = 4});
    const struct allfold_cables *ordered = nodes->ordered->cables;
    assert_int_equal(ordered->count, 4);
    for (int c = 0; c < 4; c++) {
        const struct allfold_cable here = nodes->cables->cables[c], there = ordered->cables[c];
        assert_int_equal(nodes->leaders[here.a], nodes->ordered->leaders[there.a]);
        assert_int_equal(nodes->leaders[here.b], nodes->ordered->leaders[there.b]);
    }
    assert_int_equal(ordered->cables[0].a, 3); /* node 0 is on the last host */
    assert_int_equal(nodes->cables->trees, 1);
    const struct allfold_nodes *first =
        allfold_nodes_create(&(const struct allfold_nodes_facts){.p = 4, .like = nodes});
    assert_int_equal(first->cables->nodes, 3);
    assert_int_equal(first->cables->count, 2); /* node 3 is that of rank 5 */
    assert_memory_equal(first->cables->cables, ring, 2 * sizeof *ring);
    const int turned[] = {1, 0, 2, 3, 4, 5};
    struct allfold_nodes_facts facts = {.p = 6, .like = nodes, .members = turned};
    const struct allfold_nodes *others = allfold_nodes_create(&facts);
    assert_null(others->cables);
    allfold_nodes_free(others);
    facts.members = NULL;
    others = allfold_nodes_create(&facts);
    assert_ptr_equal(others->cables, nodes->cables);
    nodes = extended(nodes, (struct allfold_nodes_facts){.cables = &one, .cable_count = 1});
    assert_int_equal(nodes->cables->trees, 0);
    assert_int_equal(others->cables->trees, 1); /* still theirs */
    allfold_nodes_free(others);
    allfold_nodes_free(first);
    allfold_nodes_free(nodes);
}

/* What is known of the links between groups is kept; what is not is taken for a tapered tree's. */
static void test_links_of_groups(void **state)
{
    (void)state;
    int64_t keys[3][16];
    for (int r = 0; r < 16; r++) {
        keys[0][r] = r;
        keys[1][r] = r % 8;
        keys[2][r] = r % 2;
    }
    const struct allfold_group_level groups[] = {{keys[1], 3, 1, 5e-6}, {.keys = keys[2]}};
    const struct allfold_nodes *nodes =
        extended(allfold_nodes_make(keys[0], 16),
                 (struct allfold_nodes_facts){.groups = groups, .levels = 2});
    const struct allfold_nodes *low = nodes->groups, *high = low->groups;
    assert_true(low->uplinks > 2.9 && low->uplinks < 3.1 && low->farther_s > 4e-6);
    assert_true(high->uplinks > 3.9 && high->uplinks < 4.1 && high->farther_s > 0);
    assert_true(low->pair_uplinks > 0.9 && low->pair_uplinks < 1.1);
    assert_true(high->pair_uplinks > 3.9 && high->pair_uplinks < 4.1);
    assert_int_equal(allfold_most_nodes(nodes, 0), 2);
    assert_int_equal(allfold_most_nodes(nodes, 1), 8);
    allfold_nodes_free(nodes);
}

/* Each node's ranks by their index on it; nodes that are alike share what is known. */
static void test_sockets(void **state)
{
    (void)state;
    const int64_t of_nodes[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3};
    const int64_t sockets[] = {5, 7, 5, 7, 2, 9, 2, 9, 3, 3, 3, 3, 1, 2};
    const struct allfold_group_level groups = {
        .keys = (const int64_t[]){0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1}};
    const struct allfold_nodes *nodes = extended(allfold_nodes_make(of_nodes, 14),
                                                 (struct allfold_nodes_facts){.sockets = sockets});
    const struct allfold_nodes *first = allfold_sockets_of(nodes, 0);
    check(first, (const int64_t[]){0, 1, 0, 1}, 4);
    assert_ptr_equal(allfold_sockets_of(nodes, 1), first);
    assert_null(allfold_sockets_of(nodes, 2)); /* all ranks on one */
    assert_null(allfold_sockets_of(nodes, 3)); /* each on its own */
    assert_int_equal(allfold_most_sockets(nodes), 2);
    assert_null(allfold_sockets_of_all(nodes));
    const int along[] = {0, 2, 1, 3, 4, 6, 5, 7, 8, 9, 10, 11, 12, 13};
    assert_memory_equal(nodes->along, along, sizeof along);
    assert_false(nodes->is_in_order);
    for (int i = 0; i < 14; i++)
        assert_int_equal(nodes->place_of[along[i]], i);
    nodes = extended(nodes, (struct allfold_nodes_facts){.groups = &groups, .levels = 1});
    const int grouped[] = {0, 2, 1, 3, 8, 9, 10, 11, 4, 6, 5, 7, 12, 13};
    assert_memory_equal(nodes->along, grouped, sizeof grouped);
    assert_ptr_equal(allfold_nodes_seen(nodes), nodes);
    int64_t unknown[14];
    memcpy(unknown, sockets, sizeof unknown);
    unknown[7] = -1;
    nodes = extended(nodes, (struct allfold_nodes_facts){.sockets = unknown});
    assert_non_null(allfold_sockets_of(nodes, 0));
    assert_null(allfold_sockets_of(nodes, 1));
    nodes =
        extended(nodes, (struct allfold_nodes_facts){.sockets = of_nodes}); /* no node has any */
    assert_null(nodes->sockets);
    assert_null(allfold_sockets_of_all(nodes));
    assert_int_equal(allfold_most_sockets(nodes), 1);
    allfold_nodes_free(nodes);
}

/* On one node, its sockets are what algorithms see. */
static void test_sockets_of_one_node(void **state)
{
    (void)state;
    const struct allfold_nodes *nodes = allfold_nodes_make((const int64_t[6]){0}, 6);
    assert_ptr_equal(allfold_nodes_seen(nodes), nodes);
    nodes = extended(nodes, (struct allfold_nodes_facts){.even_sockets = 4});
    check(allfold_nodes_seen(nodes), (const int64_t[]){0, 0, 1, 2, 2, 3}, 6);
    assert_ptr_equal(allfold_sockets_of_all(nodes), nodes->sockets[0]);
    nodes = extended(nodes, (struct allfold_nodes_facts){.even_sockets = 1});
    assert_ptr_equal(allfold_nodes_seen(nodes), nodes);
    allfold_nodes_free(nodes);
}

static void test_sockets_in_placements(void **state)
{
    (void)state;
    int64_t nodes[12];
    char message[200] = "";
    assert_int_equal(allfold_placement_read("2x3x2", 12, nodes, message, sizeof message),
                     ALLFOLD_OK);
    assert_memory_equal(nodes, ((const int64_t[]){0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}),
                        sizeof nodes);
    assert_int_equal(allfold_placement_sockets("2x3x2"), 3);
    assert_int_equal(allfold_placement_sockets("2x3x2:cyclic"), 3);
    assert_int_equal(allfold_placement_sockets("2x6"), 1);
    assert_int_equal(allfold_placement_sockets("2,1"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_arrangements),
        cmocka_unit_test(test_placements),
        cmocka_unit_test(test_refused_placements),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_groups_that_say_nothing),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_ordered),
        cmocka_unit_test(test_like),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_cables),
        cmocka_unit_test(test_links_of_groups),
        cmocka_unit_test(test_sockets),
        cmocka_unit_test(test_sockets_of_one_node),
        cmocka_unit_test(test_sockets_in_placements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
