/* Short names of the five verbs, for algorithm files. */
#ifndef ALLFOLD_SCHEDULE_VERBS_H
#define ALLFOLD_SCHEDULE_VERBS_H

#define ALLFOLD_VERBS
#include "allfold_core.h"

#endif
