/* The check for data races between steps (see data_races.h). For each step, the set of all steps
 * that must end before it starts is collected along the edges, as a bit set. Then every pair of
 * steps that these sets do not order is checked. */
#include "lab/verify/data_races.h"

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

/* The operand of `a` that both touch and one of them writes; -1 for none. */
static int conflict(const struct allfold_step *a, const struct allfold_step *b)
{
    for (int i = 0; i < operands_of(a); i++)
        for (int j = 0; j < operands_of(b); j++)
            if ((writes(a, i) || writes(b, j)) && allfold_operands_overlap(a, i, b, j))
                return i;
    return -1;
}

static enum allfold_error gather(const struct allfold_schedule *schedule, uint64_t *before,
                                 size_t words, struct allfold_order_fault *fault)
{
    for (uint32_t i = 0; i < schedule->step_count; i++)
        for (uint32_t e = schedule->first_edge[i]; e < schedule->first_edge[i + 1]; e++) {
            const uint32_t to = schedule->edges[e];
            if (to <= i) {
                *fault = (struct allfold_order_fault){to, i, .leads_back = true};
                return ALLFOLD_DISPROVED;
            }
            for (size_t w = 0; w <= i / 64; w++)
                before[to * words + w] |= before[i * words + w];
            before[to * words + i / 64] |= (uint64_t)1 << i % 64;
        }
    return ALLFOLD_OK;
}

/* Whether step i is in conflict with one that it neither waits for nor follows. */
static bool has_rival(const struct allfold_schedule *schedule, const uint64_t *before, uint32_t i,
                      struct allfold_order_fault *fault)
{
    for (uint32_t w = 0; w <= i / 64; w++) {
        const uint64_t earlier = w < i / 64 ? UINT64_MAX : ((uint64_t)1 << i % 64) - 1;
        for (uint64_t left = earlier & ~before[w]; left != 0; left &= left - 1) {
            const uint32_t k = w * 64 + (uint32_t)__builtin_ctzll(left);
            const int operand = conflict(&schedule->steps[k], &schedule->steps[i]);
            if (operand < 0)
                continue;
            *fault = (struct allfold_order_fault){k, i, .operand = operand};
            return true;
        }
    }
    return false;
}

enum allfold_error allfold_order_find(const struct allfold_schedule *schedule,
                                      struct allfold_order_fault *fault)
{
    const size_t words = (size_t)schedule->step_count / 64 + 1;
    uint64_t *before = allfold_allocate_zeroed(schedule->step_count * words * sizeof *before);
    if (before == NULL)
        return ALLFOLD_NO_MEMORY;
    enum allfold_error error = gather(schedule, before, words, fault);
    for (uint32_t i = 0; i < schedule->step_count && error == ALLFOLD_OK; i++)
        if (has_rival(schedule, before + i * words, i, fault))
            error = ALLFOLD_DISPROVED;
    allfold_free(before);
    return error;
}

enum allfold_error allfold_order_check(const struct allfold_schedule *schedule, char *message,
                                       size_t message_bytes)
{
    struct allfold_order_fault fault;
    const enum allfold_error error = allfold_order_find(schedule, &fault);
    if (error == ALLFOLD_NO_MEMORY)
        snprintf(message, message_bytes, "no memory");
    else if (error != ALLFOLD_OK && fault.leads_back)
        snprintf(message, message_bytes, "step %u waits for step %u, a later one", fault.step,
                 fault.other_step);
    else if (error != ALLFOLD_OK)
        snprintf(message, message_bytes, "steps %u and %u touch the same, in either order",
                 fault.step, fault.other_step);
    return error;
}
