/* The variables in which launchers give each process its rank (see launcher_rank.h). */
#include "util/launcher_rank.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Is the first of these variables that is set 0? */
static bool is_zero(const char *const *variables, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *rank = getenv(variables[i]);
        if (rank != NULL)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

/* srun's variable is last, because it is that of the batch script if another launcher starts the
 * ranks. */
bool allfold_is_first_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                            "SLURM_PROCID"};
    return is_zero(variables, sizeof variables / sizeof *variables);
}

bool allfold_is_first_on_node(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                            "PMIX_LOCAL_RANK", "SLURM_LOCALID"};
    return is_zero(variables, sizeof variables / sizeof *variables);
}
