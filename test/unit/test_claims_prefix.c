/* Scans and exscans: the formulas of their papers held against the schedules, by walking them, and
 * what goes between nodes. See test_claims.c for how critical path and busiest rank differ. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support.h"
#include "support_claims.h"

enum { MOST_RANKS = 140, N = 3 };

static struct allfold_cost counted(enum allfold_collective collective, const char *name, size_t p)
{
    return walked((struct built){collective, name, p, 0, N, PRESET, 0}).cost;
}

static void assert_least_cost(struct allfold_cost cost, size_t p, size_t rounds, size_t sent)
{
    assert_cost(cost, p, 0, rounds, sent, cost.reduced);
}

/* Sanders and Traeff, section 2: simultaneous binomial trees take ceil(lg p) rounds of a vector
 * each way. A scan has one operation in each. No difference. An exscan has two, but for its first
 * round, and a rank that sends no more needs no second one. */
static void test_simultaneous_trees(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++) {
        const size_t lg = ceil_lg(p);
        assert_cost(counted(ALLFOLD_SCAN, "simultaneous_trees", p), p, 0, lg, lg * N, lg * N);
        const struct allfold_cost ex = counted(ALLFOLD_EXSCAN, "simultaneous_trees", p);
        assert_least_cost(ex, p, lg, lg * N);
        assert_in_range(ex.reduced, lg > 1 ? (lg - 1) * N : 0, lg > 1 ? (2 * lg - 2) * N : 0);
    }
}

/* The same rounds and volume by recursive doubling. With a power of two there are two operations in
 * each round but the last. In the last round the upper ranks have one, and the lower ones none.
 * Elsewhere ranks join fewer blocks, as no rank needs all of them. */
static void test_recursive_doubling(void **state)
{
    (void)state;
    for (size_t p = 1; p <= MOST_RANKS; p++) {
        const size_t lg = ceil_lg(p);
        const struct allfold_cost scan = counted(ALLFOLD_SCAN, "recursive_doubling", p);
        const struct allfold_cost ex = counted(ALLFOLD_EXSCAN, "recursive_doubling", p);
        assert_least_cost(scan, p, lg, lg * N);
        assert_least_cost(ex, p, lg, lg * N);
        const size_t most = lg < 2 ? lg : 2 * lg - 2;
        assert_in_range(scan.reduced, (p == 1U << lg ? most : floor_lg(p)) * N, most * N);
        assert_in_range(ex.reduced, scan.reduced - (p > 1 ? N : 0), scan.reduced);
    }
}

/* Sanders and Traeff, section 2: a binomial tree up and down, 2 ceil(lg p) rounds. At least one
 * round less, as the rank that ends the way up has all. For powers of two the last rank has no peer
 * behind it. All messages together are p - 1 up or down for each rank but the first. */
static void test_binomial_tree(void **state)
{
    (void)state;
    for (size_t p = 2; p <= MOST_RANKS; p++) {
        const struct allfold_cost scan = counted(ALLFOLD_SCAN, "binomial_tree", p);
        const struct allfold_cost ex = counted(ALLFOLD_EXSCAN, "binomial_tree", p);
        assert_in_range(scan.rounds, 2 * floor_lg(p) - 1, 2 * ceil_lg(p) - 1);
        assert_int_equal(ex.rounds, scan.rounds);
        assert_int_equal(scan.sent, floor_lg(p) * N);
        assert_int_equal(scan.reduced, floor_lg(p) * N);
        assert_int_equal(ex.sent, scan.sent);
        assert_in_range(ex.reduced, 0, scan.reduced + N);
    }
}

/* Traeff 2025: ceil(lg(p-1) + lg(4/3)) rounds, the least q with 3 2^q >= 4 (p-1), and q - 1
 * operations on the critical path. One operation more than that on ranks that get and send in all
 * rounds: their own contribution for the second message. */
static void test_doubling_123(void **state)
{
    (void)state;
    for (size_t p = 2; p <= 1030; p += p < MOST_RANKS ? 1 : 89) {
        size_t q = 0;
        while ((size_t)3 << q < 4 * (p - 1))
            q++;
        const struct allfold_cost cost = counted(ALLFOLD_EXSCAN, "doubling_123", p);
        assert_least_cost(cost, p, q, q * N);
        assert_in_range(cost.reduced, (q - 1) * N, q * N);
        assert_in_range(cost.rounds, ceil_lg(p - 1), ceil_lg(p - 1) + 1);
    }
    /* the paper's gain over doubling on p - 1 ranks after a shift, which takes 1 + ceil(lg(p-1)) */
    assert_int_equal(counted(ALLFOLD_EXSCAN, "doubling_123", 36).rounds, 6);
    assert_int_equal(counted(ALLFOLD_EXSCAN, "doubling_123", 49).rounds, 6);
    assert_int_equal(counted(ALLFOLD_EXSCAN, "doubling_123", 50).rounds, 7);
    assert_cost(counted(ALLFOLD_EXSCAN, "doubling_123", 1), 1, 0, 0, 0, 0);
}

/* The linear pipeline of b segments: p + b - 2 rounds, each rank sends, and reduces, the vector
 * once. In an exscan neither the first rank nor the last one reduces. */
static void test_chain(void **state)
{
    (void)state;
    for (size_t p = 2; p <= 40; p++)
        for (size_t b = 1; b <= 5; b++) {
            const size_t n = 2 * b, bytes = 2 * sizeof(uint32_t);
            const struct built scan = {ALLFOLD_SCAN, "chain", p, 0, n, bytes, 0};
            const struct built ex = {ALLFOLD_EXSCAN, "chain", p, 0, n, bytes, 0};
            assert_cost(walked(scan).cost, p, 0, p + b - 2, n, n);
            assert_cost(walked(ex).cost, p, 0, p + b - 2, n, p > 2 ? n : 0);
        }
}

/* A node's ranks that send to other nodes, and what the busiest node sends. */
static size_t sent_by_busiest(enum allfold_collective collective, const char *name,
                              const struct allfold_nodes *nodes, size_t *senders)
{
    struct allfold_case of = {.algorithm = allfold_algorithm_find(collective, name),
                              .p = nodes->first[nodes->count],
                              .count = N,
                              .nodes = nodes};
    struct allfold_schedule **schedules;
    char message[200] = "";
    size_t most = 0;
    assert_non_null(of.algorithm);
    of.parameters = allfold_parameter_presets(of.algorithm);
    if (allfold_case_build(&of, &schedules, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s: %s", name, message);
    *senders = 0;
    for (int node = 0; node < nodes->count; node++) {
        size_t sent = 0, ranks = 0;
        for (int r = nodes->first[node]; r < nodes->first[node + 1]; r++) {
            const size_t before = sent;
            for (uint32_t i = 0; i < schedules[r]->step_count; i++) {
                const struct allfold_step *step = &schedules[r]->steps[i];
                if (step->kind == ALLFOLD_STEP_SEND && nodes->node_of[step->peer] != node)
                    sent += step->length;
            }
            ranks += sent > before;
        }
        most = sent > most ? sent : most;
        *senders = ranks > *senders ? ranks : *senders;
    }
    allfold_case_free(&of, schedules);
    return most;
}

/* One rank of a node sends to others, what an exscan of as many ranks as nodes sends. */
static void test_smp(void **state)
{
    (void)state;
    for (int ppn = 1; ppn <= 4; ppn++)
        for (int count = 2; count <= 12; count++) {
            int64_t keys[4 * 12];
            size_t senders;
            for (int r = 0; r < count * ppn; r++)
                keys[r] = r / ppn;
            const struct allfold_nodes *nodes = allfold_nodes_make(keys, count * ppn);
            assert_non_null(nodes);
            const size_t alone = counted(ALLFOLD_EXSCAN, "doubling_123", (size_t)count).sent;
            assert_int_equal(sent_by_busiest(ALLFOLD_SCAN, "smp", nodes, &senders), alone);
            assert_int_equal(senders, 1);
            assert_int_equal(sent_by_busiest(ALLFOLD_EXSCAN, "smp", nodes, &senders), alone);
            assert_int_equal(senders, 1);
            allfold_nodes_free(nodes);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simultaneous_trees),
        cmocka_unit_test(test_recursive_doubling),
        cmocka_unit_test(test_binomial_tree),
        cmocka_unit_test(test_doubling_123),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_smp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
