/* Finds the directory of libraries and parts (see library_directory.h). */
#include "library_directory.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Removes the last component of a path, and returns it; NULL if there is none. */
static const char *take_off(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        return NULL;
    *slash = '\0';
    return slash + 1;
}

bool allfold_tool_library_directory(char *directory, size_t bytes)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    const char *name = take_off(path);
    if (name == NULL)
        return false;
    if (strcmp(name, ALLFOLD_TOOL_COMMANDS) == 0)
        return snprintf(directory, bytes, "%s", path) < (int)bytes;
    return take_off(path) != NULL &&
           snprintf(directory, bytes, "%s/lib/allfold", path) < (int)bytes;
}
