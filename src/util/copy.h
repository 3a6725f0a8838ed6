/* Copies that leave the caches alone: for data that is not read soon from this core's caches. */
#ifndef ALLFOLD_UTIL_COPY_H
#define ALLFOLD_UTIL_COPY_H

#include <stdbool.h>
#include <stddef.h>

/* Does this processor have a way past its caches? */
bool allfold_has_way_past_caches(void);

/* As memcpy, past the caches where there is a way; other threads see all of it before what this one
 * stores later. */
void allfold_copy_past_caches(void *to, const void *from, size_t bytes);

#endif
