/* The interface of liballfold-one-copy.so, whose malloc allocates a program's large blocks from the
 * heap, so that reductions read them in place.
 *
 * `allfold run --one-copy` preloads the library, which replaces malloc and related functions.
 * Blocks of ALLFOLD_HEAP_LEAST_BYTES and more come from its heap, if there is memory; all others
 * come from the next malloc. It is inactive (all blocks come from the next malloc) if the program
 * uses another malloc than the C library's, or a tool that checks memory. The library for MPI finds
 * it by its only symbol. */
#ifndef ALLFOLD_HEAP_ONE_COPY_H
#define ALLFOLD_HEAP_ONE_COPY_H

#include "heap/heap.h"

/* The symbol's name has a version, so that two versions of the libraries in one process do not use
 * each other. */
#define ALLFOLD_ONE_COPY_SYMBOL "allfold_one_copy_1"

/* What the library provides. */
struct allfold_one_copy {
    const struct allfold_heap *heap;

    /* Returns the reason why the program's allocations do not come from the heap, for messages.
     * NULL if they do. */
    const char *(*why_off)(void);
};

extern const struct allfold_one_copy allfold_one_copy_1;

#endif
