/* Statistics of repeated times. Nothing is known of how the times are spread: they have long tails,
 * several peaks and no normal distribution (Hunold and Carpen-Amarie 2016). So what counts is the
 * median, with an interval that holds for any distribution. */
#ifndef ALLFOLD_LAB_MEASURE_STATISTICS_H
#define ALLFOLD_LAB_MEASURE_STATISTICS_H

#include <stdbool.h>

/* All of samples that were taken, outliers too. */
struct allfold_statistics {
    int count;
    double least, most, mean;
    double deviation;            /* the standard deviation; 0 of a single sample */
    double median, first, third; /* quartiles */
    double most_of_99;           /* 99 percent of the samples are no more */
    bool has_interval;           /* too few samples have none */
    double from, to;             /* where the median lies, with the confidence that was asked for */
    int low, high; /* outliers: further from the quartiles than 1.5 times what is between them */
};

/* How sure a measurement is to be, and what it may cost. */
struct allfold_effort {
    double confidence; /* of the median's interval: 0.95 */
    double width;      /* of the interval, in relation to the median: 0.05 */
    int least, most;   /* repetitions */
    double longest_s;  /* the time that it takes at most, once there are `least` */
};

/* The interval of the median of `count` samples is from the j-th smallest to the j-th largest of
 * them. Returns the largest j for which this interval holds the median of whatever they were drawn
 * from with at least that confidence. Returns 0 where even the smallest and the largest do not hold
 * it. Each sample is below the median or not with a chance of one half. So the chance that it lies
 * further out is that of a binomial distribution. */
int allfold_median_rank(int count, double confidence);

/* False without memory. Of no samples all is 0. */
bool allfold_statistics_of(const double *samples, int count, double confidence,
                           struct allfold_statistics *statistics);

/* Is the interval as narrow as the effort wants it? */
bool allfold_is_precise(const struct allfold_statistics *statistics,
                        const struct allfold_effort *effort);

/* Was a median measured beside other work? Its interval is then so wide that the end is twice the
 * beginning, which no algorithm's own spread makes it; or nothing was measured. */
bool allfold_is_disturbed(double from, double to);

/* Are more repetitions needed, of a measurement that took so long as yet? */
bool allfold_needs_more(const struct allfold_statistics *statistics,
                        const struct allfold_effort *effort, double spent_s);

#endif
