/* What the programs of bench/simgrid share. */
#ifndef ALLFOLD_BENCH_SIMGRID_BEGIN_TOGETHER_H
#define ALLFOLD_BENCH_SIMGRID_BEGIN_TOGETHER_H

/* Returns on all ranks at the same simulated moment, which it returns, in seconds. Collective. */
double allfold_begin_together(void);

#endif
