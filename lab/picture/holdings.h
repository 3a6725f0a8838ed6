/* Holdings: what each rank has of each element after a round, as pictures show it.
 *
 * What a rank holds of a row (element_names.h) is a set of ranks, whose contributions are in one
 * value. It is the rank's result if that was among the values that it had so far, else the value
 * with most contributions. Where data is moved a rank holds what it has received from each giver.
 */
#ifndef ALLFOLD_LAB_PICTURE_HOLDINGS_H
#define ALLFOLD_LAB_PICTURE_HOLDINGS_H

#include "lab/picture/picture.h"

struct allfold_holdings {
    const struct allfold_case *of;
    size_t rows;
    uint64_t *held;   /* [rank * rows + row] */
    uint64_t *wanted; /* the same: what the rank's result is to have; 0: no part of it */
    uint32_t next;    /* of the picture's holdings */
};

/* What the ranks hold before the first round. False without memory. Freed with
 * allfold_holdings_free in any case. */
bool allfold_holdings_begin(struct allfold_holdings *holdings, const struct allfold_case *of,
                            const struct allfold_picture *picture);
void allfold_holdings_free(struct allfold_holdings *holdings);

/* Goes on to the end of a round; rounds ascend. */
void allfold_holdings_advance(struct allfold_holdings *holdings,
                              const struct allfold_picture *picture, size_t round);

/* What a rank holds of a row, and whether that is complete: nothing more is to come into it. */
uint64_t allfold_held(const struct allfold_holdings *holdings, int rank, size_t row);
bool allfold_held_is_whole(const struct allfold_holdings *holdings, int rank, size_t row);

/* Do the picture's rows hold a part of this rank's result? Has the rank all of that part? */
bool allfold_holder_has_result(const struct allfold_holdings *holdings, int rank);
bool allfold_holder_is_done(const struct allfold_holdings *holdings, int rank);

#endif
