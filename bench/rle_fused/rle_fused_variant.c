/* Fused reductions for one instruction set: rle.inc once for each type, as in rle_variant.c. */
#include "rle_fused/rle_fused.h"

#define REDUCTIONS "rle_fused/rle_fused.inc"

#define TYPE f32
#define WORD word32
#define SIGNED int32_t
#define FRACTION 22
#define NUMBERS __m256
#define ON(name) _mm256_##name##ps
#include "kernels/rle.inc"
#undef NUMBERS
#undef ON

#define TYPE f64
#define WORD word64
#define SIGNED int64_t
#define FRACTION 51
#define NUMBERS __m256d
#define ON(name) _mm256_##name##pd
#include "kernels/rle.inc"

#define TABLE_OF(variant) allfold_rle_fused_##variant
#define EXPAND_AND_TABLE_OF(variant) TABLE_OF(variant)

allfold_rle_fuse *const EXPAND_AND_TABLE_OF(ALLFOLD_VARIANT)[ALLFOLD_TYPE_COUNT] = {
    [ALLFOLD_FLOAT] = f32_fused,
    [ALLFOLD_DOUBLE] = f64_fused,
};
