/* allfold_accumulator.h - exact sums of floating-point numbers, which do not depend on the order of
 * summation or on the number of ranks.
 *
 * An accumulator holds the exact sum of all numbers that were added to it. Additions are
 * associative and commutative, so threads and ranks may add in any order. A program's global sum is
 * bitwise identical on 1 and on 10,000 ranks. The sum is rounded only once, at the end.
 *
 *     struct allfold_accumulator mine = {0}, sum;
 *     allfold_accumulate(&mine, x, n);
 *     allfold_accumulator_allreduce(&mine, &sum, 1, comm);    // in allfold.h
 *     double total = allfold_accumulator_round(&sum);
 *
 * This header does not need MPI. All functions are local, allocate no memory and cannot fail. The
 * caller owns the accumulators. One thread at a time may change an accumulator.
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

/* The size of an accumulator: products of two doubles have values from 2^-2148 to 2^2048. */
enum { ALLFOLD_ACCUMULATOR_LIMBS = 134 };

/* An accumulator whose bytes are all zero is the empty sum. It has 1,112 bytes and no pointers:
 * memcpy copies it, and fwrite saves it for machines with the same byte order. It can hold up to
 * 2^63 terms. */
struct allfold_accumulator {
    int64_t limbs[ALLFOLD_ACCUMULATOR_LIMBS]; /* limb i has the weight 2^(32 i - 2176); may be
                                                 negative */
    int64_t unsettled; /* the absolute value of each limb but the last is at most 2^32 times this */
    int64_t terms;     /* number of terms, without those of the next four members */
    int64_t negative_zeros;
    int64_t infinities;
    int64_t negative_infinities;
    int64_t nans;
};

#pragma GCC visibility push(default)

/* Adds n numbers. */
void allfold_accumulate(struct allfold_accumulator *acc, const double *x, size_t n);

/* Adds n floats. */
void allfold_accumulate_float(struct allfold_accumulator *acc, const float *x, size_t n);

/* Adds the n products x[i] * y[i]. Each product is exact: it is not rounded and does not overflow.
 */
void allfold_accumulate_dot(struct allfold_accumulator *acc, const double *x, const double *y,
                            size_t n);

/* Adds the sum of `other` to `acc`. Both accumulators may be the same. */
void allfold_accumulator_add(struct allfold_accumulator *acc,
                             const struct allfold_accumulator *other);

/* Normalizes an accumulator: equal sums with equal numbers of terms then have the same bytes. Up to
 * 2^30 normalized accumulators can be added as arrays of integers, member by member. */
void allfold_accumulator_settle(struct allfold_accumulator *acc);

/* Returns the sum as a double, rounded once, to nearest, ties to even. Returns an infinity if the
 * sum is out of range, and NaN if a NaN or infinities of both signs were added. A sum of zero is -0
 * if only -0 was added, and otherwise +0. */
double allfold_accumulator_round(const struct allfold_accumulator *acc);

/* Returns the sum as a float, rounded once, in the same way. */
float allfold_accumulator_round_float(const struct allfold_accumulator *acc);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
