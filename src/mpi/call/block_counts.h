/* Counts and displacements of blocks of any lengths, as a program gives them: arrays of ints, or of
 * 8 bytes each, that are the program's. */
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

/* Rank i's count; of a call with counts. */
static inline ptrdiff_t allfold_count_of(const struct allfold_call *call, int i)
{
    return allfold_number_at(call->counts, call->has_wide_counts, i);
}

/* What is to be known of the counts of all ranks, in elements. */
struct allfold_block_counts {
    size_t own, longest, total;
    ptrdiff_t begin; /* where this rank's own block lies in recvbuf */
    ptrdiff_t low;   /* where the lowest block begins, 0 at most */
    size_t reach;    /* where the last one ends */
    bool are_alike;  /* all counts are the same */
    bool are_in_row;
};

/* Reads the counts of a call on p ranks, of which this is number r. If `begins` is not NULL, it
 * gets p + 1 numbers: where each block begins, and their sum. False where a count is negative. */
bool allfold_counts_read(const struct allfold_call *call, int p, int r, size_t *begins,
                         struct allfold_block_counts *read);

/* Where block i lies in recvbuf, in extents; of a call with displacements. */
static inline ptrdiff_t allfold_displacement_of(const struct allfold_call *call, int i)
{
    return allfold_number_at(call->displacements, call->has_wide_counts, i);
}

/* The sum of all counts; 0 between two groups of ranks. */
size_t allfold_counts_total(const struct allfold_call *call);

/* The bytes of the vector of a call that is right, on p ranks. */
size_t allfold_call_bytes(const struct allfold_call *call, int p);

/* Copies the call's arrays to *memory, which grows as allfold_reserve has it, so that the program
 * may change its own: as ints, where they fit. False without memory. */
bool allfold_counts_keep(struct allfold_call *call, void **memory, size_t *memory_bytes);

/* Do all of that many wide numbers fit ints? So do those of NULL. */
bool allfold_fit_ints(const void *wide, int number);

/* A copy of wide numbers that fit, as ints, that stays until the process ends, for native requests:
 * MPI may read them until a request is gone, which it does not report. Copies of the same content
 * are kept once. NULL without memory. Any thread. */
const int *allfold_keep_ints(const void *wide, int number);

/* Replaces wide arrays that fit ints by ints that stay like that. False without memory. */
bool allfold_counts_keep_for_good(struct allfold_call *call);

/* Makes room for where the blocks of a call on p ranks begin; none where it has no counts. False
 * without memory. */
bool allfold_begins_reserve(const struct allfold_call *call, int p, void **memory,
                            size_t *memory_bytes);

/* Are the counts of two calls on p ranks the same? */
bool allfold_counts_are_same(const struct allfold_call *a, const struct allfold_call *b, int p);

/* Are the displacements so, too? Of calls without counts: yes. */
bool allfold_blocks_are_same(const struct allfold_call *a, const struct allfold_call *b, int p);

#endif
