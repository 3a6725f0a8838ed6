/* Copies with non-temporal stores, which bypass the caches: for data that this core does not read
 * soon. */
#ifndef ALLFOLD_UTIL_COPY_H
#define ALLFOLD_UTIL_COPY_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the processor has non-temporal stores that Allfold can use (x86-64). */
bool allfold_has_way_past_caches(void);

/* Copies `bytes` bytes with non-temporal stores, or with memcpy if the processor has none. The data
 * are visible to other threads before anything that this thread stores later. The ranges must not
 * overlap. */
void allfold_copy_past_caches(void *to, const void *from, size_t bytes);

#endif
