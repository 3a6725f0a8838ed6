/* A memory budget: counts the bytes that a simulation allocates, and refuses those above a limit.
 */
#ifndef ALLFOLD_LAB_SIMULATE_BUDGET_H
#define ALLFOLD_LAB_SIMULATE_BUDGET_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

struct allfold_budget {
    size_t limit_bytes;
    size_t used_bytes;
    bool is_over; /* a request was refused */
};

/* Takes `bytes` bytes before they are allocated. Returns false if they exceed the limit. */
static inline bool allfold_budget_take(struct allfold_budget *budget, size_t bytes)
{
    assert(budget->used_bytes <= budget->limit_bytes);
    if (bytes > budget->limit_bytes - budget->used_bytes) {
        budget->is_over = true;
        return false;
    }
    budget->used_bytes += bytes;
    return true;
}

/* Returns bytes that were taken to the budget. */
static inline void allfold_budget_give_back(struct allfold_budget *budget, size_t bytes)
{
    assert(bytes <= budget->used_bytes);
    budget->used_bytes -= bytes;
}

#endif
