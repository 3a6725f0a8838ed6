/* Pictures: what messages carry is what the papers' figures show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/picture/picture.h"
#include "util/memory.h"

static struct allfold_case case_of(enum allfold_collective collective, const char *name, int p,
                                   int root, size_t count)
{
    const struct allfold_algorithm *algorithm = allfold_algorithm_find(collective, name);
    assert_non_null(algorithm);
    return (struct allfold_case){.algorithm = algorithm,
                                 .parameters = allfold_parameter_presets(algorithm),
                                 .p = p,
                                 .root = root,
                                 .count = count};
}

static void make(const struct allfold_case *of, struct allfold_picture *picture)
{
    char message[300];
    assert_int_equal(allfold_picture_make(of, picture, message, sizeof message), ALLFOLD_OK);
}

static bool has(const struct allfold_picture *picture, size_t round, int from, int to,
                const char *label)
{
    for (uint32_t i = 0; i < picture->mark_count; i++) {
        const struct allfold_mark *mark = &picture->marks[i];
        if (mark->round == round && mark->from == from && mark->to == to &&
            strcmp(mark->label, label) == 0)
            return true;
    }
    return false;
}

/* Rabenseifner 2004, Fig. 1: 13 processes, A-D 0-1 on P0 and E-H 0-1 on P1 after the first
 * reduction, A-H at the end. */
static void draws_the_figure_of_halving_doubling(void **state)
{
    (void)state;
    const struct allfold_case of = case_of(ALLFOLD_ALLREDUCE, "halving_doubling", 13, 0, 8);
    struct allfold_picture picture;
    make(&of, &picture);
    assert_int_equal(picture.cost.rounds, 9);
    assert_true(has(&picture, 1, 0, 1, "E-H 0"));
    assert_true(has(&picture, 1, 1, 0, "A-D 1"));
    assert_true(has(&picture, 1, 0, 0, "A-D 0-1"));
    assert_true(has(&picture, 1, 1, 1, "E-H 0-1"));
    assert_true(has(&picture, 1, 2, 2, "A-D 2-3"));
    assert_true(has(&picture, 2, 1, 0, "E-H 0-1"));
    assert_true(has(&picture, 3, 0, 0, "A-D 0-3"));
    assert_true(has(&picture, 4, 0, 0, "A-B 0-7"));
    assert_true(has(&picture, 5, 0, 0, "A 0-12"));
    assert_true(has(&picture, 5, 12, 12, "H 0-12"));
    assert_true(has(&picture, 9, 0, 1, "A-H 0-12"));
    assert_false(has(&picture, 9, 0, 1, "A-H 0-11"));
    allfold_picture_free(&picture);
}

/* The ring does not keep the order, so its sets have holes. */
static void names_sets_with_holes(void **state)
{
    (void)state;
    const struct allfold_case of = case_of(ALLFOLD_ALLREDUCE, "ring", 5, 0, 5);
    struct allfold_picture picture;
    make(&of, &picture);
    assert_true(has(&picture, 1, 0, 0, "A 0,4"));
    assert_true(has(&picture, 4, 0, 0, "A 0-4"));
    assert_true(has(&picture, 5, 0, 1, "A 0-4"));
    allfold_picture_free(&picture);
}

static void names_many_elements_by_number(void **state)
{
    (void)state;
    const struct allfold_case of = case_of(ALLFOLD_BCAST, "binomial_tree", 2, 1, 30);
    struct allfold_picture picture;
    make(&of, &picture);
    assert_int_equal(picture.mark_count, 1);
    assert_true(has(&picture, 1, 1, 0, "[0-29] 1"));
    allfold_picture_free(&picture);
}

static void marks_come_in_rounds(void **state)
{
    (void)state;
    const struct allfold_case of = case_of(ALLFOLD_REDUCE, "halving_doubling", 11, 4, 8);
    struct allfold_picture picture;
    make(&of, &picture);
    for (uint32_t i = 1; i < picture.mark_count; i++)
        assert_true(picture.marks[i - 1].round <= picture.marks[i].round);
    assert_int_equal(picture.marks[picture.mark_count - 1].round, picture.cost.rounds);
    allfold_picture_free(&picture);
}

static void fails_without_memory(void **state)
{
    (void)state;
    const struct allfold_case of = case_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 3, 0, 2);
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    for (unsigned long n = 1; error != ALLFOLD_OK; n++) {
        char message[300];
        struct allfold_picture picture;
        allfold_fail_allocation(n);
        error = allfold_picture_make(&of, &picture, message, sizeof message);
        allfold_fail_allocation(0);
        assert_true(error == ALLFOLD_OK || error == ALLFOLD_NO_MEMORY);
        allfold_picture_free(&picture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_the_figure_of_halving_doubling),
        cmocka_unit_test(names_sets_with_holes),
        cmocka_unit_test(names_many_elements_by_number),
        cmocka_unit_test(marks_come_in_rounds),
        cmocka_unit_test(fails_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
