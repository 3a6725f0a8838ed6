/* Memory pools (see memory_pool.h).
 *
 * Invariant: each part of a chunk is either a piece in use, a free piece, or not cut yet. The
 * address sanitizer allows access only to pieces in use. */
#include "util/memory_pool.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/memory.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at), (void)(bytes))
#endif

/* Chunks grow with what there is, as most communicators have few shapes. */
enum { LINE_BYTES = 64, FIRST_BYTES = 4 << 10, MOST_BYTES = 64 << 10 };

/* At the begin of a chunk, in a line of its own. */
struct allfold_chunk {
    struct allfold_chunk *next;
};

/* At the begin of a piece that is unused. */
struct unused {
    struct unused *next;
};

static size_t lines_of(size_t bytes)
{
    return bytes == 0 ? 1 : (bytes - 1) / LINE_BYTES + 1;
}

static void put_away(struct allfold_pool *pool, void *memory, size_t lines)
{
    struct unused *unused = memory;
    assert((uintptr_t)memory % LINE_BYTES == 0 && lines > 0 && lines <= ALLFOLD_PIECE_LINES);
    unused->next = pool->unused[lines];
    pool->unused[lines] = unused;
    ASAN_POISON_MEMORY_REGION(memory, lines * LINE_BYTES);
}

/* The rest of the newest chunk becomes pieces, and there is a new one, with room for `bytes` bytes
 * behind its own line. */
static bool add_chunk(struct allfold_pool *pool, size_t least_bytes)
{
    size_t bytes = pool->chunk_bytes < FIRST_BYTES ? FIRST_BYTES : pool->chunk_bytes;
    bytes = bytes > MOST_BYTES ? MOST_BYTES : bytes / LINE_BYTES * LINE_BYTES;
    if (bytes < least_bytes + LINE_BYTES)
        bytes = least_bytes + LINE_BYTES;
    struct allfold_chunk *chunk = allfold_allocate(bytes);
    if (chunk == NULL)
        return false;
    while (pool->begin < pool->end) {
        size_t lines = (size_t)(pool->end - pool->begin) / LINE_BYTES;
        lines = lines > ALLFOLD_PIECE_LINES ? ALLFOLD_PIECE_LINES : lines;
        ASAN_UNPOISON_MEMORY_REGION(pool->begin, lines * LINE_BYTES);
        put_away(pool, pool->begin, lines);
        pool->begin += lines * LINE_BYTES;
    }
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    pool->chunk_bytes += bytes;
    pool->begin = (char *)chunk + LINE_BYTES;
    pool->end = (char *)chunk + bytes;
    ASAN_POISON_MEMORY_REGION(pool->begin, (size_t)(pool->end - pool->begin));
    return true;
}

void *allfold_pool_take(struct allfold_pool *pool, size_t bytes)
{
    const size_t lines = lines_of(bytes);
    if (pool == NULL || lines > ALLFOLD_PIECE_LINES)
        return allfold_allocate(bytes);
    if (allfold_allocation_fails())
        return NULL;
    struct unused *piece = pool->unused[lines];
    if (piece != NULL) {
        ASAN_UNPOISON_MEMORY_REGION(piece, lines * LINE_BYTES);
        pool->unused[lines] = piece->next;
    } else {
        if ((size_t)(pool->end - pool->begin) < lines * LINE_BYTES &&
            !add_chunk(pool, lines * LINE_BYTES))
            return NULL;
        piece = (struct unused *)(void *)pool->begin;
        pool->begin += lines * LINE_BYTES;
        assert(pool->begin <= pool->end);
        ASAN_UNPOISON_MEMORY_REGION(piece, lines * LINE_BYTES);
    }
    pool->taken_bytes += lines * LINE_BYTES;
    return piece;
}

void allfold_pool_give(struct allfold_pool *pool, void *memory, size_t bytes)
{
    const size_t lines = lines_of(bytes);
    if (memory == NULL)
        return;
    if (pool == NULL || lines > ALLFOLD_PIECE_LINES) {
        allfold_free(memory);
        return;
    }
    assert(pool->taken_bytes >= lines * LINE_BYTES);
    pool->taken_bytes -= lines * LINE_BYTES;
    put_away(pool, memory, lines);
}

void allfold_pool_empty(struct allfold_pool *pool)
{
    assert(pool->taken_bytes == 0);
    for (struct allfold_chunk *chunk = pool->chunks; chunk != NULL;) {
        struct allfold_chunk *next = chunk->next;
        allfold_free(chunk);
        chunk = next;
    }
    *pool = (struct allfold_pool){.chunks = NULL};
}
