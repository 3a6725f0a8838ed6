/* Exact sums of float and double as sums of integers, for ALLFOLD_REPRODUCIBLE=exact.
 *
 * A block of numbers in one format is fixed point: each number is an integer times 2^bottom,
 * divided into limbs of `limb_bits` bits, each with the number's sign. Limbs have enough spare bits
 * that limbs of up to `terms` ranks add as 64-bit integers, in any order, without overflow.
 * Rounding happens once, when a block is decoded.
 *
 * A block of n numbers has one plane of n integers for each limb, the lowest limb first. If numbers
 * may be NaN, infinite or -0, one more plane at the end counts them.
 *
 * All functions are pure and thread-safe, and accept numbers at any address. Types are
 * ALLFOLD_FLOAT and ALLFOLD_DOUBLE. */
#ifndef ALLFOLD_KERNELS_EXACT_FORMAT_H
#define ALLFOLD_KERNELS_EXACT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernels.h"

/* The requirements of a block on its format. The requirements of several blocks together are the
 * maximum of each member. */
struct allfold_exact_need {
    int16_t top;   /* every number is less than 2^top in magnitude */
    int16_t depth; /* every number is a multiple of 2^-depth; INT16_MIN, as `top`, if all numbers
                      are zero */
    int16_t has_specials; /* 1: some numbers are NaN, infinite or -0 */
};

/* The format of a block. */
struct allfold_exact_format {
    int bottom;     /* exponent of the lowest bit */
    int limbs;      /* number of planes of limbs; 0: all numbers are zero */
    int limb_bits;  /* at most 62 */
    bool is_narrow; /* two limbs, each of which fits into a double after its carries */
    bool has_specials;
};

/* The maximum number of limbs of a format, and of ranks whose numbers are added. */
enum { ALLFOLD_EXACT_LIMBS = 53, ALLFOLD_EXACT_TERMS = 1 << 20 };

/* Returns the type of the numbers in exact sums of such elements (a complex element is two
 * numbers); ALLFOLD_TYPE_COUNT if sums cannot be exact. */
static inline enum allfold_type allfold_exact_numbers(enum allfold_type type)
{
    switch (type) {
    case ALLFOLD_FLOAT:
    case ALLFOLD_COMPLEX_FLOAT:
        return ALLFOLD_FLOAT;
    case ALLFOLD_DOUBLE:
    case ALLFOLD_COMPLEX_DOUBLE:
        return ALLFOLD_DOUBLE;
    default:
        return ALLFOLD_TYPE_COUNT;
    }
}

/* Returns the format for sums of `terms` terms, at most ALLFOLD_EXACT_TERMS. */
struct allfold_exact_format allfold_exact_format(const struct allfold_exact_need *need, int terms);

/* Returns the requirements that include all numbers of the type. */
struct allfold_exact_need allfold_exact_any(enum allfold_type type);

/* Returns the number of planes of a block. */
static inline size_t allfold_exact_planes(const struct allfold_exact_format *format)
{
    return (size_t)format->limbs + format->has_specials;
}

/* Adds the requirements `need` to `all`. */
static inline void allfold_exact_widen(struct allfold_exact_need *all,
                                       struct allfold_exact_need need)
{
    all->top = all->top > need.top ? all->top : need.top;
    all->depth = all->depth > need.depth ? all->depth : need.depth;
    all->has_specials |= need.has_specials;
}

/* Returns the requirements of n numbers. */
struct allfold_exact_need allfold_exact_look(enum allfold_type type, const void *numbers, size_t n);

/* Writes the planes of n numbers, whose requirements the format must meet. */
void allfold_exact_encode(enum allfold_type type, const struct allfold_exact_format *format,
                          int64_t *planes, const void *numbers, size_t n);

/* Writes plane k only. */
void allfold_exact_encode_plane(enum allfold_type type, const struct allfold_exact_format *format,
                                int k, int64_t *plane, const void *numbers, size_t n);

/* Rounds n sums to nearest, ties to even. A sum beyond the range is infinite. With a NaN or
 * infinities of both signs among its terms it is NaN, with other infinities it is that infinity. A
 * zero sum is -0 if all terms were -0, otherwise +0. The planes are overwritten. */
void allfold_exact_decode(enum allfold_type type, const struct allfold_exact_format *format,
                          void *numbers, int64_t *planes, size_t n);

/* Computes the exact sums of vector_count vectors of n numbers, rounded as by allfold_exact_decode.
 * Vectors start `stride` bytes apart; `sums` must not overlap them. */
void allfold_exact_add(enum allfold_type type, void *sums, const void *vectors, size_t stride,
                       int vector_count, size_t n);

#endif
