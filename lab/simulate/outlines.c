/* Outlines: compressed schedules (see outlines.h). */
#include "lab/simulate/outlines.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

/* With fewer peers a message is found soon by looking through them. */
enum { FEW_PEERS = 64, FIRST_CAPACITY = 64 };

static size_t place(size_t *end, size_t bytes)
{
    const size_t at = *end;
    *end = at + (bytes + 7) / 8 * 8;
    return at;
}

/* An outline in `block`, its arrays in the memory behind it; without a block only its size. */
static size_t lay_out(struct allfold_outline *outline, char *block)
{
    const size_t steps = outline->step_count, messages = outline->message_count;
    const size_t word = sizeof(uint32_t);
    size_t end = 0;
    place(&end, sizeof *outline);
    const size_t length = place(&end, steps * sizeof(uint64_t));
    const size_t waits_for = place(&end, steps * word);
    const size_t first_edge = place(&end, (steps + 1) * word);
    const size_t edges = place(&end, outline->edge_count * word);
    const size_t message = place(&end, steps * word);
    const size_t step_of = place(&end, messages * word);
    const size_t number = place(&end, messages * word);
    const size_t kind = place(&end, steps);
    const size_t is_again = place(&end, messages);
    if (block == NULL)
        return end;
    outline->length = (uint64_t *)(void *)(block + length);
    outline->waits_for = (uint32_t *)(void *)(block + waits_for);
    outline->first_edge = (uint32_t *)(void *)(block + first_edge);
    outline->edges = (uint32_t *)(void *)(block + edges);
    outline->message = (uint32_t *)(void *)(block + message);
    outline->step_of = (uint32_t *)(void *)(block + step_of);
    outline->number = (uint32_t *)(void *)(block + number);
    outline->kind = (uint8_t *)(block + kind);
    outline->is_again = (uint8_t *)(block + is_again);
    return end;
}

static void fill(struct allfold_outline *outline, const struct allfold_schedule *schedule)
{
    uint32_t peers = 0;
    const size_t word = sizeof(uint32_t);
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct allfold_step *step = &schedule->steps[i];
        outline->kind[i] = step->kind;
        outline->length[i] = step->length;
        if (step->peer < 0)
            continue;
        outline->message[i] = step->message;
        outline->number[step->message] = step->number;
        outline->is_again[step->message] =
            step->kind == ALLFOLD_STEP_SEND && schedule->publication[i] != i;
        peers += step->number == 0;
    }
    if (schedule->step_count > 0)
        memcpy(outline->waits_for, schedule->waits_for, schedule->step_count * word);
    memcpy(outline->first_edge, schedule->first_edge, (schedule->step_count + 1) * word);
    if (schedule->edge_count > 0)
        memcpy(outline->edges, schedule->edges, schedule->edge_count * word);
    if (schedule->message_count > 0)
        memcpy(outline->step_of, schedule->message_step, schedule->message_count * word);
    outline->is_indexed = peers > FEW_PEERS;
}

/* The outline of a schedule, in the draft's memory; NULL without memory. */
static struct allfold_outline *draft(struct allfold_outlines *outlines,
                                     const struct allfold_schedule *schedule)
{
    struct allfold_outline counts = {.step_count = schedule->step_count,
                                     .message_count = schedule->message_count,
                                     .edge_count = schedule->edge_count};
    counts.bytes = lay_out(&counts, NULL);
    if (counts.bytes > outlines->draft_bytes) {
        allfold_free(outlines->draft);
        outlines->draft_bytes = 0;
        outlines->draft = allfold_allocate(counts.bytes);
        if (outlines->draft == NULL)
            return NULL;
        outlines->draft_bytes = counts.bytes;
    }
    struct allfold_outline *outline = outlines->draft;
    memset(outline, 0, counts.bytes);
    *outline = counts;
    lay_out(outline, outlines->draft);
    fill(outline, schedule);
    return outline;
}

/* What is behind the head is the same where outlines are. */
static bool is_same(const struct allfold_outline *a, const struct allfold_outline *b)
{
    return a->bytes == b->bytes && a->step_count == b->step_count &&
           a->message_count == b->message_count && a->edge_count == b->edge_count &&
           memcmp(a + 1, b + 1, a->bytes - sizeof *a) == 0;
}

static uint64_t hash_of(const struct allfold_outline *outline)
{
    const uint64_t *words = (const void *)(outline + 1);
    uint64_t hash = outline->bytes;
    for (size_t i = 0; i < (outline->bytes - sizeof *outline) / sizeof *words; i++) {
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static struct allfold_outline **find(struct allfold_outline **table, uint32_t capacity,
                                     const struct allfold_outline *outline)
{
    uint64_t at = hash_of(outline);
    while (table[at & (capacity - 1)] != NULL && !is_same(table[at & (capacity - 1)], outline))
        at++;
    return &table[at & (capacity - 1)];
}

static enum allfold_error widen(struct allfold_outlines *outlines)
{
    const uint32_t capacity = outlines->capacity == 0 ? FIRST_CAPACITY : outlines->capacity * 2;
    struct allfold_outline **table = allfold_allocate_zeroed(capacity * sizeof *table);
    if (table == NULL || !allfold_budget_take(outlines->budget, capacity * sizeof *table / 2)) {
        allfold_free(table);
        return ALLFOLD_NO_MEMORY;
    }
    for (uint32_t i = 0; i < outlines->capacity; i++)
        if (outlines->table[i] != NULL)
            *find(table, capacity, outlines->table[i]) = outlines->table[i];
    allfold_free(outlines->table);
    outlines->table = table;
    outlines->capacity = capacity;
    return ALLFOLD_OK;
}

enum allfold_error allfold_outlines_add(struct allfold_outlines *outlines,
                                        const struct allfold_schedule *schedule,
                                        const struct allfold_outline **outline)
{
    *outline = NULL;
    if (outlines->count * 2 >= outlines->capacity && widen(outlines) != ALLFOLD_OK)
        return ALLFOLD_NO_MEMORY;
    const struct allfold_outline *wanted = draft(outlines, schedule);
    if (wanted == NULL)
        return ALLFOLD_NO_MEMORY;
    struct allfold_outline **found = find(outlines->table, outlines->capacity, wanted);
    if (*found == NULL) {
        struct allfold_outline *made = NULL;
        if (allfold_budget_take(outlines->budget, wanted->bytes))
            made = allfold_allocate(wanted->bytes);
        if (made == NULL)
            return ALLFOLD_NO_MEMORY;
        memcpy(made, wanted, wanted->bytes);
        lay_out(made, (char *)made);
        outlines->count++;
        *found = made;
    }
    *outline = *found;
    return ALLFOLD_OK;
}

void allfold_outlines_free(struct allfold_outlines *outlines)
{
    for (uint32_t i = 0; i < outlines->capacity; i++)
        allfold_free(outlines->table[i]);
    allfold_free(outlines->table);
    allfold_free(outlines->draft);
}

/* What a message is found by. */
struct key {
    enum allfold_step_kind kind;
    int32_t peer;
    uint32_t number;
};

static struct key key_of(const struct allfold_outline *outline, const int32_t *peers,
                         uint32_t message)
{
    return (struct key){(enum allfold_step_kind)outline->kind[outline->step_of[message]],
                        peers[message], outline->number[message]};
}

static int compare(struct key a, struct key b)
{
    if (a.kind != b.kind)
        return a.kind < b.kind ? -1 : 1;
    if (a.peer != b.peer)
        return a.peer < b.peer ? -1 : 1;
    return a.number < b.number ? -1 : a.number > b.number;
}

struct indexing {
    const struct allfold_outline *outline;
    const int32_t *peers;
};

static int by_key(const void *left, const void *right, void *context)
{
    const struct indexing *of = context;
    return compare(key_of(of->outline, of->peers, *(const uint32_t *)left),
                   key_of(of->outline, of->peers, *(const uint32_t *)right));
}

void allfold_outlines_index(const struct allfold_outline *outline, const int32_t *peers,
                            uint32_t *index)
{
    struct indexing of = {outline, peers};
    for (uint32_t m = 0; m < outline->message_count; m++)
        index[m] = m;
    qsort_r(index, outline->message_count, sizeof *index, by_key, &of);
}

static uint32_t find_by_index(const struct allfold_outline *outline, const int32_t *peers,
                              const uint32_t *index, struct key key)
{
    uint32_t low = 0, high = outline->message_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = compare(key_of(outline, peers, index[middle]), key);
        if (order == 0)
            return index[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return outline->message_count;
}

uint32_t allfold_outlines_find(const struct allfold_outline *outline, const int32_t *peers,
                               const uint32_t *index, uint32_t from, enum allfold_step_kind kind,
                               int32_t peer, uint32_t number)
{
    if (outline->is_indexed)
        return find_by_index(outline, peers, index, (struct key){kind, peer, number});
    uint32_t m = from;
    while (m < outline->message_count && (peers[m] != peer || outline->number[m] != number ||
                                          outline->kind[outline->step_of[m]] != (uint8_t)kind))
        m++;
    return m;
}
