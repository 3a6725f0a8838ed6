/* What of an executor and its buffers lies where (see executor.h). */
#include <string.h>

#include "execute/executor_state.h"
#include "execute/sparse.h"
#include "util/memory.h"

size_t allfold_executor_bytes(const struct allfold_schedule *schedule, uint32_t window)
{
    uint32_t local = schedule->step_count - schedule->message_count;
    return sizeof(struct allfold_executor) + allfold_straight_bytes(schedule) +
           2 * sizeof(size_t) * window +
           sizeof(uint32_t) * (schedule->step_count + local + 2 * window) + sizeof(bool) * window;
}

struct allfold_executor *
allfold_executor_create_in(void *memory, const struct allfold_schedule *schedule, uint32_t window)
{
    char *block = memory;
    struct allfold_executor *e = memory;
    memset(e, 0, sizeof *e);
    e->schedule = schedule;
    e->window = window;
    const size_t straight_bytes = allfold_straight_bytes(schedule);
    if (straight_bytes > 0)
        e->straight = (struct allfold_straight *)(void *)(block + sizeof *e);
    e->received = (size_t *)(void *)(block + sizeof *e + straight_bytes);
    e->coded = e->received + window;
    e->waits_for = (uint32_t *)(void *)(e->coded + window);
    e->ready = e->waits_for + schedule->step_count;
    e->slots = e->ready + (schedule->step_count - schedule->message_count);
    e->taken_by = e->slots + window;
    e->is_done = (bool *)(e->taken_by + window);
    e->run_early = ALLFOLD_NO_STEP;
    for (uint32_t i = 0; i < window; i++)
        e->taken_by[i] = ALLFOLD_NO_STEP;
    memset(e->is_done, 0, window * sizeof *e->is_done);
    return e;
}

struct allfold_executor *allfold_executor_create(const struct allfold_schedule *schedule,
                                                 uint32_t window)
{
    void *block = allfold_allocate(allfold_executor_bytes(schedule, window));
    return block == NULL ? NULL : allfold_executor_create_in(block, schedule, window);
}

void allfold_executor_free(struct allfold_executor *executor)
{
    allfold_free(executor);
}

/* Says where element 0 of each scratch buffer lies in the arena (`at` may be NULL); returns the
 * arena's bytes. */
static size_t place_scratch(const struct allfold_schedule *schedule,
                            const struct allfold_elements *elements, ptrdiff_t *at)
{
    size_t end = 0;
    for (uint32_t i = ALLFOLD_SCRATCH; i < schedule->buffer_count; i++) {
        const struct allfold_room room =
            allfold_elements_room(elements, schedule->buffer_length[i]);
        if (at != NULL)
            at[i] = (ptrdiff_t)end + room.first_bytes;
        end += room.bytes;
    }
    return end;
}

size_t allfold_executor_scratch_bytes(const struct allfold_schedule *schedule,
                                      const struct allfold_elements *elements)
{
    return place_scratch(schedule, elements, NULL);
}

/* Says for each slot where blocks of messages that are sent in it go; returns the arena's new end.
 */
static size_t place_blocks(struct allfold_executor *e, const struct allfold_elements *elements,
                           size_t end)
{
    const struct allfold_schedule *schedule = e->schedule;
    for (uint32_t slot = 0; slot < e->window; slot++) {
        size_t longest = 0;
        for (uint32_t m = slot; m < schedule->message_count; m += e->window) {
            const struct allfold_step *step = &schedule->steps[schedule->message_step[m]];
            if (step->kind == ALLFOLD_STEP_SEND && step->length >= elements->sparse->least &&
                step->length > longest)
                longest = step->length;
        }
        e->coded[slot] = end;
        end += allfold_elements_room(elements, longest).bytes;
    }
    return end;
}

size_t allfold_executor_place(struct allfold_executor *e, const struct allfold_elements *elements)
{
    const struct allfold_elements *placed = &e->placed;
    if (e->placed_bytes == 0 || placed->extent_bytes != elements->extent_bytes ||
        placed->low_bytes != elements->low_bytes || placed->high_bytes != elements->high_bytes ||
        placed->sparse != elements->sparse) {
        e->placed_bytes = place_scratch(e->schedule, elements, e->placed_at);
        if (elements->sparse != NULL)
            e->placed_bytes = place_blocks(e, elements, e->placed_bytes);
        e->placed = *elements;
        e->has_straight = false;
    }
    return e->placed_bytes;
}
