/* The order of one rank's steps (see order.h): for each step the set of all that end before it
 * starts, as bits, gathered along the edges; then every pair outside of these sets is looked at. */
#include "model/verify/order.h"

#include <stdbool.h>
#include <string.h>

#include "util/memory.h"

static int operands_of(const struct allfold_step *step)
{
    static const int count[] = {[ALLFOLD_STEP_SEND] = 1,
                                [ALLFOLD_STEP_RECEIVE] = 1,
                                [ALLFOLD_STEP_REDUCE] = 3,
                                [ALLFOLD_STEP_COPY] = 2};
    return count[step->kind];
}

static bool writes(const struct allfold_step *step, int which)
{
    return which == 0 && step->kind != ALLFOLD_STEP_SEND;
}

/* What one of them writes is touched by the other. */
static bool conflict(const struct allfold_step *a, const struct allfold_step *b)
{
    for (int i = 0; i < operands_of(a); i++)
        for (int j = 0; j < operands_of(b); j++)
            if ((writes(a, i) || writes(b, j)) && allfold_operands_overlap(a, i, b, j))
                return true;
    return false;
}

static enum allfold_error gather(const struct allfold_schedule *schedule, uint64_t *before,
                                 size_t words, char *message, size_t message_bytes)
{
    for (uint32_t i = 0; i < schedule->step_count; i++)
        for (uint32_t e = schedule->first_edge[i]; e < schedule->first_edge[i + 1]; e++) {
            const uint32_t to = schedule->edges[e];
            if (to <= i) {
                snprintf(message, message_bytes, "step %u waits for step %u, a later one", to, i);
                return ALLFOLD_DISPROVED;
            }
            for (size_t w = 0; w <= i / 64; w++)
                before[to * words + w] |= before[i * words + w];
            before[to * words + i / 64] |= (uint64_t)1 << i % 64;
        }
    return ALLFOLD_OK;
}

/* The first step that step i is in conflict with, and neither waits for nor follows; i for none. */
static uint32_t rival(const struct allfold_schedule *schedule, const uint64_t *before, uint32_t i)
{
    for (uint32_t w = 0; w <= i / 64; w++) {
        const uint64_t earlier = w < i / 64 ? UINT64_MAX : ((uint64_t)1 << i % 64) - 1;
        for (uint64_t left = earlier & ~before[w]; left != 0; left &= left - 1) {
            const uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (conflict(&schedule->steps[k], &schedule->steps[i]))
                return k;
        }
    }
    return i;
}

enum allfold_error allfold_order_check(const struct allfold_schedule *schedule, char *message,
                                       size_t message_bytes)
{
    const size_t words = (size_t)schedule->step_count / 64 + 1;
    uint64_t *before = allfold_allocate_zeroed(schedule->step_count * words * sizeof *before);
    if (before == NULL) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    enum allfold_error error = gather(schedule, before, words, message, message_bytes);
    for (uint32_t i = 0; i < schedule->step_count && error == ALLFOLD_OK; i++) {
        const uint32_t k = rival(schedule, before + i * words, i);
        if (k == i)
            continue;
        error = ALLFOLD_DISPROVED;
        snprintf(message, message_bytes, "steps %u and %u touch the same, in either order", k, i);
    }
    allfold_free(before);
    return error;
}
