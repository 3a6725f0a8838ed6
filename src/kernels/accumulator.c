/* Exact sums and dot products of double (see allfold_accumulator.h).
 *
 * A double is m 2^q with an integer m of 53 bits. Shifted to a multiple of 32, m covers three
 * limbs, and a product of two covers five. Limbs are signed and have 31 spare bits, so an addition
 * carries nothing; settling propagates carries, every 2^30 terms.
 *
 * Invariant: |limbs[i]| <= 2^32 * unsettled for all limbs but the last, and unsettled < 2^31. */
#include "allfold_accumulator.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
    LIMBS = ALLFOLD_ACCUMULATOR_LIMBS,
    LIMB_BITS = 32,
    LEAST = -2176, /* the exponent of limb 0 */
    FRACTION = 52, /* bits of a double behind its leading one */
    BIAS = 1075,   /* of the exponent of a double's last bit */
    ALL_ONES = 0x7ff,
};
static const int64_t MOST_UNSETTLED = INT64_C(1) << 30;
static const uint64_t LOW_LIMB = 0xffffffff;

/* A number as an integer times a power of two. */
struct parts {
    bool is_negative;
    uint64_t integer; /* 0 for zero, and for what is not finite */
    int exponent;     /* of the integer's last bit */
};

static struct parts take_apart(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int biased = (int)(bits >> FRACTION) & ALL_ONES;
    const uint64_t fraction = bits & ((UINT64_C(1) << FRACTION) - 1);
    const uint64_t leading = (uint64_t)(biased > 0) << FRACTION;
    return (struct parts){.is_negative = bits >> 63,
                          .integer = fraction | leading,
                          .exponent = biased + (biased == 0) - BIAS};
}

/* What adds no integer: zeros of both signs, infinities, NaN. Counted as a term already. */
static void count_special(struct allfold_accumulator *acc, double x)
{
    if (isnan(x))
        acc->nans++;
    else if (isinf(x) && x > 0)
        acc->infinities++;
    else if (isinf(x))
        acc->negative_infinities++;
    else if (x == 0 && signbit(x))
        acc->negative_zeros++;
    else
        return;
    acc->terms--;
}

/* The sum, with the sign of a mask: 0 or -1. */
static inline int64_t with_sign(uint64_t part, int64_t sign)
{
    return ((int64_t)part ^ sign) - sign;
}

static inline void add_finite(int64_t *limbs, uint64_t integer, int exponent, int64_t sign)
{
    const unsigned place = (unsigned)(exponent - LEAST);
    const unsigned shift = place % LIMB_BITS;
    int64_t *limb = limbs + place / LIMB_BITS;
    const uint64_t low = (integer & LOW_LIMB) << shift, high = (integer >> LIMB_BITS) << shift;
    limb[0] += with_sign(low & LOW_LIMB, sign);
    limb[1] += with_sign((low >> LIMB_BITS) + (high & LOW_LIMB), sign);
    limb[2] += with_sign(high >> LIMB_BITS, sign);
}

/* How many terms may be added before the limbs are to be settled, of n at most. Each term counts
 * two, as two parts of it may meet in a limb. */
static size_t make_room(struct allfold_accumulator *acc, size_t n)
{
    if (acc->unsettled >= MOST_UNSETTLED)
        allfold_accumulator_settle(acc);
    const size_t room = (size_t)(MOST_UNSETTLED - acc->unsettled) / 2 + 1;
    const size_t now = n < room ? n : room;
    acc->unsettled += 2 * (int64_t)now;
    acc->terms += (int64_t)now;
    return now;
}

static inline void add_number(struct allfold_accumulator *acc, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const unsigned biased = (unsigned)(bits >> FRACTION) & ALL_ONES;
    const uint64_t fraction = bits & ((UINT64_C(1) << FRACTION) - 1);
    if (biased - 1 < ALL_ONES - 1) {
        add_finite(acc->limbs, fraction | UINT64_C(1) << FRACTION, (int)biased - BIAS,
                   (int64_t)bits >> 63);
        return;
    }
    count_special(acc, x);
    if (biased == 0)
        add_finite(acc->limbs, fraction, 1 - BIAS, (int64_t)bits >> 63);
}

void allfold_accumulate(struct allfold_accumulator *acc, const double *x, size_t n)
{
    for (size_t done = 0; done < n;)
        for (const size_t end = done + make_room(acc, n - done); done < end; done++)
            add_number(acc, x[done]);
}

void allfold_accumulate_float(struct allfold_accumulator *acc, const float *x, size_t n)
{
    for (size_t done = 0; done < n;)
        for (const size_t end = done + make_room(acc, n - done); done < end; done++)
            add_number(acc, (double)x[done]);
}

static void add_product(struct allfold_accumulator *acc, double x, double y)
{
    if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0) {
        count_special(acc, x * y);
        return;
    }
    const struct parts a = take_apart(x), b = take_apart(y);
    const unsigned __int128 product = (unsigned __int128)a.integer * b.integer;
    const int64_t sign = a.is_negative == b.is_negative ? 0 : -1;
    const int exponent = a.exponent + b.exponent;
    add_finite(acc->limbs, (uint64_t)product, exponent, sign);
    add_finite(acc->limbs, (uint64_t)(product >> 64), exponent + 64, sign);
}

void allfold_accumulate_dot(struct allfold_accumulator *acc, const double *x, const double *y,
                            size_t n)
{
    for (size_t done = 0; done < n;)
        for (const size_t end = done + make_room(acc, n - done); done < end; done++)
            add_product(acc, x[done], y[done]);
}

void allfold_accumulator_settle(struct allfold_accumulator *acc)
{
    int64_t carry = 0;
    for (int i = 0; i < LIMBS - 1; i++) {
        const int64_t limb = acc->limbs[i] + carry;
        carry = limb >> LIMB_BITS;
        acc->limbs[i] = limb & (int64_t)LOW_LIMB;
    }
    acc->limbs[LIMBS - 1] += carry;
    acc->unsettled = 1;
}

void allfold_accumulator_add(struct allfold_accumulator *acc,
                             const struct allfold_accumulator *other)
{
    struct allfold_accumulator settled = *other;
    allfold_accumulator_settle(&settled);
    if (acc->unsettled >= MOST_UNSETTLED)
        allfold_accumulator_settle(acc);
    for (int i = 0; i < LIMBS; i++)
        acc->limbs[i] += settled.limbs[i];
    acc->unsettled += settled.unsettled;
    acc->terms += settled.terms;
    acc->negative_zeros += settled.negative_zeros;
    acc->infinities += settled.infinities;
    acc->negative_infinities += settled.negative_infinities;
    acc->nans += settled.nans;
}

/* --- rounding --- */

/* A format to round to. */
struct format {
    int digits; /* of the integer, in bits */
    int least;  /* exponent of the last bit of its least number */
};

static const struct format of_double = {.digits = 53, .least = -1074};
static const struct format of_float = {.digits = 24, .least = -149};

/* Writes the limbs' absolute value as digits; true if the value was negative. */
static bool make_absolute(struct allfold_accumulator *acc)
{
    if (acc->limbs[LIMBS - 1] >= 0)
        return false;
    for (int i = 0; i < LIMBS; i++)
        acc->limbs[i] = -acc->limbs[i];
    allfold_accumulator_settle(acc);
    assert(acc->limbs[LIMBS - 1] >= 0);
    return true;
}

/* Bit number i of the digits, the lowest first. */
static bool bit(const struct allfold_accumulator *acc, int i)
{
    if (i < 0)
        return false;
    const int limb = i / LIMB_BITS < LIMBS ? i / LIMB_BITS : LIMBS - 1;
    return (acc->limbs[limb] >> (i - limb * LIMB_BITS)) & 1;
}

/* Is any bit below number i set? */
static bool has_below(const struct allfold_accumulator *acc, int i)
{
    int below = 0;
    for (; (below + 1) * LIMB_BITS <= i; below++)
        if (acc->limbs[below] != 0)
            return true;
    for (int at = below * LIMB_BITS; at < i; at++)
        if (bit(acc, at))
            return true;
    return false;
}

/* The digits above zero, rounded to the format. A double holds either format's numbers, so ldexp is
 * exact unless it overflows. */
static double round_digits(const struct allfold_accumulator *acc, struct format to)
{
    int top = LIMBS - 1;
    while (top > 0 && acc->limbs[top] == 0)
        top--;
    if (acc->limbs[top] == 0)
        return 0;
    const int leading = top * LIMB_BITS + 63 - __builtin_clzll((uint64_t)acc->limbs[top]);
    const int last =
        leading - to.digits + 1 > to.least - LEAST ? leading - to.digits + 1 : to.least - LEAST;
    uint64_t integer = 0;
    for (int i = leading; i >= last; i--)
        integer = integer << 1 | bit(acc, i);
    if (bit(acc, last - 1) && (integer % 2 == 1 || has_below(acc, last - 1)))
        integer++;
    return ldexp((double)integer, last + LEAST);
}

static double round_to(const struct allfold_accumulator *acc, struct format to)
{
    if (acc->nans > 0 || (acc->infinities > 0 && acc->negative_infinities > 0))
        return (double)NAN;
    if (acc->infinities > 0 || acc->negative_infinities > 0)
        return acc->infinities > 0 ? (double)INFINITY : (double)-INFINITY;
    if (acc->terms == 0 && acc->negative_zeros > 0)
        return -0.0;
    struct allfold_accumulator digits = *acc;
    allfold_accumulator_settle(&digits);
    const bool is_negative = make_absolute(&digits);
    const double rounded = round_digits(&digits, to);
    return is_negative ? -rounded : rounded;
}

double allfold_accumulator_round(const struct allfold_accumulator *acc)
{
    return round_to(acc, of_double);
}

float allfold_accumulator_round_float(const struct allfold_accumulator *acc)
{
    return (float)round_to(acc, of_float);
}
