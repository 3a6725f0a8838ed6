/* Block lengths that the sweeps of the verifier try for collectives whose blocks may have different
 * lengths, such as reduce_scatter. */
#ifndef ALLFOLD_LAB_VERIFY_BLOCK_LENGTHS_H
#define ALLFOLD_LAB_VERIFY_BLOCK_LENGTHS_H

#include <stddef.h>
#include <stdint.h>

/* A distribution of the lengths of p blocks. */
enum allfold_layout {
    ALLFOLD_LAYOUT_ONE,    /* one block of length `longest`, all others empty */
    ALLFOLD_LAYOUT_ENDS,   /* the first and the last block are empty, all others are not */
    ALLFOLD_LAYOUT_HUGE,   /* one block of length `longest`, all others of length 1 */
    ALLFOLD_LAYOUT_SOME,   /* random lengths up to `longest`, about half of them 0 */
    ALLFOLD_LAYOUT_CHANCE, /* random lengths up to `longest` */
    ALLFOLD_LAYOUT_COUNT
};

/* Writes the offsets of p blocks to `begins`: p + 1 entries, of which the last is the total length.
 * `seed` determines which block is the long one, and the random lengths. */
void allfold_layout_make(enum allfold_layout layout, int p, size_t longest, uint64_t seed,
                         size_t *begins);

/* Cuts each of p blocks to at most `longest` elements and writes the new offsets to `cut`: p + 1
 * entries. Returns the length of the longest block after that. */
size_t allfold_layout_cut(const size_t *begins, int p, size_t longest, size_t *cut);

#endif
