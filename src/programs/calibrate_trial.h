/* One trial of a calibration: messages as the library's own transports carry them (through the
 * node's memory, else by MPI), as schedules that the executor runs, so that what is measured is
 * what algorithms are made of. Ranks that have no part in a trial sleep. */
#ifndef ALLFOLD_MPI_CALIBRATE_TRIAL_H
#define ALLFOLD_MPI_CALIBRATE_TRIAL_H

#include <mpi.h>

#include "measure/calibration.h"
#include "mpi/communicator/communicator.h"

struct allfold_trials {
    struct allfold_communicator *state; /* of all ranks */
    MPI_Comm comm;                      /* the same ranks, for what is agreed on */
    double share_s;                     /* the time for a trial */
    int least, most;                    /* repetitions */
};

/* Measures what the sample says (its times are filled in on all ranks alike). False without memory,
 * or where a message failed. *is_slow says that a longer message would take more time than a trial
 * has. Collective. */
bool allfold_trial(const struct allfold_trials *trials, struct allfold_calibration_sample *sample,
                   bool *is_slow);

#endif
