/* The observers that there are, and their order (observer.h). */
#ifndef ALLFOLD_MPI_CALL_OBSERVER_LIST_H
#define ALLFOLD_MPI_CALL_OBSERVER_LIST_H

#include "mpi/call/observer.h"

/* Finds those that a new communicator has. */
void allfold_observers_make(struct allfold_observers *observers,
                            const struct allfold_communicator *state);

#endif
