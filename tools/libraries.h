/* Which libraries a program needs, found by reading files. Reading is much quicker than asking the
 * loader, which takes as long as starting a program.
 *
 * It knows the loader's ordinary ways (glibc's: DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the cache of
 * ldconfig). Where anything is not ordinary, or a library is missing, it finds nothing and the
 * caller must ask the loader. So it may give up, but never say what the loader would not. It does
 * not look at versions of symbols: the loader complains about these when the program starts. */
#ifndef ALLFOLD_TOOLS_LIBRARIES_H
#define ALLFOLD_TOOLS_LIBRARIES_H

#include <stdbool.h>

/* Calls `note` with the name of each library that the program at `path`, an absolute one without
 * symbolic links, and its libraries need; once or more for each. Where `note` returns true, the
 * walk ends at that library: what it needs is noted and not looked for. False where only `loader`
 * can know them all; `note` may have been called then. */
bool allfold_libraries_find(const char *path, const char *loader,
                            bool (*note)(void *context, const char *name), void *context);

/* Calls `note` with the name of each library that the file at `path`, a program or a library,
 * itself needs. False where the file cannot be read so; `note` has not been called then. */
bool allfold_libraries_needed(const char *path, void (*note)(void *context, const char *name),
                              void *context);

#endif
