/* Contests: the measured times of all algorithms at each message size, and the rows of a tuned
 * table that follow from them. */
#ifndef ALLFOLD_LAB_MEASURE_CONTEST_H
#define ALLFOLD_LAB_MEASURE_CONTEST_H

#include "algorithms/algorithm.h"

enum { ALLFOLD_CONTEST_ENTRIES = 32 };

struct allfold_contest_entry {
    const struct allfold_algorithm *algorithm; /* NULL: the native algorithm */
    struct allfold_parameters parameters;
    double median_us;
    double low_us, high_us; /* confidence interval of the median */
    int samples;
};

struct allfold_contest {
    size_t bytes;                /* the measured size */
    size_t from_bytes, to_bytes; /* the range [from, to) that it represents; SIZE_MAX: no bound */
    int count;
    struct allfold_contest_entry entries[ALLFOLD_CONTEST_ENTRIES];
};

/* Returns the entry of `contest` that has the algorithm and parameters of `entry`, or NULL. */
const struct allfold_contest_entry *allfold_contest_find(const struct allfold_contest *contest,
                                                         const struct allfold_contest_entry *entry);

/* Returns the entry of the native algorithm, or NULL if it was not measured. */
const struct allfold_contest_entry *allfold_contest_native(const struct allfold_contest *contest);

/* Returns the index of the fastest entry; -1 if there is no entry. The native algorithm wins unless
 * another entry is significantly faster: its interval is entirely below the native interval. */
int allfold_contest_winner(const struct allfold_contest *contest);

/* A row of a table: the sizes [from_bytes, to_bytes) for which an algorithm is chosen. */
struct allfold_contest_row {
    size_t from_bytes, to_bytes;
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    double us, native_us; /* medians at the middle size of the row; 0: not measured */
    int samples;
};

/* Makes table rows from `count` contests, which are sorted by size. Returns the number of rows, at
 * most `count`.
 *
 * Adjacent contests share a row if one algorithm is, in each of them, the winner or within
 * `tolerance` (0.03) of the winner's time. An algorithm that is not the winner must also be
 * significantly faster than the native algorithm. If several algorithms qualify for the longest
 * row, the one with the smallest sum of (time / winner's time) is taken.
 *
 * The border between two adjacent rows is the size at which the times of their algorithms cross. It
 * is interpolated linearly between the two measured sizes, on logarithmic scales. If one of the two
 * is the native algorithm, the ends of the intervals are interpolated instead of the medians, so
 * that the native algorithm is kept until the other one is significantly faster. */
int allfold_contest_rows(const struct allfold_contest *contests, int count, double tolerance,
                         struct allfold_contest_row *rows);

#endif
