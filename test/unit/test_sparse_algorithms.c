/* Sparse runs of all algorithms on virtual ranks, with real numbers. Results are bitwise identical
 * with every message encoded and with none, whatever bits go in. Messages do become shorter. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "execute/sparse.h"
#include "lab/verify/verifier.h"
#include "support_rle.h"
#include "support.h"

/* Elements and words are as wide as the code's; buffers have GUARD of them on both sides. */
enum { MOST_RANKS = 16, ZONE = 24, GUARD = 8, MALFORMED = 99 };

/* All that runs of a case share. */
struct trial {
    struct allfold_case of;
    const struct code *code;
    enum allfold_operation operation;
    uint64_t seed;
    struct allfold_schedule **schedules;
    struct allfold_elements elements;
    struct allfold_sparse sparse;
    size_t bytes; /* of a buffer of any rank */
    char *in[MOST_RANKS], *out[MOST_RANKS], *scratch[MOST_RANKS], *expected[MOST_RANKS];
};

static allfold_kernel *kernel;

static int reduce_words(const struct allfold_elements *elements, void *to, const void *left,
                        const void *right, size_t count)
{
    (void)elements;
    kernel(to, left, right, count);
    return 0;
}

static int copy_words(const struct allfold_elements *elements, void *to, const void *from,
                      size_t count)
{
    memmove(to, from, count * (size_t)elements->extent_bytes);
    return 0;
}

/* What rank r puts into element e: zones of zeros, runs, numbers. An element has one NaN at most,
 * as of two either may come out. */
static uint64_t input(const struct trial *trial, int r, size_t e)
{
    const struct code *code = trial->code;
    uint64_t zone = trial->seed + 7919 * (e / ZONE), element = zone + 31 * e;
    uint64_t own = element + 104729 * (uint64_t)(r + 1), both = zone + (uint64_t)r;
    const int chosen = (int)random_below(&element, (uint32_t)trial->of.p);
    const uint64_t sign = sign_of(code), nan = infinity_of(code) | random_word(code, &own);
    switch (random_below(&zone, 8)) {
    case 0:
        return sign; /* -0.0 everywhere */
    case 1:
        return random_below(&own, 2) ? sign : 0;
    case 2: /* a run of a value, another one on each rank */
        return infinity_of(code) / 2 + random_below(&both, 1000);
    case 3: /* an infinity here and there */
        return random_below(&element, 4) == 0 && r == chosen ? infinity_of(code) : 0;
    case 4: /* numbers of all sizes */
        return random_word(code, &own) % infinity_of(code) | (random_below(&own, 2) ? sign : 0);
    case 5: /* a NaN, also such as runs are marked by */
        return r == chosen ? nan | (is_nan(code, nan) ? 0 : 1) : 0;
    default:
        return 0;
    }
}

static char *buffer(const struct trial *trial, int r, int which)
{
    const struct allfold_schedule *schedule = trial->schedules[r];
    const size_t length = schedule->buffer_length[which] + 2 * GUARD;
    char *memory = malloc(length * trial->code->bytes);
    assert_non_null(memory);
    memset(memory, 0x5c, length * trial->code->bytes);
    return memory;
}

static char *first(const struct trial *trial, char *memory)
{
    return memory + GUARD * trial->code->bytes;
}

static void fill(const struct trial *trial, int r)
{
    const size_t bytes = trial->code->bytes;
    const struct allfold_problem problem = allfold_case_problem(&trial->of, r);
    const struct allfold_shape shape = allfold_problem_shape(&problem);
    char *to = shape.in_place ? first(trial, trial->out[r]) + shape.in_place_offset * bytes
                              : first(trial, trial->in[r]);
    for (size_t e = 0; e < shape.in_length; e++) {
        const uint64_t word = input(trial, r, e);
        memcpy(to + e * bytes, &word, bytes);
    }
}

static void run_once(struct trial *trial, bool sparse)
{
    char message[400] = "";
    const void *in[MOST_RANKS];
    void *out[MOST_RANKS], *scratch[MOST_RANKS];
    struct allfold_virtual *world = allfold_virtual_create();
    assert_non_null(world);
    trial->elements.sparse = sparse ? &trial->sparse : NULL;
    for (int r = 0; r < trial->of.p; r++) {
        struct allfold_executor *executor =
            allfold_executor_create(trial->schedules[r], trial->of.window);
        assert_non_null(executor);
        const size_t arena = allfold_executor_place(executor, &trial->elements);
        allfold_executor_free(executor);
        trial->in[r] = buffer(trial, r, ALLFOLD_IN);
        trial->out[r] = buffer(trial, r, ALLFOLD_OUT);
        trial->scratch[r] = aligned_alloc(64, arena + 64);
        assert_non_null(trial->scratch[r]);
        memset(trial->scratch[r], 0x5c, arena + 64);
        fill(trial, r);
        in[r] = first(trial, trial->in[r]);
        out[r] = first(trial, trial->out[r]);
        scratch[r] = trial->scratch[r];
    }
    const struct allfold_virtual_run run = {
        .p = trial->of.p,
        .schedules = (const struct allfold_schedule *const *)trial->schedules,
        .elements = &trial->elements,
        .in = in,
        .out = out,
        .scratch = scratch,
        .mode = trial->of.mode,
        .seed = trial->of.seed,
        .window = trial->of.window,
    };
    if (allfold_virtual_execute(world, &run, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s %s: %s", allfold_collective_name(trial->of.algorithm->collective),
                 trial->of.algorithm->name, message);
    allfold_virtual_free(world);
}

/* With the guards before and behind, which hold what they held. */
static void check_rank(const struct trial *trial, int r)
{
    const struct allfold_schedule *schedule = trial->schedules[r];
    const bool is_block = allfold_traits(trial->of.algorithm->collective)->in_is_blocks;
    const size_t all = schedule->buffer_length[ALLFOLD_OUT], bytes = trial->code->bytes;
    const size_t result = is_block ? trial->of.count : all;
    const size_t guard = GUARD * bytes;
    const char *now = trial->out[r], *then = trial->expected[r];
    if (memcmp(now, then, guard + result * bytes) != 0 ||
        memcmp(now + guard + all * bytes, then + guard + all * bytes, guard) != 0) {
        char text[300];
        allfold_case_print(&trial->of, text, sizeof text);
        fail_msg("%s: rank %d has other bits when sparse", text, r);
    }
}

static void free_buffers(struct trial *trial)
{
    for (int r = 0; r < trial->of.p; r++) {
        free(trial->in[r]);
        free(trial->out[r]);
        free(trial->scratch[r]);
    }
}

static void check_case(struct trial *trial)
{
    char message[400] = "";
    const struct allfold_problem problem = allfold_case_problem(&trial->of, 0);
    if (allfold_unmet_need(trial->of.algorithm, &problem, &trial->of.parameters) != NULL)
        return;
    assert_int_equal(allfold_case_build(&trial->of, &trial->schedules, message, sizeof message),
                     ALLFOLD_OK);
    kernel = allfold_kernel_find(trial->code->type, trial->operation);
    trial->elements = (struct allfold_elements){.extent_bytes = (ptrdiff_t)trial->code->bytes,
                                                .high_bytes = (ptrdiff_t)trial->code->bytes,
                                                .reduce = reduce_words,
                                                .copy = copy_words};
    trial->sparse.type = trial->code->type;
    trial->sparse.operation = trial->operation;
    run_once(trial, false);
    for (int r = 0; r < trial->of.p; r++) {
        free(trial->in[r]);
        free(trial->scratch[r]);
        trial->expected[r] = trial->out[r];
    }
    run_once(trial, true);
    for (int r = 0; r < trial->of.p; r++)
        check_rank(trial, r);
    free_buffers(trial);
    for (int r = 0; r < trial->of.p; r++)
        free(trial->expected[r]);
    allfold_case_free(&trial->of, trial->schedules);
}

/* Two ranks a node, or with an odd number one alone on the last. */
static const struct allfold_nodes *nodes_of(int p)
{
    int64_t keys[MOST_RANKS];
    for (int r = 0; r < p; r++)
        keys[r] = r / 2;
    const struct allfold_nodes *nodes = allfold_nodes_make(keys, p);
    assert_non_null(nodes);
    return nodes;
}

/* Cases of p ranks that differ in all that can differ, one for each value to try. */
static void check_ranks(struct trial *trial, int p)
{
    static const enum allfold_operation operations[] = {ALLFOLD_SUM, ALLFOLD_MAX, ALLFOLD_MIN,
                                                        ALLFOLD_PROD};
    struct allfold_case *of = &trial->of;
    const struct allfold_traits *traits = allfold_traits(of->algorithm->collective);
    const struct allfold_nodes *nodes = nodes_of(p);
    const unsigned tried = allfold_tried_count(of->algorithm, false);
    for (unsigned i = 0; i < 2 * tried; i++) {
        const uint32_t any = random_below(&trial->seed, 1u << 20);
        of->p = p;
        of->root = traits->has_root ? (int)(any % (unsigned)p) : 0;
        of->parameters = allfold_tried(of->algorithm, false, i / 2);
        of->count =
            (allfold_has_blocks(of->algorithm->collective) ? 40 : 40 * (size_t)p) + any % 50;
        of->in_place = i % 2 == 1 && traits->allows_in_place;
        of->commutes = true;
        of->nodes = i % 4 < 2 || (of->algorithm->needs & ALLFOLD_NEEDS_NODES) != 0 ? nodes : NULL;
        of->mode = (enum allfold_virtual_mode)((any >> 3) % ALLFOLD_VIRTUAL_MODE_COUNT);
        of->seed = any;
        of->window = any % 3 == 0 ? 2 : ALLFOLD_WINDOW;
        trial->code = &codes[any >> 5 & 1];
        trial->operation = operations[any >> 6 & 3];
        check_case(trial);
    }
    allfold_nodes_free(nodes);
}

/* By its name, so that another algorithm changes no inputs of this one. */
static uint64_t seed_of(const struct allfold_algorithm *algorithm)
{
    uint64_t seed = (uint64_t)algorithm->collective;
    for (const char *c = algorithm->name; *c != '\0'; c++)
        seed = 31 * seed + (unsigned char)*c;
    return seed;
}

static void check_algorithms(bool is_auto)
{
    static const int ranks[] = {2, 3, 4, 5, 8, 13};
    for (int i = 0; allfold_algorithms[i] != NULL; i++) {
        struct trial trial = {
            .of = {.algorithm = allfold_algorithms[i]},
            .seed = seed_of(allfold_algorithms[i]) + 1000 * is_auto,
            .sparse = {.least = is_auto ? 20 : 1, .is_auto = is_auto, .malformed = MALFORMED}};
        if (trial.of.algorithm->collective == ALLFOLD_BARRIER)
            continue; /* its tokens are no numbers */
        for (size_t k = 0; k < LENGTH(ranks); k++)
            check_ranks(&trial, ranks[k]);
        /* a third of the zones at least are zeros, and messages were short; those of scans, which
         * have the most ranks' sums, by less */
        const bool has_zeros =
            !is_auto && allfold_traits(trial.of.algorithm->collective)->prefix == ALLFOLD_OF_ALL;
        const uint64_t words = trial.sparse.words;
        if (trial.sparse.sent > (has_zeros ? words / 20 * 19 : words))
            fail_msg("%s: sent %llu of %llu words", trial.of.algorithm->name,
                     (unsigned long long)trial.sparse.sent, (unsigned long long)trial.sparse.words);
    }
}

static void test_all_algorithms_have_the_same_bits(void **state)
{
    (void)state;
    check_algorithms(false);
}

static void test_some_messages_short(void **state)
{
    (void)state;
    check_algorithms(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_algorithms_have_the_same_bits),
        cmocka_unit_test(test_some_messages_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
