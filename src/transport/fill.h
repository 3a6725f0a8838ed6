/* How buffers are filled (see buffers.h): through this core's caches, or past them.
 *
 * A reader on a core that is near, under the same cache, gets a buffer fastest from of this core's
 * caches. Between cores that are far from each other each line that is to be written must first be
 * taken away from the reader's caches, one round trip each, and comes back the same way; past the
 * caches that costs neither of them more than memory does. What near and far are is not known from
 * outside, less so on virtual machines, whose cores wander. So both ways are timed now and then,
 * twice in FILLS_BETWEEN fills, and whoever fills through the caches and takes more than twice as
 * long as past them is far: between near cores it was 1.2 times for 64 KiB, between far ones 4
 * times. */
#ifndef ALLFOLD_TRANSPORT_FILL_H
#define ALLFOLD_TRANSPORT_FILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALLFOLD_FILL_TIMES = 4 };

/* Of one reader. Zeroed before its first fill. */
struct allfold_filler {
    bool goes_past; /* the caches */
    uint32_t fills;
    uint32_t count[2];
    float ns_per_byte[2][ALLFOLD_FILL_TIMES]; /* of the last ones; 1: past the caches */
};

/* Copies to a buffer, which begins at a cache line. What is written is to be seen by others after a
 * store-release as after any other. */
void allfold_fill(struct allfold_filler *filler, void *buffer, const void *data, size_t bytes);

/* Notes how long a fill took, and decides anew. */
void allfold_filler_note(struct allfold_filler *filler, bool past, float ns_per_byte);

#endif
