/* The calls that are measured: their buffers, what comes out of them, and on which communicator. */
#ifndef ALLFOLD_MPI_BENCH_CALLS_H
#define ALLFOLD_MPI_BENCH_CALLS_H

#include <mpi.h>

#include "measure/plan.h"

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
    void *in, *out; /* by_mpi: in memory of MPI_Alloc_mem */
    bool by_mpi;
    size_t in_count, out_count; /* of elements; 0 where this rank has none */
    void *given, *reduced;      /* tables: what goes in, and all of it reduced */
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

/* Makes the result wrong, so that one of an earlier call is not taken for right. */
void allfold_bench_wipe(const struct allfold_bench_vectors *vectors);

/* Returns MPI's error code. */
int allfold_bench_call(const struct allfold_bench_contender *contender,
                       const struct allfold_bench_vectors *vectors);

/* Looks at all of this rank's result. False with a message where it is wrong. */
bool allfold_bench_check(const struct allfold_bench_vectors *vectors, char *message,
                         size_t message_bytes);

#endif
