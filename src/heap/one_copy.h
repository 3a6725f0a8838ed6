/* One copy: a program's large allocations come from the heap, so that reductions read them where
 * they lie.
 *
 * `allfold run --one-copy` preloads liballfold-one-copy.so, which takes the place of malloc and its
 * kind. Blocks of ALLFOLD_HEAP_LEAST_BYTES and more come from its heap, where there is room; all
 * others are the next malloc's, as without it. It stays out of the way (all blocks are the next
 * malloc's) where another malloc than the C library's serves the program, or a tool that watches
 * memory does. The library for MPI finds this one by its one symbol. */
#ifndef ALLFOLD_HEAP_ONE_COPY_H
#define ALLFOLD_HEAP_ONE_COPY_H

#include "heap/heap.h"

/* Libraries of two versions in one process do not know each other. */
#define ALLFOLD_ONE_COPY_SYMBOL "allfold_one_copy_1"

struct allfold_one_copy {
    const struct allfold_heap *heap;

    /* Why the program's allocations do not come from it, in words; NULL where they do. */
    const char *(*why_off)(void);
};

extern const struct allfold_one_copy allfold_one_copy_1;

#endif
