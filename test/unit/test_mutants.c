/* The verifier must refuse what is wrong. Correct schedules are broken in every way that is a
 * mistake of an algorithm's author or of the builder, and each such mutant has to be caught; those
 * that survive must be right, and a rule here has to say why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "support_verifier.h"

enum kind {
    WRONG_PEER,
    LEFT_ONLY,
    RIGHT_ONLY,
    SWAPPED,
    SHIFTED,
    SHORTENED,
    SHORTENED_BOTH,
    OTHER_BUFFER,
    NO_EDGE,
    NO_MESSAGE,
    FORGOTTEN_VERB,
    SWAPPED_NUMBERS,
    KINDS
};

static const char *const kind_names[KINDS] = {
    [WRONG_PEER] = "wrong peer",
    [LEFT_ONLY] = "copy of left instead of a reduction",
    [RIGHT_ONLY] = "copy of right instead of a reduction",
    [SWAPPED] = "operands swapped",
    [SHIFTED] = "span shifted by one",
    [SHORTENED] = "step shortened by one",
    [SHORTENED_BOTH] = "message shortened by one on both sides",
    [OTHER_BUFFER] = "other destination buffer",
    [NO_EDGE] = "edge removed",
    [NO_MESSAGE] = "message lost on one side",
    [FORGOTTEN_VERB] = "message forgotten on one side, later ones counted on",
    [SWAPPED_NUMBERS] = "numbers of two messages swapped",
};

/* What became of the mutants of a kind. */
static struct {
    size_t by_results, by_claims, survived;
    size_t legal;          /* right by the rules below */
    size_t implied;        /* edges that other edges of the rank imply */
    size_t implied_around; /* edges that messages through other ranks imply */
} counts[KINDS];

static void survives(const struct set *set, enum kind kind, int r, uint32_t step)
{
    char text[300];
    counts[kind].survived++;
    allfold_case_print(&set->of, text, sizeof text);
    print_message("survivor: %s at rank %d, step %u of %s\n", kind_names[kind], r, step, text);
}

static void try(struct set *set, enum kind kind, int r, uint32_t step, const struct draft *draft)
{
    struct allfold_schedule *before = put(set, r, draft);
    if (fails_in_some_run(set, 20))
        counts[kind].by_results++;
    else if (breaks_a_claim(set))
        counts[kind].by_claims++;
    else
        survives(set, kind, r, step);
    put_back(set, r, before);
}

/* Tries a draft whose step is this one for the time being. */
static void try_step(struct set *set, enum kind kind, int r, uint32_t i, struct draft *draft,
                     struct allfold_step mutant)
{
    const struct allfold_step before = draft->steps[i];
    draft->steps[i] = mutant;
    try(set, kind, r, i, draft);
    draft->steps[i] = before;
}

static void mutate_peer(struct set *set, int r, uint32_t i, struct draft *draft)
{
    /* its neighbours, this rank itself, and one that does not exist */
    const int p = set->of.p, peer = draft->steps[i].peer;
    const int wrong[] = {(peer + 1) % p, (peer + p - 1) % p, r, p};
    for (size_t k = 0; k < LENGTH(wrong); k++) {
        struct allfold_step mutant = draft->steps[i];
        mutant.peer = wrong[k];
        if (wrong[k] != peer && (k != 1 || wrong[1] != wrong[0]))
            try_step(set, WRONG_PEER, r, i, draft, mutant);
    }
}

/* Swapped operands are right where, and only where, the operation commutes: the block's owner alone
 * reduces it there, so that all ranks still agree. */
static void mutate_operands(struct set *set, int r, uint32_t i, struct draft *draft)
{
    for (int which = 1; which <= 2; which++) {
        struct allfold_step mutant = draft->steps[i];
        mutant.kind = ALLFOLD_STEP_COPY;
        mutant.buffer[1] = mutant.buffer[which];
        mutant.offset[1] = mutant.offset[which];
        try_step(set, which == 1 ? LEFT_ONLY : RIGHT_ONLY, r, i, draft, mutant);
    }
    const struct allfold_step before = draft->steps[i];
    struct allfold_step *step = &draft->steps[i];
    step->buffer[1] = before.buffer[2];
    step->offset[1] = before.offset[2];
    step->buffer[2] = before.buffer[1];
    step->offset[2] = before.offset[1];
    if (allfold_is_ordered(set->of.algorithm)) {
        try(set, SWAPPED, r, i, draft);
    } else {
        struct allfold_schedule *schedule = put(set, r, draft);
        assert_false(fails_in_some_run(set, 1) || breaks_a_claim(set));
        counts[SWAPPED].legal++;
        put_back(set, r, schedule);
    }
    *step = before;
}

static int operands_of(const struct allfold_step *step)
{
    if (step->peer >= 0)
        return 1;
    return step->kind == ALLFOLD_STEP_REDUCE ? 3 : 2;
}

static void mutate_spans(struct set *set, int r, uint32_t i, struct draft *draft)
{
    const struct allfold_step before = draft->steps[i];
    struct allfold_step mutant = before;
    mutant.length--;
    try_step(set, SHORTENED, r, i, draft, mutant);
    for (int which = 0; which < operands_of(&before); which++) {
        mutant = before;
        mutant.offset[which]--;
        if (before.offset[which] > 0)
            try_step(set, SHIFTED, r, i, draft, mutant);
        mutant.offset[which] += 2;
        if (before.offset[which] + before.length < draft->buffer_length[before.buffer[which]])
            try_step(set, SHIFTED, r, i, draft, mutant);
    }
    for (uint32_t b = 0; before.kind != ALLFOLD_STEP_SEND && b < draft->buffer_count; b++) {
        mutant = before;
        mutant.buffer[0] = (uint8_t)b;
        if (b != before.buffer[0] && before.offset[0] + before.length <= draft->buffer_length[b])
            try_step(set, OTHER_BUFFER, r, i, draft, mutant);
    }
}

static void shorten_both_sides(struct set *set, int r, uint32_t i, struct draft *draft)
{
    const struct allfold_step before = draft->steps[i];
    struct draft peer = draft_of(set->schedules[before.peer]);
    peer.steps[other_side(set, r, &before)].length--;
    struct allfold_schedule *schedule = put(set, before.peer, &peer);
    struct allfold_step mutant = before;
    mutant.length--;
    try_step(set, SHORTENED_BOTH, r, i, draft, mutant);
    put_back(set, before.peer, schedule);
    draft_free(&peer);
}

static void drop_message(struct set *set, int r, uint32_t i)
{
    struct draft draft = draft_of(set->schedules[r]);
    const struct allfold_step gone = draft.steps[i];
    draft_drop_step(&draft, i);
    try(set, NO_MESSAGE, r, i, &draft);
    bool has_later = false;
    for (uint32_t k = i; k < draft.step_count; k++)
        if (draft.steps[k].kind == gone.kind && draft.steps[k].peer == gone.peer) {
            draft.steps[k].number--;
            has_later = true;
        }
    if (has_later)
        try(set, FORGOTTEN_VERB, r, i, &draft);
    draft_free(&draft);
}

/* With the next two messages of that peer and direction. */
static void swap_numbers(struct set *set, int r, uint32_t i, struct draft *draft)
{
    struct allfold_step *a = &draft->steps[i];
    int left = 2;
    for (uint32_t k = i + 1; k < draft->step_count && left > 0; k++) {
        struct allfold_step *b = &draft->steps[k];
        if (a->kind != b->kind || a->peer != b->peer)
            continue;
        left--;
        const uint32_t numbers[] = {a->number, b->number};
        a->number = numbers[1];
        b->number = numbers[0];
        try(set, SWAPPED_NUMBERS, r, i, draft);
        a->number = numbers[0];
        b->number = numbers[1];
    }
}

/* Where operand `which` of a reduction is what it writes to; 0 for none. */
static int accumulates(const struct allfold_step *step)
{
    for (int which = 1; which <= 2 && step->kind == ALLFOLD_STEP_REDUCE; which++)
        if (step->buffer[which] == step->buffer[0] && step->offset[which] == step->offset[0])
            return which;
    return 0;
}

/* Two reductions onto one span may change places where the operation commutes, and where one comes
 * from the left and one from the right: x o (y o z) = (x o y) o z. */
static bool may_change_places(const struct set *set, const struct allfold_step *a,
                              const struct allfold_step *b)
{
    return accumulates(a) != 0 && accumulates(b) != 0 && a->buffer[0] == b->buffer[0] &&
           a->offset[0] == b->offset[0] && a->length == b->length &&
           (!allfold_is_ordered(set->of.algorithm) || accumulates(a) != accumulates(b));
}

/* An edge is needed unless what it says follows from the others: of this rank, or of all ranks
 * where a message cannot be received before it is sent; or unless its steps may change places.
 * Claims do not count here: order is at stake. */
static void remove_edges(struct set *set, int r)
{
    const uint32_t edges = set->schedules[r]->edge_count;
    for (uint32_t e = 0; e < edges; e++) {
        struct draft draft = draft_of(set->schedules[r]);
        const struct edge gone = draft.edges[e];
        draft_drop_edge(&draft, e);
        struct allfold_schedule *before = put(set, r, &draft);
        const bool may = may_change_places(set, &draft.steps[gone.from], &draft.steps[gone.to]);
        if (ends_before(set, r, gone.from, gone.to, true))
            counts[NO_EDGE].implied++;
        else if (fails_in_some_run(set, may ? 10 : 300))
            counts[NO_EDGE].by_results++;
        else if (may)
            counts[NO_EDGE].legal++;
        else if (ends_before(set, r, gone.from, gone.to, false))
            counts[NO_EDGE].implied_around++;
        else
            survives(set, NO_EDGE, r, gone.to);
        put_back(set, r, before);
        draft_free(&draft);
    }
}

static void mutate_rank(struct set *set, int r)
{
    struct draft draft = draft_of(set->schedules[r]);
    for (uint32_t i = 0; i < draft.step_count; i++) {
        mutate_spans(set, r, i, &draft);
        if (draft.steps[i].peer >= 0) {
            mutate_peer(set, r, i, &draft);
            swap_numbers(set, r, i, &draft);
            drop_message(set, r, i);
        }
        if (draft.steps[i].kind == ALLFOLD_STEP_SEND)
            shorten_both_sides(set, r, i, &draft);
        if (draft.steps[i].kind == ALLFOLD_STEP_REDUCE)
            mutate_operands(set, r, i, &draft);
    }
    draft_free(&draft);
    remove_edges(set, r);
}

static void mutate_case(const struct allfold_case *of)
{
    struct set set = {.of = *of};
    char message[200] = "";
    if (allfold_case_build(of, &set.schedules, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s", message);
    assert_false(fails_in_some_run(&set, 20) || breaks_a_claim(&set));
    for (int r = 0; r < of->p; r++)
        mutate_rank(&set, r);
    allfold_case_free(of, set.schedules);
}

static void mutate_sizes(struct allfold_case *of)
{
    const bool may_be_in_place = of->algorithm->collective != ALLFOLD_BCAST;
    const size_t sizes[] = {2, 2 * (size_t)of->p + 1};
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (int in_place = 0; in_place <= may_be_in_place; in_place++) {
            of->count = sizes[i];
            of->in_place = in_place != 0;
            mutate_case(of);
        }
}

static void print_counts(const char *name)
{
    size_t mutants = 0, survivors = 0;
    for (int k = 0; k < KINDS; k++) {
        const size_t tried = counts[k].by_results + counts[k].by_claims + counts[k].survived;
        mutants += tried;
        survivors += counts[k].survived;
        print_message("%s: %s: %zu mutants, %zu caught by results, %zu by claims, %zu survive",
                      name, kind_names[k], tried, counts[k].by_results, counts[k].by_claims,
                      counts[k].survived);
        if (k == SWAPPED || k == NO_EDGE)
            print_message("; right by a rule: %zu", counts[k].legal);
        if (k == NO_EDGE)
            print_message("; edges that follow from others: %zu, through other ranks: %zu",
                          counts[k].implied, counts[k].implied_around);
        print_message("\n");
    }
    print_message("%s: %zu mutants, %zu survivors\n", name, mutants, survivors);
    assert_true(mutants > 1000);
    assert_int_equal(survivors, 0);
}

/* Segments: whole blocks, then an element; other parameters: what the verifier tries. */
static size_t value_of(const struct allfold_parameter *parameter, size_t i)
{
    if (strcmp(parameter->name, "segment") == 0)
        return i % 2 * 4;
    return parameter->tried[i % parameter->tried_count];
}

static bool is_served(const struct allfold_case *of)
{
    const struct allfold_problem problem = allfold_case_problem(of, 0);
    return allfold_unmet_need(of->algorithm, &problem, &of->parameters) == NULL;
}

static void test_mutants(void **state)
{
    const struct allfold_algorithm *algorithm = *state;
    static const int sizes[] = {2, 3, 4, 5, 7, 8, 13};
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct allfold_case of = {.algorithm = algorithm, .p = sizes[i]};
        of.parameters = allfold_parameter_presets(algorithm);
        if (algorithm->parameters[0].name != NULL)
            of.parameters.value[0] = value_of(&algorithm->parameters[0], i);
        const bool has_root = algorithm->collective != ALLFOLD_ALLREDUCE;
        /* the first, the last, and one of a removed pair */
        const int roots[] = {0, of.p - 1, 1};
        for (int k = 0; k < (has_root ? of.p == 2 ? 2 : 3 : 1); k++) {
            of.root = roots[k];
            if (is_served(&of))
                mutate_sizes(&of);
        }
    }
    print_counts(algorithm->name);
}

/* One test for each algorithm of the table. */
int main(void)
{
    struct CMUnitTest mutants[64];
    size_t n = 0;
    /* those that the model offers: minutes for all of them would show no more of the verifier */
    for (size_t i = 0; allfold_algorithms[i] != NULL && n < LENGTH(mutants); i++)
        if (!allfold_algorithms[i]->only_forced)
            mutants[n++] = (struct CMUnitTest){
                .name = allfold_algorithms[i]->name,
                .test_func = test_mutants,
                .initial_state = (void *)(uintptr_t)allfold_algorithms[i],
            };
    return _cmocka_run_group_tests("mutants", mutants, n, verifier_set_up, verifier_tear_down);
}
