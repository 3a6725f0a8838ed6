/* Folding by the canonical tree (peers.h): what several ranks gave, in the order of the ranks. */
#ifndef ALLFOLD_ALGORITHMS_CANONICAL_H
#define ALLFOLD_ALGORITHMS_CANONICAL_H

#include "algorithms/problem.h"

struct allfold_builder;

/* Where operand i of n elements lies among all those but operand `place`. */
static inline struct allfold_span allfold_operand_of_others(struct allfold_span all, size_t n,
                                                            int place, int i)
{
    const size_t before = (size_t)(i < place ? i : i - 1);
    return (struct allfold_span){
        .offset = all.offset + before * n, .length = n, .buffer = all.buffer};
}

/* to = the fold by the canonical tree of `count` operands, 2 or more. Number `place` is `mine`; the
 * others lie in `all` one after the other, and what is there is lost. `to` may be `mine`. */
void allfold_canonical_fold(struct allfold_builder *s, int count, int place, struct allfold_span to,
                            struct allfold_span mine, struct allfold_span all);

#endif
