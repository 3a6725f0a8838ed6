/* The model's costs are Rabenseifner's closed formulas (2004, sections 2.3 to 2.7), held against
 * claims and constants for both kinds of machines. All f = 1: a message costs the same whether or
 * not another goes the other way.
 *
 * The paper counts along the critical path; a claim counts what the busiest rank sends. Where
 * consecutive messages of the path are sent by different ranks, the claim is lower. Each formula
 * below says by how much. Counts are multiples of 2 p p', so that no part has a remainder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/costs.h"
#include "support.h"

/* A time as the paper writes it: factors of alpha, n beta and n gamma. */
struct terms {
    double alpha, beta, gamma;
};

/* lg p' for p' = 2^floor(lg p), and ceil(lg p), as floating-point numbers. */
static double floor_lg(int p)
{
    int k = 0;
    while ((2 << k) <= p)
        k++;
    return k;
}

static bool is_power_of_two(int p)
{
    return (p & (p - 1)) == 0;
}

static double ceil_lg(int p)
{
    return floor_lg(p) + !is_power_of_two(p);
}

static double core_of_two(int p)
{
    return (double)(1 << (int)floor_lg(p));
}

/* Section 2.4. Claimed: n beta less where p is no power of two, as the removed rank sends first. */
static struct terms recursive_doubling(int p)
{
    const double removes = !is_power_of_two(p), lg = ceil_lg(p);
    return (struct terms){lg + removes, (lg + removes) - removes, lg};
}

/* Section 2.5, Allreduce. Claimed: n/2 beta less where p is no power of two: of the removal's two
 * messages of n/2, the second is the removed rank's. */
static struct terms halving_doubling(int p)
{
    const double lg = floor_lg(p), core = core_of_two(p);
    if (is_power_of_two(p))
        return (struct terms){2 * lg, 2 - 2 / core, 1 - 1 / core};
    return (struct terms){2 * lg + 3, 4 - 2 / core - 0.5, 1.5 - 1 / core};
}

/* Section 2.7, Allreduce, for any p. */
static struct terms ring(int p)
{
    return (struct terms){2 * (p - 1), 2 - 2.0 / p, 1 - 1.0 / p};
}

/* Section 2.3, Reduce. */
static struct terms reduce_tree(int p)
{
    const double lg = ceil_lg(p);
    return (struct terms){lg, lg, lg};
}

/* Section 2.5, Reduce. */
static struct terms reduce_halving_doubling(int p)
{
    const double lg = floor_lg(p), core = core_of_two(p);
    if (is_power_of_two(p))
        return (struct terms){2 * lg, 2 - 2 / core, 1 - 1 / core};
    return (struct terms){2 * lg + 2, 3 - 2 / core, 1.5 - 1 / core};
}

/* Section 2.3, the second half of Allreduce, for root 0. */
static struct terms bcast_tree(int p)
{
    return (struct terms){ceil_lg(p), ceil_lg(p), 0};
}

static const struct {
    enum allfold_collective collective;
    const char *name;
    struct terms (*formula)(int p);
} formulas[] = {
    {ALLFOLD_ALLREDUCE, "recursive_doubling", recursive_doubling},
    {ALLFOLD_ALLREDUCE, "halving_doubling", halving_doubling},
    {ALLFOLD_ALLREDUCE, "ring", ring},
    {ALLFOLD_REDUCE, "binomial_tree", reduce_tree},
    {ALLFOLD_REDUCE, "halving_doubling", reduce_halving_doubling},
    {ALLFOLD_BCAST, "binomial_tree", bcast_tree},
};

/* One term of a formula, by constants that are 0 but for one. */
static double term_of(const struct allfold_claim *claim, struct allfold_costs only, size_t n)
{
    return allfold_cost_s(&only, claim, 4) / (only.latency_s > 0 ? 1.0 : 4.0 * (double)n);
}

static bool is_near(double a, double b)
{
    const double off = a - b, most = 1e-9 * (1e-9 + a + b);
    return off <= most && -off <= most;
}

static void check_terms(const struct allfold_algorithm *algorithm, int p,
                        const struct allfold_claim *claim, struct terms expected, size_t n)
{
    const struct terms found = {
        term_of(claim, (struct allfold_costs){.latency_s = 1}, n),
        term_of(claim, (struct allfold_costs){.send_s_per_byte = 1}, n),
        term_of(claim, (struct allfold_costs){.reduce_s_per_byte = 1}, n),
    };
    if (!is_near(found.alpha, expected.alpha) || !is_near(found.beta, expected.beta) ||
        !is_near(found.gamma, expected.gamma))
        fail_msg("%s.%s, p = %d: %g alpha + %g n beta + %g n gamma; expected %g, %g, %g",
                 allfold_collective_name(algorithm->collective), algorithm->name, p, found.alpha,
                 found.beta, found.gamma, expected.alpha, expected.beta, expected.gamma);
}

static void test_formulas(void **state)
{
    (void)state;
    static const int most_ranks = 100;
    for (size_t i = 0; i < LENGTH(formulas); i++)
        for (int p = 1; p <= most_ranks; p++) {
            const struct allfold_algorithm *algorithm =
                allfold_algorithm_find(formulas[i].collective, formulas[i].name);
            assert_non_null(algorithm);
            const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
            const struct allfold_problem problem = {.collective = formulas[i].collective,
                                                    .group = allfold_group_all(p, 0),
                                                    .count = 2 * (size_t)p * (size_t)core_of_two(p),
                                                    .element_bytes = 4,
                                                    .commutative = true};
            const struct allfold_claim claim = algorithm->claim(&problem, &presets);
            check_terms(algorithm, p, &claim, formulas[i].formula(p), problem.count);
        }
}

/* The sum of the three, in seconds. */
static void test_sum(void **state)
{
    (void)state;
    const struct allfold_costs costs = {
        .latency_s = 1e-6, .message_s = 5e-7, .send_s_per_byte = 2e-9, .reduce_s_per_byte = 3e-10};
    const struct allfold_claim claim = {.rounds = 5, .sent = 1000, .reduced = 100, .divisor = 1};
    assert_true(is_near(1e6 * allfold_cost_s(&costs, &claim, 8), 5 + 16 + 0.24));
    const struct allfold_claim with_ports = {.rounds = 5, .ports = 4, .divisor = 1};
    assert_true(is_near(1e6 * allfold_cost_s(&costs, &with_ports, 8), 5 + 5 * 3 * 0.5));
    const struct allfold_claim large = {.rounds = 0, .sent = (size_t)1 << 40, .divisor = 1};
    assert_true(is_near(allfold_cost_s(&costs, &large, 1 << 20), 0x1p60 * 2e-9));
    const struct allfold_claim gets = {.rounds = 5, .sent = 10, .got = 1000, .divisor = 1};
    assert_true(is_near(1e6 * allfold_cost_s(&costs, &gets, 8), 5 + 16));
    struct allfold_problem problem = {.one_node = false};
    const struct allfold_costs *network = allfold_costs_of(&problem);
    problem.one_node = true;
    const struct allfold_costs *node = allfold_costs_of(&problem);
    assert_true(node->latency_s > 0 && node->latency_s < network->latency_s);
    assert_true(allfold_costs_at(node, 1 << 20).send_s_per_byte <=
                allfold_costs_at(network, 1 << 20).send_s_per_byte);
    assert_true(node->reduce_s_per_byte > 0 && network->reduce_s_per_byte > 0);
}

/* (fixed + slope b) (latency + bytes / b x time per byte) with b blocks of `segment` at most; both
 * depend on how long a block is. */
static double pipeline_s(const struct allfold_problem *problem, double fixed, double slope,
                         double blocks)
{
    const double block = (double)(problem->count * problem->element_bytes) / blocks;
    const struct allfold_longer at = allfold_costs_at(allfold_costs_of(problem), block);
    return (fixed + slope * blocks) * (at.latency_s + block * at.send_s_per_byte);
}

/* As few blocks as can be: all in one, or as long as the messages of a class may be, whichever
 * takes less time. */
static void check_fewest_blocks(const struct allfold_problem *problem, size_t segment)
{
    const struct allfold_costs *costs = allfold_costs_of(problem);
    double least_s = pipeline_s(problem, 0, 1, 1);
    bool is_one_of_them = segment == problem->count;
    const size_t most = (size_t)costs->longer.above_bytes / problem->element_bytes;
    const size_t fewest = (problem->count + most - 1) / most;
    const double s = pipeline_s(problem, 0, 1, (double)fewest);
    is_one_of_them |= segment == most;
    least_s = s < least_s ? s : least_s;
    const size_t blocks = (problem->count + segment - 1) / segment;
    assert_true(is_one_of_them);
    assert_true(pipeline_s(problem, 0, 1, (double)blocks) <= least_s * (1 + 1e-9));
}

/* No number of blocks is better by more than what rounding down costs. It costs an eighth at most,
 * where 1 block is taken, 2 were best, and fixed = 2 slope. */
static void test_best_segment(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 2000; i++) {
        struct allfold_problem problem = {.count = 1 + random_below(&seed, 1u << 24) /
                                                           (1u << random_below(&seed, 24)),
                                          .element_bytes = (size_t)1 << random_below(&seed, 5),
                                          .one_node = random_below(&seed, 2) == 0};
        const double fixed = 1 + random_below(&seed, 100), slope = 1 + random_below(&seed, 4);
        const size_t segment = allfold_best_segment(&problem, fixed, slope);
        assert_true(segment >= 1 && segment <= problem.count);
        const size_t blocks = (problem.count + segment - 1) / segment;
        double least_s = 1e300;
        for (size_t b = 1; b <= problem.count && b <= 4096; b++) {
            const double s = pipeline_s(&problem, fixed, slope, (double)b);
            least_s = s < least_s ? s : least_s;
        }
        if (pipeline_s(&problem, fixed, slope, (double)blocks) > 1.13 * least_s)
            fail_msg("%zu elements, fixed %g, slope %g: blocks of %zu take %g s, best %g s",
                     problem.count, fixed, slope, segment,
                     pipeline_s(&problem, fixed, slope, (double)blocks), least_s);
        check_fewest_blocks(&problem, allfold_best_segment(&problem, 0, slope));
        check_fewest_blocks(&problem, allfold_best_segment(&problem, fixed, 0));
        problem.count = 0;
        assert_int_equal(allfold_best_segment(&problem, fixed, slope), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_best_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
