/* Fits clocks to round trips of messages (see shared_clock.h). */
#include "events/shared_clock.h"

#include <assert.h>

void allfold_clock_bound(struct allfold_clock_bounds *bounds, double sent_s, double answered_s,
                         double received_s)
{
    const double least_s = answered_s - received_s, most_s = answered_s - sent_s;
    assert(sent_s <= received_s);
    if (bounds->count++ == 0) {
        bounds->at_s = (sent_s + received_s) / 2;
        bounds->least_s = least_s;
        bounds->most_s = most_s;
        return;
    }
    bounds->least_s = least_s > bounds->least_s ? least_s : bounds->least_s;
    bounds->most_s = most_s < bounds->most_s ? most_s : bounds->most_s;
}

/* Clocks that drift while messages are under way may leave no time that all messages allow. Then
 * the bounds have changed sides, and the middle is as good. */
void allfold_shared_clock_fit(struct allfold_shared_clock *clock,
                              const struct allfold_clock_bounds *bounds)
{
    const double at_s = bounds->at_s;
    const double thought_s = allfold_shared_clock_tell(clock, at_s) - at_s;
    const double half_s = (bounds->most_s - bounds->least_s) / 2;
    double ahead_s = thought_s;
    if (thought_s < bounds->least_s || thought_s > bounds->most_s) {
        ahead_s = bounds->least_s + half_s;
        if (clock->is_fitted && at_s > clock->at_s)
            clock->drift = (ahead_s - clock->ahead_s) / (at_s - clock->at_s);
    }
    clock->at_s = at_s;
    clock->ahead_s = ahead_s;
    clock->error_s = (half_s < 0 ? -half_s : half_s) + bounds->uncertain_s;
    clock->is_fitted = true;
}

bool allfold_shared_clock_is_due(double since_last_s, double since_first_s)
{
    const double soonest_s = 0.02, latest_s = 10, share = 0.5;
    double wait_s = share * since_first_s;
    wait_s = wait_s < soonest_s ? soonest_s : wait_s;
    return since_last_s >= (wait_s > latest_s ? latest_s : wait_s);
}
