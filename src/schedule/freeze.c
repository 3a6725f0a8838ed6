/* Freezing: from the builder's lists to one block of memory that never changes again. */
#include <string.h>

#include "schedule/builder_state.h"
#include "schedule/fuse.h"
#include "util/memory.h"
#include "schedule/publish.h"

/* Where the arrays of a schedule begin in its block. */
struct layout {
    size_t steps, waits_for, first_edge, edges, message_step, fused, publication, roots, end;
};

static size_t place(size_t *end, size_t bytes)
{
    size_t at = *end;
    *end = (at + bytes + 7) / 8 * 8;
    return at;
}

static struct layout lay_out(const struct allfold_builder *s, uint32_t roots)
{
    size_t end = (sizeof(struct allfold_schedule) + 7) / 8 * 8;
    size_t word = sizeof(uint32_t);
    struct layout at;
    at.steps = place(&end, s->step_count * sizeof(struct allfold_step));
    at.waits_for = place(&end, s->step_count * word);
    at.first_edge = place(&end, (s->step_count + 1) * word);
    at.edges = place(&end, s->hazards.edge_count * word);
    at.message_step = place(&end, s->message_count * word);
    at.fused = place(&end, s->step_count * word);
    at.publication = place(&end, s->step_count * word);
    at.roots = place(&end, roots * word);
    at.end = end;
    return at;
}

static uint32_t edge_begin(const struct allfold_builder *s, uint32_t step)
{
    return step == 0 ? 0 : s->edge_end[step - 1];
}

static uint32_t count_roots(const struct allfold_builder *s)
{
    uint32_t roots = 0;
    for (uint32_t i = 0; i < s->step_count; i++)
        roots += s->edge_end[i] == edge_begin(s, i);
    return roots;
}

/* Turns "waits for" lists into "is waited for by" lists, by counting sort. */
static void turn_edges(const struct allfold_builder *s, struct allfold_schedule *schedule)
{
    uint32_t *first = schedule->first_edge;
    memset(first, 0, (s->step_count + 1) * sizeof *first);
    for (uint32_t e = 0; e < s->hazards.edge_count; e++)
        first[s->hazards.edges[e] + 1]++;
    for (uint32_t i = 0; i < s->step_count; i++)
        first[i + 1] += first[i];
    for (uint32_t i = s->step_count; i-- > 0;)
        for (uint32_t e = edge_begin(s, i); e < s->edge_end[i]; e++)
            schedule->edges[--first[s->hazards.edges[e] + 1]] = i;
    /* each first[i + 1] went down to the begin of step i's edges: shift them back */
    for (uint32_t i = 0; i < s->step_count; i++)
        first[i] = first[i + 1];
    first[s->step_count] = s->hazards.edge_count;
}

static void fill(const struct allfold_builder *s, struct allfold_schedule *schedule)
{
    if (s->step_count > 0)
        memcpy(schedule->steps, s->steps, s->step_count * sizeof *s->steps);
    memcpy(schedule->buffer_length, s->buffer_length, sizeof schedule->buffer_length);
    uint32_t roots = 0;
    for (uint32_t i = 0; i < s->step_count; i++) {
        schedule->waits_for[i] = s->edge_end[i] - edge_begin(s, i);
        if (schedule->waits_for[i] == 0)
            schedule->roots[roots++] = i;
        if (s->steps[i].peer >= 0)
            schedule->message_step[s->steps[i].message] = i;
    }
    turn_edges(s, schedule);
    allfold_fuse(s->steps, s->step_count, schedule->fused);
    allfold_publish(s->steps, s->step_count, schedule->publication);
}

enum allfold_error allfold_builder_freeze(struct allfold_builder *s,
                                          struct allfold_schedule **schedule)
{
    *schedule = NULL;
    if (s->error != ALLFOLD_OK)
        return s->error;
    uint32_t roots = count_roots(s);
    struct layout at = lay_out(s, roots);
    char *block = allfold_allocate(at.end);
    if (block == NULL)
        return ALLFOLD_NO_MEMORY;
    struct allfold_schedule *made = (struct allfold_schedule *)(void *)block;
    *made = (struct allfold_schedule){
        .step_count = s->step_count,
        .message_count = s->message_count,
        .edge_count = s->hazards.edge_count,
        .root_count = roots,
        .buffer_count = s->buffer_count,
        .bytes = at.end,
        .steps = (struct allfold_step *)(void *)(block + at.steps),
        .waits_for = (uint32_t *)(void *)(block + at.waits_for),
        .first_edge = (uint32_t *)(void *)(block + at.first_edge),
        .edges = (uint32_t *)(void *)(block + at.edges),
        .message_step = (uint32_t *)(void *)(block + at.message_step),
        .fused = (uint32_t *)(void *)(block + at.fused),
        .publication = (uint32_t *)(void *)(block + at.publication),
        .roots = (uint32_t *)(void *)(block + at.roots),
    };
    fill(s, made);
    *schedule = made;
    return ALLFOLD_OK;
}

void allfold_schedule_free(struct allfold_schedule *schedule)
{
    allfold_free(schedule);
}

const struct allfold_step *allfold_schedule_steps(const struct allfold_schedule *schedule,
                                                  size_t *count)
{
    *count = schedule->step_count;
    return schedule->steps;
}

size_t allfold_schedule_length(const struct allfold_schedule *schedule, int buffer)
{
    const bool is_there = buffer >= 0 && buffer < (int)schedule->buffer_count;
    return is_there ? schedule->buffer_length[buffer] : 0;
}

size_t allfold_schedule_scratch(const struct allfold_schedule *schedule)
{
    size_t elements = 0;
    for (uint32_t i = ALLFOLD_SCRATCH; i < schedule->buffer_count; i++)
        elements += schedule->buffer_length[i];
    return elements;
}
