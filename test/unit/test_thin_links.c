/* Choices where links between groups of nodes are thin: told, assumed, with constants and without.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/nodes.h"
#include "model/cost/placed.h"
#include "select/choose.h"
#include "select/rules.h"
#include "support.h"

/* Nodes of so many ranks, in blocks. */
static struct allfold_nodes *placed(int count, int ranks)
{
    enum { MOST = 192 };
    int64_t keys[MOST];
    assert_in_range(count * ranks, 1, MOST);
    for (int r = 0; r < count * ranks; r++)
        keys[r] = r / ranks;
    return allfold_nodes_make(keys, count * ranks);
}

static struct allfold_problem sum_on(const struct allfold_nodes *nodes, size_t bytes)
{
    return (struct allfold_problem){.collective = ALLFOLD_ALLREDUCE,
                                    .group = allfold_group_all(nodes->first[nodes->count], 0),
                                    .count = bytes / sizeof(double),
                                    .element_bytes = sizeof(double),
                                    .commutative = true,
                                    .nodes = nodes};
}

static const struct allfold_algorithm *chosen(const struct allfold_problem *problem,
                                              struct allfold_parameters *parameters)
{
    struct allfold_choice choice;
    char message[200];
    assert_int_equal(allfold_choose(NULL, problem, &choice, message, sizeof message), ALLFOLD_OK);
    *parameters = choice.parameters;
    return choice.algorithm;
}

/* Thin links decide: ranks that follow their switches win where these are crossed by all others. */
static void test_thin_links_decide(void **state)
{
    (void)state;
    enum { P = 64 };
    int64_t groups[P];
    for (int r = 0; r < P; r++)
        groups[r] = r % 8;
    const struct allfold_cost_model costs = {.node = {0.5e-6, 0.1e-6, 0.1e-9, 0.1e-9, {{0}}},
                                             .network = {1e-6, 0.2e-6, 0.1e-9, 0.1e-9, {{0}}}};
    const struct allfold_algorithm *renumbered =
        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "renumbered");
    const struct allfold_group_links thin_links = {1, 1, 1e-9};
    for (int thin = 0; thin < 2; thin++) {
        struct allfold_nodes *nodes = placed(P, 1);
        assert_true(!thin || allfold_nodes_group_linked(nodes, groups, thin_links));
        struct allfold_problem problem = sum_on(nodes, 32 << 10);
        struct allfold_parameters parameters;
        problem.costs = &costs;
        assert_true((chosen(&problem, &parameters) == renumbered) == thin);
        allfold_nodes_free(nodes);
    }
}

/* A network whose switches are known is a cluster's. There rounds of short vectors count for more
 * than bytes over thin links. Twelve of 64 nodes are below a switch here, which has three links. */
static void test_known_switches_are_fast(void **state)
{
    (void)state;
    enum { P = 64 };
    int64_t groups[P];
    for (int r = 0; r < P; r++)
        groups[r] = r / 12;
    struct allfold_nodes *nodes = placed(P, 1);
    assert_true(allfold_nodes_group_linked(nodes, groups, (struct allfold_group_links){3, 3, 0}));
    const struct allfold_problem problem = sum_on(nodes, 512);
    struct allfold_parameters parameters;
    const struct allfold_algorithm *algorithm = chosen(&problem, &parameters);
    assert_int_equal(algorithm->claim(&problem, &parameters).rounds, 3);
    allfold_nodes_free(nodes);
}

static double expected_s(const struct allfold_problem *problem, const char *text, bool by_claim)
{
    struct allfold_rules rules = {.count = 0};
    char message[200];
    assert_int_equal(allfold_rules_read(ALLFOLD_ALLREDUCE, text, &rules, message, sizeof message),
                     ALLFOLD_OK);
    const struct allfold_algorithm *of = rules.rules[0].algorithm;
    enum allfold_care care = ALLFOLD_BY_CLAIM;
    struct allfold_scales *scales = allfold_scales_create(problem);
    const double claimed_s =
        allfold_placed_cost_s(scales, of, problem, &rules.rules[0].parameters, &care);
    allfold_scales_free(scales);
    return by_claim ? claimed_s : allfold_expected_s(of, problem, &rules.rules[0].parameters);
}

/* Many nodes are taken for groups of neighbors with thin links between them, as long as nobody
 * knows better. A ring of the nodes crosses each of them once, so it costs what it claims. */
static void test_thin_links_are_assumed(void **state)
{
    (void)state;
    static const int counts[] = {12, 16};
    for (size_t i = 0; i < LENGTH(counts); i++) {
        struct allfold_nodes *nodes = placed(counts[i], 8);
        const struct allfold_problem problem = sum_on(nodes, 1 << 20);
        const char *lanes = "multilane(lanes=recursive_splitting)", *ring = "multilane_bucket";
        const double ratio = expected_s(&problem, lanes, false) / expected_s(&problem, lanes, true);
        assert_true(counts[i] == 12 ? fabs(ratio - 1) < 1e-9 : ratio > 1.05);
        assert_true(expected_s(&problem, ring, false) < 1.05 * expected_s(&problem, ring, true));
        allfold_nodes_free(nodes);
    }
}

/* With one rank a node too, for long vectors alone: short ones would take more rounds. */
static void test_thin_links_for_one_rank(void **state)
{
    (void)state;
    struct allfold_nodes *nodes = placed(64, 1);
    const struct allfold_problem longer = sum_on(nodes, 8 << 20), shorter = sum_on(nodes, 512);
    struct allfold_parameters parameters;
    assert_string_equal(chosen(&longer, &parameters)->name, "bucket");
    assert_string_equal(chosen(&shorter, &parameters)->name, "recursive_multiplying");
    allfold_nodes_free(nodes);
}

/* Nodes in blocks, on hosts in order or in any other one, with so many levels of switches. */
static struct allfold_nodes *on_hosts(int count, int ranks, int levels, bool in_order)
{
    enum { MOST = 512 };
    int64_t host[MOST], keys[MOST];
    uint64_t seed = 3;
    for (int r = 0; r < count; r++)
        host[r] = r;
    for (int r = count - 1; r > 0 && !in_order; r--) {
        const uint32_t other = random_below(&seed, (uint32_t)r + 1);
        const int64_t kept = host[r];
        host[r] = host[other];
        host[other] = kept;
    }
    struct allfold_nodes *nodes = placed(count, ranks);
    for (int r = 0; r < count * ranks; r++)
        keys[r] = host[r / ranks];
    assert_true(allfold_nodes_order(nodes, keys));
    for (int l = 0, below = 4; l < levels; l++, below *= 4) {
        for (int r = 0; r < count * ranks; r++)
            keys[r] = host[r / ranks] / below;
        assert_true(allfold_nodes_group(nodes, keys));
    }
    assert_true(allfold_nodes_add_ordered(nodes));
    return nodes;
}

/* The sum of so many bytes by the nodes as they lie in the network. */
static struct allfold_problem sum_along(const struct allfold_nodes *nodes, size_t bytes)
{
    struct allfold_problem problem = sum_on(nodes, bytes);
    problem.nodes = allfold_nodes_for(&problem, nodes);
    return problem;
}

static void assert_follows_hosts(const struct allfold_problem *problem)
{
    struct allfold_parameters parameters;
    const struct allfold_algorithm *one = chosen(problem, &parameters);
    assert_true(one->renumbers || strcmp(one->name, "bucket") == 0);
}

/* What follows the hosts costs the same wherever the ranks are, and is chosen. Of 100 hosts a core
 * leaves out 36. Which of these a sample meets depends on the order, so there costs may differ. */
static void test_order_of_hosts(void **state)
{
    (void)state;
    static const int counts[] = {64, 96, 100};
    for (size_t k = 0; k < LENGTH(counts); k++)
        for (int levels = 0; levels <= 2; levels++) {
            const int count = counts[k];
            struct allfold_nodes *in_order = on_hosts(count, 1, levels, true);
            struct allfold_nodes *shuffled = on_hosts(count, 1, levels, false);
            for (size_t bytes = 512; bytes <= 8 << 20; bytes *= 128) {
                const struct allfold_problem best = sum_along(in_order, bytes);
                const struct allfold_problem problem = sum_along(shuffled, bytes);
                static const char *const pairs[][2] = {
                    {"bucket", "bucket"},
                    {"bucket", "renumbered(inner=bucket)"},
                    {"recursive_splitting", "renumbered(inner=recursive_splitting)"}};
                for (size_t i = 0; i < LENGTH(pairs) && count <= 96; i++) {
                    const double ratio = expected_s(&problem, pairs[i][1], false) /
                                         expected_s(&best, pairs[i][0], false);
                    if (ratio < 0.9 || ratio > 1.1)
                        fail_msg("%s on %d hosts, %d levels, %zu bytes: %g times", pairs[i][1],
                                 count, levels, bytes, ratio);
                }
                assert_follows_hosts(&problem);
            }
            for (size_t bytes = 8; bytes <= 8 << 20; bytes *= 32) {
                const struct allfold_problem problem = sum_along(shuffled, bytes);
                assert_follows_hosts(&problem);
            }
            allfold_nodes_free(in_order);
            allfold_nodes_free(shuffled);
        }
}

/* So does what goes between nodes of several ranks. */
static void test_order_of_nodes(void **state)
{
    (void)state;
    static const char *const names[] = {"multilane", "multilane_bucket", "smp(leaders=ring)",
                                        "multilane(lanes=swing)"};
    for (int levels = 0; levels <= 2; levels++) {
        struct allfold_nodes *in_order = on_hosts(24, 4, levels, true);
        struct allfold_nodes *shuffled = on_hosts(24, 4, levels, false);
        bool gains = false;
        for (size_t i = 0; i < LENGTH(names); i++) {
            const struct allfold_problem best = sum_along(in_order, 64 << 10);
            const struct allfold_problem along = sum_along(shuffled, 64 << 10);
            const struct allfold_problem other = sum_on(shuffled, 64 << 10);
            const double best_s = expected_s(&best, names[i], false);
            const double ratio = expected_s(&along, names[i], false) / best_s;
            if (ratio < 0.99 || ratio > 1.01)
                fail_msg("%s with %d levels: %g times", names[i], levels, ratio);
            gains = gains || expected_s(&other, names[i], false) > 1.1 * best_s;
        }
        assert_true(gains);
        allfold_nodes_free(in_order);
        allfold_nodes_free(shuffled);
    }
}

/* What all messages of an algorithm take, with its own ports. */
static double counted_s(const struct allfold_problem *problem, const char *name)
{
    const struct allfold_algorithm *of = allfold_algorithm_find(ALLFOLD_ALLREDUCE, name);
    const struct allfold_parameters presets = allfold_parameter_presets(of);
    const struct allfold_claim claim = of->claim(problem, &presets);
    const struct allfold_profiled profiled = {of, problem, &presets, allfold_claim_ports(&claim),
                                              .nodes = NULL};
    struct allfold_profiler *profiler = allfold_profiler_create();
    struct allfold_profile profile;
    assert_int_equal(allfold_profile(profiler, &profiled, &profile), ALLFOLD_OK);
    const double cost_s = allfold_profiled_cost_s(problem, &profile);
    allfold_profiler_free(profiler);
    return cost_s;
}

/* Groups of 48, 48 and 4 nodes, as of a dragonfly with routers of three. None stands for the
 * others, so all messages count, and a choice of few rounds is not taken for a slow one. */
static void test_unlike_groups_are_counted(void **state)
{
    (void)state;
    enum { P = 100 };
    static const char *const names[] = {"mixed_radix", "halving_doubling", "recursive_splitting"};
    int64_t routers[P], groups[P];
    for (int r = 0; r < P; r++) {
        routers[r] = r / 3;
        groups[r] = r / 48;
    }
    struct allfold_nodes *nodes = placed(P, 1);
    assert_true(
        allfold_nodes_group_linked(nodes, routers, (struct allfold_group_links){3, 1, 4e-7}) &&
        allfold_nodes_group_linked(nodes, groups, (struct allfold_group_links){8, 4, 4e-7}));
    struct allfold_problem problem = sum_on(nodes, 4096);
    struct allfold_scales *scales = allfold_scales_create(&problem);
    for (size_t i = 0; i < LENGTH(names); i++) {
        const struct allfold_algorithm *of = allfold_algorithm_find(ALLFOLD_ALLREDUCE, names[i]);
        const struct allfold_parameters presets = allfold_parameter_presets(of);
        enum allfold_care care = ALLFOLD_BY_SAMPLE;
        const double cost_s = allfold_placed_cost_s(scales, of, &problem, &presets, &care);
        const double ratio = cost_s / counted_s(&problem, names[i]);
        if (ratio < 1 - 1e-9 || ratio > 1 + 1e-9 || care != ALLFOLD_BY_ALL)
            fail_msg("%s: %g times what is counted", names[i], ratio);
    }
    allfold_scales_free(scales);
    struct allfold_parameters parameters;
    const struct allfold_algorithm *algorithm = chosen(&problem, &parameters);
    assert_true(algorithm->claim(&problem, &parameters).rounds < 14);
    allfold_nodes_free(nodes);
}

/* What all ranks of a node read is written there once. Claims say so, profiles do not. A choice
 * that knows its network and its constants believes the claims. */
static void test_known_networks_write_once(void **state)
{
    (void)state;
    int64_t groups[192];
    for (int r = 0; r < 192; r++)
        groups[r] = r / 64;
    struct allfold_nodes *nodes = placed(12, 16);
    const struct allfold_cost_model costs = {.node = {0.4e-6, 0.23e-6, 0.09e-9, 0.01e-9, {{0}}},
                                             .network = {1.1e-6, 0.14e-6, 0.08e-9, 0.01e-9, {{0}}}};
    assert_true(allfold_nodes_group_linked(nodes, groups, (struct allfold_group_links){4, 4, 0}));
    struct allfold_problem problem = sum_on(nodes, 256 << 10);
    problem.costs = &costs;
    assert_true(expected_s(&problem, "multilane(lanes=recursive_splitting)", false) <
                expected_s(&problem, "multilane(node=circulant,lanes=recursive_splitting)", false));
    allfold_nodes_free(nodes);
}

/* What the first node of a sample says of a problem's algorithms is no more than what the whole
 * sample says: else a choice could leave out the best. How many there are of them. */
static size_t compare_first_nodes(const struct allfold_problem *problem)
{
    struct allfold_scales *scales = allfold_scales_create(problem);
    size_t found = 0;
    for (size_t a = 0; allfold_algorithms[a] != NULL; a++) {
        const struct allfold_algorithm *one = allfold_algorithms[a];
        for (unsigned c = 0; c < allfold_tried_count(one, true); c++) {
            const struct allfold_parameters values = allfold_tried(one, true, c);
            enum allfold_care care = ALLFOLD_BY_NODE;
            if (one->collective != problem->collective ||
                allfold_unmet_need(one, problem, &values) != NULL)
                continue;
            const double node_s = allfold_placed_cost_s(scales, one, problem, &values, &care);
            if (care != ALLFOLD_BY_NODE)
                continue;
            care = ALLFOLD_BY_SAMPLE;
            const double sample_s = allfold_placed_cost_s(scales, one, problem, &values, &care);
            if (node_s > sample_s)
                fail_msg("%s.%s on %d nodes, %zu bytes: %g us, then %g",
                         allfold_collective_name(one->collective), one->name, problem->nodes->count,
                         problem->count * 8, 1e6 * node_s, 1e6 * sample_s);
            found++;
        }
    }
    allfold_scales_free(scales);
    return found;
}

/* Longer messages have another latency, and are slower or faster. */
static void test_one_node_says_no_more(void **state)
{
    (void)state;
    /* nodes, ranks of each, and nodes of a group: of unlike groups all messages are counted */
    static const int shapes[][3] = {{2, 7, 1}, {15, 5, 3}, {16, 8, 4}, {27, 3, 3}, {40, 2, 4}};
    const struct allfold_costs slower = {1e-6, 0.2e-6, 0.1e-9, 0.1e-9, {{512, 9e-6, 1e-9}}};
    const struct allfold_costs faster = {9e-6, 0.2e-6, 1e-9, 0.1e-9, {{512, 1e-6, 0.1e-9}}};
    const struct allfold_cost_model models[] = {{.node = slower, .network = slower},
                                                {.node = slower, .network = faster}};
    const struct allfold_cost_model *const costs[] = {NULL, &models[0], &models[1]};
    int64_t groups[128];
    size_t found = 0;
    for (size_t i = 0; i < 2 * LENGTH(shapes); i++) {
        const int *shape = shapes[i / 2];
        struct allfold_nodes *nodes = placed(shape[0], shape[1]);
        for (int r = 0; r < shape[0] * shape[1]; r++)
            groups[r] = r / shape[1] / shape[2];
        assert_true(i % 2 == 0 || allfold_nodes_group(nodes, groups));
        for (int k = 0; k < ALLFOLD_COLLECTIVE_COUNT; k++)
            for (size_t bytes = 8; bytes <= 1 << 20; bytes *= 32)
                for (size_t c = 0; c < LENGTH(costs); c++) {
                    struct allfold_problem problem = sum_on(nodes, bytes);
                    problem.collective = (enum allfold_collective)k;
                    problem.costs = costs[c];
                    found += compare_first_nodes(&problem);
                }
        allfold_nodes_free(nodes);
    }
    print_message("%zu samples\n", found);
    assert_true(found > 15000);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thin_links_decide),
        cmocka_unit_test(test_known_switches_are_fast),
        cmocka_unit_test(test_thin_links_are_assumed),
        cmocka_unit_test(test_thin_links_for_one_rank),
        cmocka_unit_test(test_order_of_hosts),
        cmocka_unit_test(test_order_of_nodes),
        cmocka_unit_test(test_unlike_groups_are_counted),
        cmocka_unit_test(test_known_networks_write_once),
        cmocka_unit_test(test_one_node_says_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
