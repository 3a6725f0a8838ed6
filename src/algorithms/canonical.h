/* Reduces the contributions of several ranks by the canonical tree (peers.h), in the order of the
 * ranks. */
#ifndef ALLFOLD_ALGORITHMS_CANONICAL_H
#define ALLFOLD_ALGORITHMS_CANONICAL_H

#include "algorithms/problem.h"

struct allfold_builder;

/* Returns where operand i of n elements is, if all operands except for operand `place` are stored
 * one after the other in `all`. */
static inline struct allfold_span allfold_operand_of_others(struct allfold_span all, size_t n,
                                                            int place, int i)
{
    const size_t before = (size_t)(i < place ? i : i - 1);
    return (struct allfold_span){
        .offset = all.offset + before * n, .length = n, .buffer = all.buffer};
}

/* Writes the steps to = reduction of `count` operands, 2 or more, by the canonical tree. Operand
 * number `place` is `mine`; the others are one after the other in `all`, which is overwritten. `to`
 * may be `mine`. */
void allfold_canonical_fold(struct allfold_builder *s, int count, int place, struct allfold_span to,
                            struct allfold_span mine, struct allfold_span all);

#endif
