/* `allfold info`: what is installed, what this machine can do, which variables there are. */
#include <argp.h>
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/kernels.h"
#include "select/settings.h"
#include "common.h"
#include "tools.h"

static error_t parse(int key, char *argument, struct argp_state *state)
{
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    argp_error(state, "'%s' is one word too many", argument);
    return 0;
}

/* Loads one of our libraries and asks the MPI behind it for its version. In a process of its own:
 * two MPIs do not share one. */
static void print_version(const char *path)
{
    enum { LONGEST = 16384 };
    static char version[LONGEST];
    int length = 0;
    int (*get_version)(char *, int *);
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        printf("    cannot be loaded: %s\n", dlerror());
        return;
    }
    void *symbol = dlsym(library, "MPI_Get_library_version");
    memcpy(&get_version, &symbol, sizeof symbol);
    if (get_version != NULL && get_version(version, &length) == 0)
        printf("    for %.*s\n", (int)strcspn(version, "\n"), version);
}

static void print_library(const char *path)
{
    printf("  %s\n", path);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        print_version(path);
        fflush(stdout);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, NULL, 0);
}

static void print_libraries(void)
{
    char pattern[4200], directory[4096];
    glob_t found;
    if (!allfold_tool_library_directory(directory, sizeof directory))
        return;
    snprintf(pattern, sizeof pattern, "%s/liballfold-*.so", directory);
    printf("\nMPI libraries:\n");
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            print_library(found.gl_pathv[i]);
        globfree(&found);
    } else {
        printf("  none in %s\n", directory);
    }
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
    printf("\nCPU features:");
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    printf("%s%s%s%s%s%s", __builtin_cpu_supports("sse2") ? " sse2" : "",
           __builtin_cpu_supports("avx") ? " avx" : "",
           __builtin_cpu_supports("avx2") ? " avx2" : "",
           __builtin_cpu_supports("fma") ? " fma" : "",
           __builtin_cpu_supports("avx512f") ? " avx512f" : "",
           __builtin_cpu_supports("avx512bw") ? " avx512bw" : "");
#elif defined(__aarch64__)
    printf(" neon");
#endif
    const char *simd = getenv("ALLFOLD_SIMD");
    if (simd != NULL && *simd != '\0' && !allfold_simd_use(simd))
        printf("\n  ! ALLFOLD_SIMD=%s is not to be had here", simd);
    printf("\nKernels: %s; built:", allfold_simd_used());
    for (int i = 0; allfold_simd_name(i) != NULL; i++)
        printf(" %s%s", allfold_simd_name(i),
               allfold_simd_is_supported(allfold_simd_name(i)) ? "" : " (not on this CPU)");
    printf("\nCPUs online: %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
}

static void complain(const char *message)
{
    printf("  ! %s\n", message);
}

static const char *get_variable(const char *name)
{
    return getenv(name);
}

static void print_variables(void)
{
    extern char **environ;
    struct allfold_settings settings;
    printf("\nVariables (value now; preset):\n");
    for (const struct allfold_variable *a = allfold_variables; a->name != NULL; a++) {
        const char *value = getenv(a->name);
        printf("  %-24s %s; %s\n      %s\n", a->name, value == NULL ? "not set" : value,
               *a->preset == '\0' ? "none" : a->preset, a->meaning);
    }
    allfold_settings_read(&settings, get_variable, complain);
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        if (settings.rule_error[i][0] != '\0')
            complain(settings.rule_error[i]);
    allfold_settings_check_names(environ, complain);
}

int allfold_tool_info(int argc, char **argv)
{
    const struct argp argp = {
        NULL,
        parse,
        NULL,
        "Prints the version, the MPI libraries that there is a library for, CPU features, and the "
        "ALLFOLD_ variables with their meaning and present value.",
        NULL,
        NULL,
        NULL};
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    printf("Allfold %s\n", ALLFOLD_VERSION);
    print_collectives();
    print_libraries();
    print_cpu();
    print_variables();
    return 0;
}
