/* Clock synchronization (see clock.h). */
#include "lab/measure/clock.h"

/* Least squares. Points that lie close together say nothing of the drift that would not be the
 * noise of the exchanges. */
static void fit(struct allfold_clock *clock)
{
    const double shortest_s = 2;
    const int n = clock->count < ALLFOLD_CLOCK_POINTS ? clock->count : ALLFOLD_CLOCK_POINTS;
    double first = clock->points[0].local, last = first, squares = 0, products = 0;
    clock->centre = clock->offset = clock->drift = 0;
    for (int i = 0; i < n; i++) {
        clock->centre += clock->points[i].local / n;
        clock->offset += clock->points[i].offset / n;
        first = clock->points[i].local < first ? clock->points[i].local : first;
        last = clock->points[i].local > last ? clock->points[i].local : last;
    }
    for (int i = 0; i < n; i++) {
        const double from_centre = clock->points[i].local - clock->centre;
        squares += from_centre * from_centre;
        products += from_centre * (clock->points[i].offset - clock->offset);
    }
    if (last - first >= shortest_s)
        clock->drift = products / squares;
}

double allfold_clock_add(struct allfold_clock *clock, const struct allfold_ping *pings, int count)
{
    const struct allfold_ping *best = &pings[0];
    for (int i = 1; i < count; i++)
        if (pings[i].received - pings[i].sent < best->received - best->sent)
            best = &pings[i];
    const double middle = best->sent + (best->received - best->sent) / 2;
    const int place = clock->count++ % ALLFOLD_CLOCK_POINTS;
    clock->points[place].local = middle;
    clock->points[place].offset = best->answered - middle;
    fit(clock);
    return (best->received - best->sent) / 2;
}

double allfold_clock_tell(const struct allfold_clock *clock, double local)
{
    return local + clock->offset + clock->drift * (local - clock->centre);
}
