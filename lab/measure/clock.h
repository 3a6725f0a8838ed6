/* Another's clock, computed from one's own and from exchanges of messages, as linear drift models
 * do (Hunold and Carpen-Amarie, "Hierarchical clock synchronization in MPI", 2018). Seconds. */
#ifndef ALLFOLD_LAB_MEASURE_CLOCK_H
#define ALLFOLD_LAB_MEASURE_CLOCK_H

enum { ALLFOLD_CLOCK_POINTS = 32 };

/* A message to the other, which answers with its time. */
struct allfold_ping {
    double sent, received; /* by one's own clock */
    double answered;       /* by the other's */
};

struct allfold_clock {
    int count;
    struct {
        double local, offset;
    } points[ALLFOLD_CLOCK_POINTS]; /* the last, in no order */
    double centre, offset, drift;   /* the other's - own = offset + drift (own - centre) */
};

/* Adds what one exchange of several says: the shortest one, in whose middle the answer is taken to
 * be. Returns half of how long that took: the answer was no further than that from the middle. */
double allfold_clock_add(struct allfold_clock *clock, const struct allfold_ping *pings, int count);

/* The other's time. Without points it is one's own. */
double allfold_clock_tell(const struct allfold_clock *clock, double local);

#endif
