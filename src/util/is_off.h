/* Reads the variable ALLFOLD, which disables Allfold. The preloaded stub and the command both use
 * it. */
#ifndef ALLFOLD_UTIL_IS_OFF_H
#define ALLFOLD_UTIL_IS_OFF_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether Allfold is disabled by ALLFOLD=off or ALLFOLD=0. */
static inline bool allfold_is_off(void)
{
    const char *value = getenv("ALLFOLD");
    return value != NULL && (strcmp(value, "off") == 0 || strcmp(value, "0") == 0);
}

#endif
