/* Run-length code of float and double vectors: shorter messages where data repeats itself, and
 * reductions that read and write them so. After Hofmann and Ruenger, MPI Reduction Operations for
 * Sparse Floating-Point Data, section 2.
 *
 * A block says a vector of `count` elements in `length` words, each as wide as an element:
 *
 * - length == count: the words are the elements. So a plain vector is a block, and no block is
 *   longer than its vector.
 * - length < count: a NaN with sign 0 is a marker; every other word is an element. A quiet one says
 *   by its fraction (51 bits; 22 of a float) how many zeros it stands for, 2 or more. A zero is
 *   +0.0, of which all bits are 0. With a fraction of 0 it is an element itself. A signalling one
 *   says likewise how many times, 3 or more, the word after it, any word, comes. Longer runs are
 *   split.
 *
 * No bit is lost, and none of a NaN's. The arithmetic of x86 makes NaNs of sign 1; C's NAN and
 * those of other processors have a fraction of 0. A vector with any other NaN that no run can say
 * stays plain. Every marker saves a word or more, so what is left of a block never has more words
 * than what is left of its vector has elements. This invariant makes work in place possible.
 *
 * All functions are pure, may be called from any number of threads, and take words at any address.
 */
#ifndef ALLFOLD_KERNELS_RLE_H
#define ALLFOLD_KERNELS_RLE_H

#include "kernels/kernels.h"

/* Which runs are looked for. Blocks of all three kinds are read alike. */
enum allfold_rle_runs {
    ALLFOLD_RLE_NONE,   /* what comes out is plain */
    ALLFOLD_RLE_ZEROS,  /* 2 or more zeros */
    ALLFOLD_RLE_VALUES, /* and 3 or more of any other bits */
};

struct allfold_rle_block {
    const void *words;
    size_t length;
};

/* Whether vectors of a type have such blocks: float and double. */
bool allfold_rle_serves(enum allfold_type type);

/* The block of a vector, into `to`, which has room for `count` words and is apart from the vector.
 * Returns its length. Of a type that is not served the program is wrong. */
size_t allfold_rle_encode(enum allfold_type type, enum allfold_rle_runs runs, void *to,
                          const void *vector, size_t count);

/* The `count` elements that a block stands for, into `to`. The block is apart from `to`, or its
 * last word is the last of `to`. False where the block is none of a vector of so many elements.
 * Then `to` is undefined, but nothing outside of it was written and nothing outside of the block
 * read. */
bool allfold_rle_decode(enum allfold_type type, void *to, size_t count,
                        struct allfold_rle_block block);

/* left o right, both of `count` elements, as a plain vector into `to`. Bitwise identical to
 * decoding both and calling the kernel (kernels.h); so, where both elements are NaN, either may
 * come out of sums and products.
 *
 * Each operand is apart from `to`, or its last word is the last of `to` (a plain one then is `to`
 * itself). An operand that is not plain must then be apart from the other one. False as for
 * allfold_rle_decode; also where there is no kernel or the type is not served. */
bool allfold_rle_reduce(enum allfold_type type, enum allfold_operation operation, void *to,
                        struct allfold_rle_block left, struct allfold_rle_block right,
                        size_t count);

#endif
