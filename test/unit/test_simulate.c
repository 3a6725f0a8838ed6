/* The simulator against what stands in papers as closed formulas: Rabenseifner 2004, sections 2.3
 * to 2.7, and the pipelining lemma. All on one rank a node of a flat network. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cost/walk.h"
#include "support.h"
#include "support_claims.h"
#include "support_simulate.h"
#include "util/memory.h"

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
 * less below them than others. Their messages come while the root reduces earlier ones. */
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
 * the removed ranks. Here both go one way. */
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

/* Section 2.5. Where p is no power of two, ranks outside of the pairs begin at once. Their messages
 * may come before a message that is needed first, and delay it. So there are up to two messages
 * more than the paper's, whose steps are in order. */
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

/* Section 2.7. A rank reduces what it got while the next message comes. The paper does not count
 * this, so gamma is 0, or the formula a bound. */
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

/* The simulator on nodes: Bienz et al. 2019, equations 2 to 6, and what cards, sockets, windows
 * and bounds on memory do. */

/* The letters of the paper: l is on a node, R_N is what a node sends, R_b what a process. */
static const double a_l = 0.5e-6, b_l = 0.4e-9, a_net = 2e-6, R_b = 1e9, R_N = 4e9, g_net = 0.2e-9;
static const char bienz[] = "node: latency=0.5us, bandwidth=2.5GB/s\n"
                            "network: latency=2us, bandwidth=1GB/s, limit=4GB/s\n"
                            "reduce = 0.2ns\n";

static struct allfold_simulated run(const char *name, int nodes, int ppn, size_t bytes,
                                    const struct allfold_network *network)
{
    return simulated((struct simulated_case){.collective = ALLFOLD_ALLREDUCE,
                                             .name = name,
                                             .nodes = nodes,
                                             .ppn = ppn,
                                             .bytes = bytes,
                                             .network = network});
}

/* Equation 3, what a message between nodes takes where `senders` of a node send at once. */
static double out(double senders, double s)
{
    return a_net + senders * s / fmin(R_N, senders * R_b);
}

/* Equation 4; with one rank a node, or few bytes, it is equation 2. */
static void recursive_doubling_matches_equation_4(void **context)
{
    const struct allfold_network network = network_of(bienz);
    (void)context;
    for (int ppn = 1; ppn <= 16; ppn *= 2)
        for (int nodes = 1; nodes <= 64; nodes *= 4)
            for (size_t s = 8; s <= 1 << 20; s *= 32) {
                const double m = (double)s, local = log2(ppn), far = log2(nodes);
                assert_time("equation 4", nodes * ppn,
                            run("recursive_doubling", nodes, ppn, s, &network).time_s,
                            (a_l + b_l * m) * local + out(ppn, m) * far +
                                g_net * m * (local + far));
            }
}

/* Equation 5 has a reduce on the node; the broadcast that ends it ("slightly more intra-node
 * communication") is log2(ppn) messages more. */
static void smp_matches_equation_5(void **context)
{
    const struct allfold_network network = network_of(bienz);
    const size_t binomial_tree = number_of(ALLFOLD_REDUCE, "binomial_tree");
    (void)context;
    for (int ppn = 2; ppn <= 16; ppn *= 2)
        for (size_t s = 8; s <= 1 << 20; s *= 32) {
            const int nodes = 64;
            const double m = (double)s, local = log2(ppn), far = log2(nodes);
            const double equation =
                (a_l + b_l * m) * local + (a_net + m / R_b) * far + g_net * m * (local + far);
            const struct allfold_simulated found =
                simulated((struct simulated_case){.collective = ALLFOLD_ALLREDUCE,
                                                  .name = "smp",
                                                  .nodes = nodes,
                                                  .ppn = ppn,
                                                  .bytes = s,
                                                  .network = &network,
                                                  .parameter = {binomial_tree}});
            assert_time("equation 5", nodes * ppn, found.time_s,
                        equation + (a_l + b_l * m) * local);
            assert_int_equal(found.messages_out, 6);
        }
}

static struct allfold_simulated nap(int nodes, int ppn, size_t bytes,
                                    const struct allfold_network *network)
{
    const struct allfold_nodes *placed = block_nodes(nodes, ppn);
    const struct allfold_algorithm *algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "nap");
    const struct allfold_simulation of = {
        .algorithm = algorithm,
        .parameters = {{number_of(ALLFOLD_ALLREDUCE, "recursive_doubling")}},
        .bytes = bytes,
        .element_bytes = 1,
        .nodes = placed,
        .network = network,
        .window = 16,
        .memory_bytes = 1 << 28};
    struct allfold_simulated result;
    char message[300];
    assert_int_equal(allfold_simulate(&of, &result, message, sizeof message), ALLFOLD_OK);
    allfold_nodes_free(placed);
    return result;
}

/* Equation 6. One process of a node idles in each step, so ppn - 1 of them share the card. What
 * arrived is not combined with what was there before the node adds it all up (that would count it
 * twice). This saves a reduction a step. */
static void nap_matches_equation_6(void **context)
{
    const struct allfold_network network = network_of(bienz);
    (void)context;
    for (int ppn = 4; ppn <= 16; ppn *= 2)
        for (int steps = 1, nodes = ppn; steps <= 2; steps++, nodes *= ppn)
            for (size_t s = 8; s <= 1 << 18; s *= 32) {
                const double m = (double)s, all = log2((double)nodes * ppn);
                const struct allfold_simulated found = nap(nodes, ppn, s, &network);
                assert_time("equation 6", nodes * ppn, found.time_s,
                            (a_l + b_l * m) * all + out(ppn - 1, m) * steps + g_net * m * all);
                assert_int_equal(found.messages_out, steps);
                assert_int_equal(found.card_bytes, (size_t)steps * (size_t)(ppn - 1) * s);
            }
}

/* Several cards share the messages of a node; its first ranks take the first ones. */
static void cards_share_what_aode_sends(void **context)
{
    struct allfold_network network = network_of(bienz);
    const size_t s = 1 << 20;
    const double m = (double)s;
    (void)context;
    for (network.cards = 1; network.cards <= 8; network.cards *= 2) {
        const struct allfold_simulated found = run("recursive_doubling", 2, 8, s, &network);
        assert_time("cards", network.cards, found.time_s,
                    3 * (a_l + b_l * m) + out(8.0 / network.cards, m) + 4 * g_net * m);
        assert_int_equal(found.card_bytes, s * 8 / (size_t)network.cards);
    }
}

/* All but the root's node send to it at once: what goes out has its own cards, what comes in not.
 */
static void ejection_bounds_what_comes_in(void **context)
{
    const char text[] = "network: latency=2us, overhead=0, bandwidth=4GB/s, limit=4GB/s\n";
    struct allfold_network network = network_of(text);
    struct simulated_case of = {.collective = ALLFOLD_REDUCE,
                                .name = "flat",
                                .nodes = 9,
                                .ppn = 1,
                                .bytes = 4000000,
                                .network = &network};
    (void)context;
    assert_time("the rank takes in one at a time", 9, simulated(of).time_s, 2e-6 + 8e-3);
    network.links[ALLFOLD_LEVEL_NETWORK][0].bandwidth = 0;
    assert_time("nothing bounds it", 9, simulated(of).time_s, 2e-6 + 1e-3);
    network.ejection = true;
    assert_time("ejection", 9, simulated(of).time_s, 2e-6 + 8e-3);
}

/* On a node its memory is shared; on its sockets each its own. */
static void sockets_and_memory_have_limits(void **context)
{
    struct allfold_network network =
        network_of("sockets = 2\n"
                   "socket: latency=1us, bandwidth=4GB/s, limit=4GB/s\n"
                   "node: latency=2us, bandwidth=4GB/s, limit=8GB/s\n"
                   "network: latency=9us\n");
    const size_t s = 4000000;
    (void)context;
    assert_time("four on a socket", 8, run("recursive_doubling", 1, 8, s, &network).time_s,
                2 * (1e-6 + 4e-3) + 2e-6 + 4e-3);
    network.sockets = 1;
    assert_time("eight on a socket", 8, run("recursive_doubling", 1, 8, s, &network).time_s,
                3 * (1e-6 + 8e-3));
}

/* With an overhead below the latency several messages are on the way; only as many as the window
 * lets. */
static void windows_bound_messages_on_the_way(void **context)
{
    const struct allfold_network network =
        network_of("network: latency=8us, overhead=1us, waits=1");
    struct simulated_case of = {.collective = ALLFOLD_BCAST,
                                .name = "chain",
                                .nodes = 2,
                                .ppn = 1,
                                .bytes = 64,
                                .network = &network,
                                .parameter = {1}};
    (void)context;
    of.window = 16;
    assert_time("16", 2, simulated(of).time_s, 71e-6);
    of.window = 1;
    assert_time("1", 2, simulated(of).time_s, 64 * 8e-6);
    of.window = 4;
    assert_time("4", 2, simulated(of).time_s, 1e-6 * (15 * 8 + 11));
}

/* Segments come quickly over the node and leave slowly: one after the other. */
static void a_rank_sends_one_message_at_a_time(void **context)
{
    const struct allfold_network network = network_of("node: latency=1us\nnetwork: latency=10us");
    const struct simulated_case of = {.collective = ALLFOLD_BCAST,
                                      .name = "chain",
                                      .nodes = 2,
                                      .ppn = 2,
                                      .bytes = 10,
                                      .network = &network,
                                      .parameter = {1}};
    (void)context;
    assert_time("ten segments", 4, simulated(of).time_s, 1e-6 + 10 * 10e-6 + 1e-6);
}

/* Three ranks of a node, 1000 bytes, 1 ns a byte on each side. The root stores its data once: it is
 * busy for 0.1 + 1 us, then for 0.1. A receiver is busy for 0.2 + 1 us, from 1 us after the first
 * byte is to be had. A rank reads one message at a time. */
static void node_memory_as_worked_by_hand(void **context)
{
    static const struct {
        enum allfold_collective collective;
        const char *name, *link;
        double us;
    } known[] = {
        {ALLFOLD_BCAST, "flat", "store=1GB/s", 1.1 + 1 + 1.2},
        {ALLFOLD_BCAST, "flat", "store=1GB/s, piece=100", 1.1 + 1 + 1.2},
        {ALLFOLD_BCAST, "flat", "store=1GB/s, waits=1", 1.1 + 1 + 1.2},
        {ALLFOLD_BCAST, "flat", "waits=0", 0.1 + 1 + 1.2},
        {ALLFOLD_REDUCE, "flat", "store=1GB/s", 1 + 1 + 1.2 + 1.2},
        {ALLFOLD_REDUCE, "flat", "store=1GB/s, piece=100", 0.1 + 1 + 1.2 + 1.2},
        {ALLFOLD_REDUCE, "flat", "waits=0", 1 + 1.2 + 1.2},
    };
    (void)context;
    for (size_t i = 0; i < LENGTH(known); i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "network: latency=9us\nnode: latency=1us, overhead=0.1us, take=0.2us, "
                 "bandwidth=1GB/s, in_memory=1, %s",
                 known[i].link);
        const struct allfold_network network = network_of(text);
        const struct simulated_case of = {.collective = known[i].collective,
                                          .name = known[i].name,
                                          .nodes = 1,
                                          .ppn = 3,
                                          .bytes = 1000,
                                          .network = &network};
        assert_time(known[i].link, 3, simulated(of).time_s, 1e-6 * known[i].us);
    }
}

/* The window admits two messages: data that are stored wait in memory until a receive is posted,
 * and the rank that passes them on is not busy with them before. */
static void stored_data_wait_for_their_receive(void **context)
{
    const struct allfold_network network =
        network_of("network: latency=9us\nnode: latency=1us, overhead=0, take=0, "
                   "bandwidth=1GB/s, in_memory=1, store=1GB/s");
    struct simulated_case of = {.collective = ALLFOLD_BCAST,
                                .name = "chain",
                                .nodes = 1,
                                .ppn = 3,
                                .bytes = 4000,
                                .network = &network,
                                .parameter = {1000},
                                .window = 2};
    (void)context;
    /* 1 us each: stored, there, read by rank 1, stored by it; then the next one: its core is busy
     * for two of them a segment, and the last one is there and read two later */
    assert_time("four segments", 3, simulated(of).time_s, 1e-6 * (2 + 4 * 2 + 2));
}

/* All segments come at once, but are reduced one after the other. */
static void a_rank_reduces_one_vector_at_a_time(void **context)
{
    const struct allfold_network network =
        network_of("network: latency=1us, overhead=0\nreduce = 1us");
    const struct simulated_case of = {.collective = ALLFOLD_REDUCE,
                                      .name = "chain",
                                      .nodes = 2,
                                      .ppn = 1,
                                      .bytes = 10,
                                      .network = &network,
                                      .parameter = {1}};
    (void)context;
    assert_time("ten segments", 2, simulated(of).time_s, 11e-6);
}

/* In a pipeline only the first and the last message go one way. Otherwise the rank in the middle
 * sends and receives at once, which slows down both. */
static void messages_of_a_pipeline_go_both_ways(void **context)
{
    const struct allfold_network network =
        network_of("network: latency=10us, waits=1\none_way_latency = 0.5");
    const struct simulated_case of = {.collective = ALLFOLD_REDUCE,
                                      .name = "chain",
                                      .nodes = 3,
                                      .ppn = 1,
                                      .bytes = 8,
                                      .network = &network,
                                      .parameter = {1}};
    (void)context;
    assert_time("eight segments", 3, simulated(of).time_s, 5e-6 + 7 * 10e-6 + 5e-6);
}

/* By their length messages travel in other ways. */
static void sizes_have_links_of_their_own(void **context)
{
    const struct allfold_network network = network_of("network 0-100: latency=1us\n"
                                                      "network 100-1K: latency=5us, waits=1\n"
                                                      "network 1K-: latency=20us, waits=1\n");
    (void)context;
    assert_time("short", 2, run("recursive_doubling", 2, 1, 99, &network).time_s, 1e-6);
    assert_time("longer", 2, run("recursive_doubling", 2, 1, 100, &network).time_s, 5e-6);
    assert_time("long", 2, run("recursive_doubling", 2, 1, 1024, &network).time_s, 20e-6);
}

/* What fits does so with the memory that it says; with less it says what it lacks. */
static void memory_is_bounded(void **context)
{
    const struct allfold_network network = network_of(bienz);
    struct simulated_case of = {.collective = ALLFOLD_ALLREDUCE,
                                .name = "recursive_doubling",
                                .nodes = 256,
                                .ppn = 4,
                                .bytes = 8,
                                .network = &network};
    struct allfold_simulated result;
    char message[300] = "";
    (void)context;
    const size_t taken = simulated(of).memory_bytes;
    assert_true(taken > 1024 * 100 && taken < 1024 * 1000);
    for (size_t bytes = 1; bytes < taken; bytes += taken / 40) {
        of.memory_bytes = bytes;
        assert_int_equal(try_simulated(of, &result, message, sizeof message), ALLFOLD_NO_MEMORY);
        assert_non_null(strstr(message, "it takes more than the 0 MiB that it may"));
    }
    of.memory_bytes = taken + taken / 10;
    assert_int_equal(try_simulated(of, &result, message, sizeof message), ALLFOLD_OK);
}

static void failing_allocations_are_reported(void **context)
{
    const struct allfold_network network = network_of(bienz);
    const struct allfold_nodes *nodes = block_nodes(2, 3);
    const struct allfold_simulation of = {.algorithm =
                                              allfold_algorithm_find(ALLFOLD_ALLREDUCE, "flat"),
                                          .bytes = 8,
                                          .element_bytes = 8,
                                          .nodes = nodes,
                                          .network = &network,
                                          .window = 4,
                                          .memory_bytes = 1 << 24};
    struct allfold_simulated result;
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    unsigned long n = 0;
    (void)context;
    while (error == ALLFOLD_NO_MEMORY) {
        char message[300] = "";
        allfold_fail_allocation(++n);
        error = allfold_simulate(&of, &result, message, sizeof message);
        allfold_fail_allocation(0);
        if (error == ALLFOLD_NO_MEMORY)
            assert_non_null(strstr(message, "no memory"));
    }
    assert_int_equal(error, ALLFOLD_OK);
    assert_true(n > 20);
    allfold_nodes_free(nodes);
}

/* All algorithms with default parameters: no rank waits for ever, and twice is the same. */
static void everything_ends(void **context)
{
    (void)context;
    for (int k = 0; allfold_network_presets[k].name != NULL; k++) {
        struct allfold_network network = network_of(allfold_network_presets[k].text);
        for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
            for (size_t bytes = 1; bytes <= 100000; bytes = bytes * 99 + 1) {
                const struct simulated_case of = {.collective = allfold_algorithms[i]->collective,
                                                  .name = allfold_algorithms[i]->name,
                                                  .nodes = 4,
                                                  .ppn = 3,
                                                  .bytes = bytes,
                                                  .network = &network};
                struct allfold_simulated one, other;
                char message[300] = "";
                const enum allfold_error error = try_simulated(of, &one, message, sizeof message);
                if (error == ALLFOLD_UNMET_NEED)
                    continue;
                if (error != ALLFOLD_OK)
                    fail_msg("%s: %s", of.name, message);
                assert_true(one.time_s > 0 && one.messages > 0);
                assert_int_equal(try_simulated(of, &other, message, sizeof message), ALLFOLD_OK);
                assert_memory_equal(&one, &other, sizeof one);
            }
        allfold_network_clear(&network);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_match_their_formulas),
        cmocka_unit_test(recursive_doubling_matches_its_formula),
        cmocka_unit_test(halving_doubling_matches_its_formula),
        cmocka_unit_test(ring_matches_its_formula),
        cmocka_unit_test(pipelines_match_the_lemma),
        cmocka_unit_test(latency_alone_counts_the_rounds_of_the_walk),
        cmocka_unit_test(recursive_doubling_matches_equation_4),
        cmocka_unit_test(smp_matches_equation_5),
        cmocka_unit_test(nap_matches_equation_6),
        cmocka_unit_test(cards_share_what_aode_sends),
        cmocka_unit_test(ejection_bounds_what_comes_in),
        cmocka_unit_test(sockets_and_memory_have_limits),
        cmocka_unit_test(windows_bound_messages_on_the_way),
        cmocka_unit_test(a_rank_sends_one_message_at_a_time),
        cmocka_unit_test(node_memory_as_worked_by_hand),
        cmocka_unit_test(stored_data_wait_for_their_receive),
        cmocka_unit_test(a_rank_reduces_one_vector_at_a_time),
        cmocka_unit_test(messages_of_a_pipeline_go_both_ways),
        cmocka_unit_test(sizes_have_links_of_their_own),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(failing_allocations_are_reported),
        cmocka_unit_test(everything_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
