/* The errors of everything below src/mpi/: 0 is success. */
#ifndef ALLFOLD_SCHEDULE_ERROR_H
#define ALLFOLD_SCHEDULE_ERROR_H

#include "allfold_core.h"

#endif
