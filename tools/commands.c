/* All subcommands of `allfold` except `run`. main.c executes this program, which calls the
 * subcommand's function. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "tools.h"
#include "util/number.h"

static const struct {
    const char *name;
    int (*function)(int argc, char **argv);
} tools[] = {
#define ALLFOLD_TOOL(name, summary) {#name, allfold_tool_##name},
    ALLFOLD_TOOLS(ALLFOLD_TOOL)
#undef ALLFOLD_TOOL
};

enum { TOOLS = sizeof tools / sizeof *tools, WRONG_USAGE = 2 };

int main(int argc, char **argv)
{
    static char whole_name[64];
    argp_err_exit_status = WRONG_USAGE;
    allfold_tool_check_output();
    allfold_numbers_plain(); /* tables, CSV, JSON and networks are read again, under any locale */
    for (int i = 0; argc > 1 && i < TOOLS; i++) {
        if (strcmp(argv[1], tools[i].name) != 0)
            continue;
        snprintf(whole_name, sizeof whole_name, "allfold %s", tools[i].name);
        argv[1] = whole_name; /* argp shows it in usage and errors */
        return tools[i].function(argc - 1, argv + 1);
    }
    fprintf(stderr, "this program is a part of `allfold`; expected: allfold COMMAND\n");
    return WRONG_USAGE;
}
