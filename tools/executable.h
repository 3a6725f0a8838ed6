/* The file that a command's name stands for, and whether a library can be preloaded into it. */
#ifndef ALLFOLD_EXECUTABLE_H
#define ALLFOLD_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the file that execvp(name) would run and writes its path, of at most `bytes`. Returns 0 or
 * an errno: ENOENT if there is none, EACCES or EISDIR if what there is cannot be run. */
int allfold_executable_find(const char *name, char *path, size_t bytes);

/* Why nothing can be preloaded into this program: a static string, or NULL if nothing is known that
 * speaks against it. Scripts, and files that cannot be read, are left to the system. */
const char *allfold_executable_refuses(const char *path);

/* Is that the file of a sanitizer's runtime, which must come before all other libraries? `name` is
 * a path of so many bytes. */
bool allfold_executable_is_sanitizer(const char *name, size_t length);

/* The sanitizer's runtime that a program is linked with, as it names it. False: it is linked with
 * none, or holds it itself, as with clang. */
bool allfold_executable_find_sanitizer(const char *path, char *name, size_t bytes);

#endif
