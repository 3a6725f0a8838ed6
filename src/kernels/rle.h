/* A run-length code for vectors of float and double that hold repeated values, and reductions of
 * encoded vectors. After Hofmann and Ruenger, MPI Reduction Operations for Sparse Floating-Point
 * Data, section 2.
 *
 * A block represents a vector of `count` elements by `length` words, each as wide as an element:
 *
 * - length == count: the words are the elements. So a plain vector is a block, and no block is
 *   longer than its vector.
 * - length < count: a NaN with sign 0 is a marker; every other word is an element. A quiet marker
 *   has in its fraction (51 bits; 22 for float) the number of zeros that it represents, 2 or more;
 *   a zero is +0.0, with all bits 0. With a fraction of 0 it is itself an element. A signaling
 *   marker has in its fraction the number of times, 3 or more, that the next word is repeated; that
 *   word may be any word. Longer runs are split.
 *
 * The code is lossless for all elements, NaNs included. NaNs computed by x86 have sign 1; C's NAN
 * and those of other processors have a fraction of 0. A vector with another NaN that looks like a
 * marker is not encoded, unless it is part of a run. Every marker saves a word or more, so the rest
 * of a block never has more words than the rest of its vector has elements. This invariant makes
 * operations in place possible.
 *
 * All functions are pure and thread-safe, and accept words at any address. */
#ifndef ALLFOLD_KERNELS_RLE_H
#define ALLFOLD_KERNELS_RLE_H

#include "kernels/kernels.h"

/* Which runs the encoder looks for. The decoder accepts all of them. */
enum allfold_rle_runs {
    ALLFOLD_RLE_NONE,   /* none: the vector stays plain */
    ALLFOLD_RLE_ZEROS,  /* 2 or more zeros */
    ALLFOLD_RLE_VALUES, /* runs of 2 or more zeros, and of 3 or more equal words */
};

/* A block. */
struct allfold_rle_block {
    const void *words;
    size_t length;
};

/* Returns whether vectors of a type can be encoded: float and double. */
bool allfold_rle_serves(enum allfold_type type);

/* Encodes a vector of `count` words into `to`, which has memory for `count` words and must not
 * overlap the vector. Returns the length of the block. The type must be supported. */
size_t allfold_rle_encode(enum allfold_type type, enum allfold_rle_runs runs, void *to,
                          const void *vector, size_t count);

/* Decodes a block into the `count` elements at `to`. Either the block does not overlap `to`, or its
 * last word is the last word of `to`. False if the block is not one of a vector of `count`
 * elements. Then `to` is undefined, but nothing outside of it was written and nothing outside of
 * the block was read. */
bool allfold_rle_decode(enum allfold_type type, void *to, size_t count,
                        struct allfold_rle_block block);

/* Computes left o right, both of `count` elements, as a plain vector in `to`. The result is bitwise
 * identical to decoding both and calling the kernel (kernels.h), except that if both elements are
 * NaN, the result of sums and products is either of them.
 *
 * Each operand either does not overlap `to`, or its last word is the last word of `to` (a plain
 * operand is then equal to `to`). An operand that is not plain must not overlap the other one in
 * that case. False if a block is invalid, as by allfold_rle_decode, or if there is no kernel or the
 * type is not supported. */
bool allfold_rle_reduce(enum allfold_type type, enum allfold_operation operation, void *to,
                        struct allfold_rle_block left, struct allfold_rle_block right,
                        size_t count);

#endif
