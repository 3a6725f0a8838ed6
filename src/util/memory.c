/* The allocator of the library, which tests can make fail (see memory.h). */
#include "util/memory.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE_BYTES = 64, FIRST_CAPACITY = 64 };

static atomic_ulong allocations_until_failure;

void allfold_fail_allocation(unsigned long n)
{
    atomic_store(&allocations_until_failure, n);
}

bool allfold_allocation_fails(void)
{
    if (atomic_load_explicit(&allocations_until_failure, memory_order_relaxed) == 0)
        return false;
    return atomic_fetch_sub(&allocations_until_failure, 1) == 1;
}

void *allfold_allocate(size_t bytes)
{
    if (allfold_allocation_fails() || bytes > PTRDIFF_MAX - CACHE_LINE_BYTES)
        return NULL;
    size_t lines = (bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES;
    return aligned_alloc(CACHE_LINE_BYTES, (lines == 0 ? 1 : lines) * CACHE_LINE_BYTES);
}

void *allfold_allocate_zeroed(size_t bytes)
{
    void *memory = allfold_allocate(bytes);
    return memory == NULL ? NULL : memset(memory, 0, bytes);
}

void *allfold_widen(void *items, uint32_t index, uint32_t *capacity, size_t item_bytes)
{
    assert(index >= *capacity && item_bytes > 0);
    assert(*capacity > 0 || items == NULL);
    if (index > UINT32_MAX / 2)
        return NULL;
    uint32_t wanted = *capacity == 0 ? FIRST_CAPACITY : *capacity * 2;
    if (wanted <= index)
        wanted = index + 1;
    void *grown = allfold_allocation_fails() ? NULL : realloc(items, wanted * item_bytes);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

bool allfold_reserve(void **memory, size_t *have_bytes, size_t bytes)
{
    if (bytes <= *have_bytes)
        return true;
    if (*have_bytes > 0 && bytes < SIZE_MAX / 2)
        bytes += bytes / 4;
    void *larger = allfold_allocate(bytes);
    if (larger == NULL)
        return false;
    allfold_free(*memory);
    *memory = larger;
    *have_bytes = bytes;
    return true;
}

void allfold_free(void *memory)
{
    free(memory);
}
