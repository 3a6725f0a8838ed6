/* The `allfold` command: finds the subcommand and hands over. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"
#include "util/number.h"

static const struct {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *summary;
} tools[] = {
    {"run", allfold_tool_run, "run an unmodified MPI program with Allfold's reductions"},
    {"info", allfold_tool_info,
     "print version, MPI libraries, machine and variables, and where ranks live"},
    {"list", allfold_tool_list, "list the algorithms: needs, claims, source"},
    {"show", allfold_tool_show, "show who sends what to whom, as text, SVG or JSON"},
    {"bench", allfold_tool_bench, "measure collectives and algorithms, the MPI library's own too"},
    {"tune", allfold_tool_tune,
     "measure the best algorithms for a table, or the machine for the models"},
    {"verify", allfold_tool_verify, "prove the algorithms on virtual ranks"},
    {"explain", allfold_tool_explain, "say what is chosen for a call, and why nothing else is"},
    {"simulate", allfold_tool_simulate, "simulate the algorithms on a network, without MPI"},
};

enum { TOOLS = sizeof tools / sizeof *tools, WRONG_USAGE = 2 };

static void print_usage(FILE *stream)
{
    fprintf(stream, "Usage: allfold COMMAND [ARGUMENTS]\n\n"
                    "Fast, explainable and dependable reductions for MPI programs:\n"
                    "    mpirun -n 64 allfold run ./app\n\nCommands:\n");
    for (int i = 0; i < TOOLS; i++)
        fprintf(stream, "    %-8s %s\n", tools[i].name, tools[i].summary);
    fprintf(stream, "\n`allfold COMMAND --help` says more of one; see also allfold(1).\n");
}

static int run_tool(const char *name, int argc, char **argv)
{
    static char whole_name[64];
    for (int i = 0; i < TOOLS; i++) {
        if (strcmp(name, tools[i].name) != 0)
            continue;
        snprintf(whole_name, sizeof whole_name, "allfold %s", name);
        argv[0] = whole_name; /* argp shows it in usage and errors */
        return tools[i].function(argc, argv);
    }
    fprintf(stderr, "allfold: there is no command '%s'; there are:", name);
    for (int i = 0; i < TOOLS; i++)
        fprintf(stderr, " %s", tools[i].name);
    fprintf(stderr, "\n");
    return WRONG_USAGE;
}

int main(int argc, char **argv)
{
    argp_err_exit_status = WRONG_USAGE;
    allfold_numbers_plain(); /* tables, CSV, JSON and networks are read again, under any locale */
    if (argc < 2) {
        print_usage(stderr);
        return WRONG_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("allfold %s\n", ALLFOLD_VERSION);
        return 0;
    }
    const int asks_help = strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
                          strcmp(argv[1], "-?") == 0;
    if (asks_help && argc == 2) {
        print_usage(stdout);
        return 0;
    }
    if (asks_help) {
        static char help[] = "--help";
        char *arguments[] = {argv[0], help, NULL};
        return run_tool(argv[2], 2, arguments);
    }
    return run_tool(argv[1], argc - 1, argv + 1);
}
