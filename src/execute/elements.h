/* Elements: what the executor must know of a datatype and an operation.
 *
 * Element i of a buffer begins at its address plus i * extent_bytes. It touches the bytes from
 * low_bytes to high_bytes - 1 relative to its begin. For a type with gaps or a negative lower bound
 * these differ from 0 and the extent. */
#ifndef ALLFOLD_EXECUTE_ELEMENTS_H
#define ALLFOLD_EXECUTE_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

struct allfold_sparse;

struct allfold_elements {
    ptrdiff_t extent_bytes;
    ptrdiff_t low_bytes;
    ptrdiff_t high_bytes;

    /* to = left o right, `count` elements each; `left` covers the lower ranks. `to` is `left`, or
     * `right`, or apart from both. Returns 0 or an error code as transports do. */
    int (*reduce)(const struct allfold_elements *elements, void *to, const void *left,
                  const void *right, size_t count);
    int (*copy)(const struct allfold_elements *elements, void *to, const void *from, size_t count);

    /* to = operands[0] o operands[1] o ..., `many` of them, 3 to ALLFOLD_CHAIN_OPERANDS (see
     * fuse.h); the same as
     * one reduction after the other. `to` is one or more of them, or apart from all. May be NULL,
     * where that would win nothing. */
    int (*fold)(const struct allfold_elements *elements, void *to, const void *const *operands,
                size_t many, size_t count);

    /* Where messages may be shorter than what they say (see sparse.h); else NULL. Elements of what
     * that names, without gaps. It is the run's, and remembers from run to run. */
    struct allfold_sparse *sparse;
};

/* The address so many bytes from another. In integers, as MPI counts addresses. A type may have
 * absolute ones and a buffer be at MPI_BOTTOM, which is NULL, or begin where no memory is. */
static inline void *allfold_address(const void *from, ptrdiff_t bytes)
{
    return (void *)((uintptr_t)from + (uintptr_t)bytes);
}

/* The room that a number of elements takes, in whole cache lines, and how far behind the begin of
 * that room element 0 is. Where the room begins at a cache line, so does element 0. */
struct allfold_room {
    size_t bytes;
    ptrdiff_t first_bytes;
};

static inline struct allfold_room allfold_elements_room(const struct allfold_elements *elements,
                                                        size_t count)
{
    enum { LINE_BYTES = 64 };
    const ptrdiff_t last = count == 0 ? 0 : (ptrdiff_t)(count - 1) * elements->extent_bytes;
    const ptrdiff_t low = elements->low_bytes + (last < 0 ? last : 0);
    const ptrdiff_t high = elements->high_bytes + (last > 0 ? last : 0);
    const ptrdiff_t before = (-low + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    const ptrdiff_t bytes = (before + high + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return (struct allfold_room){.bytes = (size_t)bytes, .first_bytes = before};
}

#endif
