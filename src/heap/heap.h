/* The heap of this process: large blocks, which the other ranks of the node can map. So they read
 * what is sent to them where it lies (see transport/visible.h).
 *
 * It is one anonymous file (see shared_file.h) as large as the machine's memory, mapped as a whole.
 * A page takes memory once it is written to, on the NUMA node of the core that writes it first.
 * Pages that were never allocated are PROT_NONE, in this process and in the others, except for some
 * after the last allocated one. So a tool that reads all memory (valgrind's search for leaks) does
 * not fill them.
 *
 * After a fork the child has a private copy of what was allocated, at the same addresses, as it has
 * of all other memory. The fork makes the copy. The child's heap is then its own, and no file. Not
 * so after _Fork and vfork, whose children may do little but exec.
 *
 * Freed memory goes back to the system, but for two parts that are kept to be allocated again:
 * - extents of 256 KiB and more: at most 32 MiB or a quarter of what is allocated, whichever is
 *   more. If there is more, the least recently freed ones go back first.
 * - shorter extents: at most 32 MiB or twice what is allocated, whichever is more. If there is
 *   more, the longest ones go back first.
 * In both cases half of that amount stays. Any thread. */
#ifndef ALLFOLD_HEAP_HEAP_H
#define ALLFOLD_HEAP_HEAP_H

#include <stdbool.h>

#include "heap/shared_file.h"

/* Less than so many bytes are not worth a page of their own, nor seeing. */
enum { ALLFOLD_HEAP_LEAST_BYTES = 16 << 10 };

/* What can be asked of a heap. Where a program's large allocations come from one (one_copy.h), that
 * heap is in another library than the one that asks. */
struct allfold_heap {
    /* Memory aligned to a page at least and to `alignment`, a power of two; NULL where there is
     * none. */
    void *(*allocate)(size_t bytes, size_t alignment, bool is_zeroed);

    /* False where the memory is not a block of the heap. */
    bool (*release)(void *memory);

    /* Makes a block longer or shorter where it lies. False where it cannot. */
    bool (*resize)(void *memory, size_t bytes);

    /* Bytes of a block, 0 where the memory is not one. */
    size_t (*length)(const void *memory);

    /* What others need to map it; its descriptor is -1 where there is no heap. */
    struct allfold_shared_file (*file)(void);

    /* Where it lies in this process; false where there is none. */
    bool (*region)(const char **memory, size_t *bytes);

    /* Why there is none, in words; NULL where there is one, or none was asked for yet. */
    const char *(*missing)(void);
};

/* The one that is linked into the caller's library. Made at the first use. */
extern const struct allfold_heap allfold_own_heap;

#endif
