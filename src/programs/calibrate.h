/* Calibration for `allfold tune --calibrate`: makes trials, and prints lines with their results.
 * Lines are "progress", and "sample" with the fields of lab/measure/calibration.h. On four nodes or
 * more there are also these lines, with tabs between the fields:
 *
 *     groups COUNT NODES BYTES INSIDE_S BETWEEN_S    times of messages inside and between groups
 *     place RANK GROUP                               each rank's group, if there are groups
 *     load INSIDE BETWEEN                            a node's bytes per second if all nodes send
 */
#ifndef ALLFOLD_PROGRAMS_CALIBRATE_H
#define ALLFOLD_PROGRAMS_CALIBRATE_H

#include <mpi.h>

#include "lab/measure/size_list.h"

struct allfold_calibrate_options {
    struct allfold_size_list sizes; /* sizes of the messages */
    double budget_s;                /* time limit of all trials together */
    bool tells_progress;
};

/* Measures on all ranks. Returns the exit status. Collective over `comm`. */
int allfold_calibrate_ranks(const struct allfold_calibrate_options *options, MPI_Comm comm);

#endif
