/* Finds the installed directory of Allfold's libraries and of the programs that only the command
 * `allfold` starts. */
#ifndef ALLFOLD_LIBRARY_DIRECTORY_H
#define ALLFOLD_LIBRARY_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

/* The program of all subcommands except `run`, in the library directory. */
#define ALLFOLD_TOOL_COMMANDS "allfold-commands"

/* Writes the path of the library directory. It is the directory of this program if the program is
 * ALLFOLD_TOOL_COMMANDS, otherwise ../lib/allfold relative to that directory. Returns false if the
 * path of this program is not known, or `bytes` is too small. */
bool allfold_tool_library_directory(char *directory, size_t bytes);

#endif
