/* The verbs by the short names that algorithm files use, so that they read like their papers. */
#ifndef ALLFOLD_SCHEDULE_VERBS_H
#define ALLFOLD_SCHEDULE_VERBS_H

#define ALLFOLD_VERBS
#include "allfold_core.h"

#endif
