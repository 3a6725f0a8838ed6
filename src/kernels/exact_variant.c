/* Exact sums of float and double for one instruction set: exact.inc once per type. The build
 * compiles this file once per variant (ALLFOLD_VARIANT), as it does variant.c. */
#include "kernels/kernel_variants.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define AT_ANY_ADDRESS __attribute__((aligned(1)))
#define OF_ANY_TYPE __attribute__((may_alias))
#define NOT_INLINED __attribute__((noinline))

typedef float real_float AT_ANY_ADDRESS OF_ANY_TYPE;
typedef double real_double AT_ANY_ADDRESS OF_ANY_TYPE;
typedef uint32_t word32 AT_ANY_ADDRESS OF_ANY_TYPE;
typedef uint64_t word64 AT_ANY_ADDRESS OF_ANY_TYPE;

/* --- special numbers: what is counted of each, in 21 bits --- */

enum { COUNT_BITS = 21 };
static const int64_t ONE_INFINITY = 1, ONE_NEGATIVE_INFINITY = INT64_C(1) << COUNT_BITS,
                     ONE_OTHER = INT64_C(1) << 2 * COUNT_BITS; /* than -0 */
_Static_assert(ALLFOLD_EXACT_TERMS < 1 << COUNT_BITS, "counts do not overflow");

/* A NaN counts as infinities of both signs, whose sum is NaN. */
static inline int64_t special(bool is_nan, bool is_infinite, bool is_negative, bool is_minus_zero)
{
    return (is_nan || (is_infinite && !is_negative) ? ONE_INFINITY : 0) +
           (is_nan || (is_infinite && is_negative) ? ONE_NEGATIVE_INFINITY : 0) +
           (is_minus_zero ? 0 : ONE_OTHER);
}

static inline double with_specials(int64_t counts, double finite)
{
    const int64_t most = ONE_NEGATIVE_INFINITY - 1;
    const bool has_infinity = (counts & most) != 0,
               has_negative_infinity = (counts >> COUNT_BITS & most) != 0;
    if (has_infinity || has_negative_infinity)
        return has_infinity && has_negative_infinity ? (double)NAN
               : has_infinity                        ? (double)INFINITY
                                                     : (double)-INFINITY;
    return counts == 0 ? -0.0 : finite;
}

/* --- the leading bits of a sum --- */

/* A sum's size: bits * 2^exponent, where the last bit says whether there are more below it. So
 * rounding `bits` rounds the sum, as no type has 64 digits less one. */
struct top {
    uint64_t bits;
    int exponent;
};

static inline struct top top_of(unsigned __int128 size)
{
    const uint64_t high = (uint64_t)(size >> 64);
    if (high == 0)
        return (struct top){(uint64_t)size, 0};
    const int shift = 64 - __builtin_clzll(high);
    const uint64_t below = (uint64_t)size << (64 - shift);
    return (struct top){(uint64_t)(size >> shift) | (below != 0), shift};
}

/* Carries a sum's limbs upwards, those below the last one to 0 .. 2^limb_bits - 1, each times the
 * sign. Returns what is in the last one. */
static int64_t carry_limbs(int64_t *limbs, const int64_t *from, size_t stride,
                           const struct allfold_exact_format *format, int64_t sign)
{
    const int64_t limb = (INT64_C(1) << format->limb_bits) - 1;
    __int128 carry = 0;
    int k = 0;
    for (; k < format->limbs - 1; k++) {
        carry += sign * from[(size_t)k * stride];
        limbs[k] = (int64_t)carry & limb;
        carry >>= format->limb_bits;
    }
    carry += sign * from[(size_t)k * stride];
    limbs[k] = (int64_t)carry & limb;
    return (int64_t)(carry >> format->limb_bits);
}

static struct top top_of_limbs(const int64_t *from, size_t stride,
                               const struct allfold_exact_format *format, bool *is_negative)
{
    int64_t limbs[ALLFOLD_EXACT_LIMBS + 1];
    const int bits = format->limb_bits;
    int k = format->limbs;
    assert(k <= ALLFOLD_EXACT_LIMBS);
    limbs[k] = carry_limbs(limbs, from, stride, format, 1);
    *is_negative = limbs[k] < 0;
    if (*is_negative)
        limbs[k] = carry_limbs(limbs, from, stride, format, -1);
    while (k > 0 && limbs[k] == 0)
        k--;
    /* the first two limbs that are not zero, and of a third one as much as there is room for */
    unsigned __int128 size = (uint64_t)limbs[k];
    int lowest = k, room = 64 + __builtin_clzll((uint64_t)limbs[k] | 1);
    for (; lowest > 0 && room >= bits; room -= bits)
        size = size << bits | (uint64_t)limbs[--lowest];
    bool has_more = false;
    for (int below = 0; below < lowest && !has_more; below++)
        has_more = limbs[below] != 0;
    const struct top top = top_of(size);
    return (struct top){top.bits | has_more, top.exponent + lowest * bits};
}

#define TYPE real_float
#define NATIVE float
#define WORD word32
#define SIGNED int32_t
#define FRACTION 23
#define BIAS 150
#define NAME(function) float_##function
#include "kernels/exact.inc"

#define TYPE real_double
#define NATIVE double
#define WORD word64
#define SIGNED int64_t
#define FRACTION 52
#define BIAS 1075
#define NAME(function) double_##function
#include "kernels/exact.inc"

#define SET_OF(variant) allfold_exact_##variant
#define EXPAND_AND_SET_OF(variant) SET_OF(variant)

const struct allfold_exact_set EXPAND_AND_SET_OF(ALLFOLD_VARIANT)[ALLFOLD_TYPE_COUNT] = {
    [ALLFOLD_FLOAT] = {float_look, float_encode_plane, float_decode},
    [ALLFOLD_DOUBLE] = {double_look, double_encode_plane, double_decode},
};
