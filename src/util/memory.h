/* The one allocator of the library.
 *
 * Every allocation below src/mpi/ and in it goes through these calls. So a test can make the n-th
 * one fail (allfold_fail_allocation) and see what happens. Thread-safe. */
#ifndef ALLFOLD_UTIL_MEMORY_H
#define ALLFOLD_UTIL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that are aligned to a cache line (64), or NULL. Freed with allfold_free. */
void *allfold_allocate(size_t bytes);

/* As allfold_allocate, filled with zeros. */
void *allfold_allocate_zeroed(size_t bytes);

/* The part of allfold_make_room that is seldom needed. */
void *allfold_widen(void *items, uint32_t index, uint32_t *capacity, size_t item_bytes);

/* The array `items`, moved if need be, so that it has room for item number `index`; *capacity
 * follows. NULL leaves both as they were. `items` is NULL where *capacity is 0, and aligned as
 * malloc does. */
static inline void *allfold_make_room(void *items, uint32_t index, uint32_t *capacity,
                                      size_t item_bytes)
{
    return index < *capacity ? items : allfold_widen(items, index, capacity, item_bytes);
}

/* Makes *memory, of *have_bytes, at least `bytes` long; what it held is lost. What grows again gets
 * some more, so that ever longer vectors do not allocate at each call. False without memory: then
 * both stay as they were. */
bool allfold_reserve(void **memory, size_t *have_bytes, size_t bytes);

void allfold_free(void *memory);

/* What is handed out again without the allocator asks this first: it counts as an allocation where
 * tests make these fail. */
bool allfold_allocation_fails(void);

/* For tests: the n-th allocation from now on (1 = the next) fails, once; 0 switches this off. */
void allfold_fail_allocation(unsigned long n);

#endif
