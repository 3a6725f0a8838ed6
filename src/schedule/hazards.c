/* Hazards: which earlier steps a step has to wait for (see hazards.h). */
#include "schedule/hazards.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "util/memory.h"

static const uint32_t NONE = UINT32_MAX;

void allfold_hazards_free(struct allfold_hazards *hazards)
{
    allfold_free(hazards->pieces);
    allfold_free(hazards->readers);
    allfold_free(hazards->edges);
    allfold_free(hazards->seen);
}

static uint32_t new_piece(struct allfold_hazards *h)
{
    uint32_t piece = h->free_piece;
    if (piece != NONE && h->piece_count > 0) {
        h->free_piece = h->pieces[piece].next;
        return piece;
    }
    void *pieces =
        allfold_make_room(h->pieces, h->piece_count, &h->piece_capacity, sizeof *h->pieces);
    if (pieces == NULL)
        return NONE;
    h->pieces = pieces;
    return h->piece_count++;
}

enum allfold_error allfold_hazards_add_buffer(struct allfold_hazards *h, int buffer, size_t length)
{
    assert(buffer >= 0 && buffer < ALLFOLD_MAX_BUFFERS);
    if (h->piece_count == 0)
        h->free_piece = NONE;
    uint32_t piece = new_piece(h);
    if (piece == NONE)
        return ALLFOLD_NO_MEMORY;
    h->pieces[piece] = (struct allfold_piece){.offset = 0,
                                              .end = length,
                                              .next = NONE,
                                              .previous = NONE,
                                              .writer = NONE,
                                              .readers = NONE};
    h->hint[buffer] = piece;
    return ALLFOLD_OK;
}

/* The piece that holds the element at `offset`, sought from `piece` on. */
static uint32_t find(const struct allfold_hazards *h, uint32_t piece, size_t offset)
{
    assert(piece != NONE);
    while (h->pieces[piece].offset > offset) {
        piece = h->pieces[piece].previous;
        assert(piece != NONE); /* pieces cover the buffer */
    }
    while (h->pieces[piece].end <= offset) {
        assert(h->pieces[piece].next == NONE ||
               h->pieces[h->pieces[piece].next].offset == h->pieces[piece].end);
        piece = h->pieces[piece].next;
        assert(piece != NONE);
    }
    return piece;
}

/* Makes a piece begin at `offset`, which lies in `piece`; NONE without memory. */
static uint32_t split(struct allfold_hazards *h, uint32_t piece, size_t offset)
{
    if (h->pieces[piece].offset == offset)
        return piece;
    assert(h->pieces[piece].offset < offset && offset < h->pieces[piece].end);
    uint32_t tail = new_piece(h);
    if (tail == NONE)
        return NONE;
    struct allfold_piece *head = &h->pieces[piece];
    h->pieces[tail] = *head;
    h->pieces[tail].offset = offset;
    h->pieces[tail].previous = piece;
    if (head->next != NONE)
        h->pieces[head->next].previous = tail;
    head->next = tail;
    head->end = offset;
    return tail;
}

/* The first piece of a span that begins and ends where pieces do; NONE without memory. */
static uint32_t isolate(struct allfold_hazards *h, struct allfold_span span)
{
    assert(span.length > 0 && span.buffer >= 0 && span.buffer < ALLFOLD_MAX_BUFFERS);
    const size_t end = span.offset + span.length;
    uint32_t first = find(h, h->hint[span.buffer], span.offset);
    if (h->pieces[first].offset != span.offset)
        first = split(h, first, span.offset);
    if (first == NONE)
        return NONE;
    h->hint[span.buffer] = first;
    if (h->pieces[first].end == end)
        return first;
    const uint32_t last = find(h, first, end - 1);
    if (h->pieces[last].end != end && split(h, last, end) == NONE)
        return NONE;
    return first;
}

static bool inside(const struct allfold_hazards *h, uint32_t piece, struct allfold_span span)
{
    return piece != NONE && h->pieces[piece].offset < span.offset + span.length;
}

static enum allfold_error wait_for(struct allfold_hazards *h, uint32_t step, uint32_t earlier)
{
    if (earlier == NONE || earlier == step || h->seen[earlier] == step + 1)
        return ALLFOLD_OK;
    assert(earlier < step); /* steps come in ascending order */
    void *edges = allfold_make_room(h->edges, h->edge_count, &h->edge_capacity, sizeof *h->edges);
    if (edges == NULL)
        return ALLFOLD_NO_MEMORY;
    h->edges = edges;
    h->seen[earlier] = step + 1;
    h->edges[h->edge_count++] = earlier;
    return ALLFOLD_OK;
}

static enum allfold_error know_step(struct allfold_hazards *h, uint32_t step)
{
    void *seen = allfold_make_room(h->seen, step, &h->seen_capacity, sizeof *h->seen);
    if (seen == NULL)
        return ALLFOLD_NO_MEMORY;
    h->seen = seen;
    h->seen[step] = 0;
    return ALLFOLD_OK;
}

static enum allfold_error add_reader(struct allfold_hazards *h, uint32_t piece, uint32_t step)
{
    void *readers =
        allfold_make_room(h->readers, h->reader_count, &h->reader_capacity, sizeof *h->readers);
    if (readers == NULL)
        return ALLFOLD_NO_MEMORY;
    h->readers = readers;
    h->readers[h->reader_count] =
        (struct allfold_reader){.step = step, .next = h->pieces[piece].readers};
    h->pieces[piece].readers = h->reader_count++;
    return ALLFOLD_OK;
}

enum allfold_error allfold_hazards_read(struct allfold_hazards *h, struct allfold_span span,
                                        uint32_t step)
{
    uint32_t piece = isolate(h, span);
    enum allfold_error error = piece == NONE ? ALLFOLD_NO_MEMORY : know_step(h, step);
    for (; error == ALLFOLD_OK && inside(h, piece, span); piece = h->pieces[piece].next) {
        error = wait_for(h, step, h->pieces[piece].writer);
        if (error == ALLFOLD_OK)
            error = add_reader(h, piece, step);
    }
    return error;
}

static enum allfold_error wait_for_users(struct allfold_hazards *h, uint32_t piece, uint32_t step)
{
    enum allfold_error error = wait_for(h, step, h->pieces[piece].writer);
    for (uint32_t i = h->pieces[piece].readers; error == ALLFOLD_OK && i != NONE;
         i = h->readers[i].next)
        error = wait_for(h, step, h->readers[i].step);
    return error;
}

static void unlink_piece(struct allfold_hazards *h, uint32_t piece)
{
    struct allfold_piece *gone = &h->pieces[piece];
    assert(gone->previous != NONE && h->pieces[gone->previous].end == gone->offset);
    assert(gone->next == NONE || h->pieces[gone->next].offset == gone->end);
    h->pieces[gone->previous].next = gone->next;
    if (gone->next != NONE)
        h->pieces[gone->next].previous = gone->previous;
    h->pieces[gone->previous].end = gone->end;
    gone->next = h->free_piece;
    h->free_piece = piece;
}

enum allfold_error allfold_hazards_write(struct allfold_hazards *h, struct allfold_span span,
                                         uint32_t step)
{
    uint32_t first = isolate(h, span);
    enum allfold_error error = first == NONE ? ALLFOLD_NO_MEMORY : know_step(h, step);
    if (error != ALLFOLD_OK)
        return error;
    error = wait_for_users(h, first, step);
    while (error == ALLFOLD_OK && inside(h, h->pieces[first].next, span)) {
        uint32_t piece = h->pieces[first].next;
        error = wait_for_users(h, piece, step);
        unlink_piece(h, piece);
    }
    assert(error != ALLFOLD_OK || (h->pieces[first].offset == span.offset &&
                                   h->pieces[first].end == span.offset + span.length));
    h->pieces[first].writer = step;
    h->pieces[first].readers = NONE;
    return error;
}
