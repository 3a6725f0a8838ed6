/* Chunks (see chunks.h).
 *
 * Invariant: count - held >= the readers that hold none, so one of these always finds a free chunk,
 * as there are no fewer free ones than count - held. */
#include "transport/chunks.h"

#include "util/memory.h"

enum { SPARE = 7, LATEST = 16 };

struct chunk {
    struct allfold_piece piece;
    uint32_t holders;
};

struct allfold_chunks {
    uint32_t count, readers;
    uint32_t held; /* by all readers, shared ones more than once */
    uint32_t free_first, free_count;
    uint32_t latest[LATEST]; /* where a piece was last, by publication and index */
    uint32_t *free;          /* a ring: the first one is taken next */
    struct chunk chunks[];
};

uint32_t allfold_chunks_for(int readers)
{
    return (uint32_t)readers + SPARE;
}

struct allfold_chunks *allfold_chunks_create(int readers)
{
    const uint32_t count = allfold_chunks_for(readers);
    struct allfold_chunks *chunks = allfold_allocate_zeroed(
        sizeof *chunks + count * (sizeof *chunks->chunks + sizeof *chunks->free));
    if (chunks == NULL)
        return NULL;
    chunks->count = chunks->free_count = count;
    chunks->readers = (uint32_t)readers;
    chunks->free = (uint32_t *)(void *)(chunks->chunks + count);
    for (uint32_t i = 0; i < count; i++)
        chunks->free[i] = i;
    return chunks;
}

void allfold_chunks_free(struct allfold_chunks *chunks)
{
    allfold_free(chunks);
}

bool allfold_chunks_may_hold(const struct allfold_chunks *chunks, uint32_t held)
{
    return held == 0 || chunks->count - chunks->held > chunks->readers - 1;
}

static uint32_t latest_of(const struct allfold_piece *piece)
{
    return (piece->publication * 5 + piece->index) % LATEST;
}

uint32_t allfold_chunk_find(const struct allfold_chunks *chunks, const struct allfold_piece *piece)
{
    const uint32_t at = chunks->latest[latest_of(piece)];
    const struct chunk *chunk = &chunks->chunks[at];
    const bool shows = chunk->holders > 0 && chunk->piece.run == piece->run &&
                       chunk->piece.publication == piece->publication &&
                       chunk->piece.index == piece->index;
    return shows ? at : ALLFOLD_NO_CHUNK;
}

uint32_t allfold_chunk_fill(struct allfold_chunks *chunks, const struct allfold_piece *piece)
{
    const uint32_t at = chunks->free[chunks->free_first];
    chunks->free_first = (chunks->free_first + 1) % chunks->count;
    chunks->free_count--;
    chunks->chunks[at].piece = *piece;
    chunks->latest[latest_of(piece)] = at;
    return at;
}

void allfold_chunk_hold(struct allfold_chunks *chunks, uint32_t chunk)
{
    chunks->chunks[chunk].holders++;
    chunks->held++;
}

void allfold_chunk_let_go(struct allfold_chunks *chunks, uint32_t chunk)
{
    chunks->held--;
    if (--chunks->chunks[chunk].holders == 0)
        chunks->free[(chunks->free_first + chunks->free_count++) % chunks->count] = chunk;
}
