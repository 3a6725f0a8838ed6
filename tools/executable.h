/* Finds the executable file of a command's name, and checks whether a library can be preloaded into
 * it. */
#ifndef ALLFOLD_EXECUTABLE_H
#define ALLFOLD_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the file that execvp(name) would run, and writes its path, of at most `bytes` bytes.
 * Returns 0 or an errno: ENOENT if there is none, EACCES or EISDIR if it cannot be executed. */
int allfold_executable_find(const char *name, char *path, size_t bytes);

/* Returns why nothing can be preloaded into this program, a static string; NULL if no reason is
 * known. Scripts and files that cannot be read are not checked. */
const char *allfold_executable_refuses(const char *path);

/* Returns whether a file is the runtime library of a sanitizer, which must come before all other
 * libraries. `name` is a path of `length` bytes. */
bool allfold_executable_is_sanitizer(const char *name, size_t length);

/* Finds the sanitizer's runtime library that a program is linked with, and writes the name that the
 * program uses for it. Returns false if there is none, or if it is linked statically, as by
 * clang. */
bool allfold_executable_find_sanitizer(const char *path, char *name, size_t bytes);

#endif
