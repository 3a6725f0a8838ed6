/* Fits constants of a model to measured times: time = the sum of value[i] x[i].
 *
 * Least squares of the relative errors, so that a time of a microsecond counts as much as one of a
 * second. Values below 0, which no time per message or byte has, are taken for 0. What lies far
 * from the others counts less (Huber 1964), as a disturbed measurement must not bend a line. */
#ifndef ALLFOLD_LAB_MEASURE_FIT_H
#define ALLFOLD_LAB_MEASURE_FIT_H

#include <stdbool.h>
#include <stddef.h>

enum { ALLFOLD_FIT_TERMS = 10, ALLFOLD_FIT_CLASSES = 6, ALLFOLD_FIT_POINTS = 256 };

struct allfold_fit_point {
    double x[ALLFOLD_FIT_TERMS];
    double time_s; /* > 0 */
};

/* Errors are relative: |fitted / measured - 1|. */
struct allfold_fit {
    double value[ALLFOLD_FIT_TERMS]; /* 0 where the points tell nothing of a term */
    double median_error, most_error;
};

/* Fits the first `terms` terms. False where there is no point, or a time is not more than 0. */
bool allfold_fit(const struct allfold_fit_point *points, int count, int terms,
                 struct allfold_fit *fit);

/* What the fitted model says of a point. */
double allfold_fit_time_s(const struct allfold_fit *fit, const struct allfold_fit_point *point);

/* A straight line that holds for messages of from_bytes and more. */
struct allfold_fit_class {
    size_t from_bytes;
    double latency_s, byte_s;
    double median_error, most_error;
};

/* Fits as many lines as the points are worth, one after the other over classes of sizes: MPI
 * libraries change their protocols with the size. The `points` are by ascending x[1], the bytes;
 * x[0] is 1. Of all ways to cut them into up to `most` classes of three sizes or more, takes the
 * one with the least error. Another class must earn what it takes (Schwarz 1978). A class begins in
 * the geometric middle between two sizes. Returns their number; 0 where nothing can be fitted. */
int allfold_fit_classes(const struct allfold_fit_point *points, int count, int most,
                        struct allfold_fit_class *classes);

#endif
