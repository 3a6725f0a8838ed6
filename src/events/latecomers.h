/* Who came last to the calls of this rank, as the exchanges of notes say (notes.h).
 *
 * At MPI_Finalize every rank tells when it was late. Before, only this is known: rank 0 keeps it
 * for a report that the program may not live to complete, and the first rank of each node for
 * `allfold top`. Times are seconds since MPI_Init, on this rank's clock. */
#ifndef ALLFOLD_EVENTS_LATECOMERS_H
#define ALLFOLD_EVENTS_LATECOMERS_H

#include "events/lateness.h"

/* How often a rank came last, and how far behind the mean of the others it was then, in sum. */
struct allfold_latecomer {
    uint64_t last;
    double behind_s;
    double squares; /* of its parts (util/above_chance.h) */
};

struct allfold_latecomers {
    struct allfold_late_bins bins[ALLFOLD_LATE_ROWS]; /* of the map's rows */
    struct allfold_worst worst; /* as this rank saw them: moving_s is its own */
    double chance_s;            /* behind which chance would put a rank of all these calls */
    double chance_shown_s;      /* of that, what `allfold top` was shown the last time */
    int p;
    struct allfold_latecomer of[]; /* each rank of the job; behind these, what was shown of each */
};

/* Of a job of p ranks; NULL without memory. */
struct allfold_latecomers *allfold_latecomers_make(int p);

/* Adds a call to which call->rank came last, and which stands for so many. `row` is that rank's in
 * the map. */
void allfold_latecomers_add(struct allfold_latecomers *latecomers, int row,
                            const struct allfold_worst_call *call, uint32_t calls);

/* The map of what was seen, without its rows' names. */
void allfold_latecomers_map(struct allfold_latecomers *latecomers, struct allfold_late_map *map);

#endif
