/* Publications, in the schedules of all algorithms: what is called the same data is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "model/verify/verify.h"
#include "schedule/publish.h"

enum { MOST_RANKS = 9 };

static bool is_written(const struct allfold_step *step, const struct allfold_step *by)
{
    return by->kind != ALLFOLD_STEP_SEND && by->buffer[0] == step->buffer[0] &&
           by->offset[0] < step->offset[0] + step->length &&
           step->offset[0] < by->offset[0] + by->length;
}

/* How many sends of the schedule carry what one before them did; fails where they do not. */
static unsigned count_repeated(const struct allfold_schedule *schedule)
{
    unsigned repeated = 0;
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct allfold_step *step = &schedule->steps[i];
        const uint32_t q = schedule->publication[i];
        assert_int_equal(q == ALLFOLD_NO_STEP, step->kind != ALLFOLD_STEP_SEND);
        if (q == ALLFOLD_NO_STEP || q == i)
            continue;
        const struct allfold_step *first = &schedule->steps[q];
        assert_true(q < i && first->kind == ALLFOLD_STEP_SEND && schedule->publication[q] == q);
        assert_true(first->buffer[0] == step->buffer[0] && first->offset[0] == step->offset[0] &&
                    first->length == step->length);
        for (uint32_t k = q + 1; k < i; k++)
            assert_false(is_written(step, &schedule->steps[k]));
        repeated++;
    }
    return repeated;
}

static unsigned count_in(const struct allfold_case *of, int r)
{
    struct allfold_schedule **schedules;
    char message[200];
    if (allfold_case_build(of, &schedules, message, sizeof message) != ALLFOLD_OK)
        return 0; /* its needs are not met */
    unsigned repeated = 0;
    for (int i = 0; i < of->p; i++) {
        const unsigned of_rank = count_repeated(schedules[i]);
        repeated = i == r ? of_rank : repeated;
    }
    allfold_case_free(of, schedules);
    return repeated;
}

static void test_all_algorithms(void **state)
{
    (void)state;
    for (size_t a = 0; allfold_algorithms[a] != NULL; a++)
        for (int p = 1; p <= MOST_RANKS; p++)
            for (size_t count = 0; count <= 40; count = 2 * count + 1) {
                struct allfold_case of = {.algorithm = allfold_algorithms[a],
                                          .p = p,
                                          .count = count,
                                          .in_place = count % 2 != 0};
                of.parameters = allfold_parameter_presets(of.algorithm);
                count_in(&of, 0);
            }
}

static unsigned sends_saved(enum allfold_collective collective, const char *name, int p)
{
    struct allfold_case of = {
        .algorithm = allfold_algorithm_find(collective, name), .p = p, .count = 10};
    of.parameters = allfold_parameter_presets(of.algorithm);
    return count_in(&of, 0);
}

/* Flat algorithms show a vector once; recursive doubling sends another one in each round. */
static void test_known_algorithms(void **state)
{
    (void)state;
    for (int p = 2; p <= MOST_RANKS; p++) {
        assert_int_equal(sends_saved(ALLFOLD_ALLREDUCE, "flat", p), p - 2);
        assert_int_equal(sends_saved(ALLFOLD_ALLGATHER, "flat", p), p - 2);
        assert_int_equal(sends_saved(ALLFOLD_BCAST, "flat", p), p - 2);
        assert_int_equal(sends_saved(ALLFOLD_ALLREDUCE, "ring", p), 0);
    }
    assert_int_equal(sends_saved(ALLFOLD_ALLREDUCE, "recursive_doubling", 8), 0);
    assert_int_equal(sends_saved(ALLFOLD_BCAST, "binomial_tree", 8), 2);
}

static void test_writes_between(void **state)
{
    (void)state;
    struct allfold_step steps[] = {
        {.kind = ALLFOLD_STEP_SEND, .peer = 1, .length = 4, .offset = {8}},
        {.kind = ALLFOLD_STEP_RECEIVE, .peer = 1, .length = 4, .offset = {12}}, /* just behind */
        {.kind = ALLFOLD_STEP_SEND, .peer = 2, .length = 4, .offset = {8}},
        {.kind = ALLFOLD_STEP_COPY, .peer = -1, .length = 1, .offset = {11, 20}}, /* its last one */
        {.kind = ALLFOLD_STEP_SEND, .peer = 3, .length = 4, .offset = {8}},
        {.kind = ALLFOLD_STEP_SEND, .peer = 3, .length = 3, .offset = {8}},
        {.kind = ALLFOLD_STEP_SEND, .peer = 4, .length = 4, .offset = {8}},
    };
    static const uint32_t expected[] = {0, ALLFOLD_NO_STEP, 0, ALLFOLD_NO_STEP, 4, 5, 4};
    uint32_t publication[sizeof steps / sizeof *steps];
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (int k = 0; k < 3; k++)
            steps[i].buffer[k] = ALLFOLD_OUT;
    allfold_publish(steps, sizeof steps / sizeof *steps, publication);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        assert_int_equal(publication[i], expected[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_algorithms),
        cmocka_unit_test(test_known_algorithms),
        cmocka_unit_test(test_writes_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
