/* The calls that `allfold bench` and `tune` measure: an algorithm on a communicator of its own, the
 * vectors of one size, the call, and the check of its result. */
#ifndef ALLFOLD_PROGRAMS_BENCH_CALLS_H
#define ALLFOLD_PROGRAMS_BENCH_CALLS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/measure/measurement_plan.h"

/* An algorithm, the MPI library or a copy, on its own communicator. */
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
    void *in, *out;           /* with `by_mpi`, allocated by MPI_Alloc_mem */
    bool by_mpi, is_in_place; /* is_in_place: `in` is a part of `out` */
    size_t *counts;           /* p counts of `count` elements, for collectives with counts */
    ptrdiff_t *displs;        /* displacements of the blocks */
    int *int_counts, *int_displs;
    size_t in_count, out_count; /* elements; 0 if this rank has no input or result */
    void *given, *reduced; /* tables of the pattern: the input, and the reduction of all inputs */
    uint64_t refills;      /* number of the present input; inputs and results depend on it */
    bool wipes; /* results are overwritten before each call, because an old result might pass for a
                   right one */
};

/* Makes the contender: a copy of `comm` whose errors are returned. Returns false with `message` if
 * the algorithm cannot be used. The caller frees it with allfold_bench_contender_close. Collective
 * over `comm`. */
bool allfold_bench_contender_open(struct allfold_bench_contender *contender,
                                  const struct allfold_bench_plan *plan, int index, MPI_Comm comm,
                                  char *message, size_t message_bytes);
void allfold_bench_contender_close(struct allfold_bench_contender *contender);

/* Allocates and fills the vectors. Returns false if out of memory. The caller frees them with
 * allfold_bench_vectors_close in any case. */
bool allfold_bench_vectors_open(struct allfold_bench_vectors *vectors,
                                const struct allfold_bench_plan *plan,
                                const struct allfold_bench_plan_series *series, size_t bytes,
                                MPI_Comm comm);
void allfold_bench_vectors_close(struct allfold_bench_vectors *vectors);

/* Writes this rank's next input, which also brings it into this rank's caches and removes it from
 * those of other ranks. The result changes, too. */
void allfold_bench_refill(struct allfold_bench_vectors *vectors);

/* Makes the call of a contender. Returns an MPI error code. Collective over the contender's
 * communicator. */
int allfold_bench_call(const struct allfold_bench_contender *contender,
                       const struct allfold_bench_vectors *vectors);

/* Checks all of this rank's result. Returns false with `message` if it is wrong. */
bool allfold_bench_check(const struct allfold_bench_vectors *vectors, char *message,
                         size_t message_bytes);

/* Overwrites this rank's result with wrong values, so that the result of an earlier call is not
 * taken for a right one. */
void allfold_bench_overwrite(const struct allfold_bench_vectors *vectors);

#endif
