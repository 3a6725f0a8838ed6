/* Finds the file of a launcher's MPI library (see mpi_file.h). */
#include "mpi_file.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "library_directory.h"
#include "stub/stub.h"

static const struct kind {
    const char *name, *serves;
    const char *files[2]; /* how its libraries are called; the first one that is found counts */
} kinds[] = {
    {"openmpi", "Open MPI 3 and later (libmpi.so.40)", {"libmpi.so.[2-9][0-9]", "libmpi.so.40"}},
    {"mpich",
     "MPICH and MPIs with its ABI (libmpi.so.12, libmpich.so.12)",
     {"libmpi.so.12", "libmpich.so.12"}},
    {"abi", "MPIs with the standard's ABI (libmpi_abi.so.1)", {"libmpi_abi.so.1", NULL}},
};

enum { KINDS = sizeof kinds / sizeof *kinds, MESSAGE_BYTES = 1024 };

static const struct kind *find_kind(const char *name)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

bool allfold_mpi_file_is_name(const char *given)
{
    return given == NULL || *given == '\0' || find_kind(given) != NULL ||
           strchr(given, '/') != NULL;
}

/* --- builds --- */

static bool find_build(const char *name, char path[PATH_MAX + 64])
{
    char directory[PATH_MAX];
    if (!allfold_tool_library_directory(directory, sizeof directory))
        return false;
    snprintf(path, PATH_MAX + 64, "%s/liballfold-%s.so", directory, name);
    return access(path, R_OK) == 0;
}

int allfold_mpi_file_builds(void (*take)(void *context, const struct allfold_mpi_build *build),
                            void *context)
{
    char path[PATH_MAX + 64];
    int count = 0;
    for (int i = 0; i < KINDS; i++) {
        if (!find_build(kinds[i].name, path))
            continue;
        take(context, &(struct allfold_mpi_build){kinds[i].name, path, kinds[i].serves});
        count++;
    }
    return count;
}

static void add_name(void *context, const struct allfold_mpi_build *build)
{
    char *text = context;
    if (*text != '\0')
        strcat(text, ", ");
    strcat(text, build->name);
}

/* Their names, with commas in between. */
static int list_builds(char text[64])
{
    *text = '\0';
    const int count = allfold_mpi_file_builds(add_name, text);
    if (count == 0)
        strcpy(text, "none");
    return count;
}

/* --- which MPI a library is --- */

/* Writes "+BUILD<TAB>PATH", with an empty BUILD if there is none, or "-ERROR". */
static void tell_library(const char *name, FILE *stream)
{
    void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stream, "-%s", dlerror());
        return;
    }
    const struct allfold_mpi_library mpi = allfold_stub_mpi_of(dlsym(library, "PMPI_Init"));
    if (mpi.handle == NULL)
        fprintf(stream, "-%s is no MPI library", name);
    else
        fprintf(stream, "+%s\t%s", mpi.abi == NULL ? "" : mpi.abi, mpi.path);
}

/* Reads the version of a library, which the loader searches if its name has no slash. Another
 * process loads it, because it would disturb this one. Returns false with `message` if it cannot be
 * loaded. */
static bool look_at(const char *name, struct allfold_mpi_file *file, char *message, size_t bytes)
{
    char line[PATH_MAX + MESSAGE_BYTES] = "";
    int ends[2];
    snprintf(message, bytes, "%s cannot be loaded", name);
    if (pipe(ends) != 0)
        return false;
    fflush(NULL); /* or the child has it too */
    const pid_t child = fork();
    if (child == 0) {
        FILE *stream = fdopen(ends[1], "w");
        if (stream != NULL) {
            tell_library(name, stream);
            fflush(stream);
        }
        _exit(0);
    }
    close(ends[1]);
    FILE *stream = fdopen(ends[0], "r");
    if (stream != NULL && fgets(line, sizeof line, stream) != NULL && *line == '-')
        snprintf(message, bytes, "%s", line + 1);
    if (stream != NULL)
        fclose(stream);
    if (child > 0)
        waitpid(child, NULL, 0);
    char *path = strchr(line, '\t');
    if (*line != '+' || path == NULL)
        return false;
    *path++ = '\0';
    const struct kind *kind = find_kind(line + 1);
    file->mpi = kind == NULL ? NULL : kind->name;
    snprintf(file->path, sizeof file->path, "%.*s", PATH_MAX - 1, path);
    message[0] = '\0';
    return true;
}

/* --- where it is --- */

/* Searches the directories of libraries beside that of the launcher. */
static bool find_beside(const struct allfold_launcher *launcher, const struct kind *kind,
                        char path[PATH_MAX])
{
    static const char *const directories[] = {"lib", "lib64", "lib/*-linux-gnu", "lib/release"};
    char pattern[2 * PATH_MAX], prefix[PATH_MAX];
    glob_t found;
    snprintf(prefix, sizeof prefix, "%s", launcher->path);
    for (int i = 0; i < 2; i++) { /* PREFIX/bin/NAME */
        char *slash = strrchr(prefix, '/');
        if (slash == NULL)
            return false;
        *slash = '\0';
    }
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        for (int j = 0; j < 2 && kind->files[j] != NULL; j++) {
            snprintf(pattern, sizeof pattern, "%s/%s/%s", prefix, directories[i], kind->files[j]);
            if (glob(pattern, 0, NULL, &found) != 0)
                continue;
            snprintf(path, PATH_MAX, "%s", found.gl_pathv[found.gl_pathc - 1]);
            globfree(&found);
            return true;
        }
    return false;
}

/* The library that the loader finds for each program that needs one of the kind. */
static bool find_loaded(const struct kind *kind, struct allfold_mpi_file *file, char *message,
                        size_t bytes)
{
    for (int i = 0; i < 2 && kind->files[i] != NULL; i++)
        if (look_at(kind->files[i], file, message, bytes))
            return true;
    return false;
}

/* One of the kind, or of any if that is NULL, that lies beside the launcher. */
static bool find_at_launcher(const struct kind *kind, const struct allfold_launcher *launcher,
                             char path[PATH_MAX])
{
    if (kind != NULL)
        return find_beside(launcher, kind, path);
    return find_beside(launcher, find_kind("openmpi"), path) ||
           find_beside(launcher, find_kind("mpich"), path);
}

/* If the launcher starts programs of several MPI libraries but there is only one build, that is the
 * one. */
static const struct kind *only_build(void)
{
    char names[64];
    return list_builds(names) == 1 ? find_kind(names) : NULL;
}

static bool find_file(const char *given, const struct allfold_launcher *launcher,
                      struct allfold_mpi_file *file, char *message, size_t bytes)
{
    char path[PATH_MAX], names[64];
    const bool is_given = given != NULL && *given != '\0';
    const struct kind *kind = is_given                ? find_kind(given)
                              : launcher->mpi != NULL ? find_kind(launcher->mpi)
                                                      : NULL;
    if (is_given && kind == NULL)
        return look_at(given, file, message, bytes);
    const bool is_seen = launcher->path[0] != '\0';
    if (is_seen && find_at_launcher(kind, launcher, path))
        return look_at(path, file, message, bytes);
    /* the loader may find another MPI library than the launcher's, if that is known */
    if (!is_seen && kind == NULL)
        kind = only_build();
    if (kind != NULL && (is_given || !is_seen))
        return find_loaded(kind, file, message, bytes);
    list_builds(names);
    if (is_seen)
        snprintf(message, bytes,
                 "no MPI library lies beside the launcher %s; expected one in its lib directory; "
                 "name the library's file by --mpi",
                 launcher->path);
    else
        snprintf(message, bytes,
                 "the launcher does not say which MPI the ranks have; there are builds of Allfold "
                 "for: %s; name the MPI library's file by --mpi",
                 names);
    return false;
}

bool allfold_mpi_file_find(const char *given, const struct allfold_launcher *launcher,
                           struct allfold_mpi_file *file, char *message, size_t message_bytes)
{
    char names[64], build[PATH_MAX + 64];
    *file = (struct allfold_mpi_file){.mpi = NULL};
    if (!find_file(given, launcher, file, message, message_bytes))
        return false;
    list_builds(names);
    if (file->mpi != NULL && find_build(file->mpi, build))
        return true;
    snprintf(message, message_bytes,
             "the MPI library %s needs %s%s%s; there are builds for: %s; name another library's "
             "file by --mpi",
             file->path, file->mpi == NULL ? "a build that Allfold does not have" : "a build for ",
             file->mpi == NULL ? "" : file->mpi, file->mpi == NULL ? "" : ", which is missing",
             names);
    return false;
}
