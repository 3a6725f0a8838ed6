/* Calibrating: which trials there are, and telling what they showed, in lines for `allfold tune
 * --calibrate`: "sample" with the fields of measure/calibration.h, "progress", and of four nodes or
 * more, with tabs between the fields:
 *
 *     groups COUNT NODES BYTES INSIDE_S BETWEEN_S    what messages take in groups and between them
 *     place RANK GROUP                               where there are groups, each rank's
 *     load INSIDE BETWEEN                            bytes a second of a node while all send */
#ifndef ALLFOLD_PROGRAMS_CALIBRATE_H
#define ALLFOLD_PROGRAMS_CALIBRATE_H

#include <mpi.h>

#include "measure/size_list.h"

struct allfold_calibrate_options {
    struct allfold_size_list sizes; /* of messages */
    double budget_s;                /* time for all of it */
    bool tells_progress;
};

/* Measures on all ranks. Returns the exit status. Collective. */
int allfold_calibrate_ranks(const struct allfold_calibrate_options *options, MPI_Comm comm);

#endif
