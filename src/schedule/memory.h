/* Temporary memory for algorithms that build a schedule, for example for the children of a rank in
 * a tree. */
#ifndef ALLFOLD_SCHEDULE_MEMORY_H
#define ALLFOLD_SCHEDULE_MEMORY_H

#include "schedule/schedule.h"

/* Allocates `bytes` bytes, valid until the builder is freed. NULL if out of memory; the builder
 * then reports that error. */
void *allfold_builder_memory(struct allfold_builder *s, size_t bytes);

#endif
