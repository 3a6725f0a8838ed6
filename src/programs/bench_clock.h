/* A common clock for all ranks of a measurement. Ranks on the same running kernel read the same
 * clock. On every other kernel, the lowest rank learns the time of rank 0 by messages from ranks
 * that know it already, in a logarithmic number of rounds, and again before each size. */
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
    double zero_of_all; /* the time from which rank 0 counts, on the kernel's clock */
    struct allfold_clock model;
    double error_s;      /* at the last measurement: known, or half of the shortest exchange */
    bool has_processors; /* no kernel has more ranks than processors */
};

/* allfold_bench_clock_open opens the clock. With `measured`, each rank counts from a different
 * second and learns rank 0's time as if it were on another kernel; this shows the error of a
 * learned time. allfold_bench_now returns the time in seconds; it is local.
 * allfold_bench_clock_learn compares the clocks again. All but allfold_bench_now are collective
 * over `comm`. */
void allfold_bench_clock_open(struct allfold_bench_clock *clock, MPI_Comm comm, bool measured);
double allfold_bench_now(const struct allfold_bench_clock *clock);
void allfold_bench_clock_learn(struct allfold_bench_clock *clock);
void allfold_bench_clock_close(struct allfold_bench_clock *clock);

#endif
