/* Groups: the ranks that an algorithm works on, as an arithmetic row or as a list.
 *
 * An algorithm sees a size p and its own index r; what ranks these are is the group's business. So
 * the same algorithm serves a communicator, a node, or one lane across nodes. */
#ifndef ALLFOLD_SCHEDULE_GROUP_H
#define ALLFOLD_SCHEDULE_GROUP_H

#include "allfold_core.h"

#endif
