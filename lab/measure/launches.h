/* Combines the contests of several launches (runs of mpirun). The placement of memory and processes
 * differs from launch to launch and affects all times of one launch. Medians over the launches
 * therefore decide: no single launch does, and an outlier among the launches has no effect. */
#ifndef ALLFOLD_LAB_MEASURE_LAUNCHES_H
#define ALLFOLD_LAB_MEASURE_LAUNCHES_H

#include "lab/measure/contest.h"

enum { ALLFOLD_LAUNCHES = 64 };

/* Combines the contests of `count` launches for one size into *pooled. `count` is 1 to
 * ALLFOLD_LAUNCHES. A launch that did not measure the size is NULL.
 *
 * *pooled has the entries that were measured in more than half of the launches. Each launch is
 * normalized by the fastest time among these entries: a score is a time divided by this fastest
 * time, and infinite if the entry was not measured in the launch. The median of an entry's scores
 * over all launches decides; of an even number of launches, the greater one of the two middle
 * scores. The intervals are chosen so that an entry is significantly faster than the native
 * algorithm (see contest.h) only if it was so in more than half of the launches.
 *
 * Returns false if the native algorithm was not measured in more than half of the launches. */
bool allfold_launches_pool(const struct allfold_contest *const *launches, int count,
                           struct allfold_contest *pooled);

#endif
