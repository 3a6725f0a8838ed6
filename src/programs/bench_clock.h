/* One time for all ranks of a measurement. Ranks of one running kernel read one clock and agree
 * exactly. Of each other kernel, the lowest rank learns the time of rank 0 by messages, in log
 * rounds from ranks that know it already. It learns the time again before each size. */
#ifndef ALLFOLD_PROGRAMS_BENCH_CLOCK_H
#define ALLFOLD_PROGRAMS_BENCH_CLOCK_H

#include <mpi.h>
#include <stdbool.h>

#include "lab/measure/clock.h"

struct allfold_bench_clock {
    MPI_Comm comm, domain; /* ranks that have one clock in common */
    MPI_Comm leaders;      /* the lowest ranks of those; MPI_COMM_NULL on the others */
    int domains;
    bool is_one_clock;  /* of all ranks; then the error is known */
    double zero;        /* what this rank's clock shows is counted from there */
    double zero_of_all; /* where rank 0 counts from, on the clock of the kernel */
    struct allfold_clock model;
    double error_s;      /* at the last learning: known, or half of the shortest exchange */
    bool has_processors; /* no kernel has more ranks than processors */
};

/* With `measured`, each rank counts from another second and learns rank 0's time as if it were far
 * away. This shows how far off a learned time is. Collective, as the others but the second. */
void allfold_bench_clock_open(struct allfold_bench_clock *clock, MPI_Comm comm, bool measured);
double allfold_bench_now(const struct allfold_bench_clock *clock);
void allfold_bench_clock_learn(struct allfold_bench_clock *clock);
void allfold_bench_clock_close(struct allfold_bench_clock *clock);

#endif
