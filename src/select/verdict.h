/* Decides which of several contenders is faster, from times measured in turns, and when the guard
 * measures.
 *
 * A rank's own time is not significant, because a rank may wait for others. So the times are those
 * of the slowest rank, on which the ranks have agreed. The functions are pure: all ranks get the
 * same result. Thread-safe. */
#ifndef ALLFOLD_SELECT_VERDICT_H
#define ALLFOLD_SELECT_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the median of the values values[0], values[stride], ...; if `count` is even, the lower of
 * the two middle ones. `count` is at most 64. */
double allfold_verdict_median(const double *values, int count, int stride);

/* The times of all measurements of a shape. A measurement (look) has ALLFOLD_LOOK_ROUNDS rounds, in
 * each of which every contender is timed once. Contender 0 is the current choice. */
enum { ALLFOLD_LOOKS = 3, ALLFOLD_LOOK_ROUNDS = 5, ALLFOLD_LOOK_CONTENDERS = 3 };

struct allfold_looks {
    int count;      /* measurements so far */
    int contenders; /* 2 or 3 */
    double times[ALLFOLD_LOOKS * ALLFOLD_LOOK_ROUNDS * ALLFOLD_LOOK_CONTENDERS];
};

/* The result of the measurements. */
struct allfold_verdict {
    bool is_over;  /* no more measurements are needed */
    int better;    /* the contender that is significantly faster; 0: none */
    double factor; /* its speedup: the median over all rounds */
};

/* Returns the verdict. A contender is significantly faster if two conditions hold in ALLFOLD_LOOKS
 * measurements: in each measurement, the median speedup over the rounds is at least 1.1; and in two
 * thirds of all rounds the contender is faster. One measurement is enough if the contender takes at
 * most 1/1.5 of the time in each of its rounds. The verdict is over as soon as no contender can
 * meet these conditions any more. */
struct allfold_verdict allfold_verdict_of(const struct allfold_looks *looks);

/* The limits of measurements, the same on all ranks. */
struct allfold_guard_limits {
    double share; /* the maximum share of the job's run time for all measurements */
    /* Calls of a shape before the ranks first agree; 0: by the vector's bytes. */
    uint64_t first_calls;
};

/* What the ranks have agreed on about a shape. */
struct allfold_guard_facts {
    uint64_t calls;       /* of the shape so far */
    double run_s;         /* of the job so far */
    double spent_s;       /* on measurements and agreements */
    double agreement_s;   /* of one agreement */
    double call_s;        /* of one call of the shape; 0: unknown */
    int contenders;       /* 2 or 3 */
    double look_s;        /* of the last measurement, or its estimate; 0: unknown */
    bool is_looked_after; /* there was a verdict, so measurements are rare */
};

/* When to measure. */
struct allfold_guard_plan {
    bool looks;      /* measure now */
    uint64_t next;   /* number of calls until the ranks agree again; at least 1 */
    double budget_s; /* time left for measurements */
};

/* Returns how often a shape is called before the ranks agree for the first time. An agreement takes
 * as long as a short call, so it is made after thousands of short calls, or hundreds of long ones.
 */
uint64_t allfold_guard_first(const struct allfold_guard_limits *limits, uint64_t vector_bytes);

/* Plans a measurement if it fits into the remaining share, and the shape takes a share of the run
 * that is worth it. */
struct allfold_guard_plan allfold_guard_plan(const struct allfold_guard_limits *limits,
                                             const struct allfold_guard_facts *facts);

/* Returns the number of calls to time together, so that the synchronization of the ranks is short
 * in comparison. */
int allfold_guard_batch(double call_s);

/* Returns the estimated time of a measurement if contender i takes call_s[i] per call, and a
 * barrier takes barrier_s. */
double allfold_guard_look_s(const double *call_s, int contenders, double barrier_s);

#endif
