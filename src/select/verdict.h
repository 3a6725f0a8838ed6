/* Verdicts: which of several contenders is faster, by times that they took in turns.
 *
 * A rank's own time says little, as a rank may wait for others. So the times are those of the
 * slowest rank, on which the ranks have agreed. The functions are pure: all ranks come to the same.
 */
#ifndef ALLFOLD_SELECT_VERDICT_H
#define ALLFOLD_SELECT_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

/* The median of values[0], values[stride], ...: the lower one of two. At most 64 values. */
double allfold_verdict_median(const double *values, int count, int stride);

/* What several looks at contenders show. Each look has so many rounds, in which each contender is
 * timed once; the first contender is what is in use. */
enum { ALLFOLD_LOOKS = 3, ALLFOLD_LOOK_ROUNDS = 5, ALLFOLD_LOOK_CONTENDERS = 3 };

struct allfold_looks {
    int count;      /* looks so far */
    int contenders; /* 2 or 3 */
    double times[ALLFOLD_LOOKS * ALLFOLD_LOOK_ROUNDS * ALLFOLD_LOOK_CONTENDERS];
};

struct allfold_verdict {
    bool is_over;  /* no more looks are needed */
    int better;    /* the contender that is clearly faster; 0: none */
    double factor; /* how many times as fast: the median over all rounds */
};

/* A contender is clearly faster where two conditions hold over ALLFOLD_LOOKS looks. The median over
 * the rounds of each look is at least 1.1 times as fast. Two of three rounds say that it is faster
 * at all. One look suffices if the contender takes at most 1/1.5 of the time in each of its rounds.
 * The verdict is over as soon as no contender can get there. */
struct allfold_verdict allfold_verdict_of(const struct allfold_looks *looks);

/* What the ranks agree on about a shape, and what it bounds. */
struct allfold_guard_limits {
    double share;         /* of the job's run time that all looking may take */
    uint64_t first_calls; /* of a shape, before the ranks first agree; 0: by the vector's bytes */
};

struct allfold_guard_facts {
    uint64_t calls;       /* of the shape */
    double run_s;         /* how long the job has run */
    double spent_s;       /* on looking, agreements included */
    double agreement_s;   /* what an agreement costs */
    double call_s;        /* what a call of the shape takes; 0: not known */
    int contenders;       /* 2 or 3 */
    double look_s;        /* what the last look came to, or would have; 0: nobody looked yet */
    bool is_looked_after; /* there was a verdict: look seldom */
};

struct allfold_guard_plan {
    bool looks;      /* now */
    uint64_t next;   /* calls until the ranks agree again; at least 1 */
    double budget_s; /* what is left for looking */
};

/* How often a shape is called before the ranks agree for the first time. An agreement costs about
 * one short call, so it is one of thousands of short calls, or of hundreds of long ones. */
uint64_t allfold_guard_first(const struct allfold_guard_limits *limits, uint64_t vector_bytes);

/* Looks where a look fits into what is left of the share, and the shape takes enough of the run to
 * be worth it. */
struct allfold_guard_plan allfold_guard_plan(const struct allfold_guard_limits *limits,
                                             const struct allfold_guard_facts *facts);

/* Calls timed as one, so that what synchronizes the ranks is small beside them. */
int allfold_guard_batch(double call_s);

/* What a look takes where contender i takes call_s[i] a call, and a barrier barrier_s. */
double allfold_guard_look_s(const double *call_s, int contenders, double barrier_s);

#endif
