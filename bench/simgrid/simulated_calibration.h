/* The constants of a simulated network, as `allfold tune --calibrate` finds those of a real one. It
 * has the same kinds of trials between ranks of a node and between nodes, and the same fit. Nothing
 * is random in a simulation, so each trial is one exchange by plain MPI. */
#ifndef ALLFOLD_BENCH_SIMULATED_CALIBRATION_H
#define ALLFOLD_BENCH_SIMULATED_CALIBRATION_H

#include <mpi.h>
#include <stdbool.h>

#include "algorithms/costs.h"
#include "algorithms/nodes.h"

/* All ranks at the same simulated moment, which is returned. Collective over MPI_COMM_WORLD. */
double allfold_simulated_begin(void);

/* Fills in the constants of choices, alike on all ranks. False where there is nothing to measure.
 * Collective over MPI_COMM_WORLD. */
bool allfold_simulated_calibration(const struct allfold_nodes *nodes,
                                   struct allfold_cost_model *costs);

#endif
