/* Removes the MPI library from LD_PRELOAD (see end_preload.h). */
#include "programs/end_preload.h"

#include <stdlib.h>
#include <string.h>

void allfold_end_preload(void)
{
    char *list = getenv("LD_PRELOAD"), *last = list == NULL ? NULL : strrchr(list, ':');
    if (last != NULL)
        *last = '\0';
    else
        unsetenv("LD_PRELOAD");
}
