/* Which steps wait for which: those that touch a common element that one of them writes, and no
 * others. Held against a reading of the rule that compares all pairs of steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "support.h"
#include "support_builder.h"

/* Whether steps touch a common element that one of them writes. */
static bool conflict(const struct allfold_step *a, const struct allfold_step *b)
{
    static const int operands[] = {[ALLFOLD_STEP_SEND] = 1,
                                   [ALLFOLD_STEP_RECEIVE] = 1,
                                   [ALLFOLD_STEP_REDUCE] = 3,
                                   [ALLFOLD_STEP_COPY] = 2};
    for (int i = 0; i < operands[a->kind]; i++)
        for (int j = 0; j < operands[b->kind]; j++) {
            const bool writes = (i == 0 && a->kind != ALLFOLD_STEP_SEND) ||
                                (j == 0 && b->kind != ALLFOLD_STEP_SEND);
            if (writes && a->buffer[i] == b->buffer[j] && a->offset[i] < b->offset[j] + b->length &&
                b->offset[j] < a->offset[i] + a->length)
                return true;
        }
    return false;
}

enum { MOST_STEPS = 64 };

/* Direct edges between conflicting steps alone, forward, each once; waits_for and roots of them. */
static void check_edges(const struct allfold_schedule *schedule, uint64_t seed,
                        bool reach[MOST_STEPS][MOST_STEPS])
{
    uint32_t waits_for[MOST_STEPS] = {0}, roots = 0;
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        assert_true(schedule->first_edge[i] <= schedule->first_edge[i + 1]);
        for (uint32_t e = schedule->first_edge[i]; e < schedule->first_edge[i + 1]; e++) {
            const uint32_t to = schedule->edges[e];
            if (to <= i || to >= schedule->step_count || reach[i][to] ||
                !conflict(&schedule->steps[i], &schedule->steps[to]))
                fail_msg("seed %llu: wrong edge %u -> %u", (unsigned long long)seed, i, to);
            reach[i][to] = true;
            waits_for[to]++;
        }
    }
    assert_int_equal(schedule->first_edge[0], 0);
    assert_int_equal(schedule->first_edge[schedule->step_count], schedule->edge_count);
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        assert_int_equal(schedule->waits_for[i], waits_for[i]);
        if (waits_for[i] == 0)
            assert_int_equal(schedule->roots[roots++], i);
    }
    assert_int_equal(schedule->root_count, roots);
}

/* Any two steps that conflict keep their order, by edges. */
static void check_hazards(const struct allfold_schedule *schedule, uint64_t seed)
{
    static bool reach[MOST_STEPS][MOST_STEPS];
    memset(reach, 0, sizeof reach);
    check_edges(schedule, seed, reach);
    const uint32_t n = schedule->step_count;
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t j = i + 1; j < n; j++)
            for (uint32_t k = j + 1; reach[i][j] && k < n; k++)
                reach[i][k] = reach[i][k] || reach[j][k];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (conflict(&schedule->steps[i], &schedule->steps[j]) && !reach[i][j])
                fail_msg("seed %llu: step %u does not wait for step %u", (unsigned long long)seed,
                         j, i);
}

static void test_hazards_of_random_programs(void **state)
{
    (void)state;
    size_t steps = 0;
    for (uint64_t first = 1; first <= 4000; first++) {
        uint64_t seed = first;
        const size_t length = 1 + random_below(&seed, 12);
        const bool in_place = random_below(&seed, 3) == 0;
        struct allfold_builder *s = builder_of(4, 0, length, length, in_place);
        write_random_program(s, &seed, MOST_STEPS, length, (int)random_below(&seed, 4));
        struct allfold_schedule *schedule = frozen(s);
        steps += schedule->step_count;
        check_hazards(schedule, first);
        allfold_schedule_free(schedule);
    }
    assert_true(steps > 4000 * MOST_STEPS / 2); /* few of the verbs are left out as empty */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hazards_of_random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
