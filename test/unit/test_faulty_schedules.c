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

/* A set of one algorithm whose rank `changed` is about to be changed. */
static struct set set_of(enum allfold_collective collective, const char *name, int p, int changed,
                         struct draft *draft)
{
    struct set set = {.of = case_of(allfold_algorithm_find(collective, name), p, 3)};
    char message[400] = "";
    assert_int_equal(allfold_case_build(&set.of, &set.schedules, message, sizeof message),
                     ALLFOLD_OK);
    *draft = draft_of(set.schedules[changed]);
    return set;
}

/* What a draft says in place of that rank's schedule is disproved in every mode, with these words;
 * and, where there are any, with these of its order. */
static void assert_disproved(struct set *set, int r, struct draft *draft, const char *words,
                             const char *order_words)
{
    struct allfold_schedule *before = put(set, r, draft);
    for (unsigned mode = 0; mode < ALLFOLD_VIRTUAL_MODE_COUNT; mode++)
        for (set->of.seed = 0; set->of.seed < 10; set->of.seed++) {
            char message[400] = "";
            set->of.mode = (enum allfold_virtual_mode)mode;
            assert_int_equal(
                allfold_verify_results(verifier, &set->of, set->schedules, message, sizeof message),
                ALLFOLD_DISPROVED);
            if (strstr(message, words) == NULL)
                fail_msg("mode %u: %s", mode, message);
        }
    char message[400] = "";
    assert_int_equal(allfold_verify_order(&set->of, set->schedules, 0, 1, message, sizeof message),
                     ALLFOLD_DISPROVED);
    assert_string_equal(message, order_words);
    put_back(set, r, before);
    draft_free(draft);
    allfold_case_free(&set->of, set->schedules);
}

static void drop_edge_between(struct draft *draft, enum allfold_step_kind from,
                              enum allfold_step_kind to)
{
    uint32_t e = 0;
    while (draft->steps[draft->edges[e].from].kind != from ||
           draft->steps[draft->edges[e].to].kind != to)
        e++;
    draft_drop_edge(draft, e);
}

/* Whoever does not wait for a message must not find it there, however early it was sent. */
static void test_reading_what_is_being_received(void **state)
{
    (void)state;
    struct draft draft;
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 1, &draft);
    drop_edge_between(&draft, ALLFOLD_STEP_RECEIVE, ALLFOLD_STEP_REDUCE);
    assert_disproved(&set, 1, &draft,
                     "rank 1: a step failed: reads what a message in flight may change",
                     "rank 1: steps 1 and 2 touch the same, in either order");
    set = set_of(ALLFOLD_BCAST, "chain", 3, 1, &draft);
    drop_edge_between(&draft, ALLFOLD_STEP_RECEIVE, ALLFOLD_STEP_SEND);
    assert_disproved(&set, 1, &draft,
                     "rank 1, message 0 with rank 2 (3 elements): it cannot be sent: copies what a "
                     "message in flight may change",
                     "rank 1: steps 0 and 1 touch the same, in either order");
}

/* A copy that waits for nothing, into what a message is received into. */
static void test_writing_to_what_is_being_received(void **state)
{
    (void)state;
    struct draft draft;
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 1, &draft);
    const struct allfold_step receive = draft.steps[1];
    assert_int_equal(receive.kind, ALLFOLD_STEP_RECEIVE);
    draft.steps[draft.step_count++] = (struct allfold_step){.kind = ALLFOLD_STEP_COPY,
                                                            .buffer = {receive.buffer[0]},
                                                            .peer = -1,
                                                            .length = 1,
                                                            .offset = {receive.offset[0] + 2}};
    assert_disproved(&set, 1, &draft, "it was written to while it was being received",
                     "rank 1: steps 1 and 3 touch the same, in either order");
}

/* Edges lead to later steps; one that does not is no order. */
static void test_waiting_for_what_is_later(void **state)
{
    (void)state;
    struct draft draft;
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 1, &draft);
    drop_edge_between(&draft, ALLFOLD_STEP_RECEIVE, ALLFOLD_STEP_REDUCE);
    draft.edges[draft.edge_count++] = (struct edge){2, 1};
    char message[400] = "";
    struct allfold_schedule *before = put(&set, 1, &draft);
    assert_int_equal(allfold_verify_order(&set.of, set.schedules, 0, 1, message, sizeof message),
                     ALLFOLD_DISPROVED);
    assert_string_equal(message, "rank 1: step 1 waits for step 2, a later one");
    put_back(&set, 1, before);
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
        cmocka_unit_test(test_reading_what_is_being_received),
        cmocka_unit_test(test_writing_to_what_is_being_received),
        cmocka_unit_test(test_waiting_for_what_is_later),
        cmocka_unit_test(test_writing_where_one_must_not),
    };
    return cmocka_run_group_tests(tests, verifier_set_up, verifier_tear_down);
}
