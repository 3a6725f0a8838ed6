/* Flows: rates worked out by hand, and max-min fairness of many at random. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lab/network/network.h"
#include "lab/simulate/flows.h"
#include "support.h"
#include "support_simulate.h"

enum { STREAMS = 64, MOST_ROUTE = 64, MOST_FLOWS = 400 };

/* Flows on a graph, and what of them is under way. */
struct case_of_flows {
    struct allfold_graph *graph;
    struct allfold_flows *flows;
    struct allfold_budget budget;
    uint64_t now;
};

static struct case_of_flows begun(const char *topology)
{
    struct case_of_flows of = {.budget = {.limit_bytes = SIZE_MAX}};
    char message[300] = "";
    if (allfold_graph_generate(topology, &of.graph, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s", message);
    allfold_graph_set_links(of.graph, -1, 1e9, 0); /* 1000 bytes a microsecond */
    return of;
}

static void begin(struct case_of_flows *of)
{
    of->flows = allfold_flows_create(of->graph, STREAMS, &of->budget);
    assert_non_null(of->flows);
}

static void end(struct case_of_flows *of)
{
    allfold_flows_free(of->flows);
    allfold_graph_free(of->graph);
}

static uint32_t add(struct case_of_flows *of, uint32_t from, uint32_t to, double bytes,
                    double bound)
{
    const uint32_t number =
        allfold_flows_add(of->flows, (struct allfold_flow){.stream = from % STREAMS,
                                                           .peer = to,
                                                           .from = from,
                                                           .to = to,
                                                           .bytes = bytes,
                                                           .bound = bound});
    assert_int_not_equal(number, UINT32_MAX);
    assert_true(allfold_flows_begin(of->flows, number, of->now));
    return number;
}

static void share(struct case_of_flows *of)
{
    assert_true(allfold_flows_share(of->flows, of->now));
}

static void assert_rate(struct case_of_flows *of, uint32_t number, double expected)
{
    const double rate = allfold_flows_rate(of->flows, number);
    if (fabs(rate - expected) > 1e-6 * expected)
        fail_msg("flow %u: %g, not %g", number, rate, expected);
}

/* The next end, which is taken. */
static struct allfold_flow next(struct case_of_flows *of)
{
    struct allfold_flow ended = {.bytes = 0};
    assert_true(allfold_flows_time(of->flows, &of->now));
    assert_true(allfold_flows_take(of->flows, of->now, &ended));
    return ended;
}

static void assert_now(const struct case_of_flows *of, double us)
{
    if (fabs(1e-6 * (double)of->now - us) > us / 1000)
        fail_msg("%g us, not %g", 1e-6 * (double)of->now, us);
}

/* Three from host 0, two to host 1, one alone, one with a bound of its own. */
static void rates_are_those_by_hand(void **context)
{
    struct case_of_flows of = begun("switch 8");
    (void)context;
    begin(&of);
    const uint32_t a = add(&of, 0, 1, 1e6, 0), b = add(&of, 0, 2, 1e6, 0);
    const uint32_t c = add(&of, 0, 3, 1e6, 0), d = add(&of, 4, 1, 1e6, 0);
    const uint32_t e = add(&of, 5, 6, 1e6, 0), f = add(&of, 7, 6, 1e6, 1e8);
    share(&of);
    assert_rate(&of, a, 1e9 / 3);
    assert_rate(&of, b, 1e9 / 3);
    assert_rate(&of, c, 1e9 / 3);
    assert_rate(&of, d, 2e9 / 3);
    assert_rate(&of, e, 9e8);
    assert_rate(&of, f, 1e8);
    end(&of);
}

/* A flow over a full uplink leaves its card to the other one; as it ends, others are faster. */
static void what_one_leaves_others_take(void **context)
{
    struct case_of_flows of = begun("fat-tree 4:1 2");
    (void)context;
    begin(&of);
    add(&of, 0, 4, 1000, 0);
    add(&of, 1, 5, 1000, 0);
    add(&of, 2, 6, 1000, 0);
    const uint32_t thin = add(&of, 3, 7, 3000, 0), near = add(&of, 3, 2, 6750, 0);
    share(&of);
    assert_rate(&of, thin, 2.5e8);
    assert_rate(&of, near, 7.5e8);
    for (int i = 0; i < 3; i++) {
        next(&of);
        assert_now(&of, 4);
    }
    share(&of);
    assert_rate(&of, thin, 5e8); /* shares its card with `near` now */
    assert_rate(&of, near, 5e8);
    assert_int_equal(next(&of).to, 7);
    assert_now(&of, 8);
    share(&of);
    assert_rate(&of, near, 1e9);
    assert_int_equal(next(&of).to, 2);
    assert_now(&of, 9.75); /* 3000 by 4 us, 2000 by 8 us, the rest alone */
    assert_int_equal(allfold_flows_link_bytes(of.flows, 2 * 3), 9750);
    end(&of);
}

static void flows_of_a_stream_to_one_peer_go_in_order(void **context)
{
    struct case_of_flows of = begun("switch 4");
    (void)context;
    begin(&of);
    const uint32_t first = add(&of, 0, 1, 1000, 0), second = add(&of, 0, 1, 2000, 0);
    add(&of, 0, 1, 3000, 0);
    share(&of);
    assert_rate(&of, first, 1e9);
    assert_true(allfold_flows_rate(of.flows, second) <= 0);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal((int)next(&of).bytes, 1000 * i);
        share(&of);
        assert_now(&of, i * (i + 1) / 2);
    }
    end(&of);
}

/* Four alike share as four do, each from a rank of its own; one that begins later is none of them.
 */
static void flows_alike_are_a_bundle(void **context)
{
    struct case_of_flows of = begun("switch 4");
    struct allfold_flow ended;
    (void)context;
    begin(&of);
    uint32_t first = UINT32_MAX;
    for (uint32_t stream = 0; stream < 4; stream++) {
        const struct allfold_flow flow = {
            .stream = stream, .peer = 10, .from = 0, .to = 1, .bytes = 1000, .receive = stream};
        const uint32_t number = allfold_flows_add(of.flows, flow);
        assert_true(allfold_flows_begin(of.flows, number, of.now));
        first = stream == 0 ? number : first;
    }
    const uint32_t other = add(&of, 0, 2, 1000, 0);
    share(&of);
    assert_rate(&of, first, 2e8);
    assert_rate(&of, other, 2e8);
    assert_int_equal(allfold_flows_link_bytes(of.flows, 0), 5000);
    of.now = 2500000;
    const uint32_t late = add(&of, 0, 1, 1000, 0);
    share(&of);
    assert_rate(&of, late, 1e9 / 6);
    unsigned seen = 0;
    for (int i = 0; i < 5; i++) {
        ended = next(&of);
        assert_now(&of, 5.5);
        seen |= 1u << (ended.to == 1 ? ended.receive : 4);
    }
    assert_int_equal(seen, 31);
    share(&of);
    assert_rate(&of, late, 1e9);
    assert_false(allfold_flows_take(of.flows, of.now, &ended));
    next(&of);
    assert_now(&of, 6);
    assert_int_equal(allfold_flows_link_bytes(of.flows, 0), 6000);
    end(&of);
}

struct under_way {
    uint32_t from, to, number, links[MOST_ROUTE];
    int length;
};

/* No link is too full; each flow has a full one on which none is faster. */
static void assert_fair(struct case_of_flows *of, const struct under_way *flows, int count)
{
    const uint32_t links = allfold_graph_link_count(of->graph);
    double *load = calloc(links, sizeof *load), *fastest = calloc(links, sizeof *fastest);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < flows[i].length; k++) {
            const double rate = allfold_flows_rate(of->flows, flows[i].number);
            load[flows[i].links[k]] += rate;
            fastest[flows[i].links[k]] = fmax(fastest[flows[i].links[k]], rate);
        }
    for (uint32_t i = 0; i < links; i++)
        assert_true(load[i] <= allfold_graph_link(of->graph, i).bandwidth * (1 + 1e-5));
    for (int i = 0; i < count; i++) {
        bool is_bounded = false;
        const double rate = allfold_flows_rate(of->flows, flows[i].number);
        for (int k = 0; k < flows[i].length; k++) {
            const uint32_t link = flows[i].links[k];
            is_bounded |=
                load[link] >= allfold_graph_link(of->graph, link).bandwidth * (1 - 1e-5) &&
                rate >= fastest[link] * (1 - 1e-5);
        }
        if (!is_bounded)
            fail_msg("flow %u from %u to %u at %g could be faster", flows[i].number, flows[i].from,
                     flows[i].to, rate);
    }
    free(load);
    free(fastest);
}

static void forget(struct under_way *flows, int *count, const struct allfold_flow *ended)
{
    int i = 0;
    while (i < *count && (flows[i].from != ended->from || flows[i].to != ended->to))
        i++;
    assert_true(i < *count);
    flows[i] = flows[--*count];
}

/* Flows begin and end at random; at each change all are fair, and links carry all bytes. */
static void many_flows_are_fair(void **context)
{
    static const char *const topologies[] = {"torus 4x4x2", "fat-tree 4:2 4:2 2", "switch 12",
                                             "dragonfly 4 3 2"};
    (void)context;
    for (uint32_t t = 0; t < LENGTH(topologies); t++) {
        struct case_of_flows of = begun(topologies[t]);
        static struct under_way flows[MOST_FLOWS];
        uint64_t seed = t, expected = 0, found = 0;
        int count = 0, made = 0;
        allfold_graph_set_links(of.graph, 0, 7e8, 0);
        begin(&of);
        const uint32_t hosts = allfold_graph_host_count(of.graph);
        while (made < MOST_FLOWS || count > 0) {
            for (uint32_t k = random_below(&seed, 12); k > 0 && made < MOST_FLOWS; k--) {
                const uint32_t from = random_below(&seed, hosts), to = random_below(&seed, hosts);
                const double bytes = 1 + random_below(&seed, 100000);
                bool is_there = from == to;
                for (int i = 0; i < count; i++)
                    is_there |= flows[i].from == from && flows[i].to == to;
                if (is_there)
                    continue;
                struct under_way *flow = &flows[count++];
                *flow = (struct under_way){from, to, add(&of, from, to, bytes, 0), {0}, 0};
                flow->length = allfold_graph_route(of.graph, from, to, flow->links, MOST_ROUTE);
                expected += (uint64_t)bytes * (uint64_t)flow->length;
                made++;
            }
            share(&of);
            assert_fair(&of, flows, count);
            struct allfold_flow ended;
            if (allfold_flows_time(of.flows, &of.now))
                while (allfold_flows_take(of.flows, of.now, &ended))
                    forget(flows, &count, &ended);
        }
        for (uint32_t i = 0; i < allfold_graph_link_count(of.graph); i++)
            found += allfold_flows_link_bytes(of.flows, i);
        assert_int_equal(found, expected);
        end(&of);
    }
}

static const char on_a_switch[] = "node: latency=0.5us, overhead=0.2us\n"
                                  "network: latency=0.3us, overhead=0.1us\n"
                                  "topology = switch 8\nlinks: bandwidth=1GB/s, latency=0.2us\n";

/* Two ranks exchange: overheads and what is between, two links, the bytes. All bytes pass two. */
static void an_exchange_takes_what_the_text_says(void **context)
{
    struct allfold_network network = network_of(on_a_switch);
    const struct simulated_case of = {.collective = ALLFOLD_ALLREDUCE,
                                      .name = "recursive_doubling",
                                      .nodes = 2,
                                      .ppn = 1,
                                      .bytes = 4096,
                                      .network = &network};
    (void)context;
    const struct allfold_simulated found = simulated(of);
    assert_true(fabs(found.time_s - (0.3e-6 + 0.4e-6 + 4096e-9)) < 2e-9);
    assert_int_equal(found.class_count, 1);
    assert_string_equal(found.classes[0].name, "card");
    assert_int_equal(found.classes[0].links, 16);
    assert_int_equal(found.classes[0].bytes, 4 * 4096);
    assert_int_equal(found.classes[0].most_bytes, 4096);
    allfold_network_clear(&network);
}

/* Four ranks of a node send to another one's: they share its card. */
static void ranks_of_a_node_share_its_card(void **context)
{
    struct allfold_network network = network_of(on_a_switch);
    const struct simulated_case of = {.collective = ALLFOLD_ALLREDUCE,
                                      .name = "recursive_doubling",
                                      .nodes = 2,
                                      .ppn = 4,
                                      .bytes = 100000,
                                      .network = &network};
    (void)context;
    const struct allfold_simulated found = simulated(of);
    assert_true(fabs(found.time_s - (2 * 0.5e-6 + 0.7e-6 + 400e-6)) < 0.5e-6);
    assert_int_equal(found.classes[0].most_bytes, 400000);
    allfold_network_clear(&network);
}

static void nodes_need_hosts(void **context)
{
    struct allfold_network network = network_of(on_a_switch);
    const struct allfold_nodes *nodes = block_nodes(3, 2);
    const uint32_t twice[] = {5, 3, 5}, beyond[] = {5, 3, 8}, right[] = {5, 3, 7};
    const uint32_t *const hosts[] = {twice, beyond, right};
    struct allfold_simulated found;
    char message[300] = "";
    (void)context;
    for (int i = 0; i < 3; i++) {
        struct allfold_simulation of = {
            .algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling"),
            .bytes = 8,
            .element_bytes = 8,
            .nodes = nodes,
            .network = &network,
            .hosts = hosts[i]};
        assert_int_equal(allfold_simulate(&of, &found, message, sizeof message),
                         i < 2 ? ALLFOLD_BAD_INPUT : ALLFOLD_OK);
        if (i < 2)
            assert_non_null(strstr(message, i == 0 ? "node 2 on host 5" : "node 2 on host 8"));
    }
    allfold_nodes_free(nodes);
    nodes = block_nodes(9, 1);
    struct allfold_simulation of = {
        .algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling"),
        .bytes = 8,
        .element_bytes = 8,
        .nodes = nodes,
        .network = &network};
    assert_int_equal(allfold_simulate(&of, &found, message, sizeof message), ALLFOLD_BAD_INPUT);
    assert_string_equal(message, "9 nodes are more than the network's 8 hosts");
    allfold_nodes_free(nodes);
    allfold_network_clear(&network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_those_by_hand),
        cmocka_unit_test(what_one_leaves_others_take),
        cmocka_unit_test(flows_of_a_stream_to_one_peer_go_in_order),
        cmocka_unit_test(flows_alike_are_a_bundle),
        cmocka_unit_test(many_flows_are_fair),
        cmocka_unit_test(an_exchange_takes_what_the_text_says),
        cmocka_unit_test(ranks_of_a_node_share_its_card),
        cmocka_unit_test(nodes_need_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
