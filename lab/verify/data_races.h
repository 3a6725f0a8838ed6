/* The check for data races between the steps of one rank.
 *
 * If two steps access a common element, and at least one of them writes it, a path of edges must
 * connect them. Messages match by number. So if all schedules pass this check, every run computes
 * the same results, in whatever order messages and ranks proceed, and the runs on virtual ranks
 * (verifier.h) stand for all other runs. Running alone could not show this, because an executor
 * always prefers some orders. */
#ifndef ALLFOLD_LAB_VERIFY_DATA_RACES_H
#define ALLFOLD_LAB_VERIFY_DATA_RACES_H

#include "schedule/schedule.h"

/* Checks a schedule. Returns ALLFOLD_DISPROVED with a message that names two steps if these may run
 * in either order, or if an edge does not lead to a later step. Otherwise returns ALLFOLD_OK or
 * ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_order_check(const struct allfold_schedule *schedule, char *message,
                                       size_t message_bytes);

/* The first error that the check finds. */
struct allfold_order_fault {
    uint32_t step, other_step;
    bool leads_back; /* `step` waits for the later `other_step`; false: both access a common element
                      */
    int operand;     /* the operand of `step` with the common element */
};

/* Checks a schedule as allfold_order_check, but writes the error to *fault. */
enum allfold_error allfold_order_find(const struct allfold_schedule *schedule,
                                      struct allfold_order_fault *fault);

#endif
