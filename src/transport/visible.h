/* Visible memory: memory of a rank that the other ranks of its node can map or attach, so that data
 * in it need not be copied for them. */
#ifndef ALLFOLD_TRANSPORT_VISIBLE_H
#define ALLFOLD_TRANSPORT_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The visible memory of a rank, as this process sees it. */
struct allfold_visible {
    const char *memory; /* the mapped part, in this process; NULL: there is none */
    size_t bytes;       /* of `memory`; of another rank's: readable so far (see `reveal`) */
    void *process; /* for `attach`, the rest of the rank's memory; NULL: it cannot be attached */
};

/* How a process accesses the visible memory of other ranks. */
struct allfold_access {
    /* Makes at least the first `bytes` bytes of visible->memory readable, and updates
     * visible->bytes. NULL: all of it is always readable. */
    void (*reveal)(struct allfold_visible *visible, size_t bytes);

    /* Returns an address in this process for `bytes` bytes at `address` in the rank's process,
     * valid until `detach`. NULL if they cannot be read. Both functions are NULL if no rank has a
     * `process`. */
    const void *(*attach)(void *process, uintptr_t address, size_t bytes);
    void (*detach)(void *process, const void *memory);
};

/* Returns whether all of the `bytes` bytes at `data` are in visible->memory. */
static inline bool allfold_is_visible(const struct allfold_visible *visible, const void *data,
                                      size_t bytes)
{
    const uintptr_t offset = (uintptr_t)data - (uintptr_t)visible->memory;
    return offset < visible->bytes && bytes <= visible->bytes - offset;
}

#endif
