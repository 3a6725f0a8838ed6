/* `allfold run`: starts an unmodified program with the library for its MPI preloaded. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
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
#include "select/variables.h"
#include "tools.h"
#include "util/warn.h"

enum { WRONG_USAGE = 2, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

enum { KEY_MPI = 256, KEY_ONE_COPY, KEY_FIRST };

/* Options that set a variable, to their argument or to a word. */
static const struct setting {
    const char *option, *variable, *argument, *word; /* argument NULL: it has none, ... */
    const char *meaning;                             /* ... word NULL: it must have one */
    int key;                                         /* of its letter; 0: it has none */
    bool needs_report;
} settings[] = {
    {"report", "ALLFOLD_REPORT", "FILE", "1",
     "a report at MPI_Finalize, on stderr or to FILE (.csv, .json and .html give those formats)",
     'r', false},
    {"compare", "ALLFOLD_REPORT_COMPARE", NULL, "1",
     "time the native collectives beside some of the calls, and report both", 0, true},
    {"compare-bits", "ALLFOLD_COMPARE_BITS", NULL, "1",
     "reduce floating point a second time with the native collectives, and report how often a bit "
     "differs",
     0, true},
    {"sites", "ALLFOLD_REPORT_SITES", NULL, "1", "report calls by where the program makes them", 0,
     true},
    {"trace", "ALLFOLD_TRACE", "FILE", NULL,
     "keep which collectives are called, for allfold simulate and explain", 0, false},
    {"watch", "ALLFOLD_WATCH", "DIR", "1",
     "let allfold top show the program while it runs, by pages in /dev/shm or DIR", 0, false},
    {"verbose", "ALLFOLD_VERBOSE", NULL, "1", "say what is chosen for each new shape, and why", 'v',
     false},
    {"reproducible", "ALLFOLD_REPRODUCIBLE", "MODE", "canonical",
     "results of floating-point reductions depend on the data and the number of ranks alone "
     "(canonical), or sums are exact (exact); with :warn what cannot be is said, not an error",
     0, false},
    {"check", "ALLFOLD_CHECK", NULL, "1",
     "ranks compare what they call before data moves, and calls that differ are errors", 0, false},
    {"timeout", "ALLFOLD_TIMEOUT", "TIME", NULL,
     "say for which ranks a call waits longer than TIME (30s, 5m); 30s,abort: end the program then",
     0, false},
    {"nonblocking", "ALLFOLD_NONBLOCKING", NULL, "1",
     "nonblocking and persistent collectives are Allfold's, too", 0, false},
    {"allreduce", "ALLFOLD_ALLREDUCE", "RULES", NULL,
     "the algorithm for MPI_Allreduce, or rules like 0-4K:recursive_doubling;4K-:ring; native", 0,
     false},
    {"table", "ALLFOLD_TABLE", "FILE", NULL, "the table that says which algorithm to take where", 0,
     false},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

struct options {
    const char *mpi;              /* NULL, or what --mpi names */
    const char *values[SETTINGS]; /* NULL: not given */
    bool one_copy;
    char **program;
};

__attribute__((format(printf, 1, 0))) static void say(const char *format, va_list arguments)
{
    fprintf(stderr, "allfold run: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
}

/* Of what is the same for all ranks of the job, so its first one speaks for all. */
__attribute__((format(printf, 2, 3))) static int refuse(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (allfold_is_first_rank())
        say(format, arguments);
    va_end(arguments);
    return status;
}

/* Of files, which may be missing on some nodes alone: the first rank of each node speaks. */
__attribute__((format(printf, 2, 3))) static int complain(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (allfold_is_first_on_node())
        say(format, arguments);
    va_end(arguments);
    return status;
}

/* What argp cannot know. */
static void check_value(const struct setting *setting, const char *value, struct argp_state *state)
{
    const char *name = setting->option;
    if (strcmp(name, "report") == 0 && strlen(value) < 2 && strspn(value, "01") == strlen(value))
        argp_error(state,
                   "--report='%s' is no file name; --report alone reports on stderr, and a file "
                   "called 0 or 1 is ./0 or ./1",
                   value);
    if (strcmp(name, "trace") == 0 && (*value == '\0' || strcmp(value, "0") == 0))
        argp_error(state, "--trace='%s' is no file name; a file called 0 is ./0", value);
    if (strcmp(name, "watch") == 0 && *value != '/')
        argp_error(state, "--watch='%s' is no directory; expected a path from / on, or none",
                   value);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    for (int i = 0; i < SETTINGS; i++)
        if (key == KEY_FIRST + i || (settings[i].key != 0 && key == settings[i].key)) {
            if (argument != NULL)
                check_value(&settings[i], argument, state);
            options->values[i] = argument == NULL ? settings[i].word : argument;
            return 0;
        }
    switch (key) {
    case KEY_ONE_COPY:
        options->one_copy = true;
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

static const struct argp_option *list_options(void)
{
    static struct argp_option list[SETTINGS + 3] = {
        {"one-copy", KEY_ONE_COPY, NULL, 0,
         "large allocations come from memory that the ranks of a node read in place; "
         "ALLFOLD_ONE_COPY=1 is the same",
         0},
        {"mpi", KEY_MPI, "FILE", 0,
         "the MPI library's file, if a program that opens several is not recognized; ALLFOLD_MPI "
         "is the same. The names of earlier versions (openmpi, mpich, smpi) are no longer needed",
         0}};
    static char texts[SETTINGS][300];
    for (int i = 0; i < SETTINGS; i++) {
        const struct setting *from = &settings[i];
        snprintf(texts[i], sizeof texts[i], "%s; %s is the same", from->meaning, from->variable);
        list[2 + i] = (struct argp_option){
            .name = from->option,
            .key = from->key != 0 ? from->key : KEY_FIRST + i,
            .arg = from->argument,
            .flags = from->argument != NULL && from->word != NULL ? OPTION_ARG_OPTIONAL : 0,
            .doc = texts[i]};
    }
    return list;
}

static struct argp command_line = {
    NULL,
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

/* How many bytes at the begin of an LD_PRELOAD go up to the end of the last sanitizer's runtime. */
static size_t end_of_sanitizers(const char *list)
{
    size_t end = 0;
    for (const char *at = list; *at != '\0'; at += strspn(at, " :")) {
        const size_t here = strcspn(at, " :");
        if (allfold_executable_is_sanitizer(at, here))
            end = (size_t)(at - list) + here;
        at += here;
    }
    return end;
}

/* Puts a library first in LD_PRELOAD, where it is not there already; but behind a sanitizer's
 * runtime, which ends programs where another library is before it. */
static int set_preload(const char *library)
{
    const char *before = getenv("LD_PRELOAD");
    if (before == NULL || *before == '\0')
        return set_variable("LD_PRELOAD", library);
    if (is_in_list(before, library))
        return 0;
    const size_t first = end_of_sanitizers(before), bytes = strlen(library) + strlen(before) + 3;
    char *both = malloc(bytes);
    if (both == NULL)
        return complain(WRONG_USAGE, "LD_PRELOAD=%s cannot be prolonged: no memory", before);
    const char *rest = before + first + strspn(before + first, " :");
    snprintf(both, bytes, "%.*s%s%s%s%s", (int)first, before, first > 0 ? ":" : "", library,
             *rest != '\0' ? ":" : "", rest);
    const int status = set_variable("LD_PRELOAD", both);
    free(both);
    return status;
}

/* A program that is linked with a sanitizer's runtime has it first in any case. */
static int preload_sanitizer(const char *path)
{
    char name[PATH_MAX];
    const char *before = getenv("LD_PRELOAD");
    if ((before != NULL && end_of_sanitizers(before) > 0) ||
        !allfold_executable_find_sanitizer(path, name, sizeof name))
        return 0;
    return set_preload(name);
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
        return refuse(WRONG_USAGE,
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
    bool has_report = report != NULL && *report != '\0' && strcmp(report, "0") != 0;
    int status = options->one_copy ? set_variable("ALLFOLD_ONE_COPY", "1") : 0;
    if (status == 0 && options->mpi != NULL)
        status = set_mpi(options->mpi);
    for (int i = 0; i < SETTINGS && status == 0; i++) {
        if (options->values[i] == NULL)
            continue;
        if (settings[i].needs_report && !has_report)
            status = options->values[0] == NULL ? set_variable("ALLFOLD_REPORT", "1") : 0;
        if (status == 0)
            status = set_variable(settings[i].variable, options->values[i]);
        has_report |= settings[i].needs_report;
    }
    return status;
}

/* A promise that is misspelled would not be kept. Of other variables the library complains. */
static int check_promises(void)
{
    extern char **environ;
    char why[ALLFOLD_MESSAGE_BYTES];
    return allfold_promises_are_kept(environ, why) ? 0 : refuse(WRONG_USAGE, "%s", why);
}

/* Usage is the same for all ranks: stderr is closed to the messages of all but the first. */
static int parse_once(int argc, char **argv, struct options *options)
{
    const bool is_silent = !allfold_is_first_rank();
    const int saved = is_silent ? dup(STDERR_FILENO) : -1;
    const int nowhere = is_silent ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (saved >= 0 && nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
    command_line.options = list_options();
    const int error = argp_parse(&command_line, argc, argv, ARGP_IN_ORDER, NULL, options);
    if (saved >= 0 && nowhere >= 0)
        dup2(saved, STDERR_FILENO);
    if (saved >= 0)
        close(saved);
    if (nowhere >= 0)
        close(nowhere);
    return error;
}

/* Open MPI 5 ends the job as soon as one rank fails, be it before the first one has said why. */
static void let_first_speak(void)
{
    enum { US = 300000 };
    usleep(US);
}

int allfold_tool_run(int argc, char **argv)
{
    struct options options = {.mpi = NULL};
    const char *one_copy = getenv("ALLFOLD_ONE_COPY");
    char path[PATH_MAX];
    options.one_copy = one_copy != NULL && strcmp(one_copy, "1") == 0;
    if (!allfold_is_first_rank())
        atexit(let_first_speak); /* not run where a program is started in this process */
    if (parse_once(argc, argv, &options) != 0)
        return WRONG_USAGE;
    int status = find(options.program[0], path);
    if (status == 0)
        status = preload_sanitizer(path);
    if (status == 0)
        status = preload(&options);
    if (status == 0)
        status = set_settings(&options);
    if (status == 0)
        status = check_promises();
    if (status != 0)
        return status;
    execvp(options.program[0], options.program);
    return complain(errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE, "'%s' cannot be run (%s)", path,
                    strerror(errno));
}
