/* The order of one rank's steps: that its edges alone bring all that must be in order into order.
 *
 * Two steps that touch a common element, at least one of them writing it, must be joined by a path
 * of edges. As messages match by number, schedules of which this holds compute the same in every
 * run, however messages and ranks overtake each other. The runs on virtual ranks (verifier.h) then
 * speak for all others. No run could show it, because an executor has habits of its own. */
#ifndef ALLFOLD_LAB_VERIFY_STEP_ORDER_H
#define ALLFOLD_LAB_VERIFY_STEP_ORDER_H

#include "schedule/schedule.h"

/* ALLFOLD_DISPROVED where two steps may run in either order, or an edge does not lead to a later
 * step; `message` says which. */
enum allfold_error allfold_order_check(const struct allfold_schedule *schedule, char *message,
                                       size_t message_bytes);

/* The first fault of a schedule's order. */
struct allfold_order_fault {
    uint32_t step, other_step;
    bool leads_back; /* `step` waits for `other_step`, a later one; else both touch the same */
    int operand;     /* of `step`, which both touch */
};

/* The same, as numbers. */
enum allfold_error allfold_order_find(const struct allfold_schedule *schedule,
                                      struct allfold_order_fault *fault);

#endif
