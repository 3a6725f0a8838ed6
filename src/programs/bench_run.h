/* Measuring. First the calls that are measured: their buffers, their results, and their
 * communicator. Then one size of a measurement. In each repetition every contender has one call, in
 * an order that is drawn anew each time. Repetitions end when each contender is known well enough
 * or its time is over. */
#ifndef ALLFOLD_PROGRAMS_BENCH_RUN_H
#define ALLFOLD_PROGRAMS_BENCH_RUN_H

#include <mpi.h>
#include <stdint.h>

#include "lab/measure/measurement_plan.h"
#include "mpi/communicator/communicator.h"
#include "programs/bench_clock.h"

enum { ALLFOLD_BENCH_TEXT = 512 };

/* An algorithm on a communicator of its own. */
struct allfold_bench_contender {
    const struct allfold_bench_plan_algorithm *algorithm;
    MPI_Comm comm;
};

/* The vectors of one size of a series. */
struct allfold_bench_vectors {
    enum allfold_collective collective;
    struct allfold_bench_plan_series series;
    MPI_Datatype datatype;
    MPI_Op op;
    size_t count, element_bytes;
    int p, rank;
    void *in, *out;           /* by_mpi: in memory of MPI_Alloc_mem */
    bool by_mpi, is_in_place; /* `in` is a part of `out` */
    size_t *counts; /* p blocks of `count`, and where they lie, as the functions want them that */
    ptrdiff_t *displs; /* serve any lengths */
    int *int_counts, *int_displs;
    size_t in_count, out_count; /* of elements; 0 where this rank has none */
    void *given, *reduced;      /* tables: what goes in, and all of it reduced */
    uint64_t refills;           /* inputs and results differ by this number */
    bool wipes;                 /* for else a result of the call before might pass for right */
};

/* Makes the communicator, a copy of `comm` with errors that come back. False with a message where
 * the algorithm cannot be had. Collective. */
bool allfold_bench_contender_open(struct allfold_bench_contender *contender,
                                  const struct allfold_bench_plan *plan, int index, MPI_Comm comm,
                                  char *message, size_t message_bytes);
void allfold_bench_contender_close(struct allfold_bench_contender *contender);

/* False without memory; closed in any case. */
bool allfold_bench_vectors_open(struct allfold_bench_vectors *vectors,
                                const struct allfold_bench_plan *plan,
                                const struct allfold_bench_plan_series *series, size_t bytes,
                                MPI_Comm comm);
void allfold_bench_vectors_close(struct allfold_bench_vectors *vectors);

/* Writes this rank's input, so that its caches hold it and no other rank's do. It is another input
 * than before, with another result. */
void allfold_bench_refill(struct allfold_bench_vectors *vectors);

/* Returns MPI's error code. */
int allfold_bench_call(const struct allfold_bench_contender *contender,
                       const struct allfold_bench_vectors *vectors);

/* Looks at all of this rank's result. False with a message where it is wrong. */
bool allfold_bench_check(const struct allfold_bench_vectors *vectors, char *message,
                         size_t message_bytes);

struct allfold_bench {
    const struct allfold_bench_plan *plan;
    MPI_Comm comm;
    int p, rank;
    const struct allfold_communicator *state; /* of all ranks */
    struct allfold_bench_clock clock;
    bool has_window;                    /* else ranks start after a barrier, or when they come */
    int loops[ALLFOLD_PLAN_ALGORITHMS]; /* counted calls of a contender's sample in a loop */
    double window_s;                    /* from the announcement of a start to the start */
    struct allfold_bench_contender contenders[ALLFOLD_PLAN_ALGORITHMS];
    uint64_t random; /* the same on all ranks */
    char *walked;    /* memory of plan->cold_bytes */
    int last;        /* the contender of the last call */
    void (*progress)(const struct allfold_bench *bench, double of_size);
};

/* What a contender showed at one size. */
struct allfold_bench_point {
    enum allfold_bench_plan_outcome outcome;
    char message[ALLFOLD_BENCH_TEXT]; /* why it was refused, or what was wrong */
    int count, late;                  /* samples; calls for which a rank came too late */
    double *samples_s;                /* of a call on the slowest rank */
    double local_s[3];                /* the ranks' own mean times: their mean, least and most */

    double own_s; /* sum of this rank's times, of calls that no rank was late for */
    double spent_s;
    bool is_done;
};

/* Makes all ready but the contenders, over the ranks of `comm`, which are all there are; false
 * without memory. Both are collective. */
bool allfold_bench_open(struct allfold_bench *bench, const struct allfold_bench_plan *plan,
                        MPI_Comm comm);
void allfold_bench_close(struct allfold_bench *bench);

/* Measures; `points` has one for each contender. False without memory. Collective. */
bool allfold_bench_size(struct allfold_bench *bench, const struct allfold_bench_plan_series *series,
                        size_t bytes, struct allfold_bench_point *points);
void allfold_bench_points_free(const struct allfold_bench *bench,
                               struct allfold_bench_point *points);

#endif
