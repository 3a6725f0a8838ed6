/* The builds of the library that lie beside the command, one for each MPI, and which of them a
 * program can take.
 *
 * A build fits where the program needs the very MPI library that the build was linked with. It also
 * fits where both have MPICH's ABI under different names. Then its twin, which names no MPI library
 * and takes the program's, is preloaded in its place. */
#ifndef ALLFOLD_TOOLS_BUILDS_H
#define ALLFOLD_TOOLS_BUILDS_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "program.h"

enum { ALLFOLD_MOST_BUILDS = 8 };

struct allfold_build {
    const struct allfold_program_mpi *mpi; /* the first of its name */
    char path[PATH_MAX + 64];
    char needs[128]; /* the MPI library that it was linked with; "" where it names none */
    bool has_twin;
};

/* Finds all builds in the directory; returns how many there are. */
int allfold_builds_find(const char *directory, struct allfold_build builds[ALLFOLD_MOST_BUILDS]);

/* Looks at the build of that name. False where there is none that can be read; then errno says why
 * and the path is written all the same. */
bool allfold_build_look(const char *directory, const char *name, struct allfold_build *build);

/* Whether the build can serve programs whose MPI library has that name. */
bool allfold_build_fits(const struct allfold_build *build, const struct allfold_program_mpi *mpi,
                        const char *library);

/* What to preload for such a program: the path of the build or of its twin. */
void allfold_build_choose(const struct allfold_build *build, const char *library, char *path,
                          size_t bytes);

/* Writes " openmpi (libmpi.so.40) ...", or " none". */
void allfold_builds_name(const char *directory, FILE *stream);

#endif
