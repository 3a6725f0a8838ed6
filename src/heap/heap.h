/* The heap: an allocator for large blocks that the other ranks of the node can map, so that they
 * read messages from them in place (see transport/visible.h).
 *
 * The heap is one anonymous file (shared_file.h) as large as the machine's memory, mapped as a
 * whole. A page takes memory once it is written to, on the NUMA node of the core that writes it
 * first. Pages that were never allocated are PROT_NONE in all processes, except for some after the
 * last allocated one, so that a tool that reads all memory (valgrind's search for leaks) does not
 * allocate them.
 *
 * After a fork the child has a private copy of the allocated blocks at the same addresses, as for
 * all other memory; the fork makes the copy. The child's heap is its own then, and is no file. This
 * does not apply to _Fork and vfork, whose children may do little but exec.
 *
 * Freed memory is returned to the system, except for two parts that are kept to be allocated again:
 * - extents of 256 KiB and more: at most 32 MiB or a quarter of the allocated memory, whichever is
 *   more. Beyond that limit, the least recently freed extents are returned first.
 * - shorter extents: at most 32 MiB or twice the allocated memory, whichever is more. Beyond that
 *   limit, the longest extents are returned first.
 *
 * In both cases half of the limit is kept. Thread-safe. */
#ifndef ALLFOLD_HEAP_HEAP_H
#define ALLFOLD_HEAP_HEAP_H

#include <stdbool.h>

#include "heap/shared_file.h"

/* The minimum length of a block in the heap: a shorter block is not worth pages of its own, and
 * reading it in place would save nothing. */
enum { ALLFOLD_HEAP_LEAST_BYTES = 16 << 10 };

/* The functions of a heap. If a program's large allocations come from a heap (one_copy.h), that
 * heap is in another library than its user. */
struct allfold_heap {
    /* Allocates a block, aligned to a page and to `alignment`, a power of two. NULL if out of
     * memory. The caller frees it with `release`. */
    void *(*allocate)(size_t bytes, size_t alignment, bool is_zeroed);

    /* Frees a block. False if the memory is not a block of the heap. */
    bool (*release)(void *memory);

    /* Changes the length of a block without moving it. False if that is not possible. */
    bool (*resize)(void *memory, size_t bytes);

    /* Returns the length of a block in bytes; 0 if the memory is not a block of the heap. */
    size_t (*length)(const void *memory);

    /* Returns what other processes need to map the heap. The descriptor is -1 if there is no heap.
     */
    struct allfold_shared_file (*file)(void);

    /* Sets the address and the length of the heap in this process. False if there is no heap. */
    bool (*region)(const char **memory, size_t *bytes);

    /* Returns the reason why there is no heap, for messages. NULL if there is one, or it has not
     * been used yet. */
    const char *(*missing)(void);
};

/* The heap that is linked into the caller's library. It is created at its first use. */
extern const struct allfold_heap allfold_own_heap;

#endif
