/* The simulator on nodes: Bienz et al. 2019, equations 2 to 6, and what cards, sockets, windows and
 * bounds on memory do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "util/memory.h"
#include "support.h"
#include "support_simulate.h"

/* The letters of the paper: l is on a node, R_N is what a node sends, R_b what a process. */
static const double a_l = 0.5e-6, b_l = 0.4e-9, a = 2e-6, R_b = 1e9, R_N = 4e9, g = 0.2e-9;
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
    return a + senders * s / fmin(R_N, senders * R_b);
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
                            (a_l + b_l * m) * local + out(ppn, m) * far + g * m * (local + far));
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
                (a_l + b_l * m) * local + (a + m / R_b) * far + g * m * (local + far);
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
    struct allfold_nodes *placed = block_nodes(nodes, ppn);
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

/* Equation 6. As one process of a node idles in each step, ppn - 1 of them share the card; and what
 * came is not combined with what was there before the node adds it all up (that would count it
 * twice), which saves a reduction a step. */
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
                            (a_l + b_l * m) * all + out(ppn - 1, m) * steps + g * m * all);
                assert_int_equal(found.messages_out, steps);
                assert_int_equal(found.card_bytes, (size_t)steps * (size_t)(ppn - 1) * s);
            }
}

/* Several cards share the messages of a node; its first ranks take the first ones. */
static void cards_share_what_a_node_sends(void **context)
{
    struct allfold_network network = network_of(bienz);
    const size_t s = 1 << 20;
    const double m = (double)s;
    (void)context;
    for (network.cards = 1; network.cards <= 8; network.cards *= 2) {
        const struct allfold_simulated found = run("recursive_doubling", 2, 8, s, &network);
        assert_time("cards", network.cards, found.time_s,
                    3 * (a_l + b_l * m) + out(8.0 / network.cards, m) + 4 * g * m);
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

/* In a pipeline only the first and the last message go one way: else the rank in the middle sends
 * and receives at once, which slows down both. */
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
    struct allfold_nodes *nodes = block_nodes(2, 3);
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

/* All algorithms on all presets: nobody waits for ever, and twice is the same. */
static void everything_ends(void **context)
{
    (void)context;
    for (int k = 0; allfold_network_presets[k].name != NULL; k++) {
        const struct allfold_network network = network_of(allfold_network_presets[k].text);
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
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recursive_doubling_matches_equation_4),
        cmocka_unit_test(smp_matches_equation_5),
        cmocka_unit_test(nap_matches_equation_6),
        cmocka_unit_test(cards_share_what_a_node_sends),
        cmocka_unit_test(ejection_bounds_what_comes_in),
        cmocka_unit_test(sockets_and_memory_have_limits),
        cmocka_unit_test(windows_bound_messages_on_the_way),
        cmocka_unit_test(a_rank_sends_one_message_at_a_time),
        cmocka_unit_test(a_rank_reduces_one_vector_at_a_time),
        cmocka_unit_test(messages_of_a_pipeline_go_both_ways),
        cmocka_unit_test(sizes_have_links_of_their_own),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(failing_allocations_are_reported),
        cmocka_unit_test(everything_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
