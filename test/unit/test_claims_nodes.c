/* What goes between nodes: Bienz et al. 2019, equations 4 to 6, Traeff and Hunold, and rings,
 * counted in the schedules by placement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/composed.h"
#include "lab/verify/case.h"
#include "support.h"
#include "support_claims.h"

enum { MOST_RANKS = 512, ELEMENTS = 24 };

/* Of each rank: what it sends to, and gets from, other nodes. */
struct beyond {
    size_t messages[MOST_RANKS], got_messages[MOST_RANKS];
    size_t sent[MOST_RANKS], got[MOST_RANKS];
    size_t to_next; /* of the messages of all, those to the node behind their own */
};

static const struct allfold_nodes *place_so(int count, int ppn, bool in_turn)
{
    int64_t keys[MOST_RANKS];
    for (int r = 0; r < count * ppn; r++)
        keys[r] = in_turn ? r % count : r / ppn;
    const struct allfold_nodes *nodes = allfold_nodes_make(keys, count * ppn);
    assert_non_null(nodes);
    return nodes;
}

static const struct allfold_nodes *place(int count, int ppn)
{
    return place_so(count, ppn, false);
}

/* With the inner algorithm of that number between nodes, or the preset. */
static struct beyond counted_with(enum allfold_collective collective, const char *name,
                                  const struct allfold_nodes *nodes, int root, size_t n,
                                  size_t between)
{
    struct allfold_case of = case_on(nodes, collective, name, root, n);
    struct allfold_schedule **schedules;
    struct beyond beyond = {{0}, {0}, {0}, {0}, 0};
    char message[200] = "";
    if (between != PRESET)
        of.parameters.value[1] = between;
    if (allfold_case_build(&of, &schedules, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s on %d nodes: %s", name, nodes->count, message);
    for (int r = 0; r < of.p; r++)
        for (uint32_t i = 0; i < schedules[r]->step_count; i++) {
            const struct allfold_step *step = &schedules[r]->steps[i];
            if (step->peer < 0 || nodes->node_of[step->peer] == nodes->node_of[r])
                continue;
            const bool sends = step->kind == ALLFOLD_STEP_SEND;
            (sends ? beyond.messages : beyond.got_messages)[r]++;
            (sends ? beyond.sent : beyond.got)[r] += step->length;
            beyond.to_next +=
                sends && nodes->node_of[step->peer] == (nodes->node_of[r] + 1) % nodes->count;
        }
    allfold_case_free(&of, schedules);
    return beyond;
}

static struct beyond counted(enum allfold_collective collective, const char *name,
                             const struct allfold_nodes *nodes, int root, size_t n)
{
    const bool by_circulant = collective == ALLFOLD_ALLREDUCE && strcmp(name, "multilane") == 0;
    return counted_with(collective, name, nodes, root, n,
                        by_circulant ? number_of(ALLFOLD_ALLREDUCE, "circulant") : PRESET);
}

static size_t of_node(const struct allfold_nodes *nodes, int node, const size_t *of_rank)
{
    size_t sum = 0;
    for (int i = nodes->first[node]; i < nodes->first[node + 1]; i++)
        sum += of_rank[nodes->members[i]];
    return sum;
}

/* Equation 6: log_ppn nodes messages of the whole vector one after the other between nodes. No rank
 * sends or gets more of them, for any number of nodes. */
static void test_nap(void **state)
{
    (void)state;
    for (int ppn = 2; ppn <= 9; ppn++)
        for (int count = 2; count * ppn <= 250; count++) {
            const struct allfold_nodes *nodes = place(count, ppn);
            const size_t most = ceil_log((size_t)ppn, (size_t)count);
            const struct beyond beyond = counted(ALLFOLD_ALLREDUCE, "nap", nodes, 0, 3);
            size_t reached = 0;
            for (int r = 0; r < count * ppn; r++) {
                assert_in_range(beyond.messages[r], 0, most);
                assert_in_range(beyond.got_messages[r], 0, most);
                assert_int_equal(beyond.sent[r], 3 * beyond.messages[r]);
                reached = beyond.got_messages[r] > reached ? beyond.got_messages[r] : reached;
            }
            assert_true(reached > 0);
            allfold_nodes_free(nodes);
        }
}

/* Equation 5: lg nodes messages between nodes, by one rank of each. With recursive doubling among
 * the leaders that is exact for powers of two. */
static void test_smp(void **state)
{
    (void)state;
    for (int ppn = 1; ppn <= 6; ppn++)
        for (int count = 2; count * ppn <= 200; count++) {
            const struct allfold_nodes *nodes = place(count, ppn);
            const struct beyond beyond = counted(ALLFOLD_ALLREDUCE, "smp", nodes, 0, 3);
            for (int r = 0; r < count * ppn; r++) {
                const bool leads = nodes->index_of[r] == 0;
                assert_in_range(beyond.messages[r], 0, leads ? floor_lg((size_t)count) + 1 : 0);
                if (leads && is_power_of_two((size_t)count))
                    assert_int_equal(beyond.messages[r], floor_lg((size_t)count));
            }
            allfold_nodes_free(nodes);
        }
}

/* 2 (N-1)/N of the vector leaves each of N nodes, an equal share of it by each of its ranks. */
static void lanes_share(enum allfold_collective collective, const char *name, bool in_turn)
{
    for (int ppn = 1; ppn <= 6; ppn++)
        for (int count = 2; count * ppn <= 100; count++) {
            const struct allfold_nodes *nodes = place_so(count, ppn, in_turn);
            const size_t n = (size_t)(count * ppn) * 2, part = 2 * (n - n / (size_t)count);
            const struct beyond beyond = counted(collective, name, nodes, 0, n);
            for (int node = 0; node < count; node++)
                assert_int_equal(of_node(nodes, node, beyond.sent), part);
            for (int r = 0; r < count * ppn; r++)
                assert_int_equal(beyond.sent[r], part / (size_t)ppn);
            allfold_nodes_free(nodes);
        }
}

static void test_multilane(void **state)
{
    (void)state;
    for (int in_turn = 0; in_turn < 2; in_turn++) {
        lanes_share(ALLFOLD_ALLREDUCE, "multilane", in_turn);
        lanes_share(ALLFOLD_ALLREDUCE, "multilane_bucket", in_turn);
    }
}

/* However ranks are placed: one rank of a node sends beyond it, all its p-1 blocks of each half,
 * and one gets as much. */
static void one_sends(enum allfold_collective collective, size_t n, size_t part, bool in_turn)
{
    for (int ppn = 1; ppn <= 6; ppn++)
        for (int count = 2; count * ppn <= 60; count++) {
            const struct allfold_nodes *nodes = place_so(count, ppn, in_turn);
            const size_t p = (size_t)(count * ppn), sent = part * (p - 1);
            const struct beyond beyond = counted(collective, "bucket", nodes, 0,
                                                 collective == ALLFOLD_ALLREDUCE ? n * p : n);
            for (int r = 0; r < count * ppn; r++) {
                assert_true(beyond.sent[r] == 0 || beyond.sent[r] == sent);
                assert_true(beyond.got[r] == 0 || beyond.got[r] == sent);
            }
            for (int node = 0; node < count; node++) {
                assert_int_equal(of_node(nodes, node, beyond.sent), sent);
                assert_int_equal(of_node(nodes, node, beyond.got), sent);
            }
            allfold_nodes_free(nodes);
        }
}

static void test_bucket(void **state)
{
    (void)state;
    for (int in_turn = 0; in_turn < 2; in_turn++) {
        one_sends(ALLFOLD_ALLREDUCE, 2, 2 * 2, in_turn);
        one_sends(ALLFOLD_REDUCE_SCATTER_BLOCK, 3, 3, in_turn);
    }
}

/* Each rank sends its lane's sums to the other nodes, in lg nodes messages at most. */
static void lanes_scatter(enum allfold_collective collective, const char *name,
                          const struct allfold_nodes *nodes)
{
    const struct beyond sums = counted(collective, name, nodes, 0, 3);
    for (int r = 0; r < nodes->first[nodes->count]; r++) {
        assert_int_equal(sums.sent[r], 3 * (size_t)(nodes->count - 1));
        assert_in_range(sums.messages[r], 1, ceil_lg((size_t)nodes->count));
    }
}

/* Of 60 elements, each rank of a node sends, or gets, an equal share. */
static void lanes_share_one_vector(const struct allfold_nodes *nodes, int root)
{
    enum { N = 60 };
    const struct beyond up = counted(ALLFOLD_REDUCE, "multilane", nodes, root, N);
    const struct beyond down = counted(ALLFOLD_BCAST, "multilane", nodes, root, N);
    for (int r = 0; r < nodes->first[nodes->count]; r++) {
        const size_t share = (size_t)(N / nodes->most);
        const bool is_at_root = nodes->node_of[r] == nodes->node_of[root];
        assert_int_equal(down.got[r], is_at_root ? 0 : share);
        if (!is_at_root)
            assert_int_equal(up.sent[r], share);
    }
}

/* A reduce has one vector from each node but the root's. A broadcast brings one to each. An
 * allgather brings each block to each other node once. So does a reduce-scatter, whose lanes send
 * as much each. */
static void test_others(void **state)
{
    (void)state;
    for (int ppn = 1; ppn <= 5; ppn++)
        for (int count = 2; count * ppn <= 60; count++) {
            const struct allfold_nodes *nodes = place(count, ppn);
            const int p = count * ppn;
            for (int root = 0; root < p; root += 1 + p / 3) {
                const struct beyond up = counted(ALLFOLD_REDUCE, "smp", nodes, root, 3);
                const struct beyond down = counted(ALLFOLD_BCAST, "smp", nodes, root, 3);
                for (int node = 0; node < count; node++) {
                    const size_t once = nodes->node_of[root] == node ? 0 : 3;
                    assert_int_equal(of_node(nodes, node, up.sent), once);
                    assert_int_equal(of_node(nodes, node, down.got), once);
                }
                lanes_share_one_vector(nodes, root);
            }
            const struct beyond all = counted(ALLFOLD_ALLGATHER, "multilane", nodes, 0, 3);
            for (int node = 0; node < count; node++)
                assert_int_equal(of_node(nodes, node, all.got), 3 * (size_t)(p - ppn));
            lanes_scatter(ALLFOLD_REDUCE_SCATTER_BLOCK, "multilane", nodes);
            lanes_scatter(ALLFOLD_REDUCE_SCATTER, "multilane", nodes);
            allfold_nodes_free(nodes);
        }
}

/* By a chain, the whole vector goes once over each link, either way at most. By a binomial tree the
 * root's node gets, or sends, the vector lg nodes times. */
static void test_chain(void **state)
{
    (void)state;
    for (int ppn = 1; ppn <= 3; ppn++)
        for (int count = 2; count * ppn <= 30; count++) {
            const struct allfold_nodes *nodes = place(count, ppn);
            for (int root = 0; root < count * ppn; root += 1 + count / 2) {
                const struct beyond up = counted_with(ALLFOLD_REDUCE, "smp", nodes, root, 3,
                                                      number_of(ALLFOLD_REDUCE, "chain"));
                const struct beyond down = counted_with(ALLFOLD_BCAST, "smp", nodes, root, 3,
                                                        number_of(ALLFOLD_BCAST, "chain"));
                for (int node = 0; node < count; node++) {
                    assert_in_range(of_node(nodes, node, up.sent), 0, 3);
                    assert_in_range(of_node(nodes, node, up.got), 0, 3);
                    assert_in_range(of_node(nodes, node, down.sent), 0, 3);
                    assert_in_range(of_node(nodes, node, down.got), 0, 3);
                }
            }
            const struct beyond tree = counted(ALLFOLD_REDUCE, "smp", nodes, 0, 3);
            assert_int_equal(of_node(nodes, 0, tree.got), 3 * ceil_lg((size_t)count));
            allfold_nodes_free(nodes);
        }
}

/* Three levels: nodes of ppn ranks, leaves of `leaf` nodes, pods of two leaves. A stride that has
 * no factor in common with the ranks shuffles them. */
static const struct allfold_nodes *place_in_pods(int count, int ppn, int leaf, int stride)
{
    const int p = count * ppn;
    int64_t keys[3][MOST_RANKS];
    for (int r = 0; r < p; r++) {
        const int at = (int)((long)r * stride % p);
        keys[0][r] = at / ppn;
        keys[1][r] = keys[0][r] / leaf;
        keys[2][r] = keys[1][r] / 2;
    }
    const struct allfold_group_level groups[] = {{.keys = keys[1]}, {.keys = keys[2]}};
    return extended(allfold_nodes_make(keys[0], p),
                    (struct allfold_nodes_facts){.groups = groups, .levels = 2});
}

/* Messages of all ranks by the level on which sender and receiver come together. */
static void count_levels(const struct allfold_case *of, size_t messages[4])
{
    struct allfold_schedule **schedules;
    char message[200] = "";
    memset(messages, 0, 4 * sizeof *messages);
    if (allfold_case_build(of, &schedules, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s: %s", of->algorithm->name, message);
    for (int r = 0; r < of->p; r++)
        for (uint32_t i = 0; i < schedules[r]->step_count; i++)
            if (schedules[r]->steps[i].kind == ALLFOLD_STEP_SEND)
                messages[allfold_level_of(of->nodes, r, schedules[r]->steps[i].peer)]++;
    allfold_case_free(of, schedules);
}

/* No tree crosses a level less often: one message for each but one of the groups that are joined
 * there. An allreduce has each message twice below its highest groups. */
static void test_group_tree(void **state)
{
    (void)state;
    for (int ppn = 1; ppn <= 3; ppn++)
        for (int count = 5; count <= 24; count++)
            for (int stride = 1; stride <= 7; stride += 6) {
                if (count * ppn % 7 == 0)
                    continue;
                const struct allfold_nodes *nodes = place_in_pods(count, ppn, 2, stride);
                const int p = count * ppn;
                assert_int_equal(allfold_group_levels(nodes), 2);
                const size_t pods = (size_t)nodes->groups->groups->count;
                const size_t leaves = (size_t)nodes->groups->count;
                const size_t once[] = {(size_t)(p - count), (size_t)count - leaves, leaves - pods,
                                       pods - 1};
                size_t all[4], up[4], down[4];
                for (int root = 0; root < p; root += 1 + p / 5) {
                    const struct allfold_case reduce =
                        case_on(nodes, ALLFOLD_REDUCE, "group_tree", root, ELEMENTS);
                    const struct allfold_case bcast =
                        case_on(nodes, ALLFOLD_BCAST, "group_tree", root, ELEMENTS);
                    count_levels(&reduce, up);
                    count_levels(&bcast, down);
                    assert_memory_equal(up, once, sizeof once);
                    assert_memory_equal(down, once, sizeof once);
                }
                const struct allfold_case allreduce =
                    case_on(nodes, ALLFOLD_ALLREDUCE, "group_tree", 0, ELEMENTS);
                count_levels(&allreduce, all);
                for (int level = 0; level < 3; level++)
                    assert_int_equal(all[level], 2 * once[level]);
                if (is_power_of_two(pods))
                    assert_int_equal(all[3], pods * floor_lg(pods));
                allfold_nodes_free(nodes);
            }
}

/* However ranks are dealt out, what crosses each level is what the inner algorithm has where they
 * are in order. */
static void test_renumbered(void **state)
{
    static const struct {
        enum allfold_collective collective;
        const char *name, *inner;
    } cases[] = {{ALLFOLD_ALLREDUCE, "renumbered", "mixed_radix"},
                 {ALLFOLD_REDUCE, "renumbered", "two_tree"},
                 {ALLFOLD_BCAST, "renumbered", "two_tree"}};
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        for (int count = 6; count <= 22; count += 2) {
            const struct allfold_nodes *nodes = place_in_pods(count, 4, 2, 5);
            const struct allfold_nodes *in_order = place_in_pods(count, 4, 2, 1);
            size_t messages[4], expected[4];
            if (count % 5 != 0) {
                const struct allfold_case of =
                    case_on(nodes, cases[i].collective, cases[i].name, 0, ELEMENTS);
                const struct allfold_case inner =
                    case_on(in_order, cases[i].collective, cases[i].inner, 0, ELEMENTS);
                count_levels(&of, messages);
                count_levels(&inner, expected);
                assert_int_equal(nodes->place_of[0], 0);
                assert_memory_equal(messages, expected, sizeof expected);
            }
            allfold_nodes_free(nodes);
            allfold_nodes_free(in_order);
        }
}

/* Messages of a node's ranks that go between its sockets, and rounds that stay on them. */
static void check_sockets(const struct allfold_nodes *nodes, enum allfold_collective collective,
                          const char *name, const char *on_node, size_t crossings)
{
    struct allfold_case of = case_on(nodes, collective, name, 0, ELEMENTS);
    struct allfold_schedule **schedules;
    char message[200] = "";
    size_t found = 0;
    const enum allfold_collective inner = of.algorithm->parameters[0].inner->collective;
    of.parameters.value[0] = number_of(inner, on_node);
    if (allfold_case_build(&of, &schedules, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s: %s", name, message);
    for (int r = 0; r < of.p; r++)
        for (uint32_t i = 0; i < schedules[r]->step_count; i++) {
            const struct allfold_step *step = &schedules[r]->steps[i];
            if (step->kind == ALLFOLD_STEP_SEND && nodes->node_of[step->peer] == nodes->node_of[r])
                found += allfold_socket_of(nodes, r) != allfold_socket_of(nodes, step->peer);
        }
    allfold_case_free(&of, schedules);
    assert_int_equal(found, crossings * (size_t)nodes->count);
}

/* Of three levels, a node's sockets are joined by one message each but one, and the same back; by
 * lanes, each rank has as many as there are rounds. */
static void test_sockets(void **state)
{
    (void)state;
    for (int sockets = 2; sockets <= 4; sockets++)
        for (int ranks = 2; ranks <= 4; ranks++) {
            const struct allfold_nodes *nodes = extended(
                place(3, sockets * ranks), (struct allfold_nodes_facts){.even_sockets = sockets});
            const size_t others = (size_t)sockets - 1, rounds = ceil_lg((size_t)sockets);
            check_sockets(nodes, ALLFOLD_REDUCE, "smp", "smp", others);
            check_sockets(nodes, ALLFOLD_BCAST, "smp", "smp", others);
            check_sockets(nodes, ALLFOLD_ALLREDUCE, "smp", "smp", 2 * others);
            const size_t by_lanes = (size_t)(sockets * ranks) * rounds;
            check_sockets(nodes, ALLFOLD_ALLGATHER, "multilane", "multilane", by_lanes);
            check_sockets(nodes, ALLFOLD_REDUCE_SCATTER_BLOCK, "multilane", "multilane", by_lanes);
            check_sockets(nodes, ALLFOLD_ALLREDUCE, "multilane", "multilane", 2 * by_lanes);
            allfold_nodes_free(nodes);
        }
}

/* Messages between nodes of allreduce.smp there. */
static size_t smp_on(const struct allfold_nodes *nodes)
{
    const struct beyond beyond = counted(ALLFOLD_ALLREDUCE, "smp", nodes, 0, 3);
    size_t messages = 0;
    for (int r = 0; r < nodes->first[nodes->count]; r++)
        messages += beyond.messages[r];
    return messages;
}

/* nap(node=smp) has three levels, too. On a node its first sum sends between sockets what smp sends
 * there, and so does a step in which each rank has a part. In a step of two parts no rank sees
 * sockets: ranks 0 and 1 exchange, and each sends to every other rank after it. */
static void test_sockets_of_nap(void **state)
{
    (void)state;
    for (int sockets = 2; sockets <= 4; sockets++)
        for (int ranks = 2; ranks <= 3; ranks++) {
            const int ppn = sockets * ranks;
            struct allfold_nodes_facts facts = {.even_sockets = sockets};
            const struct allfold_nodes *nodes = extended(place(ppn, ppn), facts);
            facts.in_turn = true;
            const struct allfold_nodes *two = extended(place(2, ppn), facts);
            const size_t own = smp_on(allfold_sockets_of(nodes, 0));
            size_t messages = smp_on(allfold_sockets_of(two, 0)) + 2;
            for (int r = 2; r < ppn; r++)
                messages += r % sockets != r % 2;
            check_sockets(nodes, ALLFOLD_ALLREDUCE, "nap", "smp", 2 * own);
            check_sockets(two, ALLFOLD_ALLREDUCE, "nap", "smp", messages);
            allfold_nodes_free(nodes);
            allfold_nodes_free(two);
        }
}

/* A node of a ring sends to the next one alone, in blocks and in turn. */
static void test_rings_go_to_the_next_node(void **state)
{
    (void)state;
    static const char *const names[] = {"bucket", "multilane_bucket"};
    for (size_t i = 0; i < LENGTH(names); i++)
        for (int count = 2; count <= 9; count++)
            for (int ppn = 1; ppn <= 4; ppn++) {
                const struct allfold_nodes *nodes = place_so(count, ppn, (count + ppn) % 2);
                const size_t n = 5 * (size_t)(count * ppn);
                const struct beyond beyond = counted(ALLFOLD_ALLREDUCE, names[i], nodes, 0, n);
                size_t messages = 0;
                for (int r = 0; r < count * ppn; r++)
                    messages += beyond.messages[r];
                assert_true(messages > 0);
                assert_int_equal(beyond.to_next, messages);
                allfold_nodes_free(nodes);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rings_go_to_the_next_node),
        cmocka_unit_test(test_nap),
        cmocka_unit_test(test_smp),
        cmocka_unit_test(test_multilane),
        cmocka_unit_test(test_bucket),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_group_tree),
        cmocka_unit_test(test_renumbered),
        cmocka_unit_test(test_sockets),
        cmocka_unit_test(test_sockets_of_nap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
