/* Finds copies and sends in a schedule that executors and transports can leave out.
 *
 * Fusing a receive with a reduction: if a transport publishes the data in place, the reduction
 * reads them there, and the receive writes nothing. Fusing a reduction with the next one, whose
 * left operand is its result: both, or more in a row, are done at once, and the results between
 * them are not written. A publication groups sends of the same data. */
#ifndef ALLFOLD_SCHEDULE_FUSE_H
#define ALLFOLD_SCHEDULE_FUSE_H

#include "schedule/schedule.h"

/* The maximum number of operands of reductions that are done at once. */
enum { ALLFOLD_CHAIN_OPERANDS = 8 };

/* Fills fused[step] for all steps:
 * - For a receive: the reduction that has all its data as one operand, if no other step reads these
 *   data.
 * - For a reduction: the reduction that has its result as left operand, if no other step reads this
 *   result. The result of the second reduction must not overlap in part with an operand of the
 *   reductions that may be done with it.
 * - For all other steps: ALLFOLD_NO_STEP. */
void allfold_fuse(const struct allfold_step *steps, uint32_t step_count, uint32_t *fused);

/* Fills publication[step] for all sends, so that a transport that publishes to several peers writes
 * the same data once. The publication of a send is the first earlier send of the same span if no
 * step between them writes to that span; otherwise it is the send itself. Sends of the same data
 * with other sends between them may get different publications. Other steps get ALLFOLD_NO_STEP. */
void allfold_publish(const struct allfold_step *steps, uint32_t step_count, uint32_t *publication);

#endif
