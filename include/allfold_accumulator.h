/* allfold_accumulator.h - sums of floating-point numbers that depend on no order and no number of
 * ranks.
 *
 * An accumulator holds the exact sum of all that was added to it. Additions commute and associate,
 * so threads and ranks may add in any order. A program's global sum is bitwise identical on 1 and
 * on 10,000 ranks. Rounding happens once, at the end.
 *
 *     struct allfold_accumulator mine = {0}, sum;
 *     allfold_accumulate(&mine, x, n);
 *     allfold_accumulator_allreduce(&mine, &sum, 1, comm);    // in allfold.h
 *     double total = allfold_accumulator_round(&sum);
 *
 * This header needs no MPI. No function here is collective, allocates, or can fail. Accumulators
 * are the caller's. Two threads must not change the same accumulator at once.
 *
 * An accumulator is U. Kulisch's long accumulator in a redundant radix of 2^32, as in R. M. Neal's
 * "small superaccumulator" ("Fast Exact Summation Using Small and Large Superaccumulators", 2015,
 * section 2). Unlike Neal's, it is long enough for products. */
#ifndef ALLFOLD_ACCUMULATOR_H
#define ALLFOLD_ACCUMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Products of two doubles reach from 2^-2148 to 2^2048. */
enum { ALLFOLD_ACCUMULATOR_LIMBS = 134 };

/* An accumulator of zero bytes is the sum of nothing. It has 1,112 bytes and no pointers: memcpy
 * copies it, and fwrite keeps it for a restart on machines of the same byte order. Up to 2^63 terms
 * fit. */
struct allfold_accumulator {
    int64_t limbs[ALLFOLD_ACCUMULATOR_LIMBS]; /* limb i counts 2^(32 i - 2176); may be negative */
    int64_t unsettled; /* no limb but the last is greater than 2^32 times this, in absolute value */
    int64_t terms;     /* added, all but those of the next four */
    int64_t negative_zeros;
    int64_t infinities;
    int64_t negative_infinities;
    int64_t nans;
};

#pragma GCC visibility push(default)

/* Adds n numbers. */
void allfold_accumulate(struct allfold_accumulator *acc, const double *x, size_t n);

/* The same for n floats. */
void allfold_accumulate_float(struct allfold_accumulator *acc, const float *x, size_t n);

/* Adds the n products x[i] * y[i], each exact: a product neither rounds nor overflows. */
void allfold_accumulate_dot(struct allfold_accumulator *acc, const double *x, const double *y,
                            size_t n);

/* Adds what `other` holds. Both accumulators may be the same. */
void allfold_accumulator_add(struct allfold_accumulator *acc,
                             const struct allfold_accumulator *other);

/* Brings an accumulator into the one form that its value has. Equal sums of as many terms then have
 * the same bytes, and up to 2^30 accumulators add as integers, member by member. */
void allfold_accumulator_settle(struct allfold_accumulator *acc);

/* The exact sum, rounded once, to nearest, ties to even; an infinity where the sum is beyond the
 * range. The result is NaN where a NaN was added, or infinities of both signs. It is -0 where
 * nothing but -0 was added, and else +0 for zero. */
double allfold_accumulator_round(const struct allfold_accumulator *acc);

/* The exact sum, rounded once to a float. */
float allfold_accumulator_round_float(const struct allfold_accumulator *acc);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
