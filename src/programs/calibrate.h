/* Calibrating: which trials there are, and lines about their results for `allfold tune
 * --calibrate`. There are "sample" with the fields of measure/calibration.h, and "progress". Of
 * four nodes or more there are also, with tabs between the fields:
 *
 *     groups COUNT NODES BYTES INSIDE_S BETWEEN_S    what messages take in groups and between them
 *     place RANK GROUP                               where there are groups, each rank's
 *     load INSIDE BETWEEN                            bytes a second of a node while all send */
#ifndef ALLFOLD_PROGRAMS_CALIBRATE_H
#define ALLFOLD_PROGRAMS_CALIBRATE_H

#include <mpi.h>

#include "lab/measure/size_list.h"

struct allfold_calibrate_options {
    struct allfold_size_list sizes; /* of messages */
    double budget_s;                /* time for all of it */
    bool tells_progress;
};

/* Measures on all ranks. Returns the exit status. Collective. */
int allfold_calibrate_ranks(const struct allfold_calibrate_options *options, MPI_Comm comm);

#endif
