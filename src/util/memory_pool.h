/* A pool: small pieces of memory for one owner, without asking the allocator for each.
 *
 * Pieces are cut from chunks and, once given back, serve the next piece of that size. Large ones
 * come from the allocator (memory.h). A piece counts as an allocation where tests make these fail.
 * One thread at a time. */
#ifndef ALLFOLD_UTIL_MEMORY_POOL_H
#define ALLFOLD_UTIL_MEMORY_POOL_H

#include <stddef.h>

enum { ALLFOLD_PIECE_LINES = 64 }; /* of a cache line each: the largest piece of a chunk */

struct allfold_chunk;

/* Zeroed it is an empty pool. */
struct allfold_pool {
    struct allfold_chunk *chunks;          /* the newest first */
    char *begin, *end;                     /* what is not cut yet of the newest one */
    void *unused[ALLFOLD_PIECE_LINES + 1]; /* lines -> pieces of that size that were given back */
    size_t chunk_bytes;                    /* of all chunks */
    size_t taken_bytes;                    /* of all pieces that are out */
};

/* `bytes` that are aligned to a cache line; NULL without memory. A NULL pool is the allocator. */
void *allfold_pool_take(struct allfold_pool *pool, size_t bytes);

/* Gives back what was taken from that pool with that number of bytes; NULL is allowed. */
void allfold_pool_give(struct allfold_pool *pool, void *memory, size_t bytes);

/* Frees the chunks of a pool of which no piece is out; it may be used again. */
void allfold_pool_empty(struct allfold_pool *pool);

#endif
