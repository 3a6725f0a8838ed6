/* Fusing: receives whose data only one reduction reads, so that a transport that can show the data
 * where it came in lets the reduction read it from there, and the receive writes nothing. */
#ifndef ALLFOLD_SCHEDULE_FUSE_H
#define ALLFOLD_SCHEDULE_FUSE_H

#include "schedule/schedule.h"

/* Fills fused[step] for all steps: for a receive whose whole data is one operand of one reduction
 * and is nothing else to anybody, that reduction; else ALLFOLD_NO_STEP. */
void allfold_fuse(const struct allfold_step *steps, uint32_t step_count, uint32_t *fused);

#endif
