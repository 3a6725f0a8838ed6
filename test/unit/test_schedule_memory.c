/* What schedules cost in memory, and what building them does without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/algorithm.h"
#include "util/memory.h"
#include "schedule/verbs.h"
#include "support.h"

/* Touches all lists that grow: steps, edges, pieces, readers, peers, scratch. */
static void write_large_program(struct allfold_builder *s)
{
    uint64_t seed = 5;
    write_random_program(s, &seed, 120, 40, 3);
    for (int peer = 1; peer < 40; peer++)
        exchange(s, peer, span(ALLFOLD_OUT, (size_t)peer, 1), peer,
                 span(ALLFOLD_SCRATCH, (size_t)peer, 1));
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    unsigned long n = 1;
    for (enum allfold_error error = ALLFOLD_NO_MEMORY; error != ALLFOLD_OK; n++) {
        const struct allfold_shape shape = {
            .group = allfold_group_all(40, 0), .in_length = 40, .out_length = 40};
        struct allfold_schedule *schedule = (struct allfold_schedule *)(uintptr_t)1;
        allfold_fail_allocation(n);
        struct allfold_builder *s = allfold_builder_create(&shape);
        assert_true((s == NULL) == (n == 1));
        if (s == NULL)
            continue;
        write_large_program(s);
        error = allfold_builder_freeze(s, &schedule);
        assert_true(error == ALLFOLD_OK || error == ALLFOLD_NO_MEMORY);
        assert_true((schedule == NULL) == (error != ALLFOLD_OK));
        if (allfold_builder_error(s) != ALLFOLD_OK)
            assert_non_null(strstr(allfold_builder_message(s), "no memory for step"));
        allfold_builder_free(s);
        allfold_schedule_free(schedule);
    }
    allfold_fail_allocation(0);
    assert_true(n > 20);
}

static void test_allocations_of_allfold_build_may_fail(void **state)
{
    (void)state;
    unsigned long n = 1;
    for (enum allfold_error error = ALLFOLD_NO_MEMORY; error != ALLFOLD_OK; n++) {
        const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                                .group = allfold_group_all(64, 9),
                                                .count = 1000,
                                                .element_bytes = 4,
                                                .commutative = true};
        const struct allfold_algorithm *ring = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "ring");
        const struct allfold_parameters parameters = allfold_parameter_presets(ring);
        struct allfold_schedule *schedule = (struct allfold_schedule *)(uintptr_t)1;
        char message[80] = "";
        allfold_fail_allocation(n);
        error = allfold_build(ring, &problem, &parameters, &schedule, message, sizeof message);
        assert_true((schedule == NULL) == (error != ALLFOLD_OK));
        if (error != ALLFOLD_OK) {
            assert_int_equal(error, ALLFOLD_NO_MEMORY);
            assert_string_equal(message, "no memory");
        }
        allfold_schedule_free(schedule);
    }
    allfold_fail_allocation(0);
    assert_true(n > 10);
}

static struct allfold_schedule *schedule_of_rank(const char *name, int p, int r, size_t count)
{
    const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                            .group = allfold_group_all(p, r),
                                            .count = count,
                                            .element_bytes = 4,
                                            .commutative = true};
    const struct allfold_algorithm *algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, name);
    assert_non_null(algorithm);
    const struct allfold_parameters parameters = allfold_parameter_presets(algorithm);
    struct allfold_schedule *schedule;
    char message[200] = "";
    if (allfold_build(algorithm, &problem, &parameters, &schedule, message, sizeof message) !=
        ALLFOLD_OK)
        fail_msg("%s", message);
    return schedule;
}

static void test_large_rings_have_linear_size(void **state)
{
    (void)state;
    enum { P = 4096, MESSAGES = 4 * (P - 1) };
    struct allfold_schedule *schedule = schedule_of_rank("ring", P, 1234, 3 * P + 1);
    assert_int_equal(schedule->message_count, MESSAGES);
    assert_int_equal(schedule->step_count, MESSAGES + P - 1);
    /* a step waits for what wrote its block, or for two uses before of its scratch */
    assert_true(schedule->edge_count <= 2 * schedule->step_count);
    assert_true(schedule->bytes <=
                sizeof *schedule + schedule->step_count * (sizeof *schedule->steps + 7 * 4) + 64);
    allfold_schedule_free(schedule);
}

static void test_recursive_doubling_is_logarithmic(void **state)
{
    (void)state;
    for (int lg = 1; lg <= 24; lg++) {
        struct allfold_schedule *schedule =
            schedule_of_rank("recursive_doubling", 1 << lg, (1 << lg) / 3, 10);
        assert_int_equal(schedule->step_count, 3 * lg);
        assert_int_equal(schedule->message_count, 2 * lg);
        assert_true(schedule->edge_count <= 6u * (unsigned)lg);
        assert_true(schedule->bytes <= sizeof *schedule + (size_t)lg * 300 + 64);
        allfold_schedule_free(schedule);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_allocations_of_allfold_build_may_fail),
        cmocka_unit_test(test_large_rings_have_linear_size),
        cmocka_unit_test(test_recursive_doubling_is_logarithmic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
