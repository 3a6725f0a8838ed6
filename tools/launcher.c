/* Detects MPI launchers (see launcher.h). */
#include "launcher.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/number.h"

/* Returns 0 if the launcher sets no number. */
static int number_of(const char *text)
{
    long number;
    return text != NULL && allfold_whole_is(text, 0, INT_MAX, &number) ? (int)number : 0;
}

/* What is known from variables alone. */
static struct allfold_launcher read_variables(void)
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

/* Finds the parent of a process, and its program. Returns false if they cannot be read. */
static bool look_at(int process, int *parent, char program[PATH_MAX])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", process);
    const ssize_t length = readlink(path, program, PATH_MAX - 1);
    program[length < 0 ? 0 : length] = '\0'; /* another user's cannot be read */
    snprintf(path, sizeof path, "/proc/%d/stat", process);
    FILE *file = fopen(path, "r");
    const bool is_seen = file != NULL && fscanf(file, "%*d (%*31[^)]) %*c %d", parent) == 1;
    if (file != NULL)
        fclose(file);
    return is_seen;
}

struct known_launcher {
    const char *name; /* how its file's name begins */
    const char *mpi;  /* NULL: both kinds have one of this name */
};

static const struct known_launcher *find_known(const char *program)
{
    static const struct known_launcher known[] = {
        {"hydra_", "mpich"},          {"mpiexec.hydra", "mpich"}, {"mpiexec.mpich", "mpich"},
        {"mpiexec.gforker", "mpich"}, {"mpispawn", "mpich"},      {"orte", "openmpi"},
        {"prte", "openmpi"},          {"mpiexec", NULL},          {"mpirun", NULL}};
    const char *slash = strrchr(program, '/');
    for (size_t i = 0; slash != NULL && i < sizeof known / sizeof *known; i++)
        if (strncmp(slash + 1, known[i].name, strlen(known[i].name)) == 0)
            return &known[i];
    return NULL;
}

/* The nearest launcher counts. There may be shells and wrappers in between. */
static void find_program(struct allfold_launcher *launcher)
{
    char program[PATH_MAX];
    int parent = getppid();
    for (int process = parent; process > 0 && look_at(process, &parent, program);
         process = parent) {
        const struct known_launcher *known = find_known(program);
        if (known == NULL)
            continue;
        memcpy(launcher->path, program, sizeof program);
        if (known->mpi != NULL)
            launcher->mpi = known->mpi;
        return;
    }
}

struct allfold_launcher allfold_launcher_find(void)
{
    struct allfold_launcher launcher = read_variables();
    if (launcher.is_there)
        find_program(&launcher);
    return launcher;
}

bool allfold_launcher_shows(void)
{
    char program[PATH_MAX], path[64], target[64];
    int parent = getppid();
    if (isatty(STDERR_FILENO))
        return true;
    for (int process = parent; look_at(process, &parent, program) && find_known(program) != NULL;
         process = parent) {
        snprintf(path, sizeof path, "/proc/%d/fd/2", process);
        const ssize_t length = readlink(path, target, sizeof target - 1);
        target[length < 0 ? 0 : length] = '\0';
        if (strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0)
            return true;
    }
    return false;
}
