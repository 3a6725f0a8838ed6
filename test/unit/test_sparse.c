/* Sparse runs by themselves. Messages that are no blocks give an error and write nothing elsewhere.
 * Knowledge of the network and of earlier runs decides when messages are shortened. */
#include <stdlib.h>
#include <string.h>

#include "execute/executor.h"
#include "execute/sparse.h"
#include "schedule/verbs.h"
#include "support_builder.h"
#include "support_rle.h"
#include "support.h"

enum { COUNT = 60, GUARD = 8, MALFORMED = 99, ROUNDS = 20000, GUARD_BYTE = 0x5c };

/* A transport that brings one message: any words, of any length. */
struct hostile {
    struct allfold_transport transport;
    struct allfold_message receive;
    uint64_t words[COUNT];
    size_t length; /* that it says */
    bool is_posted;
};

static int hostile_send(struct allfold_transport *transport, const struct allfold_message *message)
{
    (void)transport, (void)message;
    return 1;
}

static int hostile_receive(struct allfold_transport *transport,
                           const struct allfold_message *message)
{
    struct hostile *hostile = (struct hostile *)transport;
    hostile->receive = *message;
    hostile->is_posted = true;
    return 0;
}

static int hostile_wait(struct allfold_transport *transport, uint32_t oldest, uint32_t *slots,
                        uint32_t *count)
{
    struct hostile *hostile = (struct hostile *)transport;
    const size_t length = hostile->length > COUNT ? COUNT : hostile->length;
    assert_true(hostile->is_posted);
    memcpy(hostile->receive.data, hostile->words, length * sizeof *hostile->words);
    transport->received[hostile->receive.slot] = hostile->length;
    slots[0] = oldest;
    *count = 1;
    return 0;
}

static void hostile_abandon(struct allfold_transport *transport)
{
    (void)transport;
}

static const struct allfold_transport_operations operations = {.send = hostile_send,
                                                               .receive = hostile_receive,
                                                               .wait = hostile_wait,
                                                               .abandon = hostile_abandon};

static int add(const struct allfold_elements *elements, void *to, const void *left,
               const void *right, size_t count)
{
    (void)elements;
    allfold_kernel_find(ALLFOLD_DOUBLE, ALLFOLD_SUM)(to, left, right, count);
    return 0;
}

static int copy_doubles(const struct allfold_elements *elements, void *to, const void *from,
                        size_t count)
{
    (void)elements;
    memmove(to, from, count * sizeof(double));
    return 0;
}

/* What rank 0 of 2 may do with a message: keep it; add it to IN; add it to IN where it comes. */
enum use { KEEP, ADD, ADD_IN_PLACE, USES };

static struct allfold_schedule *receiver(enum use use)
{
    struct allfold_builder *s = builder_of(2, 0, COUNT, COUNT, false);
    const struct allfold_span in = span(ALLFOLD_IN, 0, COUNT), out = span(ALLFOLD_OUT, 0, COUNT);
    const struct allfold_span place = use == ADD ? scratch(s, COUNT) : out;
    recv_from(s, 1, place);
    if (use != KEEP)
        reduce(s, out, in, place);
    return frozen(s);
}

static struct allfold_sparse sparse_doubles(void)
{
    return (struct allfold_sparse){
        .type = ALLFOLD_DOUBLE, .operation = ALLFOLD_SUM, .malformed = MALFORMED, .least = 16};
}

/* Memory of ours with GUARD elements on each side. */
struct guarded {
    double before[GUARD], elements[COUNT], after[GUARD];
};

static bool is_guarded(const struct guarded *memory)
{
    unsigned char guard[sizeof memory->before];
    memset(guard, GUARD_BYTE, sizeof guard);
    return memcmp(memory->before, guard, sizeof guard) == 0 &&
           memcmp(memory->after, guard, sizeof guard) == 0;
}

static void check_message(struct hostile *hostile, enum use use)
{
    const struct code *code = &codes[codes[0].bytes == sizeof(double) ? 0 : 1];
    struct guarded in, out;
    uint64_t vector[COUNT];
    struct allfold_sparse sparse = sparse_doubles();
    struct allfold_elements elements = {.extent_bytes = sizeof(double),
                                        .high_bytes = sizeof(double),
                                        .reduce = add,
                                        .copy = copy_doubles,
                                        .sparse = &sparse};
    struct allfold_schedule *schedule = receiver(use);
    struct allfold_executor *executor = allfold_executor_create(schedule, 2);
    const size_t bytes = allfold_executor_place(executor, &elements);
    unsigned char *arena = aligned_alloc(64, bytes + 64);
    memset(arena + bytes, GUARD_BYTE, 64);
    memset(&in, GUARD_BYTE, sizeof in);
    memset(&out, GUARD_BYTE, sizeof out);
    memset(in.elements, 0, sizeof in.elements);
    const struct allfold_binding binding = {
        in.elements, out.elements, arena, &elements, &hostile->transport, 0, NULL};
    const bool is_block = hostile->length <= COUNT &&
                          slow_decode(code, vector, COUNT, hostile->words, hostile->length);
    assert_int_equal(allfold_executor_start(executor, &binding), 0);
    assert_int_equal(allfold_executor_wait(executor), is_block ? 0 : MALFORMED);
    assert_true(is_guarded(&in) && is_guarded(&out));
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(arena[bytes + i], GUARD_BYTE);
    if (is_block && use == KEEP)
        assert_memory_equal(out.elements, vector, sizeof vector);
    free(arena);
    allfold_executor_free(executor);
    allfold_schedule_free(schedule);
}

/* Malformed in all ways, and sometimes right. */
static void test_what_is_no_block_is_an_error(void **state)
{
    (void)state;
    const struct code *code = &codes[codes[0].bytes == sizeof(double) ? 0 : 1];
    uint64_t seed = 1, vector[COUNT];
    for (int i = 0; i < ROUNDS; i++) {
        struct hostile hostile = {.transport = {.operations = &operations}};
        random_vector(code, &seed, vector, COUNT);
        hostile.length = slow_encode(code, ALLFOLD_RLE_VALUES, hostile.words, vector, COUNT);
        const uint32_t kind = random_below(&seed, 8);
        if (kind == 0)
            hostile.length = random_below(&seed, COUNT + 1);
        else if (kind == 1)
            hostile.length = i % 2 == 0 ? SIZE_MAX : COUNT + 1 + random_below(&seed, 9);
        else if (kind < 5)
            hostile.words[random_below(&seed, COUNT)] = random_word(code, &seed);
        check_message(&hostile, (enum use)(i % USES));
    }
}

/* A vector with zeros in that many percent of it, in runs. */
static void fill(double *vector, size_t count, unsigned percent)
{
    for (size_t i = 0; i < count; i++)
        vector[i] = i * 100 / count < percent ? 0 : 1 + (double)i;
}

enum { LONG = 4096 };

static size_t length_sent(struct allfold_sparse *sparse, unsigned percent)
{
    static double vector[LONG], room[LONG], back[LONG];
    fill(vector, LONG, percent);
    const struct allfold_rle_block block = allfold_sparse_encode(sparse, room, vector, LONG);
    assert_ptr_equal(block.words, block.length == LONG ? vector : room);
    assert_true(allfold_rle_decode(ALLFOLD_DOUBLE, back, LONG, block));
    assert_memory_equal(back, vector, sizeof vector);
    return block.length;
}

static void test_who_asks_for_it_gets_it(void **state)
{
    (void)state;
    struct allfold_sparse sparse = sparse_doubles();
    allfold_sparse_begin(&sparse);
    assert_int_equal(length_sent(&sparse, 0), LONG);
    assert_in_range(length_sent(&sparse, 1), LONG * 98 / 100, LONG * 99 / 100 + 1);
    assert_in_range(length_sent(&sparse, 99), 1, LONG / 64);
    allfold_sparse_end(&sparse);
    assert_int_equal(sparse.words, 3 * LONG);
}

/* Lets runs of the two kinds seem to have taken so long; returns whether the next one is plain. */
static bool after(struct allfold_sparse *sparse, double short_s, double plain_s)
{
    allfold_sparse_begin(sparse);
    const bool is_plain = sparse->is_plain;
    length_sent(sparse, 90);
    allfold_sparse_end(sparse);
    sparse->least_s[0] = short_s;
    sparse->least_s[1] = plain_s;
    return is_plain;
}

static void test_runs_are_tried_in_turn(void **state)
{
    (void)state;
    struct allfold_sparse sparse = sparse_doubles();
    sparse.is_auto = true;
    /* about the same: three of each, then the better kind; again after a while */
    for (int i = 0; i < 6; i++)
        assert_int_equal(after(&sparse, 1.2, 1), i % 2);
    int plain = 0;
    for (int i = 0; i < 251; i++)
        plain += after(&sparse, 1.2, 1);
    assert_int_equal(plain, 251);
    for (int i = 0; i < 6; i++)
        plain += after(&sparse, 0.99, 1);
    assert_int_equal(plain, 253);
    for (int i = 0; i < 200; i++)
        assert_false(after(&sparse, 0.99, 1));
    /* clear at once */
    sparse = sparse_doubles();
    sparse.is_auto = true;
    assert_false(after(&sparse, 1, 9));
    assert_true(after(&sparse, 1, 9));
    for (int i = 0; i < 1000; i++)
        assert_false(after(&sparse, 1, 9));
}

/* Where there is nothing to win, runs are not timed, and what comes later is tried afresh. */
static void test_dense_runs_decide_nothing(void **state)
{
    (void)state;
    struct allfold_sparse sparse = sparse_doubles();
    sparse.is_auto = true;
    for (int i = 0; i < 10; i++) {
        allfold_sparse_begin(&sparse);
        assert_int_equal(length_sent(&sparse, 0), LONG);
        allfold_sparse_end(&sparse);
    }
    assert_int_equal(sparse.runs[0] + sparse.runs[1], 0);
    allfold_sparse_begin(&sparse);
    assert_in_range(length_sent(&sparse, 90), 1, LONG / 8);
}

/* Zeros in every line that is looked at and nowhere else. */
static void test_what_misleads_is_left_alone_for_a_while(void **state)
{
    (void)state;
    enum { LINES = 24, WORDS = 8 };
    static double vector[LONG * 16], room[LONG * 16];
    struct allfold_sparse sparse = sparse_doubles();
    unsigned tried = 0;
    sparse.is_auto = true;
    fill(vector, LENGTH(vector), 0);
    for (size_t i = 0; i < LINES; i++)
        memset(vector + (LENGTH(vector) - WORDS) * i / (LINES - 1), 0, WORDS * sizeof *vector);
    allfold_sparse_begin(&sparse);
    for (int i = 0; i < 1000; i++) {
        const unsigned rest = sparse.rest;
        allfold_sparse_encode(&sparse, room, vector, LENGTH(vector));
        tried += rest == 0;
    }
    assert_in_range(tried, 7, 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_no_block_is_an_error),
        cmocka_unit_test(test_who_asks_for_it_gets_it),
        cmocka_unit_test(test_runs_are_tried_in_turn),
        cmocka_unit_test(test_dense_runs_decide_nothing),
        cmocka_unit_test(test_what_misleads_is_left_alone_for_a_while),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
