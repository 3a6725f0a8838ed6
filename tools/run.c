/* `allfold run`: starts an unmodified program with the library for its MPI preloaded. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "directory.h"
#include "executable.h"
#include "heap/xpmem.h"
#include "tools.h"

enum { WRONG_USAGE = 2, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

enum option_key {
    KEY_COMPARE = 256,
    KEY_COMPARE_BITS,
    KEY_SITES,
    KEY_MPI,
    KEY_ONE_COPY,
    KEY_TRACE,
    KEY_WATCH
};

struct options {
    const char *mpi;    /* NULL, or what --mpi names */
    const char *report; /* NULL, "1" or a file */
    const char *trace;  /* NULL or a file */
    const char *watch;  /* NULL, "1" or a directory */
    bool compare, compare_bits, sites;
    bool verbose;
    bool one_copy;
    char **program;
};

__attribute__((format(printf, 2, 3))) static int complain(int status, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "allfold run: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    return status;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'r':
        options->report = argument == NULL ? "1" : argument;
        if (argument != NULL && strlen(argument) < 2 && strspn(argument, "01") == strlen(argument))
            argp_error(state,
                       "--report='%s' is no file name; --report alone reports on stderr, and a "
                       "file called 0 or 1 is ./0 or ./1",
                       argument);
        return 0;
    case KEY_COMPARE:
        options->compare = true;
        return 0;
    case KEY_COMPARE_BITS:
        options->compare_bits = true;
        return 0;
    case KEY_SITES:
        options->sites = true;
        return 0;
    case 'v':
        options->verbose = true;
        return 0;
    case KEY_ONE_COPY:
        options->one_copy = true;
        return 0;
    case KEY_TRACE:
        options->trace = argument;
        if (*argument == '\0' || strcmp(argument, "0") == 0)
            argp_error(state, "--trace='%s' is no file name; a file called 0 is ./0", argument);
        return 0;
    case KEY_WATCH:
        options->watch = argument == NULL ? "1" : argument;
        if (argument != NULL && *argument != '/')
            argp_error(state, "--watch='%s' is no directory; expected a path from / on, or none",
                       argument);
        return 0;
    case KEY_MPI:
        options->mpi = argument;
        return 0;
    case ARGP_KEY_ARGS:
        options->program = state->argv + state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no program given; expected: mpirun -n 4 allfold run PROGRAM");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {"report", 'r', "FILE", OPTION_ARG_OPTIONAL,
     "a report at MPI_Finalize, on stderr or to FILE (.csv, .json and .html give those formats)",
     0},
    {"compare", KEY_COMPARE, NULL, 0,
     "time the native collectives beside some of the calls, and report both", 0},
    {"compare-bits", KEY_COMPARE_BITS, NULL, 0,
     "reduce floating point a second time with the native collectives, and report how often a bit "
     "differs",
     0},
    {"sites", KEY_SITES, NULL, 0, "report calls by where the program makes them", 0},
    {"trace", KEY_TRACE, "FILE", 0,
     "keep which collectives are called, for allfold simulate and explain; ALLFOLD_TRACE is the "
     "same",
     0},
    {"watch", KEY_WATCH, "DIR", OPTION_ARG_OPTIONAL,
     "let allfold top show the program while it runs, by pages in /dev/shm or DIR; ALLFOLD_WATCH "
     "is the same",
     0},
    {"verbose", 'v', NULL, 0, "say what is chosen for each new shape, and why", 0},
    {"one-copy", KEY_ONE_COPY, NULL, 0,
     "large allocations come from memory that the ranks of a node read in place; "
     "ALLFOLD_ONE_COPY=1 is the same",
     0},
    {"mpi", KEY_MPI, "FILE", 0,
     "the MPI library's file, if a program that opens several is not recognized; ALLFOLD_MPI is "
     "the "
     "same. The names of earlier versions (openmpi, mpich, smpi) are no longer needed",
     0},
    {0},
};

static const struct argp command_line = {
    option_list,
    parse,
    "PROGRAM [ARGS...]",
    "Runs an unmodified MPI program with Allfold's reductions, under any mpirun:\n"
    "    mpirun -n 64 allfold run ./app\vThe ALLFOLD_ variables, which `allfold info` lists, "
    "choose algorithms. Exit status: the program's; 2 for wrong usage and for programs that "
    "nothing can be preloaded into, 126 and 127 for a program that cannot be run or found.",
    NULL,
    NULL,
    NULL};

/* `allfold run mpirun ./app` would preload into mpirun. */
static bool is_launcher(const char *path)
{
    static const char *const launchers[] = {"mpirun", "mpiexec", "orterun", "prterun",
                                            "srun",   "aprun",   "jsrun",   "smpirun"};
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const size_t length = strlen(launchers[i]);
        if (strncmp(base, launchers[i], length) == 0 && strchr(".", base[length]) != NULL)
            return true;
    }
    return false;
}

/* Is `entry` one of the paths in an LD_PRELOAD? The loader parts them at blanks and colons. */
static bool is_in_list(const char *list, const char *entry)
{
    const size_t length = strlen(entry);
    for (const char *at = list; *at != '\0'; at += strspn(at, " :")) {
        const size_t here = strcspn(at, " :");
        if (here == length && memcmp(at, entry, length) == 0)
            return true;
        at += here;
    }
    return false;
}

static int set_variable(const char *name, const char *value)
{
    if (setenv(name, value, 1) == 0)
        return 0;
    return complain(WRONG_USAGE, "%s=%s cannot be set: %s", name, value, strerror(errno));
}

/* Puts a library first in LD_PRELOAD, where it is not there already. */
static int set_preload(const char *library)
{
    const char *before = getenv("LD_PRELOAD");
    if (before == NULL || *before == '\0')
        return set_variable("LD_PRELOAD", library);
    if (is_in_list(before, library))
        return 0;
    const size_t bytes = strlen(library) + strlen(before) + 2;
    char *both = malloc(bytes);
    if (both == NULL)
        return complain(WRONG_USAGE, "LD_PRELOAD=%s cannot be prolonged: no memory", before);
    snprintf(both, bytes, "%s:%s", library, before);
    const int status = set_variable("LD_PRELOAD", both);
    free(both);
    return status;
}

/* Large allocations come from another library, which is no MPI's. */
static int preload_one_copy(const char *directory)
{
    char library[PATH_MAX + 64];
    snprintf(library, sizeof library, "%s/liballfold-one-copy.so", directory);
    if (access(library, R_OK) != 0)
        return complain(WRONG_USAGE,
                        "--one-copy needs %s (%s); build and install Allfold without sanitizers",
                        library, strerror(errno));
    return set_preload(library);
}

static int find(const char *name, char path[PATH_MAX])
{
    const int error = allfold_executable_find(name, path, PATH_MAX);
    if (error == ENOENT)
        return complain(NOT_FOUND, "'%s' is not found%s; expected a program", name,
                        strchr(name, '/') == NULL ? " along PATH" : "");
    if (error != 0)
        return complain(NOT_EXECUTABLE, "'%s' cannot be run (%s); expected an executable file%s",
                        name, strerror(error), error == EACCES ? "; see chmod +x" : "");
    if (is_launcher(path))
        return complain(WRONG_USAGE,
                        "%s starts programs and is none of MPI itself; expected an MPI program; "
                        "put allfold behind it: mpirun -n 4 allfold run PROGRAM, or smpirun "
                        "-wrapper 'allfold run' ... PROGRAM",
                        path);
    const char *why = allfold_executable_refuses(path);
    return why == NULL ? 0 : complain(WRONG_USAGE, "%s %s", path, why);
}

/* Puts our libraries first in LD_PRELOAD. */
static int preload(const struct options *options)
{
    char directory[PATH_MAX], library[PATH_MAX + 64];
    if (!allfold_tool_library_directory(directory, PATH_MAX))
        return complain(WRONG_USAGE,
                        "the place of this program cannot be found out through /proc/self/exe; "
                        "expected one; mount /proc");
    snprintf(library, sizeof library, "%s/liballfold-preload.so", directory);
    if (access(library, R_OK) != 0)
        return complain(WRONG_USAGE, "%s cannot be preloaded (%s); install Allfold again", library,
                        strerror(errno));
    if (strpbrk(library, " :") != NULL)
        return complain(WRONG_USAGE,
                        "the path '%s' has a blank or colon in it, where the loader splits "
                        "LD_PRELOAD; expected a path without; install Allfold elsewhere",
                        library);
    const int status = set_preload(library);
    /* where any memory is read in place, malloc stays the C library's */
    return status == 0 && options->one_copy && allfold_xpmem_missing() != NULL
               ? preload_one_copy(directory)
               : status;
}

/* The library's file, for the preloaded library. */
static int set_mpi(const char *mpi)
{
    static const char *const former[] = {"openmpi", "mpich", "smpi"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof former / sizeof *former; i++)
        if (strcmp(mpi, former[i]) == 0)
            return 0;
    if (realpath(mpi, path) == NULL)
        return complain(WRONG_USAGE,
                        "--mpi %s: %s; expected the file of an MPI library; mostly the option is "
                        "not needed",
                        mpi, strerror(errno));
    return set_variable("ALLFOLD_MPI", path);
}

/* A comparison needs a report, and the one that the environment asks for will do. */
static int set_settings(const struct options *options)
{
    const char *report = getenv("ALLFOLD_REPORT");
    const bool has_report = report != NULL && *report != '\0' && strcmp(report, "0") != 0;
    int status = 0;
    if (options->report != NULL)
        status = set_variable("ALLFOLD_REPORT", options->report);
    else if ((options->compare || options->compare_bits || options->sites) && !has_report)
        status = set_variable("ALLFOLD_REPORT", "1");
    if (status == 0 && options->mpi != NULL)
        status = set_mpi(options->mpi);
    if (status == 0 && options->trace != NULL)
        status = set_variable("ALLFOLD_TRACE", options->trace);
    if (status == 0 && options->watch != NULL)
        status = set_variable("ALLFOLD_WATCH", options->watch);
    if (status == 0 && options->compare)
        status = set_variable("ALLFOLD_REPORT_COMPARE", "1");
    if (status == 0 && options->compare_bits)
        status = set_variable("ALLFOLD_COMPARE_BITS", "1");
    if (status == 0 && options->sites)
        status = set_variable("ALLFOLD_REPORT_SITES", "1");
    if (status == 0 && options->verbose)
        status = set_variable("ALLFOLD_VERBOSE", "1");
    if (status == 0 && options->one_copy)
        status = set_variable("ALLFOLD_ONE_COPY", "1");
    return status;
}

int allfold_tool_run(int argc, char **argv)
{
    struct options options = {.mpi = NULL};
    const char *one_copy = getenv("ALLFOLD_ONE_COPY");
    char path[PATH_MAX];
    options.one_copy = one_copy != NULL && strcmp(one_copy, "1") == 0;
    if (argp_parse(&command_line, argc, argv, ARGP_IN_ORDER, NULL, &options) != 0)
        return WRONG_USAGE;
    int status = find(options.program[0], path);
    if (status == 0)
        status = preload(&options);
    if (status == 0)
        status = set_settings(&options);
    if (status != 0)
        return status;
    execvp(options.program[0], options.program);
    return complain(errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE, "'%s' cannot be run (%s)", path,
                    strerror(errno));
}
