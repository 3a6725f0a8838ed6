/* Messages that the executor reads where their senders published them. It folds those that have
 * arrived in one pass. It keeps no sender waiting for what the rank itself waits for. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/algorithm.h"
#include "execute/executor.h"
#include "schedule/verbs.h"
#include "transport/channels.h"
#include "transport/shared_memory.h"

enum { LENGTH = 100, FIRST = 37, MOST_RANKS = 8 };

/* x -> a x + b, modulo 2^32 each: associative, and does not commute. */
struct affine {
    uint32_t a, b;
};

static struct affine given(int rank, size_t e)
{
    const uint32_t seed = (uint32_t)(rank * 104729) + (uint32_t)e * 1299709u;
    return (struct affine){2 * seed + 1, seed ^ 0x5bd1e995u};
}

static struct affine compose(struct affine left, struct affine right)
{
    return (struct affine){right.a * left.a, right.a * left.b + right.b};
}

/* What has been done, in calls and in elements of operands. */
static struct {
    unsigned reductions, folds, copies;
    size_t read;
} seen;

static int reduce_affine(const struct allfold_elements *elements, void *to, const void *left,
                         const void *right, size_t count)
{
    (void)elements;
    const struct affine *l = left, *r = right;
    seen.reductions++;
    seen.read += 2 * count;
    for (size_t i = 0; i < count; i++)
        ((struct affine *)to)[i] = compose(l[i], r[i]);
    return 0;
}

static int fold_affine(const struct allfold_elements *elements, void *to,
                       const void *const *operands, size_t many, size_t count)
{
    (void)elements;
    seen.folds++;
    seen.read += many * count;
    for (size_t i = 0; i < count; i++) {
        struct affine sum = ((const struct affine *)operands[0])[i];
        for (size_t k = 1; k < many; k++)
            sum = compose(sum, ((const struct affine *)operands[k])[i]);
        ((struct affine *)to)[i] = sum;
    }
    return 0;
}

static int copy_affine(const struct allfold_elements *elements, void *to, const void *from,
                       size_t count)
{
    (void)elements;
    seen.copies++;
    memcpy(to, from, count * sizeof(struct affine));
    return 0;
}

static const struct allfold_elements elements = {.extent_bytes = sizeof(struct affine),
                                                 .high_bytes = sizeof(struct affine),
                                                 .reduce = reduce_affine,
                                                 .fold = fold_affine,
                                                 .copy = copy_affine};

/* A transport that offers every message at once, but for one peer's, which comes at the end. */
static struct offering {
    struct allfold_transport transport;
    struct affine vectors[MOST_RANKS][LENGTH];
    struct allfold_message messages[ALLFOLD_WINDOW];
    bool is_active[ALLFOLD_WINDOW], is_send[ALLFOLD_WINDOW];
    int late, retained, waits;
} offering;

static void start(const struct allfold_message *message, bool is_send)
{
    assert_false(offering.is_active[message->slot]);
    offering.messages[message->slot] = *message;
    offering.is_active[message->slot] = true;
    offering.is_send[message->slot] = is_send;
}

static int send_nothing(struct allfold_transport *transport, const struct allfold_message *message)
{
    (void)transport;
    start(message, true);
    return 0;
}

static int receive(struct allfold_transport *transport, const struct allfold_message *message)
{
    (void)transport;
    memset(message->data, 0xee, message->length * sizeof(struct affine));
    start(message, false);
    return 0;
}

static void offer(uint32_t slot)
{
    const struct allfold_message *message = &offering.messages[slot];
    struct allfold_transport *transport = &offering.transport;
    const struct affine *data = offering.vectors[message->peer];
    const struct allfold_published published = {
        .data = data, .first = FIRST, .peer = message->peer};
    if (transport->offer(transport->deliver_context, slot, &published))
        offering.retained++;
    else
        transport->deliver(transport->deliver_context, slot, 0, message->length, data);
}

static int end_some(struct allfold_transport *transport, uint32_t *slots, uint32_t *count)
{
    (void)transport;
    *count = 0;
    for (uint32_t slot = 0; slot < ALLFOLD_WINDOW; slot++) {
        const bool is_late = offering.messages[slot].peer == offering.late;
        if (!offering.is_active[slot] || (!offering.is_send[slot] && is_late))
            continue;
        if (!offering.is_send[slot])
            offer(slot);
        offering.is_active[slot] = false;
        slots[(*count)++] = slot;
    }
    return 0;
}

/* Nothing retained may be left when a rank has waited in vain once, and goes on to wait. */
static int wait_for_some(struct allfold_transport *transport, uint32_t oldest, uint32_t *slots,
                         uint32_t *count)
{
    (void)oldest;
    end_some(transport, slots, count);
    if (*count > 0)
        return 0;
    if (offering.waits++ > 0) {
        assert_int_equal(offering.retained, 0);
        offering.late = -1;
        return end_some(transport, slots, count);
    }
    return 0;
}

static void release_published(struct allfold_transport *transport,
                              const struct allfold_published *published)
{
    (void)transport;
    assert_ptr_equal(published->data, offering.vectors[published->peer]);
    assert_true(offering.retained > 0);
    offering.retained--;
}

static void abandon(struct allfold_transport *transport)
{
    (void)transport;
}

static void run_flat(int p, int r, int late)
{
    static const struct allfold_transport_operations operations = {.send = send_nothing,
                                                                   .receive = receive,
                                                                   .test = end_some,
                                                                   .wait = wait_for_some,
                                                                   .abandon = abandon,
                                                                   .release_published =
                                                                       release_published};
    static struct affine out[LENGTH];
    static _Alignas(64) struct affine room[MOST_RANKS * LENGTH];
    const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                            .group = allfold_group_all(p, r),
                                            .count = LENGTH,
                                            .element_bytes = sizeof(struct affine)};
    const struct allfold_algorithm *flat = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "flat");
    const struct allfold_parameters presets = allfold_parameter_presets(flat);
    struct allfold_schedule *schedule;
    assert_int_equal(allfold_build(flat, &problem, &presets, &schedule, NULL, 0), ALLFOLD_OK);
    struct allfold_executor *executor = allfold_executor_create(schedule, ALLFOLD_WINDOW);
    assert_non_null(executor);
    offering = (struct offering){.transport = {.operations = &operations}, .late = late};
    memset(&seen, 0, sizeof seen);
    for (int i = 0; i < p; i++)
        for (size_t e = 0; e < LENGTH; e++)
            offering.vectors[i][e] = given(i, e);
    const struct allfold_binding binding = {offering.vectors[r], out, room, &elements,
                                            &offering.transport, 0,   NULL};
    assert_true(allfold_executor_place(executor, &elements) <= sizeof room);
    assert_int_equal(allfold_executor_start(executor, &binding), 0);
    assert_int_equal(allfold_executor_wait(executor), 0);
    assert_int_equal(offering.retained, 0);
    for (size_t e = 0; e < LENGTH; e++) {
        struct affine sum = given(0, e);
        for (int i = 1; i < p; i++)
            sum = compose(sum, given(i, e));
        assert_memory_equal(&out[e], &sum, sizeof sum);
    }
    allfold_executor_free(executor);
    allfold_schedule_free(schedule);
}

/* All operands that have arrived are read once, none is copied, and only the result is written. One
 * fold, in two parts because it begins in the middle. */
static void test_one_pass(void **state)
{
    (void)state;
    for (int p = 3; p <= MOST_RANKS; p++)
        for (int r = 0; r < p; r++) {
            run_flat(p, r, -1);
            assert_int_equal(seen.folds, 2);
            assert_int_equal(seen.reductions, 0);
            assert_int_equal(seen.copies, 0);
            assert_int_equal(seen.read, (size_t)p * LENGTH);
        }
}

/* While the first operand does not come, the others are copied, so that their senders go on. */
static void test_late_peer(void **state)
{
    (void)state;
    for (int p = 3; p <= MOST_RANKS; p++)
        for (int r = 0; r < p; r++)
            for (int late = 0; late < p; late++) {
                if (late == r)
                    continue;
                run_flat(p, r, late);
                assert_int_equal(offering.waits, 2);
                if (late == 0)
                    assert_int_equal(seen.copies, p - 2);
            }
}

/* Whatever order retained fragments are released in, the sender sees them released in order. */
static void test_release_in_any_order(void **state)
{
    (void)state;
    const size_t bytes = allfold_channels_bytes(2, 64);
    struct allfold_channels from = {0}, to = {0};
    void *memory = aligned_alloc(ALLFOLD_LINE_BYTES, bytes);
    assert_non_null(memory);
    memset(memory, 0, bytes);
    assert_true(allfold_channels_open(&from, memory, 2, 0, 64));
    assert_true(allfold_channels_open(&to, memory, 2, 1, 64));
    struct allfold_end *sender = &from.ends[1], *receiver = &to.ends[2];
    const uint64_t slots = allfold_ring_slots(2);
    for (uint64_t round = 0, sent = 0; round < 3 * slots; round++, sent += 4) {
        const char byte = 1;
        for (int i = 0; i < 4; i++)
            assert_int_equal(allfold_channel_write(&from, sender, &byte, 1, 0, 0), 1);
        const uint64_t first = allfold_channel_retain(receiver);
        allfold_channel_release(receiver);
        const uint64_t third = allfold_channel_retain(receiver);
        allfold_channel_release(receiver);
        assert_false(allfold_channel_has_released(&from, sender, sent + 1));
        const bool in_order = round % 2 == 0;
        allfold_channel_release_retained(receiver, in_order ? first : third);
        assert_int_equal(allfold_channel_has_released(&from, sender, sent + 2), in_order);
        assert_false(allfold_channel_has_released(&from, sender, sent + 3));
        allfold_channel_release_retained(receiver, in_order ? third : first);
        assert_true(allfold_channel_has_released(&from, sender, sent + 4));
    }
    allfold_channels_close(&from);
    allfold_channels_close(&to);
    free(memory);
}

/* Three ranks: 0 reduces what comes from 1 and 2; 2 sends it what it gets from 1 after that. */
struct rank {
    int index;
    void *memory;
    struct allfold_visible *visible;
    struct allfold_schedule *schedule;
    struct affine in[LENGTH], out[LENGTH];
    int error;
};

static struct allfold_schedule *circle_of(int r)
{
    const struct allfold_shape shape = {
        .group = allfold_group_all(3, r), .in_length = LENGTH, .out_length = LENGTH};
    struct allfold_builder *s = allfold_builder_create(&shape);
    assert_non_null(s);
    const struct allfold_span in = span(ALLFOLD_IN, 0, LENGTH), out = span(ALLFOLD_OUT, 0, LENGTH);
    if (r == 0) {
        const struct allfold_span a = scratch(s, LENGTH), b = scratch(s, LENGTH);
        recv_from(s, 1, a);
        recv_from(s, 2, b);
        reduce(s, out, a, b);
    } else if (r == 1) {
        send_to(s, 0, in);
        send_to(s, 2, in);
    } else {
        recv_from(s, 1, out);
        send_to(s, 0, out);
    }
    struct allfold_schedule *schedule;
    assert_int_equal(allfold_builder_freeze(s, &schedule), ALLFOLD_OK);
    allfold_builder_free(s);
    return schedule;
}

static void *run_rank(void *argument)
{
    static const int index_of[] = {0, 1, 2};
    struct rank *rank = argument;
    const struct allfold_shared_options options = {.memory = rank->memory,
                                                   .size = 3,
                                                   .index = rank->index,
                                                   .index_of = index_of,
                                                   .buffer_bytes = 64,
                                                   .visible = rank->visible,
                                                   .must_yield = true};
    struct allfold_shared_memory *shared = allfold_shared_create(&options);
    struct allfold_executor *executor = allfold_executor_create(rank->schedule, 1);
    void *room = aligned_alloc(64, allfold_executor_place(executor, &elements) + 64);
    const struct allfold_binding binding = {
        rank->in, rank->out, room, &elements, allfold_shared_transport(shared), 0, NULL};
    allfold_shared_begin(shared, sizeof(struct affine));
    rank->error = allfold_executor_start(executor, &binding);
    if (rank->error == 0)
        rank->error = allfold_executor_wait(executor);
    free(room);
    allfold_executor_free(executor);
    allfold_shared_free(shared);
    return NULL;
}

/* One message in flight at a time: rank 1 sends to rank 2 only after rank 0 has released its data.
 * Rank 0 would retain them until the message of rank 2, who waits for rank 1. */
static void test_circle(void **state)
{
    (void)state;
    const size_t bytes = allfold_shared_bytes(3, 64);
    static struct rank ranks[3];
    struct allfold_visible visible[3];
    pthread_t threads[3];
    void *memory = aligned_alloc(64, bytes);
    memset(memory, 0, bytes);
    for (int r = 0; r < 3; r++) {
        visible[r] = (struct allfold_visible){(const char *)&ranks[r], sizeof ranks[r], NULL};
        ranks[r].index = r;
        ranks[r].memory = memory;
        ranks[r].visible = visible;
        ranks[r].schedule = circle_of(r);
        for (size_t e = 0; e < LENGTH; e++)
            ranks[r].in[e] = given(r, e);
    }
    for (int r = 0; r < 3; r++)
        assert_int_equal(pthread_create(&threads[r], NULL, run_rank, &ranks[r]), 0);
    for (int r = 0; r < 3; r++)
        assert_int_equal(pthread_join(threads[r], NULL), 0);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(ranks[r].error, 0);
        allfold_schedule_free(ranks[r].schedule);
    }
    for (size_t e = 0; e < LENGTH; e++) {
        const struct affine shall = compose(given(1, e), given(1, e));
        assert_memory_equal(&ranks[0].out[e], &shall, sizeof shall);
    }
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_pass),
        cmocka_unit_test(test_late_peer),
        cmocka_unit_test(test_release_in_any_order),
        cmocka_unit_test(test_circle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
