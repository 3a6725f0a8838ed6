/* The verifier of one case (see verifier.h). */
#include "lab/verify/verifier.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "lab/verify/canonical_value.h"
#include "lab/verify/data_races.h"
#include "lab/verify/values.h"
#include "cost/walk.h"
#include "util/memory.h"

/* Elements on each side of a buffer that nothing may touch, and what they hold. */
enum { GUARD = 8, GUARD_VALUE = 0x5ca1ab1e };

struct allfold_verifier {
    struct allfold_elements elements; /* first: the callbacks come back with it */
    struct allfold_values *values;
    struct allfold_virtual *world;
    const char *why;
    uint32_t *memory;
    size_t memory_length;
};

_Static_assert(offsetof(struct allfold_verifier, elements) == 0, "callbacks cast them back");

/* Where the buffers of one rank lie. */
struct buffers {
    uint32_t *in, *out, *scratch;
    size_t in_length, out_length, scratch_length;
};

static int symbolic_reduce(const struct allfold_elements *elements, void *to, const void *left,
                           const void *right, size_t count)
{
    struct allfold_verifier *verifier = (struct allfold_verifier *)(uintptr_t)elements;
    return !allfold_values_combine_all(verifier->values, to, left, right, count, &verifier->why);
}

static int symbolic_fold(const struct allfold_elements *elements, void *to,
                         const void *const *operands, size_t many, size_t count)
{
    int error = 0;
    for (size_t k = 0; k < count && error == 0; k++) {
        uint32_t value = ((const uint32_t *)operands[0])[k];
        for (size_t i = 1; i < many && error == 0; i++)
            error = symbolic_reduce(elements, &value, &value, (const uint32_t *)operands[i] + k, 1);
        ((uint32_t *)to)[k] = value;
    }
    return error;
}

static int symbolic_copy(const struct allfold_elements *elements, void *to, const void *from,
                         size_t count)
{
    struct allfold_verifier *verifier = (struct allfold_verifier *)(uintptr_t)elements;
    if (allfold_values_all_exist(verifier->values, from, count)) {
        memmove(to, from, count * sizeof(uint32_t));
        return 0;
    }
    const uint32_t *values = from;
    size_t first = 0;
    while (allfold_values_exist(verifier->values, values[first]))
        first++;
    verifier->why = values[first] == ALLFOLD_IN_FLIGHT
                        ? "copies what a message in flight may change"
                        : "copies what was never written";
    return 1;
}

struct allfold_verifier *allfold_verifier_create(void)
{
    struct allfold_verifier *verifier = allfold_allocate_zeroed(sizeof *verifier);
    if (verifier == NULL)
        return NULL;
    verifier->elements = (struct allfold_elements){.extent_bytes = sizeof(uint32_t),
                                                   .high_bytes = sizeof(uint32_t),
                                                   .reduce = symbolic_reduce,
                                                   .copy = symbolic_copy,
                                                   .fold = symbolic_fold};
    verifier->values = allfold_values_create();
    verifier->world = allfold_virtual_create();
    if (verifier->values == NULL || verifier->world == NULL) {
        allfold_verifier_free(verifier);
        return NULL;
    }
    return verifier;
}

void allfold_verifier_free(struct allfold_verifier *verifier)
{
    if (verifier == NULL)
        return;
    allfold_values_free(verifier->values);
    allfold_virtual_free(verifier->world);
    allfold_free(verifier->memory);
    allfold_free(verifier);
}

static struct buffers buffers_of(const struct allfold_verifier *verifier,
                                 const struct allfold_schedule *schedule)
{
    return (struct buffers){
        .in_length = schedule->buffer_length[ALLFOLD_IN],
        .out_length = schedule->buffer_length[ALLFOLD_OUT],
        .scratch_length =
            allfold_executor_scratch_bytes(schedule, &verifier->elements) / sizeof(uint32_t),
    };
}

/* Each buffer begins at a multiple of 64 bytes, with GUARD elements or more on each side. */
static size_t room(size_t length)
{
    return (length + 2 * GUARD + 15) / 16 * 16 + 16;
}

static enum allfold_error give_memory(struct allfold_verifier *verifier, size_t length)
{
    if (length > verifier->memory_length) {
        allfold_free(verifier->memory);
        verifier->memory_length = 0;
        verifier->memory = allfold_allocate(length * sizeof(uint32_t));
        if (verifier->memory == NULL)
            return ALLFOLD_NO_MEMORY;
        verifier->memory_length = length;
    }
    for (size_t i = 0; i < length; i++)
        verifier->memory[i] = GUARD_VALUE;
    return ALLFOLD_OK;
}

static uint32_t *take(uint32_t **memory, size_t length, uint32_t value)
{
    assert(room(length) >= 16 + length + GUARD); /* the guards of neighbors are apart */
    uint32_t *buffer = *memory + 16;
    *memory += room(length);
    for (size_t i = 0; i < length; i++)
        buffer[i] = value;
    return buffer;
}

static bool is_guarded(const uint32_t *buffer, size_t length)
{
    for (size_t i = 0; i < GUARD; i++)
        if (buffer[length + i] != GUARD_VALUE || buffer[-1 - (ptrdiff_t)i] != GUARD_VALUE)
            return false;
    return true;
}

static bool may_repeat(const struct allfold_case *of)
{
    return allfold_traits(of->algorithm->collective)->may_repeat;
}

/* The memory of all ranks, filled with what they hold before the collective. */
static enum allfold_error set_up(struct allfold_verifier *verifier, const struct allfold_case *of,
                                 struct allfold_schedule *const *schedules, struct buffers *ranks)
{
    size_t length = 16;
    for (int r = 0; r < of->p; r++) {
        ranks[r] = buffers_of(verifier, schedules[r]);
        length +=
            room(ranks[r].in_length) + room(ranks[r].out_length) + room(ranks[r].scratch_length);
    }
    enum allfold_error error = give_memory(verifier, length);
    if (error == ALLFOLD_OK)
        error = allfold_values_begin(verifier->values, of->p, allfold_case_elements(of),
                                     may_repeat(of));
    uint32_t *memory = verifier->memory;
    for (int r = 0; r < of->p && error == ALLFOLD_OK; r++) {
        struct buffers *b = &ranks[r];
        b->in = take(&memory, b->in_length, ALLFOLD_UNWRITTEN);
        b->out = take(&memory, b->out_length, ALLFOLD_UNWRITTEN);
        b->scratch = take(&memory, b->scratch_length, ALLFOLD_UNWRITTEN);
        const struct allfold_problem problem = allfold_case_problem(of, r);
        const struct allfold_shape shape = allfold_problem_shape(&problem);
        uint32_t *input = shape.in_place ? b->out + shape.in_place_offset : b->in;
        for (size_t e = 0; e < shape.in_length; e++)
            input[e] = allfold_values_leaf(verifier->values, r, e);
    }
    return error;
}

/* What is wrong with element e of rank r's result. */
static const char *result_fault(const struct allfold_verifier *verifier,
                                const struct allfold_case *of, const struct buffers *ranks, int r,
                                size_t e, uint32_t tree)
{
    const uint32_t value = ranks[r].out[e];
    const struct allfold_origin origin = allfold_case_origin(of, r, e);
    if (origin.giver >= 0)
        return value == allfold_values_leaf(verifier->values, origin.giver, origin.element)
                   ? NULL
                   : "is not what its rank gave";
    const int of_ranks = allfold_contributors(of->algorithm->collective, of->p, r);
    const char *fault = allfold_values_fault(verifier->values, value, origin.element, of_ranks,
                                             !of->commutes && allfold_is_ordered(of->algorithm));
    if (fault == NULL && of->algorithm->consistent &&
        allfold_is_alike_on_all(of->algorithm->collective) && value != ranks[0].out[e])
        return "is bracketed differently than on another rank";
    if (fault == NULL && of->canonical && value != tree + (uint32_t)origin.element)
        return "is not bracketed by the canonical tree";
    return fault;
}

static enum allfold_error check_rank(const struct allfold_verifier *verifier,
                                     const struct allfold_case *of, const struct buffers *ranks,
                                     int r, char *message, size_t message_bytes)
{
    const struct buffers *b = &ranks[r];
    if (!is_guarded(b->in, b->in_length) || !is_guarded(b->out, b->out_length) ||
        !is_guarded(b->scratch, b->scratch_length)) {
        snprintf(message, message_bytes, "rank %d touches memory outside its buffers", r);
        return ALLFOLD_DISPROVED;
    }
    for (size_t e = 0; e < b->in_length; e++)
        if (b->in[e] != allfold_values_leaf(verifier->values, r, e)) {
            snprintf(message, message_bytes, "rank %d changes element %zu of its input", r, e);
            return ALLFOLD_DISPROVED;
        }
    const size_t length = allfold_case_result_length(of, r);
    const uint32_t tree = of->canonical ? allfold_canonical_value(verifier->values, of, r, 0) : 0;
    for (size_t e = 0; e < length; e++) {
        const char *fault = result_fault(verifier, of, ranks, r, e, tree);
        if (fault == NULL)
            continue;
        snprintf(message, message_bytes, "rank %d: element %zu %s", r, e, fault);
        return ALLFOLD_DISPROVED;
    }
    return ALLFOLD_OK;
}

static enum allfold_error execute(struct allfold_verifier *verifier, const struct allfold_case *of,
                                  struct allfold_schedule *const *schedules,
                                  const struct buffers *ranks, const void **pointers, char *message,
                                  size_t message_bytes)
{
    const size_t p = (size_t)of->p;
    for (size_t r = 0; r < p; r++) {
        pointers[r] = ranks[r].in;
        pointers[p + r] = ranks[r].out;
        pointers[2 * p + r] = ranks[r].scratch;
    }
    const struct allfold_virtual_run run = {
        .p = of->p,
        .schedules = (const struct allfold_schedule *const *)schedules,
        .elements = &verifier->elements,
        .in = pointers,
        .out = (void *const *)(uintptr_t)(pointers + p),
        .scratch = (void *const *)(uintptr_t)(pointers + 2 * p),
        .mode = of->mode,
        .seed = of->seed,
        .window = of->window,
    };
    verifier->why = NULL;
    enum allfold_error error =
        allfold_virtual_execute(verifier->world, &run, message, message_bytes);
    if (error == ALLFOLD_DISPROVED && verifier->why == allfold_values_no_memory) {
        snprintf(message, message_bytes, "%s", allfold_values_no_memory);
        return ALLFOLD_NO_MEMORY;
    }
    if (error == ALLFOLD_DISPROVED && verifier->why != NULL) {
        const size_t length = strlen(message);
        snprintf(message + length, message_bytes - length, ": %s", verifier->why);
    }
    return error;
}

enum allfold_error allfold_verify_results(struct allfold_verifier *verifier,
                                          const struct allfold_case *of,
                                          struct allfold_schedule *const *schedules, char *message,
                                          size_t message_bytes)
{
    const size_t p = (size_t)of->p;
    struct buffers *ranks = allfold_allocate(p * sizeof *ranks);
    const void **pointers = allfold_allocate(3 * p * sizeof *pointers);
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    if (ranks != NULL && pointers != NULL)
        error = set_up(verifier, of, schedules, ranks);
    if (error == ALLFOLD_OK)
        error = execute(verifier, of, schedules, ranks, pointers, message, message_bytes);
    else
        snprintf(message, message_bytes, "no memory");
    for (int r = 0; r < of->p && error == ALLFOLD_OK; r++)
        error = check_rank(verifier, of, ranks, r, message, message_bytes);
    allfold_free(ranks);
    allfold_free(pointers);
    return error;
}

/* The elements that the busiest node sends to others, or gets from them. */
static size_t most_between_nodes(const struct allfold_case *of,
                                 struct allfold_schedule *const *schedules)
{
    const struct allfold_nodes *nodes = of->nodes;
    size_t most = 0;
    for (int node = 0; node < nodes->count; node++) {
        size_t sent = 0, got = 0;
        for (int k = nodes->first[node]; k < nodes->first[node + 1]; k++) {
            const struct allfold_schedule *schedule = schedules[nodes->members[k]];
            for (uint32_t i = 0; i < schedule->step_count; i++) {
                const struct allfold_step *step = &schedule->steps[i];
                if (step->peer >= 0 && nodes->node_of[step->peer] != node)
                    *(step->kind == ALLFOLD_STEP_SEND ? &sent : &got) += step->length;
            }
        }
        most = sent > most ? sent : most;
        most = got > most ? got : most;
    }
    return most;
}

enum how { AT_MOST, EXACTLY, AT_LEAST };
static const char *const words_of[] = {
    [AT_MOST] = "at most ", [EXACTLY] = "", [AT_LEAST] = "at least "};

/* What a descriptor claims and the schedules do not keep; `what` NULL: nothing. */
struct broken {
    const char *what;
    size_t claimed, counted;
    enum how how;
};

static bool is_kept(const struct broken *part)
{
    if (part->how == EXACTLY)
        return part->counted == part->claimed;
    return part->how == AT_MOST ? part->counted <= part->claimed : part->counted >= part->claimed;
}

static enum allfold_error find_broken(const struct allfold_case *of,
                                      struct allfold_schedule *const *schedules,
                                      struct broken *broken, char *message, size_t message_bytes)
{
    struct allfold_cost cost;
    const struct allfold_claim claim = allfold_case_claim(of);
    enum allfold_error error =
        allfold_walk((const struct allfold_schedule *const *)schedules, of->p,
                     allfold_claim_ports(&claim), &cost, message, message_bytes);
    *broken = (struct broken){.what = NULL};
    if (error != ALLFOLD_OK)
        return error;
    assert(claim.divisor > 0);
    const bool is_exact = !claim.is_bound && of->count > 0 && of->count % claim.divisor == 0;
    const enum how how = is_exact ? EXACTLY : AT_MOST;
    const bool says_row = claim.serial > 0 && claim.far_lanes == 0; /* not of parts that do not */
    const size_t row = says_row ? cost.serial : 0;
    const size_t between = claim.far_lanes == 0 ? 0 : most_between_nodes(of, schedules);
    const struct broken parts[] = {
        {"rounds", claim.rounds, cost.rounds, how},
        {"elements sent", claim.sent, cost.sent, how},
        {"elements reduced", claim.reduced, cost.reduced, how},
        {"elements got", allfold_claim_carried(&claim), cost.got, AT_MOST},
        {"elements written", claim.sent - claim.again, cost.written, AT_MOST},
        {"elements one after the other", allfold_claim_serial(&claim), row, AT_MOST},
        {"elements from or to a node", claim.far_sent, between, AT_MOST},
        {"elements copied", claim.copied, cost.copied, AT_LEAST},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (is_kept(&parts[i]))
            continue;
        *broken = parts[i];
        return ALLFOLD_DISPROVED;
    }
    return ALLFOLD_OK;
}

enum allfold_error allfold_verify_claims(const struct allfold_case *of,
                                         struct allfold_schedule *const *schedules, char *message,
                                         size_t message_bytes)
{
    struct broken broken;
    const enum allfold_error error = find_broken(of, schedules, &broken, message, message_bytes);
    if (broken.what != NULL)
        snprintf(message, message_bytes, "claims %s%zu %s, but has %zu", words_of[broken.how],
                 broken.claimed, broken.what, broken.counted);
    return error;
}

enum allfold_error allfold_verify_order(const struct allfold_case *of,
                                        struct allfold_schedule *const *schedules, int first,
                                        int stride, char *message, size_t message_bytes)
{
    for (int r = first; r < of->p; r += stride) {
        char words[120] = "";
        const enum allfold_error error = allfold_order_check(schedules[r], words, sizeof words);
        if (error == ALLFOLD_OK)
            continue;
        snprintf(message, message_bytes, "rank %d: %s", r, words);
        return error;
    }
    return ALLFOLD_OK;
}

/* How often a failing case is run: the plainest ways first, so that the report names these. */
static const struct {
    enum allfold_virtual_mode mode;
    uint32_t window;
    uint64_t seed;
} runs[] = {
    {ALLFOLD_VIRTUAL_IN_ORDER, ALLFOLD_WINDOW, 0},
    {ALLFOLD_VIRTUAL_SYNCHRONOUS, ALLFOLD_WINDOW, 0},
    {ALLFOLD_VIRTUAL_SYNCHRONOUS, 2, 0},
    {ALLFOLD_VIRTUAL_REORDERED, ALLFOLD_WINDOW, 1},
    {ALLFOLD_VIRTUAL_REORDERED, ALLFOLD_WINDOW, 2},
    {ALLFOLD_VIRTUAL_REORDERED, ALLFOLD_WINDOW, 3},
    {ALLFOLD_VIRTUAL_REORDERED, 2, 4},
};

/* In all of these ways and then in the case's own; leaves in *of the one that failed. */
static enum allfold_error run_all(struct allfold_verifier *verifier, struct allfold_case *of,
                                  struct allfold_schedule *const *schedules, char *message,
                                  size_t message_bytes)
{
    const struct allfold_case own = *of;
    enum allfold_error error = ALLFOLD_OK;
    for (size_t i = 0; i < sizeof runs / sizeof *runs && error == ALLFOLD_OK; i++) {
        of->mode = runs[i].mode;
        of->window = runs[i].window;
        of->seed = runs[i].seed;
        error = allfold_verify_results(verifier, of, schedules, message, message_bytes);
    }
    if (error != ALLFOLD_OK)
        return error;
    *of = own;
    if (of->window == 0)
        of->window = ALLFOLD_WINDOW;
    return allfold_verify_results(verifier, of, schedules, message, message_bytes);
}

/* The schedules broke what the descriptor claims, and do nothing else that is wrong. */
static void blame_claim(const struct allfold_case *of, const struct broken *broken,
                        struct allfold_blame *blame)
{
    char text[300];
    snprintf(text, sizeof text,
             "The descriptor claims %s%zu %s, but the schedules have %zu. Their results are right: "
             "correct `claim`, or what the schedules do.",
             words_of[broken->how], broken->claimed, broken->what, broken->counted);
    allfold_blame_say(blame, ALLFOLD_BLAME_CLAIM, of, text);
    blame->expected = broken->claimed;
    blame->found = broken->counted;
}

static void blame_run(const struct allfold_case *of, const char *message,
                      struct allfold_blame *blame)
{
    char text[600];
    snprintf(text, sizeof text,
             "The schedules look right, but a run of them failed (%s, seed %llu, window %u): %s.",
             allfold_virtual_mode_name(of->mode), (unsigned long long)of->seed, of->window,
             message);
    allfold_blame_say(blame, ALLFOLD_BLAME_RUN, of, text);
}

enum allfold_error allfold_verify_case(struct allfold_verifier *verifier, struct allfold_case *of,
                                       struct allfold_blame *blame)
{
    char message[400] = "";
    struct allfold_schedule **schedules;
    struct broken broken = {.what = NULL};
    assert(allfold_case_is_served(of));
    enum allfold_error error = allfold_case_build(of, &schedules, message, sizeof message);
    if (error != ALLFOLD_OK) {
        char text[500];
        snprintf(text, sizeof text, "The builder refuses a schedule: %s.", message);
        if (blame != NULL)
            allfold_blame_say(blame, ALLFOLD_BLAME_NOT_BUILT, of, text);
        return error;
    }
    error = allfold_verify_order(of, schedules, 0, 1, message, sizeof message);
    if (error == ALLFOLD_OK)
        error = run_all(verifier, of, schedules, message, sizeof message);
    if (error == ALLFOLD_OK)
        error = find_broken(of, schedules, &broken, message, sizeof message);
    if (blame != NULL && error != ALLFOLD_NO_MEMORY &&
        allfold_blame_find(of, schedules, blame) == ALLFOLD_OK && error != ALLFOLD_OK) {
        if (broken.what != NULL)
            blame_claim(of, &broken, blame);
        else
            blame_run(of, message, blame);
    }
    allfold_case_free(of, schedules);
    return error;
}
