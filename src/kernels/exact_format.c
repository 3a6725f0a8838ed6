/* Chooses formats, and encodes and decodes block by block (see exact_format.h). */
#include "kernels/exact_format.h"

#include <assert.h>

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

/* --- sums of vectors that are all here --- */

enum { PIECE = 32 /* numbers that share a format */, MOST_PLANES = ALLFOLD_EXACT_LIMBS + 1 };

static void add_piece(enum allfold_type type, void *sums, const char *vectors, size_t stride,
                      int vector_count, size_t n)
{
    int64_t planes[PIECE * MOST_PLANES], more[PIECE * MOST_PLANES];
    struct allfold_exact_need need = {INT16_MIN, INT16_MIN, 0};
    for (int v = 0; v < vector_count; v++)
        allfold_exact_widen(&need, allfold_exact_look(type, vectors + (size_t)v * stride, n));
    const struct allfold_exact_format format = allfold_exact_format(&need, vector_count);
    const size_t length = allfold_exact_planes(&format) * n;
    allfold_exact_encode(type, &format, planes, vectors, n);
    for (int v = 1; v < vector_count; v++) {
        allfold_exact_encode(type, &format, more, vectors + (size_t)v * stride, n);
        for (size_t i = 0; i < length; i++)
            planes[i] += more[i];
    }
    allfold_exact_decode(type, &format, sums, planes, n);
}

void allfold_exact_add(enum allfold_type type, void *sums, const void *vectors, size_t stride,
                       int vector_count, size_t n)
{
    const size_t bytes = allfold_type_bytes(type);
    assert(vector_count >= 1);
    for (size_t at = 0; at < n; at += PIECE)
        add_piece(type, (char *)sums + at * bytes, (const char *)vectors + at * bytes, stride,
                  vector_count, n - at < PIECE ? n - at : PIECE);
}
