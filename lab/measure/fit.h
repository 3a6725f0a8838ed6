/* Linear regression of measured times: time = the sum of value[i] x[i].
 *
 * The fit minimizes the squares of the relative errors, so that a time of a microsecond counts as
 * much as one of a second. Values are not negative, because no time per message or byte is.
 * Outliers have a smaller weight (Huber 1964), so that a disturbed measurement does not bend the
 * line. */
#ifndef ALLFOLD_LAB_MEASURE_FIT_H
#define ALLFOLD_LAB_MEASURE_FIT_H

#include <stdbool.h>
#include <stddef.h>

enum { ALLFOLD_FIT_TERMS = 10, ALLFOLD_FIT_CLASSES = 6, ALLFOLD_FIT_POINTS = 256 };

struct allfold_fit_point {
    double x[ALLFOLD_FIT_TERMS];
    double time_s; /* > 0 */
};

/* The fitted values. Errors are relative: |fitted / measured - 1|. */
struct allfold_fit {
    double value[ALLFOLD_FIT_TERMS]; /* 0 if the points do not determine the term */
    double median_error, most_error; /* the median and the maximum */
};

/* Fits the first `terms` terms. Returns false if there is no point, or a time is not positive. */
bool allfold_fit(const struct allfold_fit_point *points, int count, int terms,
                 struct allfold_fit *fit);

/* Returns the time of a point by the fitted model; the measured time of the point is ignored. */
double allfold_fit_time_s(const struct allfold_fit *fit, const struct allfold_fit_point *point);

/* A line, time = latency_s + bytes * byte_s, for messages from from_bytes up to the next class. */
struct allfold_fit_class {
    size_t from_bytes;
    double latency_s, byte_s;
    double median_error, most_error; /* relative: the median and the maximum */
};

/* Fits a piecewise linear function: one line for each class of message sizes, because MPI libraries
 * use different protocols for different sizes. Points must be sorted by x[1], the bytes; x[0] is 1.
 *
 * Of all partitions into up to `most` classes of at least three sizes each, the one with the
 * smallest error is taken. The number of classes is chosen by the Bayesian information criterion
 * (Schwarz 1978). A class starts at the geometric mean of two adjacent sizes. Returns the number of
 * classes; 0 if nothing can be fitted. */
int allfold_fit_classes(const struct allfold_fit_point *points, int count, int most,
                        struct allfold_fit_class *classes);

#endif
