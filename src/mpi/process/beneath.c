/* The MPI library beneath this one (see beneath.h).
 *
 * The constructor goes by files alone: MPI's functions may be called only after all constructors.
 */
#include "mpi/process/beneath.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "mpi/process/complain.h"
#include "select/settings.h"

/* What kind of handles our headers gave us. */
#if defined(OPEN_MPI)
static const char own_kind[] = "openmpi";
#elif defined(MPICH_VERSION)
static const char own_kind[] = "mpich";
#else
static const char own_kind[] = ALLFOLD_MPI_NAME;
#endif

/* --- libraries as files ----------------------------------------------------------------------- */

struct object {
    const char *path; /* as the loader opened it */
    const struct link_map *map;
};

/* A loader since glibc 2.35 finds an object by its address at once. dladdr1 compares the address
 * with each symbol of the object besides, which takes 25 us in a library as large as MPICH's. */
#if defined DLFO_STRUCT_HAS_EH_DBASE
static const struct link_map *map_of(const void *address)
{
    struct dl_find_object found;
    return _dl_find_object((void *)(uintptr_t)address, &found) == 0 ? found.dlfo_link_map : NULL;
}
#else
static const struct link_map *map_of(const void *address)
{
    Dl_info info;
    void *map = NULL;
    return dladdr1(address, &info, &map, RTLD_DL_LINKMAP) == 0 ? NULL : map;
}
#endif

static bool look_at(const void *address, struct object *object)
{
    const struct link_map *map = address == NULL ? NULL : map_of(address);
    if (map == NULL)
        return false;
    /* the program itself has no name there */
    *object = (struct object){map->l_name[0] == '\0' ? program_invocation_name : map->l_name, map};
    return true;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* The strings of an object's dynamic section. Most loaders have relocated their address. */
static const char *strings_of(const struct link_map *map)
{
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB)
            return (const char *)(entry->d_un.d_ptr < map->l_addr ? map->l_addr + entry->d_un.d_ptr
                                                                  : entry->d_un.d_ptr);
    return NULL;
}

/* The n-th string of that kind in an object's dynamic section, or NULL. */
static const char *string_of(const struct link_map *map, ElfW(Sxword) tag, int n)
{
    const char *strings = strings_of(map);
    for (const ElfW(Dyn) *entry = map->l_ld; strings != NULL && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == tag && n-- == 0)
            return strings + entry->d_un.d_val;
    return NULL;
}

static const char *soname_of(const struct object *object)
{
    const char *soname = string_of(object->map, DT_SONAME, 0);
    return soname == NULL ? base_of(object->path) : soname;
}

static bool needs(const struct object *object, const char *soname)
{
    const char *needed;
    for (int i = 0; (needed = string_of(object->map, DT_NEEDED, i)) != NULL; i++)
        if (strcmp(needed, soname) == 0)
            return true;
    return false;
}

static bool look_at_self(struct object *object)
{
    return look_at(own_kind, object);
}

/* The library that our calls go to. */
static bool look_beneath(struct object *object)
{
    return look_at(dlsym(RTLD_NEXT, "PMPI_Init"), object);
}

const char *allfold_beneath_path(void)
{
    struct object object;
    return look_beneath(&object) ? object.path : NULL;
}

bool allfold_beneath_is_there(void)
{
    return dlsym(RTLD_NEXT, "PMPI_Init") != NULL;
}

/* The kind of its handles, by its file. Open MPI's handles are addresses of its variables. */
static const char *kind_of(const struct object *object)
{
    const char *name = soname_of(object);
    void *library = dlopen(object->path, RTLD_LAZY | RTLD_NOLOAD);
    const bool is_openmpi = library != NULL && dlsym(library, "ompi_mpi_comm_world") != NULL;
    if (library != NULL)
        dlclose(library);
    if (is_openmpi)
        return "openmpi";
    if (strncmp(name, "libmpi_abi.so", 13) == 0)
        return "abi";
    return strncmp(name, "libsimgrid.so", 13) == 0 ? "simgrid" : "mpich";
}

/* --- starting again --------------------------------------------------------------------------- */

/* LD_PRELOAD with `twin` in the place of the library `own`, or where that is NULL without all of
 * Allfold's. False where `own` is not in it. */
static bool replace(const char *list, const char *own, const char *twin, char *text, size_t bytes)
{
    size_t used = 0;
    bool found = false;
    text[0] = '\0';
    for (const char *at = list + strspn(list, " :"); *at != '\0'; at += strspn(at, " :")) {
        const int length = (int)strcspn(at, " :");
        char entry[PATH_MAX];
        snprintf(entry, sizeof entry, "%.*s", length, at);
        at += length;
        const bool is_own = strcmp(entry, own) == 0;
        const bool stays = twin != NULL || strncmp(base_of(entry), "liballfold-", 11) != 0;
        found |= is_own;
        if (is_own ? twin == NULL : !stays)
            continue;
        const int added = snprintf(text + used, bytes - used, "%s%s", used == 0 ? "" : ":",
                                   is_own ? twin : entry);
        if (added < 0 || (size_t)added >= bytes - used)
            return false;
        used += (size_t)added;
    }
    return found;
}

/* The file that execve was called with, where that is the program itself: not the loader, an
 * emulator or the interpreter of a script. */
static const char *program_file(void)
{
    char started[PATH_MAX], itself[PATH_MAX];
    const char *name = (const char *)getauxval(AT_EXECFN);
    if (name == NULL || getauxval(AT_SECURE) != 0 || realpath(name, started) == NULL ||
        realpath("/proc/self/exe", itself) == NULL || strcmp(started, itself) != 0)
        return NULL;
    return name;
}

/* Comes back where that cannot be done. */
static void start_again(const struct object *self, const char *twin, char **argv)
{
    static char list[4 * PATH_MAX];
    const char *before = getenv("LD_PRELOAD"), *file = program_file();
    if (before == NULL || file == NULL || !replace(before, self->path, twin, list, sizeof list))
        return;
    char *kept = strdup(before);
    if (kept != NULL &&
        (*list == '\0' ? unsetenv("LD_PRELOAD") : setenv("LD_PRELOAD", list, 1)) == 0)
        execv(file, argv);
    if (kept != NULL)
        setenv("LD_PRELOAD", kept, 1);
    free(kept);
}

/* Our twin, which takes the MPI library that the program has (tools/builds.h). */
static bool find_twin(const struct object *self, char *path, size_t bytes)
{
    const size_t length = strlen(self->path);
    if (length < 3 || strcmp(self->path + length - 3, ".so") != 0)
        return false;
    snprintf(path, bytes, "%.*s-abi.so", (int)length - 3, self->path);
    return access(path, R_OK) == 0;
}

__attribute__((constructor)) static void look_before_the_start(int argc, char **argv)
{
    struct object self, mpi;
    char twin[PATH_MAX], message[ALLFOLD_MESSAGE_BYTES];
    (void)argc;
    if (!look_at_self(&self) || !look_beneath(&mpi))
        return;
    const char *kind = kind_of(&mpi);
    if (strcmp(kind, own_kind) == 0) {
        /* the program has an MPI of our kind, and we brought another one along */
        if (!needs(&self, soname_of(&mpi)) && string_of(self.map, DT_NEEDED, 0) != NULL &&
            find_twin(&self, twin, sizeof twin))
            start_again(&self, twin, argv);
        return;
    }
    snprintf(message, sizeof message,
             "%.100s uses %.200s, but %.200s was preloaded into it, which is for another MPI; the "
             "program starts again without Allfold (`allfold run` before the program itself finds "
             "what fits)",
             base_of(argv[0] == NULL ? "" : argv[0]), mpi.path, base_of(self.path));
    if (program_file() != NULL && getenv("LD_PRELOAD") != NULL)
        allfold_complain(message);
    start_again(&self, NULL, argv);
}

/* --- another MPI beside ours -------------------------------------------------------------------
 */

enum { MOST_NAMED = 8 };

/* Libraries that are called as MPI libraries are. Their handles are looked at once the loader's
 * lock, under which they are listed, is free again. */
struct named {
    char paths[MOST_NAMED][PATH_MAX];
    int count;
};

static int note_named(struct dl_phdr_info *info, size_t bytes, void *context)
{
    struct named *named = context;
    (void)bytes;
    if (info->dlpi_name == NULL || strncmp(base_of(info->dlpi_name), "libmpi", 6) != 0)
        return 0;
    snprintf(named->paths[named->count], PATH_MAX, "%s", info->dlpi_name);
    return ++named->count == MOST_NAMED;
}

/* Has the library, or one that it needs, MPI's functions, and are they not those that we call? */
static bool is_another(const char *path, const struct object *mpi, struct object *other)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    const bool is =
        library != NULL && look_at(dlsym(library, "PMPI_Init"), other) && other->map != mpi->map;
    if (library != NULL)
        dlclose(library);
    return is;
}

void allfold_beneath_look_beside(void)
{
    static struct named named;
    struct object mpi, other;
    char message[ALLFOLD_MESSAGE_BYTES];
    if (!look_beneath(&mpi))
        return;
    named.count = 0;
    dl_iterate_phdr(note_named, &named);
    for (int i = 0; i < named.count; i++) {
        if (!is_another(named.paths[i], &mpi, &other))
            continue;
        snprintf(message, sizeof message,
                 "the program has loaded %.200s, but Allfold is here for %.200s; two MPIs in one "
                 "process cannot work; name the program's own by `allfold run --mpi`",
                 other.path, mpi.path);
        allfold_complain(message);
        return;
    }
}

/* --- the check at MPI_Init -------------------------------------------------------------------- */

/* How versions of MPI libraries begin, and whose handles these have. */
static const struct {
    const char *start, *kind;
} versions[] = {
    {"Open MPI v1.", "an old Open MPI"},
    {"Open MPI v2.", "an old Open MPI"},
    {"Open MPI", "openmpi"},
    {"FUJITSU MPI", "openmpi"},
    {"MPICH", "mpich"},
    {"Intel(R) MPI Library", "mpich"},
    {"MVAPICH", "mpich"},
    {"MPI VERSION    : CRAY MPICH", "mpich"},
    {"HPE HMPT", "mpich"},
    {"SMPI", "simgrid"},
    {"mpi_abi_wrapper", "abi"},
};

static const char *kind_of_version(const char *version)
{
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (strncmp(version, versions[i].start, strlen(versions[i].start)) == 0)
            return versions[i].kind;
    return NULL;
}

static bool fits = true;

static void look(void)
{
    static char version[16384]; /* MPI_MAX_LIBRARY_VERSION_STRING of all MPIs fits */
    int (*get_version)(char *, int *), length = 0;
    struct object self, mpi;
    char message[ALLFOLD_MESSAGE_BYTES];
    void *function = dlsym(RTLD_NEXT, "PMPI_Get_library_version");
    if (!look_at_self(&self) || !look_beneath(&mpi))
        return;
    memcpy(&get_version, &function, sizeof function);
    if (get_version == NULL || get_version(version, &length) != 0)
        snprintf(version, sizeof version, "of no version");
    const char *kind = kind_of_version(version);
    /* a version that nobody knows is trusted where we were linked with that very library */
    fits = strcmp(kind_of(&mpi), own_kind) == 0 &&
           (kind == NULL ? needs(&self, soname_of(&mpi)) : strcmp(kind, own_kind) == 0);
    if (fits) {
        allfold_beneath_look_beside();
        return;
    }
    version[strcspn(version, "\n")] = '\0';
    snprintf(message, sizeof message,
             "this process uses %.200s (%.80s), and %.100s is not for this MPI (its kind: %s); all "
             "calls pass through to the MPI library; build Allfold with the compiler wrapper of "
             "this MPI: cmake -DALLFOLD_MPICC=/PATH/OF/mpicc",
             mpi.path, version, base_of(self.path), own_kind);
    allfold_complain(message);
}

bool allfold_beneath_fits(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    return fits;
}
