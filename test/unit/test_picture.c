/* Pictures: what messages carry is what the papers' figures show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

/* What a function writes of a picture; freed by the caller. */
static char *drawn(void (*write)(const struct allfold_case *, const struct allfold_picture *,
                                 FILE *),
                   const struct allfold_case *of, const struct allfold_picture *picture)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    write(of, picture, stream);
    assert_int_equal(fclose(stream), 0);
    return text;
}

static bool has_kind(const struct allfold_picture *picture, enum allfold_mark_kind kind,
                     size_t round, int from, int to)
{
    for (uint32_t i = 0; i < picture->mark_count; i++) {
        const struct allfold_mark *mark = &picture->marks[i];
        if (mark->kind == kind && mark->round == round && mark->from == from && mark->to == to)
            return true;
    }
    return false;
}

/* Rank 1 sends its first message to rank 2 instead of rank 0. */
static void draws_in_red_what_never_comes(void **state)
{
    (void)state;
    const struct allfold_case of = case_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 4, 0, 2);
    struct allfold_schedule **schedules;
    struct allfold_picture picture;
    char message[300];
    assert_int_equal(allfold_case_build(&of, &schedules, message, sizeof message), ALLFOLD_OK);
    struct allfold_step *step = schedules[1]->steps;
    while (step->kind != ALLFOLD_STEP_SEND)
        step++;
    assert_int_equal(step->peer, 0);
    step->peer = 2;
    assert_int_equal(allfold_picture_make_of(&of, schedules, &picture), ALLFOLD_OK);
    assert_int_equal(picture.blame.kind, ALLFOLD_BLAME_NEVER_SENT);
    assert_true(has_kind(&picture, ALLFOLD_MARK_MESSAGE, 1, 0, 1));
    assert_true(has_kind(&picture, ALLFOLD_MARK_LOST, 1, 1, 2));
    assert_true(has_kind(&picture, ALLFOLD_MARK_UNSENT, 1, 1, 0));
    assert_true(has_kind(&picture, ALLFOLD_MARK_STUCK, 2, 2, 0));
    assert_false(has_kind(&picture, ALLFOLD_MARK_MESSAGE, 2, 2, 0));

    char *text = drawn(allfold_picture_write_text, &of, &picture);
    assert_non_null(strstr(text, "\n    1 -> 2   sends A-B 1, and nobody receives it\n"));
    assert_non_null(strstr(text, "\n    1 x> 0   never sends message 0, for which 0 waits\n"));
    assert_non_null(strstr(text, "\n    2 -> 0   message 0 never goes, as 0 waits for something"));
    assert_non_null(strstr(text, "\n\nRank 0 waits for ever at step 1 for message 0 of rank 1"));
    assert_null(strchr(text, '\033'));
    free(text);
    picture.in_color = true;
    text = drawn(allfold_picture_write_text, &of, &picture);
    assert_non_null(strstr(text, "\033[31m    1 x> 0   never sends"));
    free(text);
    text = drawn(allfold_picture_write_svg, &of, &picture);
    assert_non_null(strstr(text, "<title>allreduce.recursive_doubling, p = 4, 2 elements</title>"));
    assert_non_null(strstr(text, "<desc>Rank 0 waits for ever at step 1"));
    assert_non_null(strstr(text, "stroke=\"#d00\" stroke-dasharray=\"5,4\""));
    assert_non_null(strstr(text, ">A-B 1: to nobody</text>"));
    free(text);
    allfold_picture_free(&picture);
    allfold_case_free(&of, schedules);
}

/* All that is right is drawn without a word of red. */
static void right_pictures_are_not_red(void **state)
{
    (void)state;
    const struct allfold_case of = case_of(ALLFOLD_ALLREDUCE, "halving_doubling", 5, 0, 8);
    struct allfold_picture picture;
    make(&of, &picture);
    picture.in_color = true;
    char *text = drawn(allfold_picture_write_text, &of, &picture);
    assert_null(strchr(text, '\033'));
    free(text);
    text = drawn(allfold_picture_write_svg, &of, &picture);
    assert_null(strstr(text, "#d00"));
    assert_null(strstr(text, "<desc>"));
    free(text);
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
        cmocka_unit_test(draws_in_red_what_never_comes),
        cmocka_unit_test(right_pictures_are_not_red),
        cmocka_unit_test(fails_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
