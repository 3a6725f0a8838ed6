/* The builder: what an algorithm writes its sequential program into.
 *
 * Algorithms call the verbs of verbs.h. The builder finds the dependencies (hazards.h), numbers the
 * messages between each pair in program order, checks every span, and freezes the result.
 *
 * The first error sticks: later verbs do nothing, and allfold_builder_freeze reports it. So
 * algorithms hold no error handling. Spans of length 0 are normal: their steps are left out, on
 * both sides of a message alike.
 *
 * Not thread-safe: one builder, one thread. */
#ifndef ALLFOLD_SCHEDULE_BUILDER_H
#define ALLFOLD_SCHEDULE_BUILDER_H

#include "allfold_core.h"
#include "schedule/schedule.h"

#endif
