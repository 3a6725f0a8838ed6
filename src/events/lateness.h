/* When ranks were late, and the calls in which others waited longest.
 *
 * Each rank keeps, for bins of time, how long it was behind the mean of the others. The bins double
 * their width when the run outgrows them. It also keeps the worst calls of those to which it came
 * last. So memory is bounded, however long the program runs. At MPI_Finalize these become a map of
 * all ranks and one list. Times are seconds since MPI_Init, each on its rank's own clock. */
#ifndef ALLFOLD_EVENTS_LATENESS_H
#define ALLFOLD_EVENTS_LATENESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithms/problem.h"

enum {
    ALLFOLD_LATE_BINS = 64,
    ALLFOLD_LATE_ROWS = 64,
    ALLFOLD_WORST_CALLS = 100,
    ALLFOLD_LATE_NAME_BYTES = 32
};

/* Of one rank. */
struct allfold_late_bins {
    double bin_s;                     /* the width; 0: none is filled */
    double late_s[ALLFOLD_LATE_BINS]; /* of that it was late */
};

/* A call in which ranks waited for the last one. */
struct allfold_worst_call {
    double when_s;   /* the last one began */
    double lost_s;   /* all ranks waited, in sum */
    double behind_s; /* how far the last one was behind the mean of the others */
    double moving_s; /* how long it then was in the call */
    size_t bytes;    /* of the vector */
    int p, rank;     /* who was last, of MPI_COMM_WORLD */
    enum allfold_collective collective;
    uint32_t row; /* of its rank's report */
    char phase[ALLFOLD_LATE_NAME_BYTES];
};

/* The calls with the greatest lost_s, as a heap: each is worse than the one at half its place. */
struct allfold_worst {
    uint32_t count;
    struct allfold_worst_call calls[ALLFOLD_WORST_CALLS];
};

/* Of all ranks: a row is a rank, or several. Then the latest one of them counts in each bin. */
struct allfold_late_map {
    int rows; /* 0: there is none */
    bool is_by_node;
    double bin_s;
    struct allfold_late_row {
        int first, last;                    /* ranks, or nodes */
        char node[ALLFOLD_LATE_NAME_BYTES]; /* "": several */
    } list[ALLFOLD_LATE_ROWS];
    float late[ALLFOLD_LATE_ROWS][ALLFOLD_LATE_BINS]; /* share of the bin's time */
};

/* A rank was late from one time to another. */
void allfold_late_bins_add(struct allfold_late_bins *bins, double from_s, double to_s);

/* Makes the bins at least as wide. */
void allfold_late_bins_widen(struct allfold_late_bins *bins, double bin_s);

/* The shares of the bins' time. */
void allfold_late_bins_shares(const struct allfold_late_bins *bins,
                              float shares[ALLFOLD_LATE_BINS]);

/* Would a call in which so much was lost be among the worst so far? */
static inline bool allfold_worst_takes(const struct allfold_worst *worst, double lost_s)
{
    return worst->count < ALLFOLD_WORST_CALLS || lost_s >= worst->calls[0].lost_s;
}

/* Adds a call, if it is among the worst so far. */
void allfold_worst_add(struct allfold_worst *worst, const struct allfold_worst_call *call);

/* Keeps the worst of both. */
void allfold_worst_merge(struct allfold_worst *into, const struct allfold_worst *other);

/* From now on the worst is the first, and nothing is added. */
void allfold_worst_sort(struct allfold_worst *worst);

/* The row of a rank or node among so many. */
int allfold_late_row_of(int item, int items);

/* Says that the map has this rank or node, which come in their order. */
void allfold_late_map_name(struct allfold_late_map *map, int item, int items, const char *node);

/* How many bins a run of that length has reached. */
int allfold_late_bins_reached(const struct allfold_late_map *map, double run_s);

/* --- as other ranks see it --- */

/* Until MPI_Finalize, a rank knows of other ranks only how late they were when they came last to a
 * call of its own. Rank 0 keeps this for a report that the program may not live to complete, and
 * the first rank of each node for `allfold top`. Times are seconds since MPI_Init, on this rank's
 * clock.
 */

/* How often a rank came last, and how far behind the mean of the others it was then, in sum. */
struct allfold_latecomer {
    uint64_t last;
    double behind_s;
    double squares; /* of its parts (events/late_test.h) */
};

struct allfold_latecomers {
    struct allfold_late_bins bins[ALLFOLD_LATE_ROWS]; /* of the map's rows */
    struct allfold_worst worst; /* as this rank saw them: moving_s is its own */
    double chance_s;            /* behind which chance would put a rank of all these calls */
    double chance_shown_s;      /* of that, what `allfold top` was shown the last time */
    int p;
    struct allfold_latecomer of[]; /* each rank of the job; behind these, what was shown of each */
};

/* Of a job of p ranks; NULL without memory. */
struct allfold_latecomers *allfold_latecomers_make(int p);

/* Adds a call to which call->rank came last, and which represents `calls` calls. `row` is that
 * rank's row of the map. */
void allfold_latecomers_add(struct allfold_latecomers *latecomers, int row,
                            const struct allfold_worst_call *call, uint32_t calls);

/* The map of what was seen, without its rows' names. */
void allfold_latecomers_map(struct allfold_latecomers *latecomers, struct allfold_late_map *map);

#endif
