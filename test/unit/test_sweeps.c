/* Sweeps ask what an algorithm needs before they ask what it claims, and know from the claims how
 * many ranks there is time for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lab/verify/sweep.h"
#include "schedule/verbs.h"

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

static void on_failure(void *context, const struct allfold_case *of,
                       const struct allfold_blame *blame)
{
    (void)context, (void)of;
    fail_msg("%s: %s", blame->where, blame->text);
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
    picky.keeps_tree = NULL;
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
    /* no case is served: nothing is known, and nothing done */
    sweep.p_first = SERVED + 1;
    assert_int_equal(allfold_sweep_run(&sweep, &result), ALLFOLD_OK);
    assert_true(largest > LARGEST_SAMPLE);
    assert_int_equal(result.schedules, 0);
    assert_in_range(result.unserved, 200, 400);
}

/* All ranks' schedules of a case, in words; NULL where it is not served. Freed by the caller. */
static char *words_of(const struct allfold_case *of)
{
    char message[200] = "", *words = NULL;
    size_t bytes = 0;
    struct allfold_schedule **schedules;
    const struct allfold_problem problem = allfold_case_problem(of, 0);
    if (allfold_unmet_need(of->algorithm, &problem, &of->parameters) != NULL)
        return NULL;
    assert_int_equal(allfold_case_build(of, &schedules, message, sizeof message), ALLFOLD_OK);
    FILE *stream = open_memstream(&words, &bytes);
    assert_non_null(stream);
    for (int r = 0; r < of->p; r++)
        allfold_schedule_print(schedules[r], stream);
    assert_int_equal(fclose(stream), 0);
    allfold_case_free(of, schedules);
    return words;
}

/* Returns whether there was something to compare. */
static bool is_same_where_it_commutes(struct allfold_case of)
{
    of.commutes = false;
    char *before = words_of(&of);
    of.commutes = true;
    char *after = words_of(&of);
    if (before != NULL) {
        assert_non_null(after);
        assert_string_equal(before, after);
    }
    free(before);
    free(after);
    return before != NULL;
}

/* Whether the operation commutes decides what is served, and nothing of the schedules: so sweeps
 * have a case once. */
static void test_what_commutes_has_the_same_schedules(void **state)
{
    (void)state;
    static const int64_t keys[][9] = {{0, 0, 0, 1, 1, 1, 2, 2, 2},
                                      {0, 1, 2, 0, 1, 2, 0, 1, 2},
                                      {0, 0, 0, 0, 1, 1, 2, 2, 2},
                                      {0, 1, 0, 0, 1, 2, 1, 0, 2}};
    size_t compared = 0;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const struct allfold_nodes *nodes = allfold_nodes_make(keys[k], 9);
        assert_non_null(nodes);
        for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
            for (unsigned c = 0; c < allfold_tried_count(allfold_algorithms[i], false); c++)
                compared += is_same_where_it_commutes((struct allfold_case){
                    .algorithm = allfold_algorithms[i],
                    .parameters = allfold_tried(allfold_algorithms[i], false, c),
                    .p = 9,
                    .root = 4,
                    .count = 29,
                    .nodes = nodes});
        allfold_nodes_free(nodes);
    }
    assert_true(compared > 100);
}

/* The flat allreduce, and a copy on rank 0 that changes no result. */
static void build_other(struct allfold_builder *s, const struct allfold_problem *problem,
                        const struct allfold_parameters *parameters)
{
    allfold_algorithm_find(ALLFOLD_ALLREDUCE, "flat")->build(s, problem, parameters);
    if (problem->group.index == 0)
        copy(s, scratch(s, problem->count), span(ALLFOLD_OUT, 0, problem->count));
}

static struct allfold_claim claim_other(const struct allfold_problem *problem,
                                        const struct allfold_parameters *parameters)
{
    struct allfold_claim claim =
        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "flat")->claim(problem, parameters);
    claim.reduced++;
    return claim;
}

static uint64_t digest_of(const struct allfold_sweep *sweep)
{
    struct allfold_sweep_result result;
    struct allfold_sweep digest_only = *sweep;
    digest_only.digest_only = true;
    assert_int_equal(allfold_sweep_run(&digest_only, &result), ALLFOLD_OK);
    assert_int_equal(result.runs, 0);
    return result.digest;
}

/* A proof that is on file stands for all that has its digest, so whatever may change its outcome
 * changes the digest. */
static void test_digests_differ_where_proofs_may(void **state)
{
    (void)state;
    int largest = 0;
    struct allfold_sweep_result proof;
    struct allfold_sweep sweep = sweep_of(1, 5, &largest);
    const uint64_t digest = digest_of(&sweep);
    assert_int_equal(digest_of(&sweep), digest);
    assert_int_equal(allfold_sweep_run(&sweep, &proof), ALLFOLD_OK);
    assert_true(proof.runs > 0);
    assert_int_equal(proof.digest, digest);

    const struct allfold_algorithm as_it_is = picky;
    picky.build = build_other;
    assert_int_not_equal(digest_of(&sweep), digest);
    picky = as_it_is;
    picky.claim = claim_other;
    assert_int_not_equal(digest_of(&sweep), digest);
    picky = as_it_is;
    picky.consistent = !picky.consistent;
    assert_int_not_equal(digest_of(&sweep), digest);
    picky = as_it_is;
    picky.needs |= ALLFOLD_NEEDS_COMMUTATIVE;
    assert_int_not_equal(digest_of(&sweep), digest);
    picky = as_it_is;
    sweep.p_last = 3;
    assert_int_not_equal(digest_of(&sweep), digest);
    sweep.p_last = 5;
    sweep.seed++;
    assert_int_not_equal(digest_of(&sweep), digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_sweeps_ask_for_needs_first),
        cmocka_unit_test(test_samples_ask_for_needs_first),
        cmocka_unit_test(test_what_commutes_has_the_same_schedules),
        cmocka_unit_test(test_digests_differ_where_proofs_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
