/* Candidates: what they are, and in which order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "topology/nodes.h"
#include "select/candidates.h"
#include "select/choose.h"
#include "support.h"

static struct allfold_problem problem_of(int p, size_t count, bool exact, bool commutative)
{
    return (struct allfold_problem){.collective = ALLFOLD_ALLREDUCE,
                                    .group = allfold_group_all(p, 0),
                                    .count = count,
                                    .element_bytes = 8,
                                    .commutative = commutative,
                                    .exact = exact,
                                    .one_node = true};
}

static bool is_served(const struct allfold_algorithm *algorithm,
                      const struct allfold_problem *problem)
{
    for (unsigned c = 0; c < allfold_tried_count(algorithm, false); c++) {
        const struct allfold_parameters parameters = allfold_tried(algorithm, false, c);
        if (allfold_unmet_need(algorithm, problem, &parameters) == NULL)
            return true;
    }
    return false;
}

static int count_of(const struct allfold_candidate *list, int count,
                    const struct allfold_algorithm *algorithm)
{
    int found = 0;
    for (int i = 0; i < count; i++)
        found += list[i].algorithm == algorithm;
    return found;
}

/* With its presets, if one of these is a segment: how often it is in the list, or should be. */
static int presets_of(const struct allfold_candidate *list, int count,
                      const struct allfold_algorithm *algorithm)
{
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
    bool has_segment = false;
    int found = 0;
    for (const struct allfold_parameter *p = algorithm->parameters; p->name != NULL; p++)
        has_segment |= strcmp(p->name, "segment") == 0;
    for (int i = 0; has_segment && i < count; i++)
        found += list[i].algorithm == algorithm &&
                 memcmp(&list[i].parameters, &presets, sizeof presets) == 0;
    return found;
}

static int ties;

/* By price; of two with the same price, first the one with fewer rounds, then the first by name. */
static void check_order(const struct allfold_problem *problem, const struct allfold_candidate *one,
                        const struct allfold_candidate *next)
{
    assert_true(one->cost_s <= next->cost_s);
    if (one->cost_s < next->cost_s || one->algorithm == next->algorithm)
        return;
    const size_t rounds = one->algorithm->claim(problem, &one->parameters).rounds;
    const size_t others = next->algorithm->claim(problem, &next->parameters).rounds;
    assert_true(rounds <= others);
    assert_true(rounds < others || strcmp(one->algorithm->name, next->algorithm->name) < 0);
    ties++;
}

static void check(const struct allfold_problem *problem)
{
    struct allfold_candidate list[ALLFOLD_MAX_CANDIDATES], few[ALLFOLD_MAX_CANDIDATES];
    const int count = allfold_candidates(problem, 8, list);
    const int firsts = allfold_candidates(problem, 0, few);
    int algorithms = 0, segments = 0;
    for (int i = 0; i < count; i++) {
        assert_null(allfold_unmet_need(list[i].algorithm, problem, &list[i].parameters));
        assert_true(list[i].algorithm->consistent || problem->exact);
        if (i > 0)
            check_order(problem, &list[i - 1], &list[i]);
    }
    for (size_t a = 0; allfold_algorithms[a] != NULL; a++) {
        const struct allfold_algorithm *algorithm = allfold_algorithms[a];
        const bool is_one = algorithm->collective == problem->collective &&
                            (algorithm->consistent || problem->exact) &&
                            is_served(algorithm, problem);
        assert_int_equal(count_of(few, firsts, algorithm), is_one);
        assert_int_equal(count_of(list, count, algorithm) > 0, is_one);
        algorithms += is_one;
        segments += presets_of(list, count, algorithm);
    }
    assert_int_equal(firsts, algorithms);
    assert_true(count <= firsts + 8 + segments);
}

static void test_all_that_serve(void **state)
{
    (void)state;
    for (int p = 2; p <= 9; p++)
        for (size_t count = 0; count <= 100000; count = count * 10 + 1)
            for (int i = 0; i < 4; i++) {
                const struct allfold_problem problem = problem_of(p, count, i & 1, i & 2);
                check(&problem);
            }
    assert_true(ties > 100);
}

/* Of blocks of 75 KB the model finds whole ones cheaper than the preset segments, which are there
 * too. */
static void test_have_both_segments(void **state)
{
    (void)state;
    struct allfold_candidate list[ALLFOLD_MAX_CANDIDATES];
    const struct allfold_nodes *nodes =
        extended(allfold_nodes_make((const int64_t[]){0, 1, 2, 3, 4, 5, 6}, 7),
                 (struct allfold_nodes_facts){.cores = 2});
    struct allfold_problem problem = problem_of(7, 65536, false, true);
    problem.one_node = false;
    problem.nodes = nodes;
    const struct allfold_algorithm *bucket = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "bucket");
    const int count = allfold_candidates(&problem, 8, list);
    assert_int_equal(presets_of(list, count, bucket), 1);
    assert_true(count_of(list, count, bucket) > 1);
    allfold_nodes_free(nodes);
}

static bool is_there(const struct allfold_candidate *list, int count,
                     const struct allfold_choice *choice)
{
    for (int i = 0; i < count; i++)
        if (list[i].algorithm == choice->algorithm &&
            memcmp(&list[i].parameters, &choice->parameters, sizeof choice->parameters) == 0)
            return true;
    return false;
}

static double between(double least, double most)
{
    return least * pow(most / least, rand() / (double)RAND_MAX);
}

/* It is among them, though other parameters may be cheaper. */
static void test_have_the_choice(void **state)
{
    (void)state;
    srand(1);
    for (int i = 0; i < 3000; i++) {
        struct allfold_candidate list[ALLFOLD_MAX_CANDIDATES];
        struct allfold_problem problem =
            problem_of(2 + i % 9, (size_t)between(1, 1e6), false, i % 3 > 0);
        int64_t keys[16];
        for (int r = 0; r < problem.group.size; r++)
            keys[r] = r / 2;
        const struct allfold_nodes *nodes = allfold_nodes_make(keys, problem.group.size);
        problem.one_node = i % 2 == 0;
        problem.nodes = problem.one_node ? NULL : nodes;
        if (i % 4 == 0)
            problem.collective = ALLFOLD_REDUCE;
        struct allfold_choice choice;
        allfold_choose_default(&problem, &choice);
        const int count = allfold_candidates(&problem, 8, list);
        assert_true(is_there(list, count, &choice));
        allfold_nodes_free(nodes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_that_serve),
        cmocka_unit_test(test_have_both_segments),
        cmocka_unit_test(test_have_the_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
