/* Pictures: what messages carry is what the papers' figures show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/picture/holdings.h"
#include "lab/picture/picture.h"
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

/* The ring does not keep rank order, so its sets have holes. */
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
static char *drawn(bool (*write)(const struct allfold_case *, const struct allfold_picture *,
                                 FILE *),
                   const struct allfold_case *of, const struct allfold_picture *picture)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    assert_true(write(of, picture, stream));
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
    assert_int_equal(allfold_picture_make_from_schedules(&of, schedules, &picture), ALLFOLD_OK);
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
    assert_non_null(strstr(text, "<line class=\"never\""));
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
    assert_null(strstr(text, "class=\"never\""));
    assert_null(strstr(text, "class=\"lost\""));
    assert_null(strstr(text, "class=\"r\""));
    assert_null(strstr(text, "<desc>"));
    free(text);
    allfold_picture_free(&picture);
}

/* What a rank holds of a row after a round. */
static uint64_t held_after(const struct allfold_case *of, const struct allfold_picture *picture,
                           size_t round, int rank, size_t row)
{
    struct allfold_holdings holdings;
    assert_true(allfold_holdings_begin(&holdings, of, picture));
    allfold_holdings_advance(&holdings, picture, round);
    const uint64_t held = allfold_held(&holdings, rank, row);
    allfold_holdings_free(&holdings);
    return held;
}

/* Which ranks have their whole result after a round, as bits. */
static uint64_t done_after(const struct allfold_case *of, const struct allfold_picture *picture,
                           size_t round)
{
    struct allfold_holdings holdings;
    uint64_t done = 0;
    assert_true(allfold_holdings_begin(&holdings, of, picture));
    allfold_holdings_advance(&holdings, picture, round);
    for (int r = 0; r < of->p; r++)
        if (allfold_holder_has_result(&holdings, r) && allfold_holder_is_done(&holdings, r))
            done |= UINT64_C(1) << r;
    allfold_holdings_free(&holdings);
    return done;
}

/* Rabenseifner 2004, Fig. 1, as what the ranks hold. */
static void holds_what_the_figure_shows(void **state)
{
    (void)state;
    const struct allfold_case of = case_of(ALLFOLD_ALLREDUCE, "halving_doubling", 13, 0, 8);
    struct allfold_picture picture;
    make(&of, &picture);
    assert_int_equal(held_after(&of, &picture, 0, 1, 0), 0x2);
    assert_int_equal(held_after(&of, &picture, 1, 0, 3), 0x3);
    assert_int_equal(held_after(&of, &picture, 1, 0, 4), 0x1);
    assert_int_equal(held_after(&of, &picture, 1, 1, 4), 0x3);
    assert_int_equal(held_after(&of, &picture, 5, 0, 0), 0x1fff);
    assert_int_equal(held_after(&of, &picture, 5, 0, 1), 0xff);
    assert_int_equal(done_after(&of, &picture, 7), 0);
    assert_int_equal(done_after(&of, &picture, 8), 0x1d55);
    assert_int_equal(done_after(&of, &picture, 9), 0x1fff);
    allfold_picture_free(&picture);
}

/* Of an exscan a rank's result is that of the ranks below it, though it holds more. */
static void holds_the_results_of_a_prefix(void **state)
{
    (void)state;
    const struct allfold_case of = case_of(ALLFOLD_EXSCAN, "recursive_doubling", 4, 0, 1);
    struct allfold_picture picture;
    make(&of, &picture);
    for (int r = 1; r < 4; r++)
        assert_int_equal(held_after(&of, &picture, picture.cost.rounds, r, 0), (1u << r) - 1);
    assert_int_equal(done_after(&of, &picture, picture.cost.rounds), 0xe);
    allfold_picture_free(&picture);
}

static void holds_what_givers_sent(void **state)
{
    (void)state;
    const struct allfold_case ring = case_of(ALLFOLD_ALLGATHER, "ring", 5, 0, 1);
    const struct allfold_case tree = case_of(ALLFOLD_BCAST, "binomial_tree", 4, 2, 100);
    struct allfold_picture picture;
    make(&ring, &picture);
    assert_int_equal(__builtin_popcountll(held_after(&ring, &picture, 2, 3, 0)), 3);
    assert_int_equal(done_after(&ring, &picture, 3), 0);
    assert_int_equal(done_after(&ring, &picture, 4), 0x1f);
    allfold_picture_free(&picture);
    make(&tree, &picture);
    assert_int_equal(allfold_row_count(&tree), ALLFOLD_PICTURE_ROWS);
    assert_int_equal(held_after(&tree, &picture, 0, 2, 63), 0x4);
    assert_int_equal(held_after(&tree, &picture, 0, 1, 63), 0);
    assert_int_equal(held_after(&tree, &picture, 2, 1, 63), 0x4);
    assert_int_equal(done_after(&tree, &picture, 2), 0xb);
    allfold_picture_free(&picture);
}

/* The page says what the drawing shows. */
static void tells_each_round(void **state)
{
    (void)state;
    struct allfold_case circulant = case_of(ALLFOLD_ALLREDUCE, "circulant", 6, 0, 6);
    const struct allfold_case doubling = case_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 4, 0, 3);
    const struct allfold_case tree = case_of(ALLFOLD_REDUCE, "binomial_tree", 4, 1, 1);
    struct allfold_picture picture;
    circulant.parameters.value[0] = 2; /* the radix */
    make(&circulant, &picture);
    char *text = drawn(allfold_picture_write_html, &circulant, &picture);
    assert_non_null(strstr(text, "<li>Each rank r sends 3 elements to rank r + 3, modulo 6.</li>"));
    assert_non_null(strstr(text, "to rank r + 3, modulo 6. Then all 6 ranks that get a result"));
    assert_null(strstr(text, "http://www.w3.org/2000/svg\" src"));
    free(text);
    allfold_picture_free(&picture);
    make(&doubling, &picture);
    text = drawn(allfold_picture_write_html, &doubling, &picture);
    assert_non_null(
        strstr(text, "<li>Each rank r exchanges 3 elements with rank r xor 2. Then all"));
    free(text);
    allfold_picture_free(&picture);
    make(&tree, &picture);
    text = drawn(allfold_picture_write_html, &tree, &picture);
    assert_non_null(strstr(text, "Then rank 1 has the result."));
    free(text);
    allfold_picture_free(&picture);
}

static void draws_nothing_without_memory(void **state)
{
    (void)state;
    const struct allfold_case of = case_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 3, 0, 2);
    struct allfold_picture picture;
    bool is_drawn = false;
    make(&of, &picture);
    for (unsigned long n = 1; !is_drawn; n++) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *stream = open_memstream(&text, &bytes);
        assert_non_null(stream);
        allfold_fail_allocation(n);
        is_drawn = allfold_picture_write_html(&of, &picture, stream);
        allfold_fail_allocation(0);
        assert_int_equal(fclose(stream), 0);
        free(text);
        assert_true(is_drawn == (n > 6));
    }
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
        cmocka_unit_test(holds_what_the_figure_shows),
        cmocka_unit_test(holds_the_results_of_a_prefix),
        cmocka_unit_test(holds_what_givers_sent),
        cmocka_unit_test(tells_each_round),
        cmocka_unit_test(draws_nothing_without_memory),
        cmocka_unit_test(fails_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
