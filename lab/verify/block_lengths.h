/* Layouts: lengths of blocks that the sweeps try where a collective allows any. Pure functions. */
#ifndef ALLFOLD_LAB_VERIFY_BLOCK_LENGTHS_H
#define ALLFOLD_LAB_VERIFY_BLOCK_LENGTHS_H

#include <stddef.h>
#include <stdint.h>

enum allfold_layout {
    ALLFOLD_LAYOUT_ONE,    /* one block of `longest`, all others empty */
    ALLFOLD_LAYOUT_ENDS,   /* the first and last blocks are empty, those between are not */
    ALLFOLD_LAYOUT_HUGE,   /* one block as long as `longest`, all others have an element */
    ALLFOLD_LAYOUT_SOME,   /* lengths up to `longest` by chance, every other one empty */
    ALLFOLD_LAYOUT_CHANCE, /* lengths up to `longest` by chance */
    ALLFOLD_LAYOUT_COUNT
};

/* Writes where p blocks of that layout begin, and behind them their length: p + 1 places. */
void allfold_layout_make(enum allfold_layout layout, int p, size_t longest, uint64_t seed,
                         size_t *begins);

/* The same blocks of p ranks, cut to `longest`; returns the length of the longest one then. */
size_t allfold_layout_cut(const size_t *begins, int p, size_t longest, size_t *cut);

#endif
