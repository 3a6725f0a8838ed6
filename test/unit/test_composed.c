/* Compositions: each way there has its way back, which the compositions go; and which ranks deal
 * with other nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/composed.h"
#include "lab/verify/verifier.h"
#include "support.h"

enum { MOST_RANKS = 16, NODES = 2 };

/* The inner algorithm of that number in the list where it has, or must have, a way back; else NULL.
 */
static const struct allfold_algorithm *way_there(size_t i)
{
    const struct allfold_algorithm *algorithm = allfold_algorithms[i];
    const enum allfold_collective of = algorithm->collective;
    const bool returns = of == ALLFOLD_REDUCE || of == ALLFOLD_REDUCE_SCATTER_BLOCK;
    return algorithm->is_inner && returns ? algorithm : NULL;
}

static void test_ways_back(void **state)
{
    (void)state;
    int found = 0;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *there = way_there(i);
        if (there == NULL) {
            assert_null(allfold_algorithms[i]->back);
            continue;
        }
        found++;
        assert_non_null(there->back);
        assert_int_equal(there->back->collective,
                         there->collective == ALLFOLD_REDUCE ? ALLFOLD_BCAST : ALLFOLD_ALLGATHER);
    }
    assert_true(found >= 2);
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

/* Are they alike for every p, with the presets and with other values of the parameters? Where the
 * way there serves, so must its way back. *serves is false where it needs to know nodes. */
static bool is_like(const struct allfold_algorithm *algorithm, bool *serves)
{
    static const size_t counts[] = {1, 7, 1000, 3000000};
    const unsigned values = 1 + allfold_tried_count(algorithm, false);
    bool like = true;
    *serves = false;
    for (unsigned i = 0; i < 64 * LENGTH(counts) * values; i++) {
        const int p = 1 + (int)(i % 64);
        const unsigned value = i / 64 / LENGTH(counts);
        struct allfold_case there = case_of(algorithm, p, counts[i / 64 % LENGTH(counts)]);
        if (value > 0)
            there.parameters = allfold_tried(algorithm, false, value - 1);
        const struct allfold_named way_back =
            allfold_way_back((struct allfold_named){algorithm, there.parameters});
        struct allfold_case back = case_of(way_back.algorithm, p, there.count);
        back.parameters = way_back.parameters;
        if (!is_served(&there))
            continue;
        *serves = true;
        assert_true(is_served(&back));
        const struct allfold_claim up = allfold_case_claim(&there);
        const struct allfold_claim down = allfold_case_claim(&back);
        like &= up.rounds == down.rounds && up.reduced == down.sent;
    }
    return like;
}

static void test_ways_back_are_alike(void **state)
{
    (void)state;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *there = way_there(i);
        bool serves = false;
        const bool like = there != NULL && is_like(there, &serves);
        if (serves && like == there->back_differs)
            fail_msg("%s.%s says that its way back %s", allfold_collective_name(there->collective),
                     there->name, there->back_differs ? "differs" : "is like it");
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
static void check_traffic(const char *name, const struct allfold_algorithm *there, int ppn,
                          size_t n)
{
    int64_t keys[NODES * MOST_RANKS];
    struct traffic expected = {{{0}}}, found = {{{0}}};
    const struct allfold_algorithm *back = there->back;
    const bool has_blocks = allfold_has_blocks(there->collective);
    const size_t count = has_blocks ? n / (size_t)ppn : n;
    const struct allfold_case up = case_of(there, ppn, count), down = case_of(back, ppn, count);
    if (!is_served(&up))
        return;
    for (int r = 0; r < NODES * ppn; r++)
        keys[r] = r / ppn;
    const struct allfold_nodes *nodes = allfold_nodes_make(keys, NODES * ppn);
    assert_non_null(nodes);
    struct allfold_case whole =
        case_of(allfold_algorithm_find(ALLFOLD_ALLREDUCE, name), NODES * ppn, n);
    whole.nodes = nodes;
    whole.parameters.value[0] = allfold_number_of(there);
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
        for (size_t n = (size_t)ppn; n <= 400000 * (size_t)ppn; n *= 400000)
            for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
                const struct allfold_algorithm *there = way_there(i);
                if (there != NULL)
                    check_traffic(allfold_has_blocks(there->collective) ? "multilane" : "smp",
                                  there, ppn, n);
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
        const struct allfold_nodes *nodes = allfold_nodes_make(table[i].keys, 6);
        assert_non_null(nodes);
        struct allfold_case of = case_of(allfold_algorithm_find(ALLFOLD_BCAST, "smp"), 6, 10);
        of.nodes = nodes;
        of.root = table[i].root;
        const struct allfold_problem problem = allfold_case_problem(&of, 0);
        const struct allfold_claim claim =
            allfold_smp_claim(&problem, allfold_with_presets(flat), allfold_with_presets(flat));
        const size_t others = (size_t)(nodes->count + nodes->most - 2), hops = table[i].hops;
        assert_int_equal(allfold_smp_lane(&problem), table[i].lane);
        assert_int_equal(claim.rounds, 2 + hops);
        assert_int_equal(claim.sent, 10 * (others + hops));
        assert_true(claim.is_bound);
        allfold_nodes_free(nodes);
    }
}

/* Where the sockets of nodes differ, sums of several nodes have the same brackets all the same: nap
 * sees sockets in its first sum alone, which is of one node. */
static void test_unlike_sockets(void **state)
{
    (void)state;
    enum { P = 16 };
    static const int64_t sockets[][P] = {{0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0, 1},
                                         {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}};
    static const char *const inner[] = {"smp", "bucket", "recursive_doubling"};
    struct allfold_verifier *verifier = allfold_verifier_create();
    int64_t keys[P];
    for (int r = 0; r < P; r++)
        keys[r] = r / 4;
    for (size_t i = 0; i < LENGTH(inner) * LENGTH(sockets); i++) {
        const struct allfold_nodes *nodes =
            extended(allfold_nodes_make(keys, P),
                     (struct allfold_nodes_facts){.sockets = sockets[i % LENGTH(sockets)]});
        struct allfold_case of = case_of(allfold_algorithm_find(ALLFOLD_ALLREDUCE, "nap"), P, 9);
        struct allfold_blame blame = {.text = ""};
        assert_non_null(verifier);
        of.nodes = nodes;
        of.commutes = true;
        of.parameters.value[0] = number_of(ALLFOLD_ALLREDUCE, inner[i / LENGTH(sockets)]);
        assert_true(is_served(&of));
        if (allfold_verify_case(verifier, &of, &blame) != ALLFOLD_OK)
            fail_msg("%s", blame.text);
        allfold_nodes_free(nodes);
    }
    allfold_verifier_free(verifier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways_back),
        cmocka_unit_test(test_ways_back_are_alike),
        cmocka_unit_test(test_compositions_go_that_way),
        cmocka_unit_test(test_lane_of_root),
        cmocka_unit_test(test_unlike_sockets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
