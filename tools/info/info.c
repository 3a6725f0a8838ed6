/* `allfold info`: what is installed, what this machine can do, which variables there are, and under
 * mpirun where the ranks live. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "select/placement.h"
#include "select/settings.h"
#include "common.h"
#include "info/info.h"
#include "program.h"
#include "tools.h"

enum { FAILED = 1, KEY_JSON = 256, KEY_MPI };

struct options {
    bool as_json;
    const char *mpi; /* NULL or "": as the launcher says */
};

static const struct argp_option option_list[] = {
    {"json", KEY_JSON, NULL, 0, "print JSON, for programs", 0},
    {"mpi", KEY_MPI, "MPI", 0,
     "openmpi or mpich: where the launcher serves several, as Slurm's; ALLFOLD_MPI is the same", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case KEY_JSON:
        options->as_json = true;
        return 0;
    case KEY_MPI:
        options->mpi = argument;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one word too many", argument);
        return 0;
    case ARGP_KEY_END:
        if (options->mpi != NULL && *options->mpi != '\0' &&
            allfold_program_mpi(options->mpi) == NULL)
            argp_error(state, "'%s' is no MPI that is known; expected openmpi or mpich",
                       options->mpi);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_library(int index, const char *path, const char *version, const char *error)
{
    (void)index;
    printf("  %s\n    %s%s\n", path, version == NULL ? "cannot be asked: " : "for ",
           version == NULL ? error : version);
}

static const char *mpi_name(enum allfold_collective collective)
{
    return allfold_traits(collective)->mpi_name;
}

static void print_collectives(void)
{
    char names[300];
    allfold_tool_collectives(mpi_name, " and ", names, sizeof names);
    printf("Takes the place of %s\n", names);
}

static void print_cpu(void)
{
    const char *simd = getenv("ALLFOLD_SIMD");
    const char *const *features = allfold_info_features();
    printf("\nCPU features:");
    for (int i = 0; features[i] != NULL; i++)
        printf(" %s", features[i]);
    if (simd != NULL && *simd != '\0' && !allfold_simd_use(simd))
        printf("\n  ! ALLFOLD_SIMD=%s is not to be had here", simd);
    printf("\nKernels: %s; built:", allfold_simd_used());
    for (int i = 0; allfold_simd_name(i) != NULL; i++)
        printf(" %s%s", allfold_simd_name(i),
               allfold_simd_is_supported(allfold_simd_name(i)) ? "" : " (not on this CPU)");
    printf("\n");
}

static void print_count(int count, const char *what, const char *after)
{
    printf("%d %s%s%s", count, what, count == 1 ? "" : "s", after);
}

static void print_machine(const struct allfold_info *info)
{
    const struct allfold_machine *machine = &info->machine;
    if (!info->machine_is_seen) {
        printf("Machine: hwloc cannot see it\n");
        return;
    }
    printf("Machine: ");
    print_count(machine->packages, "package", ", ");
    print_count(machine->numa_nodes, "NUMA node", ", ");
    print_count(machine->cores, "core", ", ");
    print_count(machine->threads, "hardware thread", "\nCaches:");
    for (int i = 0; i < machine->cache_count; i++) {
        const struct allfold_machine_cache *cache = &machine->caches[i];
        const bool is_large = cache->bytes >= 1 << 20;
        printf("%s L%d %d x %.4g %s", i == 0 ? "" : ",", cache->level, cache->count,
               (double)cache->bytes / (is_large ? 1 << 20 : 1 << 10), is_large ? "MiB" : "KiB");
    }
    printf("%s\n", machine->cache_count == 0 ? " not known" : "");
}

static void print_ranks(const struct allfold_info *info)
{
    if (info->ranks_error[0] != '\0')
        printf("\nRanks: not known: %s\n", info->ranks_error);
    else if (info->ranks.count > 0)
        allfold_ranks_print(&info->ranks);
    if (info->placement != NULL)
        printf("  (nodes by ALLFOLD_NODES=%s)\n", info->placement);
}

static void complain(const char *message)
{
    printf("  ! %s\n", message);
}

static void print_variables(void)
{
    printf("\nVariables (value now; preset):\n");
    for (const struct allfold_variable *a = allfold_variables; a->name != NULL; a++) {
        const char *value = getenv(a->name);
        printf("  %-24s %s; %s\n      %s\n", a->name, value == NULL ? "not set" : value,
               *a->preset == '\0' ? "none" : a->preset, a->meaning);
    }
    allfold_info_check_variables(complain);
}

static void print_text(const struct allfold_info *info)
{
    printf("Allfold %s\n", ALLFOLD_VERSION);
    print_collectives();
    printf("\nMPI libraries:\n");
    if (allfold_info_libraries(print_library) == 0)
        printf("  none\n");
    print_cpu();
    print_machine(info);
    print_ranks(info);
    print_variables();
}

/* ALLFOLD_NODES, where it is a placement of so many ranks. */
static const char *find_placement(int p)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    const char *text = getenv("ALLFOLD_NODES");
    int64_t *nodes = malloc((size_t)(p + 1) * sizeof *nodes);
    const bool holds =
        p > 1 && text != NULL && nodes != NULL &&
        allfold_placement_read(text, p, nodes, message, sizeof message) == ALLFOLD_OK;
    free(nodes);
    return holds ? text : NULL;
}

/* Collective over the ranks of a launcher, of which only rank 0 gets to know them. */
static void ask_ranks(struct allfold_info *info, const char *mpi)
{
    if (mpi == NULL || *mpi == '\0')
        mpi = info->launcher.mpi;
    if (mpi == NULL)
        snprintf(info->ranks_error, sizeof info->ranks_error,
                 "the launcher does not say which MPI the ranks have; name it by --mpi");
    else if (allfold_ranks_ask(&info->ranks, mpi, info->machine.binding, info->ranks_error,
                               sizeof info->ranks_error))
        info->placement = find_placement(info->ranks.count);
}

int allfold_tool_info(int argc, char **argv)
{
    const struct argp argp = {
        option_list,
        parse,
        NULL,
        "Prints the version, the MPI libraries that there is a library for, the machine, and the "
        "ALLFOLD_ variables with their meaning and present value; under mpirun, also where the "
        "ranks live:\n    mpirun -n 4 allfold info",
        NULL,
        NULL,
        NULL};
    static struct allfold_info info;
    struct options options = {.mpi = getenv("ALLFOLD_MPI")};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    info.machine_is_seen = allfold_machine_look(&info.machine);
    info.launcher = allfold_launcher_find();
    if (info.launcher.is_there)
        ask_ranks(&info, options.mpi);
    if (!info.launcher.is_there || info.launcher.rank == 0) {
        if (options.as_json)
            allfold_info_print_json(&info);
        else
            print_text(&info);
    }
    allfold_ranks_free(&info.ranks);
    return info.ranks_error[0] == '\0' ? 0 : FAILED;
}
