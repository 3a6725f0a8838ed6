/* What flat algorithms share: each rank has the vectors of all others and folds them in the order
 * of the ranks. With shared memory that is one round of reading. */
#ifndef ALLFOLD_ALGORITHMS_FLAT_H
#define ALLFOLD_ALGORITHMS_FLAT_H

#include "algorithms/peers.h"
#include "schedule/builder.h"

/* Where rank i's n elements lie among those of all ranks but r. */
static inline struct allfold_span allfold_flat_place(struct allfold_span all, size_t n, int r,
                                                     int i)
{
    const size_t before = (size_t)(i < r ? i : i - 1);
    return (struct allfold_span){
        .offset = all.offset + before * n, .length = n, .buffer = all.buffer};
}

/* to = the fold of `mine`, which is rank r's, and all others' in the order of the ranks, from left
 * to right. `to` may be `mine`. */
void allfold_flat_fold(struct allfold_builder *s, struct allfold_span to, struct allfold_span mine,
                       struct allfold_span all, int p, int r);

#endif
