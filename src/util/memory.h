/* The allocator of the library. The whole library allocates through these functions, so that a test
 * can make the n-th allocation fail (allfold_fail_allocation). Thread-safe. */
#ifndef ALLFOLD_UTIL_MEMORY_H
#define ALLFOLD_UTIL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Allocates `bytes` bytes, aligned to a cache line (64 bytes). NULL if out of memory. The caller
 * frees them with allfold_free. */
void *allfold_allocate(size_t bytes);

/* Allocates as allfold_allocate does, filled with zeros. */
void *allfold_allocate_zeroed(size_t bytes);

/* The slow path of allfold_make_room. */
void *allfold_widen(void *items, uint32_t index, uint32_t *capacity, size_t item_bytes);

/* Returns the array `items`, moved if needed, so that it has memory for item number `index`, and
 * updates *capacity. NULL if out of memory: then `items` and *capacity remain valid. `items` must
 * be NULL if *capacity is 0. The array is aligned as by malloc; the caller frees it with free. */
static inline void *allfold_make_room(void *items, uint32_t index, uint32_t *capacity,
                                      size_t item_bytes)
{
    return index < *capacity ? items : allfold_widen(items, index, capacity, item_bytes);
}

/* Enlarges *memory, of *have_bytes bytes, to `bytes` bytes at least. Its content is lost if it
 * grows. Memory that grows again gets a quarter more than asked for, so that ever longer vectors do
 * not allocate at each call. False if out of memory: then both remain unchanged. */
bool allfold_reserve(void **memory, size_t *have_bytes, size_t bytes);

/* Frees memory of allfold_allocate. NULL is allowed. */
void allfold_free(void *memory);

/* Counts an allocation for allfold_fail_allocation, and returns whether it must fail. Must be
 * called by code that reuses memory without calling the allocator. */
bool allfold_allocation_fails(void);

/* For tests: lets the n-th allocation from now on fail, once (1: the next one). 0 disables this. */
void allfold_fail_allocation(unsigned long n);

#endif
