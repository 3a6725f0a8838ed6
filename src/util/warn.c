/* Warnings on stderr (see warn.h). */
#include "util/warn.h"

#include <stdio.h>

#include "util/launcher_rank.h"

void allfold_warn(const char *message)
{
    fprintf(stderr, "allfold: %s\n", message);
}

void allfold_complain(const char *message)
{
    if (allfold_is_first_rank())
        allfold_warn(message);
}
