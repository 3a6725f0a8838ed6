/* Reductions of run-length blocks into a block, as Hofmann and Ruenger describe them (section 2).
 * No schedule uses them (docs/decisions/run-length-code.md): here they are measured and tested. */
#ifndef ALLFOLD_BENCH_RLE_FUSED_H
#define ALLFOLD_BENCH_RLE_FUSED_H

#include "kernels/rle.h"

/* The block of left o right, both of `count` elements, into `to`, which has room for `count` words.
 * *length is what was written. `runs` is not ALLFOLD_RLE_NONE, which is what allfold_rle_reduce
 * does. The result is bitwise identical to encoding what allfold_rle_reduce writes. Operands, the
 * result's memory and false are as there. */
bool allfold_rle_fused(enum allfold_type type, enum allfold_operation operation,
                       enum allfold_rle_runs runs, void *to, size_t *length,
                       struct allfold_rle_block left, struct allfold_rle_block right, size_t count);

/* Of one type, by rle_fused_variant.c; NULL where the type is not served. */
typedef bool allfold_rle_fuse(enum allfold_operation operation, allfold_kernel *kernel,
                              enum allfold_rle_runs runs, void *to, size_t *length,
                              struct allfold_rle_block left, struct allfold_rle_block right,
                              size_t count);
extern allfold_rle_fuse *const allfold_rle_fused_plain[ALLFOLD_TYPE_COUNT];
extern allfold_rle_fuse *const allfold_rle_fused_avx2[ALLFOLD_TYPE_COUNT];
extern allfold_rle_fuse *const allfold_rle_fused_avx512[ALLFOLD_TYPE_COUNT];

#endif
