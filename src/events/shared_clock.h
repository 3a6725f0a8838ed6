/* Clock synchronization in a communicator: each rank computes the time of the communicator's rank 0
 * from its own clock.
 *
 * Ranks that read the same clock (allfold_clock_key in util/machine_key.h) need no estimate.
 * Between other ranks, each round trip of a message bounds the offset of the other clock, because
 * the answer was written between sending and receiving. Several messages give closer bounds. As
 * long as the bounds allow the last estimate, it is kept. Otherwise the clock becomes the line
 * through the last two fits: correct between them, and extrapolated with the same drift. Times are
 * in seconds. */
#ifndef ALLFOLD_EVENTS_SHARED_CLOCK_H
#define ALLFOLD_EVENTS_SHARED_CLOCK_H

#include <stdbool.h>

/* The offset from this rank's clock to that of rank 0. Zeroed, it is this rank's own clock. */
struct allfold_shared_clock {
    double at_s,
        ahead_s;    /* the other clock was ahead by ahead_s when this rank's clock showed at_s */
    double drift;   /* change of ahead_s per second from there on */
    double error_s; /* maximum error of the last fit */
    bool is_fitted;
};

/* Bounds of the offset from messages. */
struct allfold_clock_bounds {
    double at_s;            /* on this rank's clock */
    double least_s, most_s; /* minimum and maximum of how far the other clock is ahead */
    double uncertain_s;     /* maximum error of the times in the other rank's answers */
    int count;
};

/* Adds a message that was sent and received at these times on this rank's clock, and answered at
 * answered_s on the other clock. */
void allfold_clock_bound(struct allfold_clock_bounds *bounds, double sent_s, double answered_s,
                         double received_s);

/* Fits the clock to the bounds. */
void allfold_shared_clock_fit(struct allfold_shared_clock *clock,
                              const struct allfold_clock_bounds *bounds);

/* Returns the shared time when this rank's clock shows own_s. */
static inline double allfold_shared_clock_tell(const struct allfold_shared_clock *clock,
                                               double own_s)
{
    return own_s + clock->ahead_s + clock->drift * (own_s - clock->at_s);
}

/* Returns whether another fit is due, since_last_s after the last one and since_first_s after the
 * first one. The intervals grow, because the estimate of the drift improves with time. */
bool allfold_shared_clock_is_due(double since_last_s, double since_first_s);

#endif
