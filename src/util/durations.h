/* Durations as people write them: 500ms, 90s, 5m, 2h; a bare number is seconds. */
#ifndef ALLFOLD_SELECT_DURATIONS_H
#define ALLFOLD_SELECT_DURATIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the duration that the first `length` characters of `text` are. False where they are none,
 * or more than a week, or nothing; then *seconds stays. */
bool allfold_duration_read(const char *text, size_t length, double *seconds);

#endif
