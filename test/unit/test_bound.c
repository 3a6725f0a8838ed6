/* Lower bounds: no simulated time is below them, and some are at them nearly. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lab/simulate/bound.h"
#include "lab/simulate/simulator.h"
#include "support.h"
#include "support_simulate.h"
#include "util/memory.h"

#define ON_A_GRAPH                                                                                 \
    "reduce = 0.05ns\n"                                                                            \
    "links: bandwidth=12.5GB/s, latency=200ns\n"                                                   \
    "node: latency=400ns, overhead=150ns, bandwidth=12.5GB/s\n"                                    \
    "network 0-64K: latency=300ns, overhead=150ns\n"                                               \
    "network 64K-: latency=300ns, overhead=150ns, waits=1\n"

static const char fat_tree[] = "topology = fat-tree 2:1 8\n" ON_A_GRAPH;

/* Uplinks with a tenth of a card's rate. */
static const char tapered[] = "topology = fat-tree 4:1 4\n"
                              "links card: bandwidth=10GB/s\n"
                              "links tier 1-2: bandwidth=1GB/s\n"
                              "network: latency=1us, overhead=0\n";

/* A switch of its own for two groups of hosts, and one cable between them, in both directions. */
static const char listed[] = "host a[0-7]\nhost b[0-7]\n"
                             "link a[0-7] left: bandwidth=10GB/s, latency=200ns, class=card\n"
                             "link b[0-7] right: bandwidth=5GB/s, latency=100ns, class=card\n"
                             "link left right: bandwidth=2GB/s, latency=1us, class=between\n"
                             "node: latency=300ns, bandwidth=8GB/s, offloaded=1\n"
                             "network: latency=1us, overhead=0.4us, bandwidth=4GB/s\n";

static const char one_way[] = "sockets = 2\none_way_latency = 0.7\none_way_byte = 0.5\n"
                              "reduce = 0.5ns\ncards = 2\nejection = 1\n"
                              "socket: latency=0.2us, overhead=0.1us, bandwidth=5GB/s\n"
                              "node: latency=1us, bandwidth=2GB/s, limit=3GB/s\n"
                              "network 0-8K: latency=3us, overhead=1us, bandwidth=1GB/s\n"
                              "network 8K-: latency=2us, bandwidth=3GB/s, limit=4GB/s, waits=1\n";
static const char postal[] = "network: latency=1us, bandwidth=1GB/s\n";
static const char in_memory[] =
    "reduce = 0.02ns\n"
    "node 0-4K: latency=0.2us, overhead=80ns, take=80ns, bandwidth=1.2GB/s, in_memory=1, "
    "store=1.2GB/s\n"
    "node 4K-: latency=1us, overhead=0.1us, take=0.4us, bandwidth=8GB/s, in_memory=1, "
    "store=9GB/s, piece=2K\n"
    "network: latency=2us, overhead=0.3us, bandwidth=3GB/s\n";
static const char torus[] = "topology = torus 4x4\n" ON_A_GRAPH;
static const char dragonfly[] = "topology = dragonfly 4 2 2\n" ON_A_GRAPH;

static struct allfold_bound bound_of(const struct simulated_case *of)
{
    const struct allfold_nodes *nodes = block_nodes(of->nodes, of->ppn);
    const struct allfold_simulation simulation = {
        .algorithm = allfold_algorithm_find(of->collective, of->name),
        .root = of->root,
        .bytes = of->bytes,
        .element_bytes = 1,
        .nodes = nodes,
        .network = of->network};
    const struct allfold_bound bound = allfold_bound_of(&simulation);
    allfold_nodes_free(nodes);
    return bound;
}

static int draw(int most)
{
    return 1 + rand() % most;
}

/* Nodes of 1 to 6 ranks, of which every second time one has fewer, in any order. */
static const struct allfold_nodes *draw_nodes(void)
{
    const int nodes = draw(12), ppn = draw(6), p = nodes * ppn - (draw(2) - 1) * (ppn / 2);
    int64_t *keys = calloc((size_t)p, sizeof *keys);
    assert_non_null(keys);
    const int order = draw(3);
    for (int r = 0; r < p; r++)
        keys[r] = order == 1 ? r / ppn : r % nodes;
    for (int r = p - 1; r > 0 && order == 3; r--) {
        const int other = rand() % (r + 1);
        const int64_t key = keys[r];
        keys[r] = keys[other];
        keys[other] = key;
    }
    const struct allfold_nodes *made = allfold_nodes_make(keys, p);
    free(keys);
    assert_non_null(made);
    return made;
}

/* Hosts of a graph of 16, each at most once. */
static void draw_hosts(uint32_t hosts[16])
{
    for (uint32_t i = 0; i < 16; i++)
        hosts[i] = i;
    for (uint32_t i = 15; i > 0; i--) {
        const uint32_t other = (uint32_t)rand() % (i + 1), host = hosts[i];
        hosts[i] = hosts[other];
        hosts[other] = host;
    }
}

/* Times of one point, of all algorithms that serve there; how many. */
static int check_point(struct allfold_simulation *of, enum allfold_collective collective)
{
    int count = 0;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        struct allfold_simulated result;
        char message[300] = "";
        of->algorithm = allfold_algorithms[i];
        of->parameters = allfold_parameter_presets(of->algorithm);
        if (of->algorithm->collective != collective ||
            allfold_simulate(of, &result, message, sizeof message) != ALLFOLD_OK)
            continue;
        const struct allfold_bound bound = allfold_bound_of(of);
        const double part_s[] = {bound.latency_s, bound.bandwidth_s, bound.work_s};
        for (size_t k = 0; k < LENGTH(part_s); k++)
            if (!(result.time_s >= part_s[k] * (1 - 1e-9) - 1e-10))
                fail_msg("%s.%s of %zu bytes on %d nodes, %d ranks, network %s: %.6f us, bound %zu "
                         "is %.6f",
                         allfold_collective_name(collective), of->algorithm->name, of->bytes,
                         of->nodes->count, of->nodes->first[of->nodes->count], of->network->name,
                         1e6 * result.time_s, k, 1e6 * part_s[k]);
        count++;
    }
    return count;
}

static void test_never_above(void **state)
{
    (void)state;
    static const char *const texts[] = {fat_tree, tapered, listed,    one_way,
                                        postal,   torus,   dragonfly, in_memory};
    struct allfold_network networks[LENGTH(texts)];
    for (size_t i = 0; i < LENGTH(texts); i++)
        networks[i] = network_of(texts[i]);
    int count = 0;
    srand(1);
    for (int i = 0; i < 480; i++) {
        uint32_t hosts[16];
        const struct allfold_nodes *nodes = draw_nodes();
        draw_hosts(hosts);
        struct allfold_simulation of = {.nodes = nodes,
                                        .network = &networks[i % (int)LENGTH(texts)],
                                        .hosts = draw(2) == 1 ? hosts : NULL,
                                        .bytes = (size_t)draw(8) << rand() % 18,
                                        .element_bytes = 1,
                                        .root = rand() % nodes->first[nodes->count]};
        count += check_point(&of, (enum allfold_collective)(i % ALLFOLD_COLLECTIVE_COUNT));
        allfold_nodes_free(nodes);
    }
    assert_true(count > 2800);
    for (size_t i = 0; i < LENGTH(texts); i++)
        allfold_network_clear(&networks[i]);
}

/* That the time of an algorithm is at most a multiple of the bound. */
static void assert_near(const struct simulated_case *of, double most)
{
    const struct allfold_bound bound = bound_of(of);
    const double times = simulated(*of).time_s / allfold_bound_s(&bound);
    if (!(times <= most && times > 0.9999))
        fail_msg("%s of %zu bytes on %d x %d: %.4f times the bound (%.3f, %.3f, %.3f us)", of->name,
                 of->bytes, of->nodes, of->ppn, times, 1e6 * bound.latency_s,
                 1e6 * bound.bandwidth_s, 1e6 * bound.work_s);
}

#define CASE(of, what, n, k, size, on)                                                             \
    {                                                                                              \
        .collective = of, .name = what, .nodes = n, .ppn = k, .bytes = size, .network = on         \
    }

static void test_near_somewhere(void **state)
{
    (void)state;
    struct allfold_network flat = network_of(postal), tree = network_of(fat_tree);
    struct allfold_network thin = network_of(tapered), ring = network_of(torus);
    const struct {
        struct simulated_case of;
        double most;
    } known[] = {
        {CASE(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 1, 1, &flat), 1.002},
        {CASE(ALLFOLD_ALLREDUCE, "recursive_doubling", 64, 1, 1, &flat), 1.002},
        {CASE(ALLFOLD_ALLREDUCE, "ring", 8, 1, 1 << 24, &flat), 1.01},
        {CASE(ALLFOLD_ALLGATHER, "ring", 8, 1, 1 << 24, &flat), 1.01},
        {CASE(ALLFOLD_BCAST, "chain", 4, 1, 1 << 26, &flat), 1.05},
        {CASE(ALLFOLD_ALLREDUCE, "ring", 8, 1, 1 << 24, &tree), 1.6},
        {CASE(ALLFOLD_ALLGATHER, "ring", 4, 4, 1 << 24, &tree), 2},
        {CASE(ALLFOLD_BCAST, "binomial_tree", 8, 1, 8, &tree), 2.1},
        {CASE(ALLFOLD_ALLREDUCE, "mixed_radix", 8, 8, 8, &tree), 2.5},
        {CASE(ALLFOLD_BARRIER, "dissemination", 4, 4, 0, &ring), 3},
        /* the uplinks bind, not the cards */
        {CASE(ALLFOLD_BCAST, "chain", 16, 1, 1 << 26, &thin), 1.1},
        {CASE(ALLFOLD_ALLGATHER, "ring", 16, 1, 1 << 24, &thin), 1.4},
    };
    for (size_t i = 0; i < LENGTH(known); i++)
        assert_near(&known[i].of, known[i].most);
    allfold_network_clear(&flat);
    allfold_network_clear(&tree);
    allfold_network_clear(&thin);
    allfold_network_clear(&ring);
}

static struct allfold_bound bcast_bound(int p, const struct allfold_network *network)
{
    return bound_of(&(struct simulated_case){.collective = ALLFOLD_BCAST,
                                             .name = "flat",
                                             .nodes = p,
                                             .ppn = 1,
                                             .bytes = 1000,
                                             .network = network});
}

/* Latency by hand: messages of 1 us, of which each side is busy for 0.25. Those of rank 0 arrive at
 * 1, 1.25, 1.5 us and so on; the first one's receiver has its own there at 2 us. */
static void test_by_hand(void **state)
{
    (void)state;
    struct allfold_network network =
        network_of("network: latency=1us, overhead=0.25us, bandwidth=1GB/s\n");
    static const struct {
        int p;
        double us;
    } known[] = {{2, 1}, {3, 1.25}, {4, 1.5}, {5, 1.75}, {6, 2}, {7, 2}, {8, 2.25}, {11, 2.5}};
    for (size_t i = 0; i < LENGTH(known); i++) {
        const struct allfold_bound bound = bcast_bound(known[i].p, &network);
        if (fabs(1e6 * bound.latency_s - known[i].us) > 1e-3)
            fail_msg("%d ranks: %.6f us, expected %.2f", known[i].p, 1e6 * bound.latency_s,
                     known[i].us);
        assert_true(fabs(1e6 * bound.bandwidth_s - 1) < 1e-2);
        assert_true(bound.work_s <= 0);
    }
    const struct allfold_bound alone = bcast_bound(1, &network);
    assert_true(allfold_bound_s(&alone) <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_never_above),
                                       cmocka_unit_test(test_near_somewhere),
                                       cmocka_unit_test(test_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
