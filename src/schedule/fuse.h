/* What a schedule lets executors and transports leave out. Fusing leaves out copies of data that
 * only one reduction reads; publications leave out sends of the same data to several peers.
 *
 * Fusing a receive: a transport that publishes the data in place lets the reduction read it there,
 * and the receive writes nothing. Fusing a reduction whose result is the left operand of the next:
 * both, or more in a row, may be done at once. The results between them are never written. */
#ifndef ALLFOLD_SCHEDULE_FUSE_H
#define ALLFOLD_SCHEDULE_FUSE_H

#include "schedule/schedule.h"

/* The most operands of reductions that are done at once. */
enum { ALLFOLD_CHAIN_OPERANDS = 8 };

/* Fills fused[step] for all steps:
 * - A receive gets the reduction that has its whole data as one operand, where nobody else reads
 *   this data.
 * - A reduction gets the reduction that has its result as left operand, where nobody else reads
 *   this result. The result of the other one must not overlap in part an operand of the reductions
 *   that may be done with it.
 * - All others get ALLFOLD_NO_STEP. */
void allfold_fuse(const struct allfold_step *steps, uint32_t step_count, uint32_t *fused);

/* Publications are sends of one rank that carry the same data: a transport that publishes to many
 * peers writes the data once.
 *
 * Fills publication[step] for all sends. It is the first of the sends before it that have the same
 * span, where nothing between them writes to that span. Else it is the send itself. Sends between
 * which others go are not always seen to be alike. Other steps get ALLFOLD_NO_STEP. */
void allfold_publish(const struct allfold_step *steps, uint32_t step_count, uint32_t *publication);

#endif
