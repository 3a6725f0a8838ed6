/* The verifier and schedules that the builder would not make: what is overwritten in flight, and
 * what is written where nobody may. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "support_verifier.h"

/* Without the edge from the send to what overwrites it: the builder would not allow it. */
static void test_overwriting_what_is_being_sent(void **state)
{
    (void)state;
    struct set set = {
        .of = case_of(allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling"), 4, 3)};
    char message[400] = "";
    assert_int_equal(allfold_case_build(&set.of, &set.schedules, message, sizeof message),
                     ALLFOLD_OK);
    struct draft draft = draft_of(set.schedules[2]);
    uint32_t e = 0;
    while (draft.steps[draft.edges[e].from].kind != ALLFOLD_STEP_SEND)
        e++;
    draft_drop_edge(&draft, e);
    struct allfold_schedule *before = put(&set, 2, &draft);
    set.of.mode = ALLFOLD_VIRTUAL_REORDERED;
    bool found = false;
    for (set.of.seed = 0; set.of.seed < 100 && !found; set.of.seed++)
        found = allfold_verify_results(verifier, &set.of, set.schedules, message, sizeof message) ==
                ALLFOLD_DISPROVED;
    assert_true(found);
    assert_non_null(
        strstr(message, "rank 2, message 0 with rank 0 (3 elements): it was overwritten"));
    put_back(&set, 2, before);
    draft_free(&draft);
    allfold_case_free(&set.of, set.schedules);
}

/* After all else is done, copies a result to where it must not go. */
static void test_writing_where_one_must_not(void **state)
{
    (void)state;
    static const struct {
        uint8_t buffer;
        size_t offset;
        const char *words;
    } targets[] = {{ALLFOLD_IN, 2, "rank 1 changes element 2 of its input"},
                   {ALLFOLD_OUT, 3, "rank 1 touches memory outside its buffers"},
                   {ALLFOLD_OUT, (size_t)-1, "rank 1 touches memory outside its buffers"}};
    for (size_t i = 0; i < LENGTH(targets); i++) {
        struct set set = {
            .of = case_of(allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling"), 2, 3)};
        char message[400] = "";
        assert_int_equal(allfold_case_build(&set.of, &set.schedules, message, sizeof message),
                         ALLFOLD_OK);
        struct draft draft = draft_of(set.schedules[1]); /* it has room for one more */
        draft.edges[draft.edge_count++] = (struct edge){draft.step_count - 1, draft.step_count};
        draft.steps[draft.step_count++] =
            (struct allfold_step){.kind = ALLFOLD_STEP_COPY,
                                  .buffer = {targets[i].buffer, ALLFOLD_OUT, 0},
                                  .peer = -1,
                                  .length = 1,
                                  .offset = {targets[i].offset, 0, 0}};
        struct allfold_schedule *before = put(&set, 1, &draft);
        assert_int_equal(
            allfold_verify_results(verifier, &set.of, set.schedules, message, sizeof message),
            ALLFOLD_DISPROVED);
        assert_string_equal(message, targets[i].words);
        put_back(&set, 1, before);
        draft_free(&draft);
        allfold_case_free(&set.of, set.schedules);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overwriting_what_is_being_sent),
        cmocka_unit_test(test_writing_where_one_must_not),
    };
    return cmocka_run_group_tests(tests, verifier_set_up, verifier_tear_down);
}
