/* Memory of a rank that the other ranks of its node see: what lies there need not be copied for
 * them. */
#ifndef ALLFOLD_TRANSPORT_VISIBLE_H
#define ALLFOLD_TRANSPORT_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allfold_visible {
    const char *memory; /* where it lies for this process; NULL: there is none */
    size_t bytes;       /* of another rank's: those that can be read, see `reveal` */
    void *process;      /* what its memory elsewhere is attached by; NULL: it is not seen */
};

/* How another rank's memory is got at. */
struct allfold_access {
    /* Makes so many bytes of it readable, at least, and says so in it. NULL: all of it is. */
    void (*reveal)(struct allfold_visible *visible, size_t bytes);

    /* Where the rank's bytes at an address lie for this process, until `detach`; NULL where they
     * cannot be read. Both NULL where no rank has a process. */
    const void *(*attach)(void *process, uintptr_t address, size_t bytes);
    void (*detach)(void *process, const void *memory);
};

/* Does all of that lie in it? */
static inline bool allfold_is_visible(const struct allfold_visible *visible, const void *data,
                                      size_t bytes)
{
    const uintptr_t offset = (uintptr_t)data - (uintptr_t)visible->memory;
    return offset < visible->bytes && bytes <= visible->bytes - offset;
}

#endif
