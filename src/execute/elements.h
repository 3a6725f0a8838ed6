/* Elements: what the executor needs to know of a datatype and an operation.
 *
 * Element i of a buffer starts at the buffer's address plus i * extent_bytes. It covers the bytes
 * [low_bytes, high_bytes) relative to its start. For a type with gaps or a negative lower bound
 * these differ from 0 and the extent. */
#ifndef ALLFOLD_EXECUTE_ELEMENTS_H
#define ALLFOLD_EXECUTE_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

struct allfold_sparse;

/* A datatype and an operation. */
struct allfold_elements {
    ptrdiff_t extent_bytes;
    ptrdiff_t low_bytes;
    ptrdiff_t high_bytes;

    /* Computes to = left o right for `count` elements; `left` covers the lower ranks. `to` is equal
     * to `left`, equal to `right`, or does not overlap them. Returns 0 or an error code, as
     * transports do. */
    int (*reduce)(const struct allfold_elements *elements, void *to, const void *left,
                  const void *right, size_t count);
    int (*copy)(const struct allfold_elements *elements, void *to, const void *from, size_t count);

    /* Computes to = operands[0] o operands[1] o ... for `many` operands, 3 to
     * ALLFOLD_CHAIN_OPERANDS (fuse.h), with the same result as one reduction after the other. `to`
     * is equal to one or more operands, or does not overlap them. NULL if it would save nothing. */
    int (*fold)(const struct allfold_elements *elements, void *to, const void *const *operands,
                size_t many, size_t count);

    /* The state of compression, if messages may be compressed (sparse.h); otherwise NULL. Elements
     * must then be of its type, without gaps. It belongs to the run, and keeps its statistics from
     * run to run. */
    struct allfold_sparse *sparse;
};

/* Returns the address `bytes` bytes after `from`, computed with integers, as MPI computes
 * addresses: a type may have absolute addresses, and a buffer may be MPI_BOTTOM, which is NULL, or
 * start outside of any object. */
static inline void *allfold_address(const void *from, ptrdiff_t bytes)
{
    return (void *)((uintptr_t)from + (uintptr_t)bytes);
}

/* The memory for a number of elements: its length in whole cache lines, and the offset of element
 * 0. If the memory is aligned to a cache line, element 0 is, too. */
struct allfold_room {
    size_t bytes;
    ptrdiff_t first_bytes;
};

/* Returns the memory that `count` elements need. */
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
