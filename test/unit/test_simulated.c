/* The built-in table: its rows are sorted and can be read, each serves its own shape, the nearest
 * shape holds between them, and what cannot serve gives way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "topology/cables.h"
#include "topology/nodes.h"
#include "select/choose.h"
#include "select/rules.h"
#include "select/simulated.h"
#include "support.h"

/* Nodes of `ranks` ranks each, in blocks or dealt out in turn. */
static const struct allfold_nodes *placed(int count, int ranks, bool in_blocks)
{
    enum { MOST = 1024 };
    int64_t keys[MOST];
    assert_in_range(count * ranks, 1, MOST);
    for (int r = 0; r < count * ranks; r++)
        keys[r] = in_blocks ? r / ranks : r % count;
    return allfold_nodes_make(keys, count * ranks);
}

static struct allfold_problem problem_on(const struct allfold_nodes *nodes,
                                         enum allfold_collective collective,
                                         enum allfold_operation_class operation, size_t bytes)
{
    const int p = nodes->first[nodes->count];
    const bool has_blocks = allfold_has_blocks(collective);
    return (struct allfold_problem){
        .collective = collective,
        .group = allfold_group_all(p, 0),
        .count = has_blocks ? (bytes / 8 + (size_t)p - 1) / (size_t)p : bytes / 8,
        .element_bytes = 8,
        .commutative = operation == ALLFOLD_COMMUTATIVE || !allfold_has_operation(collective),
        .canonical = operation == ALLFOLD_CANONICAL,
        .nodes = nodes,
    };
}

static struct allfold_simulated_choice found(const struct allfold_problem *problem)
{
    struct allfold_simulated_choice choice;
    if (!allfold_simulated_find(problem, &choice))
        fail_msg("%s on %d x %d: no row", allfold_collective_name(problem->collective),
                 problem->nodes->count, problem->nodes->most);
    assert_null(allfold_unmet_need(choice.algorithm, problem, &choice.parameters));
    return choice;
}

static uint64_t key_of(const struct allfold_simulated_row *row)
{
    return ((((((uint64_t)row->collective * 4 + row->operation) * 16 + row->network) * 2 +
              row->in_blocks) *
                 4096 +
             row->nodes) *
                512 +
            row->ppn);
}

static void test_rows(void **state)
{
    (void)state;
    uint32_t count;
    const struct allfold_simulated_row *rows = allfold_simulated_rows(&count);
    assert_true(count > 500);
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_algorithm *algorithm;
        struct allfold_parameters parameters;
        char message[300];
        const bool is_first = i == 0 || key_of(&rows[i]) != key_of(&rows[i - 1]);
        assert_true(i == 0 || key_of(&rows[i]) >= key_of(&rows[i - 1]));
        assert_true(is_first ? rows[i].from_bytes == 0
                             : rows[i].from_bytes > rows[i - 1].from_bytes);
        assert_true(rows[i].from_bytes <= rows[i].at_bytes);
        assert_true(rows[i].us > 0);
        for (int other = 0; other < 2; other++) {
            const char *name =
                allfold_simulated_name(other ? rows[i].runner_up : rows[i].algorithm);
            if (other && name[0] == '\0')
                continue;
            if (allfold_algorithm_read((enum allfold_collective)rows[i].collective, name,
                                       &algorithm, &parameters, message,
                                       sizeof message) != ALLFOLD_OK)
                fail_msg("row %u: %s", i, message);
            assert_true(algorithm != NULL && algorithm->consistent);
        }
    }
}

/* Each class has rows for each collective; those that others fall back to, for operations that do
 * not commute, too. */
static void test_are_complete(void **state)
{
    (void)state;
    uint32_t count;
    bool is_there[ALLFOLD_NETWORK_CLASSES][ALLFOLD_COLLECTIVE_COUNT][2] = {{{false}}};
    const struct allfold_simulated_row *rows = allfold_simulated_rows(&count);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].operation < ALLFOLD_CANONICAL && rows[i].in_blocks)
            is_there[rows[i].network][rows[i].collective][rows[i].operation] = true;
    for (int n = 0; n < ALLFOLD_NETWORK_CLASSES; n++) {
        const bool is_last = n == ALLFOLD_NETWORK_UNTOLD || n == ALLFOLD_NETWORK_NODE_COPIES;
        for (int c = 0; c < ALLFOLD_COLLECTIVE_COUNT; c++) {
            const bool reduces = is_last && allfold_has_operation((enum allfold_collective)c);
            if (!is_there[n][c][ALLFOLD_COMMUTATIVE] ||
                (reduces && !is_there[n][c][ALLFOLD_ORDERED]))
                fail_msg("%s has no rows for network %s",
                         allfold_collective_name((enum allfold_collective)c),
                         allfold_network_class_name((enum allfold_network_class)n));
        }
    }
}

/* On the shape of a row and of its size, that row's own algorithm is the choice. */
static void test_own_shapes(void **state)
{
    (void)state;
    uint32_t count, checked = 0;
    const struct allfold_simulated_row *rows = allfold_simulated_rows(&count);
    for (uint32_t i = 0; i < count; i++) {
        const struct allfold_simulated_row *row = &rows[i];
        if (row->network != ALLFOLD_NETWORK_UNTOLD)
            continue;
        const struct allfold_nodes *nodes = placed(row->nodes, row->ppn, row->in_blocks);
        const struct allfold_problem problem =
            problem_on(nodes, (enum allfold_collective)row->collective,
                       (enum allfold_operation_class)row->operation, row->at_bytes);
        const struct allfold_simulated_choice choice = found(&problem);
        if (allfold_problem_length(&problem) * problem.element_bytes != row->at_bytes) {
            allfold_nodes_free(nodes); /* blocks that are alike are longer */
            continue;
        }
        assert_ptr_equal(choice.row, row);
        assert_false(choice.is_runner_up);
        allfold_nodes_free(nodes);
        checked++;
    }
    assert_true(checked > 200);
}

/* Every shape and size is served, of every collective and kind of operation, uneven nodes too. */
static void test_all_are_served(void **state)
{
    (void)state;
    static const int shapes[][2] = {{2, 1},  {5, 1},   {7, 3},  {20, 5}, {33, 2},  {100, 1},
                                    {50, 7}, {300, 1}, {2, 64}, {3, 13}, {1000, 1}};
    for (size_t s = 0; s < LENGTH(shapes); s++)
        for (int in_blocks = 0; in_blocks < 2; in_blocks++) {
            const struct allfold_nodes *nodes = placed(shapes[s][0], shapes[s][1], in_blocks);
            for (int c = 0; c < ALLFOLD_COLLECTIVE_COUNT; c++)
                for (int o = 0; o <= ALLFOLD_CANONICAL; o++)
                    for (size_t bytes = 0; bytes <= 64 << 20; bytes = bytes * 5 + 8) {
                        const struct allfold_problem problem =
                            problem_on(nodes, (enum allfold_collective)c,
                                       (enum allfold_operation_class)o, bytes);
                        const bool keeps_tree = c == ALLFOLD_ALLREDUCE || c == ALLFOLD_REDUCE ||
                                                c == ALLFOLD_SCAN || c == ALLFOLD_EXSCAN;
                        if (o != ALLFOLD_CANONICAL || keeps_tree)
                            found(&problem);
                    }
            allfold_nodes_free(nodes);
        }
    const int64_t uneven[] = {0, 0, 0, 1, 2, 2};
    const struct allfold_nodes *nodes = allfold_nodes_make(uneven, LENGTH(uneven));
    for (int c = 0; c < ALLFOLD_COLLECTIVE_COUNT; c++)
        for (size_t bytes = 8; bytes <= 8 << 20; bytes *= 8) {
            const struct allfold_problem problem =
                problem_on(nodes, (enum allfold_collective)c, ALLFOLD_COMMUTATIVE, bytes);
            found(&problem);
        }
    allfold_nodes_free(nodes);
}

/* The nearest shape by the logarithms. */
static void test_nearest(void **state)
{
    (void)state;
    static const struct {
        int nodes, ppn, row_nodes, row_ppn;
    } cases[] = {{17, 8, 12, 8}, {5, 1, 6, 1}, {500, 1, 48, 1}, {2, 7, 2, 6}, {2, 30, 2, 24}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct allfold_nodes *nodes = placed(cases[i].nodes, cases[i].ppn, true);
        const struct allfold_problem problem =
            problem_on(nodes, ALLFOLD_BCAST, ALLFOLD_COMMUTATIVE, 8);
        const struct allfold_simulated_choice choice = found(&problem);
        assert_int_equal(choice.row->nodes, cases[i].row_nodes);
        assert_int_equal(choice.row->ppn, cases[i].row_ppn);
        allfold_nodes_free(nodes);
    }
}

/* Levels are of one number of ranks: other shapes have levels like those of the row. */
static void test_levels(void **state)
{
    (void)state;
    static const int shapes[][2] = {{16, 8}, {15, 8}, {17, 8}, {13, 1}, {100, 1}, {5, 4}, {7, 16}};
    int with = 0, others = 0;
    for (size_t i = 0; i < LENGTH(shapes); i++)
        for (size_t bytes = 8; bytes <= 1 << 20; bytes *= 4) {
            char name[ALLFOLD_NAME_BYTES];
            const struct allfold_nodes *nodes = placed(shapes[i][0], shapes[i][1], true);
            const struct allfold_problem problem =
                problem_on(nodes, ALLFOLD_ALLREDUCE, ALLFOLD_COMMUTATIVE, bytes);
            const struct allfold_simulated_choice choice = found(&problem);
            allfold_algorithm_write(choice.algorithm, &choice.parameters, name, sizeof name);
            const bool is_row =
                choice.row->nodes == shapes[i][0] && choice.row->ppn == shapes[i][1];
            const bool has_levels = strstr(name, "levels=") != NULL;
            with += has_levels && is_row;
            others += has_levels && !is_row;
            assert_true(has_levels == (strstr(name, "mixed_radix") != NULL));
            allfold_nodes_free(nodes);
        }
    assert_true(with > 0 && others > 0);
}

static enum allfold_network_class class_of(const struct allfold_nodes *nodes)
{
    const struct allfold_problem problem = {.group = allfold_group_all(16, 0), .nodes = nodes};
    return allfold_network_class_of(&problem);
}

/* What a job knows of its network decides the class. */
static void test_classes(void **state)
{
    (void)state;
    const struct allfold_nodes *nodes = placed(16, 1, true);
    int64_t keys[16];
    for (int r = 0; r < 16; r++)
        keys[r] = r / 4;
    assert_int_equal(class_of(nodes), ALLFOLD_NETWORK_UNTOLD);
    const struct allfold_group_level fat = {keys, 2, 2, 1e-6}, flat = {keys, 3, 1, 1e-6};
    nodes = extended(nodes, (struct allfold_nodes_facts){.groups = &fat, .levels = 1});
    assert_int_equal(class_of(nodes), ALLFOLD_NETWORK_FAT_TREE);
    nodes = extended(nodes, (struct allfold_nodes_facts){.card_mbit = 10000});
    assert_int_equal(class_of(nodes), ALLFOLD_NETWORK_ETHERNET);
    allfold_nodes_free(nodes);
    nodes =
        extended(placed(16, 1, true), (struct allfold_nodes_facts){.groups = &flat, .levels = 1});
    assert_int_equal(class_of(nodes), ALLFOLD_NETWORK_DRAGONFLY);
    allfold_nodes_free(nodes);
    assert_int_equal(class_of(NULL), ALLFOLD_NETWORK_UNTOLD);
    struct allfold_problem problem = {.group = allfold_group_all(4, 0), .one_node = true};
    assert_int_equal(allfold_network_class_of(&problem), ALLFOLD_NETWORK_NODE_COPIES);
    problem.reading = ALLFOLD_READS_NEAR;
    assert_int_equal(allfold_network_class_of(&problem), ALLFOLD_NETWORK_NODE_NEAR);
    problem.reading = ALLFOLD_READS_FAR;
    assert_int_equal(allfold_network_class_of(&problem), ALLFOLD_NETWORK_NODE_FAR);
    problem.shares_cores = true;
    assert_int_equal(allfold_network_class_of(&problem), ALLFOLD_NETWORK_NODE_CROWDED);
}

/* A job that knows a dragonfly takes the row of untold if that is of a nearer shape. */
static void test_told_takes_nearer_shape(void **state)
{
    (void)state;
    static const struct {
        int nodes, ppn;
        enum allfold_network_class network;
    } shapes[] = {{8, 8, ALLFOLD_NETWORK_DRAGONFLY},
                  {4, 4, ALLFOLD_NETWORK_DRAGONFLY},
                  {8, 2, ALLFOLD_NETWORK_UNTOLD},
                  {4, 6, ALLFOLD_NETWORK_UNTOLD},
                  {24, 1, ALLFOLD_NETWORK_UNTOLD}};
    for (size_t i = 0; i < LENGTH(shapes); i++) {
        const struct allfold_nodes *nodes = placed(shapes[i].nodes, shapes[i].ppn, true);
        int64_t keys[64];
        for (int r = 0; r < shapes[i].nodes * shapes[i].ppn; r++)
            keys[r] = r / (2 * shapes[i].ppn); /* groups of two nodes */
        const struct allfold_group_level pairs = {keys, 2, 1, 1e-6};
        nodes = extended(nodes, (struct allfold_nodes_facts){.groups = &pairs, .levels = 1});
        assert_int_equal(class_of(nodes), ALLFOLD_NETWORK_DRAGONFLY);
        const struct allfold_problem problem =
            problem_on(nodes, ALLFOLD_ALLREDUCE, ALLFOLD_COMMUTATIVE, 1 << 16);
        const struct allfold_simulated_choice choice = found(&problem);
        assert_int_equal(choice.row->network, shapes[i].network);
        assert_int_equal(choice.row->nodes, shapes[i].nodes);
        assert_int_equal(choice.row->ppn, shapes[i].ppn);
        allfold_nodes_free(nodes);
    }
}

/* All ranks choose the same, and the choice has its row. */
static void test_choice(void **state)
{
    (void)state;
    const struct allfold_nodes *nodes = placed(4, 2, true);
    for (size_t bytes = 8; bytes <= 8 << 20; bytes *= 4) {
        struct allfold_problem problem =
            problem_on(nodes, ALLFOLD_ALLREDUCE, ALLFOLD_COMMUTATIVE, bytes);
        struct allfold_choice first, other;
        assert_int_equal(allfold_choose(NULL, &problem, &first, NULL, 0), ALLFOLD_OK);
        assert_int_equal(first.source, ALLFOLD_CHOICE_BUILT_IN);
        assert_non_null(first.simulated);
        for (int r = 0; r < 8; r++) {
            problem.group = allfold_group_all(8, r);
            problem.in_place = r % 2 == 0;
            assert_int_equal(allfold_choose(NULL, &problem, &other, NULL, 0), ALLFOLD_OK);
            assert_ptr_equal(other.algorithm, first.algorithm);
            assert_memory_equal(&other.parameters, &first.parameters, sizeof first.parameters);
        }
    }
    allfold_nodes_free(nodes);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_are_complete),
        cmocka_unit_test(test_own_shapes),
        cmocka_unit_test(test_all_are_served),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_told_takes_nearer_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
