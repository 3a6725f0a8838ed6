/* The choice where ranks live on several nodes: what was measured to be best on an emulated cluster
 * (bench/README.md), and what the model counts between nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/costs.h"
#include "select/choose.h"
#include "support.h"

static struct allfold_nodes *placed(int nodes, int ranks)
{
    int64_t keys[64];
    for (int r = 0; r < nodes * ranks; r++)
        keys[r] = r / ranks;
    return allfold_nodes_make(keys, nodes * ranks);
}

static struct allfold_problem problem_of(enum allfold_collective collective,
                                         const struct allfold_nodes *nodes, size_t bytes,
                                         bool commutative)
{
    return (struct allfold_problem){
        .collective = collective,
        .group = allfold_group_all(nodes->first[nodes->count], 0),
        .count = bytes / 8,
        .element_bytes = 8,
        .commutative = commutative,
        .exact = false,
        .nodes = nodes,
        .one_node = nodes->count == 1,
    };
}

static struct allfold_problem problem_on(const struct allfold_nodes *nodes, size_t bytes,
                                         bool commutative)
{
    return problem_of(ALLFOLD_ALLREDUCE, nodes, bytes, commutative);
}

static void assert_chosen(const struct allfold_problem *problem, const char *name)
{
    struct allfold_choice choice;
    char message[200] = "", text[100];
    assert_int_equal(allfold_choose(NULL, problem, &choice, message, sizeof message), ALLFOLD_OK);
    allfold_algorithm_write(choice.algorithm, &choice.parameters, text, sizeof text);
    if (strcmp(text, name) != 0)
        fail_msg("%d nodes, %zu bytes: %s, expected %s", problem->nodes->count, problem->count * 8,
                 text, name);
}

static void test_as_measured(void **state)
{
    (void)state;
    static const struct {
        int nodes, ranks;
        size_t bytes;
        const char *name;
    } cases[] = {
        {4, 2, 8, "smp"},
        {4, 2, 2 << 10, "smp"},
        {4, 2, 8 << 10, "multilane"},
        {4, 2, 32 << 10, "multilane_bucket"},
        {4, 2, 128 << 10, "multilane_bucket"},
        {4, 2, 512 << 10, "multilane_bucket"},
        {4, 2, 8 << 20, "multilane_bucket"},
        {4, 4, 8 << 20, "multilane_bucket"},
        {8, 1, 8, "recursive_doubling"},
        {8, 1, 512 << 10, "bucket"},
        {8, 1, 8 << 20, "bucket"},
        {7, 1, 1 << 20, "bucket"},
        {6, 1, 8 << 20, "bucket"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct allfold_nodes *nodes = placed(cases[i].nodes, cases[i].ranks);
        const struct allfold_problem problem = problem_on(nodes, cases[i].bytes, true);
        assert_chosen(&problem, cases[i].name);
        allfold_nodes_free(nodes);
    }
}

/* Reduce and broadcast: one vector a link, whole where it is short, else along a chain of nodes. */
static void test_with_roots(void **state)
{
    (void)state;
    static const struct {
        enum allfold_collective collective;
        int nodes, ranks;
        size_t bytes;
        const char *name;
    } cases[] = {
        {ALLFOLD_REDUCE, 4, 2, 8, "smp"},
        {ALLFOLD_REDUCE, 4, 2, 2 << 10, "smp"},
        {ALLFOLD_REDUCE, 4, 2, 512 << 10, "smp(node=halving_doubling,leaders=chain)"},
        {ALLFOLD_REDUCE, 4, 2, 8 << 20, "smp(node=halving_doubling,leaders=chain)"},
        {ALLFOLD_REDUCE, 8, 1, 8, "binomial_tree"},
        {ALLFOLD_REDUCE, 8, 1, 8 << 20, "chain"},
        {ALLFOLD_BCAST, 4, 2, 8, "smp"},
        {ALLFOLD_BCAST, 4, 2, 512 << 10, "smp(leaders=chain)"},
        {ALLFOLD_BCAST, 4, 2, 8 << 20, "smp(leaders=chain)"},
        {ALLFOLD_BCAST, 8, 1, 8, "binomial_tree"},
        {ALLFOLD_BCAST, 8, 1, 8 << 20, "chain"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct allfold_nodes *nodes = placed(cases[i].nodes, cases[i].ranks);
        const struct allfold_problem problem =
            problem_of(cases[i].collective, nodes, cases[i].bytes, true);
        assert_chosen(&problem, cases[i].name);
        allfold_nodes_free(nodes);
    }
}

/* What simulations of tapered networks show to be best, one rank a node (docs/simgrid.md): with the
 * constants that are theirs, and nothing where all ranks are on one node. */
static void test_as_simulated(void **state)
{
    (void)state;
    static const struct allfold_cost_model model = {
        .node = {0.4e-6, 0.15e-6, 0.08e-9, 1e-15, {{0, 0, 0}}},
        .network = {0.95e-6, 0.15e-6, 0.08e-9, 1e-15, {{0, 0, 0}}},
    };
    static const int sizes[] = {50, 64};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct allfold_nodes *single = placed(sizes[i], 1), *one = placed(1, sizes[i]);
        for (size_t bytes = 8; bytes <= 256 << 10; bytes *= 8) {
            struct allfold_problem problem = problem_on(single, bytes, true), near;
            struct allfold_choice choice;
            char message[200];
            problem.costs = &model;
            assert_chosen(&problem, "mixed_radix");
            near = problem_on(one, bytes, true);
            assert_int_equal(allfold_choose(NULL, &near, &choice, message, sizeof message),
                             ALLFOLD_OK);
            assert_false(choice.algorithm->only_between_nodes);
        }
        allfold_nodes_free(single);
        allfold_nodes_free(one);
    }
}

/* Whatever is chosen serves the problem: where operands keep their order, and on uneven nodes. */
static void test_choices_serve(void **state)
{
    (void)state;
    for (int p = 2; p <= 24; p++)
        for (int ranks = 1; ranks < p; ranks++) {
            int64_t keys[24];
            for (int r = 0; r < p; r++)
                keys[r] = ranks % 2 == 0 ? r / ranks : r % ((p + ranks - 1) / ranks);
            struct allfold_nodes *nodes = allfold_nodes_make(keys, p);
            for (size_t bytes = 8; bytes <= 8 << 20; bytes *= 16)
                for (int commutes = 0; commutes < 2; commutes++) {
                    const struct allfold_problem problem = problem_on(nodes, bytes, commutes != 0);
                    struct allfold_choice choice;
                    char message[200];
                    assert_int_equal(
                        allfold_choose(NULL, &problem, &choice, message, sizeof message),
                        ALLFOLD_OK);
                    assert_non_null(choice.algorithm);
                    assert_null(allfold_unmet_need(choice.algorithm, &problem, &choice.parameters));
                    assert_true(choice.cost_s > 0);
                }
            allfold_nodes_free(nodes);
        }
}

/* Known or not: one rank of each node sends as the ring of nodes does, for whom nodes are single
 * ranks, and the cost of an algorithm that knows no nodes counts all its ranks' sends. */
static void test_what_nodes_send(void **state)
{
    (void)state;
    struct allfold_nodes *single = placed(8, 1), *pairs = placed(4, 2), *one = placed(1, 8);
    const struct allfold_algorithm *doubling =
        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling");
    const struct allfold_parameters presets = allfold_parameter_presets(doubling);
    const struct allfold_problem on_single = problem_on(single, 8192, true);
    const struct allfold_problem on_pairs = problem_on(pairs, 8192, true);
    const struct allfold_problem on_one = problem_on(one, 8192, true);
    const struct allfold_claim claim = doubling->claim(&on_single, &presets);
    const double single_s = allfold_placed_cost_s(&on_single, &claim);
    const double pairs_s = allfold_placed_cost_s(&on_pairs, &claim);
    const double one_s = allfold_placed_cost_s(&on_one, &claim);
    const double byte_s = 0.2e-9, message_s = 0.3e-6; /* between nodes */
    const double more_s = (double)claim.sent * 8 * byte_s + (double)claim.rounds * message_s;
    assert_true(pairs_s - single_s > 0.99 * more_s && pairs_s - single_s < 1.01 * more_s);
    assert_true(one_s < single_s);
    assert_true(one_s == allfold_cost_s(allfold_costs_of(&on_one), &claim, 8));
    struct allfold_cost_model model = allfold_preset_costs; /* all of it twice as long */
    struct allfold_problem on_machine = on_pairs;
    model.node = (struct allfold_costs){0.3e-6, 0.2e-6, 0.2e-9, 0.2e-9, {{0, 0, 0}}};
    model.network = (struct allfold_costs){2e-6, 0.6e-6, 0.4e-9, 0.2e-9, {{8192, 5e-6, 1e-9}}};
    on_machine.costs = &model;
    const double twice = allfold_placed_cost_s(&on_machine, &claim) / pairs_s;
    assert_true(twice > 1.999 && twice < 2.001);
    model.network.longer[0].above_bytes = 8191; /* its messages are of 8192 bytes */
    const double more_longer_s = (double)claim.rounds * 3e-6 + 2 * (double)claim.sent * 8 * 0.6e-9;
    const double longer_s = allfold_placed_cost_s(&on_machine, &claim) - 2 * pairs_s;
    assert_true(longer_s > 0.999 * more_longer_s && longer_s < 1.001 * more_longer_s);
    allfold_nodes_free(single);
    allfold_nodes_free(pairs);
    allfold_nodes_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_measured),     cmocka_unit_test(test_with_roots),
        cmocka_unit_test(test_as_simulated),    cmocka_unit_test(test_choices_serve),
        cmocka_unit_test(test_what_nodes_send),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
