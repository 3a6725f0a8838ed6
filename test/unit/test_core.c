/* The public functions of allfold_core.h that the library itself does not use, and what they say to
 * arguments that are wrong. Includes nothing else of Allfold's, as a program outside would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ALLFOLD_VERBS
#include "allfold_core.h"

/* Rank 0 of 2 sends its input and receives the result. */
static void test_schedule_by_hand(void **context)
{
    const struct allfold_shape shape = {
        .group = allfold_group_all(2, 0), .in_length = 3, .out_length = 3};
    struct allfold_builder *s = allfold_builder_create(&shape);
    struct allfold_schedule *schedule;
    size_t count;
    (void)context;
    assert_non_null(s);
    const struct allfold_span room = scratch(s, 5);
    exchange(s, 1, span(ALLFOLD_IN, 0, 3), 1, part(room, 1, 3));
    copy(s, span(ALLFOLD_OUT, 0, 3), part(room, 1, 3));
    assert_int_equal(allfold_builder_freeze(s, &schedule), ALLFOLD_OK);
    allfold_builder_free(s);
    const struct allfold_step *steps = allfold_schedule_steps(schedule, &count);
    assert_int_equal(count, 3);
    assert_int_equal(steps[0].kind, ALLFOLD_STEP_SEND);
    assert_int_equal(steps[1].kind, ALLFOLD_STEP_RECEIVE);
    assert_int_equal(steps[2].kind, ALLFOLD_STEP_COPY);
    assert_int_equal(allfold_schedule_length(schedule, ALLFOLD_IN), 3);
    assert_int_equal(allfold_schedule_length(schedule, ALLFOLD_SCRATCH), 5);
    assert_int_equal(allfold_schedule_length(schedule, ALLFOLD_SCRATCH + 1), 0);
    assert_int_equal(allfold_schedule_length(schedule, -1), 0);
    assert_int_equal(allfold_schedule_scratch(schedule), 5);
    allfold_schedule_free(schedule);
}

/* Its own algorithms are there by number and by name, and nothing behind the last. */
static void test_algorithms(void **context)
{
    size_t count = 0;
    (void)context;
    for (const struct allfold_algorithm *a; (a = allfold_algorithm_number(count)) != NULL; count++)
        assert_ptr_equal(a, allfold_algorithm_find(a->collective, a->name));
    assert_true(count > 20);
    assert_null(allfold_algorithm_number(count + 1));
}

static const struct allfold_algorithm *doubling(void)
{
    return allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling");
}

static void test_case(void **context)
{
    struct allfold_case of = {.algorithm = doubling(), .p = 8, .count = 2};
    struct allfold_schedule **schedules;
    struct allfold_cost cost;
    char text[100];
    (void)context;
    assert_int_equal(allfold_case_build(&of, &schedules, NULL, 0), ALLFOLD_OK);
    assert_int_equal(
        allfold_walk((const struct allfold_schedule *const *)schedules, of.p, 1, &cost, NULL, 0),
        ALLFOLD_OK);
    assert_int_equal(cost.rounds, 3);
    assert_int_equal(cost.sent, 6);
    allfold_case_free(&of, schedules);
    allfold_case_title(&of, text, sizeof text);
    assert_string_equal(text, "allreduce.recursive_doubling, p = 8, 2 elements");
    struct allfold_verifier *verifier = allfold_verifier_create();
    assert_non_null(verifier);
    assert_int_equal(allfold_verify_case(verifier, &of, NULL), ALLFOLD_OK);
    allfold_verifier_free(verifier);
}

/* Rank 0 waits for a message that rank 1 never sends. */
static void build_waiting(struct allfold_builder *s, const struct allfold_problem *problem,
                          const struct allfold_parameters *parameters)
{
    (void)parameters;
    if (problem->group.index == 0)
        recv_from(s, 1, span(ALLFOLD_OUT, 0, 1));
}

static struct allfold_claim claim_nothing(const struct allfold_problem *problem,
                                          const struct allfold_parameters *parameters)
{
    (void)problem;
    (void)parameters;
    return (struct allfold_claim){.divisor = 1};
}

/* It is drawn, and the verifier blames the message. */
static void test_wrong(void **context)
{
    const struct allfold_algorithm waiting = {.name = "waiting",
                                              .collective = ALLFOLD_ALLREDUCE,
                                              .build = build_waiting,
                                              .claim = claim_nothing};
    struct allfold_case of = {.algorithm = &waiting, .p = 2, .count = 1};
    struct allfold_verifier *verifier = allfold_verifier_create();
    struct allfold_blame blame;
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    (void)context;
    assert_true(stream != NULL && verifier != NULL);
    assert_int_equal(allfold_picture_draw(&of, ALLFOLD_PICTURE_TEXT, stream, NULL, 0), ALLFOLD_OK);
    fclose(stream);
    assert_int_not_equal(allfold_verify_case(verifier, &of, &blame), ALLFOLD_OK);
    assert_int_equal(blame.kind, ALLFOLD_BLAME_NEVER_SENT);
    assert_int_equal(blame.rank, 0);
    assert_int_equal(blame.peer, 1);
    assert_non_null(strstr(text, "never"));
    assert_string_equal(allfold_blame_kind_name(blame.kind), "never sent");
    allfold_verifier_free(verifier);
    free(text);
}

static void test_picture(void **context)
{
    struct allfold_case of = {.algorithm = doubling(), .p = 4, .count = 1};
    char *text = NULL, message[100] = "";
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    (void)context;
    assert_non_null(stream);
    assert_int_equal(allfold_picture_draw(&of, ALLFOLD_PICTURE_SVG, stream, NULL, 0), ALLFOLD_OK);
    of.p = ALLFOLD_PICTURE_RANKS + 1;
    assert_int_equal(
        allfold_picture_draw(&of, ALLFOLD_PICTURE_TEXT, stream, message, sizeof message),
        ALLFOLD_BAD_INPUT);
    assert_string_equal(message, "65 ranks: a picture is drawn for up to 64");
    fclose(stream);
    assert_non_null(strstr(text, "</svg>"));
    assert_null(strstr(text, "\nround 1\n")); /* as text has it */
    free(text);
}

static void test_networks(void **context)
{
    struct allfold_network *network;
    char message[300] = "";
    (void)context;
    for (size_t i = 0; allfold_network_preset_name(i) != NULL; i++) {
        char *text = NULL;
        size_t bytes;
        assert_int_equal(allfold_network_open(allfold_network_preset_name(i), &network, NULL, 0),
                         ALLFOLD_OK);
        FILE *stream = open_memstream(&text, &bytes);
        assert_non_null(stream);
        allfold_network_write(network, stream);
        fclose(stream);
        allfold_network_free(network);
        assert_int_equal(allfold_network_parse(text, &network, NULL, 0), ALLFOLD_OK);
        allfold_network_free(network);
        free(text);
    }
    assert_int_equal(allfold_network_open("no_such", &network, message, sizeof message),
                     ALLFOLD_BAD_INPUT);
    assert_null(network);
    assert_non_null(strstr(message, "no_such"));
    assert_int_equal(allfold_network_parse("network: speed=3", &network, message, sizeof message),
                     ALLFOLD_BAD_INPUT);
    assert_null(network);
}

/* What is 0 has its preset; a root or a window that there is not is refused. */
static void test_simulation(void **context)
{
    const int64_t node_of[] = {0, 0, 1, 1};
    const struct allfold_nodes *nodes = allfold_nodes_make(node_of, 4);
    struct allfold_network *network;
    struct allfold_simulated simulated, other;
    char message[300] = "";
    (void)context;
    assert_non_null(nodes);
    assert_int_equal(allfold_network_open("cluster", &network, NULL, 0), ALLFOLD_OK);
    struct allfold_simulation of = {.algorithm = doubling(),
                                    .bytes = 1 << 20,
                                    .element_bytes = 8,
                                    .nodes = nodes,
                                    .network = network};
    assert_int_equal(allfold_simulate(&of, &simulated, message, sizeof message), ALLFOLD_OK);
    of.window = ALLFOLD_SIMULATED_WINDOW;
    of.memory_bytes = (size_t)1 << 30;
    assert_int_equal(allfold_simulate(&of, &other, message, sizeof message), ALLFOLD_OK);
    assert_true(simulated.time_s > 0 && simulated.steps == other.steps);
    assert_memory_equal(&simulated.time_s, &other.time_s, sizeof simulated.time_s);
    of.window = 3;
    assert_int_equal(allfold_simulate(&of, &other, message, sizeof message), ALLFOLD_BAD_INPUT);
    assert_string_equal(message, "a window of 3: expected a power of two up to 64");
    of.window = 0;
    of.root = 4;
    assert_int_equal(allfold_simulate(&of, &other, message, sizeof message), ALLFOLD_BAD_INPUT);
    assert_string_equal(message, "root 4 is not one of 4 ranks");
    allfold_network_free(network);
    allfold_nodes_free(nodes);
}

/* What an algorithm outside the library may ask of nodes. */
static void test_nodes(void **context)
{
    const int64_t keys[] = {4, 9, 4, 9, 7, 4}, sockets[] = {0, 0, 1, 1, 0, 0},
                  switches[] = {0, 1, 0, 1, 0, 0};
    const struct allfold_group_level level = {.keys = switches};
    const struct allfold_nodes_facts facts = {
        .p = 6, .keys = keys, .sockets = sockets, .groups = &level, .levels = 1};
    const struct allfold_nodes *nodes = allfold_nodes_create(&facts);
    int count;
    (void)context;
    assert_int_equal(allfold_nodes_count(nodes), 3);
    assert_int_equal(allfold_nodes_find(nodes, 3), 1);
    assert_memory_equal(allfold_nodes_ranks(nodes, 0, &count), ((const int[]){0, 2, 5}),
                        3 * sizeof(int));
    assert_int_equal(count, 3);
    const struct allfold_nodes *groups = allfold_nodes_groups(nodes);
    assert_int_equal(allfold_nodes_count(groups), 2);
    assert_int_equal(allfold_nodes_find(groups, 2), 0); /* of node 2 */
    assert_memory_equal(allfold_nodes_ranks(groups, 0, &count), ((const int[]){0, 4}),
                        2 * sizeof(int));
    assert_null(allfold_nodes_groups(groups));
    assert_int_equal(allfold_nodes_find(allfold_nodes_sockets(nodes, 0), 1), 1);
    assert_null(allfold_nodes_sockets(nodes, 1)); /* each on its own */
    assert_null(allfold_nodes_sockets(nodes, 2));
    allfold_nodes_free(nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedule_by_hand),
        cmocka_unit_test(test_algorithms),
        cmocka_unit_test(test_case),
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_simulation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
