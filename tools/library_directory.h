/* Finds the directory of the files that users do not start themselves: the libraries, and the
 * programs that the command starts. */
#ifndef ALLFOLD_LIBRARY_DIRECTORY_H
#define ALLFOLD_LIBRARY_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

/* The program of all subcommands except `run`; it is in that directory. */
#define ALLFOLD_TOOL_COMMANDS "allfold-commands"

/* Writes the path of the directory: ../lib/allfold relative to the directory of this program, or
 * its own directory for ALLFOLD_TOOL_COMMANDS. Returns false if it cannot be found. */
bool allfold_tool_library_directory(char *directory, size_t bytes);

#endif
