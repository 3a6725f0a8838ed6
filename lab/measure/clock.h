/* Clock synchronization: computes the clock of a remote rank from the local clock and from ping
 * messages, by a linear drift model (Hunold and Carpen-Amarie, "Hierarchical clock synchronization
 * in MPI", 2018). All times are in seconds. */
#ifndef ALLFOLD_LAB_MEASURE_CLOCK_H
#define ALLFOLD_LAB_MEASURE_CLOCK_H

enum { ALLFOLD_CLOCK_POINTS = 32 };

/* A round trip: a message to the remote rank, which answers with its time. */
struct allfold_ping {
    double sent, received; /* by the local clock */
    double answered;       /* by the remote clock */
};

struct allfold_clock {
    int count; /* points added so far; only the latest ALLFOLD_CLOCK_POINTS are kept */
    struct {
        double local, offset;       /* the local time, and remote - local at that time */
    } points[ALLFOLD_CLOCK_POINTS]; /* a ring buffer */
    double centre, offset, drift;   /* remote - local = offset + drift (local - centre) */
};

/* Adds one point: the shortest of `count` round trips. The remote rank is assumed to answer in the
 * middle of the round trip. Returns half of the round-trip time, which bounds the error of this
 * assumption. */
double allfold_clock_add(struct allfold_clock *clock, const struct allfold_ping *pings, int count);

/* Returns the remote time at the local time `local`; without points, `local` itself. */
double allfold_clock_tell(const struct allfold_clock *clock, double local);

#endif
