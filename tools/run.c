/* `allfold run`: starts an unmodified program with liballfold-preload.so preloaded. */
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

#include "config/config.h"
#include "library_directory.h"
#include "executable.h"
#include "heap/xpmem.h"
#include "tools.h"
#include "util/is_off.h"
#include "util/launcher_rank.h"

enum { WRONG_USAGE = 2, NOT_EXECUTABLE = 126, NOT_FOUND = 127 };

enum { KEY_HELP = '?', KEY_MPI = 256, KEY_SETTING, KEY_OLD = KEY_SETTING + ALLFOLD_SETTINGS };

struct options {
    const char *mpi;                      /* NULL, or what --mpi names */
    const char *values[ALLFOLD_SETTINGS]; /* of settings; NULL: not given */
    const char **old_values;              /* values of variables with names of earlier versions */
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

/* What argp cannot know: options with an optional argument take it for a file's name. */
static void check_value(enum allfold_setting_id id, const char *value, struct argp_state *state)
{
    const struct allfold_setting *row = &allfold_setting[id];
    const char *start;
    double number;
    const bool is_part = allfold_setting_find_part(id, value, &start) != id;
    if (row->type == TYPE_FILE && (*value == '\0' || (strlen(value) == 1 && strspn(value, "01"))))
        argp_error(state, "--%s='%s' is no file name; a file called 0 or 1 is ./0 or ./1",
                   allfold_option_name(id), value);
    if (row->type == TYPE_DIRECTORY && !is_part && !allfold_setting_read(id, value, &number))
        argp_error(state, "--%s='%s' is no directory; expected a path from / on, or none",
                   allfold_option_name(id), value);
}

/* Has the setting an option? */
static bool has_option(enum allfold_setting_id id)
{
    return !allfold_setting_is_part(id) && allfold_setting_is_listed(id);
}

/* How much of a setting's help is its first phrase. */
static int phrase_of(const char *help)
{
    static const char *const ends[] = {" (", ": ", ". "};
    size_t length = strlen(help) - 1; /* without the period */
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *end = strstr(help, ends[i]);
        if (end != NULL && (size_t)(end - help) < length)
            length = (size_t)(end - help);
    }
    return (int)length;
}

/* One screen: an option a line. */
static void print_help(void)
{
    printf("Usage: allfold run [OPTION...] PROGRAM [ARGS...]\n"
           "Runs an unmodified MPI program with Allfold's reductions, under any mpirun:\n"
           "    mpirun -n 64 allfold run ./app\n\n");
    for (int i = 0; i < ALLFOLD_SETTINGS; i++) {
        const enum allfold_setting_id id = (enum allfold_setting_id)i;
        const struct allfold_setting *row = &allfold_setting[i];
        char option[40], letter[8] = "    ";
        const char *is_optional = row->word[0] != '\0' ? "[" : "";
        if (!has_option(id))
            continue;
        if (row->letter != 0)
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        snprintf(option, sizeof option, "%s--%s%s=%s%s", letter, allfold_option_name(id),
                 is_optional, row->argument, *is_optional != '\0' ? "]" : "");
        printf("  %-28s%.*s\n", option, phrase_of(row->help), row->help);
    }
    printf("  %-28s%s\n", "    --mpi=FILE", "The MPI library, if the program's is not found");
    printf("\nEach option sets ALLFOLD_NAME. `allfold info` explains them and their parts,\n"
           "such as --report=FILE,compare. See also allfold-run(1).\n");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    if (key >= KEY_OLD && key < KEY_OLD + allfold_old_name_count) {
        options->old_values[key - KEY_OLD] = argument == NULL ? "1" : argument;
        return 0;
    }
    for (int i = 0; i < ALLFOLD_SETTINGS; i++)
        if (key == KEY_SETTING + i ||
            (allfold_setting[i].letter != 0 && key == allfold_setting[i].letter)) {
            if (argument != NULL)
                check_value((enum allfold_setting_id)i, argument, state);
            options->values[i] = argument == NULL ? allfold_setting[i].word : argument;
            return 0;
        }
    switch (key) {
    case KEY_HELP:
        print_help();
        exit(0);
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

static struct argp_option option_of(enum allfold_setting_id id)
{
    const struct allfold_setting *row = &allfold_setting[id];
    return (struct argp_option){.name = allfold_option_name(id),
                                .key = row->letter != 0 ? row->letter : KEY_SETTING + (int)id,
                                .arg = row->argument,
                                .flags = row->word[0] != '\0' ? OPTION_ARG_OPTIONAL : 0};
}

/* Options of earlier versions set variables of earlier versions; the library prints their new
 * names. */
static struct argp_option old_option_of(int number)
{
    const struct allfold_old_name *old = &allfold_old_names[number];
    const bool is_switch = allfold_setting[old->id].type == TYPE_SWITCH;
    return (struct argp_option){.name = old->option,
                                .key = KEY_OLD + number,
                                .arg = is_switch ? NULL : "VALUE",
                                .flags = OPTION_HIDDEN};
}

static const struct argp_option *list_options(void)
{
    enum { MOST_OLD = 64 };
    static struct argp_option list[ALLFOLD_SETTINGS + MOST_OLD + 4];
    int count = 0;
    for (int i = 0; i < ALLFOLD_SETTINGS; i++)
        if (has_option((enum allfold_setting_id)i))
            list[count++] = option_of((enum allfold_setting_id)i);
    for (int i = 0; i < allfold_old_name_count && i < MOST_OLD; i++)
        if (allfold_old_names[i].option[0] != '\0')
            list[count++] = old_option_of(i);
    list[count++] = (struct argp_option){.name = "help", .key = KEY_HELP};
    list[count++] = (struct argp_option){.name = "usage", .key = KEY_HELP};
    list[count] = (struct argp_option){.name = "mpi", .key = KEY_MPI, .arg = "FILE"};
    return list;
}

static struct argp command_line = {.parser = parse, .args_doc = "PROGRAM [ARGS...]"};

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

/* Puts a library first in LD_PRELOAD, unless it is there already, but after a sanitizer's runtime
 * library, which ends programs if another library comes before it. */
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

static bool is_one_copy(void)
{
    const char *value = getenv(allfold_setting[SETTING_ONE_COPY].name);
    double number;
    return value != NULL && allfold_setting_read(SETTING_ONE_COPY, value, &number) && number > 0;
}

/* Puts our libraries first in LD_PRELOAD. */
static int preload(void)
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
    /* if any memory can be read in place, malloc stays the C library's */
    return status == 0 && is_one_copy() && allfold_xpmem_missing() != NULL
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

static int set_settings(const struct options *options)
{
    int status = options->mpi == NULL ? 0 : set_mpi(options->mpi);
    for (int i = 0; i < ALLFOLD_SETTINGS && status == 0; i++)
        if (options->values[i] != NULL)
            status = set_variable(allfold_setting[i].name, options->values[i]);
    for (int i = 0; i < allfold_old_name_count && status == 0; i++)
        if (options->old_values[i] != NULL)
            status = set_variable(allfold_old_names[i].name, options->old_values[i]);
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
    const int error =
        argp_parse(&command_line, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, options);
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

/* Sets the variables, and then what is to be preloaded. */
static int prepare(const struct options *options, const char *path)
{
    int status = set_settings(options);
    if (status == 0)
        status = check_promises();
    if (status == 0)
        status = preload_sanitizer(path);
    return status == 0 ? preload() : status;
}

int allfold_tool_run(int argc, char **argv)
{
    const char *old_values[allfold_old_name_count];
    struct options options = {.old_values = old_values};
    char path[PATH_MAX];
    memset(old_values, 0, sizeof old_values);
    if (!allfold_is_first_rank())
        atexit(let_first_speak); /* not called if a program is executed in this process */
    if (parse_once(argc, argv, &options) != 0)
        return WRONG_USAGE;
    int status = allfold_is_off() ? 0 : find(options.program[0], path);
    if (status == 0 && !allfold_is_off())
        status = prepare(&options, path);
    if (status != 0)
        return status;
    execvp(options.program[0], options.program);
    return complain(errno == ENOENT ? NOT_FOUND : NOT_EXECUTABLE, "'%s' cannot be run (%s)",
                    options.program[0], strerror(errno));
}
