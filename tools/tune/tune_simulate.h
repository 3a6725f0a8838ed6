/* `allfold tune --simulate`: tables by simulation. It has options of its own, and needs no MPI. */
#ifndef ALLFOLD_TOOLS_TUNE_SIMULATE_H
#define ALLFOLD_TOOLS_TUNE_SIMULATE_H

#include <stdbool.h>

/* Is --simulate among the words? */
bool allfold_tune_is_simulated(int argc, char **argv);

/* Returns the exit status. */
int allfold_tune_simulate(int argc, char **argv);

#endif
