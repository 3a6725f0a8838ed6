/* A common clock for all ranks of a measurement. Ranks on the same machine read the same clock. On
 * each other machine, the lowest rank learns the time of rank 0 by messages from ranks that know it
 * already. This takes a logarithmic number of rounds, and is repeated before each size. */
#ifndef ALLFOLD_PROGRAMS_BENCH_CLOCK_H
#define ALLFOLD_PROGRAMS_BENCH_CLOCK_H

#include <mpi.h>
#include <stdbool.h>

#include "lab/measure/clock.h"

struct allfold_bench_clock {
    MPI_Comm comm, domain; /* `domain`: the ranks that share this rank's clock */
    MPI_Comm leaders;      /* the lowest rank of each domain; MPI_COMM_NULL on other ranks */
    int domains;
    bool is_one_clock;  /* all ranks share one clock, so the error is known */
    double zero;        /* the time on this rank's clock from which it counts */
    double zero_of_all; /* the time on rank 0's clock from which rank 0 counts */
    struct allfold_clock model;
    double error_s; /* at the last comparison: the true error if `is_one_clock`, otherwise half of
                       the shortest exchange */
    bool has_processors; /* no machine has more ranks than processors */
};

/* Opens the clock. `measured` is a self-test: each rank counts from a different second and learns
 * rank 0's time as if it were on a machine of its own. On one machine this shows the error of a
 * learned time. Collective over `comm`. */
void allfold_bench_clock_open(struct allfold_bench_clock *clock, MPI_Comm comm, bool measured);

/* Returns the time of rank 0 in seconds. Local. */
double allfold_bench_now(const struct allfold_bench_clock *clock);

/* Compares the clocks of all machines with rank 0's again. Collective over the clock's `comm`. */
void allfold_bench_clock_learn(struct allfold_bench_clock *clock);

/* Frees the communicators of the clock. Collective over the clock's `comm`. */
void allfold_bench_clock_close(struct allfold_bench_clock *clock);

#endif
