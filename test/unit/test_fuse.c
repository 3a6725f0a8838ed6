/* Fused receives and reductions. The tests follow every element to find which ones may be fused.
 * Executors get the same results from chains of reductions that are done at once. They also do from
 * a transport that delivers messages in fragments from where they arrived. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/algorithm.h"
#include "lab/verify/verifier.h"
#include "schedule/fuse.h"
#include "schedule/verbs.h"
#include "support.h"
#include "support_executor.h"

/* Who wrote each element last, as step + 1. */
struct writers {
    uint32_t of[ALLFOLD_MAX_BUFFERS][ELEMENTS];
};

/* What became of a receive's data. */
struct fate {
    uint32_t readers, reader; /* operands that read some of it, and the step of the last one */
    int operand;              /* which one of it */
    bool is_whole;            /* it reads all of it, and nothing else */
};

static void read_span(const struct allfold_step *steps, const struct writers *writers,
                      struct fate *fates, uint32_t i, int which)
{
    const struct allfold_step *step = &steps[i];
    uint32_t counted[ELEMENTS], count = 0;
    for (size_t k = 0; k < step->length; k++) {
        const uint32_t writer = writers->of[step->buffer[which]][step->offset[which] + k];
        uint32_t c = 0;
        while (c < count && counted[c] != writer)
            c++;
        if (writer == 0 || c < count)
            continue;
        counted[count++] = writer;
        struct fate *fate = &fates[writer - 1];
        const struct allfold_step *from = &steps[writer - 1];
        fate->readers++;
        fate->reader = i;
        fate->operand = which;
        fate->is_whole = from->buffer[0] == step->buffer[which] &&
                         from->offset[0] == step->offset[which] && from->length == step->length;
    }
}

static void follow(const struct allfold_schedule *schedule, struct fate *fates,
                   struct writers *writers)
{
    memset(writers, 0, sizeof *writers);
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct allfold_step *step = &schedule->steps[i];
        const int first = step->kind == ALLFOLD_STEP_SEND ? 0 : 1;
        const int end = step->kind == ALLFOLD_STEP_REDUCE ? 3
                        : step->kind == ALLFOLD_STEP_COPY ? 2
                                                          : 1;
        for (int which = first; which < end; which++)
            read_span(schedule->steps, writers, fates, i, which);
        for (size_t k = 0; step->kind != ALLFOLD_STEP_SEND && k < step->length; k++)
            writers->of[step->buffer[0]][step->offset[0] + k] = i + 1;
    }
}

static bool remains(const struct allfold_schedule *schedule, const struct writers *writers,
                    uint32_t receive)
{
    for (size_t k = 0; k < schedule->buffer_length[ALLFOLD_OUT]; k++)
        if (writers->of[ALLFOLD_OUT][k] == receive + 1)
            return true;
    return false;
}

/* May what step i brings be fused with its reader? */
static bool may_fuse(const struct allfold_schedule *schedule, const struct fate *fate,
                     const struct writers *writers, uint32_t i)
{
    const int kind = schedule->steps[i].kind;
    if (fate->readers != 1 || !fate->is_whole ||
        schedule->steps[fate->reader].kind != ALLFOLD_STEP_REDUCE || remains(schedule, writers, i))
        return false;
    return kind == ALLFOLD_STEP_RECEIVE || (kind == ALLFOLD_STEP_REDUCE && fate->operand == 1);
}

/* Never too much, and most of what could be. */
static void test_random_programs(void **state)
{
    (void)state;
    size_t fused[2] = {0}, could[2] = {0};
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct allfold_schedule *schedule = random_schedule(seed);
        struct fate fates[MOST_STEPS] = {{0}};
        struct writers writers;
        follow(schedule, fates, &writers);
        for (uint32_t i = 0; i < schedule->step_count; i++) {
            const bool may = may_fuse(schedule, &fates[i], &writers, i);
            const bool is_receive = schedule->steps[i].kind == ALLFOLD_STEP_RECEIVE;
            could[is_receive] += may;
            if (schedule->fused[i] == ALLFOLD_NO_STEP)
                continue;
            fused[is_receive]++;
            assert_true(may);
            assert_int_equal(schedule->fused[i], fates[i].reader);
        }
        allfold_schedule_free(schedule);
    }
    print_message("fused: %zu of %zu receives, %zu of %zu reductions\n", fused[1], could[1],
                  fused[0], could[0]);
    assert_true(fused[1] > 500 && 10 * fused[1] > 8 * could[1] && fused[1] < could[1]);
    assert_true(fused[0] > 300 && 10 * fused[0] > 6 * could[0] && fused[0] < could[0]);
}

/* In these every receive that is reduced is fused. */
static void test_algorithms(void **state)
{
    (void)state;
    static const char *const names[] = {
        "recursive_doubling",    "halving_doubling", "ring", "linear",
        "recursive_multiplying", "dual_root"};
    size_t all = 0;
    for (size_t i = 0; i < LENGTH(names); i++) {
        const struct allfold_algorithm *algorithm =
            allfold_algorithm_find(ALLFOLD_ALLREDUCE, names[i]);
        const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                                .group = allfold_group_all(8, 0),
                                                .count = 24,
                                                .element_bytes = 8,
                                                .commutative = true};
        const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
        struct allfold_schedule *schedule;
        assert_int_equal(allfold_build(algorithm, &problem, &presets, &schedule, NULL, 0),
                         ALLFOLD_OK);
        size_t fused = 0, reductions = 0;
        for (uint32_t step = 0; step < schedule->step_count; step++) {
            fused += schedule->steps[step].kind == ALLFOLD_STEP_RECEIVE &&
                     schedule->fused[step] != ALLFOLD_NO_STEP;
            reductions += schedule->steps[step].kind == ALLFOLD_STEP_REDUCE;
        }
        if (fused != reductions)
            fail_msg("%s: %zu of %zu reductions are fused", names[i], fused, reductions);
        all += fused;
        allfold_schedule_free(schedule);
    }
    assert_true(all > 20);
}

/* In the flat ones all reductions are one chain. */
static void test_chains(void **state)
{
    (void)state;
    enum { P = 7 };
    for (enum allfold_collective c = 0; c < ALLFOLD_COLLECTIVE_COUNT; c++) {
        const struct allfold_algorithm *algorithm = allfold_algorithm_find(c, "flat");
        for (int r = 0; algorithm != NULL && allfold_traits(c)->reduces && r < P; r++) {
            const struct allfold_problem problem = {.collective = c,
                                                    .group = allfold_group_all(P, r),
                                                    .root = 3,
                                                    .count = 5,
                                                    .element_bytes = 8,
                                                    .in_place = r % 2 == 1};
            const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
            struct allfold_schedule *schedule;
            assert_int_equal(allfold_build(algorithm, &problem, &presets, &schedule, NULL, 0),
                             ALLFOLD_OK);
            int links = 0, reductions = 0;
            for (uint32_t i = 0; i < schedule->step_count; i++) {
                const bool reduces = schedule->steps[i].kind == ALLFOLD_STEP_REDUCE;
                reductions += reduces;
                links += reduces && schedule->fused[i] != ALLFOLD_NO_STEP;
            }
            assert_int_equal(reductions, c == ALLFOLD_REDUCE && r != 3 ? 0 : P - 1);
            assert_int_equal(links, reductions == 0 ? 0 : P - 2);
            allfold_schedule_free(schedule);
        }
    }
}

/* If the last result lies on a part of an operand of the first reduction, the two are not done
 * together. They would overwrite the part before reading it. */
static void test_spoilt_operands(void **state)
{
    (void)state;
    for (uint32_t between = 0; between <= ALLFOLD_CHAIN_OPERANDS - 2; between++)
        for (size_t shift = 0; shift <= 4; shift += 2) {
            const struct allfold_shape shape = {
                .group = allfold_group_all(2, 0), .in_length = 4, .out_length = 8};
            struct allfold_builder *s = allfold_builder_create(&shape);
            struct allfold_schedule *schedule;
            const struct allfold_span sum = scratch(s, 4), in = span(ALLFOLD_IN, 0, 4);
            reduce(s, sum, span(ALLFOLD_OUT, 0, 4), in);
            for (uint32_t i = 0; i < between; i++)
                reduce(s, sum, sum, in);
            reduce(s, span(ALLFOLD_OUT, shift, 4), sum, in);
            assert_int_equal(allfold_builder_freeze(s, &schedule), ALLFOLD_OK);
            for (uint32_t i = 0; i < between; i++)
                assert_int_equal(schedule->fused[i], i + 1);
            const bool is_spoilt = shift == 2 && between + 3 <= ALLFOLD_CHAIN_OPERANDS;
            assert_int_equal(schedule->fused[between], is_spoilt ? ALLFOLD_NO_STEP : between + 1);
            allfold_schedule_free(schedule);
            allfold_builder_free(s);
        }
}

/* A transport that delivers what it receives in fragments, from other memory. */
static struct {
    struct allfold_transport transport;
    struct allfold_message messages[ALLFOLD_MAX_WINDOW];
    bool is_send[ALLFOLD_MAX_WINDOW], in_flight[ALLFOLD_MAX_WINDOW];
    size_t done[ALLFOLD_MAX_WINDOW];
    uint32_t window;
    uint64_t seed;
} fragments;

static uint32_t sum_of_sent;

static int start(const struct allfold_message *message, bool is_send)
{
    fragments.messages[message->slot] = *message;
    fragments.is_send[message->slot] = is_send;
    fragments.in_flight[message->slot] = true;
    fragments.done[message->slot] = 0;
    for (size_t k = 0; is_send && k < message->length; k++)
        sum_of_sent += ((uint32_t *)message->data)[k] * (message->number * 77 + (uint32_t)k + 1);
    return 0;
}

static int fragment_send(struct allfold_transport *t, const struct allfold_message *message)
{
    (void)t;
    return start(message, true);
}

static int fragment_receive(struct allfold_transport *t, const struct allfold_message *message)
{
    (void)t;
    return start(message, false);
}

static int deliver(uint32_t slot)
{
    const struct allfold_message *message = &fragments.messages[slot];
    const size_t first = fragments.done[slot];
    const size_t count = 1 + random_below(&fragments.seed, (uint32_t)(message->length - first));
    uint32_t fragment[ELEMENTS];
    for (size_t k = 0; k < count; k++)
        fragment[k] =
            1009u * (uint32_t)message->peer + 101 * message->number + (uint32_t)(first + k);
    fragments.done[slot] += count;
    return fragments.transport.deliver(fragments.transport.deliver_context, slot, first, count,
                                       fragment);
}

static int fragment_wait(struct allfold_transport *t, uint32_t oldest, uint32_t *slots,
                         uint32_t *count)
{
    (void)t, (void)oldest;
    *count = 0;
    for (uint32_t slot = 0; slot < fragments.window; slot++) {
        if (!fragments.in_flight[slot] || random_below(&fragments.seed, 3) == 0)
            continue;
        assert_true(fragments.is_send[slot] || deliver(slot) == 0);
        if (!fragments.is_send[slot] && fragments.done[slot] < fragments.messages[slot].length)
            continue;
        fragments.in_flight[slot] = false;
        slots[(*count)++] = slot;
    }
    return 0;
}

static int fragment_test(struct allfold_transport *t, uint32_t *slots, uint32_t *count)
{
    return fragment_wait(t, 0, slots, count);
}

static int plain_reduce(const struct allfold_elements *elements, void *to, const void *left,
                        const void *right, size_t count)
{
    (void)elements;
    for (size_t k = 0; k < count; k++)
        ((uint32_t *)to)[k] = 31 * ((const uint32_t *)left)[k] + 7 * ((const uint32_t *)right)[k];
    return 0;
}

static int plain_copy(const struct allfold_elements *elements, void *to, const void *from,
                      size_t count)
{
    (void)elements;
    memmove(to, from, count * sizeof(uint32_t));
    return 0;
}

static size_t folds;

/* From the first element on, so that what is overwritten too early is missed. */
static int plain_fold(const struct allfold_elements *elements, void *to,
                      const void *const *operands, size_t many, size_t count)
{
    folds += count > 0;
    assert_in_range(many, 3, ALLFOLD_CHAIN_OPERANDS);
    for (size_t k = 0; k < count; k++) {
        uint32_t result = ((const uint32_t *)operands[0])[k];
        for (size_t i = 1; i < many; i++)
            plain_reduce(elements, &result, &result, (const uint32_t *)operands[i] + k, 1);
        ((uint32_t *)to)[k] = result;
    }
    return 0;
}

static const struct allfold_elements plain = {.extent_bytes = 4,
                                              .high_bytes = 4,
                                              .reduce = plain_reduce,
                                              .copy = plain_copy,
                                              .fold = plain_fold};

/* Runs a schedule; `fused` says whether as it is, or with nothing fused. Returns a hash of OUT and
 * of all that was sent. */
static uint32_t result(struct allfold_schedule *schedule, bool fused, uint64_t seed)
{
    static _Alignas(64) uint32_t in[ELEMENTS], out[ELEMENTS], scratch[4 * ELEMENTS];
    memset(&fragments, 0, sizeof fragments);
    static const struct allfold_transport_operations operations = {.send = fragment_send,
                                                                   .receive = fragment_receive,
                                                                   .test = fragment_test,
                                                                   .wait = fragment_wait};
    fragments.transport.operations = &operations;
    fragments.seed = seed;
    fragments.window = 8;
    sum_of_sent = 0;
    for (uint32_t k = 0; k < ELEMENTS; k++) {
        in[k] = k + 3;
        out[k] = 5 * k;
        for (uint32_t b = 0; b < 4; b++)
            scratch[b * ELEMENTS + k] = b + 9 * k;
    }
    for (uint32_t i = 0; !fused && i < schedule->step_count; i++)
        schedule->fused[i] = ALLFOLD_NO_STEP;
    struct allfold_executor *executor = allfold_executor_create(schedule, fragments.window);
    const struct allfold_binding binding = {in, out, scratch, &plain, &fragments.transport,
                                            0,  NULL};
    assert_int_equal(allfold_executor_start(executor, &binding), 0);
    assert_int_equal(allfold_executor_wait(executor), 0);
    allfold_executor_free(executor);
    uint32_t hash = sum_of_sent;
    for (uint32_t k = 0; k < ELEMENTS; k++)
        hash = hash * 31 + out[k];
    return hash;
}

static void test_results(void **state)
{
    (void)state;
    folds = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct allfold_schedule *schedule = random_schedule(seed);
        const uint32_t with = result(schedule, true, seed), again = result(schedule, true, ~seed);
        const uint32_t without = result(schedule, false, seed);
        assert_int_equal(with, without);
        assert_int_equal(again, without);
        allfold_schedule_free(schedule);
    }
    assert_true(folds > 100);
}

/* Publications, in the schedules of all algorithms: what is called the same data is the same. */

enum { MOST_RANKS = 9 };

static bool is_written(const struct allfold_step *step, const struct allfold_step *by)
{
    return by->kind != ALLFOLD_STEP_SEND && by->buffer[0] == step->buffer[0] &&
           by->offset[0] < step->offset[0] + step->length &&
           step->offset[0] < by->offset[0] + by->length;
}

/* How many sends of the schedule carry what one before them did; fails where they do not. */
static unsigned count_repeated(const struct allfold_schedule *schedule)
{
    unsigned repeated = 0;
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct allfold_step *step = &schedule->steps[i];
        const uint32_t q = schedule->publication[i];
        assert_int_equal(q == ALLFOLD_NO_STEP, step->kind != ALLFOLD_STEP_SEND);
        if (q == ALLFOLD_NO_STEP || q == i)
            continue;
        const struct allfold_step *first = &schedule->steps[q];
        assert_true(q < i && first->kind == ALLFOLD_STEP_SEND && schedule->publication[q] == q);
        assert_true(first->buffer[0] == step->buffer[0] && first->offset[0] == step->offset[0] &&
                    first->length == step->length);
        for (uint32_t k = q + 1; k < i; k++)
            assert_false(is_written(step, &schedule->steps[k]));
        repeated++;
    }
    return repeated;
}

static unsigned count_in(const struct allfold_case *of, int r)
{
    struct allfold_schedule **schedules;
    char message[200];
    if (allfold_case_build(of, &schedules, message, sizeof message) != ALLFOLD_OK)
        return 0; /* its needs are not met */
    unsigned repeated = 0;
    for (int i = 0; i < of->p; i++) {
        const unsigned of_rank = count_repeated(schedules[i]);
        repeated = i == r ? of_rank : repeated;
    }
    allfold_case_free(of, schedules);
    return repeated;
}

static void test_all_algorithms(void **state)
{
    (void)state;
    for (size_t a = 0; allfold_algorithms[a] != NULL; a++)
        for (int p = 1; p <= MOST_RANKS; p++)
            for (size_t count = 0; count <= 40; count = 2 * count + 1) {
                struct allfold_case of = {.algorithm = allfold_algorithms[a],
                                          .p = p,
                                          .count = count,
                                          .in_place = count % 2 != 0};
                of.parameters = allfold_parameter_presets(of.algorithm);
                count_in(&of, 0);
            }
}

static unsigned sends_saved(enum allfold_collective collective, const char *name, int p)
{
    struct allfold_case of = {
        .algorithm = allfold_algorithm_find(collective, name), .p = p, .count = 10};
    of.parameters = allfold_parameter_presets(of.algorithm);
    return count_in(&of, 0);
}

/* Flat algorithms show a vector once; recursive doubling sends another one in each round. */
static void test_known_algorithms(void **state)
{
    (void)state;
    for (int p = 2; p <= MOST_RANKS; p++) {
        assert_int_equal(sends_saved(ALLFOLD_ALLREDUCE, "flat", p), p - 2);
        assert_int_equal(sends_saved(ALLFOLD_ALLGATHER, "flat", p), p - 2);
        assert_int_equal(sends_saved(ALLFOLD_BCAST, "flat", p), p - 2);
        assert_int_equal(sends_saved(ALLFOLD_ALLREDUCE, "ring", p), 0);
    }
    assert_int_equal(sends_saved(ALLFOLD_ALLREDUCE, "recursive_doubling", 8), 0);
    assert_int_equal(sends_saved(ALLFOLD_BCAST, "binomial_tree", 8), 2);
}

static void test_writes_between(void **state)
{
    (void)state;
    struct allfold_step steps[] = {
        {.kind = ALLFOLD_STEP_SEND, .peer = 1, .length = 4, .offset = {8}},
        {.kind = ALLFOLD_STEP_RECEIVE, .peer = 1, .length = 4, .offset = {12}}, /* just behind */
        {.kind = ALLFOLD_STEP_SEND, .peer = 2, .length = 4, .offset = {8}},
        {.kind = ALLFOLD_STEP_COPY, .peer = -1, .length = 1, .offset = {11, 20}}, /* its last one */
        {.kind = ALLFOLD_STEP_SEND, .peer = 3, .length = 4, .offset = {8}},
        {.kind = ALLFOLD_STEP_SEND, .peer = 3, .length = 3, .offset = {8}},
        {.kind = ALLFOLD_STEP_SEND, .peer = 4, .length = 4, .offset = {8}},
    };
    static const uint32_t expected[] = {0, ALLFOLD_NO_STEP, 0, ALLFOLD_NO_STEP, 4, 5, 4};
    uint32_t publication[sizeof steps / sizeof *steps];
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (int k = 0; k < 3; k++)
            steps[i].buffer[k] = ALLFOLD_OUT;
    allfold_publish(steps, sizeof steps / sizeof *steps, publication);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        assert_int_equal(publication[i], expected[i]);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs),  cmocka_unit_test(test_algorithms),
        cmocka_unit_test(test_chains),           cmocka_unit_test(test_spoilt_operands),
        cmocka_unit_test(test_results),          cmocka_unit_test(test_all_algorithms),
        cmocka_unit_test(test_known_algorithms), cmocka_unit_test(test_writes_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
