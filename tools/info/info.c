/* `allfold info`: prints what is installed, the hardware of this machine, the settings, and under
 * mpirun the placement of the ranks. */
#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "heap/xpmem.h"
#include "json.h"
#include "kernels/kernels.h"
#include "info/ranks.h"
#include "launcher.h"
#include "machine.h"
#include "mpi_file.h"
#include "topology/placement.h"
#include "select/settings.h"
#include "tools.h"

struct info {
    struct allfold_machine machine;
    bool machine_is_seen;
    struct allfold_launcher launcher;
    struct allfold_ranks ranks;     /* no ranks if there is no launcher */
    char ranks_error[2 * PATH_MAX]; /* why the ranks of a launcher could not be asked, or "" */
    const char *placement;          /* of ALLFOLD_NETWORK if it is used; else NULL */
};

/* --- what is found out without MPI ------------------------------------------------------------ */

static const char *const *find_features(void)
{
    static const char *features[8];
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    const struct {
        const char *name;
        int is_there;
    } all[] = {{"sse2", __builtin_cpu_supports("sse2")},
               {"avx", __builtin_cpu_supports("avx")},
               {"avx2", __builtin_cpu_supports("avx2")},
               {"fma", __builtin_cpu_supports("fma")},
               {"avx512f", __builtin_cpu_supports("avx512f")},
               {"avx512bw", __builtin_cpu_supports("avx512bw")}};
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_there)
            features[count++] = all[i].name;
#elif defined(__aarch64__)
    features[0] = "neon";
#endif
    return features;
}

static struct allfold_settings settings;

static void check_variables(void (*complain)(const char *message))
{
    extern char **environ;
    allfold_settings_read_environment(&settings, complain);
    const bool is_kept = *settings.broken_promise == '\0';
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT && is_kept; i++)
        if (settings.rule_error[i][0] != '\0')
            complain(settings.rule_error[i]);
    allfold_settings_check_names(&settings, environ, complain);
    if (*settings.broken_promise != '\0')
        complain(settings.broken_promise);
}

/* --- for people ------------------------------------------------------------------------------- */

static void print_build(void *context, const struct allfold_mpi_build *build)
{
    (void)context;
    printf("  %s\n    for %s\n", build->path, build->serves);
}

static void print_builds(void)
{
    printf("\nBuilds for MPI libraries:\n");
    if (allfold_mpi_file_builds(print_build, NULL) == 0)
        printf("  none\n");
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
    const char *simd = settings.simd;
    const char *const *features = find_features();
    printf("\nCPU features:");
    for (int i = 0; features[i] != NULL; i++)
        printf(" %s", features[i]);
    if (simd != NULL && !allfold_simd_use(simd))
        printf("\n  ! ALLFOLD_TEST=simd=%s is not to be had here", simd);
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

static void print_machine(const struct info *info)
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

/* What `allfold run --one-copy` reads in place here. */
static void print_one_copy(void)
{
    const char *missing = allfold_xpmem_missing();
    if (missing == NULL)
        printf("One copy: any memory, by XPMEM\n");
    else
        printf("One copy: large blocks of malloc (no XPMEM: %s)\n", missing);
}

static void print_ranks(const struct info *info)
{
    if (info->ranks_error[0] != '\0')
        printf("\nRanks: not known: %s\n", info->ranks_error);
    else if (info->ranks.count > 0)
        allfold_ranks_print(&info->ranks);
    if (info->placement != NULL)
        printf("  (nodes by ALLFOLD_NETWORK=nodes=%s)\n", info->placement);
}

static void complain(const char *message)
{
    printf("  ! %s\n", message);
}

static bool is_default(enum allfold_setting_id id)
{
    return allfold_setting_is_default(id, settings.texts.of[id]);
}

static void print_setting(enum allfold_setting_id id)
{
    const struct allfold_setting *row = &allfold_setting[id];
    const bool is_part = allfold_setting_is_part(id);
    const char *value = settings.texts.of[id];
    printf("%s%c %-*s %s; %s\n      %s%s\n", is_part ? "    " : "", is_default(id) ? ' ' : '*',
           is_part ? 20 : 24, row->name, value == NULL ? "not set" : value,
           *row->value == '\0' ? "none" : row->value, is_part ? "    " : "", row->help);
}

static void print_variables(void)
{
    printf("\nSettings and their parts (value now; default; * differs from it):\n");
    for (int i = 0; i < ALLFOLD_SETTINGS; i++)
        if (allfold_setting_is_listed((enum allfold_setting_id)i))
            print_setting((enum allfold_setting_id)i);
    printf("  ALLFOLD=off switches all of Allfold off.\n");
    check_variables(complain);
}

static void print_text(const struct info *info)
{
    printf("Allfold %s\n", ALLFOLD_VERSION);
    print_collectives();
    print_builds();
    print_cpu();
    print_machine(info);
    print_one_copy();
    print_ranks(info);
    print_variables();
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void add_build(void *list, const struct allfold_mpi_build *build)
{
    json_t *item = json_object();
    allfold_json_set_text(item, "name", build->name);
    allfold_json_set_text(item, "path", build->path);
    allfold_json_set_text(item, "serves", build->serves);
    json_array_append_new(list, item);
}

static json_t *json_builds(void)
{
    json_t *list = json_array();
    allfold_mpi_file_builds(add_build, list);
    return list;
}

static json_t *json_features(void)
{
    json_t *list = json_array();
    const char *const *features = find_features();
    for (int i = 0; features[i] != NULL; i++)
        json_array_append_new(list, allfold_json_text(features[i]));
    return list;
}

static json_t *json_machine(const struct info *info)
{
    const struct allfold_machine *machine = &info->machine;
    if (!info->machine_is_seen)
        return json_null();
    json_t *object = json_object(), *caches = json_array();
    allfold_json_set_number(object, "packages", machine->packages);
    allfold_json_set_number(object, "numa_nodes", machine->numa_nodes);
    allfold_json_set_number(object, "cores", machine->cores);
    allfold_json_set_number(object, "threads", machine->threads);
    for (int i = 0; i < machine->cache_count; i++) {
        json_t *cache = json_object();
        allfold_json_set_number(cache, "level", machine->caches[i].level);
        allfold_json_set_number(cache, "bytes", (double)machine->caches[i].bytes);
        allfold_json_set_number(cache, "count", machine->caches[i].count);
        json_array_append_new(caches, cache);
    }
    json_object_set_new(object, "caches", caches);
    return object;
}

static json_t *json_setting(enum allfold_setting_id id)
{
    static const char *const scopes[] = {
        [SCOPE_PROCESS] = "process", [SCOPE_JOB] = "job", [SCOPE_COMMUNICATOR] = "communicator"};
    const struct allfold_setting *row = &allfold_setting[id];
    json_t *item = json_object();
    allfold_json_set_text(item, "name", row->name);
    allfold_json_set_text(item, "value", settings.texts.of[id]);
    allfold_json_set_text(item, "default", row->value);
    allfold_json_set_text(item, "expected", row->range);
    allfold_json_set_text(item, "scope", scopes[row->scope]);
    json_object_set_new(item, "is_default", json_boolean(is_default(id)));
    allfold_json_set_text(item, "meaning", row->help);
    return item;
}

/* Each setting has a list of its parts. */
static json_t *json_variables(void)
{
    json_t *list = json_array(), *parts = NULL;
    for (int i = 0; i < ALLFOLD_SETTINGS; i++) {
        const enum allfold_setting_id id = (enum allfold_setting_id)i;
        if (!allfold_setting_is_listed(id))
            continue;
        json_t *item = json_setting(id);
        json_array_append_new(allfold_setting_is_part(id) ? parts : list, item);
        if (!allfold_setting_is_part(id))
            json_object_set_new(item, "parts", parts = json_array());
    }
    return list;
}

static json_t *complaints;

static void add_complaint(const char *message)
{
    json_array_append_new(complaints, allfold_json_text(message));
}

static json_t *json_complaints(void)
{
    complaints = json_array();
    check_variables(add_complaint);
    return complaints;
}

/* A list of the names, which have blanks between them. */
static json_t *json_switches(const char *names)
{
    json_t *list = json_array();
    while (*names != '\0') {
        const size_t length = strcspn(names, " ");
        char name[ALLFOLD_SWITCH_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        json_array_append_new(list, allfold_json_text(name));
        names += length + (names[length] == ' ');
    }
    return list;
}

static json_t *json_rank(const struct allfold_rank *rank, int number)
{
    const bool shares = rank->why[0] == '\0';
    json_t *object = json_object();
    allfold_json_set_number(object, "rank", number);
    allfold_json_set_number(object, "node", rank->node);
    json_object_set_new(object, "socket",
                        rank->socket < 0 ? json_null() : json_integer(rank->socket));
    allfold_json_set_text(object, "host", rank->host);
    allfold_json_set_text(object, "binding", rank->binding);
    json_object_set_new(object, "shares_memory", json_boolean(shares));
    allfold_json_set_text(object, "why_not", shares ? NULL : rank->why);
    json_object_set_new(object, "switches", json_switches(rank->switches));
    return object;
}

/* As many numbers as are known, from the first one on. */
static json_t *known(const double *numbers, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count && numbers[i] > 0; i++)
        json_array_append_new(list, allfold_json_number(numbers[i]));
    return list;
}

/* The nodes that each cable links. */
static json_t *json_cables(const struct allfold_ranks *ranks)
{
    json_t *list = json_array();
    for (int c = 0; c < ranks->cables; c++) {
        json_t *ends = json_array();
        json_array_append_new(ends, allfold_json_number(ranks->cable[c].a));
        json_array_append_new(ends, allfold_json_number(ranks->cable[c].b));
        json_array_append_new(list, ends);
    }
    return list;
}

static json_t *json_job(const struct info *info)
{
    const struct allfold_ranks *ranks = &info->ranks;
    if (!info->launcher.is_there || info->ranks_error[0] != '\0')
        return json_null();
    json_t *object = json_object(), *list = json_array();
    allfold_json_set_text(object, "mpi", ranks->mpi);
    allfold_json_set_text(object, "mpi_library", ranks->mpi_file);
    allfold_json_set_text(object, "placement", info->placement);
    allfold_json_set_number(object, "nodes", ranks->nodes);
    allfold_json_set_number(object, "most_per_node", ranks->most);
    allfold_json_set_number(object, "least_per_node", ranks->least);
    allfold_json_set_number(object, "shared_cores", ranks->cores);
    allfold_json_set_number(object, "card_mbit", ranks->card_mbit);
    json_object_set_new(object, "hosts_in_order", json_boolean(ranks->hosts_in_order));
    json_t *switches = json_array();
    for (int i = 0; i < ranks->levels; i++)
        json_array_append_new(switches, allfold_json_number(ranks->switches[i]));
    json_object_set_new(object, "switches", switches);
    json_object_set_new(object, "uplinks", known(ranks->uplinks, ranks->levels));
    json_object_set_new(object, "pair_uplinks", known(ranks->pair_uplinks, ranks->levels));
    allfold_json_set_text(object, "no_switches",
                          ranks->no_switches[0] == '\0' ? NULL : ranks->no_switches);
    allfold_json_set_number(object, "cables", ranks->cables);
    allfold_json_set_number(object, "cable_trees", ranks->trees);
    json_object_set_new(object, "cable_ends", json_cables(ranks));
    allfold_json_set_text(object, "no_cables",
                          ranks->no_cables[0] == '\0' ? NULL : ranks->no_cables);
    for (int r = 0; r < ranks->count; r++)
        json_array_append_new(list, json_rank(&ranks->ranks[r], r));
    json_object_set_new(object, "ranks", list);
    return object;
}

static void print_json(const struct info *info)
{
    json_t *object = json_object();
    allfold_json_set_text(object, "version", ALLFOLD_VERSION);
    json_object_set_new(object, "builds", json_builds());
    json_object_set_new(object, "cpu_features", json_features());
    allfold_json_set_text(object, "kernels", allfold_simd_used());
    json_object_set_new(object, "machine", json_machine(info));
    json_object_set_new(object, "xpmem", json_boolean(allfold_xpmem_missing() == NULL));
    json_object_set_new(object, "variables", json_variables());
    json_object_set_new(object, "complaints", json_complaints());
    json_object_set_new(object, "job", json_job(info));
    allfold_json_set_text(object, "job_error",
                          info->ranks_error[0] == '\0' ? NULL : info->ranks_error);
    allfold_json_print(object, stdout);
}

/* --- the subcommand --------------------------------------------------------------------------- */

enum { FAILED = 1, KEY_JSON = 256, KEY_MPI };

struct options {
    bool as_json;
    const char *mpi; /* NULL or "": the launcher's */
};

static const struct argp_option option_list[] = {
    {"json", KEY_JSON, NULL, 0, "print JSON, for programs", 0},
    {"mpi", KEY_MPI, "FILE", 0,
     "the MPI library's file, or openmpi, mpich or abi, if it is not the one beside the launcher",
     0},
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
        if (!allfold_mpi_file_is_name(options->mpi))
            argp_error(state, "--mpi '%s': " ALLFOLD_MPI_FILE_EXPECTED, options->mpi);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Returns the nodes of ALLFOLD_NETWORK if they are a placement of p ranks. */
static const char *find_placement(int p)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    const char *text = settings.texts.of[SETTING_NETWORK_NODES];
    int64_t *nodes = malloc((size_t)(p + 1) * sizeof *nodes);
    const bool holds =
        p > 1 && text != NULL && nodes != NULL &&
        allfold_placement_read(text, p, nodes, message, sizeof message) == ALLFOLD_OK;
    free(nodes);
    return holds ? text : NULL;
}

static void ignore(const char *message)
{
    (void)message;
}

/* Collective over the ranks of a launcher, of which only rank 0 gets to know them. */
static void ask_ranks(struct info *info, const char *mpi)
{
    if (allfold_ranks_ask(&info->ranks, mpi, &info->launcher, info->machine.binding,
                          info->ranks_error, sizeof info->ranks_error))
        info->placement = find_placement(info->ranks.count);
}

int allfold_tool_info(int argc, char **argv)
{
    const struct argp argp = {
        option_list,
        parse,
        NULL,
        "Prints the version, the kinds of MPI libraries that Allfold serves, the machine, and the "
        "ALLFOLD_ variables with their meaning and present value; under mpirun, also the "
        "placement of the ranks:\n    mpirun -n 4 allfold info",
        NULL,
        NULL,
        NULL};
    static struct info info;
    struct options options = {.mpi = getenv("ALLFOLD_MPI")};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    allfold_settings_read_environment(&settings, ignore);
    info.machine_is_seen = allfold_machine_look(&info.machine);
    info.launcher = allfold_launcher_find();
    if (info.launcher.is_there)
        ask_ranks(&info, options.mpi);
    if (!info.launcher.is_there || info.launcher.rank == 0) {
        if (options.as_json)
            print_json(&info);
        else
            print_text(&info);
    }
    allfold_ranks_free(&info.ranks);
    return info.ranks_error[0] == '\0' ? 0 : FAILED;
}
