/* What several unit tests share (see support.h). */
#include "schedule/fuse.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "topology/nodes_make.h"
#include "util/memory.h"
#include "schedule/verbs.h"

uint32_t random_below(uint64_t *seed, uint32_t bound)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) % bound);
}

const struct allfold_nodes *extended(const struct allfold_nodes *nodes,
                                     struct allfold_nodes_facts facts)
{
    nodes = allfold_nodes_extended(nodes, facts);
    if (nodes == NULL)
        abort();
    return nodes;
}

static struct allfold_span random_span(uint64_t *seed, size_t length, int buffers, bool written)
{
    const uint32_t first = written ? ALLFOLD_OUT : ALLFOLD_IN;
    const uint32_t n = (uint32_t)length;
    const size_t offset = random_below(seed, n);
    /* short ones more often: they leave more freedom to what follows */
    const uint32_t most = random_below(seed, 3) == 0 ? n : 2;
    size_t taken = 1 + random_below(seed, most);
    if (taken > length - offset)
        taken = length - offset;
    return span((int)(first + random_below(seed, (uint32_t)buffers - first)), offset, taken);
}

/* Another operand of that length: often the same span, never one that overlaps it in part. */
static struct allfold_span beside(uint64_t *seed, struct allfold_span to, size_t length,
                                  int buffers)
{
    if (random_below(seed, 3) == 0)
        return to;
    struct allfold_span other = random_span(seed, length, buffers, false);
    other.length = to.length;
    if (other.offset > length - to.length)
        other.offset = length - to.length;
    if (other.buffer == to.buffer || other.buffer < ALLFOLD_SCRATCH)
        other.offset = to.offset; /* IN too, which in place is OUT */
    return other;
}

void write_random_program(struct allfold_builder *s, uint64_t *seed, int steps, size_t length,
                          int scratch_buffers)
{
    const int buffers = ALLFOLD_SCRATCH + scratch_buffers;
    for (int i = 0; i < scratch_buffers; i++)
        scratch(s, length);
    for (int i = 0; i < steps; i++) {
        const int peer = 1 + (int)random_below(seed, 3);
        const struct allfold_span to = random_span(seed, length, buffers, true);
        const struct allfold_span left = beside(seed, to, length, buffers);
        const struct allfold_span right = beside(seed, to, length, buffers);
        switch (random_below(seed, 4)) {
        case 0:
            send_to(s, peer, random_span(seed, length, buffers, false));
            break;
        case 1:
            recv_from(s, peer, to);
            break;
        case 2:
            reduce(s, to, left, right);
            break;
        default:
            copy(s, to, left);
        }
    }
}

struct draft draft_of(const struct allfold_schedule *schedule)
{
    struct draft draft = {.step_count = schedule->step_count,
                          .edge_count = schedule->edge_count,
                          .buffer_count = schedule->buffer_count};
    memcpy(draft.buffer_length, schedule->buffer_length,
           schedule->buffer_count * sizeof *schedule->buffer_length);
    draft.steps = calloc(schedule->step_count + 1, sizeof *draft.steps);
    draft.edges = calloc(schedule->edge_count + 1, sizeof *draft.edges);
    if (draft.steps == NULL || draft.edges == NULL)
        abort();
    memcpy(draft.steps, schedule->steps, schedule->step_count * sizeof *draft.steps);
    for (uint32_t i = 0; i < schedule->step_count; i++)
        for (uint32_t e = schedule->first_edge[i]; e < schedule->first_edge[i + 1]; e++)
            draft.edges[e] = (struct edge){i, schedule->edges[e]};
    return draft;
}

void draft_free(struct draft *draft)
{
    free(draft->steps);
    free(draft->edges);
}

static void *carve(char **at, size_t bytes)
{
    void *carved = *at;
    *at += (bytes + 7) / 8 * 8;
    return carved;
}

static void fill_edges(const struct draft *draft, struct allfold_schedule *schedule)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < draft->step_count; i++) {
        schedule->first_edge[i] = at;
        for (uint32_t e = 0; e < draft->edge_count; e++)
            if (draft->edges[e].from == i) {
                schedule->edges[at++] = draft->edges[e].to;
                schedule->waits_for[draft->edges[e].to]++;
            }
    }
    schedule->first_edge[draft->step_count] = at;
    for (uint32_t i = 0; i < draft->step_count; i++)
        if (schedule->waits_for[i] == 0)
            schedule->roots[schedule->root_count++] = i;
}

struct allfold_schedule *schedule_of(const struct draft *draft)
{
    const size_t steps = draft->step_count, word = sizeof(uint32_t);
    const size_t bytes = sizeof(struct allfold_schedule) + steps * sizeof(struct allfold_step) +
                         draft->buffer_count * sizeof(size_t) +
                         (6 * steps + 1 + draft->edge_count) * word + 64;
    char *at = allfold_allocate_zeroed(bytes);
    if (at == NULL)
        abort();
    struct allfold_schedule *made = carve(&at, sizeof *made);
    made->step_count = draft->step_count;
    made->edge_count = draft->edge_count;
    made->buffer_count = draft->buffer_count;
    made->bytes = bytes;
    made->buffer_length = carve(&at, draft->buffer_count * sizeof *made->buffer_length);
    memcpy(made->buffer_length, draft->buffer_length,
           draft->buffer_count * sizeof *made->buffer_length);
    made->steps = carve(&at, steps * sizeof *made->steps);
    made->waits_for = carve(&at, steps * word);
    made->first_edge = carve(&at, (steps + 1) * word);
    made->edges = carve(&at, draft->edge_count * word);
    made->message_step = carve(&at, steps * word);
    made->roots = carve(&at, steps * word);
    made->fused = carve(&at, steps * word);
    made->publication = carve(&at, steps * word);
    memcpy(made->steps, draft->steps, steps * sizeof *made->steps);
    for (uint32_t i = 0; i < draft->step_count; i++)
        if (made->steps[i].peer >= 0) {
            made->steps[i].message = made->message_count;
            made->message_step[made->message_count++] = i;
        }
    fill_edges(draft, made);
    allfold_fuse(made->steps, made->step_count, made->fused);
    allfold_publish(made->steps, made->step_count, made->publication);
    return made;
}

void draft_drop_edge(struct draft *draft, uint32_t edge)
{
    draft->edges[edge] = draft->edges[--draft->edge_count];
}

static bool has_edge(const struct draft *draft, struct edge edge)
{
    for (uint32_t e = 0; e < draft->edge_count; e++)
        if (draft->edges[e].from == edge.from && draft->edges[e].to == edge.to)
            return true;
    return false;
}

static void bridge(struct draft *draft, uint32_t step)
{
    const uint32_t before = draft->edge_count;
    uint32_t added = 0;
    struct edge *wide = calloc((size_t)before * before + before + 1, sizeof *wide);
    if (wide == NULL)
        abort();
    memcpy(wide, draft->edges, before * sizeof *wide);
    for (uint32_t a = 0; a < before; a++)
        for (uint32_t b = 0; b < before; b++)
            if (draft->edges[a].to == step && draft->edges[b].from == step &&
                !has_edge(draft, (struct edge){draft->edges[a].from, draft->edges[b].to}))
                wide[before + added++] = (struct edge){draft->edges[a].from, draft->edges[b].to};
    free(draft->edges);
    draft->edges = wide;
    draft->edge_count += added;
}

void draft_drop_step(struct draft *draft, uint32_t step)
{
    bridge(draft, step);
    for (uint32_t e = draft->edge_count; e-- > 0;)
        if (draft->edges[e].from == step || draft->edges[e].to == step)
            draft_drop_edge(draft, e);
    for (uint32_t e = 0; e < draft->edge_count; e++) {
        draft->edges[e].from -= draft->edges[e].from > step;
        draft->edges[e].to -= draft->edges[e].to > step;
    }
    draft->step_count--;
    memmove(&draft->steps[step], &draft->steps[step + 1],
            (draft->step_count - step) * sizeof *draft->steps);
}

size_t number_of(enum allfold_collective collective, const char *name)
{
    return allfold_number_of(allfold_algorithm_find(collective, name));
}
