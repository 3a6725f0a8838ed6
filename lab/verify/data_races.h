/* The check for data races between the steps of one rank.
 *
 * Two steps race if both access the same element, at least one of them writes it, and no path of
 * edges orders them. If no schedule has such a race, the results do not depend on the order in
 * which steps run and messages arrive, because messages are matched by their numbers. Then the runs
 * on virtual ranks (verifier.h) prove the results of all other runs, too. Without this check they
 * would not, because they do not try all orders. */
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
