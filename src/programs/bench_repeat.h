/* Measures one size of a series. In each repetition every contender makes one call, in an order
 * that is drawn at random for each repetition. Repetitions end when the time of each contender is
 * known precisely enough, or when the time limit is reached. */
#ifndef ALLFOLD_PROGRAMS_BENCH_REPEAT_H
#define ALLFOLD_PROGRAMS_BENCH_REPEAT_H

#include "mpi/communicator/communicator.h"
#include "programs/bench_calls.h"
#include "programs/bench_clock.h"

enum { ALLFOLD_BENCH_TEXT = 512 };

struct allfold_bench {
    const struct allfold_bench_plan *plan;
    MPI_Comm comm;
    int p, rank;
    const struct allfold_communicator *state; /* of the communicator of all ranks */
    struct allfold_bench_clock clock;
    bool has_window;                    /* else ranks start after a barrier or when they arrive */
    int loops[ALLFOLD_PLAN_ALGORITHMS]; /* calls in one sample of a contender's loop */
    double window_s;                    /* time from the announcement of a start to the start */
    struct allfold_bench_contender contenders[ALLFOLD_PLAN_ALGORITHMS];
    uint64_t random; /* the same on all ranks */
    char *walked;    /* memory of plan->cold_bytes that is read to empty the caches */
    int last;        /* the contender of the last call */
    void (*progress)(const struct allfold_bench *bench, double of_size);
};

/* The measurements of a contender at one size. */
struct allfold_bench_point {
    enum allfold_bench_plan_outcome outcome;
    char message[ALLFOLD_BENCH_TEXT]; /* why it was refused, or what was wrong */
    int count, late;   /* number of samples; number of calls for which a rank came too late */
    double *samples_s; /* times of calls, each on the slowest rank */
    double local_s[3]; /* over the ranks' own mean times: their mean, minimum and maximum */

    double own_s; /* sum of this rank's times in calls that no rank was late for */
    double spent_s;
    bool is_done;
};

/* allfold_bench_open prepares everything but the contenders. `comm` must have all ranks of the job.
 * Returns false if out of memory. The caller frees it with allfold_bench_close. Both are collective
 * over `comm`. */
bool allfold_bench_open(struct allfold_bench *bench, const struct allfold_bench_plan *plan,
                        MPI_Comm comm);
void allfold_bench_close(struct allfold_bench *bench);

/* Measures one size; `points` has one element for each contender. The caller frees their samples
 * with allfold_bench_points_free. Returns false if out of memory. Collective over the communicator
 * of `bench`. */
bool allfold_bench_size(struct allfold_bench *bench, const struct allfold_bench_plan_series *series,
                        size_t bytes, struct allfold_bench_point *points);
void allfold_bench_points_free(const struct allfold_bench *bench,
                               struct allfold_bench_point *points);

#endif
