/* Messages on stderr (see complain.h). */
#include "util/complain.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void allfold_warn(const char *message)
{
    fprintf(stderr, "allfold: %s\n", message);
}

/* Only one rank of a job needs to complain: the launchers tell which rank this is. */
static bool is_first_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank != NULL)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

void allfold_complain(const char *message)
{
    if (is_first_rank())
        allfold_warn(message);
}
