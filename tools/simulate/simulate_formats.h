/* The formats of `allfold simulate`, all to standard output. */
#ifndef ALLFOLD_TOOLS_SIMULATE_FORMATS_H
#define ALLFOLD_TOOLS_SIMULATE_FORMATS_H

#include "model/simulate/simulate.h"

/* One algorithm on vectors of so many bytes. */
struct simulated_run {
    struct allfold_simulation of;
    struct allfold_simulated simulated;
    size_t rounds;
    double ratio;     /* of its time to the best one's */
    char reason[300]; /* why it was not simulated; "" where it was */
};

/* All runs of one size, the fastest first, those that were not simulated last. `number` counts the
 * sizes from 0, `is_last` is the last of them. */
struct simulated_runs {
    const struct simulated_run *runs;
    int count, number;
    bool is_last;
};

void allfold_simulate_table(const struct simulated_runs *runs);
void allfold_simulate_csv(const struct simulated_runs *runs);
void allfold_simulate_json(const struct simulated_runs *runs);

#endif
