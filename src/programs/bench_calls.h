/* The calls that `allfold bench` and `tune` measure: an algorithm on a communicator of its own, the
 * vectors of one size, the call, and the check of its result. */
#ifndef ALLFOLD_PROGRAMS_BENCH_CALLS_H
#define ALLFOLD_PROGRAMS_BENCH_CALLS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lab/measure/measurement_plan.h"

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

/* Overwrites this rank's result with wrong values, so that the result of an earlier call is not
 * taken for a right one. */
void allfold_bench_overwrite(const struct allfold_bench_vectors *vectors);

#endif
