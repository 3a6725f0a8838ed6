/* MPI launchers (see launcher.h). */
#include "launcher.h"

#include <stdlib.h>

struct allfold_launcher allfold_launcher_find(void)
{
    static const struct {
        const char *rank, *size, *mpi;
    } launchers[] = {
        {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi"},
        {"PMI_RANK", "PMI_SIZE", "mpich"},
        {"PMIX_RANK", "SLURM_STEP_NUM_TASKS", NULL},
    };
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *rank = getenv(launchers[i].rank), *size = getenv(launchers[i].size);
        const bool is_known = size != NULL && launchers[i].mpi != NULL;
        if (rank == NULL && !is_known) /* a step of Slurm's may be no MPI's */
            continue;
        /* Slurm sets PMI_SIZE too, for whatever MPI */
        const bool is_slurm = i > 0 && getenv("SLURM_PROCID") != NULL;
        return (struct allfold_launcher){.is_there = true,
                                         .mpi = is_slurm ? NULL : launchers[i].mpi,
                                         .size = size == NULL ? 0 : atoi(size),
                                         .rank = rank == NULL ? 0 : atoi(rank)};
    }
    return (struct allfold_launcher){.is_there = false};
}
