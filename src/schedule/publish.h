/* Publications: sends of one rank that carry the same data, so that a transport that can show the
 * data to many peers needs to bring it there once. */
#ifndef ALLFOLD_SCHEDULE_PUBLISH_H
#define ALLFOLD_SCHEDULE_PUBLISH_H

#include "schedule/schedule.h"

/* Fills publication[step] for all sends: with the first of the sends before it that have the same
 * span, where nothing between them writes to it; else with the send itself. Sends between which
 * others go are not always seen to be alike. Other steps get ALLFOLD_NO_STEP. */
void allfold_publish(const struct allfold_step *steps, uint32_t step_count, uint32_t *publication);

#endif
