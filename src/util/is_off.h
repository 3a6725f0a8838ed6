/* The switch for all of Allfold, which the preloaded stub and the command read alike. */
#ifndef ALLFOLD_UTIL_IS_OFF_H
#define ALLFOLD_UTIL_IS_OFF_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Is Allfold switched off by ALLFOLD=off, or 0? */
static inline bool allfold_is_off(void)
{
    const char *value = getenv("ALLFOLD");
    return value != NULL && (strcmp(value, "off") == 0 || strcmp(value, "0") == 0);
}

#endif
