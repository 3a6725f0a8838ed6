/* The run-length code of float and double for one instruction set: rle.inc once per type. The build
 * compiles this file once per variant (ALLFOLD_VARIANT), as it does variant.c. */
#include "kernels/kernel_variants.h"

#define REDUCTIONS "kernels/rle_reduce.inc"

#define TYPE f32
#define WORD word32
#define SIGNED int32_t
#define FRACTION 22
#include "kernels/rle.inc"

#define TYPE f64
#define WORD word64
#define SIGNED int64_t
#define FRACTION 51
#include "kernels/rle.inc"

#define SET_OF(variant) allfold_rle_##variant
#define EXPAND_AND_SET_OF(variant) SET_OF(variant)

const struct allfold_rle_set EXPAND_AND_SET_OF(ALLFOLD_VARIANT)[ALLFOLD_TYPE_COUNT] = {
    [ALLFOLD_FLOAT] = {f32_encode, f32_decode, f32_reduce},
    [ALLFOLD_DOUBLE] = {f64_encode, f64_decode, f64_reduce},
};
