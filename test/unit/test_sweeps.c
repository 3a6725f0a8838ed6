/* Sweeps ask what an algorithm needs before they ask what it claims, and know from the claims how
 * many ranks there is time for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/sweep.h"

enum { SERVED = 7, LARGE = 100000, LARGEST_SAMPLE = 400 };

/* The flat allreduce, but of few ranks; it claims nothing of others. */
static struct allfold_algorithm picky;

static const char *unmet_picky(const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    return p <= SERVED && p % 2 == 1 ? NULL : "1, 3, 5 or 7 ranks";
}

static struct allfold_claim claim_picky(const struct allfold_problem *problem,
                                        const struct allfold_parameters *parameters)
{
    assert_null(unmet_picky(problem, parameters));
    return allfold_algorithm_find(ALLFOLD_ALLREDUCE, "flat")->claim(problem, parameters);
}

static bool on_failure(void *context, const struct allfold_case *of, const char *message)
{
    (void)context;
    fail_msg("%d ranks, %zu elements: %s", of->p, of->count, message);
    return false;
}

static void note_largest(void *context, int p, int done, int total)
{
    int *largest = context;
    *largest = p > *largest ? p : *largest;
    assert_true(done <= total);
}

static struct allfold_sweep sweep_of(int p_first, int p_last, int *largest)
{
    picky = *allfold_algorithm_find(ALLFOLD_ALLREDUCE, "flat");
    picky.unmet = unmet_picky;
    picky.claim = claim_picky;
    return (struct allfold_sweep){.algorithm = &picky,
                                  .p_first = p_first,
                                  .p_last = p_last,
                                  .on_failure = on_failure,
                                  .on_progress = note_largest,
                                  .context = largest};
}

static void test_whole_sweeps_ask_for_needs_first(void **state)
{
    (void)state;
    struct allfold_sweep_result result;
    int largest = 0;
    const struct allfold_sweep sweep = sweep_of(3, 6, &largest);
    assert_int_equal(allfold_sweep_run(&sweep, &result), ALLFOLD_OK);
    assert_int_equal(largest, 6);
    /* 0, 1, p - 1, p, p + 1 and 3 p + 2 elements, and 2, in place and not */
    assert_int_equal(result.schedules, 2 * (6 + 7));
    assert_int_equal(result.unserved, 2 * (7 + 7));
}

/* The most ranks that are served send as much as all ranks have: so no sample is large. */
static void test_samples_ask_for_needs_first(void **state)
{
    (void)state;
    struct allfold_sweep_result result;
    int largest = 0;
    struct allfold_sweep sweep = sweep_of(3, LARGE, &largest);
    sweep.sampled = true;
    sweep.samples = 100;
    assert_int_equal(allfold_sweep_run(&sweep, &result), ALLFOLD_OK);
    assert_in_range(largest, LARGEST_SAMPLE / 2, LARGEST_SAMPLE);
    /* nobody is served: nothing is known, and nothing done */
    sweep.p_first = SERVED + 1;
    assert_int_equal(allfold_sweep_run(&sweep, &result), ALLFOLD_OK);
    assert_true(largest > LARGEST_SAMPLE);
    assert_int_equal(result.schedules, 0);
    assert_in_range(result.unserved, 200, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_sweeps_ask_for_needs_first),
        cmocka_unit_test(test_samples_ask_for_needs_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
