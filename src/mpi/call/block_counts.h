/* Counts and displacements of the blocks of MPI_Allgatherv and MPI_Reduce_scatter. They are the
 * program's arrays: of int, or of 8-byte numbers (MPI_Count, MPI_Aint, size_t), which are called
 * wide. */
#ifndef ALLFOLD_MPI_CALL_BLOCK_COUNTS_H
#define ALLFOLD_MPI_CALL_BLOCK_COUNTS_H

#include "mpi/call/call.h"

_Static_assert(sizeof(MPI_Count) == sizeof(int64_t) && sizeof(MPI_Aint) == sizeof(int64_t) &&
                   sizeof(size_t) == sizeof(int64_t),
               "wide counts are of one size");

static inline ptrdiff_t allfold_number_at(const void *numbers, bool is_wide, int i)
{
    return is_wide ? (ptrdiff_t)((const int64_t *)numbers)[i] : ((const int *)numbers)[i];
}

/* Returns rank i's count. The call must have counts. */
static inline ptrdiff_t allfold_count_of(const struct allfold_call *call, int i)
{
    return allfold_number_at(call->counts, call->has_wide_counts, i);
}

/* Properties of the counts of all ranks, in elements. */
struct allfold_block_counts {
    size_t own, longest, total;
    ptrdiff_t begin; /* displacement of this rank's own block in recvbuf */
    ptrdiff_t low;   /* lowest displacement, or 0 if that is lower */
    size_t reach;    /* end of the block that ends last */
    bool are_alike;  /* all counts are equal */
    bool are_in_row;
};

/* Reads the counts of a call on p ranks for rank r. If `begins` is not NULL, it gets p + 1 numbers:
 * the offset of each block if blocks follow each other, and their sum. Returns false if a count is
 * negative. */

bool allfold_counts_read(const struct allfold_call *call, int p, int r, size_t *begins,
                         struct allfold_block_counts *read);

/* Returns the displacement of block i in recvbuf, in extents. The call must have displacements. */
static inline ptrdiff_t allfold_displacement_of(const struct allfold_call *call, int i)
{
    return allfold_number_at(call->displacements, call->has_wide_counts, i);
}

/* Returns the sum of all counts; 0 on an intercommunicator. */
size_t allfold_counts_total(const struct allfold_call *call);

/* Returns the bytes of the vector of a valid call on p ranks. */
size_t allfold_call_bytes(const struct allfold_call *call, int p);

/* Copies the call's arrays to *memory, which grows by allfold_reserve, so that the program may
 * change its own: as ints if the numbers fit. Returns false if out of memory. */
bool allfold_counts_keep(struct allfold_call *call, void **memory, size_t *memory_bytes);

/* Returns whether `number` wide numbers all fit ints; true if `wide` is NULL. */
bool allfold_fit_ints(const void *wide, int number);

/* Returns a copy of `number` wide numbers as ints; they must fit. The copy stays until the process
 * ends, because MPI may read it until a native request is complete, and does not report when that
 * is. Copies with the same content are kept once. Returns NULL if out of memory. Thread-safe. */
const int *allfold_keep_ints(const void *wide, int number);

/* Replaces the call's wide arrays that fit ints by copies of allfold_keep_ints. Returns false if
 * out of memory. */
bool allfold_counts_keep_for_good(struct allfold_call *call);

/* Makes memory for the offsets of the blocks of a call on p ranks; nothing if the call has no
 * counts. Returns false if out of memory. */
bool allfold_begins_reserve(const struct allfold_call *call, int p, void **memory,
                            size_t *memory_bytes);

/* Returns whether the counts of two calls on p ranks are the same. */
bool allfold_counts_are_same(const struct allfold_call *a, const struct allfold_call *b, int p);

/* Returns whether the counts and the displacements of two calls on p ranks are the same. True for
 * calls without counts. */
bool allfold_blocks_are_same(const struct allfold_call *a, const struct allfold_call *b, int p);

#endif
