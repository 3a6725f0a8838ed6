/* What the command preloaded (see preload.h). */
#include "programs/preload.h"

#include <stdlib.h>
#include <string.h>

void allfold_preload_end(void)
{
    char *list = getenv("LD_PRELOAD"), *last = list == NULL ? NULL : strrchr(list, ':');
    if (last != NULL)
        *last = '\0';
    else
        unsetenv("LD_PRELOAD");
}
