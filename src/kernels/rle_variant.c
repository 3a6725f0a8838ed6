/* The run-length code of float and double for one instruction set: rle.inc once per type. The build
 * compiles this file once per variant (ALLFOLD_VARIANT), as it does variant.c. */
#include "kernels/variants.h"

#include <stdint.h>
#include <string.h>

#if defined __AVX2__
#include <immintrin.h>
#endif

#define PASTE(type, name) type##_##name
#define EXPAND_AND_PASTE(type, name) PASTE(type, name)
#define RLE(name) EXPAND_AND_PASTE(TYPE, name)

/* Callers' memory: floating-point numbers at any address. */
typedef uint32_t word32 __attribute__((aligned(1), may_alias));
typedef uint64_t word64 __attribute__((aligned(1), may_alias));

enum {
    CHUNK_BYTES = 4096, /* what is worked on at a time: several of them fit the nearest cache */
    STEP_BYTES = 32,    /* a vector of the processor */
    LOOK = 64,          /* elements looked at at a time, each a bit */
};

/* Bits [from, end) of LOOK. */
static inline uint64_t bits(size_t from, size_t end)
{
    return from >= end ? 0 : ~(uint64_t)0 >> (LOOK - (end - from)) << from;
}

/* Whether [a, a + a_bytes) and [b, b + b_bytes) have nothing in common. */
static inline bool is_apart(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    return (uintptr_t)a + a_bytes <= (uintptr_t)b || (uintptr_t)b + b_bytes <= (uintptr_t)a;
}

static const _Alignas(64) unsigned char zeros[CHUNK_BYTES];

#define TYPE f32
#define WORD word32
#define SIGNED int32_t
#define FRACTION 22
#define NUMBERS __m256
#define ON(name) _mm256_##name##ps
#include "kernels/rle.inc"

#define TYPE f64
#define WORD word64
#define SIGNED int64_t
#define FRACTION 51
#define NUMBERS __m256d
#define ON(name) _mm256_##name##pd
#include "kernels/rle.inc"

#define SET_OF(variant) allfold_rle_##variant
#define EXPAND_AND_SET_OF(variant) SET_OF(variant)

const struct allfold_rle_set EXPAND_AND_SET_OF(ALLFOLD_VARIANT)[ALLFOLD_TYPE_COUNT] = {
    [ALLFOLD_FLOAT] = {f32_encode, f32_decode, f32_reduce},
    [ALLFOLD_DOUBLE] = {f64_encode, f64_decode, f64_reduce},
};
