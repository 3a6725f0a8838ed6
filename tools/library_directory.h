/* Where the parts of Allfold are that are not for people to start. */
#ifndef ALLFOLD_LIBRARY_DIRECTORY_H
#define ALLFOLD_LIBRARY_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

/* The program of all subcommands but `run`, which lies there. */
#define ALLFOLD_TOOL_COMMANDS "allfold-commands"

/* Where the preloadable libraries are: ../lib/allfold, seen from the real place of this program, or
 * where it lies itself. False where that cannot be found out. */
bool allfold_tool_library_directory(char *directory, size_t bytes);

#endif
