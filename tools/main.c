/* The `allfold` command: finds the subcommand.
 *
 * `allfold run` is started before every program, so it must start quickly: it is in this small
 * program, which is linked with the C library alone. The other subcommands are in another program
 * (commands.c), which this one executes. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "library_directory.h"
#include "output.h"
#include "tools.h"

static const struct {
    const char *name, *summary;
} tools[] = {{"run", "run an unmodified MPI program with Allfold's reductions"},
#define ALLFOLD_TOOL(name, summary) {#name, summary},
             ALLFOLD_TOOLS(ALLFOLD_TOOL)
#undef ALLFOLD_TOOL
};

enum { TOOLS = sizeof tools / sizeof *tools, WRONG_USAGE = 2 };

static void print_usage(FILE *stream)
{
    fprintf(stream, "Usage: allfold COMMAND [ARGUMENTS]\n\n"
                    "Fast, explainable and dependable reductions for MPI programs:\n"
                    "    mpirun -n 64 allfold run ./app\n\nCommands:\n");
    for (int i = 0; i < TOOLS; i++)
        fprintf(stream, "    %-9s %s\n", tools[i].name, tools[i].summary);
    fprintf(stream, "\n`allfold COMMAND --help` says more of one; see also allfold(1).\n");
}

/* Executes the program of the other subcommands; returns only if that fails. */
static int become_commands(char **argv)
{
    char directory[PATH_MAX] = "", path[PATH_MAX + sizeof ALLFOLD_TOOL_COMMANDS + 1];
    allfold_tool_library_directory(directory, sizeof directory);
    snprintf(path, sizeof path, "%s/%s", directory, ALLFOLD_TOOL_COMMANDS);
    execv(path, argv);
    fprintf(stderr, "allfold: %s cannot be run (%s); build and install all of Allfold\n", path,
            strerror(errno));
    return WRONG_USAGE;
}

/* argv[1] is the subcommand. */
static int run_tool(int argc, char **argv)
{
    static char run[] = "allfold run"; /* argp shows it in usage and errors */
    if (strcmp(argv[1], tools[0].name) == 0) {
        argv[1] = run;
        return allfold_tool_run(argc - 1, argv + 1);
    }
    for (int i = 1; i < TOOLS; i++)
        if (strcmp(argv[1], tools[i].name) == 0)
            return become_commands(argv);
    fprintf(stderr, "allfold: there is no command '%s'; there are:", argv[1]);
    for (int i = 0; i < TOOLS; i++)
        fprintf(stderr, " %s", tools[i].name);
    fprintf(stderr, "\n");
    return WRONG_USAGE;
}

int main(int argc, char **argv)
{
    argp_err_exit_status = WRONG_USAGE;
    allfold_tool_check_output();
    if (argc < 2) {
        print_usage(stderr);
        return WRONG_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("allfold %s\n", ALLFOLD_VERSION);
        return 0;
    }
    const bool asks_help = strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
                           strcmp(argv[1], "-?") == 0;
    if (asks_help && argc == 2) {
        print_usage(stdout);
        return 0;
    }
    if (asks_help) {
        static char help[] = "--help";
        char *arguments[] = {argv[0], argv[2], help, NULL};
        return run_tool(3, arguments);
    }
    return run_tool(argc, argv);
}
