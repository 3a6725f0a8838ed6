/* Nonparametric statistics of repeated measurements. Times of messages are not normally
 * distributed: they have long tails and several peaks (Hunold and Carpen-Amarie 2016). Therefore
 * the median is used, with a confidence interval that is valid for any distribution. */
#ifndef ALLFOLD_LAB_MEASURE_STATISTICS_H
#define ALLFOLD_LAB_MEASURE_STATISTICS_H

#include <stdbool.h>

/* Statistics of all samples, including outliers. */
struct allfold_statistics {
    int count;
    double least, most, mean;    /* minimum, maximum, mean */
    double deviation;            /* the standard deviation; 0 for one sample */
    double median, first, third; /* the quartiles */
    double most_of_99;           /* the 99th percentile */
    bool has_interval;           /* false: too few samples for the confidence */
    double from, to;             /* the confidence interval of the median */
    int low, high; /* outliers below and above: further from the quartiles than 1.5 times
                      the interquartile range */
};

/* The precision that a measurement needs, and the limits of its repetitions. */
struct allfold_effort {
    double confidence; /* of the median's confidence interval, as 0.95 */
    double width;      /* maximum width of the interval, relative to the median, as 0.05 */
    int least, most;   /* minimum and maximum number of repetitions */
    double longest_s;  /* maximum total time, once there are `least` repetitions */
};

/* Returns the rank j of the confidence interval of the median: the interval from the j-th smallest
 * to the j-th largest of `count` samples. It is the largest j for which the interval contains the
 * median of the distribution with at least the given confidence. Returns 0 if even the minimum and
 * the maximum do not reach this confidence. Each sample is below the median with probability 1/2,
 * so the number of samples below it is binomially distributed. */
int allfold_median_rank(int count, double confidence);

/* Computes the statistics; all are 0 if `count` is 0. Returns false if out of memory. */
bool allfold_statistics_of(const double *samples, int count, double confidence,
                           struct allfold_statistics *statistics);

/* Returns whether the confidence interval is at most as wide as `effort` demands. */
bool allfold_is_precise(const struct allfold_statistics *statistics,
                        const struct allfold_effort *effort);

/* Returns whether the interval [from, to] of a median suggests that other processes disturbed the
 * measurement: `to` is more than twice `from`, a wider interval than that of any algorithm alone.
 * Also returns true if nothing was measured (`to` is not finite). */
bool allfold_is_disturbed(double from, double to);

/* Returns whether more repetitions are needed after spent_s seconds. */
bool allfold_needs_more(const struct allfold_statistics *statistics,
                        const struct allfold_effort *effort, double spent_s);

#endif
