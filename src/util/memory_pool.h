/* Memory pools: small pieces of memory for one owner, with few calls of the allocator.
 *
 * Pieces are cut from chunks. A piece that is given back is reused for the next piece of its size.
 * Pieces larger than ALLFOLD_PIECE_LINES cache lines come from the allocator (memory.h). Each piece
 * counts as an allocation for tests that make allocations fail. One thread at a time. */
#ifndef ALLFOLD_UTIL_MEMORY_POOL_H
#define ALLFOLD_UTIL_MEMORY_POOL_H

#include <stddef.h>

enum { ALLFOLD_PIECE_LINES = 64 }; /* the maximum length of a piece in a chunk, in cache lines */

struct allfold_chunk;

/* A pool. Zeroed, it is an empty pool. */
struct allfold_pool {
    struct allfold_chunk *chunks; /* the newest one first */
    char *begin, *end;            /* the part of the newest chunk that is not cut into pieces yet */
    void *unused[ALLFOLD_PIECE_LINES + 1]; /* number of cache lines -> free pieces of that length */
    size_t chunk_bytes;                    /* sum over all chunks */
    size_t taken_bytes;                    /* sum over all pieces in use */
};

/* Returns a piece of `bytes` bytes, aligned to a cache line. NULL if out of memory. If `pool` is
 * NULL, the piece comes from the allocator. */
void *allfold_pool_take(struct allfold_pool *pool, size_t bytes);

/* Gives a piece back. `pool` and `bytes` must be those of the call that returned it; `memory` may
 * be NULL. */
void allfold_pool_give(struct allfold_pool *pool, void *memory, size_t bytes);

/* Frees the chunks of a pool. No piece may be in use. The pool is then empty, and may be used
 * again. */
void allfold_pool_empty(struct allfold_pool *pool);

#endif
