/* The file that a command's name stands for, and whether a library can be preloaded into it. */
#ifndef ALLFOLD_TOOLS_EXECUTABLE_H
#define ALLFOLD_TOOLS_EXECUTABLE_H

#include <stddef.h>

/* Finds the file that execvp(name) would run and writes its path, of at most `bytes`. Returns 0 or
 * an errno: ENOENT if there is none, EACCES or EISDIR if what there is cannot be run. */
int allfold_executable_find(const char *name, char *path, size_t bytes);

/* Why nothing can be preloaded into this program: a static string, or NULL if nothing is known that
 * speaks against it. Scripts, and files that cannot be read, are left to the system. */
const char *allfold_executable_refuses(const char *path);

#endif
