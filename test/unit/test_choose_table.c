/* The chooser over a list of algorithms of the test's own, where the built-in table has no row. Its
 * algorithms are not consistent, cost the same, serve nothing, or have needs, of which some depend
 * on the parameters. None of this may be missed just because no algorithm of the library is like
 * that today. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define allfold_algorithms test_algorithms
#define allfold_simulated_find find_no_row
#include "select/choose.c"
#undef allfold_algorithms
#undef allfold_simulated_find

#include "support.h"

bool find_no_row(const struct allfold_problem *problem, struct allfold_simulated_choice *choice)
{
    (void)problem;
    (void)choice;
    return false;
}

enum { MADE = 8 };

/* What the test decides. The presets of parameters: the algorithm's number, and the most ranks that
 * it serves. */
static struct allfold_algorithm made[MADE];
static struct allfold_claim claims[MADE];
const struct allfold_algorithm *const test_algorithms[] = {
    &made[0], &made[1], &made[2], &made[3], &made[4], &made[5], &made[6], &made[7], NULL};

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    struct allfold_claim claim = claims[parameters->value[0]];
    claim.sent *= problem->count;
    claim.reduced *= problem->count;
    return claim;
}

static const char *unmet(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    return (size_t)problem->group.size > parameters->value[1] ? "fewer ranks" : NULL;
}

static void make_table(uint64_t *seed)
{
    for (size_t i = 0; i < MADE; i++) {
        made[i] = (struct allfold_algorithm){
            .name = "made",
            .collective = (enum allfold_collective)random_below(seed, ALLFOLD_COLLECTIVE_COUNT),
            .needs = random_below(seed, 3) == 0 ? ALLFOLD_NEEDS_COMMUTATIVE : 0,
            .consistent = random_below(seed, 3) > 0,
            .parameters = {{.name = "number", .preset = i},
                           {.name = "ranks", .preset = 1 + random_below(seed, 40)}},
            .claim = claim,
            .unmet = random_below(seed, 3) == 0 ? unmet : NULL,
        };
        claims[i] = (struct allfold_claim){.rounds = random_below(seed, 4),
                                           .sent = random_below(seed, 4),
                                           .reduced = random_below(seed, 4),
                                           .divisor = 1};
    }
}

static struct allfold_problem make_problem(uint64_t *seed)
{
    return (struct allfold_problem){
        .collective = (enum allfold_collective)random_below(seed, ALLFOLD_COLLECTIVE_COUNT),
        .group = allfold_group_all(1 + (int)random_below(seed, 40), 0),
        .count = random_below(seed, 1u << 20) >> random_below(seed, 20),
        .element_bytes = (size_t)1 << random_below(seed, 5),
        .commutative = random_below(seed, 2) == 0,
        .exact = random_below(seed, 2) == 0,
        .one_node = random_below(seed, 2) == 0,
    };
}

static bool can_serve(size_t i, const struct allfold_problem *problem)
{
    if (made[i].collective != problem->collective ||
        (made[i].needs != 0 && !problem->commutative) || (!made[i].consistent && !problem->exact))
        return false;
    return made[i].unmet == NULL || (size_t)problem->group.size <= made[i].parameters[1].preset;
}

static double cost_s(const struct allfold_problem *problem, size_t rounds, size_t sent,
                     size_t reduced)
{
    const struct allfold_costs *costs = allfold_costs_of(problem);
    const double bytes = (double)(problem->count * problem->element_bytes);
    const double mean_bytes = rounds > 0 ? (double)sent * bytes / (double)rounds : 0;
    const struct allfold_longer at = allfold_costs_at(costs, mean_bytes);
    return (double)rounds * at.latency_s + (double)sent * bytes * at.send_s_per_byte +
           (double)reduced * bytes * costs->reduce_s_per_byte;
}

/* The least cost; 1e300 where nothing can serve. */
static double least_cost_s(const struct allfold_problem *problem)
{
    double least_s = 1e300;
    for (size_t i = 0; i < MADE; i++) {
        const double s = cost_s(problem, claims[i].rounds, claims[i].sent, claims[i].reduced);
        if (can_serve(i, problem) && s < least_s)
            least_s = s;
    }
    return least_s;
}

static void test_random_tables(void **state)
{
    (void)state;
    size_t inconsistent = 0, none = 0;
    uint64_t seed = 9;
    for (int i = 0; i < 200000; i++) {
        make_table(&seed);
        struct allfold_problem problem = make_problem(&seed);
        struct allfold_choice choice;
        assert_int_equal(allfold_choose(NULL, &problem, &choice, NULL, 0), ALLFOLD_OK);
        const double least_s = least_cost_s(&problem);
        assert_int_equal(choice.source, ALLFOLD_CHOICE_PRICE);
        if (choice.algorithm == NULL) {
            assert_true(least_s == 1e300);
            none++;
            continue;
        }
        const size_t number = (size_t)(choice.algorithm - made);
        assert_true(number < MADE && can_serve(number, &problem));
        assert_int_equal(choice.parameters.value[0], number);
        assert_int_equal(choice.parameters.value[1], made[number].parameters[1].preset);
        const struct allfold_claim *of = &claims[number];
        assert_true(cost_s(&problem, of->rounds, of->sent, of->reduced) <= least_s * (1 + 1e-12));
        inconsistent += !choice.algorithm->consistent;
    }
    /* all that this is about has happened */
    assert_true(inconsistent > 1000 && none > 1000);
}

/* Of algorithms with the same price that with fewer rounds is chosen, then the first by name,
 * wherever they are in the list. */
static void test_ties(void **state)
{
    (void)state;
    static const char *const names[MADE] = {"a", "h", "g", "f", "e", "d", "b", "c"};
    uint64_t seed = 2;
    make_table(&seed);
    for (size_t i = 0; i < MADE; i++) {
        made[i].name = names[i];
        made[i].collective = ALLFOLD_ALLREDUCE;
        made[i].needs = 0;
        made[i].consistent = i != 6;
        made[i].unmet = NULL;
        claims[i] = (struct allfold_claim){.rounds = i == 0 ? 4 : 3, .sent = 1, .divisor = 1};
    }
    struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                      .group = allfold_group_all(4, 0),
                                      .count = 5,
                                      .element_bytes = 4};
    struct allfold_choice choice;
    allfold_choose(NULL, &problem, &choice, NULL, 0);
    assert_string_equal(choice.algorithm->name, "c");
    problem.exact = true;
    allfold_choose(NULL, &problem, &choice, NULL, 0);
    assert_string_equal(choice.algorithm->name, "b");
    const struct allfold_named a = allfold_with_presets(&made[0]);
    const struct allfold_named h = allfold_with_presets(&made[1]);
    assert_true(allfold_wins_tie(&problem, &h, &a)); /* fewer rounds */
    assert_false(allfold_wins_tie(&problem, &a, &h));
}

/* A collective without algorithms is always native. */
static void test_always_native(void **state)
{
    (void)state;
    uint64_t seed = 3;
    const struct allfold_problem problem = {
        .collective = ALLFOLD_ALLGATHER, .group = allfold_group_all(4, 0), .element_bytes = 4};
    enum allfold_choice_source source;
    make_table(&seed);
    for (size_t i = 0; i < MADE; i++)
        made[i].collective = ALLFOLD_BCAST;
    assert_true(allfold_always_native(NULL, &problem, &source));
    assert_int_equal(source, ALLFOLD_CHOICE_PRICE);
    made[MADE - 1].collective = ALLFOLD_ALLGATHER;
    assert_false(allfold_always_native(NULL, &problem, &source));
}

/* A rule takes an algorithm as the user decides, and with the word unordered one whose ranks may
 * get different bits, but none whose needs are not met. Needs are judged by the rule's parameters,
 * not the presets. */
static void test_forced(void **state)
{
    (void)state;
    uint64_t seed = 2;
    make_table(&seed);
    made[3].collective = ALLFOLD_REDUCE;
    made[3].name = "third";
    made[3].needs = 0;
    made[3].consistent = false;
    made[3].unmet = unmet;
    struct allfold_rules rules = {
        .count = 1,
        .rules = {{.to_bytes = SIZE_MAX, .algorithm = &made[3], .parameters = {{3, 7}}}}};
    const struct allfold_choice_inputs inputs = {.rules = &rules};
    struct allfold_problem problem = {
        .collective = ALLFOLD_REDUCE, .group = allfold_group_all(7, 0), .element_bytes = 4};
    struct allfold_choice choice;
    char message[100] = "";
    assert_int_equal(allfold_choose(&inputs, &problem, &choice, message, sizeof message),
                     ALLFOLD_UNMET_NEED);
    assert_non_null(strstr(message, "reduce.third is forced, but it needs an exact operation"));
    rules.rules[0].unordered = true;
    assert_int_equal(allfold_choose(&inputs, &problem, &choice, message, sizeof message),
                     ALLFOLD_OK);
    assert_ptr_equal(choice.algorithm, &made[3]);
    assert_int_equal(choice.parameters.value[1], 7);
    assert_int_equal(choice.source, ALLFOLD_CHOICE_FORCED);
    problem.group.size = 8;
    assert_int_equal(allfold_choose(&inputs, &problem, &choice, message, sizeof message),
                     ALLFOLD_UNMET_NEED);
    assert_string_equal(message, "reduce.third is forced, but it needs fewer ranks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_tables),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_always_native),
        cmocka_unit_test(test_forced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
