/* The choice: what rules force, and else what tables name, the same on all ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "select/choose.h"
#include "select/settings.h"
#include "support.h"
#include "support_claims.h"
#include "support_table.h"

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
    const struct allfold_choice_inputs inputs = {.rules = rules};
    struct allfold_choice choice;
    char message[200] = "";
    memset(&choice, 0x5a, sizeof choice);
    if (allfold_choose(&inputs, problem, &choice, message, sizeof message) != ALLFOLD_OK)
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
    assert_string_equal(allfold_choice_source_name(ALLFOLD_CHOICE_PRICE), "price");
    assert_string_equal(allfold_choice_source_name(ALLFOLD_CHOICE_LEARNED), "learned");
    assert_string_equal(allfold_choice_source_name(ALLFOLD_CHOICE_GUARD), "guard");
    assert_string_equal(allfold_choice_source_name(ALLFOLD_CHOICE_BUILT_IN), "built-in");
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
        if (cases[i].name == NULL)
            assert_null(choice.algorithm);
        else
            assert_string_equal(choice.algorithm->name, cases[i].name);
        assert_int_equal(choice.parameters.value[0], cases[i].segment);
    }
    const struct allfold_problem free_one = problem_of(ALLFOLD_ALLREDUCE, 1024, 30);
    assert_int_equal(chosen(&rules, &free_one).source, ALLFOLD_CHOICE_BUILT_IN);
}

/* Never something else in its place; native can always serve. */
static void test_forced_with_unmet_need(void **state)
{
    (void)state;
    const struct allfold_rules rules = rules_of(ALLFOLD_ALLREDUCE, "0-80:ring;80-160:native");
    const struct allfold_choice_inputs inputs = {.rules = &rules};
    struct allfold_problem problem = problem_of(ALLFOLD_ALLREDUCE, 4, 9);
    struct allfold_choice choice;
    char message[200] = "", cut[8] = "",
         *const wanted = "allreduce.ring is forced, but it needs a "
                         "commutative operation";
    problem.commutative = false;
    assert_int_equal(allfold_choose(&inputs, &problem, &choice, message, sizeof message),
                     ALLFOLD_UNMET_NEED);
    assert_string_equal(message, wanted);
    assert_int_equal(allfold_choose(&inputs, &problem, &choice, cut, sizeof cut),
                     ALLFOLD_UNMET_NEED);
    assert_string_equal(cut, "allredu");
    problem.count = 10;
    assert_null(chosen(&rules, &problem).algorithm);
    problem.count = 20; /* free again */
    assert_int_equal(chosen(&rules, &problem).source, ALLFOLD_CHOICE_BUILT_IN);
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

/* The built-in table has a row for each of them, whose algorithm serves. */
static void check_serves(const struct allfold_problem *problem)
{
    const struct allfold_choice choice = chosen(NULL, problem);
    assert_int_equal(choice.source, ALLFOLD_CHOICE_BUILT_IN);
    assert_int_equal(choice.algorithm->collective, problem->collective);
    assert_true(choice.algorithm->consistent || problem->exact);
    assert_null(allfold_unmet_need(choice.algorithm, problem, &choice.parameters));
    assert_int_equal(choice.simulated->network,
                     problem->one_node ? ALLFOLD_NETWORK_NODE_COPIES : ALLFOLD_NETWORK_UNTOLD);
}

static void test_all_served(void **state)
{
    (void)state;
    sweep(check_serves);
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
            assert_ptr_equal(choice.simulated, first.simulated);
            assert_int_equal(choice.source, first.source);
            assert_memory_equal(&choice.parameters, &first.parameters, sizeof first.parameters);
        }
}

static void test_symmetric(void **state)
{
    (void)state;
    sweep(check_symmetric);
}

/* Only if no size can be served otherwise. */
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
        const struct allfold_choice_inputs inputs = {.rules = &rules};
        const struct allfold_problem problem = problem_of(cases[i].collective, 4, 1);
        const bool always = allfold_always_native(&inputs, &problem, &source);
        if (always != cases[i].always)
            fail_msg("%s: %d", cases[i].text, always);
        assert_true(!always || source == ALLFOLD_CHOICE_FORCED);
    }
}

/* What goes before what: rules, the user's table, the tuned table, the built-in table; and rows
 * that are passed over. */

#define ROWS(...) "{\"allfold_table\": 1, \"rows\": [" __VA_ARGS__ "]}"
#define ROW(algorithm, more)                                                                       \
    "{\"collective\": \"allreduce\", \"nodes\": 1, \"ppn\": 4, \"algorithm\": \"" algorithm        \
    "\"" more "}"

static struct allfold_table *table_of(const char *text)
{
    char message[900];
    struct allfold_table *table = read_text_table(text, message, sizeof message);
    if (table == NULL)
        fail_msg("%s", message);
    return table;
}

static struct allfold_problem problem_with_tables(size_t bytes, bool commutative)
{
    return (struct allfold_problem){.collective = ALLFOLD_ALLREDUCE,
                                    .group = allfold_group_all(4, 0),
                                    .count = bytes,
                                    .element_bytes = 1,
                                    .commutative = commutative,
                                    .one_node = true};
}

/* "ring (table)", with the choice in *choice. */
static const char *chosen_by(const struct allfold_choice_inputs *inputs, size_t bytes,
                             bool commutative, struct allfold_choice *choice)
{
    static char text[100];
    char message[200] = "", name[60];
    const struct allfold_problem problem = problem_with_tables(bytes, commutative);
    memset(choice, 0x5a, sizeof *choice);
    if (allfold_choose(inputs, &problem, choice, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s", message);
    allfold_algorithm_write(choice->algorithm, &choice->parameters, name, sizeof name);
    snprintf(text, sizeof text, "%s (%s)", name, allfold_choice_reason(choice));
    return text;
}

static void test_precedence(void **state)
{
    (void)state;
    struct allfold_table *user =
        table_of(ROWS(ROW("chain(segment=8K)", ", \"to_bytes\": 100") ", " ROW(
            "native", ", \"from_bytes\": 200, \"to_bytes\": 300")));
    struct allfold_table *tuned = table_of(ROWS(ROW("linear", ", \"to_bytes\": 150")));
    struct allfold_rules rules;
    struct allfold_choice choice;
    char message[200];
    assert_int_equal(allfold_rules_read(ALLFOLD_ALLREDUCE, "0-50:circulant", &rules, message, 200),
                     ALLFOLD_OK);
    const struct allfold_choice_inputs inputs = {
        .rules = &rules, .tables = {[ALLFOLD_USERS_TABLE] = user, [ALLFOLD_TUNED_TABLE] = tuned}};
    assert_string_equal(chosen_by(&inputs, 49, true, &choice), "circulant (forced)");
    assert_null(choice.row);
    assert_string_equal(chosen_by(&inputs, 50, true, &choice), "chain(segment=8K) (table)");
    assert_true(choice.row->number == 1 && choice.skipped_row == NULL);
    assert_string_equal(chosen_by(&inputs, 100, true, &choice), "linear (tuned)");
    assert_non_null(strstr(chosen_by(&inputs, 150, true, &choice), " (built-in)"));
    assert_true(choice.row == NULL && choice.simulated != NULL);
    assert_string_equal(chosen_by(&inputs, 200, true, &choice), "native (table)");
    assert_non_null(strstr(chosen_by(&inputs, 300, true, &choice), " (built-in)"));
    /* what was learned goes between the two */
    struct allfold_choice_inputs learned = inputs;
    learned.tables[ALLFOLD_LEARNED_TABLE] = tuned;
    learned.tables[ALLFOLD_TUNED_TABLE] = user;
    assert_string_equal(chosen_by(&learned, 99, true, &choice), "chain(segment=8K) (table)");
    assert_string_equal(chosen_by(&learned, 100, true, &choice), "linear (learned)");
    assert_string_equal(chosen_by(&learned, 200, true, &choice), "native (table)");
    /* on other ranks nothing of the tables holds */
    struct allfold_problem problem = problem_with_tables(50, true);
    problem.group = allfold_group_all(5, 0);
    assert_int_equal(allfold_choose(&inputs, &problem, &choice, message, 200), ALLFOLD_OK);
    assert_int_equal(choice.source, ALLFOLD_CHOICE_BUILT_IN);
    allfold_table_free(user);
    allfold_table_free(tuned);
}

static void test_rows_passed_over(void **state)
{
    (void)state;
    struct allfold_table *user = table_of(ROWS(
        ROW("ring", ", \"to_bytes\": 100") ", " ROW("dissemination", ", \"from_bytes\": 100")));
    struct allfold_table *tuned = table_of(ROWS(ROW("linear", ", \"to_bytes\": 100")));
    struct allfold_choice_inputs inputs = {
        .tables = {[ALLFOLD_USERS_TABLE] = user, [ALLFOLD_TUNED_TABLE] = tuned}};
    struct allfold_choice choice;
    assert_string_equal(chosen_by(&inputs, 8, true, &choice), "ring (table)");
    assert_string_equal(chosen_by(&inputs, 8, false, &choice), "linear (tuned, row passed over)");
    assert_ptr_equal(choice.skipped_row, &user->rows[0]);
    assert_string_equal(choice.unmet, "a commutative operation");
    assert_non_null(strstr(chosen_by(&inputs, 100, true, &choice), " (built-in, row passed over)"));
    assert_non_null(strstr(choice.unmet, "exact"));
    inputs.tables[ALLFOLD_TUNED_TABLE] = NULL;
    assert_non_null(strstr(chosen_by(&inputs, 8, false, &choice), " (built-in, row passed over)"));
    allfold_table_free(user);
    allfold_table_free(tuned);
}

static void test_tuned_path(void **state)
{
    (void)state;
    char path[60];
    setenv("HOME", "/home/me", 1);
    setenv("XDG_DATA_HOME", "/data", 1);
    assert_true(allfold_tuned_path("t.json", "mpich", path, sizeof path));
    assert_string_equal(path, "t.json");
    assert_false(allfold_tuned_path("0", "mpich", path, sizeof path));
    assert_true(allfold_tuned_path(NULL, "mpich", path, sizeof path));
    assert_string_equal(path, "/data/allfold/tuned-mpich.json");
    assert_false(allfold_tuned_path(NULL, "mpich", path, 30));
    setenv("XDG_DATA_HOME", "data", 1); /* not absolute: as if it were not set */
    assert_true(allfold_tuned_path(NULL, "openmpi", path, sizeof path));
    assert_string_equal(path, "/home/me/.local/share/allfold/tuned-openmpi.json");
    unsetenv("XDG_DATA_HOME");
    unsetenv("HOME");
    assert_false(allfold_tuned_path(NULL, "openmpi", path, sizeof path));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source_names),
        cmocka_unit_test(test_forced),
        cmocka_unit_test(test_forced_with_unmet_need),
        cmocka_unit_test(test_all_served),
        cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_always_native),
        cmocka_unit_test(test_precedence),
        cmocka_unit_test(test_rows_passed_over),
        cmocka_unit_test(test_tuned_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
