/* The builds of the library (see builds.h). */
#include "builds.h"

#include <glob.h>
#include <string.h>
#include <unistd.h>

#include "libraries.h"

static const char start[] = "/liballfold-", end[] = ".so", twin_end[] = "-abi.so";

static void note_mpi(void *context, const char *library)
{
    struct allfold_build *build = context;
    if (allfold_program_mpi_of(library) != NULL)
        snprintf(build->needs, sizeof build->needs, "%s", library);
}

/* The twin's path, from the build's. */
static void find_twin(const struct allfold_build *build, char *path, size_t bytes)
{
    snprintf(path, bytes, "%.*s%s", (int)(strlen(build->path) - strlen(end)), build->path,
             twin_end);
}

bool allfold_build_look(const char *directory, const char *name, struct allfold_build *build)
{
    char twin[sizeof build->path];
    build->mpi = allfold_program_mpi(name);
    build->needs[0] = '\0';
    build->has_twin = false;
    snprintf(build->path, sizeof build->path, "%s%s%s%s", directory, start, name, end);
    if (build->mpi == NULL || access(build->path, R_OK) != 0)
        return false;
    allfold_libraries_needed(build->path, note_mpi, build);
    find_twin(build, twin, sizeof twin);
    build->has_twin = access(twin, R_OK) == 0;
    return true;
}

int allfold_builds_find(const char *directory, struct allfold_build builds[ALLFOLD_MOST_BUILDS])
{
    char pattern[PATH_MAX + 32], name[64];
    glob_t found = {.gl_pathc = 0};
    const size_t before = strlen(directory) + strlen(start);
    int count = 0;
    snprintf(pattern, sizeof pattern, "%s%s*%s", directory, start, end);
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (size_t i = 0; i < found.gl_pathc && count < ALLFOLD_MOST_BUILDS; i++) {
        const size_t length = strlen(found.gl_pathv[i]) - before - strlen(end);
        snprintf(name, sizeof name, "%.*s", (int)length, found.gl_pathv[i] + before);
        if (allfold_build_look(directory, name, &builds[count]))
            count++;
    }
    globfree(&found);
    return count;
}

/* Do both have the ABI that MPICH and others share? */
static bool share_abi(const struct allfold_build *build, const struct allfold_program_mpi *mpi)
{
    return mpi->name != NULL && strcmp(mpi->name, "mpich") == 0 &&
           strcmp(build->mpi->name, "mpich") == 0;
}

bool allfold_build_fits(const struct allfold_build *build, const struct allfold_program_mpi *mpi,
                        const char *library)
{
    if (build->needs[0] == '\0')
        return mpi->name != NULL && strcmp(mpi->name, build->mpi->name) == 0;
    return strcmp(build->needs, library) == 0 || (build->has_twin && share_abi(build, mpi));
}

void allfold_build_choose(const struct allfold_build *build, const char *library, char *path,
                          size_t bytes)
{
    if (build->needs[0] == '\0' || strcmp(build->needs, library) == 0)
        snprintf(path, bytes, "%s", build->path);
    else
        find_twin(build, path, bytes);
}

void allfold_builds_name(const char *directory, FILE *stream)
{
    struct allfold_build builds[ALLFOLD_MOST_BUILDS];
    const int count = allfold_builds_find(directory, builds);
    for (int i = 0; i < count; i++)
        fprintf(stream, builds[i].needs[0] == '\0' ? " %s" : " %s (%s)", builds[i].mpi->name,
                builds[i].needs);
    if (count == 0)
        fprintf(stream, " none");
}
