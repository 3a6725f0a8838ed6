/* Steps: which counts are chosen for alike. Each choice is the model's at its step's begin and
 * serves the very count. What is remembered changes nothing. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/costs.h"
#include "select/choose.h"
#include "support.h"
#include "util/memory.h"

static void test_counts_of_steps(void **state)
{
    (void)state;
    for (size_t count = 0; count < 8; count++) {
        assert_int_equal(allfold_step_begin(count), count);
        assert_int_equal(allfold_step_last(count), count);
    }
    size_t steps = 0;
    for (size_t count = 8; count < 1 << 20; count = allfold_step_last(count) + 1, steps++) {
        const size_t last = allfold_step_last(count);
        assert_int_equal(allfold_step_begin(count), count); /* no hole between steps */
        assert_int_equal(allfold_step_begin(last), count);
        assert_int_equal(allfold_step_begin(count + (last - count) / 2), count);
        assert_true(4 * (last - count) < count); /* less than a quarter longer */
    }
    assert_int_equal(steps, 4 * 17);
    for (int bit = 0; bit < 64; bit++)
        assert_int_equal(allfold_step_begin((size_t)1 << bit), (size_t)1 << bit);
    assert_int_equal(allfold_step_last(SIZE_MAX), SIZE_MAX);
}

static struct allfold_problem problem_on(const struct allfold_nodes *nodes, int p,
                                         enum allfold_collective collective, size_t count)
{
    return (struct allfold_problem){.collective = collective,
                                    .group = allfold_group_all(p, 0),
                                    .root = allfold_traits(collective)->has_root ? p / 2 : 0,
                                    .count = count,
                                    .element_bytes = 8,
                                    .commutative = true,
                                    .exact = true,
                                    .one_node = nodes->count == 1,
                                    .nodes = nodes};
}

static struct allfold_choice chosen(struct allfold_steps *steps,
                                    const struct allfold_problem *problem)
{
    const struct allfold_guides guides = {.steps = steps};
    struct allfold_choice choice;
    memset(&choice, 0x5a, sizeof choice);
    assert_int_equal(allfold_choose(&guides, problem, &choice, NULL, 0), ALLFOLD_OK);
    return choice;
}

static void assert_same(const struct allfold_choice *a, const struct allfold_choice *b)
{
    assert_ptr_equal(a->algorithm, b->algorithm);
    assert_memory_equal(&a->parameters, &b->parameters, sizeof a->parameters);
    assert_int_equal(a->source, b->source);
    assert_int_equal(a->chosen_for, b->chosen_for);
    assert_true(a->cost_s >= b->cost_s && a->cost_s <= b->cost_s);
}

/* The cheapest of what is offered, by the test's own reading. */
static double least_cost_s(const struct allfold_problem *problem)
{
    double least_s = allfold_native_cost_s(problem);
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        if (allfold_algorithms[i]->collective != problem->collective ||
            allfold_why_not_offered(allfold_algorithms[i], problem) != NULL)
            continue;
        struct allfold_appraisal one;
        assert_int_equal(allfold_appraise(allfold_algorithms[i], problem, &one), ALLFOLD_OK);
        if (one.unmet == NULL && !one.breaks_bits && one.cost_s < least_s)
            least_s = one.cost_s;
    }
    return least_s;
}

/* With and without a memory, twice, and seen from another rank that is in place. */
static void check(struct allfold_steps *steps, const struct allfold_problem *problem)
{
    struct allfold_problem first = *problem, other = *problem;
    first.count = allfold_step_begin(problem->count);
    other.group = allfold_group_all(problem->group.size, problem->group.size - 1);
    other.in_place = true;
    const struct allfold_choice choice = chosen(NULL, problem);
    const struct allfold_choice again[] = {chosen(steps, problem), chosen(steps, problem),
                                           chosen(NULL, &first), chosen(NULL, &other)};
    assert_int_equal(choice.chosen_for, first.count);
    for (size_t i = 0; i < LENGTH(again); i++)
        assert_same(&again[i], &choice);
    if (choice.algorithm != NULL)
        assert_null(allfold_unmet_need(choice.algorithm, problem, &choice.parameters));
    if (choice.cost_s > 0)
        assert_true(choice.cost_s <= least_cost_s(&first) && choice.cost_s >= least_cost_s(&first));
}

static const struct {
    int nodes, ranks;
} placements[] = {{1, 2}, {1, 7}, {1, 16}, {2, 1}, {4, 2}, {3, 5}, {16, 8}};

/* Calls `each` for kinds of problems on some placements, with a memory for each placement. */
static void for_problems(size_t most, void (*each)(struct allfold_steps *steps,
                                                   const struct allfold_problem *problem))
{
    uint64_t seed = 1;
    for (size_t i = 0; i < LENGTH(placements); i++) {
        int64_t keys[128];
        const int p = placements[i].nodes * placements[i].ranks;
        for (int r = 0; r < p; r++)
            keys[r] = r / placements[i].ranks;
        struct allfold_nodes *nodes = allfold_nodes_make(keys, p);
        struct allfold_steps *steps = allfold_steps_create();
        assert_non_null(nodes);
        assert_non_null(steps);
        for (int c = 0; c < ALLFOLD_COLLECTIVE_COUNT; c++)
            for (size_t count = 0; count < most;
                 count += 1 + random_below(&seed, 1 + (uint32_t)count / 4)) {
                struct allfold_problem problem =
                    problem_on(nodes, p, (enum allfold_collective)c, count);
                problem.exact = random_below(&seed, 2) == 0;
                problem.commutative = problem.exact || random_below(&seed, 4) > 0;
                problem.element_bytes = random_below(&seed, 2) == 0 ? 8 : 3;
                each(steps, &problem);
            }
        allfold_steps_release(steps);
        allfold_nodes_free(nodes);
    }
}

static void test_choices_are_those_of_steps(void **state)
{
    (void)state;
    for_problems(3 << 20, check);
}

/* A memory that knows a choice that serves the begin of the step alone: vectors that it does not
 * serve are chosen for by themselves. */
static void test_unmet_needs(void **state)
{
    (void)state;
    const int64_t keys[3] = {0, 0, 0};
    struct allfold_nodes *nodes = allfold_nodes_make(keys, 3);
    struct allfold_steps *steps = allfold_steps_create();
    const struct allfold_algorithm *short_alone =
        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "bruck_allgather");
    const struct allfold_step_choice planted = {
        .algorithm = short_alone,
        .parameters = allfold_parameter_presets(short_alone),
        .cost_s = 1,
    };
    struct allfold_problem problem = problem_on(nodes, 3, ALLFOLD_ALLREDUCE, 2560);
    int served = 0;
    allfold_steps_note(steps, &problem, &planted);
    for (problem.count = 2560; problem.count <= 3071; problem.count++) {
        const struct allfold_choice choice = chosen(steps, &problem);
        const bool serves = allfold_unmet_need(short_alone, &problem, &planted.parameters) == NULL;
        assert_int_equal(choice.algorithm == short_alone, serves);
        assert_int_equal(choice.chosen_for, serves ? 2560 : problem.count);
        assert_null(allfold_unmet_need(choice.algorithm, &problem, &choice.parameters));
        served += serves;
    }
    assert_int_equal(served, (64 << 10) / 3 / 8 - 2560 + 1);
    allfold_steps_release(steps);
    allfold_nodes_free(nodes);
}

/* All that a choice depends on is told apart. */
static void test_kinds_are_apart(void **state)
{
    (void)state;
    struct allfold_steps *steps = allfold_steps_create();
    const int64_t keys[4] = {0, 0, 1, 1};
    struct allfold_nodes *nodes = allfold_nodes_make(keys, 4);
    struct allfold_problem of[9];
    struct allfold_step_choice choice = {.algorithm = NULL}, found;
    for (size_t i = 0; i < LENGTH(of); i++)
        of[i] = problem_on(nodes, 4, ALLFOLD_REDUCE, 64);
    of[1].count = 128;
    of[2].element_bytes = 4;
    of[3].root = 0;
    of[4].commutative = false;
    of[5].exact = false;
    of[6].costs = &allfold_preset_costs;
    of[7].collective = ALLFOLD_BCAST;
    of[8].reading = ALLFOLD_READS_NEAR;
    for (size_t i = 0; i < LENGTH(of); i++) {
        assert_false(allfold_steps_find(steps, &of[i], &found));
        choice.cost_s = (double)i;
        allfold_steps_note(steps, &of[i], &choice);
    }
    for (size_t i = 0; i < LENGTH(of); i++) {
        assert_true(allfold_steps_find(steps, &of[i], &found));
        assert_true(found.cost_s >= (double)i && found.cost_s <= (double)i);
    }
    allfold_steps_release(steps);
    allfold_nodes_free(nodes);
}

/* However many there are, the memory stays bounded, and finds what it still has. */
static void test_forgets(void **state)
{
    (void)state;
    struct allfold_steps *steps = allfold_steps_create();
    const int64_t keys[2] = {0, 0};
    struct allfold_nodes *nodes = allfold_nodes_make(keys, 2);
    struct allfold_problem problem = problem_on(nodes, 2, ALLFOLD_ALLREDUCE, 0);
    struct allfold_step_choice found = {.algorithm = NULL};
    size_t known = 0;
    for (problem.count = 0; problem.count < 10000; problem.count++) {
        const struct allfold_step_choice choice = {.cost_s = (double)problem.count};
        allfold_steps_note(steps, &problem, &choice);
        allfold_steps_note(steps, &problem, &choice);
        assert_true(allfold_steps_find(steps, &problem, &found));
    }
    for (problem.count = 0; problem.count < 10000; problem.count++)
        if (allfold_steps_find(steps, &problem, &found)) {
            assert_int_equal((size_t)found.cost_s, problem.count);
            known++;
        }
    assert_in_range(known, 1, 1024);
    allfold_steps_release(steps);
    allfold_nodes_free(nodes);
}

static void check_without_memory(struct allfold_steps *steps, const struct allfold_problem *problem)
{
    const struct allfold_choice choice = chosen(NULL, problem);
    const struct allfold_guides guides = {.steps = steps};
    struct allfold_choice other;
    char message[100];
    allfold_fail_allocation(1); /* the choice's own memory on several nodes, else the steps' */
    const enum allfold_error error =
        allfold_choose(&guides, problem, &other, message, sizeof message);
    allfold_fail_allocation(0);
    if (problem->nodes->count == 1)
        assert_int_equal(error, ALLFOLD_OK);
    if (error == ALLFOLD_OK)
        assert_same(&other, &choice);
    else
        assert_string_equal(message, "no memory to choose an algorithm");
}

static void test_no_memory(void **state)
{
    (void)state;
    allfold_fail_allocation(1);
    assert_null(allfold_steps_create());
    allfold_fail_allocation(0);
    assert_null(allfold_steps_retain(NULL));
    allfold_steps_release(NULL);
    for_problems(100, check_without_memory);
}

struct worker {
    struct allfold_steps *steps;
    const struct allfold_nodes *nodes;
    bool is_right;
};

static void *work(void *context)
{
    struct worker *worker = context;
    struct allfold_steps *steps = allfold_steps_retain(worker->steps);
    worker->is_right = true;
    for (size_t count = 1; count < 5000; count++) {
        const struct allfold_guides with = {.steps = steps}, without = {.steps = NULL};
        const struct allfold_problem problem =
            problem_on(worker->nodes, 4, ALLFOLD_ALLREDUCE, count);
        struct allfold_choice a, b;
        allfold_choose(&with, &problem, &a, NULL, 0);
        allfold_choose(&without, &problem, &b, NULL, 0);
        worker->is_right = worker->is_right && a.algorithm == b.algorithm;
    }
    allfold_steps_release(steps);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    enum { WORKERS = 3 };
    const int64_t keys[4] = {0, 0, 1, 1};
    struct allfold_nodes *nodes = allfold_nodes_make(keys, 4);
    struct allfold_steps *steps = allfold_steps_create();
    struct worker workers[WORKERS];
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){.steps = steps, .nodes = nodes};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(workers[i].is_right);
    }
    allfold_steps_release(steps);
    allfold_nodes_free(nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_of_steps), cmocka_unit_test(test_choices_are_those_of_steps),
        cmocka_unit_test(test_unmet_needs),     cmocka_unit_test(test_kinds_are_apart),
        cmocka_unit_test(test_forgets),         cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
