/* Finds the MPI library of a process, and detects its ABI (see stub.h). */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stub/stub.h"
#include "util/is_off.h"

/* By its version, because an unversioned look-up finds the stub's own. */
allfold_find_symbol *allfold_stub_dlsym(void)
{
    static _Atomic(allfold_find_symbol *) known;
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27"};
    allfold_find_symbol *found = atomic_load_explicit(&known, memory_order_relaxed);
    for (size_t i = 0; i < sizeof versions / sizeof *versions && found == NULL; i++) {
        void *symbol = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        memcpy(&found, &symbol, sizeof found);
    }
    atomic_store_explicit(&known, found, memory_order_relaxed);
    return found;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* ---- which library ---- */

/* The library at this address, which the process has loaded. NULL for the program itself, whose
 * handle would search everything. The count of its users stays one higher: an MPI library cannot be
 * unloaded anyway. */
static void *handle_at(const void *address)
{
    struct link_map *map = NULL;
    Dl_info info;
    if (address == NULL || dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 ||
        map == NULL || map->l_name[0] == '\0')
        return NULL;
    return dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

/* Returns the address at which this library, or one that it needs, defines PMPI_Init. */
static const void *init_of(void *handle)
{
    return handle == NULL ? NULL : allfold_stub_dlsym()(handle, "PMPI_Init");
}

enum { MOST_LIBRARIES = 16 };

/* Libraries that have the names of MPI libraries. They are examined after the loader has released
 * its lock, which it holds while it lists them. */
struct names {
    char paths[MOST_LIBRARIES][PATH_MAX];
    int count;
};

static int note_name(struct dl_phdr_info *info, size_t bytes, void *context)
{
    struct names *names = context;
    (void)bytes;
    if (info->dlpi_name == NULL || !begins_with(base_of(info->dlpi_name), "libmpi"))
        return 0;
    snprintf(names->paths[names->count], PATH_MAX, "%s", info->dlpi_name);
    return ++names->count == MOST_LIBRARIES;
}

/* A library that was opened with RTLD_LOCAL, as mpi4py does. The standard ABI comes first: under it
 * the MPI library itself may be loaded as well. */
static const void *init_of_local(void)
{
    static struct names names;
    const void *found = NULL;
    names.count = 0;
    dl_iterate_phdr(note_name, &names);
    for (int i = 0; i < names.count; i++) {
        const bool is_standard = begins_with(base_of(names.paths[i]), "libmpi_abi.so");
        if (found != NULL && !is_standard)
            continue;
        const void *init = init_of(dlopen(names.paths[i], RTLD_LAZY | RTLD_NOLOAD));
        found = init == NULL ? found : init;
    }
    return found;
}

/* ALLFOLD_MPI may name the library's file, for programs in which it cannot be found otherwise. */
static const void *init_of_setting(void)
{
    const char *path = getenv("ALLFOLD_MPI");
    return path != NULL && *path == '/' ? init_of(dlopen(path, RTLD_LAZY | RTLD_NOLOAD)) : NULL;
}

const char *allfold_stub_unused_setting(void)
{
    const char *path = getenv("ALLFOLD_MPI");
    return path != NULL && *path == '/' && init_of_setting() == NULL ? path : NULL;
}

static const void *find_init(const void *caller, const void *hint)
{
    const void *found = init_of_setting();
    if (found == NULL)
        found = init_of(handle_at(caller));
    if (found == NULL)
        found = init_of(handle_at(hint));
    if (found == NULL)
        found = allfold_stub_dlsym()(RTLD_NEXT, "PMPI_Init");
    return found == NULL ? init_of_local() : found;
}

bool allfold_stub_mpi_is_finalized(void)
{
    int (*get_finalized)(int *), finalized = 0;
    void *handle = handle_at(find_init(NULL, NULL));
    void *function = handle == NULL ? NULL : allfold_stub_dlsym()(handle, "PMPI_Finalized");
    memcpy(&get_finalized, &function, sizeof get_finalized);
    return get_finalized != NULL && get_finalized(&finalized) == 0 && finalized;
}

bool allfold_stub_is_in_mpi(const void *address)
{
    Dl_info info, mpi;
    const void *init = init_of(handle_at(address));
    return init != NULL && dladdr(address, &info) != 0 && dladdr(init, &mpi) != 0 &&
           info.dli_fbase == mpi.dli_fbase;
}

/* ---- its ABI ---- */

/* Returns the soname in an object's dynamic section, or the name of its file. Most loaders have
 * relocated the addresses there. */
static const char *soname_of(const struct link_map *map)
{
    const char *strings = NULL;
    ElfW(Addr) at = 0;
    bool has_name = false;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_STRTAB)
            strings = (const char *)(entry->d_un.d_ptr +
                                     (entry->d_un.d_ptr < map->l_addr ? map->l_addr : 0));
        if (entry->d_tag == DT_SONAME) {
            at = entry->d_un.d_val;
            has_name = true;
        }
    }
    return has_name && strings != NULL ? strings + at : base_of(map->l_name);
}

/* Returns whether a version is that of a library with MPICH's ABI. Other libraries have the same
 * sonames but other handles, and must not be called with MPICH's. */
static bool has_mpich_abi(const char *version)
{
    static const char *const starts[] = {"MPICH", "Intel(R) MPI Library", "MVAPICH",
                                         "MPI VERSION    : CRAY MPICH", "HPE HMPT"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (begins_with(version, starts[i]))
            return true;
    return false;
}

static const char *abi_of(const char *soname, void *handle, const char *version)
{
    allfold_find_symbol *find = allfold_stub_dlsym();
    if (begins_with(soname, "libmpi_abi.so"))
        return "abi";
    /* Open MPI's handles are addresses of its variables; before version 3, of other variables.
     * Before 1.7 it did not report its version. */
    if (find(handle, "ompi_mpi_comm_world") != NULL)
        return version[0] == '\0' || begins_with(version, "Open MPI v1.") ||
                       begins_with(version, "Open MPI v2.")
                   ? NULL
                   : "openmpi";
    return has_mpich_abi(version) ? "mpich" : NULL;
}

/* MPI_Get_library_version may be called before MPI is initialized. */
static void read_version(void *handle, char *line, size_t bytes)
{
    static char version[16384]; /* larger than MPI_MAX_LIBRARY_VERSION_STRING of any MPI */
    int (*get_version)(char *, int *), length = 0;
    void *function = allfold_stub_dlsym()(handle, "PMPI_Get_library_version");
    memcpy(&get_version, &function, sizeof get_version);
    if (get_version == NULL || get_version(version, &length) != 0)
        version[0] = '\0';
    version[strcspn(version, "\n")] = '\0';
    snprintf(line, bytes, "%.*s", (int)bytes - 1, version); /* shortened on purpose */
}

struct allfold_mpi_library allfold_stub_mpi_of(const void *init)
{
    struct allfold_mpi_library mpi = {.path = "", .version = ""};
    struct link_map *map = NULL;
    Dl_info info;
    if (init == NULL || dladdr1(init, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL)
        return mpi;
    mpi.path = map->l_name;
    if (allfold_is_off()) {
        mpi.handle = dlopen(mpi.path, RTLD_LAZY | RTLD_NOLOAD);
        return mpi;
    }
    /* global from now on, so that the build's references find it */
    mpi.handle = dlopen(mpi.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    if (mpi.handle == NULL)
        return mpi;
    read_version(mpi.handle, mpi.version, sizeof mpi.version);
    mpi.abi = abi_of(soname_of(map), mpi.handle, mpi.version);
    return mpi;
}

struct allfold_mpi_library allfold_stub_find_mpi(const void *caller, const void *hint)
{
    return allfold_stub_mpi_of(find_init(caller, hint));
}

/* RTLD_NEXT skips what is loaded before the stub. It may also find another MPI library that the
 * process has loaded, if the right one was opened later. A build looks up two hundred names in
 * MPI_Init, so the symbols of a library are searched only in the rare case that both differ. */
void *allfold_stub_find_next(const struct allfold_mpi_library *mpi, const char *name)
{
    void *found = allfold_stub_dlsym()(RTLD_NEXT, name);
    if (mpi->handle == NULL)
        return found;
    void *in_mpi = allfold_stub_dlsym()(mpi->handle, name);
    return found == NULL || found == in_mpi || allfold_stub_is_in_mpi(found) ? in_mpi : found;
}
