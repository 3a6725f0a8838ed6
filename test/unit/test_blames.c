/* Blames: correct schedules are broken in one place each, and the blame must name that place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "schedule/verbs.h"
#include "support_verifier.h"
#include "util/memory.h"

/* Puts the draft in rank r's place; frees it. */
static void change(struct set *set, int r, struct draft *draft)
{
    allfold_schedule_free(put(set, r, draft));
    draft_free(draft);
}

/* What is blamed in a set, which is freed; the verifier must have refused it, too. */
static struct allfold_blame blame_of(struct set *set)
{
    struct allfold_blame blame;
    assert_true(fails_in_some_run(set, 20) || breaks_a_claim(set));
    assert_int_equal(allfold_blame_find(&set->of, set->schedules, &blame), ALLFOLD_DISPROVED);
    allfold_case_free(&set->of, set->schedules);
    return blame;
}

static void assert_blame(const struct allfold_blame *blame, enum allfold_blame_kind kind, int rank,
                         int step, const char *text)
{
    if (blame->kind != kind || blame->rank != rank || blame->step != step ||
        strcmp(blame->text, text) != 0)
        fail_msg("%s, rank %d, step %d: %s", allfold_blame_kind_name(blame->kind), blame->rank,
                 blame->step, blame->text);
}

static void test_a_send_that_was_dropped(void **state)
{
    (void)state;
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 4, 3);
    struct draft draft = draft_of(set.schedules[1]);
    draft_drop_step(&draft, step_of(&draft, ALLFOLD_STEP_SEND, 0));
    change(&set, 1, &draft);
    const struct allfold_blame blame = blame_of(&set);
    assert_blame(&blame, ALLFOLD_BLAME_NEVER_SENT, 0, 1,
                 "Rank 0 waits for ever at step 1 for message 0 of rank 1 (3 elements). Rank 1 "
                 "sends nothing to rank 0. 2 ranks wait for ever because of it. Let rank 1 send "
                 "it, or let rank 0 not wait for it.");
    assert_int_equal(blame.peer, 1);
    assert_int_equal(blame.number, 0);
    assert_int_equal(blame.length, 3);
    assert_int_equal(blame.waiting, 2);
    assert_string_equal(blame.where, "allreduce.recursive_doubling, p = 4, 3 elements");
}

static void test_a_wrong_peer(void **state)
{
    (void)state;
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 4, 3);
    struct draft draft = draft_of(set.schedules[1]);
    draft.steps[step_of(&draft, ALLFOLD_STEP_SEND, 0)].peer = 2;
    change(&set, 1, &draft);
    const struct allfold_blame blame = blame_of(&set);
    assert_blame(&blame, ALLFOLD_BLAME_NEVER_SENT, 0, 1,
                 "Rank 0 waits for ever at step 1 for message 0 of rank 1 (3 elements). Rank 1 "
                 "sends nothing to rank 0. Rank 1's step 0 sends message 0, of 3 elements, to rank "
                 "2, which never receives it: is the peer wrong there? 2 ranks wait for ever "
                 "because of it. Let rank 1 send it, or let rank 0 not wait for it.");
    assert_int_equal(blame.peer, 1);

    set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 4, 3);
    draft = draft_of(set.schedules[1]);
    draft.steps[step_of(&draft, ALLFOLD_STEP_SEND, 0)].peer = 4;
    change(&set, 1, &draft);
    const struct allfold_blame none = blame_of(&set);
    assert_blame(&none, ALLFOLD_BLAME_NO_SUCH_PEER, 1, 0,
                 "Rank 1's step 0, a send, is with rank 4, but the ranks are 0 to 3.");
}

static void test_a_message_that_nobody_receives(void **state)
{
    (void)state;
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 3);
    struct draft draft = draft_of(set.schedules[1]);
    draft_drop_step(&draft, step_of(&draft, ALLFOLD_STEP_RECEIVE, 0));
    change(&set, 1, &draft);
    const struct allfold_blame blame = blame_of(&set);
    assert_blame(
        &blame, ALLFOLD_BLAME_NEVER_RECEIVED, 0, 0,
        "Rank 0 sends message 0 (3 elements) to rank 1 at step 0, and nobody receives it. Rank 1 "
        "receives nothing from rank 0. Let rank 1 receive it, or let rank 0 not send it.");
    assert_int_equal(blame.peer, 1);
}

static void test_lengths_that_differ(void **state)
{
    (void)state;
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 3);
    struct draft draft = draft_of(set.schedules[1]);
    draft.steps[step_of(&draft, ALLFOLD_STEP_SEND, 0)].length = 2;
    change(&set, 1, &draft);
    const struct allfold_blame blame = blame_of(&set);
    assert_blame(&blame, ALLFOLD_BLAME_LENGTHS_DIFFER, 1, 0,
                 "Message 0 from rank 1 to rank 0 has two lengths: rank 1 sends 2 elements at step "
                 "0, rank 0 receives 3 at step 1. Both must name the same length.");
    assert_int_equal(blame.expected, 3);
    assert_int_equal(blame.found, 2);
    assert_int_equal(blame.other_step, 1);
}

/* Rank 1's first reduction, changed by `how`. */
static struct allfold_blame with_other_reduction(void (*how)(struct allfold_step *step))
{
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 4, 3);
    struct draft draft = draft_of(set.schedules[1]);
    how(&draft.steps[step_of(&draft, ALLFOLD_STEP_REDUCE, 0)]);
    change(&set, 1, &draft);
    return blame_of(&set);
}

static void take_left_twice(struct allfold_step *step)
{
    step->buffer[1] = step->buffer[2];
    step->offset[1] = step->offset[2];
}

static void test_a_contribution_twice(void **state)
{
    (void)state;
    const struct allfold_blame blame = with_other_reduction(take_left_twice);
    assert_blame(&blame, ALLFOLD_BLAME_TWICE, 1, -1,
                 "Rank 1's result misses the contribution of rank 0 and has the contribution of "
                 "rank 1 twice in elements 0 to 2, which is ((1 o 1) o (2 o 3)) over ranks. "
                 "Expected: the contribution of each of the 4 ranks once.");
    assert_int_equal(blame.contribution, 1);
    assert_int_equal(blame.missing, 0);
    assert_int_equal(blame.found, 2);
    assert_int_equal(blame.first, 0);
    assert_int_equal(blame.length, 3);
}

/* An exscan's result is without the rank's own. */
static void test_a_contribution_of_another_rank(void **state)
{
    (void)state;
    struct set set = set_of(ALLFOLD_EXSCAN, "simultaneous_trees", 4, 3);
    struct draft draft = draft_of(set.schedules[3]);
    struct allfold_step *reduction = &draft.steps[step_of(&draft, ALLFOLD_STEP_REDUCE, 0)];
    reduction->buffer[1] = ALLFOLD_IN;
    reduction->offset[1] = 0;
    change(&set, 3, &draft);
    const struct allfold_blame blame = blame_of(&set);
    assert_blame(&blame, ALLFOLD_BLAME_FOREIGN, 3, -1,
                 "Rank 3's result misses the contribution of ranks 0 and 1 and has the "
                 "contribution of rank 3 in elements 0 to 2, which is (3 o 2) over ranks. "
                 "Expected: the contribution of each of the 3 lowest ranks once.");
    assert_int_equal(blame.contribution, 3);
    assert_int_equal(blame.missing, 0);
    assert_int_equal(blame.found, 1);
    assert_int_equal(blame.expected, 0);
}

static void copy_right(struct allfold_step *step)
{
    step->kind = ALLFOLD_STEP_COPY;
    take_left_twice(step);
}

static void test_a_contribution_that_is_missing(void **state)
{
    (void)state;
    const struct allfold_blame blame = with_other_reduction(copy_right);
    assert_blame(
        &blame, ALLFOLD_BLAME_MISSING, 1, -1,
        "Rank 1's result misses the contribution of rank 0 in elements 0 to 2, which is (1 o (2 o "
        "3)) over ranks. Expected: the contribution of each of the 4 ranks once.");
    assert_int_equal(blame.missing, 0);
    assert_int_equal(blame.contribution, -1);
}

static void swap_operands(struct allfold_step *step)
{
    const struct allfold_step before = *step;
    step->buffer[1] = before.buffer[2];
    step->offset[1] = before.offset[2];
    step->buffer[2] = before.buffer[1];
    step->offset[2] = before.offset[1];
}

static void test_a_wrong_order_of_ranks(void **state)
{
    (void)state;
    const struct allfold_blame blame = with_other_reduction(swap_operands);
    assert_blame(
        &blame, ALLFOLD_BLAME_RANK_ORDER, 1, -1,
        "Rank 1's result has rank 1's contribution left of rank 0's in elements 0 to 2, which is "
        "((1 o 0) o (2 o 3)) over ranks. An operation that does not commute needs rank order: let "
        "`left` of each reduction cover the lower ranks, or say ALLFOLD_NEEDS_COMMUTATIVE.");
    assert_int_equal(blame.contribution, 1);
    assert_int_equal(blame.peer, 0);
}

/* Both sides of a message are gone: what should have arrived is read. */
static void test_a_read_before_a_write(void **state)
{
    (void)state;
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 3);
    struct draft draft = draft_of(set.schedules[1]);
    draft_drop_step(&draft, step_of(&draft, ALLFOLD_STEP_RECEIVE, 0));
    change(&set, 1, &draft);
    draft = draft_of(set.schedules[0]);
    draft_drop_step(&draft, step_of(&draft, ALLFOLD_STEP_SEND, 0));
    change(&set, 0, &draft);
    const struct allfold_blame blame = blame_of(&set);
    assert_blame(&blame, ALLFOLD_BLAME_READ_UNWRITTEN, 1, 1,
                 "Rank 1's step 1, a reduce, reads TMP0[0,3) before any step has written it. Let a "
                 "receive, a copy or a reduction write it first.");
    assert_int_equal(blame.buffer, ALLFOLD_SCRATCH);
    assert_int_equal(blame.first, 0);
    assert_int_equal(blame.length, 3);
}

static void test_spans_where_they_must_not_be(void **state)
{
    (void)state;
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 3);
    struct draft draft = draft_of(set.schedules[1]);
    draft.steps[step_of(&draft, ALLFOLD_STEP_REDUCE, 0)].buffer[0] = ALLFOLD_IN;
    change(&set, 1, &draft);
    const struct allfold_blame input = blame_of(&set);
    assert_blame(&input, ALLFOLD_BLAME_INPUT_WRITTEN, 1, 2,
                 "Rank 1's step 2, a reduce, writes IN[0,3). The input is the caller's and stays "
                 "as it is: write to OUT or to scratch.");

    set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 3);
    draft = draft_of(set.schedules[1]);
    draft.steps[step_of(&draft, ALLFOLD_STEP_REDUCE, 0)].offset[0] = 1;
    change(&set, 1, &draft);
    const struct allfold_blame outside = blame_of(&set);
    assert_blame(&outside, ALLFOLD_BLAME_OUTSIDE, 1, 2,
                 "Rank 1's step 2, a reduce, writes OUT[1,4), but that buffer has 3 elements. Let "
                 "the step stay inside of it.");
}

static void test_steps_in_no_order(void **state)
{
    (void)state;
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 3);
    struct draft draft = draft_of(set.schedules[1]);
    uint32_t e = 0;
    while (draft.steps[draft.edges[e].from].kind != ALLFOLD_STEP_RECEIVE)
        e++;
    draft_drop_edge(&draft, e);
    change(&set, 1, &draft);
    const struct allfold_blame blame = blame_of(&set);
    assert_blame(
        &blame, ALLFOLD_BLAME_UNORDERED, 1, 1,
        "Rank 1's steps 1, a receive, and 2, a reduce, may run in either order, but both touch "
        "TMP0[0,3) and one of them writes it. An edge from step 1 to step 2 is missing.");
    assert_int_equal(blame.other_step, 2);
    assert_int_equal(blame.buffer, ALLFOLD_SCRATCH);
}

static void test_results_that_are_not_written(void **state)
{
    (void)state;
    struct set set = set_of(ALLFOLD_BCAST, "chain", 3, 3);
    struct draft draft = draft_of(set.schedules[2]);
    draft.steps[0].length = 2;
    change(&set, 2, &draft);
    draft = draft_of(set.schedules[1]);
    draft.steps[1].length = 2;
    change(&set, 1, &draft);
    const struct allfold_blame blame = blame_of(&set);
    assert_blame(&blame, ALLFOLD_BLAME_RESULT_UNWRITTEN, 2, -1,
                 "Rank 2's result is not written in element 2. Let a receive, a copy or a "
                 "reduction write it to OUT.");
    assert_int_equal(blame.first, 2);
    assert_int_equal(blame.length, 1);
}

/* An allgather whose blocks go to the wrong places, and a broadcast of fewer elements. */
static void test_spans_that_were_moved(void **state)
{
    (void)state;
    struct set set = set_of(ALLFOLD_ALLGATHER, "ring", 3, 2);
    struct draft draft = draft_of(set.schedules[1]);
    for (uint32_t i = 0; i < draft.step_count; i++)
        if (draft.steps[i].kind == ALLFOLD_STEP_RECEIVE)
            draft.steps[i].offset[0] = draft.steps[i].offset[0] == 0 ? 4 : 0;
    change(&set, 1, &draft);
    const struct allfold_blame blame = blame_of(&set);
    assert_int_equal(blame.kind, ALLFOLD_BLAME_UNORDERED); /* its edges are of the other places */

    set = set_of(ALLFOLD_BCAST, "chain", 3, 3);
    draft = draft_of(set.schedules[0]);
    draft.steps[0].length = 2;
    draft.steps[0].offset[0] = 1;
    change(&set, 0, &draft);
    draft = draft_of(set.schedules[1]);
    draft.steps[0].length = 2;
    change(&set, 1, &draft);
    const struct allfold_blame other = blame_of(&set);
    assert_int_equal(other.kind, ALLFOLD_BLAME_READ_UNWRITTEN);
    assert_int_equal(other.rank, 1);
    assert_int_equal(other.first, 2);
}

/* --- written as algorithms --- */

static struct allfold_claim claim_anything(const struct allfold_problem *problem,
                                           const struct allfold_parameters *parameters)
{
    (void)problem, (void)parameters;
    return (struct allfold_claim){
        .rounds = 99, .sent = 999, .reduced = 999, .divisor = 1, .is_bound = true};
}

static struct allfold_blame blame_of_algorithm(struct allfold_algorithm algorithm, int p,
                                               size_t count, enum allfold_virtual_mode mode,
                                               uint32_t window)
{
    struct allfold_blame blame;
    struct allfold_case of = case_of(&algorithm, p, count);
    algorithm.claim = claim_anything;
    of.mode = mode;
    of.window = window;
    assert_int_not_equal(allfold_verify_case(verifier, &of, &blame), ALLFOLD_OK);
    return blame;
}

static struct allfold_claim claim_short_rows(const struct allfold_problem *problem,
                                             const struct allfold_parameters *parameters)
{
    struct allfold_claim claim =
        allfold_algorithm_find(ALLFOLD_BCAST, "chain")->claim(problem, parameters);
    claim.serial--;
    return claim;
}

static struct allfold_claim claim_again(const struct allfold_problem *problem,
                                        const struct allfold_parameters *parameters)
{
    struct allfold_claim claim =
        allfold_algorithm_find(ALLFOLD_BCAST, "flat")->claim(problem, parameters);
    claim.again++;
    return claim;
}

static struct allfold_claim claim_copies(const struct allfold_problem *problem,
                                         const struct allfold_parameters *parameters)
{
    struct allfold_claim claim =
        allfold_algorithm_find(ALLFOLD_BCAST, "flat")->claim(problem, parameters);
    claim.copied = 1;
    return claim;
}

/* A row of messages that is longer than claimed, and data that are written more often. */
static void test_rows_and_copies_that_are_claimed(void **state)
{
    (void)state;
    struct allfold_algorithm chain = *allfold_algorithm_find(ALLFOLD_BCAST, "chain");
    struct allfold_algorithm flat = *allfold_algorithm_find(ALLFOLD_BCAST, "flat");
    struct allfold_algorithm *const both[] = {&chain, &flat};
    struct allfold_blame blame;
    for (size_t i = 0; i < 2; i++) {
        struct allfold_case of = case_of(both[i], 5, 6);
        assert_int_equal(allfold_verify_case(verifier, &of, &blame), ALLFOLD_OK);
    }
    chain.claim = claim_short_rows;
    flat.claim = claim_again;
    for (size_t i = 0; i < 2; i++) {
        struct allfold_case of = case_of(both[i], 5, 6);
        assert_int_not_equal(allfold_verify_case(verifier, &of, &blame), ALLFOLD_OK);
        assert_int_equal(blame.kind, ALLFOLD_BLAME_CLAIM);
    }
    flat.claim = claim_copies;
    struct allfold_case of = case_of(&flat, 5, 6);
    assert_int_not_equal(allfold_verify_case(verifier, &of, &blame), ALLFOLD_OK);
    assert_non_null(strstr(blame.text, "claims at least 1 elements copied, but"));
}

/* All ranks receive from the one before before they send to the one after. */
static void build_waiting_ring(struct allfold_builder *s, const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);
    recv_from(s, (r + p - 1) % p, out);
    reduce(s, out, out, span(ALLFOLD_IN, 0, problem->count));
    send_to(s, (r + 1) % p, out);
}

static void test_a_circle_of_ranks(void **state)
{
    (void)state;
    const struct allfold_algorithm ring = {
        .name = "waiting", .collective = ALLFOLD_ALLREDUCE, .build = build_waiting_ring};
    const struct allfold_blame blame =
        blame_of_algorithm(ring, 3, 4, ALLFOLD_VIRTUAL_IN_ORDER, ALLFOLD_WINDOW);
    assert_blame(&blame, ALLFOLD_BLAME_DEADLOCK, 0, 0,
                 "3 ranks wait for ever, in a circle. Rank 0 waits at step 0 for rank 2 to send "
                 "message 0 (its step 2). Rank 2 waits at step 0 for rank 1 to send message 0 (its "
                 "step 2). Rank 1 waits at step 0 for rank 0 to send message 0 (its step 2). Let "
                 "one of them send before it receives.");
    assert_int_equal(blame.waiting, 3);
    assert_int_equal(blame.peer, 2);
    assert_int_equal(blame.other_step, 2);
}

/* Two ranks that send all their elements, one by one, before they receive any. */
static void build_bursting(struct allfold_builder *s, const struct allfold_problem *problem,
                           const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span tmp = scratch(s, n), in = span(ALLFOLD_IN, 0, n);
    for (size_t i = 0; i < n; i++)
        send_to(s, 1 - r, part(in, i, 1));
    for (size_t i = 0; i < n; i++)
        recv_from(s, 1 - r, part(tmp, i, 1));
    reduce(s, span(ALLFOLD_OUT, 0, n), r == 0 ? in : tmp, r == 0 ? tmp : in);
}

static void test_a_window_that_is_too_small(void **state)
{
    (void)state;
    const struct allfold_algorithm bursting = {
        .name = "bursting", .collective = ALLFOLD_ALLREDUCE, .build = build_bursting};
    const struct allfold_blame blame =
        blame_of_algorithm(bursting, 2, 4, ALLFOLD_VIRTUAL_SYNCHRONOUS, 2);
    assert_blame(&blame, ALLFOLD_BLAME_DEADLOCK, 0, 0,
                 "2 ranks wait for ever, in a circle. At most 2 messages of a rank are in flight, "
                 "and its oldest ends first. Rank 0 waits at step 0 for rank 1 to receive message "
                 "0 (its step 4). Rank 1 waits at step 0 for rank 0 to receive message 0 (its step "
                 "4). Let each rank receive earlier: its sends must not fill the window.");
    assert_int_equal(blame.waiting, 2);
}

/* Rank 0 sends its block, and rank 1 gives it back; both claim to gather. */
static void build_wrong_gather(struct allfold_builder *s, const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    (void)parameters;
    const size_t n = problem->count;
    const int r = problem->group.index;
    const struct allfold_span in = span(ALLFOLD_IN, 0, n);
    copy(s, span(ALLFOLD_OUT, 0, n), in);
    if (r == 0) {
        send_to(s, 1, in);
        recv_from(s, 1, span(ALLFOLD_OUT, n, n));
    } else {
        recv_from(s, 0, span(ALLFOLD_OUT, n, n));
        send_to(s, 0, span(ALLFOLD_OUT, n, n));
    }
}

/* A broadcast of two elements that swaps them. */
static void build_swapping(struct allfold_builder *s, const struct allfold_problem *problem,
                           const struct allfold_parameters *parameters)
{
    (void)parameters;
    for (size_t i = 0; i < 2 && problem->group.index == problem->root; i++)
        send_to(s, 1 - problem->root, span(ALLFOLD_IN, i, 1));
    for (size_t i = 0; i < 2 && problem->group.index != problem->root; i++)
        recv_from(s, problem->root, span(ALLFOLD_OUT, 1 - i, 1));
}

static void test_what_another_gave(void **state)
{
    (void)state;
    const struct allfold_algorithm gather = {
        .name = "wrong", .collective = ALLFOLD_ALLGATHER, .build = build_wrong_gather};
    const struct allfold_blame giver =
        blame_of_algorithm(gather, 2, 3, ALLFOLD_VIRTUAL_IN_ORDER, ALLFOLD_WINDOW);
    assert_blame(
        &giver, ALLFOLD_BLAME_WRONG_GIVER, 0, -1,
        "Rank 0's result has in elements 3 to 5 what rank 0 gave. Expected: what rank 1 gave.");
    assert_int_equal(giver.contribution, 0);
    assert_int_equal(giver.missing, 1);
    const struct allfold_algorithm swapping = {
        .name = "swapping", .collective = ALLFOLD_BCAST, .build = build_swapping};
    const struct allfold_blame element =
        blame_of_algorithm(swapping, 2, 2, ALLFOLD_VIRTUAL_IN_ORDER, ALLFOLD_WINDOW);
    assert_blame(
        &element, ALLFOLD_BLAME_OTHER_ELEMENT, 1, -1,
        "Rank 1's result has in element 0 what belongs to element 1. Expected: element 0.");
}

/* Each of three ranks gets all inputs; rank 1 brackets from the right, or mixes elements. */
static bool mixes;

static void build_direct(struct allfold_builder *s, const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    struct allfold_span of[3], out = span(ALLFOLD_OUT, 0, n);
    for (int i = 0; i < p; i++)
        of[i] = i == r ? span(ALLFOLD_IN, 0, n) : scratch(s, n);
    for (int i = 1; i < p; i++) {
        send_to(s, (r + i) % p, of[r]);
        recv_from(s, (r + p - i) % p, of[(r + p - i) % p]);
    }
    const struct allfold_span tmp = scratch(s, n);
    if (r == 1 && mixes) {
        reduce(s, part(out, 0, 1), part(of[0], 0, 1), part(of[1], 1, 1));
    } else if (r == 1) {
        reduce(s, tmp, of[1], of[2]);
        reduce(s, out, of[0], tmp);
    } else {
        reduce(s, tmp, of[0], of[1]);
        reduce(s, out, tmp, of[2]);
    }
}

static void test_brackets_and_mixed_elements(void **state)
{
    (void)state;
    const struct allfold_algorithm direct = {.name = "direct",
                                             .collective = ALLFOLD_ALLREDUCE,
                                             .consistent = true,
                                             .build = build_direct};
    const struct allfold_blame brackets =
        blame_of_algorithm(direct, 3, 2, ALLFOLD_VIRTUAL_IN_ORDER, ALLFOLD_WINDOW);
    assert_blame(&brackets, ALLFOLD_BLAME_BRACKETS, 1, -1,
                 "Rank 1's result is bracketed differently than rank 0's in elements 0 to 1: (0 o "
                 "(1 o 2)) on rank 1, ((0 o 1) o 2) on rank 0. So rounding may differ between "
                 "ranks: bracket alike, or say .consistent = false.");
    assert_int_equal(brackets.peer, 0);
    mixes = true;
    const struct allfold_blame mixed =
        blame_of_algorithm(direct, 3, 2, ALLFOLD_VIRTUAL_IN_ORDER, ALLFOLD_WINDOW);
    mixes = false;
    assert_blame(
        &mixed, ALLFOLD_BLAME_MIXED_ELEMENTS, 1, 4,
        "Rank 1's step 4 reduces TMP0[0,1) with IN[1,2), but these hold different elements of the "
        "vector from the one at 0 on. A reduction must have the same element left and right.");
}

/* --- what is right --- */

static void test_right_schedules_are_not_blamed(void **state)
{
    (void)state;
    size_t looked_at = 0;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        for (int p = 1; p <= 9; p += p < 5 ? 1 : 2) {
            struct allfold_blame blame;
            struct allfold_case of = case_of(allfold_algorithms[i], p, 2 * (size_t)p + 1);
            of.mode = ALLFOLD_VIRTUAL_SYNCHRONOUS;
            of.window = 2;
            of.root = p / 2 * allfold_traits(of.algorithm->collective)->has_root;
            of.parameters = allfold_parameter_presets(of.algorithm);
            if (!allfold_case_is_served(&of))
                continue;
            assert_int_equal(allfold_verify_case(verifier, &of, &blame), ALLFOLD_OK);
            if (blame.kind != ALLFOLD_BLAME_NOTHING)
                fail_msg("%s: %s", blame.where, blame.text);
            looked_at++;
        }
    assert_true(looked_at > 200);
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    struct allfold_blame blame;
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 4, 3);
    struct draft draft = draft_of(set.schedules[1]);
    swap_operands(&draft.steps[step_of(&draft, ALLFOLD_STEP_REDUCE, 0)]);
    change(&set, 1, &draft);
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    unsigned long n = 1;
    for (; error == ALLFOLD_NO_MEMORY; n++) {
        allfold_fail_allocation(n);
        error = allfold_blame_find(&set.of, set.schedules, &blame);
        allfold_fail_allocation(0);
    }
    assert_int_equal(error, ALLFOLD_DISPROVED);
    assert_true(n > 10);
    allfold_case_free(&set.of, set.schedules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_send_that_was_dropped),
        cmocka_unit_test(test_a_wrong_peer),
        cmocka_unit_test(test_a_message_that_nobody_receives),
        cmocka_unit_test(test_lengths_that_differ),
        cmocka_unit_test(test_a_contribution_twice),
        cmocka_unit_test(test_a_contribution_of_another_rank),
        cmocka_unit_test(test_a_contribution_that_is_missing),
        cmocka_unit_test(test_a_wrong_order_of_ranks),
        cmocka_unit_test(test_a_read_before_a_write),
        cmocka_unit_test(test_spans_where_they_must_not_be),
        cmocka_unit_test(test_steps_in_no_order),
        cmocka_unit_test(test_results_that_are_not_written),
        cmocka_unit_test(test_spans_that_were_moved),
        cmocka_unit_test(test_rows_and_copies_that_are_claimed),
        cmocka_unit_test(test_a_circle_of_ranks),
        cmocka_unit_test(test_a_window_that_is_too_small),
        cmocka_unit_test(test_what_another_gave),
        cmocka_unit_test(test_brackets_and_mixed_elements),
        cmocka_unit_test(test_right_schedules_are_not_blamed),
        cmocka_unit_test(test_every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, verifier_set_up, verifier_tear_down);
}
