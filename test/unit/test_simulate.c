/* The simulator against what stands in papers as closed formulas: Rabenseifner 2004, sections 2.3
 * to 2.7, and the pipelining lemma. All on one rank a node of a flat network. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "model/cost/walk.h"
#include "support.h"
#include "support_claims.h"
#include "support_simulate.h"

/* alpha, beta and gamma of the networks here. */
static const double a = 2e-6, b = 1e-9, g = 0.5e-9, f_a = 0.75, f_b = 0.5;
static const char both_ways[] = "network: latency=2us, bandwidth=1GB/s, waits=1\nreduce=0.5ns";
static const char simplex[] = "network: latency=2us, bandwidth=1GB/s, waits=1\nreduce=0.5ns\n"
                              "one_way_latency=0.75\none_way_byte=0.5";
static const char without_work[] = "network: latency=2us, bandwidth=1GB/s, waits=1";
static const char rounds_alone[] = "network: latency=1us, waits=1";

static double time_of(enum allfold_collective collective, const char *name, int p, size_t n,
                      const char *text, size_t parameter)
{
    const struct allfold_network network = network_of(text);
    return simulated((struct simulated_case){.collective = collective,
                                             .name = name,
                                             .nodes = p,
                                             .ppn = 1,
                                             .bytes = n,
                                             .network = &network,
                                             .parameter = {parameter}})
        .time_s;
}

/* Section 2.3: every message of the trees goes one way. Where p is no power of two some ranks have
 * less below them than others; what they send comes while the root reduces what came before. */
static void assert_tree(const char *what, int p, double found, double paper, double reduced)
{
    if (is_power_of_two((size_t)p))
        assert_time(what, p, found, paper);
    else if (found > paper + 1e-12 || found < paper - reduced - 1e-12)
        fail_msg("%s, p = %d: %.6f us, expected %.6f", what, p, 1e6 * found, 1e6 * paper);
}

static void trees_match_their_formulas(void **context)
{
    const size_t n = 1000;
    const double m = (double)n;
    (void)context;
    for (int p = 2; p <= 64; p++) {
        const double lg = (double)ceil_lg((size_t)p), reduced = lg * m * g;
        assert_tree("reduce", p, time_of(ALLFOLD_REDUCE, "binomial_tree", p, n, simplex, 0),
                    lg * (f_a * a + m * f_b * b) + reduced, reduced);
        assert_tree("allreduce", p, time_of(ALLFOLD_ALLREDUCE, "binomial_tree", p, n, simplex, 0),
                    lg * (2 * f_a * a + 2 * m * f_b * b) + reduced, reduced);
    }
}

/* Section 2.4. Where p is no power of two the paper has one message both ways and one one way for
 * the removed ranks; both go one way. */
static void recursive_doubling_matches_its_formula(void **context)
{
    const size_t n = 4096;
    const double m = (double)n;
    (void)context;
    for (int p = 2; p <= 64; p++) {
        const double lg = (double)ceil_lg((size_t)p), removes = !is_power_of_two((size_t)p);
        const double paper = lg * (a + m * b + m * g) + removes * (f_a * a + m * f_b * b);
        const double less = removes * ((1 - f_a) * a + m * (1 - f_b) * b);
        const double found = time_of(ALLFOLD_ALLREDUCE, "recursive_doubling", p, n, simplex, 0);
        const double whole = time_of(ALLFOLD_ALLREDUCE, "recursive_doubling", p, n, both_ways, 0);
        assert_time("f = 1", p, whole, (lg + removes) * (a + m * b) + lg * m * g);
        if (!is_power_of_two((size_t)p))
            assert_true(found <= paper - less + 1e-12);
        else
            assert_time("f < 1", p, found, paper);
    }
}

/* Section 2.5. Where p is no power of two, ranks outside of the pairs begin at once; what they send
 * then may come before what is needed first, and take its place: up to two messages more than the
 * paper's, whose steps are in order. */
static void halving_doubling_matches_its_formula(void **context)
{
    const size_t n = 64 * 64;
    const double m = (double)n;
    (void)context;
    for (int p = 2; p <= 64; p++) {
        const double lg = (double)floor_lg((size_t)p), core = exp2(lg);
        const double last = (2 * m * b + m * g) / core;
        const double found = time_of(ALLFOLD_ALLREDUCE, "halving_doubling", p, n, both_ways, 0);
        if (is_power_of_two((size_t)p)) {
            assert_time("f = 1", p, found, 2 * lg * a + 2 * m * b + m * g - last);
            assert_time("f < 1", p,
                        time_of(ALLFOLD_ALLREDUCE, "halving_doubling", p, n, simplex, 0), found);
        } else {
            const double paper = (2 * lg + 3) * a + 4 * m * b + 1.5 * m * g - last;
            assert_true(found > paper - m * g && found < paper + 2 * (a + m * b));
        }
    }
}

/* Section 2.7. A rank reduces what it got while the next message comes, which the paper does not
 * count: so gamma is 0, or the formula a bound. */
static void ring_matches_its_formula(void **context)
{
    (void)context;
    for (int p = 2; p <= 40; p++) {
        const size_t n = 100 * (size_t)p;
        const double m = (double)n, r = p;
        const double paper = 2 * (r - 1) * a + 2 * m * b * (1 - 1 / r);
        assert_time("ring", p, time_of(ALLFOLD_ALLREDUCE, "ring", p, n, without_work, 0), paper);
        const double worked = time_of(ALLFOLD_ALLREDUCE, "ring", p, n, both_ways, 0);
        assert_true(worked >= paper && worked <= paper + m * g * (1 - 1 / r) + 1e-12);
    }
}

/* The pipelines report, section 2: p + b - 2 steps, and so the best number of blocks is
 * sqrt((p - 2) m beta / alpha). */
static void pipelines_match_the_lemma(void **context)
{
    const size_t n = 1 << 20;
    (void)context;
    for (int p = 3; p <= 24; p += 7) {
        const double best = sqrt((p - 2) * (double)n * b / a);
        double least = INFINITY, least_blocks = 0;
        for (size_t blocks = 1; blocks <= 4096; blocks *= 2) {
            const double found = time_of(ALLFOLD_REDUCE, "chain", p, n, without_work, n / blocks);
            const double steps = p + (double)blocks - 2;
            assert_time("chain", p, found, steps * (a + (double)(n / blocks) * b));
            if (found < least) {
                least = found;
                least_blocks = (double)blocks;
            }
        }
        assert_true(least_blocks >= best / 2 && least_blocks <= best * 2);
    }
}

/* The walk keeps the program's order. Returns whether the times are those of that order. */
static bool compare_with_walk(const struct allfold_algorithm *algorithm, size_t p)
{
    const struct allfold_network network = network_of(rounds_alone);
    const struct simulated_case of = {.collective = algorithm->collective,
                                      .name = algorithm->name,
                                      .nodes = (int)p,
                                      .ppn = 1,
                                      .bytes = 240,
                                      .network = &network};
    struct allfold_simulated result;
    char message[300];
    const enum allfold_error error = try_simulated(of, &result, message, sizeof message);
    if (error == ALLFOLD_UNMET_NEED)
        return true;
    assert_int_equal(error, ALLFOLD_OK);
    const struct walked walk =
        walked((struct built){.collective = algorithm->collective,
                              .name = algorithm->name,
                              .p = p,
                              .n = algorithm->collective == ALLFOLD_BARRIER ? 1 : 240,
                              .parameter = PRESET,
                              .ports = 1});
    const double rounds = 1e6 * result.time_s, walked_rounds = (double)walk.cost.rounds;
    if (!algorithm->out_of_order)
        assert_time(algorithm->name, (int)p, 1e-6 * rounds, 1e-6 * walked_rounds);
    else if (fabs(rounds - walked_rounds) > 0.35 * walked_rounds)
        fail_msg("%s, p = %zu: %.0f rounds, the walk has %.0f", algorithm->name, p, rounds,
                 walked_rounds);
    return fabs(rounds - walked_rounds) < 1e-6 * walked_rounds;
}

/* With latency alone a time is a number of rounds: the walk's, with one port. */
static void latency_alone_counts_the_rounds_of_the_walk(void **context)
{
    static const size_t sizes[] = {2, 3, 5, 8, 13, 16};
    (void)context;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *algorithm = allfold_algorithms[i];
        bool is_in_order = true;
        if ((algorithm->needs & ALLFOLD_NEEDS_NODES) || allfold_has_blocks(algorithm->collective))
            continue;
        for (size_t k = 0; k < LENGTH(sizes); k++)
            is_in_order &= compare_with_walk(algorithm, sizes[k]);
        if (algorithm->out_of_order == is_in_order)
            fail_msg("%s.%s says that its messages are %s order",
                     allfold_collective_name(algorithm->collective), algorithm->name,
                     is_in_order ? "out of" : "in");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_match_their_formulas),
        cmocka_unit_test(recursive_doubling_matches_its_formula),
        cmocka_unit_test(halving_doubling_matches_its_formula),
        cmocka_unit_test(ring_matches_its_formula),
        cmocka_unit_test(pipelines_match_the_lemma),
        cmocka_unit_test(latency_alone_counts_the_rounds_of_the_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
