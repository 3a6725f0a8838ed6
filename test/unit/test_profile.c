/* Profiles held against the walk: the same loads in the same rounds, for each algorithm and the
 * tried values of its parameters. Placements are in blocks, in turn and uneven.
 *
 * The walk waits for each element apart, a profile for the last message of a span. So in a few
 * rounds of some algorithms a message is a round early or late. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/composed.h"
#include "algorithms/nodes.h"
#include "model/cost/placed.h"
#include "model/cost/walk.h"
#include "model/verify/case.h"
#include "select/choose.h"
#include "support.h"
#include "util/memory.h"

enum { MOST_RANKS = 64, MOST_ROUNDS = 16384 };

/* What the walk shows of each round: of each rank and node, sent and received. */
struct watched {
    const struct allfold_nodes *nodes;
    size_t rounds;
    struct seen {
        struct allfold_load near[MOST_RANKS][2], far[MOST_RANKS][2], node[MOST_RANKS][2];
    } * seen;
};

static void load(struct allfold_load *load, size_t length)
{
    load->messages++;
    load->length += length;
}

static bool on_message(void *context, int from, const struct allfold_step *send, int to,
                       const struct allfold_step *receive, size_t time)
{
    struct watched *of = context;
    const int a = of->nodes->node_of[from], b = of->nodes->node_of[to];
    assert_true(time > 0 && time <= MOST_ROUNDS);
    struct seen *seen = &of->seen[time - 1];
    of->rounds = time > of->rounds ? time : of->rounds;
    load(a == b ? &seen->near[from][0] : &seen->far[from][0], send->length);
    load(a == b ? &seen->near[to][1] : &seen->far[to][1], receive->length);
    if (a != b) {
        load(&seen->node[a][0], send->length);
        load(&seen->node[b][1], receive->length);
    }
    return true;
}

static bool on_local(void *context, int rank, const struct allfold_step *step, size_t time)
{
    (void)context, (void)rank, (void)step, (void)time;
    return true;
}

static struct allfold_load most_of(struct allfold_load loads[][2], int count)
{
    struct allfold_load most = {0, 0};
    for (int i = 0; i < 2 * count; i++) {
        const struct allfold_load *one = &loads[i / 2][i % 2];
        most.messages = one->messages > most.messages ? one->messages : most.messages;
        most.length = one->length > most.length ? one->length : most.length;
    }
    return most;
}

static bool is_load(const struct allfold_load *a, struct allfold_load b)
{
    return a->messages == b.messages && a->length == b.length;
}

/* Is the round what the walk saw? */
static bool is_seen(const struct allfold_round *round, struct seen *seen, int p)
{
    return is_load(&round->near, most_of(seen->near, p)) &&
           is_load(&round->far, most_of(seen->far, p)) &&
           is_load(&round->node, most_of(seen->node, p));
}

/* What differs in how many cases, summed up. */
struct difference {
    size_t cases, rounds, differ; /* rounds with another load */
    size_t longer;                /* cases with another number of rounds */
    size_t alone, alone_differ;   /* cases in which ranks alone have all rounds, and another cost */
    size_t more;                  /* cases in which they have more rounds than all together */
};

static void compare(const struct allfold_profile *profile, struct watched *watched, int p,
                    struct difference *found)
{
    size_t at = 0;
    for (uint32_t i = 0; i < profile->count; i++)
        for (size_t k = 0; k < profile->rounds[i].times; k++, at++)
            found->differ +=
                at >= watched->rounds || !is_seen(&profile->rounds[i], &watched->seen[at], p);
    assert_int_equal(at, profile->length);
    found->cases++;
    found->rounds += watched->rounds;
    found->longer += at != watched->rounds;
}

/* The schedules of a case as the walk sees them. */
static void watch(const struct allfold_case *of, struct watched *watched)
{
    struct allfold_schedule **schedules;
    struct allfold_cost cost;
    char message[200] = "";
    const struct allfold_claim claim = allfold_case_claim(of);
    memset(watched->seen, 0, (watched->rounds + 1) * sizeof *watched->seen);
    watched->nodes = of->nodes;
    watched->rounds = 0;
    const struct allfold_walk_observer observer = {on_local, on_message, watched, NULL, NULL};
    assert_int_equal(allfold_case_build(of, &schedules, message, sizeof message), ALLFOLD_OK);
    assert_int_equal(allfold_walk_observed((const struct allfold_schedule *const *)schedules, of->p,
                                           allfold_claim_ports(&claim), &observer, &cost, message,
                                           sizeof message),
                     ALLFOLD_OK);
    allfold_case_free(of, schedules);
}

static struct allfold_profiled profiled_of(const struct allfold_case *of,
                                           const struct allfold_problem *problem)
{
    const struct allfold_claim claim = allfold_case_claim(of);
    return (struct allfold_profiled){of->algorithm, problem, &of->parameters,
                                     allfold_claim_ports(&claim), .nodes = NULL};
}

/* Ranks alone mostly expect what the whole expects, where they have as many rounds and nodes are
 * even. */
static void compare_alone(struct allfold_profiler *profiler, const struct allfold_case *of,
                          const struct allfold_profile *whole, struct difference *found)
{
    const struct allfold_problem problem = allfold_case_problem(of, 0);
    const double whole_s = allfold_profiled_cost_s(&problem, whole);
    const uint32_t length = whole->length;
    struct allfold_profile alone;
    struct allfold_standing ranks[MOST_RANKS];
    for (int i = 0; i < of->p; i++)
        ranks[i] = (struct allfold_standing){of->nodes->members[i], 1, {1, 1, 1}};
    const struct allfold_profiled profiled = profiled_of(of, &problem);
    assert_int_equal(allfold_profile_of(profiler, ranks, of->p, 0, &profiled, &alone), ALLFOLD_OK);
    const double alone_s = allfold_profiled_cost_s(&problem, &alone);
    found->more += alone.length > length;
    if (alone.length != length)
        return;
    found->alone++;
    found->alone_differ += fabs(alone_s - whole_s) > 0.2 * whole_s;
}

static void check(struct allfold_profiler *profiler, const struct allfold_case *of,
                  struct difference *found)
{
    static struct watched watched;
    struct allfold_profile profile;
    const struct allfold_problem problem = allfold_case_problem(of, 0);
    if (watched.seen == NULL)
        watched.seen = calloc(MOST_ROUNDS, sizeof *watched.seen);
    watch(of, &watched);
    const struct allfold_profiled profiled = profiled_of(of, &problem);
    assert_int_equal(allfold_profile(profiler, &profiled, &profile), ALLFOLD_OK);
    compare(&profile, &watched, of->p, found);
    if (of->nodes->least == of->nodes->most)
        compare_alone(profiler, of, &profile, found);
}

static struct allfold_nodes *placement(int kind, int p)
{
    int64_t keys[MOST_RANKS];
    for (int r = 0; r < p; r++)
        keys[r] = kind == 0 ? r / 8 : kind == 1 ? r % ((p + 3) / 4) : r * r / (3 * p);
    return allfold_nodes_make(keys, p);
}

static struct difference checked(struct allfold_profiler *profiler,
                                 const struct allfold_algorithm *algorithm)
{
    static const int sizes[] = {2, 3, 5, 8, 12, 17, 24, 33, 64};
    struct difference found = {0};
    const unsigned combinations = allfold_tried_count(algorithm, false);
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (unsigned c = 0; c < combinations; c++) {
            struct allfold_nodes *nodes = placement((int)((i + c) % 3), sizes[i]);
            const struct allfold_case of = {.algorithm = algorithm,
                                            .parameters = allfold_tried(algorithm, false, c),
                                            .p = sizes[i],
                                            .root = c % 2 == 0 ? sizes[i] - 1 : 0,
                                            .count =
                                                allfold_has_blocks(algorithm->collective) ? 3 : 100,
                                            .commutes = true,
                                            .nodes = nodes};
            if (nodes->count > 1 && allfold_case_is_served(&of))
                check(profiler, &of, &found);
            allfold_nodes_free(nodes);
        }
    return found;
}

static void test_as_walked(void **state)
{
    (void)state;
    struct allfold_profiler *profiler = allfold_profiler_create();
    struct difference all = {0};
    for (size_t a = 0; allfold_algorithms[a] != NULL; a++) {
        const struct allfold_algorithm *algorithm = allfold_algorithms[a];
        const struct difference found = checked(profiler, algorithm);
        if (found.cases == 0)
            continue;
        if (found.longer * 10 > found.cases || found.differ * 5 > found.rounds)
            fail_msg("%s.%s: of %zu cases %zu have other rounds; of %zu rounds %zu differ",
                     allfold_collective_name(algorithm->collective), algorithm->name, found.cases,
                     found.longer, found.rounds, found.differ);
        all.cases += found.cases;
        all.rounds += found.rounds;
        all.differ += found.differ;
        all.longer += found.longer;
        all.alone += found.alone;
        all.alone_differ += found.alone_differ;
        all.more += found.more;
    }
    print_message(
        "%zu cases, %zu of which have other rounds; %zu of %zu rounds differ; %zu alone, of "
        "which %zu cost otherwise; %zu have more rounds alone\n",
        all.cases, all.longer, all.differ, all.rounds, all.alone, all.alone_differ, all.more);
    assert_true(all.cases > 800 && all.longer * 100 < all.cases);
    assert_true(all.differ * 100 < all.rounds);
    assert_true(all.alone > 200 && all.alone_differ * 5 < all.alone);
    assert_true(all.more * 200 < all.cases);
    allfold_profiler_free(profiler);
}

/* What the claim says of an algorithm that knows nodes, and what its profile does. */
static void compare_claims(const struct allfold_algorithm *algorithm, int count, int ranks,
                           bool in_turn, size_t elements, size_t *cases, size_t *near)
{
    int64_t keys[144];
    const int p = count * ranks;
    for (int r = 0; r < p; r++)
        keys[r] = in_turn ? r % count : r / ranks;
    struct allfold_nodes *nodes = allfold_nodes_make(keys, p);
    const struct allfold_problem problem = {.collective = algorithm->collective,
                                            .group = allfold_group_all(p, 0),
                                            .count = elements,
                                            .element_bytes = 8,
                                            .commutative = true,
                                            .nodes = nodes};
    struct allfold_scales *scales = allfold_scales_create(&problem);
    for (unsigned c = 0; c < allfold_tried_count(algorithm, true); c++) {
        const struct allfold_parameters values = allfold_tried(algorithm, true, c);
        enum allfold_care care = ALLFOLD_BY_CLAIM;
        if (allfold_unmet_need(algorithm, &problem, &values) != NULL)
            continue;
        const double claimed_s = allfold_placed_cost_s(scales, algorithm, &problem, &values, &care);
        if (care != ALLFOLD_BY_ALL)
            break; /* it knows no nodes */
        const double profiled_s =
            allfold_placed_cost_s(scales, algorithm, &problem, &values, &care);
        *near += fabs(claimed_s - profiled_s) <= 0.1 * profiled_s;
        ++*cases;
    }
    allfold_scales_free(scales);
    allfold_nodes_free(nodes);
}

/* Of even nodes, what an algorithm that knows them claims costs what its profile does, within a
 * tenth in seven of ten cases. In most others the profile expects too much. It lets a rank that
 * sends to its node through some ports send through them to other nodes too. And all ranks wait for
 * each other after each round. So a choice looks at no profile of these algorithms. */
static void test_claims_are_enough(void **state)
{
    (void)state;
    static const int shapes[][2] = {{2, 2}, {4, 2}, {3, 3}, {8, 4}, {5, 6}, {16, 8}, {12, 12}};
    static const size_t counts[] = {1, 100, 4096, 1 << 17};
    size_t cases = 0, near = 0;
    for (size_t a = 0; allfold_algorithms[a] != NULL; a++)
        for (size_t i = 0; i < LENGTH(shapes) * LENGTH(counts) * 2; i++) {
            const int nodes = shapes[i % LENGTH(shapes)][0], ranks = shapes[i % LENGTH(shapes)][1];
            const size_t count = counts[i / LENGTH(shapes) % LENGTH(counts)];
            const bool in_turn = i / LENGTH(shapes) / LENGTH(counts) == 1;
            compare_claims(allfold_algorithms[a], nodes, ranks, in_turn, count, &cases, &near);
        }
    print_message("%zu of %zu claims within a tenth\n", near, cases);
    assert_true(cases > 800 && near * 10 > cases * 7);
}

/* An allreduce of five doubles. */
static struct allfold_problem sum_of_five(int p, const struct allfold_nodes *nodes)
{
    return (struct allfold_problem){.collective = ALLFOLD_ALLREDUCE,
                                    .group = allfold_group_all(p, 0),
                                    .count = 5,
                                    .element_bytes = 8,
                                    .commutative = true,
                                    .nodes = nodes};
}

/* The profile of recursive doubling. */
static void profile_doubling(struct allfold_profiler *profiler,
                             const struct allfold_problem *problem, struct allfold_profile *profile)
{
    const struct allfold_algorithm *doubling =
        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling");
    const struct allfold_parameters presets = allfold_parameter_presets(doubling);
    const struct allfold_profiled profiled = {doubling, problem, &presets, 1, .nodes = NULL};
    assert_int_equal(allfold_profile(profiler, &profiled, profile), ALLFOLD_OK);
}

/* By hand: recursive doubling of 8 ranks on 2 nodes has two rounds on the nodes and one between
 * them. In it all four ranks of a node send. Each reduces what it got before it sends again. */
static void test_by_hand(void **state)
{
    (void)state;
    struct allfold_nodes *nodes = allfold_nodes_make((const int64_t[]){0, 0, 0, 0, 1, 1, 1, 1}, 8);
    const struct allfold_problem problem = sum_of_five(8, nodes);
    struct allfold_profiler *profiler = allfold_profiler_create();
    struct allfold_profile profile;
    profile_doubling(profiler, &problem, &profile);
    assert_int_equal(profile.length, 3);
    assert_int_equal(profile.count, 2);
    assert_int_equal(profile.messages, 8 * 3 * 2);
    const struct allfold_round *near = &profile.rounds[0], *far = &profile.rounds[1];
    const struct allfold_load none = {0, 0}, one = {1, 5}, four = {4, 20};
    assert_int_equal(near->times, 2);
    assert_true(is_load(&near->near, one) && is_load(&near->far, none) &&
                is_load(&near->node, none));
    assert_int_equal(far->times, 1);
    assert_true(is_load(&far->near, none) && is_load(&far->far, one) && is_load(&far->node, four));
    assert_true(near->reduced == 5 && far->reduced == 5);
    assert_true(near->beside == 0 && far->beside == 0);
    allfold_profiler_free(profiler);
    allfold_nodes_free(nodes);
}

/* The same with two sockets on each node: the first round stays on them, the second goes between.
 */
static void test_sockets_by_hand(void **state)
{
    (void)state;
    struct allfold_nodes *nodes = allfold_nodes_make((const int64_t[]){0, 0, 0, 0, 1, 1, 1, 1}, 8);
    assert_true(allfold_nodes_divide_evenly(nodes, 2, false));
    struct allfold_cost_model costs = allfold_preset_costs;
    struct allfold_problem problem = sum_of_five(8, nodes);
    struct allfold_profiler *profiler = allfold_profiler_create();
    struct allfold_profile profile;
    profile_doubling(profiler, &problem, &profile);
    assert_int_equal(profile.count, 3);
    const struct allfold_load none = {0, 0}, one = {1, 5};
    const struct allfold_load loads[3][3] = {
        {one, none, none}, {none, one, none}, {none, none, one}};
    for (int i = 0; i < 3; i++)
        assert_true(is_load(&profile.rounds[i].near, loads[i][0]) &&
                    is_load(&profile.rounds[i].across, loads[i][1]) &&
                    is_load(&profile.rounds[i].far, loads[i][2]));
    problem.costs = &costs;
    const double alike_s = allfold_profiled_cost_s(&problem, &profile);
    costs.sockets = costs.node;
    costs.sockets.latency_s += 7e-6;
    const double more_s = allfold_profiled_cost_s(&problem, &profile) - alike_s;
    assert_true(fabs(more_s - 7e-6) < 1e-12);
    allfold_profiler_free(profiler);
    allfold_nodes_free(nodes);
}

/* Where it was measured that messages between sockets take long, what sends few of these is chosen:
 * in turn on their sockets, ranks are renumbered, and a composition reduces on each socket first.
 */
static void test_sockets_are_chosen_for(void **state)
{
    (void)state;
    struct allfold_cost_model slow = allfold_preset_costs;
    slow.sockets = (struct allfold_costs){.latency_s = 3e-6,
                                          .message_s = 1e-6,
                                          .send_s_per_byte = 0.4e-9,
                                          .reduce_s_per_byte = 0.1e-9};
    int64_t of_nodes[64], in_turn[64];
    for (int r = 0; r < 64; r++) {
        of_nodes[r] = r / 16;
        in_turn[r] = r % 2;
    }
    struct allfold_nodes *nodes = allfold_nodes_make(of_nodes, 64);
    assert_true(allfold_nodes_divide(nodes, in_turn));
    struct allfold_problem problem = sum_of_five(64, nodes);
    const struct allfold_algorithm *smp = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "smp");
    struct allfold_parameters plain = allfold_parameter_presets(smp), three = plain;
    three.value[0] = allfold_number_of(allfold_algorithm_find(ALLFOLD_REDUCE, "smp"));
    problem.count = 1024;
    problem.costs = &slow;
    assert_true(allfold_expected_s(smp, &problem, &three) <
                allfold_expected_s(smp, &problem, &plain));
    const struct allfold_algorithm *renumbered =
        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "renumbered");
    const struct allfold_parameters presets = allfold_parameter_presets(renumbered);
    const struct allfold_algorithm *inner = allfold_named(&presets, 0).algorithm;
    const struct allfold_parameters own = allfold_parameter_presets(inner);
    assert_true(allfold_expected_s(renumbered, &problem, &presets) <
                allfold_expected_s(inner, &problem, &own));
    allfold_nodes_free(nodes);
}

/* So does a composition whose node's part is one of lanes of the sockets. Ranks that fill their
 * sockets copy their blocks before, which costs more than ranks in turn on them. */
static void test_lanes_of_sockets(void **state)
{
    (void)state;
    const struct allfold_algorithm *lanes = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "multilane");
    struct allfold_cost_model costs = allfold_preset_costs;
    struct allfold_parameters plain = allfold_parameter_presets(lanes), three = plain;
    double expected_s[2];
    int64_t keys[64];
    three.value[0] =
        allfold_number_of(allfold_algorithm_find(ALLFOLD_REDUCE_SCATTER_BLOCK, "multilane"));
    costs.sockets = costs.node;
    costs.sockets.latency_s = 2e-6;
    for (int r = 0; r < 64; r++)
        keys[r] = r / 16;
    for (int in_turn = 0; in_turn < 2; in_turn++) {
        struct allfold_nodes *nodes = allfold_nodes_make(keys, 64);
        assert_true(allfold_nodes_divide_evenly(nodes, 2, in_turn));
        struct allfold_problem problem = sum_of_five(64, nodes);
        problem.count = 8192;
        problem.costs = &costs;
        expected_s[in_turn] = allfold_expected_s(lanes, &problem, &three);
        if (in_turn)
            assert_true(expected_s[1] < allfold_expected_s(lanes, &problem, &plain));
        allfold_nodes_free(nodes);
    }
    assert_true(expected_s[1] < expected_s[0]);
}

/* An algorithm of the node that knows no sockets leaves them in some rounds. Of the three rounds of
 * 8 ranks that double on two sockets, it is one, before and behind what goes between nodes. A rank
 * that has nothing to send there is a round ahead, and so a sample counts that round twice. */
static void test_rounds_of_no_socket(void **state)
{
    (void)state;
    const struct allfold_algorithm *nap = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "nap");
    struct allfold_parameters doubling = allfold_parameter_presets(nap);
    struct allfold_cost_model costs = allfold_preset_costs;
    int64_t keys[64];
    for (int r = 0; r < 64; r++)
        keys[r] = r / 8;
    struct allfold_nodes *nodes = allfold_nodes_make(keys, 64);
    assert_true(allfold_nodes_divide_evenly(nodes, 2, false));
    struct allfold_problem problem = sum_of_five(64, nodes);
    doubling.value[0] =
        allfold_number_of(allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling"));
    problem.costs = &costs;
    costs.sockets = costs.node;
    const double alike_s = allfold_expected_s(nap, &problem, &doubling);
    costs.sockets.latency_s += 7e-6;
    const double more_s = allfold_expected_s(nap, &problem, &doubling) - alike_s;
    assert_true(more_s > 13.9e-6 && more_s < 21.1e-6);
    allfold_nodes_free(nodes);
}

/* Recursive doubling of 16 ranks on 4 nodes of 2 groups: one round on the nodes, two between nodes.
 * In one of the two, all ranks of a group leave the group. As counted, and as one group's nodes
 * say. */
static void test_groups_by_hand(void **state)
{
    (void)state;
    const struct allfold_algorithm *doubling =
        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling");
    const struct allfold_parameters presets = allfold_parameter_presets(doubling);
    int64_t keys[16], groups[16];
    for (int r = 0; r < 16; r++) {
        keys[r] = r / 2;
        groups[r] = r / 8;
    }
    const struct allfold_group_links links = {0.5, 0.25, 7e-6};
    struct allfold_nodes *nodes = allfold_nodes_make(keys, 16);
    assert_true(allfold_nodes_group_linked(nodes, groups, links));
    struct allfold_problem problem = sum_of_five(16, nodes);
    struct allfold_profiler *profiler = allfold_profiler_create();
    const struct allfold_profiled profiled = {doubling, &problem, &presets, 1, .nodes = NULL};
    const struct allfold_load none = {0, 0}, two = {2, 10}, eight = {8, 40};
    const struct allfold_standing sample[] = {{0, 1, {1}}, {1, 1, {1}}, {2, 1, {2}},
                                              {3, 1, {2}}, {6, 1, {1}}, {7, 1, {1}}};
    for (int some = 0; some < 2; some++) {
        struct allfold_profile profile;
        assert_int_equal(some ? allfold_profile_of(profiler, sample, 6, 0, &profiled, &profile)
                              : allfold_profile(profiler, &profiled, &profile),
                         ALLFOLD_OK);
        assert_int_equal(profile.length, 4);
        assert_int_equal(profile.count, 3);
        const struct allfold_round *inside = &profile.rounds[1], *away = &profile.rounds[2];
        assert_true(inside->times == 2 && is_load(&inside->node, two));
        assert_true(is_load(&inside->group[0], none) && is_load(&inside->group[1], none));
        assert_true(away->times == 1 && is_load(&away->node, two));
        assert_true(is_load(&away->group[0], eight) && is_load(&away->group[1], none));
        assert_true(inside->pair[0] == 0 && away->pair[0] == 40 && away->pair[1] == 0);
    }
    /* the links to the other group take what 160 elements of a card take, which is 150 more; and 7
     * us */
    const struct allfold_cost_model costs = {.node = {1e-6, 1e-6, 1e-9, 1e-9, {{0}}},
                                             .network = {1e-6, 1e-6, 1e-6, 1e-9, {{0}}}};
    struct allfold_nodes *blind = allfold_nodes_make(keys, 16);
    problem.costs = &costs;
    const double told_s = allfold_expected_s(doubling, &problem, &presets);
    problem.nodes = blind;
    const double blind_s = allfold_expected_s(doubling, &problem, &presets);
    assert_true(fabs(told_s - blind_s - 7e-6 - 8 * 150e-6) < 1e-9);
    allfold_profiler_free(profiler);
    allfold_nodes_free(blind);
    allfold_nodes_free(nodes);
}

/* All send to all, on 12 nodes in 6 groups of two, of which each upper group has some. A group has
 * more others than are told apart, and each of them gets the same. */
static void test_pairs_by_hand(void **state)
{
    (void)state;
    const struct allfold_algorithm *flat = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "flat");
    const struct allfold_parameters presets = allfold_parameter_presets(flat);
    const size_t per_pair = 2 * 2 * 5;
    for (int upper = 1; upper <= 3; upper++) {
        int64_t keys[3][12];
        for (int r = 0; r < 12; r++) {
            keys[0][r] = r;
            keys[1][r] = r / 2;
            keys[2][r] = r / 2 * upper / 6;
        }
        struct allfold_nodes *nodes = allfold_nodes_make(keys[0], 12);
        assert_true(allfold_nodes_group(nodes, keys[1]) && allfold_nodes_group(nodes, keys[2]));
        const struct allfold_problem problem = sum_of_five(12, nodes);
        struct allfold_profiler *profiler = allfold_profiler_create();
        const struct allfold_profiled profiled = {flat, &problem, &presets, 11, .nodes = NULL};
        struct allfold_profile profile;
        assert_int_equal(allfold_profile(profiler, &profiled, &profile), ALLFOLD_OK);
        assert_int_equal(profile.length, 1);
        assert_int_equal(profile.rounds->group[0].length, 5 * per_pair);
        assert_int_equal(profile.rounds->pair[0], per_pair);
        const size_t groups = 6 / (size_t)upper; /* of an upper one */
        assert_int_equal(profile.rounds->pair[1], upper == 1 ? 0 : groups * groups * per_pair);
        allfold_profiler_free(profiler);
        allfold_nodes_free(nodes);
    }
}

/* Recursive doubling of 8 nodes, in 4 groups and two upper ones. The rounds go on in a group,
 * between two groups of an upper one, and between the upper ones. Only the links of these count
 * then. */
static void test_pairs_share_an_upper_group(void **state)
{
    (void)state;
    const struct allfold_algorithm *doubling =
        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling");
    const struct allfold_parameters presets = allfold_parameter_presets(doubling);
    struct allfold_nodes *nodes = allfold_nodes_make((const int64_t[]){0, 1, 2, 3, 4, 5, 6, 7}, 8);
    assert_true(allfold_nodes_group(nodes, (const int64_t[]){0, 0, 1, 1, 2, 2, 3, 3}) &&
                allfold_nodes_group(nodes, (const int64_t[]){0, 0, 0, 0, 1, 1, 1, 1}));
    const struct allfold_problem problem = sum_of_five(8, nodes);
    struct allfold_profiler *profiler = allfold_profiler_create();
    const struct allfold_profiled profiled = {doubling, &problem, &presets, 1, .nodes = NULL};
    struct allfold_profile profile;
    assert_int_equal(allfold_profile(profiler, &profiled, &profile), ALLFOLD_OK);
    assert_int_equal(profile.count, 3);
    static const size_t pairs[3][2] = {{0, 0}, {10, 0}, {0, 20}};
    for (int i = 0; i < 3; i++)
        for (int l = 0; l < 2; l++)
            assert_int_equal(profile.rounds[i].pair[l], pairs[i][l]);
    allfold_profiler_free(profiler);
    allfold_nodes_free(nodes);
}

/* What leaves groups of each level, of all rounds together. */
static void sum_groups(const struct allfold_profile *profile, size_t lanes,
                       size_t sums[ALLFOLD_GROUP_LEVELS + 1])
{
    memset(sums, 0, (ALLFOLD_GROUP_LEVELS + 1) * sizeof *sums);
    for (uint32_t i = 0; i < profile->count; i++) {
        const struct allfold_round *round = &profile->rounds[i];
        sums[ALLFOLD_GROUP_LEVELS] += lanes * round->times * round->node.length;
        for (int l = 0; l < ALLFOLD_GROUP_LEVELS; l++)
            sums[l] += lanes * round->times * round->group[l].length;
    }
}

/* Nodes of so many ranks in blocks or in turn, groups of three nodes, and of two groups. */
static struct allfold_nodes *grouped(int count, int ranks, bool in_turn)
{
    int64_t keys[64], groups[64], wider[64];
    assert_true(count * ranks <= 64);
    for (int r = 0; r < count * ranks; r++) {
        keys[r] = in_turn ? r % count : r / ranks;
        groups[r] = keys[r] / 3;
        wider[r] = keys[r] / 6;
    }
    struct allfold_nodes *nodes = allfold_nodes_make(keys, count * ranks);
    assert_true(allfold_nodes_group(nodes, groups) && allfold_nodes_group(nodes, wider));
    return nodes;
}

/* A leaf of a tree has one message up and one down. The way to the root has all rounds. */
static void test_follows_data_up_a_tree(void **state)
{
    (void)state;
    static const char *const trees[] = {"bine_tree", "binomial_tree"};
    struct allfold_nodes *nodes = grouped(16, 4, true);
    const struct allfold_problem problem = sum_of_five(64, nodes);
    struct allfold_profiler *profiler = allfold_profiler_create();
    for (size_t i = 0; i < LENGTH(trees); i++) {
        const struct allfold_algorithm *tree = allfold_algorithm_find(ALLFOLD_ALLREDUCE, trees[i]);
        const struct allfold_parameters presets = allfold_parameter_presets(tree);
        const struct allfold_claim claim = tree->claim(&problem, &presets);
        const struct allfold_standing leaf = {63, 1, {1, 1, 1}};
        struct allfold_profiled profiled = {tree, &problem, &presets, 1, .rounds = 0};
        struct allfold_profile profile;
        assert_int_equal(allfold_profile_of(profiler, &leaf, 1, 0, &profiled, &profile),
                         ALLFOLD_OK);
        assert_true(profile.length < claim.rounds);
        profiled.rounds = claim.rounds;
        assert_int_equal(allfold_profile_of(profiler, &leaf, 1, 0, &profiled, &profile),
                         ALLFOLD_OK);
        assert_int_equal(profile.length, claim.rounds);
    }
    allfold_profiler_free(profiler);
    allfold_nodes_free(nodes);
}

/* Is what the whole composition sends out of nodes and groups what its part between the nodes does,
 * once a lane? */
static bool is_part_all(struct allfold_profiler *profiler, const struct allfold_algorithm *of,
                        const struct allfold_parameters *values,
                        const struct allfold_problem *problem)
{
    size_t whole[ALLFOLD_GROUP_LEVELS + 1], part[ALLFOLD_GROUP_LEVELS + 1];
    struct allfold_profile profile;
    const struct allfold_claim claim = of->claim(problem, values);
    const struct allfold_profiled all = {of, problem, values, allfold_claim_ports(&claim),
                                         .nodes = NULL};
    assert_int_equal(allfold_profile(profiler, &all, &profile), ALLFOLD_OK);
    sum_groups(&profile, 1, whole);

    struct allfold_problem inner = allfold_inner_problem(
        problem, claim.between, problem->nodes->count, claim.between_count, NULL);
    const struct allfold_parameters presets = allfold_parameter_presets(claim.between);
    struct allfold_nodes *alone = grouped(problem->nodes->count, 1, false);
    const struct allfold_profiled between = {claim.between, &inner, &presets, all.ports,
                                             .nodes = alone};
    inner.root = problem->nodes->node_of[problem->root];
    assert_int_equal(allfold_profile(profiler, &between, &profile), ALLFOLD_OK);
    sum_groups(&profile, claim.far_lanes, part);
    allfold_nodes_free(alone);
    return memcmp(whole, part, sizeof whole) == 0;
}

/* What a composition sends between nodes is what its claim's part says, for all that compositions
 * may name, where both have the same ports. In a few cases ranks of a node begin it in different
 * rounds. */
static void test_parts_between_nodes(void **state)
{
    (void)state;
    static const int shapes[][2] = {{8, 4}, {7, 2}, {12, 4}, {9, 3}};
    struct allfold_profiler *profiler = allfold_profiler_create();
    size_t cases = 0, equal = 0;
    for (size_t a = 0; allfold_algorithms[a] != NULL; a++)
        for (size_t i = 0; i < 2 * LENGTH(shapes); i++) {
            const struct allfold_algorithm *of = allfold_algorithms[a];
            struct allfold_nodes *nodes = grouped(shapes[i / 2][0], shapes[i / 2][1], i % 2 == 1);
            const struct allfold_problem problem = {
                .collective = of->collective,
                .group = allfold_group_all(nodes->first[nodes->count], 0),
                .count = 5040,
                .root = of->collective == ALLFOLD_BCAST || of->collective == ALLFOLD_REDUCE ? 5 : 0,
                .element_bytes = 8,
                .commutative = true,
                .nodes = nodes};
            for (unsigned c = 0; c < allfold_tried_count(of, true); c++) {
                const struct allfold_parameters values = allfold_tried(of, true, c);
                if (allfold_unmet_need(of, &problem, &values) != NULL ||
                    of->claim(&problem, &values).between == NULL)
                    continue;
                cases++;
                equal += is_part_all(profiler, of, &values, &problem);
            }
            allfold_nodes_free(nodes);
        }
    print_message("%zu of %zu parts between nodes are all that leaves groups\n", equal, cases);
    assert_true(cases > 300 && equal * 100 >= cases * 97);
    allfold_profiler_free(profiler);
}

/* On nodes of one machine its cores send what all nodes send, so four lanes of two nodes have two
 * turns on two cores, and one latency more. Where each rank has a core they have two and a half.
 * One lane has one turn, as on several machines. */
static void test_one_machine(void **state)
{
    (void)state;
    struct allfold_nodes *nodes = allfold_nodes_make((const int64_t[]){0, 0, 0, 0, 1, 1, 1, 1}, 8);
    const struct allfold_cost_model costs = {.node = {0.5e-6, 0.1e-6, 0.1e-9, 0.1e-9, {{0}}},
                                             .network = {1e-6, 0.2e-6, 0.1e-9, 0.1e-9, {{0}}}};
    struct allfold_problem problem = sum_of_five(8, nodes);
    static const int cores[] = {0, 2, 8};
    double times_s[2][3];
    problem.count = 4; /* one element a lane */
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            const struct allfold_algorithm *of =
                allfold_algorithm_find(ALLFOLD_ALLREDUCE, k == 0 ? "smp" : "multilane");
            const struct allfold_parameters presets = allfold_parameter_presets(of);
            allfold_nodes_set_machine(nodes, cores[i], 8);
            problem.costs = &costs;
            times_s[k][i] = allfold_expected_s(of, &problem, &presets);
        }
    assert_true(times_s[0][0] == times_s[0][1] && times_s[0][0] == times_s[0][2]);
    for (int i = 1; i < 3; i++) {
        const double expected_s = (i == 1 ? 1e-6 : 1.5e-6) - 4 * 8 * 0.1e-9;
        const double more_s = times_s[1][i] - times_s[1][0];
        if (fabs(more_s - expected_s) > 1e-12)
            fail_msg("%g us more, expected %g", 1e6 * more_s, 1e6 * expected_s);
    }
    allfold_nodes_set_machine(nodes, 2, 8);
    problem.costs = NULL;
    for (problem.count = 1; problem.count <= 256; problem.count *= 2) {
        struct allfold_choice choice;
        char message[200];
        assert_int_equal(allfold_choose(NULL, &problem, &choice, message, sizeof message),
                         ALLFOLD_OK);
        assert_int_equal(choice.algorithm->claim(&problem, &choice.parameters).far_lanes, 1);
    }
    allfold_nodes_free(nodes);
}

/* What a composition on 16 nodes of 8 ranks takes where a further message on a node takes so long.
 */
static double composed_s(const char *text, double message_s)
{
    enum { NODES = 16, P = 8 * NODES };
    int64_t keys[P];
    for (int r = 0; r < P; r++)
        keys[r] = r / (P / NODES);
    struct allfold_nodes *nodes = allfold_nodes_make(keys, P);
    const struct allfold_cost_model costs = {.node = {0.5e-6, message_s, 0.1e-9, 0.1e-9, {{0}}},
                                             .network = {1e-6, 0.2e-6, 0.1e-9, 0.1e-9, {{0}}}};
    const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                            .group = allfold_group_all(P, 0),
                                            .count = 64,
                                            .element_bytes = 8,
                                            .commutative = true,
                                            .nodes = nodes,
                                            .costs = &costs};
    struct allfold_rules rules = {.count = 0};
    const struct allfold_guides guides = {.rules = &rules};
    struct allfold_choice choice;
    char message[200];
    assert_int_equal(allfold_rules_read(ALLFOLD_ALLREDUCE, text, &rules, message, sizeof message),
                     ALLFOLD_OK);
    assert_int_equal(allfold_choose(&guides, &problem, &choice, message, sizeof message),
                     ALLFOLD_OK);
    const double cost_s = allfold_expected_s(choice.algorithm, &problem, &choice.parameters);
    allfold_nodes_free(nodes);
    return cost_s;
}

/* Lanes that send three messages at a time make no message on a node dearer: circulant sends one a
 * round there. The flat tree's seven come at once on the way up, and on the way down. */
static void test_messages_on_nodes(void **state)
{
    (void)state;
    const char *one = "multilane(node=circulant,lanes=recursive_multiplying)";
    const char *seven = "smp(node=flat,leaders=recursive_multiplying)";
    assert_true(fabs(composed_s(one, 1e-6) - composed_s(one, 1e-7)) < 1e-12);
    assert_true(fabs(composed_s(seven, 1e-6) - composed_s(seven, 1e-7) - 12 * 0.9e-6) < 1e-12);
}

/* What the ring of the nodes takes where 32 nodes of 4 ranks are in groups of 4. */
static double ring_of_nodes_s(bool in_turn)
{
    enum { NODES = 32, P = 4 * NODES };
    int64_t keys[P], switches[P];
    for (int r = 0; r < P; r++) {
        keys[r] = in_turn ? r % NODES : r / 4;
        switches[r] = keys[r] / 4;
    }
    struct allfold_nodes *nodes = allfold_nodes_make(keys, P);
    assert_true(allfold_nodes_group(nodes, switches));
    const struct allfold_cost_model costs = {.node = {0.5e-6, 0.1e-6, 0.1e-9, 0.1e-9, {{0}}},
                                             .network = {1e-6, 0.2e-6, 0.1e-9, 0.1e-9, {{0}}}};
    const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                            .group = allfold_group_all(P, 0),
                                            .count = 1 << 17,
                                            .element_bytes = 8,
                                            .commutative = true,
                                            .nodes = nodes,
                                            .costs = &costs};
    const struct allfold_algorithm *bucket =
        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "multilane_bucket");
    const struct allfold_parameters presets = allfold_parameter_presets(bucket);
    const double cost_s = allfold_expected_s(bucket, &problem, &presets);
    allfold_nodes_free(nodes);
    return cost_s;
}

/* It goes from node to node, so the order of the ranks changes nothing. */
static void test_rings_follow_nodes(void **state)
{
    (void)state;
    assert_true(fabs(ring_of_nodes_s(true) - ring_of_nodes_s(false)) < 1e-9);
}

static double bucket_s(size_t segment, double latency_s)
{
    enum { P = 32 };
    int64_t keys[P];
    for (int r = 0; r < P; r++)
        keys[r] = r;
    struct allfold_nodes *nodes = allfold_nodes_make(keys, P);
    const struct allfold_cost_model costs = {.node = {0.5e-6, 0.1e-6, 0.1e-9, 0, {{0}}},
                                             .network = {latency_s, 0.2e-6, 0.1e-9, 0, {{0}}}};
    const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                            .group = allfold_group_all(P, 0),
                                            .count = P << 16, /* blocks of 512 KiB */
                                            .element_bytes = 8,
                                            .commutative = true,
                                            .nodes = nodes,
                                            .costs = &costs};
    const struct allfold_algorithm *bucket = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "bucket");
    const struct allfold_parameters parameters = {.value = {segment}};
    const double cost_s = allfold_expected_s(bucket, &problem, &parameters);
    allfold_nodes_free(nodes);
    return cost_s;
}

/* Whole blocks wait for each latency. Of 16 segments the links are busy with eight, unless these
 * take less than a latency does. */
static void test_segments_hide_latency(void **state)
{
    (void)state;
    const double rounds = 2 * 31, block_s = (512 << 10) * 0.1e-9, part_s = block_s / 16;
    const double table[][2] = {
        {bucket_s(0, 20e-6), rounds * (20e-6 + block_s)},
        {bucket_s(32 << 10, 20e-6), rounds * 16 * (0.2e-6 + part_s)},
        {bucket_s(32 << 10, 200e-6), rounds * 16 / 8 * (200e-6 + part_s)},
    };
    for (size_t i = 0; i < LENGTH(table); i++)
        assert_true(fabs(table[i][0] / table[i][1] - 1) < 0.02);
}

/* Without memory it says so. */
static void test_without_memory(void **state)
{
    (void)state;
    const struct allfold_algorithm *ring = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "ring");
    const struct allfold_parameters presets = allfold_parameter_presets(ring);
    struct allfold_nodes *nodes = placement(0, 24);
    const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                            .group = allfold_group_all(24, 0),
                                            .count = 1000,
                                            .element_bytes = 8,
                                            .commutative = true,
                                            .nodes = nodes};
    unsigned long failing = 1;
    double cost_s = -1;
    for (; cost_s < 0; failing++) {
        allfold_fail_allocation(failing);
        cost_s = allfold_expected_s(ring, &problem, &presets);
        allfold_fail_allocation(0);
    }
    assert_in_range(failing, 3, 100);
    allfold_nodes_free(nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_walked),
        cmocka_unit_test(test_claims_are_enough),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_sockets_by_hand),
        cmocka_unit_test(test_sockets_are_chosen_for),
        cmocka_unit_test(test_lanes_of_sockets),
        cmocka_unit_test(test_rounds_of_no_socket),
        cmocka_unit_test(test_groups_by_hand),
        cmocka_unit_test(test_pairs_by_hand),
        cmocka_unit_test(test_pairs_share_an_upper_group),
        cmocka_unit_test(test_follows_data_up_a_tree),
        cmocka_unit_test(test_parts_between_nodes),
        cmocka_unit_test(test_one_machine),
        cmocka_unit_test(test_messages_on_nodes),
        cmocka_unit_test(test_rings_follow_nodes),
        cmocka_unit_test(test_segments_hide_latency),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
