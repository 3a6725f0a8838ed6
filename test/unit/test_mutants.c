/* The verifier must refuse what is wrong. The tests break correct schedules in every way in which
 * an algorithm's author or the builder could be wrong. The verifier has to catch each such mutant.
 * Mutants that survive must be right, and a rule here has to say why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "topology/cables.h"
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
    size_t by_results, by_claims, by_order, survived;
    size_t legal;       /* right, as the operation commutes */
    size_t superfluous; /* right, as the step may as well be left out */
    size_t implied;     /* edges that other edges of the rank imply */
} counts[KINDS];

static void survives(const struct set *set, enum kind kind, int r, uint32_t step)
{
    char text[300];
    counts[kind].survived++;
    allfold_case_print(&set->of, text, sizeof text);
    print_message("survivor: %s at rank %d, step %u of %s\n", kind_names[kind], r, step, text);
}

/* A reduction as a copy of one of its operands, 1 or 2. */
static struct allfold_step copy_of(const struct allfold_step *reduction, int which)
{
    struct allfold_step copy = *reduction;
    copy.kind = ALLFOLD_STEP_COPY;
    copy.buffer[1] = copy.buffer[which];
    copy.offset[1] = copy.offset[which];
    return copy;
}

static bool is_right_with(struct set *set, int r, const struct draft *draft)
{
    struct allfold_schedule *before = put(set, r, draft);
    const bool is_right = !fails_in_some_run(set, 5);
    put_back(set, r, before);
    return is_right;
}

/* Is the sum right whichever operand takes its place, as no rank needs it for its result? */
static bool is_needless_sum(struct set *set, int r, uint32_t step)
{
    struct draft draft = draft_of(set->schedules[r]);
    const struct allfold_step reduction = draft.steps[step];
    bool is_needless = reduction.kind == ALLFOLD_STEP_REDUCE;
    for (int which = 1; which <= 2 && is_needless; which++) {
        draft.steps[step] = copy_of(&reduction, which);
        is_needless = is_right_with(set, r, &draft);
    }
    draft_free(&draft);
    return is_needless;
}

/* Are the results the same if the message is received into a buffer of its own? */
static bool is_needless_message(struct set *set, int r, uint32_t step)
{
    const struct allfold_step *gone = &set->schedules[r]->steps[step];
    const bool is_sent = gone->kind == ALLFOLD_STEP_SEND;
    const int at = is_sent ? gone->peer : r;
    const uint32_t receive = is_sent ? other_side(set, r, gone) : step;
    struct draft draft = draft_of(set->schedules[at]);
    if (draft.buffer_count == ALLFOLD_MAX_BUFFERS)
        fail_msg("rank %d has no room for one more buffer", at);
    draft.buffer_length[draft.buffer_count] = gone->length;
    draft.steps[receive].buffer[0] = (uint8_t)draft.buffer_count++;
    draft.steps[receive].offset[0] = 0;
    const bool is_needless = is_right_with(set, at, &draft);
    draft_free(&draft);
    return is_needless;
}

static bool is_right_without(struct set *set, int r, uint32_t step)
{
    struct draft draft = draft_of(set->schedules[r]);
    draft_drop_step(&draft, step);
    const bool is_right = is_right_with(set, r, &draft);
    draft_free(&draft);
    return is_right;
}

/* A step that writes what is there already, or what no result depends on. Then it does not matter
 * what else it writes or where. `before` is the right schedule, of which the set has a mutant. */
static bool may_be_left_out(struct set *set, int r, uint32_t step, struct allfold_schedule *before)
{
    struct allfold_schedule *mutant = set->schedules[r];
    set->schedules[r] = before;
    const bool may = before->steps[step].peer >= 0
                         ? is_needless_message(set, r, step)
                         : is_right_without(set, r, step) || is_needless_sum(set, r, step);
    set->schedules[r] = mutant;
    return may;
}

static bool is_composed(const struct allfold_algorithm *algorithm)
{
    return algorithm->parameters[0].inner != NULL;
}

/* Does the mutant differ from what is right only in that something is left out? Compositions alone
 * may do with less. */
static bool leaves_out(const struct set *set, enum kind kind)
{
    return is_composed(set->of.algorithm) && (kind == SHORTENED || kind == SHORTENED_BOTH);
}

static void try(struct set *set, enum kind kind, int r, uint32_t step, const struct draft *draft)
{
    struct allfold_schedule *before = put(set, r, draft);
    if (fails_in_some_run(set, 5))
        counts[kind].by_results++;
    else if (breaks_a_claim(set))
        counts[kind].by_claims++;
    else if (breaks_the_order(set, r))
        counts[kind].by_order++;
    else if (kind == SWAPPED && (set->of.commutes || !allfold_is_ordered(set->of.algorithm)))
        counts[kind].legal++;
    else if (leaves_out(set, kind) || may_be_left_out(set, r, step, before))
        counts[kind].superfluous++;
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
    /* its neighbors, this rank itself, and one that does not exist */
    const int p = set->of.p, peer = draft->steps[i].peer;
    const int wrong[] = {(peer + 1) % p, (peer + p - 1) % p, r, p};
    for (size_t k = 0; k < LENGTH(wrong); k++) {
        struct allfold_step mutant = draft->steps[i];
        mutant.peer = wrong[k];
        if (wrong[k] != peer && (k != 1 || wrong[1] != wrong[0]))
            try_step(set, WRONG_PEER, r, i, draft, mutant);
    }
}

static void mutate_operands(struct set *set, int r, uint32_t i, struct draft *draft)
{
    for (int which = 1; which <= 2; which++) {
        const struct allfold_step mutant = copy_of(&draft->steps[i], which);
        try_step(set, which == 1 ? LEFT_ONLY : RIGHT_ONLY, r, i, draft, mutant);
    }
    struct allfold_step *step = &draft->steps[i], before = *step;
    step->buffer[1] = before.buffer[2];
    step->offset[1] = before.offset[2];
    step->buffer[2] = before.buffer[1];
    step->offset[2] = before.offset[1];
    try(set, SWAPPED, r, i, draft);
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
    struct allfold_step mutant = draft->steps[i], before = mutant;
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

/* An edge is needed unless other edges of the rank say the same. */
static void remove_edges(struct set *set, int r)
{
    const uint32_t edges = set->schedules[r]->edge_count;
    for (uint32_t e = 0; e < edges; e++) {
        struct draft draft = draft_of(set->schedules[r]);
        const struct edge gone = draft.edges[e];
        draft_drop_edge(&draft, e);
        struct allfold_schedule *before = put(set, r, &draft);
        if (ends_before(set->schedules[r], gone.from, gone.to))
            counts[NO_EDGE].implied++;
        else if (breaks_the_order(set, r))
            counts[NO_EDGE].by_order++;
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
    for (int r = 0; r < of->p; r++) {
        assert_false(breaks_the_order(&set, r));
        mutate_rank(&set, r);
    }
    allfold_case_free(of, set.schedules);
}

static void mutate_sizes(struct allfold_case *of)
{
    const bool may_be_in_place = allfold_traits(of->algorithm->collective)->allows_in_place;
    const size_t sizes[] = {2, 2 * (size_t)of->p + 1};
    for (size_t i = 0; i < LENGTH(sizes); i++)
        for (int in_place = 0; in_place <= may_be_in_place; in_place++) {
            of->count = sizes[i];
            of->in_place = in_place != 0;
            mutate_case(of);
        }
}

/* Does it do its work by another collective, which leaves ranks more than the result? A reduce by
 * an allreduce gives all ranks the sum, and a broadcast by a scatter and an allgather brings ranks
 * blocks that they passed on in the scatter. */
static bool does_more_than_asked(const struct allfold_algorithm *algorithm)
{
    return is_composed(algorithm) &&
           algorithm->parameters[0].inner->collective != algorithm->collective;
}

/* A composition may send what a later step writes over: nap on 3 nodes with a part that halves. */
static void print_counts(const struct allfold_algorithm *algorithm)
{
    size_t mutants = 0, survivors = 0, superfluous = 0;
    for (int k = 0; k < KINDS; k++) {
        const size_t tried = counts[k].by_results + counts[k].by_claims + counts[k].by_order +
                             counts[k].legal + counts[k].superfluous + counts[k].implied +
                             counts[k].survived;
        mutants += tried;
        survivors += counts[k].survived;
        superfluous += counts[k].superfluous;
        print_message("%s: %s: %zu mutants, caught by results %zu, by claims %zu, by order %zu; "
                      "right as it commutes %zu, as the step is superfluous %zu, as the edge is "
                      "implied %zu; survive: %zu\n",
                      algorithm->name, kind_names[k], tried, counts[k].by_results,
                      counts[k].by_claims, counts[k].by_order, counts[k].legal,
                      counts[k].superfluous, counts[k].implied, counts[k].survived);
    }
    print_message("%s: %zu mutants, %zu survivors\n", algorithm->name, mutants, survivors);
    assert_true(mutants > 500 &&
                superfluous * (does_more_than_asked(algorithm) ? 16 : 50) < mutants);
    assert_true(survivors == 0 || (is_composed(algorithm) && survivors * 500 < mutants));
}

enum { MOST_VALUES = 200 };

/* What to try of a parameter with size number i. Where p is small: all that the verifier tries, and
 * the preset. Else one of them; of segments, whole blocks or single elements. One of inner
 * algorithms, too, which are mutated on their own. */
static size_t values_of(const struct allfold_parameter *parameter, int p, size_t i, size_t *values)
{
    enum { SMALL_P = 4 };
    size_t count = 0;
    const size_t preset = allfold_parameter_preset(parameter);
    assert_in_range(allfold_parameter_tried_count(parameter), 1, MOST_VALUES - 1);
    if (p > SMALL_P || parameter->inner != NULL) {
        const bool is_segment = strcmp(parameter->name, "segment") == 0;
        values[0] =
            is_segment
                ? i % 2 * 4
                : allfold_parameter_tried(parameter, i % allfold_parameter_tried_count(parameter));
        return 1;
    }
    bool has_preset = false;
    for (; count < allfold_parameter_tried_count(parameter); count++) {
        values[count] = allfold_parameter_tried(parameter, count);
        has_preset = has_preset || values[count] == preset;
    }
    if (!has_preset)
        values[count++] = preset;
    return count;
}

static bool is_served(const struct allfold_case *of)
{
    const struct allfold_problem problem = allfold_case_problem(of, 0);
    return allfold_unmet_need(of->algorithm, &problem, &of->parameters) == NULL;
}

/* The first root, the last, and one of a removed pair. */
static void mutate_roots(struct allfold_case *of)
{
    const int roots[] = {0, of->p - 1, 1};
    const bool has_root = allfold_traits(of->algorithm->collective)->has_root;
    for (int k = 0; k < (has_root ? of->p == 2 ? 2 : 3 : 1); k++) {
        of->root = roots[k];
        if (is_served(of))
            mutate_sizes(of);
    }
}

static void mutate_choices(const struct allfold_algorithm *algorithm,
                           const struct allfold_nodes *nodes, int p, unsigned shift)
{
    const struct allfold_parameter *first = &algorithm->parameters[0], *second = first + 1;
    const unsigned firsts = first->name == NULL ? 1 : allfold_parameter_tried_count(first);
    for (unsigned k = 0; k < firsts; k++) {
        struct allfold_case of = {.algorithm = algorithm, .p = p, .nodes = nodes};
        of.commutes = k % 2;
        if (first->name != NULL)
            of.parameters.value[0] = allfold_parameter_tried(first, k);
        if (second->name != NULL)
            of.parameters.value[1] = allfold_parameter_tried(
                second, (k + shift) % allfold_parameter_tried_count(second));
        mutate_roots(&of);
    }
}

/* Compositions on a few placements; their inner algorithms are mutated on their own, too. What only
 * follows nodes, also on the last one, which is in turn. */
static void mutate_placements(const struct allfold_algorithm *algorithm)
{
    static const int64_t keys[][6] = {
        {0, 0, 1, 1}, {0, 0, 0, 1, 1}, {0, 0, 1, 1, 2, 2}, {0, 1, 0, 1}};
    for (int i = 0; i < (int)LENGTH(keys) - !algorithm->follows_nodes; i++) {
        const struct allfold_nodes *nodes = allfold_nodes_make(keys[i], 4 + i % 3);
        mutate_choices(algorithm, nodes, 4 + i % 3, (unsigned)i);
        allfold_nodes_free(nodes);
    }
}

/* Nodes of which some share a group. */
static void mutate_groups(const struct allfold_algorithm *algorithm)
{
    static const struct {
        int p;
        int64_t nodes[8], groups[8];
    } cases[] = {{4, {0, 1, 2, 2}, {0, 0, 1, 1}},
                 {5, {0, 0, 1, 2, 3}, {0, 0, 0, 1, 1}},
                 {8, {0, 1, 2, 3, 4, 4, 5, 6}, {0, 0, 1, 1, 1, 1, 2, 2}}};
    for (unsigned i = 0; i < LENGTH(cases); i++) {
        const struct allfold_group_level groups = {.keys = cases[i].groups};
        const struct allfold_nodes *nodes =
            extended(allfold_nodes_make(cases[i].nodes, cases[i].p),
                     (struct allfold_nodes_facts){.groups = &groups, .levels = 1});
        mutate_choices(algorithm, nodes, cases[i].p, i);
        allfold_nodes_free(nodes);
    }
}

/* One rank on each node: of a triangle with a tail, which has one tree, and of nodes that are all
 * linked to all, which have two or three. */
static void mutate_cables(const struct allfold_algorithm *algorithm)
{
    static const int64_t keys[] = {0, 1, 2, 3, 4, 5};
    for (unsigned i = 0; i < 4; i++) {
        struct allfold_cable pairs[15] = {{0, 1}, {1, 2}, {2, 0}, {2, 3}};
        const int p = i < 2 ? 4 : (int)i + 3;
        int count = i == 0 ? 4 : 0;
        for (int a = 0; a < p && i > 0; a++)
            for (int b = a + 1; b < p; b++)
                pairs[count++] = (struct allfold_cable){a, b};
        const struct allfold_nodes *nodes =
            extended(allfold_nodes_make(keys, p),
                     (struct allfold_nodes_facts){.cables = pairs, .cable_count = count});
        mutate_choices(algorithm, nodes, p, i);
        allfold_nodes_free(nodes);
    }
}

/* Two ranks on each node of a triangle, where a composition sends over cables between nodes. */
static void mutate_composed_cables(const struct allfold_algorithm *algorithm)
{
    static const int64_t keys[] = {0, 0, 1, 1, 2, 2};
    static const struct allfold_cable triangle[] = {{0, 1}, {1, 2}, {2, 0}};
    const struct allfold_nodes *nodes =
        extended(allfold_nodes_make(keys, 6),
                 (struct allfold_nodes_facts){.cables = triangle, .cable_count = 3});
    const unsigned combinations = allfold_tried_count(algorithm, true);
    for (unsigned c = 0; c < combinations; c++) {
        struct allfold_case of = {.algorithm = algorithm, .p = 6, .commutes = true, .nodes = nodes};
        of.parameters = allfold_tried(algorithm, true, c);
        if (allfold_needs_cables(algorithm, &of.parameters))
            mutate_roots(&of);
    }
    allfold_nodes_free(nodes);
}

static void mutate_ranks(const struct allfold_algorithm *algorithm)
{
    static const int sizes[] = {2, 3, 4, 5, 7, 8, 13};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct allfold_case of = {.algorithm = algorithm, .p = sizes[i]};
        size_t values[2][MOST_VALUES] = {{0}}, count[2] = {1, 1};
        assert_null(algorithm->parameters[2].name); /* only algorithms for nodes have three */
        for (size_t which = 0; which < 2; which++)
            if (algorithm->parameters[which].name != NULL)
                count[which] = values_of(&algorithm->parameters[which], of.p, i, values[which]);
        for (size_t k = 0; k < count[0] * count[1]; k++) {
            of.parameters.value[0] = values[0][k % count[0]];
            of.parameters.value[1] = values[1][k / count[0]];
            mutate_roots(&of);
        }
    }
}

static void test_mutants(void **state)
{
    const struct allfold_algorithm *algorithm = *state;
    memset(counts, 0, sizeof counts);
    if (!(algorithm->needs & ALLFOLD_NEEDS_NODES))
        mutate_ranks(algorithm);
    if (algorithm->needs & ALLFOLD_NEEDS_GROUPS)
        mutate_groups(algorithm);
    else if (algorithm->needs & ALLFOLD_NEEDS_CABLES)
        mutate_cables(algorithm);
    else if (algorithm->needs & ALLFOLD_NEEDS_NODES || algorithm->follows_nodes)
        mutate_placements(algorithm);
    mutate_composed_cables(algorithm);
    print_counts(algorithm);
}

/* One test for each algorithm of the table, or of those that have the given name. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    size_t count = 0;
    while (allfold_algorithms[count] != NULL)
        count++;
    struct CMUnitTest *mutants = calloc(count, sizeof *mutants);
    if (mutants == NULL)
        return 1;
    for (size_t i = 0; i < count; i++)
        mutants[i] = (struct CMUnitTest){
            .name = allfold_algorithms[i]->name,
            .test_func = test_mutants,
            .initial_state = (void *)(uintptr_t)allfold_algorithms[i],
        };
    const int failed =
        _cmocka_run_group_tests("mutants", mutants, count, verifier_set_up, verifier_tear_down);
    free(mutants);
    return failed;
}
