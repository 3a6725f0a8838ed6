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

#include "builds.h"
#include "directory.h"
#include "heap/xpmem.h"
#include "launcher.h"
#include "program.h"
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
    const char *mpi;
    const char *mpi_source; /* "--mpi " or "ALLFOLD_MPI=", for messages */
    const char *report;     /* NULL, "1" or a file */
    const char *trace;      /* NULL or a file */
    const char *watch;      /* NULL, "1" or a directory */
    bool compare, compare_bits, sites;
    bool verbose;
    bool one_copy;
    bool lists; /* --mpi list: says which MPIs there are, and starts nothing */
    char **program;
};

/* The MPI of a program, as found. */
struct choice {
    const struct allfold_program_mpi *mpi;
    char library[128]; /* its file's name; "" where the program loads it later */
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
        options->lists = strcmp(argument, "list") == 0;
        options->mpi = options->lists ? NULL : argument;
        options->mpi_source = "--mpi ";
        return 0;
    case ARGP_KEY_ARGS:
        options->program = state->argv + state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (options->lists)
            return 0;
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
    {"mpi", KEY_MPI, "MPI", 0,
     "openmpi, mpich or smpi: for programs that load their MPI later, as interpreters do; "
     "ALLFOLD_MPI is the same. list: says which MPIs there are builds for, and which MPI a program "
     "uses",
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

/* What is wrong with a program of a kind, and what to do. The detail comes between the two. */
static const struct {
    int status;
    const char *problem, *advice;
} explanations[ALLFOLD_PROGRAM_KINDS] = {
    [ALLFOLD_PROGRAM_NO_MPI] =
        {WRONG_USAGE, "is linked to no MPI library",
         "expected libmpi.so.40, libmpich.so.12, libmpi.so.12 or libsimgrid.so; where it loads MPI "
         "later, as interpreters do, name that MPI with --mpi or ALLFOLD_MPI"},
    [ALLFOLD_PROGRAM_TWO_MPIS] =
        {WRONG_USAGE, "is linked to two MPI libraries,",
         "expected one; build it and its libraries with the same, or name one with --mpi"},
    [ALLFOLD_PROGRAM_STATIC] =
        {WRONG_USAGE, "is linked statically, so nothing can be preloaded into it",
         "expected a dynamic program; link it dynamically, or with the Allfold library itself"},
    [ALLFOLD_PROGRAM_LIBRARY] =
        {NOT_EXECUTABLE, "is a shared library, or a program for SMPI, which is built as one",
         "expected a program; for SMPI: smpirun -wrapper 'allfold run' ... PROGRAM"},
    [ALLFOLD_PROGRAM_SCRIPT] =
        {WRONG_USAGE, "is a script for",
         "what it starts or loads cannot be seen; name the MPI with --mpi or ALLFOLD_MPI"},
    [ALLFOLD_PROGRAM_UNREADABLE] = {NOT_EXECUTABLE, "cannot be read",
                                    "expected a readable program; with --mpi it is enough "
                                    "that it can be run"},
    [ALLFOLD_PROGRAM_NOT_ELF] = {NOT_EXECUTABLE, "is neither an ELF program nor a script with #!",
                                 "expected one of them; a script of another kind needs --mpi"},
    [ALLFOLD_PROGRAM_DAMAGED] = {NOT_EXECUTABLE, "is a damaged ELF file or no program",
                                 "build or copy it again"},
    [ALLFOLD_PROGRAM_OTHER_MACHINE] =
        {NOT_EXECUTABLE, "is a program for another kind of machine",
         "expected one like Allfold's; build either for the machine of the other"},
    [ALLFOLD_PROGRAM_MISSING] =
        {WRONG_USAGE, "needs libraries that are not found:",
         "load the module that has them, or add their directory to LD_LIBRARY_PATH"},
    [ALLFOLD_PROGRAM_LOADER_FAILED] = {WRONG_USAGE, "has a loader that cannot list its libraries:",
                                       "see whether the program starts without Allfold"},
};

static int explain(const char *path, const struct allfold_program *program)
{
    return complain(explanations[program->kind].status, "%s %s%s%s; %s", path,
                    explanations[program->kind].problem, *program->detail == '\0' ? "" : " ",
                    program->detail, explanations[program->kind].advice);
}

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

/* An MPI that is named is taken, but not against what the program shows for sure. */
static int check_named(const struct options *options, const char *path,
                       const struct allfold_program *program, struct choice *choice)
{
    if (program->kind == ALLFOLD_PROGRAM_STATIC || program->kind == ALLFOLD_PROGRAM_OTHER_MACHINE ||
        program->kind == ALLFOLD_PROGRAM_LIBRARY)
        return explain(path, program);
    if (program->kind != ALLFOLD_PROGRAM_MPI)
        return 0;
    snprintf(choice->library, sizeof choice->library, "%s", program->library);
    if (program->mpi->name != NULL && strcmp(program->mpi->name, choice->mpi->name) == 0)
        return 0;
    return complain(WRONG_USAGE,
                    "%s%s, but %s is linked to %s (%s); two MPIs in one process cannot work; "
                    "leave %.*s away",
                    options->mpi_source, options->mpi, path, program->mpi->title, program->library,
                    (int)strcspn(options->mpi_source, " ="), options->mpi_source);
}

static int choose_mpi(const struct options *options, const char *path, struct choice *choice)
{
    struct allfold_program program;
    const bool named = options->mpi != NULL && *options->mpi != '\0';
    *choice = (struct choice){.mpi = named ? allfold_program_mpi(options->mpi) : NULL};
    if (named && choice->mpi == NULL)
        return complain(WRONG_USAGE,
                        "%s%s is no MPI that is known; expected openmpi, mpich or smpi",
                        options->mpi_source, options->mpi);
    if (!named && is_launcher(path))
        return complain(WRONG_USAGE,
                        "%s starts programs and is none of MPI itself; expected an MPI program; "
                        "put allfold behind it: mpirun -n 4 allfold run PROGRAM, or smpirun "
                        "-wrapper 'allfold run' ... PROGRAM",
                        path);
    allfold_program_inspect(path, &program);
    if (named)
        return check_named(options, path, &program, choice);
    choice->mpi = program.mpi;
    snprintf(choice->library, sizeof choice->library, "%s", program.library);
    return program.kind == ALLFOLD_PROGRAM_MPI ? 0 : explain(path, &program);
}

static void check_launcher(const char *path, const struct allfold_program_mpi *mpi)
{
    const struct allfold_launcher launcher = allfold_launcher_find();
    if (launcher.mpi == NULL || launcher.size < 2 || launcher.rank != 0 || /* one is to speak */
        mpi->name == NULL || strcmp(launcher.mpi, mpi->name) == 0)
        return;
    complain(0,
             "warning: %s uses %s, but the mpirun of %s started it, so each process will be alone, "
             "rank 0 of 1; use the launcher of %s (%s)",
             path, mpi->title, allfold_program_mpi(launcher.mpi)->title, mpi->title,
             strcmp(mpi->name, "smpi") == 0      ? "smpirun"
             : strcmp(mpi->name, "openmpi") == 0 ? "mpirun.openmpi"
                                                 : "mpirun.mpich");
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

/* The MPI of a program has no build; `why` is of its file, or NULL where none could fit. */
static int complain_of_missing(const char *directory, const char *path, const struct choice *choice,
                               const char *why)
{
    if (choice->library[0] == '\0' && why != NULL)
        fprintf(stderr,
                "allfold run: no library for %s at %s (%s); there is one for:", choice->mpi->title,
                path, why);
    else if (why != NULL)
        fprintf(stderr,
                "allfold run: the program is linked to %s (%s), and there is no %s (%s); "
                "there is a build for:",
                choice->mpi->title, choice->library, path, why);
    else
        fprintf(stderr,
                "allfold run: the program is linked to %s (%s), for which there is no build "
                "here; there is one for:",
                choice->mpi->title, choice->library);
    allfold_builds_name(directory, stderr);
    fprintf(stderr, "; build and install Allfold with the compiler wrapper of that MPI: cmake "
                    "-DALLFOLD_MPICC=/PATH/OF/mpicc\n");
    return WRONG_USAGE;
}

/* Finds the build for the program's MPI and writes the path to preload. A program that loads its
 * MPI later gets the build that brings that MPI along. */
static int choose_build(const char *directory, const struct choice *choice, char *path,
                        size_t bytes)
{
    struct allfold_build builds[ALLFOLD_MOST_BUILDS];
    const char *name = choice->mpi->name;
    const bool is_there = name != NULL && allfold_build_look(directory, name, builds);
    const int error = errno;
    if (is_there &&
        (choice->library[0] == '\0' || allfold_build_fits(builds, choice->mpi, choice->library))) {
        allfold_build_choose(builds, choice->library[0] == '\0' ? builds->needs : choice->library,
                             path, bytes);
        return 0;
    }
    if (name != NULL && !is_there)
        return complain_of_missing(directory, builds->path, choice, strerror(error));
    const int count = allfold_builds_find(directory, builds);
    for (int i = 0; i < count; i++)
        if (allfold_build_fits(&builds[i], choice->mpi, choice->library)) {
            allfold_build_choose(&builds[i], choice->library, path, bytes);
            return 0;
        }
    return complain_of_missing(directory, NULL, choice, NULL);
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
    const int error = allfold_program_find(name, path, PATH_MAX);
    if (error == ENOENT)
        return complain(NOT_FOUND, "'%s' is not found%s; expected a program", name,
                        strchr(name, '/') == NULL ? " along PATH" : "");
    if (error != 0)
        return complain(NOT_EXECUTABLE, "'%s' cannot be run (%s); expected an executable file%s",
                        name, strerror(error), error == EACCES ? "; see chmod +x" : "");
    return 0;
}

static int find_directory(char directory[PATH_MAX])
{
    if (allfold_tool_library_directory(directory, PATH_MAX))
        return 0;
    return complain(WRONG_USAGE, "the place of this program cannot be found out through "
                                 "/proc/self/exe; expected one; mount /proc");
}

/* Whoever names the MPI has a program that may take its functions by dlsym. Where Allfold was built
 * with sanitizers there is no such library. */
static int preload_own_handle(const char *directory)
{
    char library[PATH_MAX + 64];
    snprintf(library, sizeof library, "%s/liballfold-own-handle.so", directory);
    return access(library, R_OK) == 0 ? set_preload(library) : 0;
}

/* Puts our libraries first in LD_PRELOAD. */
static int preload(const struct options *options, const struct choice *choice)
{
    char directory[PATH_MAX], library[PATH_MAX + 64];
    int status = find_directory(directory);
    if (status == 0)
        status = choose_build(directory, choice, library, sizeof library);
    if (status != 0)
        return status;
    if (strpbrk(library, " :") != NULL)
        return complain(WRONG_USAGE,
                        "the path '%s' has a blank or colon in it, where the loader splits "
                        "LD_PRELOAD; expected a path without; install Allfold elsewhere",
                        library);
    status = set_preload(library);
    if (status == 0 && options->mpi != NULL && *options->mpi != '\0')
        status = preload_own_handle(directory);
    /* where any memory is read in place, malloc stays the C library's */
    return status == 0 && options->one_copy && allfold_xpmem_missing() != NULL
               ? preload_one_copy(directory)
               : status;
}

/* --- --mpi list ------------------------------------------------------------------------------- */

static void list_builds(const char *directory)
{
    struct allfold_build builds[ALLFOLD_MOST_BUILDS];
    const int count = allfold_builds_find(directory, builds);
    printf("Builds of Allfold in %s:%s\n", directory, count == 0 ? " none" : "");
    for (int i = 0; i < count; i++) {
        const struct allfold_build *build = &builds[i];
        const struct allfold_program_mpi *mpi = allfold_program_mpi_of(build->needs);
        printf("  %-8s built with %s (%s)%s\n", build->mpi->name,
               mpi == NULL ? build->mpi->title : mpi->title,
               build->needs[0] == '\0' ? "which it does not name" : build->needs,
               build->has_twin ? "; serves every MPI with MPICH's ABI" : "");
    }
}

/* Which MPI the program uses, why we think so, and what serves it. */
static int list_program(const struct options *options, const char *directory)
{
    char path[PATH_MAX], library[PATH_MAX + 64];
    struct choice choice;
    int status = find(options->program[0], path);
    if (status == 0)
        status = choose_mpi(options, path, &choice);
    if (status != 0)
        return status;
    printf("%s is linked to %s, which is the library of %s.\n", path, choice.library,
           choice.mpi->title);
    fflush(stdout);
    status = choose_build(directory, &choice, library, sizeof library);
    if (status == 0)
        printf("It is served by %s.\n", library);
    return status;
}

static int list(const struct options *options)
{
    char directory[PATH_MAX];
    const int status = find_directory(directory);
    if (status != 0)
        return status;
    list_builds(directory);
    return options->program == NULL ? 0 : list_program(options, directory);
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
    struct options options = {.mpi = getenv("ALLFOLD_MPI"), .mpi_source = "ALLFOLD_MPI="};
    struct choice choice;
    const char *one_copy = getenv("ALLFOLD_ONE_COPY");
    char path[PATH_MAX];
    options.one_copy = one_copy != NULL && strcmp(one_copy, "1") == 0;
    if (argp_parse(&command_line, argc, argv, ARGP_IN_ORDER, NULL, &options) != 0)
        return WRONG_USAGE;
    if (options.lists)
        return list(&options);

    int status = find(options.program[0], path);
    if (status == 0)
        status = choose_mpi(&options, path, &choice);
    if (status == 0)
        status = preload(&options, &choice);
    if (status == 0)
        status = set_settings(&options);
    if (status != 0)
        return status;
    check_launcher(path, choice.mpi);
    execvp(options.program[0], options.program);
    return complain(errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE, "'%s' cannot be run (%s)", path,
                    strerror(errno));
}
