/* When ranks were late, and the calls in which the other ranks waited longest.
 *
 * Each rank has bins of time with how long it was behind the mean of the other ranks. The bins
 * double their width when the run outgrows them. It also keeps the worst calls to which it came
 * last. So memory is bounded, however long the program runs. At MPI_Finalize all ranks' bins become
 * one map, and their worst calls one list. Times are seconds since MPI_Init, each on its rank's own
 * clock. */
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

/* The lateness of one rank over time. */
struct allfold_late_bins {
    double bin_s;                     /* width of a bin; 0: all bins are empty */
    double late_s[ALLFOLD_LATE_BINS]; /* how long the rank was late in each bin */
};

/* A call in which ranks waited for the last one. */
struct allfold_worst_call {
    double when_s;   /* when the last rank began the call */
    double lost_s;   /* sum over all ranks of the time waited */
    double behind_s; /* time of the last rank behind the mean of the others */
    double moving_s; /* time of the last rank in the call */
    size_t bytes;    /* of the vector */
    int p, rank;     /* `rank`: the last one, in MPI_COMM_WORLD */
    enum allfold_collective collective;
    uint32_t row; /* of that rank's report */
    char phase[ALLFOLD_LATE_NAME_BYTES];
};

/* The calls with the greatest lost_s, as a binary heap whose root has the smallest one. */
struct allfold_worst {
    uint32_t count;
    struct allfold_worst_call calls[ALLFOLD_WORST_CALLS];
};

/* The lateness of all ranks. A row is a rank, or several ranks; then each bin has the maximum over
 * these ranks. */
struct allfold_late_map {
    int rows; /* 0: there is no map */
    bool is_by_node;
    double bin_s;
    struct allfold_late_row {
        int first, last;                    /* rank or node numbers */
        char node[ALLFOLD_LATE_NAME_BYTES]; /* "": several nodes */
    } list[ALLFOLD_LATE_ROWS];
    float late[ALLFOLD_LATE_ROWS]
              [ALLFOLD_LATE_BINS]; /* share of the bin's time that the row was late */
};

/* Records that a rank was late in [from_s, to_s). */
void allfold_late_bins_add(struct allfold_late_bins *bins, double from_s, double to_s);

/* Widens the bins, if needed, to a width of at least bin_s. */
void allfold_late_bins_widen(struct allfold_late_bins *bins, double bin_s);

/* Returns in `shares` the share of each bin's time that the rank was late. */
void allfold_late_bins_shares(const struct allfold_late_bins *bins,
                              float shares[ALLFOLD_LATE_BINS]);

/* Returns whether a call in which lost_s was lost is among the worst calls so far. */
static inline bool allfold_worst_takes(const struct allfold_worst *worst, double lost_s)
{
    return worst->count < ALLFOLD_WORST_CALLS || lost_s >= worst->calls[0].lost_s;
}

/* Adds a call, if it is among the worst so far. */
void allfold_worst_add(struct allfold_worst *worst, const struct allfold_worst_call *call);

/* Adds the calls of `other` to `into`, and keeps the worst ones. */
void allfold_worst_merge(struct allfold_worst *into, const struct allfold_worst *other);

/* Sorts the calls, the worst first. No call may be added afterwards. */
void allfold_worst_sort(struct allfold_worst *worst);

/* Returns the row of a rank or node, number `item` of `items`. */
int allfold_late_row_of(int item, int items);

/* Sets the first and last number and the name of the row of a rank or node. Must be called for all
 * items in ascending order. */
void allfold_late_map_name(struct allfold_late_map *map, int item, int items, const char *node);

/* Returns the number of bins that a run of run_s seconds has reached. */
int allfold_late_bins_reached(const struct allfold_late_map *map, double run_s);

/* --- lateness of other ranks, as this rank observes it --- */

/* Before MPI_Finalize, a rank knows only how late other ranks were when they came last to one of
 * its own calls. Rank 0 records this for the report of a program that is killed, and the first rank
 * of each node for `allfold top`. Times are seconds since MPI_Init on this rank's clock. */

/* How often a rank came last, and the sum of its times behind the mean of the others in these
 * calls. */
struct allfold_latecomer {
    uint64_t last;
    double behind_s;
    double squares; /* sum of squares of the terms of behind_s (events/late_test.h) */
};

/* The lateness of all ranks of the job. */
struct allfold_latecomers {
    struct allfold_late_bins bins[ALLFOLD_LATE_ROWS]; /* by row of the map */
    struct allfold_worst worst;                       /* moving_s is that of this rank */
    double chance_s;       /* behind_s expected by chance for a rank that was in all these calls */
    double chance_shown_s; /* the part of chance_s that `allfold top` has already shown */
    int p;
    struct allfold_latecomer of[]; /* each rank of the job; then, for each, the part that `allfold
                                      top` has already shown */
};

/* Allocates the record for a job of p ranks. NULL if out of memory. The caller frees it with
 * allfold_free. */
struct allfold_latecomers *allfold_latecomers_make(int p);

/* Adds a call to which call->rank came last, and which represents `calls` calls. `row` is that
 * rank's row of the map. */
void allfold_latecomers_add(struct allfold_latecomers *latecomers, int row,
                            const struct allfold_worst_call *call, uint32_t calls);

/* Makes the map of the recorded lateness, without the names of its rows. */
void allfold_latecomers_map(struct allfold_latecomers *latecomers, struct allfold_late_map *map);

#endif
