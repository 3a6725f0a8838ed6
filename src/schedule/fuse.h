/* Fusing: what only one reduction reads.
 *
 * Of a receive: a transport that can show the data where it came in lets the reduction read it from
 * there, and the receive writes nothing. Of a reduction whose result is the left operand of the
 * next: both, or more in a row, may be done at once, and what lies between is never written. */
#ifndef ALLFOLD_SCHEDULE_FUSE_H
#define ALLFOLD_SCHEDULE_FUSE_H

#include "schedule/schedule.h"

/* The most operands of reductions that are done at once. */
enum { ALLFOLD_CHAIN_OPERANDS = 8 };

/* Fills fused[step] for all steps: for a receive whose whole data is one operand of one reduction
 * and is nothing else to anybody, that reduction; for a reduction whose result is the left operand
 * of another one and nothing else to anybody, that other one, where its result lies on no operand
 * in part of those that may be done with it; else ALLFOLD_NO_STEP. */
void allfold_fuse(const struct allfold_step *steps, uint32_t step_count, uint32_t *fused);

#endif
