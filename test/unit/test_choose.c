/* The choice: what rules force, and else the cheapest by the model among all algorithms that can
 * serve, the same on all ranks. Costs are held against Rabenseifner 2004, sections 2.3 to 2.7. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "select/choose.h"
#include "support.h"
#include "support_claims.h"

static struct allfold_problem problem_of(enum allfold_collective collective, int p, size_t count)
{
    return (struct allfold_problem){.collective = collective,
                                    .group = allfold_group_all(p, 0),
                                    .count = count,
                                    .element_bytes = 8,
                                    .commutative = true,
                                    .exact = true};
}

static struct allfold_choice chosen(const struct allfold_rules *rules,
                                    const struct allfold_problem *problem)
{
    const struct allfold_guides guides = {.rules = rules};
    struct allfold_choice choice;
    char message[200] = "";
    memset(&choice, 0x5a, sizeof choice);
    if (allfold_choose(&guides, problem, &choice, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s", message);
    assert_string_equal(message, "");
    return choice;
}

static struct allfold_rules rules_of(enum allfold_collective collective, const char *text)
{
    struct allfold_rules rules;
    char message[480];
    if (allfold_rules_read(collective, text, &rules, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s", message);
    return rules;
}

static void test_source_names(void **state)
{
    (void)state;
    assert_string_equal(allfold_choice_source_name(ALLFOLD_CHOICE_FORCED), "forced");
    assert_string_equal(allfold_choice_source_name(ALLFOLD_CHOICE_TABLE), "table");
    assert_string_equal(allfold_choice_source_name(ALLFOLD_CHOICE_TUNED), "tuned");
    assert_string_equal(allfold_choice_source_name(ALLFOLD_CHOICE_MODEL), "model");
}

/* The rule's algorithm, whatever it would cost; its sizes are bytes and not elements. */
static void test_forced(void **state)
{
    (void)state;
    const struct allfold_rules rules = rules_of(
        ALLFOLD_ALLREDUCE, "0-80:ring(segment=24);80-160:native;160-240:recursive_doubling");
    static const struct {
        size_t count;
        const char *name;
        size_t segment;
    } cases[] = {{0, "ring", 24},
                 {1, "ring", 24},
                 {9, "ring", 24},
                 {10, NULL, 0},
                 {19, NULL, 0},
                 {20, "recursive_doubling", 0},
                 {29, "recursive_doubling", 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct allfold_problem problem = problem_of(ALLFOLD_ALLREDUCE, 1024, cases[i].count);
        const struct allfold_choice choice = chosen(&rules, &problem);
        assert_int_equal(choice.source, ALLFOLD_CHOICE_FORCED);
        assert_true(choice.cost_s == 0);
        if (cases[i].name == NULL)
            assert_null(choice.algorithm);
        else
            assert_string_equal(choice.algorithm->name, cases[i].name);
        assert_int_equal(choice.parameters.value[0], cases[i].segment);
    }
    const struct allfold_problem free_one = problem_of(ALLFOLD_ALLREDUCE, 1024, 30);
    assert_int_equal(chosen(&rules, &free_one).source, ALLFOLD_CHOICE_MODEL);
}

/* Never something else in its place; native can always serve. */
static void test_forced_with_unmet_need(void **state)
{
    (void)state;
    const struct allfold_rules rules = rules_of(ALLFOLD_ALLREDUCE, "0-80:ring;80-160:native");
    const struct allfold_guides guides = {.rules = &rules};
    struct allfold_problem problem = problem_of(ALLFOLD_ALLREDUCE, 4, 9);
    struct allfold_choice choice;
    char message[200] = "", cut[8] = "",
         *const wanted = "allreduce.ring is forced, but it needs a "
                         "commutative operation";
    problem.commutative = false;
    assert_int_equal(allfold_choose(&guides, &problem, &choice, message, sizeof message),
                     ALLFOLD_UNMET_NEED);
    assert_string_equal(message, wanted);
    assert_int_equal(allfold_choose(&guides, &problem, &choice, cut, sizeof cut),
                     ALLFOLD_UNMET_NEED);
    assert_string_equal(cut, "allredu");
    problem.count = 10;
    assert_null(chosen(&rules, &problem).algorithm);
    problem.count = 20; /* free again */
    assert_int_equal(chosen(&rules, &problem).source, ALLFOLD_CHOICE_MODEL);
}

/* Every problem that a sweep has, and what it holds of each. */
static const int sizes[] = {1,  2,  3,  4,  5,  6,   7,   8,    9,    12,   13,     16,
                            17, 24, 31, 32, 33, 63,  64,  65,   100,  127,  128,    129,
                            96, 48, 40, 20, 10, 511, 512, 1000, 1024, 4096, 100000, 1 << 20};

static void sweep(void (*check)(const struct allfold_problem *problem))
{
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (unsigned k = 0; k < ALLFOLD_COLLECTIVE_COUNT * 8u; k++)
            for (size_t count = 0; count <= (size_t)1 << 30; count += 1 + count * 3 / 4) {
                struct allfold_problem problem =
                    problem_of((enum allfold_collective)(k / 8), sizes[i], count);
                problem.commutative = k & 1;
                problem.exact = k & 2;
                problem.one_node = k & 4;
                problem.element_bytes = (size_t)1 << count % 5;
                problem.root = allfold_traits(problem.collective)->has_root
                                   ? (int)(count % (size_t)sizes[i])
                                   : 0;
                check(&problem);
            }
}

static bool can_serve(const struct allfold_algorithm *algorithm,
                      const struct allfold_problem *problem)
{
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
    return algorithm->collective == problem->collective && algorithm->for_study == NULL &&
           !algorithm->only_between_nodes && /* of nodes nothing is known here */
           allfold_unmet_need(algorithm, problem, &presets) == NULL &&
           (algorithm->consistent || problem->exact);
}

static double preset_cost_s(const struct allfold_algorithm *algorithm,
                            const struct allfold_problem *problem)
{
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
    const struct allfold_claim claim = algorithm->claim(problem, &presets);
    return allfold_cost_s(allfold_costs_of(problem), &claim, problem->element_bytes);
}

/* The MPI library's own broadcast, taken for a scatter and a ring. */
static double native_cost_s(const struct allfold_problem *problem)
{
    const struct allfold_costs *costs = allfold_costs_of(problem);
    const size_t p = (size_t)problem->group.size;
    const double rounds = (double)(ceil_lg(p) + p - 1);
    const double sent = 2 * (double)(problem->count * problem->element_bytes);
    const double longer = !problem->one_node && sent > rounds * (40 << 10) ? 1.25 : 1;
    return rounds * costs->latency_s + sent * costs->send_s_per_byte * longer;
}

static bool is_near(double a, double b)
{
    const double off = a - b, most = 1e-12 * (a + b);
    return off <= most && -off <= most;
}

static void check_cheapest(const struct allfold_problem *problem)
{
    const struct allfold_choice choice = chosen(NULL, problem);
    const bool may_be_native = problem->collective == ALLFOLD_BCAST;
    bool has_ours = false;
    double least_s = may_be_native ? native_cost_s(problem) : 1e300;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        if (can_serve(allfold_algorithms[i], problem)) {
            const double cost_s = preset_cost_s(allfold_algorithms[i], problem);
            least_s = cost_s < least_s ? cost_s : least_s;
            has_ours = true;
        }
    if (!has_ours && !may_be_native) { /* then the MPI library's own is all there is */
        assert_null(choice.algorithm);
        return;
    }
    assert_int_equal(choice.source, ALLFOLD_CHOICE_MODEL);
    if (!is_near(choice.cost_s, least_s))
        fail_msg("p = %d, count = %zu: %g s chosen, least is %g s", problem->group.size,
                 problem->count, choice.cost_s, least_s);
    if (choice.algorithm == NULL) {
        assert_true(may_be_native);
        assert_true(is_near(native_cost_s(problem), least_s));
        return;
    }
    const struct allfold_parameters presets = allfold_parameter_presets(choice.algorithm);
    assert_true(can_serve(choice.algorithm, problem));
    assert_true(is_near(preset_cost_s(choice.algorithm, problem), least_s));
    assert_memory_equal(&choice.parameters, &presets, sizeof presets);
}

static void test_cheapest(void **state)
{
    (void)state;
    sweep(check_cheapest);
}

/* What only one rank knows decides nothing. */
static void check_symmetric(const struct allfold_problem *problem)
{
    const struct allfold_choice first = chosen(NULL, problem);
    const int p = problem->group.size;
    const int ranks[] = {0, 1 % p, p / 3, p / 2, p - 1, problem->root};
    for (size_t i = 0; i < (p <= 8 ? (size_t)p : LENGTH(ranks)); i++)
        for (int in_place = 0; in_place <= 1; in_place++) {
            struct allfold_problem other = *problem;
            other.group.index = p <= 8 ? (int)i : ranks[i];
            other.in_place = in_place;
            const struct allfold_choice choice = chosen(NULL, &other);
            assert_ptr_equal(choice.algorithm, first.algorithm);
            assert_true(choice.cost_s == first.cost_s);
            assert_int_equal(choice.source, first.source);
            assert_memory_equal(&choice.parameters, &first.parameters, sizeof first.parameters);
        }
}

static void test_symmetric(void **state)
{
    (void)state;
    sweep(check_symmetric);
}

/* Short vectors go down our tree, long ones to many ranks by the MPI library's scatter and ring. */
static void test_native_bcast(void **state)
{
    (void)state;
    static const struct {
        int p;
        size_t count;
        bool native;
    } cases[] = {{1, 0, false},       {1, 1 << 27, false}, {2, 1 << 27, false},
                 {4, 1 << 27, false}, {8, 1 << 20, true},  {64, 0, false},
                 {64, 1, false},      {64, 1000, false},   {64, 1 << 20, true},
                 {64, 1 << 27, true}, {1024, 1000, false}, {1024, 1 << 27, true}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct allfold_problem problem =
            problem_of(ALLFOLD_BCAST, cases[i].p, cases[i].count);
        const struct allfold_choice choice = chosen(NULL, &problem);
        if ((choice.algorithm == NULL) != cases[i].native)
            fail_msg("p = %d, count = %zu: %s", cases[i].p, cases[i].count,
                     choice.algorithm == NULL ? "native" : choice.algorithm->name);
        assert_true(choice.cost_s > 0 || cases[i].p == 1);
    }
}

/* Both sets of constants have their part in it: one node has the shorter latency. */
static void test_one_node(void **state)
{
    (void)state;
    int earlier = 0;
    for (size_t count = 1; count < 1 << 20; count += 1 + count / 8) {
        struct allfold_problem problem = problem_of(ALLFOLD_ALLREDUCE, 64, count);
        const struct allfold_choice network = chosen(NULL, &problem);
        problem.one_node = true;
        const struct allfold_choice node = chosen(NULL, &problem);
        assert_true(node.cost_s < network.cost_s);
        earlier += node.algorithm != network.algorithm;
    }
    assert_true(earlier > 0);
}

/* Said only where no size can be served otherwise, and then every choice must agree. */
static void test_always_native(void **state)
{
    (void)state;
    static const struct {
        enum allfold_collective collective;
        const char *text;
        bool always;
    } cases[] = {
        {ALLFOLD_ALLREDUCE, "", false},
        {ALLFOLD_ALLREDUCE, "native", true},
        {ALLFOLD_ALLREDUCE, "0-:native;ring", true}, /* the second never holds */
        {ALLFOLD_ALLREDUCE, "0-4K:native", false},
        {ALLFOLD_ALLREDUCE, "1-:native", false},
        {ALLFOLD_ALLREDUCE, "0-4K:native;native", true},
        {ALLFOLD_ALLREDUCE, "0-4K:ring;native", false},
        {ALLFOLD_BCAST, "", false},
        {ALLFOLD_BARRIER, "dissemination", false},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const struct allfold_rules rules = rules_of(cases[i].collective, cases[i].text);
        enum allfold_choice_source source;
        const struct allfold_guides guides = {.rules = &rules};
        const struct allfold_problem problem = problem_of(cases[i].collective, 4, 1);
        const bool always = allfold_always_native(&guides, &problem, &source);
        if (always != cases[i].always)
            fail_msg("%s: %d", cases[i].text, always);
        assert_true(!always || source == ALLFOLD_CHOICE_FORCED);
    }
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++) {
        enum allfold_choice_source source;
        const struct allfold_problem whatever = problem_of((enum allfold_collective)i, 4, 1);
        const bool always = allfold_always_native(NULL, &whatever, &source);
        for (size_t count = 1; always && count < 1 << 20; count *= 8) {
            const struct allfold_problem problem = problem_of((enum allfold_collective)i, 8, count);
            const struct allfold_choice choice = chosen(NULL, &problem);
            assert_null(choice.algorithm);
            assert_int_equal(choice.source, source);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source_names),
        cmocka_unit_test(test_forced),
        cmocka_unit_test(test_forced_with_unmet_need),
        cmocka_unit_test(test_cheapest),
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_native_bcast),
        cmocka_unit_test(test_one_node),
        cmocka_unit_test(test_always_native),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
