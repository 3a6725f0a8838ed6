/* Exact sums of float and double as sums of integers, for ALLFOLD_REPRODUCIBLE=exact.
 *
 * A block of numbers that share a format is fixed point: each number is an integer times
 * 2^bottom, cut into limbs of `limb_bits` bits, each with the number's sign. Limbs have as many
 * bits to spare as the ranks need, so limbs of up to `terms` ranks add as 64-bit integers, in any
 * order, and nothing overflows. Rounding happens once, when a block is decoded.
 *
 * A block of n numbers is one plane of n integers for each limb, the lowest first. Behind these is
 * one plane more where numbers may be NaN, infinite or -0: it counts them.
 *
 * All functions are pure, and take numbers at any address. Types are ALLFOLD_FLOAT and
 * ALLFOLD_DOUBLE. */
#ifndef ALLFOLD_KERNELS_EXACT_FORMAT_H
#define ALLFOLD_KERNELS_EXACT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernels.h"

/* What a block needs. Of several blocks' needs, the greatest of each member is what all need
 * together. */
struct allfold_exact_need {
    int16_t top;          /* every number is below 2^top in size */
    int16_t depth;        /* and a multiple of 2^-depth; like top, INT16_MIN where all are zero */
    int16_t has_specials; /* 1: some are NaN, infinite or -0 */
};

struct allfold_exact_format {
    int bottom;     /* exponent of the lowest bit */
    int limbs;      /* planes of limbs; 0: all numbers are zero */
    int limb_bits;  /* at most 62 */
    bool is_narrow; /* two limbs, each of which a double holds, once carried */
    bool has_specials;
};

/* The most limbs of a format, and the most ranks whose numbers add. */
enum { ALLFOLD_EXACT_LIMBS = 53, ALLFOLD_EXACT_TERMS = 1 << 20 };

/* Sums of such elements are numbers of this type (a complex one is two); ALLFOLD_TYPE_COUNT: they
 * cannot be exact. */
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

/* The format of a block for sums of so many terms, at most ALLFOLD_EXACT_TERMS. */
struct allfold_exact_format allfold_exact_format(const struct allfold_exact_need *need, int terms);

/* What any number of the type needs. */
struct allfold_exact_need allfold_exact_any(enum allfold_type type);

static inline size_t allfold_exact_planes(const struct allfold_exact_format *format)
{
    return (size_t)format->limbs + format->has_specials;
}

/* Widens what all need by what some need. */
static inline void allfold_exact_widen(struct allfold_exact_need *all,
                                       struct allfold_exact_need need)
{
    all->top = all->top > need.top ? all->top : need.top;
    all->depth = all->depth > need.depth ? all->depth : need.depth;
    all->has_specials |= need.has_specials;
}

/* What n numbers need. */
struct allfold_exact_need allfold_exact_look(enum allfold_type type, const void *numbers, size_t n);

/* Writes the planes of n numbers that need no more than the format has. */
void allfold_exact_encode(enum allfold_type type, const struct allfold_exact_format *format,
                          int64_t *planes, const void *numbers, size_t n);

/* Writes plane k alone. */
void allfold_exact_encode_plane(enum allfold_type type, const struct allfold_exact_format *format,
                                int k, int64_t *plane, const void *numbers, size_t n);

/* Rounds n sums: to nearest, ties to even. A sum beyond the range is infinite. With a NaN or
 * infinities of both signs among its terms it is NaN, with others that infinity. It is -0 where all
 * terms were -0, and else +0 for zero. The planes are lost. */
void allfold_exact_decode(enum allfold_type type, const struct allfold_exact_format *format,
                          void *numbers, int64_t *planes, size_t n);

/* The exact sums of so many vectors of n numbers, rounded as above. Vectors begin `stride` bytes
 * apart; `sums` may not overlap them. */
void allfold_exact_add(enum allfold_type type, void *sums, const void *vectors, size_t stride,
                       int vector_count, size_t n);

#endif
