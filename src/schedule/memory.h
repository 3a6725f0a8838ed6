/* Memory for what an algorithm finds out while it builds, such as the children of a rank in a tree.
 */
#ifndef ALLFOLD_SCHEDULE_MEMORY_H
#define ALLFOLD_SCHEDULE_MEMORY_H

#include "schedule/schedule.h"

/* So many bytes until the builder is freed. NULL without memory, which the builder reports. */
void *allfold_builder_memory(struct allfold_builder *s, size_t bytes);

#endif
