/* Formats of exact sums (see exact.h). */
#include "kernels/exact.h"

#include <assert.h>

enum allfold_type allfold_exact_numbers(enum allfold_type type)
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

/* Bits that p limbs of one bit need at most, beside that bit. */
static int bits_for_carries(int terms)
{
    int bits = 0;
    while (1 << bits < terms)
        bits++;
    return bits;
}

struct allfold_exact_format allfold_exact_format(const struct allfold_exact_need *need, int terms)
{
    enum { MOST_BITS = 62, SUM_BITS = 63, NARROW_BITS = 52 };
    assert(terms >= 1 && terms <= ALLFOLD_EXACT_TERMS);
    const int limb_bits = SUM_BITS - bits_for_carries(terms);
    struct allfold_exact_format format = {.limb_bits =
                                              limb_bits < MOST_BITS ? limb_bits : MOST_BITS,
                                          .has_specials = need->has_specials > 0};
    if (need->top == INT16_MIN)
        return format;
    assert(need->top + need->depth > 0);
    format.bottom = -need->depth;
    format.limbs = (need->top + need->depth + format.limb_bits - 1) / format.limb_bits;
    assert(format.limbs <= ALLFOLD_EXACT_LIMBS);
    const int carries = bits_for_carries(terms);
    format.is_narrow = format.limbs == 2 && format.limb_bits >= NARROW_BITS &&
                       need->top + need->depth <= 2 * NARROW_BITS &&
                       need->top + need->depth + carries <= 2 * NARROW_BITS + 1;
    if (format.is_narrow)
        format.limb_bits = NARROW_BITS;
    return format;
}

struct allfold_exact_need allfold_exact_any(enum allfold_type type)
{
    return type == ALLFOLD_FLOAT ? (struct allfold_exact_need){128, 149, 1}
                                 : (struct allfold_exact_need){1024, 1074, 1};
}
