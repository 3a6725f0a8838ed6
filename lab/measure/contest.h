/* Contests: who was the fastest at each size, and what a table is to say of it. */
#ifndef ALLFOLD_LAB_MEASURE_CONTEST_H
#define ALLFOLD_LAB_MEASURE_CONTEST_H

#include "algorithms/algorithm.h"

enum { ALLFOLD_CONTEST_ENTRIES = 32 };

/* What one showed: the median of its times and the interval that holds it. */
struct allfold_contest_entry {
    const struct allfold_algorithm *algorithm; /* NULL: the native algorithm */
    struct allfold_parameters parameters;
    double median_us, low_us, high_us;
    int samples;
};

struct allfold_contest {
    size_t bytes;                /* that was measured */
    size_t from_bytes, to_bytes; /* the sizes that it stands for; SIZE_MAX: no bound */
    int count;
    struct allfold_contest_entry entries[ALLFOLD_CONTEST_ENTRIES];
};

/* The entry with the same algorithm and parameters as another one; NULL where there is none. */
const struct allfold_contest_entry *allfold_contest_find(const struct allfold_contest *contest,
                                                         const struct allfold_contest_entry *entry);

/* The native algorithm; NULL where it was not measured. */
const struct allfold_contest_entry *allfold_contest_native(const struct allfold_contest *contest);

/* The number of the winner; -1 where there is no entry. The native algorithm wins where nothing was
 * faster for certain: with its whole interval below. */
int allfold_contest_winner(const struct allfold_contest *contest);

/* What one algorithm is to be taken for. */
struct allfold_contest_row {
    size_t from_bytes, to_bytes;
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    double us, native_us; /* at the middle one of its sizes; 0 where it was not measured */
    int samples;
};

/* Makes rows of contests, which are by ascending sizes; returns their number, `count` at most.
 * Neighbors share a row where one algorithm is in all of them the winner or within `tolerance`
 * (0.03) of it. It must also be faster than the native one for certain. Of several such ones it is
 * that with the least time in all, each next to the winner's. Between two rows that meet, the
 * border is where the times of their algorithms cross. The times are straight lines between two
 * sizes at which both were measured, with logarithms of both. Where one is native, it holds up to
 * where the other is faster for certain. */
int allfold_contest_rows(const struct allfold_contest *contests, int count, double tolerance,
                         struct allfold_contest_row *rows);

#endif
