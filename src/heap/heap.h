/* The heap of this process: large blocks, which the other ranks of the node can map. So they read
 * what is sent to them where it lies (see transport/visible.h).
 *
 * It is one anonymous file (see shared_file.h) as large as the machine's memory, mapped as a whole.
 * What is written to takes memory, near the core that wrote there first; all else is addresses.
 * What was never given out cannot be read, neither here nor by others. So a tool that looks through
 * all memory (valgrind for leaks) does not fill it.
 *
 * After a fork the child has a private copy of what was allocated, at the same addresses, as it has
 * of all other memory. The fork makes the copy. The child's heap is then its own, and no file. Not
 * so after _Fork and vfork, whose children may do little but exec.
 *
 * Freed blocks go back to the system, but for a part that is kept to be given out again. That part
 * is 32 MiB or a quarter of what is allocated, whichever is more. Beside it short pieces between
 * blocks stay, of 32 MiB or twice what is allocated. Any thread. */
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
