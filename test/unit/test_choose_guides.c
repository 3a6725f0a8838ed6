/* What goes before what: rules, the user's table, the tuned table, the model with the tables'
 * constants; and rows that are passed over. */
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
#include "support_table.h"

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

static struct allfold_problem problem_of(size_t bytes, bool commutative)
{
    return (struct allfold_problem){.collective = ALLFOLD_ALLREDUCE,
                                    .group = allfold_group_all(4, 0),
                                    .count = bytes,
                                    .element_bytes = 1,
                                    .commutative = commutative,
                                    .one_node = true};
}

/* "ring (table)", with the choice in *choice. */
static const char *chosen(const struct allfold_guides *guides, size_t bytes, bool commutative,
                          struct allfold_choice *choice)
{
    static char text[100];
    char message[200] = "", name[60];
    const struct allfold_problem problem = problem_of(bytes, commutative);
    memset(choice, 0x5a, sizeof *choice);
    if (allfold_choose(guides, &problem, choice, message, sizeof message) != ALLFOLD_OK)
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
    const struct allfold_guides guides = {&rules, {user, tuned}};
    assert_string_equal(chosen(&guides, 49, true, &choice), "circulant (forced)");
    assert_null(choice.row);
    assert_string_equal(chosen(&guides, 50, true, &choice), "chain(segment=8K) (table)");
    assert_true(choice.row->number == 1 && choice.passed == NULL);
    assert_string_equal(chosen(&guides, 100, true, &choice), "linear (tuned)");
    assert_non_null(strstr(chosen(&guides, 150, true, &choice), " (model)"));
    assert_true(choice.row == NULL && choice.cost_s > 0);
    assert_string_equal(chosen(&guides, 200, true, &choice), "native (table)");
    assert_non_null(strstr(chosen(&guides, 300, true, &choice), " (model)"));
    /* on other ranks nothing of the tables holds */
    struct allfold_problem problem = problem_of(50, true);
    problem.group = allfold_group_all(5, 0);
    assert_int_equal(allfold_choose(&guides, &problem, &choice, message, 200), ALLFOLD_OK);
    assert_int_equal(choice.source, ALLFOLD_CHOICE_MODEL);
    allfold_table_free(user);
    allfold_table_free(tuned);
}

static void test_rows_passed_over(void **state)
{
    (void)state;
    struct allfold_table *user = table_of(ROWS(
        ROW("ring", ", \"to_bytes\": 100") ", " ROW("dissemination", ", \"from_bytes\": 100")));
    struct allfold_table *tuned = table_of(ROWS(ROW("linear", ", \"to_bytes\": 100")));
    struct allfold_guides guides = {NULL, {user, tuned}};
    struct allfold_choice choice;
    assert_string_equal(chosen(&guides, 8, true, &choice), "ring (table)");
    assert_string_equal(chosen(&guides, 8, false, &choice), "linear (tuned, row passed over)");
    assert_ptr_equal(choice.passed, &user->rows[0]);
    assert_string_equal(choice.unmet, "a commutative operation");
    assert_non_null(strstr(chosen(&guides, 100, true, &choice), " (model, row passed over)"));
    assert_non_null(strstr(choice.unmet, "exact"));
    guides.tables[ALLFOLD_TUNED_TABLE] = NULL;
    assert_non_null(strstr(chosen(&guides, 8, false, &choice), " (model, row passed over)"));
    allfold_table_free(user);
    allfold_table_free(tuned);
}

static void test_constants(void **state)
{
    (void)state;
    static const char with_model[] = "{\"allfold_table\": 1, \"rows\": [], \"model\": "
                                     "{\"node\": {\"latency_s\": 1}}}";
    struct allfold_table *with = table_of(with_model), *without = table_of(ROWS(""));
    const struct allfold_guides none = {NULL, {NULL, NULL}}, second = {NULL, {without, with}},
                                first = {NULL, {with, without}};
    assert_null(allfold_guides_costs(&none));
    assert_ptr_equal(allfold_guides_costs(&first), &with->costs);
    assert_ptr_equal(allfold_guides_costs(&second), &with->costs);
    allfold_table_free(with);
    allfold_table_free(without);
}

static void test_always_native(void **state)
{
    (void)state;
    struct allfold_table *table = table_of(ROWS("{\"collective\": \"allgather\", \"nodes\": 1, "
                                                "\"ppn\": 4, \"algorithm\": \"ring\"}"));
    const struct allfold_guides guides = {NULL, {NULL, table}};
    struct allfold_problem problem = problem_of(0, true);
    enum allfold_choice_source source;
    problem.collective = ALLFOLD_ALLGATHER;
    assert_true(allfold_always_native(NULL, &problem, &source));
    assert_false(allfold_always_native(&guides, &problem, &source));
    problem.group = allfold_group_all(5, 0);
    assert_true(allfold_always_native(&guides, &problem, &source));
    allfold_table_free(table);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_precedence), cmocka_unit_test(test_rows_passed_over),
        cmocka_unit_test(test_constants),  cmocka_unit_test(test_always_native),
        cmocka_unit_test(test_tuned_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
