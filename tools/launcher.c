/* MPI launchers (see launcher.h). */
#include "launcher.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/number.h"

/* 0 where the launcher says nothing, or no number. */
static int number_of(const char *text)
{
    long number;
    return text != NULL && allfold_whole_is(text, 0, INT_MAX, &number) ? (int)number : 0;
}

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
                                         .size = number_of(size),
                                         .rank = number_of(rank)};
    }
    return (struct allfold_launcher){.is_there = false};
}

/* The parent of a process and its name; false where it cannot be seen. */
static bool look_at(int process, int *parent, char name[32])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "r");
    const bool is_seen = file != NULL && fscanf(file, "%*d (%31[^)]) %*c %d", name, parent) == 2;
    if (file != NULL)
        fclose(file);
    return is_seen;
}

static bool is_launcher(const char *name)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun",        "prterun",
                                        "orted",  "prted",   "hydra_pmi_proxy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

bool allfold_launcher_shows(void)
{
    char name[32], path[64], target[64];
    int parent = getppid();
    if (isatty(STDERR_FILENO))
        return true;
    for (int process = parent; look_at(process, &parent, name) && is_launcher(name);
         process = parent) {
        snprintf(path, sizeof path, "/proc/%d/fd/2", process);
        const ssize_t length = readlink(path, target, sizeof target - 1);
        target[length < 0 ? 0 : length] = '\0';
        if (strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0)
            return true;
    }
    return false;
}
