/* One clock for the ranks of a communicator: each computes its rank 0's time from its own.
 *
 * Ranks that read one clock (allfold_clock_key in util/machine_key.h) have the same shared clock,
 * without any estimate. Between others each message to the other and back bounds how far ahead the
 * other's clock is, because the answer was written in between. Several messages give closer bounds.
 * As long as the bounds allow the last estimate, it stays. Otherwise the clock is a line through
 * the last two fits, which is right in between and drifts on as it did. Seconds. */
#ifndef ALLFOLD_EVENTS_SHARED_CLOCK_H
#define ALLFOLD_EVENTS_SHARED_CLOCK_H

#include <stdbool.h>

/* Zeroed it is this rank's own clock. */
struct allfold_shared_clock {
    double at_s, ahead_s; /* so far was the other one ahead when this rank's clock showed at_s */
    double drift;         /* by which it gets ahead from there on */
    double error_s;       /* how far off the last fit may be */
    bool is_fitted;
};

/* What messages say of the other's clock. */
struct allfold_clock_bounds {
    double at_s;            /* on this rank's clock */
    double least_s, most_s; /* that the other is ahead */
    double uncertain_s;     /* how far off the other's answers may be */
    int count;
};

/* Adds a message that was sent and received so on this rank's clock, and answered so on the
 * other's. */
void allfold_clock_bound(struct allfold_clock_bounds *bounds, double sent_s, double answered_s,
                         double received_s);

void allfold_shared_clock_fit(struct allfold_shared_clock *clock,
                              const struct allfold_clock_bounds *bounds);

/* The shared time when this rank's clock shows own_s. */
static inline double allfold_shared_clock_tell(const struct allfold_shared_clock *clock,
                                               double own_s)
{
    return own_s + clock->ahead_s + clock->drift * (own_s - clock->at_s);
}

/* Is another fit due, so long after the last one and the first one? Soon at first, as a drift shows
 * the better the longer it lasts. */
bool allfold_shared_clock_is_due(double since_last_s, double since_first_s);

#endif
