/* The list of all observers (observer.h), and their order. */
#ifndef ALLFOLD_MPI_CALL_OBSERVER_LIST_H
#define ALLFOLD_MPI_CALL_OBSERVER_LIST_H

#include "mpi/call/observer.h"

/* Finds the observers that are active on a new communicator. */
void allfold_observers_make(struct allfold_observers *observers,
                            const struct allfold_communicator *state);

#endif
