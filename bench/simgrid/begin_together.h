/* The synchronized start of the programs of bench/simgrid. */
#ifndef ALLFOLD_BENCH_SIMGRID_BEGIN_TOGETHER_H
#define ALLFOLD_BENCH_SIMGRID_BEGIN_TOGETHER_H

/* Synchronizes all ranks: returns at the same simulated time on each of them. Returns this time in
 * seconds. Collective over MPI_COMM_WORLD. */
double allfold_begin_together(void);

#endif
