/* The verifier, its runs and its sweeps over algorithms that are each faulty in another way. What
 * it says of them, and what it does without memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/peers.h"
#include "lab/verify/sweep.h"
#include "schedule/verbs.h"
#include "support_verifier.h"
#include "util/memory.h"

/* Ways in which the algorithm below can be wrong. */
enum fault {
    NO_FAULT,
    SENDS_TO_ANOTHER,
    WRITES_IN,
    READS_UNWRITTEN,
    COPIES_UNWRITTEN,
    FORGETS_A_RANK,
    COUNTS_TWICE,
    REVERSES,
    BRACKETS_ITS_OWN_WAY,
    MIXES_ELEMENTS,
    GIVES_ANOTHER_ELEMENT,
    GIVES_NO_RESULT,
    SENDS_LESS,
    SENDS_MORE_OFTEN,
    LOSES_ITS_INPUT_IN_PLACE,
};

static enum fault fault;
static struct allfold_claim claimed;

/* Writes to `out`, which may be one of the others, only at the end. */
static void reduce_all(struct allfold_builder *s, int p, struct allfold_span out,
                       struct allfold_span tmp, const struct allfold_span *of)
{
    for (int i = 1; i < p; i++)
        reduce(s, i == p - 1 ? out : tmp, i == 1 ? of[0] : tmp, of[i]);
}

/* Everybody sends everything to everybody, and reduces it in order: right where there is no fault.
 * Faults are those of rank 1, for 3 ranks and more. */
static void build_direct(struct allfold_builder *s, const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span in = span(ALLFOLD_IN, 0, n), out = span(ALLFOLD_OUT, 0, n);
    const enum fault now = r == 1 ? fault : NO_FAULT;
    struct allfold_span of[8];
    for (int i = 0; i < p; i++)
        of[i] = i == r ? in : scratch(s, n);
    if (now == LOSES_ITS_INPUT_IN_PLACE)
        of[0] = out;
    for (int i = 1; i < p; i++) {
        const int to = wrap(r + i, p), from = wrap(r - i, p);
        const bool odd = now == SENDS_TO_ANOTHER && i == 1;
        send_to(s, odd ? wrap(to + 1, p) : to,
                now == SENDS_LESS && i == 1 ? part(in, 0, n - 1) : in);
        recv_from(s, from, of[from]);
    }
    if (now == SENDS_MORE_OFTEN)
        send_to(s, 2, in);
    const struct allfold_span tmp = scratch(s, n);
    if (now == WRITES_IN)
        reduce(s, in, in, of[0]);
    if (now == READS_UNWRITTEN)
        reduce(s, out, in, tmp);
    if (now == COPIES_UNWRITTEN)
        copy(s, out, tmp);
    if (now == FORGETS_A_RANK || now == COUNTS_TWICE)
        of[2] = of[now == COUNTS_TWICE ? 0 : 1];
    if (now == REVERSES) {
        const struct allfold_span last = of[p - 1];
        of[p - 1] = of[0];
        of[0] = last;
    }
    if (now == BRACKETS_ITS_OWN_WAY) {
        reduce(s, tmp, of[1], of[2]);
        reduce(s, out, of[0], tmp);
    } else if (now == MIXES_ELEMENTS) {
        reduce(s, part(out, 0, 1), part(of[0], 0, 1), part(of[1], 1, 1));
    } else if (now != GIVES_NO_RESULT) {
        reduce_all(s, p, out, tmp, of);
    }
    if (now == GIVES_ANOTHER_ELEMENT)
        copy(s, part(out, 0, 1), part(out, 1, 1));
}

static struct allfold_claim claim_direct(const struct allfold_problem *problem,
                                         const struct allfold_parameters *parameters)
{
    (void)problem;
    (void)parameters;
    return claimed;
}

static const char *unmet_direct(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    (void)parameters;
    return problem->group.size >= 3 ? NULL : "3 ranks";
}

static const struct allfold_algorithm direct = {.name = "direct",
                                                .collective = ALLFOLD_ALLREDUCE,
                                                .consistent = true,
                                                .build = build_direct,
                                                .claim = claim_direct,
                                                .unmet = unmet_direct};

/* Builds and verifies a case; where anything is wrong, `message` says what. */
static enum allfold_error verified(const struct allfold_case *of, char *message, size_t bytes)
{
    struct allfold_schedule **schedules;
    enum allfold_error error = allfold_case_build(of, &schedules, message, bytes);
    assert_true((schedules == NULL) == (error != ALLFOLD_OK));
    if (error == ALLFOLD_OK)
        error = allfold_verify_results(verifier, of, schedules, message, bytes);
    if (error == ALLFOLD_OK)
        error = allfold_verify_claims(of, schedules, message, bytes);
    allfold_case_free(of, schedules);
    return error;
}

static void assert_verified(const struct allfold_case *of, enum allfold_error wanted,
                            const char *words)
{
    char message[400] = "";
    const enum allfold_error error = verified(of, message, sizeof message);
    if (error != wanted || strstr(message, words) == NULL || strstr(message, "no memory") != NULL)
        fail_msg("fault %d: error %d, %s; expected %d, %s", fault, error, message, wanted, words);
}

static void test_faulty_algorithms(void **state)
{
    (void)state;
    static const struct {
        enum fault fault;
        enum allfold_error error;
        const char *words;
    } faults[] = {
        {NO_FAULT, ALLFOLD_OK, ""},
        {SENDS_TO_ANOTHER, ALLFOLD_NO_PROGRESS, "the first of them is rank 2"},
        {WRITES_IN, ALLFOLD_BAD_SCHEDULE, "rank 1: reduce at step 4 writes into IN"},
        {READS_UNWRITTEN, ALLFOLD_DISPROVED, "rank 1: a step failed: reads what was never written"},
        {COPIES_UNWRITTEN, ALLFOLD_DISPROVED, "rank 1: a step failed: copies what was never"},
        {FORGETS_A_RANK, ALLFOLD_DISPROVED, "element 0 does not have every rank's contribution"},
        {COUNTS_TWICE, ALLFOLD_DISPROVED, "element 0 does not have every rank's contribution"},
        {REVERSES, ALLFOLD_DISPROVED, "rank 1: element 0 does not have the contributions in the"},
        {BRACKETS_ITS_OWN_WAY, ALLFOLD_DISPROVED, "rank 1: element 0 is bracketed differently"},
        {MIXES_ELEMENTS, ALLFOLD_DISPROVED, "rank 1: a step failed: combines two different"},
        {GIVES_ANOTHER_ELEMENT, ALLFOLD_DISPROVED, "rank 1: element 0 is another element's result"},
        {GIVES_NO_RESULT, ALLFOLD_DISPROVED, "rank 1: element 0 was never written"},
        {SENDS_LESS, ALLFOLD_DISPROVED, "its two sides have different lengths"},
        {SENDS_MORE_OFTEN, ALLFOLD_DISPROVED, "message 1 from rank 1 to rank 2 is never received"},
        {LOSES_ITS_INPUT_IN_PLACE, ALLFOLD_OK, ""}, /* yet: see below */
    };
    struct allfold_case of = case_of(&direct, 3, 4);
    claimed = (struct allfold_claim){.rounds = 2, .sent = 8, .reduced = 8, .divisor = 1};
    for (size_t i = 0; i < LENGTH(faults); i++) {
        fault = faults[i].fault;
        assert_verified(&of, faults[i].error, faults[i].words);
    }
    of.in_place = true;
    assert_verified(&of, ALLFOLD_DISPROVED, "exactly once");
    fault = NO_FAULT;
    assert_verified(&of, ALLFOLD_OK, "");
}

/* What a descriptor does not claim is not asked of its schedules. */
static void test_faults_that_are_none(void **state)
{
    (void)state;
    struct allfold_algorithm modest = direct;
    const struct allfold_case of = case_of(&modest, 3, 4);
    claimed = (struct allfold_claim){.rounds = 2, .sent = 8, .reduced = 8, .divisor = 1};
    fault = BRACKETS_ITS_OWN_WAY;
    modest.consistent = false;
    assert_verified(&of, ALLFOLD_OK, "");
    fault = REVERSES;
    assert_verified(&of, ALLFOLD_DISPROVED, "in the order of the ranks");
    modest.needs = ALLFOLD_NEEDS_COMMUTATIVE;
    assert_verified(&of, ALLFOLD_OK, "");
    modest.consistent = true;
    assert_verified(&of, ALLFOLD_DISPROVED, "bracketed differently");
    fault = FORGETS_A_RANK;
    assert_verified(&of, ALLFOLD_DISPROVED, "exactly once");
}

/* Of three ranks the tree is that from the left, of four it is not. */
static void test_a_wrong_flag_of_the_tree(void **state)
{
    (void)state;
    struct allfold_algorithm flagged = direct;
    flagged.keeps_tree = allfold_always_keeps_tree;
    fault = NO_FAULT;
    struct allfold_case of = case_of(&flagged, 3, 4);
    of.canonical = true;
    claimed = (struct allfold_claim){.rounds = 2, .sent = 8, .reduced = 8, .divisor = 1};
    assert_verified(&of, ALLFOLD_OK, "");
    flagged.consistent = false;
    fault = BRACKETS_ITS_OWN_WAY;
    assert_verified(&of, ALLFOLD_DISPROVED, "rank 1: element 0 is not bracketed by the canonical");
    fault = NO_FAULT;
    of = case_of(&flagged, 4, 4);
    claimed = (struct allfold_claim){.rounds = 3, .sent = 12, .reduced = 12, .divisor = 1};
    assert_verified(&of, ALLFOLD_OK, "");
    of.canonical = true;
    assert_verified(&of, ALLFOLD_DISPROVED, "rank 0: element 0 is not bracketed by the canonical");
    flagged.keeps_tree = NULL;
    assert_false(allfold_case_is_served(&of));
}

static void test_claims_are_exact_or_upper_bounds(void **state)
{
    (void)state;
    fault = NO_FAULT;
    static const char *const words[][2] = {{"claims 1 rounds, but has 2", "claims 3 rounds"},
                                           {"claims 7 elements sent, but has 8", "claims 9 elem"},
                                           {"claims 7 elements reduced, but has 8", "claims 9 "}};
    for (int which = 0; which < 3; which++)
        for (int high = 0; high <= 1; high++) {
            const size_t off = high ? 1 : (size_t)-1;
            claimed = (struct allfold_claim){.rounds = 2 + (which == 0 ? off : 0),
                                             .sent = 8 + (which == 1 ? off : 0),
                                             .reduced = 8 + (which == 2 ? off : 0),
                                             .divisor = 2};
            struct allfold_case of = case_of(&direct, 3, 4);
            assert_verified(&of, ALLFOLD_DISPROVED, words[which][high]);
            claimed.divisor = 3; /* does not divide 4: an upper bound */
            assert_verified(&of, high ? ALLFOLD_OK : ALLFOLD_DISPROVED,
                            high ? "" : "claims at most");
        }
}

/* Claims of others, that keep quiet about what comes in. */
static struct allfold_claim claim_nothing_got(const struct allfold_problem *problem,
                                              const struct allfold_parameters *parameters)
{
    struct allfold_claim claim =
        allfold_algorithm_find(ALLFOLD_REDUCE, "binomial_tree")->claim(problem, parameters);
    claim.got = 0;
    return claim;
}

static struct allfold_claim claim_far_sent(const struct allfold_problem *problem,
                                           const struct allfold_parameters *parameters)
{
    struct allfold_claim claim =
        allfold_algorithm_find(ALLFOLD_REDUCE, "smp")->claim(problem, parameters);
    claim.far_sent = problem->count; /* what each node sends; the root's gets more */
    return claim;
}

static void test_claims_of_what_comes_in(void **state)
{
    (void)state;
    struct allfold_algorithm tree = *allfold_algorithm_find(ALLFOLD_REDUCE, "binomial_tree");
    tree.claim = claim_nothing_got;
    const struct allfold_case of_ranks = case_of(&tree, 4, 4);
    assert_verified(&of_ranks, ALLFOLD_DISPROVED, "claims at most 4 elements got, but has 8");

    struct allfold_algorithm smp = *allfold_algorithm_find(ALLFOLD_REDUCE, "smp");
    smp.claim = claim_far_sent;
    struct allfold_case of_nodes = case_of(&smp, 8, 4);
    const struct allfold_nodes *nodes =
        allfold_nodes_make((const int64_t[]){0, 0, 1, 1, 2, 2, 3, 3}, 8);
    assert_non_null(nodes);
    of_nodes.nodes = nodes;
    of_nodes.parameters = allfold_parameter_presets(&smp);
    assert_verified(&of_nodes, ALLFOLD_DISPROVED,
                    "claims at most 4 elements from or to a node, but has 8");
    allfold_nodes_free(nodes);
}

/* Two ranks that both send before they receive into the same elements: right as long as somebody
 * stores messages. */
static void build_crossing(struct allfold_builder *s, const struct allfold_problem *problem,
                           const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int r = problem->group.index;
    const struct allfold_span in = span(ALLFOLD_IN, 0, problem->count);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);
    const struct allfold_span tmp = scratch(s, problem->count); /* or IN itself would be sent */
    copy(s, tmp, in);
    copy(s, out, tmp);
    send_to(s, 1 - r, out);
    recv_from(s, 1 - r, out);
    reduce(s, out, r == 0 ? in : out, r == 0 ? out : in);
}

/* Two ranks that send all their elements, one by one, before they receive any. */
static void build_bursting(struct allfold_builder *s, const struct allfold_problem *problem,
                           const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int r = problem->group.index;
    const struct allfold_span tmp = scratch(s, problem->count);
    for (size_t i = 0; i < problem->count; i++)
        send_to(s, 1 - r, span(ALLFOLD_IN, i, 1));
    for (size_t i = 0; i < problem->count; i++)
        recv_from(s, 1 - r, part(tmp, i, 1));
    const struct allfold_span in = span(ALLFOLD_IN, 0, problem->count);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);
    reduce(s, out, r == 0 ? in : tmp, r == 0 ? tmp : in);
}

static void test_deadlocks(void **state)
{
    (void)state;
    struct allfold_algorithm waiting = direct;
    waiting.unmet = NULL;
    waiting.build = build_crossing;
    claimed = (struct allfold_claim){.rounds = 1, .sent = 4, .reduced = 4, .divisor = 4};
    struct allfold_case of = case_of(&waiting, 2, 4);
    char message[400] = "";
    /* the walk lets both sides end together */
    assert_int_equal(verified(&of, message, sizeof message), ALLFOLD_DISPROVED);
    assert_non_null(
        strstr(message, "rank 0 waits for ever at step 2 for rank 1 to receive message 0"));
    of.mode = ALLFOLD_VIRTUAL_SYNCHRONOUS;
    assert_verified(&of, ALLFOLD_NO_PROGRESS, "2 ranks wait for ever, the first of them is rank 0");

    waiting.build = build_bursting;
    claimed.rounds = 4;
    for (uint32_t window = 2; window <= 8; window *= 2) {
        of.window = window; /* 4 sends have to be in flight, and a receive */
        of.mode = ALLFOLD_VIRTUAL_IN_ORDER;
        assert_verified(&of, ALLFOLD_OK, "");
        of.mode = ALLFOLD_VIRTUAL_SYNCHRONOUS;
        assert_verified(&of, window < 5 ? ALLFOLD_NO_PROGRESS : ALLFOLD_OK,
                        window < 5 ? "wait for ever" : "");
    }
}

/* Without memory the verifier says so, and never that a right schedule is wrong. */
static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    fault = NO_FAULT;
    claimed = (struct allfold_claim){.rounds = 6, .sent = 240, .reduced = 240, .divisor = 1};
    const struct allfold_case of = case_of(&direct, 7, 40);
    unsigned long n = 1;
    for (enum allfold_error error = ALLFOLD_NO_MEMORY; error != ALLFOLD_OK; n++) {
        char message[400] = "";
        allfold_verifier_free(verifier); /* a new one has no memory yet */
        verifier = NULL;
        allfold_fail_allocation(n);
        verifier = allfold_verifier_create();
        if (verifier != NULL)
            error = verified(&of, message, sizeof message);
        assert_true(error == ALLFOLD_OK || verifier == NULL ||
                    strstr(message, "no memory") != NULL);
        if (error != ALLFOLD_OK && error != ALLFOLD_NO_MEMORY)
            fail_msg("allocation %lu: error %d, %s", n, error, message);
    }
    allfold_fail_allocation(0);
    assert_true(n > 50);
}

static size_t reported;
static struct allfold_blame blamed;
static struct allfold_case smallest;

static void on_failure(void *context, const struct allfold_case *of,
                       const struct allfold_blame *blame)
{
    assert_null(context);
    assert_ptr_equal(of->algorithm, &direct);
    blamed = *blame;
    smallest = *of;
    reported++;
}

/* Sweeps it; the failure is reported once. */
static struct allfold_sweep_result swept(int p_first, int p_last)
{
    struct allfold_sweep_result result;
    const struct allfold_sweep sweep = {
        .algorithm = &direct, .p_first = p_first, .p_last = p_last, .on_failure = on_failure};
    reported = 0;
    assert_int_equal(allfold_sweep_run(&sweep, &result), ALLFOLD_OK);
    assert_int_equal(reported, result.failed);
    return result;
}

static void test_sweeps(void **state)
{
    (void)state;
    claimed = (struct allfold_claim){.rounds = 2, .sent = 22, .reduced = 22, .divisor = 9999};
    fault = NO_FAULT; /* only 2 divisors of 9999, and not fewer elements, are more than it claims */
    struct allfold_sweep_result result = swept(3, 3);
    assert_true(result.failed);
    assert_int_equal(blamed.kind, ALLFOLD_BLAME_CLAIM);
    assert_int_equal(blamed.expected, 22);
    assert_int_equal(blamed.found, 24);
    assert_int_equal(smallest.count, 12); /* not 19998 */
    claimed = (struct allfold_claim){
        .rounds = 63, .sent = 99999, .reduced = 99999, .divisor = 1, .is_bound = true};
    result = swept(3, 3);
    if (result.failed)
        fail_msg("%s: %s", blamed.where, blamed.text);
    assert_int_equal(result.schedules, 2 * 6);
    assert_int_equal(result.runs, 3 * result.schedules);
}

/* Of a fault that is there in all cases but those of no elements, the smallest is reported. */
static void test_failures_are_shrunk(void **state)
{
    (void)state;
    claimed = (struct allfold_claim){
        .rounds = 63, .sent = 99999, .reduced = 99999, .divisor = 1, .is_bound = true};
    fault = COUNTS_TWICE;
    const struct allfold_sweep_result result = swept(5, 7);
    assert_true(result.failed);
    assert_int_equal(blamed.kind, ALLFOLD_BLAME_TWICE);
    assert_int_equal(smallest.p, 3); /* it needs these */
    assert_int_equal(smallest.count, 1);
    assert_false(smallest.in_place);
    assert_int_equal(smallest.mode, ALLFOLD_VIRTUAL_IN_ORDER);
    assert_string_equal(blamed.where, "allreduce.direct, p = 3, 1 element");
    assert_int_equal(blamed.rank, 1);
    assert_int_equal(blamed.contribution, 0);
    assert_int_equal(blamed.missing, 2);
}

static void test_case_as_text(void **state)
{
    (void)state;
    struct allfold_case of = case_of(allfold_algorithm_find(ALLFOLD_ALLREDUCE, "ring"), 5, 7);
    char text[200];
    of.parameters.value[0] = 8;
    of.in_place = true;
    of.mode = ALLFOLD_VIRTUAL_REORDERED;
    of.seed = 3;
    of.window = 4;
    allfold_case_print(&of, text, sizeof text);
    assert_string_equal(text, "allreduce ring(segment=8) p=5 root=0 count=7 in place, reordered, "
                              "seed 3, window 4");
}

/* The verifier and schedules that the builder would not make: what is overwritten in flight, and
 * what is written where no rank may write. */

/* Without the edge from the send to what overwrites it: the builder would not allow it. */
static void test_overwriting_what_is_being_sent(void **state)
{
    (void)state;
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 4, 3);
    char message[400] = "";
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

/* A draft in place of that rank's schedule is disproved in every mode, with these words. The order
 * is disproved with `order_words`, if any. */
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
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 3);
    struct draft draft = draft_of(set.schedules[1]);
    drop_edge_between(&draft, ALLFOLD_STEP_RECEIVE, ALLFOLD_STEP_REDUCE);
    assert_disproved(&set, 1, &draft,
                     "rank 1: a step failed: reads what a message in flight may change",
                     "rank 1: steps 1 and 2 touch the same, in either order");
    set = set_of(ALLFOLD_BCAST, "chain", 3, 3);
    draft = draft_of(set.schedules[1]);
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
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 3);
    struct draft draft = draft_of(set.schedules[1]);
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
    struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 3);
    struct draft draft = draft_of(set.schedules[1]);
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
        struct set set = set_of(ALLFOLD_ALLREDUCE, "recursive_doubling", 2, 3);
        char message[400] = "";
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
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faulty_algorithms),
        cmocka_unit_test(test_faults_that_are_none),
        cmocka_unit_test(test_a_wrong_flag_of_the_tree),
        cmocka_unit_test(test_claims_are_exact_or_upper_bounds),
        cmocka_unit_test(test_claims_of_what_comes_in),
        cmocka_unit_test(test_deadlocks),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_failures_are_shrunk),
        cmocka_unit_test(test_case_as_text),
        cmocka_unit_test(test_overwriting_what_is_being_sent),
        cmocka_unit_test(test_reading_what_is_being_received),
        cmocka_unit_test(test_writing_to_what_is_being_received),
        cmocka_unit_test(test_waiting_for_what_is_later),
        cmocka_unit_test(test_writing_where_one_must_not),
    };
    return cmocka_run_group_tests(tests, verifier_set_up, verifier_tear_down);
}
