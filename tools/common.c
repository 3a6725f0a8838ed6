/* What several subcommands need (see common.h). */
#include "common.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/problem.h"

int allfold_tool_number(struct argp_state *state, const char *option, const char *text, int least,
                        int most)
{
    char *end;
    const long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < least || number > most)
        argp_error(state, "%s %s: expected a whole number from %d to %d", option, text, least,
                   most);
    return (int)number;
}

bool allfold_tool_is_collective(const char *name)
{
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        if (strcmp(name, allfold_collective_name((enum allfold_collective)i)) == 0)
            return true;
    return false;
}

bool allfold_tool_library_directory(char *directory, size_t bytes)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
    }
    return snprintf(directory, bytes, "%s/lib/allfold", path) < (int)bytes;
}
