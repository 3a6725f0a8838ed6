/* Contests of several launches as one. What a launch happens to get of memory and cores holds for
 * it alone. So no launch decides by itself, and one that is unlike the others not at all. */
#ifndef ALLFOLD_LAB_MEASURE_LAUNCHES_H
#define ALLFOLD_LAB_MEASURE_LAUNCHES_H

#include "lab/measure/contest.h"

enum { ALLFOLD_LAUNCHES = 64 };

/* Pools one size of `count` launches, 1 to ALLFOLD_LAUNCHES, of which some may be NULL: there it
 * was not measured. In *pooled is what was measured in more than half of them. Each launch is
 * normalized: a score is a time divided by the fastest time of these in the launch, infinite where
 * it was not measured. The median of the scores over all launches counts; of an even number of
 * launches the greater one of the two in the middle. The intervals are such that what is faster
 * than the native algorithm for certain (see contest.h) was so in more than half of the launches.
 * False where the native algorithm was not measured in more than half. */
bool allfold_launches_pool(const struct allfold_contest *const *launches, int count,
                           struct allfold_contest *pooled);

#endif
