/* Fused reductions of run-length coded blocks, whose result is also coded, as in Hofmann and
 * Ruenger (section 2). No schedule uses them (docs/decisions/run-length-code.md); they are only
 * measured and tested. */
#ifndef ALLFOLD_BENCH_RLE_FUSED_H
#define ALLFOLD_BENCH_RLE_FUSED_H

#include "kernels/rle.h"

/* Writes the coded block of left o right, both of `count` elements, to `to`, which has memory for
 * `count` words. Writes the length of the result to *length. `runs` must not be ALLFOLD_RLE_NONE,
 * for which allfold_rle_reduce is used. The result is bitwise identical to the coded result of
 * allfold_rle_reduce. The requirements on the operands and on the memory of the result, and the
 * return value, are the same as for allfold_rle_reduce (kernels/rle.h). */
bool allfold_rle_fused(enum allfold_type type, enum allfold_operation operation,
                       enum allfold_rle_runs runs, void *to, size_t *length,
                       struct allfold_rle_block left, struct allfold_rle_block right, size_t count);

/* The function for one type, by rle_fused_variant.c; NULL if the type is not supported. */
typedef bool allfold_rle_fuse(enum allfold_operation operation, allfold_kernel *kernel,
                              enum allfold_rle_runs runs, void *to, size_t *length,
                              struct allfold_rle_block left, struct allfold_rle_block right,
                              size_t count);
extern allfold_rle_fuse *const allfold_rle_fused_plain[ALLFOLD_TYPE_COUNT];
extern allfold_rle_fuse *const allfold_rle_fused_avx2[ALLFOLD_TYPE_COUNT];
extern allfold_rle_fuse *const allfold_rle_fused_avx512[ALLFOLD_TYPE_COUNT];

#endif
