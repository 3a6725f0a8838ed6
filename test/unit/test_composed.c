/* Compositions: each way there has its way back, which the compositions go; and which ranks deal
 * with other nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/smp.h"
#include "model/verify/verify.h"
#include "support.h"

enum { MOST_RANKS = 16, NODES = 2 };

static const struct {
    enum allfold_collective there;
    const char *there_name;
    enum allfold_collective back;
    const char *back_name;
    bool is_like; /* as many rounds, and sends what the way there reduces */
} pairs[] = {
    {ALLFOLD_REDUCE, "flat", ALLFOLD_BCAST, "flat", true},
    {ALLFOLD_REDUCE, "binomial_tree", ALLFOLD_BCAST, "binomial_tree", true},
    {ALLFOLD_REDUCE, "halving_doubling", ALLFOLD_BCAST, "pipelined_circulant", false},
    {ALLFOLD_REDUCE, "pipelined_circulant", ALLFOLD_BCAST, "pipelined_circulant", true},
    {ALLFOLD_REDUCE, "chain", ALLFOLD_BCAST, "chain", true},
    {ALLFOLD_REDUCE_SCATTER_BLOCK, "flat", ALLFOLD_ALLGATHER, "flat", true},
    {ALLFOLD_REDUCE_SCATTER_BLOCK, "circulant", ALLFOLD_ALLGATHER, "circulant", true},
    {ALLFOLD_REDUCE_SCATTER_BLOCK, "pairwise_exchange", ALLFOLD_ALLGATHER, "ring", true},
    {ALLFOLD_REDUCE_SCATTER_BLOCK, "bucket", ALLFOLD_ALLGATHER, "ring", false},
    {ALLFOLD_REDUCE_SCATTER_BLOCK, "recursive_halving", ALLFOLD_ALLGATHER, "recursive_doubling",
     true},
};

static void test_pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(pairs); i++)
        assert_ptr_equal(
            allfold_way_back(allfold_algorithm_find(pairs[i].there, pairs[i].there_name)),
            allfold_algorithm_find(pairs[i].back, pairs[i].back_name));
    assert_int_equal(ALLFOLD_INNER_REDUCES + ALLFOLD_INNER_SCATTERS, LENGTH(pairs));
    for (size_t i = 0; i < ALLFOLD_INNER_REDUCES; i++)
        assert_non_null(allfold_way_back(allfold_inner_reduces[i]));
    for (size_t i = 0; i < ALLFOLD_INNER_SCATTERS; i++)
        assert_non_null(allfold_way_back(allfold_inner_scatters[i]));
    assert_null(allfold_way_back(allfold_inner_bcasts[0]));
}

static struct allfold_case case_of(const struct allfold_algorithm *algorithm, int p, size_t count)
{
    return (struct allfold_case){.algorithm = algorithm,
                                 .parameters = allfold_parameter_presets(algorithm),
                                 .p = p,
                                 .count = count,
                                 .commutes = true};
}

static bool is_served(const struct allfold_case *of)
{
    const struct allfold_problem problem = allfold_case_problem(of, 0);
    return allfold_unmet_need(of->algorithm, &problem, &of->parameters) == NULL;
}

static void test_pairs_are_alike(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 7, 1000, 3000000};
    for (size_t i = 0; i < LENGTH(pairs); i++)
        for (int p = 1; p <= 64; p++)
            for (size_t c = 0; c < LENGTH(counts); c++) {
                const struct allfold_algorithm *algorithm =
                    allfold_algorithm_find(pairs[i].there, pairs[i].there_name);
                const struct allfold_case there = case_of(algorithm, p, counts[c]);
                const struct allfold_case back = case_of(allfold_way_back(algorithm), p, counts[c]);
                if (!is_served(&there))
                    continue;
                assert_true(is_served(&back));
                if (!pairs[i].is_like)
                    continue;
                const struct allfold_claim up = allfold_case_claim(&there);
                const struct allfold_claim down = allfold_case_claim(&back);
                if (up.rounds != down.rounds || up.reduced != down.sent)
                    fail_msg("%s and back, p = %d, n = %zu: %zu and %zu rounds, %zu and %zu",
                             pairs[i].there_name, p, counts[c], up.rounds, down.rounds, up.reduced,
                             down.sent);
            }
}

/* Elements that go from the one to the other of the first ranks. */
struct traffic {
    size_t sent[MOST_RANKS][MOST_RANKS];
};

static void add_traffic(struct traffic *traffic, const struct allfold_case *of, int ranks)
{
    struct allfold_schedule **schedules = NULL;
    char message[200] = "";
    if (allfold_case_build(of, &schedules, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s, p = %d: %s", of->algorithm->name, of->p, message);
    for (int r = 0; r < ranks; r++)
        for (uint32_t i = 0; i < schedules[r]->step_count; i++) {
            const struct allfold_step *step = &schedules[r]->steps[i];
            if (step->kind == ALLFOLD_STEP_SEND && step->peer < ranks)
                traffic->sent[r][step->peer] += step->length;
        }
    allfold_case_free(of, schedules);
}

/* On its node, a composition sends what the way there and its way back send. */
static void check_traffic(const char *name, size_t choice, const struct allfold_algorithm *there,
                          int ppn, size_t n)
{
    int64_t keys[NODES * MOST_RANKS];
    struct traffic expected = {{{0}}}, found = {{{0}}};
    const struct allfold_algorithm *back = allfold_way_back(there);
    const bool has_blocks = allfold_has_blocks(there->collective);
    const size_t count = has_blocks ? n / (size_t)ppn : n;
    const struct allfold_case up = case_of(there, ppn, count), down = case_of(back, ppn, count);
    if (!is_served(&up))
        return;
    for (int r = 0; r < NODES * ppn; r++)
        keys[r] = r / ppn;
    struct allfold_nodes *nodes = allfold_nodes_make(keys, NODES * ppn);
    assert_non_null(nodes);
    struct allfold_case whole =
        case_of(allfold_algorithm_find(ALLFOLD_ALLREDUCE, name), NODES * ppn, n);
    whole.nodes = nodes;
    whole.parameters.value[0] = choice;
    add_traffic(&expected, &up, ppn);
    add_traffic(&expected, &down, ppn);
    add_traffic(&found, &whole, ppn);
    allfold_nodes_free(nodes);
    if (memcmp(&expected, &found, sizeof found) != 0)
        fail_msg("%s(node=%s) on nodes of %d ranks does not go back by %s", name, there->name, ppn,
                 back->name);
}

static void test_compositions_go_that_way(void **state)
{
    (void)state;
    for (int ppn = 1; ppn <= MOST_RANKS; ppn++)
        for (size_t n = (size_t)ppn; n <= 400000 * (size_t)ppn; n *= 400000) {
            for (size_t i = 0; i < ALLFOLD_INNER_REDUCES; i++)
                check_traffic("smp", i, allfold_inner_reduces[i], ppn, n);
            for (size_t i = 0; i < ALLFOLD_INNER_SCATTERS; i++)
                check_traffic("multilane", i, allfold_inner_scatters[i], ppn, n);
        }
}

/* The root's number on its node where each node has such a rank; else it has a message more. */
static void test_lane_of_root(void **state)
{
    (void)state;
    static const struct {
        int64_t keys[6];
        int root, lane;
        bool hops;
    } table[] = {
        {{0, 0, 0, 1, 1, 1}, 0, 0, false}, {{0, 0, 0, 1, 1, 1}, 5, 2, false},
        {{0, 1, 0, 1, 0, 1}, 3, 1, false}, {{0, 0, 0, 1, 2, 2}, 0, 0, false},
        {{0, 0, 0, 1, 2, 2}, 2, 0, true},  {{0, 0, 0, 1, 2, 2}, 3, 0, false},
        {{0, 0, 0, 1, 2, 2}, 5, 0, true},
    };
    const struct allfold_algorithm *flat = allfold_algorithm_find(ALLFOLD_BCAST, "flat");
    for (size_t i = 0; i < LENGTH(table); i++) {
        struct allfold_nodes *nodes = allfold_nodes_make(table[i].keys, 6);
        assert_non_null(nodes);
        struct allfold_case of = case_of(allfold_algorithm_find(ALLFOLD_BCAST, "smp"), 6, 10);
        of.nodes = nodes;
        of.root = table[i].root;
        const struct allfold_problem problem = allfold_case_problem(&of, 0);
        const struct allfold_claim claim = allfold_smp_claim(&problem, flat, flat);
        const size_t others = (size_t)(nodes->count + nodes->most - 2), hops = table[i].hops;
        assert_int_equal(allfold_smp_lane(&problem), table[i].lane);
        assert_int_equal(claim.rounds, 2 + hops);
        assert_int_equal(claim.sent, 10 * (others + hops));
        assert_true(claim.is_bound);
        allfold_nodes_free(nodes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_pairs_are_alike),
        cmocka_unit_test(test_compositions_go_that_way),
        cmocka_unit_test(test_lane_of_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
