/* What folds gain when the messages of all others have arrived at a rank of the flat allreduce. The
 * same schedule runs in three ways, in turns; nothing waits and nothing is sent.
 *
 * - Without folds, and with folds: the transport delivers one fragment of each message in turn, as
 * shared memory does with copied data.
 * - In place: with folds, and the executor retains the messages where they lie.
 *
 * Prints microseconds of a run with folds and of a run in place, and the medians of the rounds'
 * ratios. The ratios are without / with folds, and with folds / in place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algorithms/algorithm.h"
#include "execute/executor.h"
#include "kernels/kernels.h"
#include "lab/measure/statistics.h"

enum { ROUNDS = 21, MOST_RANKS = 8, LARGEST = 4 << 20, FRAGMENT = 64 << 10 };

struct deliverer {
    struct allfold_transport transport;
    struct allfold_message messages[ALLFOLD_WINDOW];
    size_t delivered[ALLFOLD_WINDOW]; /* elements of each */
    bool is_active[ALLFOLD_WINDOW], is_send[ALLFOLD_WINDOW];
    bool publishes;
};

static double *vectors[MOST_RANKS]; /* of the others, which are sent */

static int start(struct allfold_transport *transport, const struct allfold_message *message,
                 bool is_send)
{
    struct deliverer *s = (struct deliverer *)transport;
    s->messages[message->slot] = *message;
    s->delivered[message->slot] = 0;
    s->is_active[message->slot] = true;
    s->is_send[message->slot] = is_send;
    return 0;
}

static int send_nothing(struct allfold_transport *transport, const struct allfold_message *message)
{
    return start(transport, message, true);
}

static int receive(struct allfold_transport *transport, const struct allfold_message *message)
{
    return start(transport, message, false);
}

static bool offer(struct allfold_transport *transport, uint32_t slot,
                  const struct allfold_message *message)
{
    const struct allfold_published published = {.data = vectors[message->peer]};
    return transport->offer(transport->deliver_context, slot, &published);
}

static void release_published(struct allfold_transport *transport,
                              const struct allfold_published *published)
{
    (void)transport, (void)published;
}

static int deliver(struct allfold_transport *transport, uint32_t *slots, uint32_t *count)
{
    struct deliverer *s = (struct deliverer *)transport;
    *count = 0;
    for (uint32_t slot = 0; slot < ALLFOLD_WINDOW; slot++) {
        const struct allfold_message *message = &s->messages[slot];
        if (!s->is_active[slot])
            continue;
        if (s->publishes && !s->is_send[slot] && offer(transport, slot, message)) {
            s->is_active[slot] = false;
            slots[(*count)++] = slot;
            continue;
        }
        const size_t first = s->delivered[slot], rest = message->length - first;
        const size_t n = rest < FRAGMENT / sizeof(double) ? rest : FRAGMENT / sizeof(double);
        if (!s->is_send[slot])
            transport->deliver(transport->deliver_context, slot, first, n,
                               vectors[message->peer] + first);
        s->delivered[slot] += n;
        s->is_active[slot] = !s->is_send[slot] && n < rest;
        if (!s->is_active[slot])
            slots[(*count)++] = slot;
    }
    return 0;
}

static int deliver_and_wait(struct allfold_transport *transport, uint32_t oldest, uint32_t *slots,
                            uint32_t *count)
{
    (void)oldest;
    return deliver(transport, slots, count);
}

static void abandon(struct allfold_transport *transport)
{
    (void)transport;
}

static int sum(const struct allfold_elements *elements, void *to, const void *left,
               const void *right, size_t count)
{
    (void)elements;
    allfold_kernel_find(ALLFOLD_DOUBLE, ALLFOLD_SUM)(to, left, right, count);
    return 0;
}

static int fold(const struct allfold_elements *elements, void *to, const void *const *operands,
                size_t many, size_t count)
{
    (void)elements;
    allfold_folds_find(ALLFOLD_DOUBLE, ALLFOLD_SUM)[many](to, operands, count);
    return 0;
}

static int copy(const struct allfold_elements *elements, void *to, const void *from, size_t count)
{
    (void)elements;
    memcpy(to, from, count * sizeof(double));
    return 0;
}

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double median(const double *values)
{
    struct allfold_statistics statistics;
    return allfold_statistics_of(values, ROUNDS, 0.95, &statistics) ? statistics.median : 0;
}

/* Seconds a run. */
static double time_of(struct allfold_executor *executor, const struct allfold_binding *binding,
                      size_t bytes)
{
    const size_t runs = ((size_t)1 << 19) / bytes + 1;
    const double begin_s = now_s();
    for (size_t i = 0; i < runs; i++)
        if (allfold_executor_start(executor, binding) != 0 || allfold_executor_wait(executor) != 0)
            abort();
    return (now_s() - begin_s) / (double)runs;
}

static bool measure(int p, size_t bytes, double *out, void *arena)
{
    static const struct allfold_transport_operations operations = {.send = send_nothing,
                                                                   .receive = receive,
                                                                   .test = deliver,
                                                                   .wait = deliver_and_wait,
                                                                   .abandon = abandon,
                                                                   .release_published =
                                                                       release_published};
    static struct deliverer deliverer = {.transport = {.operations = &operations}};
    struct allfold_elements elements[2] = {
        {.extent_bytes = 8, .high_bytes = 8, .reduce = sum, .copy = copy}};
    elements[1] = elements[0];
    elements[1].fold = fold;
    const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                            .group = allfold_group_all(p, p / 2),
                                            .count = bytes / sizeof(double),
                                            .element_bytes = sizeof(double),
                                            .commutative = true};
    const struct allfold_algorithm *flat = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "flat");
    const struct allfold_parameters presets = allfold_parameter_presets(flat);
    struct allfold_schedule *schedule;
    if (allfold_build(flat, &problem, &presets, &schedule, NULL, 0) != ALLFOLD_OK)
        return false;
    struct allfold_executor *executor = allfold_executor_create(schedule, ALLFOLD_WINDOW);
    double times[3][ROUNDS], gain[2][ROUNDS];
    for (int i = -1; i < ROUNDS; i++) {
        const int round = i < 0 ? 0 : i;
        for (int k = 0; k < 3; k++) {
            const struct allfold_binding binding = {
                vectors[p / 2], out, arena, &elements[k > 0], &deliverer.transport, 0, NULL};
            deliverer.publishes = k == 2;
            times[k][round] = time_of(executor, &binding, bytes);
        }
        for (int k = 0; k < 2; k++)
            gain[k][round] = times[k][round] / times[k + 1][round];
    }
    printf("%6d %10zu %10.1f %8.2f %10.1f %8.2f\n", p, bytes, 1e6 * median(times[1]),
           median(gain[0]), 1e6 * median(times[2]), median(gain[1]));
    allfold_executor_free(executor);
    allfold_schedule_free(schedule);
    return true;
}

int main(void)
{
    for (int i = 0; i < MOST_RANKS; i++) {
        vectors[i] = malloc(LARGEST);
        if (vectors[i] == NULL)
            return 1;
        memset(vectors[i], 0, LARGEST); /* its pages are its own from now on */
    }
    double *out = malloc(LARGEST), *arena = aligned_alloc(64, (size_t)LARGEST * MOST_RANKS);
    if (out == NULL || arena == NULL)
        return 1;
    printf("Allfold %s, kernels: %s\n%6s %10s %10s %8s %10s %8s\n", ALLFOLD_VERSION,
           allfold_simd_used(), "p", "bytes", "with, us", "gain", "in place", "gain");
    for (int p = 3; p <= MOST_RANKS; p++)
        for (size_t bytes = 512; bytes <= LARGEST && p != 5 && p != 7; bytes *= 8)
            if (!measure(p, bytes, out, arena))
                return 1;
    return 0;
}
