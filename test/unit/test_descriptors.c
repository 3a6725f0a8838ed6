/* What algorithms say of themselves: all of it is there, names lead to one algorithm each, and the
 * texts fit where they are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "select/rules.h"
#include "support.h"

/* A text that CSV and Markdown can hold as it is. */
static void assert_text(const struct allfold_algorithm *of, const char *what, const char *text,
                        size_t least)
{
    if (text == NULL || strlen(text) < least || strpbrk(text, "\"\n|`*<") != NULL)
        fail_msg("%s.%s: its %s is '%s'", allfold_collective_name(of->collective), of->name, what,
                 text == NULL ? "" : text);
}

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *of = allfold_algorithms[i];
        assert_text(of, "name", of->name, 3);
        assert_text(of, "source", of->source, 8);
        assert_text(of, "summary", of->summary, 20);
        assert_text(of, "use", of->use, 40);
        for (const struct allfold_parameter *a = of->parameters; a->name != NULL; a++)
            assert_text(of, "parameter", a->meaning, 10);
    }
}

static bool is_name_of(const char *name, const struct allfold_algorithm *algorithm)
{
    return strcmp(name, algorithm->name) == 0 ||
           (algorithm->alias != NULL && strcmp(name, algorithm->alias) == 0);
}

static void test_names_lead_to_one_algorithm(void **state)
{
    (void)state;
    size_t aliases = 0;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *of = allfold_algorithms[i];
        assert_ptr_equal(allfold_algorithm_find(of->collective, of->name), of);
        if (of->alias != NULL)
            assert_ptr_equal(allfold_algorithm_find(of->collective, of->alias), of);
        aliases += of->alias != NULL;
        for (size_t j = 0; allfold_algorithms[j] != NULL; j++) {
            const struct allfold_algorithm *other = allfold_algorithms[j];
            if (other == of || other->collective != of->collective)
                continue;
            assert_false(is_name_of(of->name, other));
            assert_false(of->alias != NULL && is_name_of(of->alias, other));
        }
    }
    assert_in_range(aliases, 3, 20);
    assert_null(allfold_algorithm_find(ALLFOLD_ALLREDUCE, ""));
    assert_null(allfold_algorithm_find(ALLFOLD_ALLREDUCE, "binary_tre"));
    assert_null(allfold_algorithm_find(ALLFOLD_ALLGATHER, "binary_tree"));
}

/* Rules take the paper's other name; what is written is the one name. */
static void test_rules_take_aliases(void **state)
{
    (void)state;
    static const enum allfold_collective with[] = {ALLFOLD_ALLREDUCE, ALLFOLD_REDUCE,
                                                   ALLFOLD_BCAST};
    for (size_t i = 0; i < LENGTH(with); i++) {
        struct allfold_rules rules;
        char message[480] = "", text[60];
        assert_int_equal(allfold_rules_read(with[i], "0-4K:binary_tree;4K-:native", &rules, message,
                                            sizeof message),
                         ALLFOLD_OK);
        assert_int_equal(rules.count, 2);
        assert_ptr_equal(rules.rules[0].algorithm,
                         allfold_algorithm_find(with[i], "binomial_tree"));
        allfold_algorithm_write(rules.rules[0].algorithm, &rules.rules[0].parameters, text,
                                sizeof text);
        assert_string_equal(text, "binomial_tree");
    }
}

/* What a rule says of a parameter that names the algorithm of that number: read and written. */
static void check_choice(const struct allfold_algorithm *algorithm, int at, size_t value)
{
    const struct allfold_parameter *parameter = &algorithm->parameters[at];
    const char *name = allfold_algorithms[value]->name;
    struct allfold_rules rules;
    char text[200], written[200], message[480];
    snprintf(text, sizeof text, "%s(%s=%s)", algorithm->name, parameter->name, name);
    assert_int_equal(
        allfold_rules_read(algorithm->collective, text, &rules, message, sizeof message),
        ALLFOLD_OK);
    assert_int_equal(rules.rules[0].parameters.value[at], value);
    allfold_algorithm_write(rules.rules[0].algorithm, &rules.rules[0].parameters, written,
                            sizeof written);
    assert_string_equal(written,
                        value == allfold_parameter_preset(parameter) ? algorithm->name : text);
}

/* Parameters that name algorithms take the inner ones of one collective, and no others. */
static void test_choices(void **state)
{
    (void)state;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        for (int at = 0; allfold_algorithms[i]->parameters[at].name != NULL; at++) {
            const struct allfold_parameter *a = &allfold_algorithms[i]->parameters[at];
            if (a->inner == NULL)
                continue;
            for (unsigned k = 0; k < allfold_parameter_tried_count(a); k++)
                assert_true(allfold_parameter_takes(a, allfold_parameter_tried(a, k)));
            for (size_t c = 0; allfold_algorithms[c] != NULL; c++) {
                const struct allfold_algorithm *inner = allfold_algorithms[c];
                assert_int_equal(allfold_parameter_takes(a, c),
                                 inner->is_inner && inner->collective == a->inner->collective);
                if (allfold_parameter_takes(a, c))
                    check_choice(allfold_algorithms[i], at, c);
            }
        }
}

static void test_wrong_choices(void **state)
{
    (void)state;
    struct allfold_rules rules;
    char message[480];
    assert_int_equal(
        allfold_rules_read(ALLFOLD_BCAST, "smp(node=ring)", &rules, message, sizeof message),
        ALLFOLD_BAD_INPUT);
    assert_non_null(strstr(message, "node: 'ring' is not one of: "));
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        if (allfold_algorithms[i]->is_inner && allfold_algorithms[i]->collective == ALLFOLD_BCAST)
            assert_non_null(strstr(message, allfold_algorithms[i]->name));
    assert_int_equal(
        allfold_rules_read(ALLFOLD_BCAST, "smp(node=1)", &rules, message, sizeof message),
        ALLFOLD_BAD_INPUT);
}

/* What works for compositions names no other of its collective that does; a composition knows the
 * sockets of a node. What is far for it then is not between nodes. */
static void test_inner_algorithms(void **state)
{
    (void)state;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *of = allfold_algorithms[i];
        assert_int_equal(allfold_number_of(of), i);
        if (!of->is_inner)
            continue;
        for (const struct allfold_parameter *a = of->parameters; a->name != NULL; a++) {
            assert_true(a->inner == NULL || a->inner->collective != of->collective ||
                        (of->needs & ALLFOLD_NEEDS_NODES));
            assert_true(a->inner == NULL || (a->inner->needs & ALLFOLD_NEEDS_NODES) == 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_wrong_choices),
        cmocka_unit_test(test_inner_algorithms),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_names_lead_to_one_algorithm),
        cmocka_unit_test(test_rules_take_aliases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
