/* Holdings: which contributions each rank has of each element after a round, as pictures show them.
 *
 * A rank's holding of a row (element_names.h) is a set of ranks. For a reduction it is the set of
 * contributions to one value of the rank: its complete result, if it has had it so far, else the
 * value with the most contributions. For collectives that only move data it is the set of ranks
 * from which it has the element. */
#ifndef ALLFOLD_LAB_PICTURE_HOLDINGS_H
#define ALLFOLD_LAB_PICTURE_HOLDINGS_H

#include "lab/picture/picture.h"

/* The holdings of all ranks after one round. */
struct allfold_holdings {
    const struct allfold_case *of;
    size_t rows;
    uint64_t *held;   /* [rank * rows + row]: bit r for rank r */
    uint64_t *wanted; /* [rank * rows + row]: the complete set; 0: not in the rank's result */
    uint32_t next;    /* index of the next one of picture->holdings */
};

/* Starts with the holdings before the first round. Returns false if out of memory. The caller frees
 * the holdings with allfold_holdings_free in any case. */
bool allfold_holdings_begin(struct allfold_holdings *holdings, const struct allfold_case *of,
                            const struct allfold_picture *picture);
void allfold_holdings_free(struct allfold_holdings *holdings);

/* Advances to the end of a round, which must not be before the current one. */
void allfold_holdings_advance(struct allfold_holdings *holdings,
                              const struct allfold_picture *picture, size_t round);

/* Returns the holding of a rank and a row. */
uint64_t allfold_held(const struct allfold_holdings *holdings, int rank, size_t row);

/* Returns whether the holding is complete: reduced over all contributors, or data that is moved. */
bool allfold_held_is_whole(const struct allfold_holdings *holdings, int rank, size_t row);

/* Returns whether the picture shows a part of this rank's result. */
bool allfold_holder_has_result(const struct allfold_holdings *holdings, int rank);

/* Returns whether the rank has all of the result that the picture shows. */
bool allfold_holder_is_done(const struct allfold_holdings *holdings, int rank);

#endif
