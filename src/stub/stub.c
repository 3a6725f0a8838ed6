/* liballfold-preload.so: at the first MPI call, loads the build of Allfold for the MPI library that
 * the process uses (see README.md).
 *
 * A function that the build lacks (such as a Fortran name of another MPI library) leads to the MPI
 * library's function. If no build fits, all functions do, and one message says why. */
#include "stub/stub.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/is_off.h"
#include "util/warn.h"

#define VISIBLE __attribute__((visibility("default")))

static struct allfold_mpi_library mpi;
static void *build;                /* NULL: none was opened */
static const void *found_by_dlsym; /* an address in an MPI library, or NULL */

/* The path of the build for this ABI, beside the stub. */
static bool name_build(const char *abi, char *path, size_t bytes)
{
    Dl_info self;
    if (dladdr(allfold_stub_names, &self) == 0)
        return false;
    const char *slash = strrchr(self.dli_fname, '/');
    const int directory = slash == NULL ? 0 : (int)(slash + 1 - self.dli_fname);
    const int length =
        snprintf(path, bytes, "%.*sliballfold-%s.so", directory, self.dli_fname, abi);
    return length > 0 && (size_t)length < bytes;
}

static void *find_next(const char *name)
{
    return allfold_stub_find_next(&mpi, name);
}

/* A build's references to PMPI functions are resolved in the global scope. If the program made
 * another MPI library global first, they would lead there. */
static bool is_hidden_by_another(struct allfold_mpi_library *first)
{
    const void *init = allfold_stub_dlsym()(RTLD_DEFAULT, "PMPI_Init");
    if (init == NULL || init == allfold_stub_dlsym()(mpi.handle, "PMPI_Init"))
        return false;
    *first = allfold_stub_mpi_of(init);
    return true;
}

/* The build takes functions by name through find_next: RTLD_NEXT of its own would skip the
 * profilers that were preloaded after the stub. */
static void *open_build(char *path, size_t bytes)
{
    void (*set_next)(void *(*)(const char *));
    if (!name_build(mpi.abi, path, bytes))
        return NULL;
    void *opened = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    void *function = opened == NULL ? NULL : allfold_stub_dlsym()(opened, "allfold_set_next");
    if (function == NULL)
        return NULL;
    memcpy(&set_next, &function, sizeof set_next);
    set_next(find_next);
    return opened;
}

static void say_unused_setting(void)
{
    char message[3 * PATH_MAX];
    const char *unused = allfold_stub_unused_setting();
    if (unused == NULL)
        return;
    snprintf(message, sizeof message,
             "--mpi is %s, but the program has not loaded an MPI library from there; it uses "
             "%s",
             unused, mpi.path);
    allfold_complain(message);
}

/* Prints why no build was opened: another library hides the program's (`first`; NULL: none does),
 * or there is no build, or the one at `path` cannot be loaded. */
static void say_why_not(const struct allfold_mpi_library *first, const char *path)
{
    char message[3 * PATH_MAX];
    if (first != NULL)
        snprintf(
            message, sizeof message,
            "the program calls %s (%s), but loaded %s (%s) globally before it, so Allfold serves "
            "no call; make the program load only the first of them",
            mpi.path, mpi.version, first->path, first->version);
    else if (mpi.abi == NULL)
        snprintf(
            message, sizeof message,
            "%s (%s) has an unknown MPI ABI, so Allfold serves no call; expected Open MPI 3 or "
            "newer, MPICH or a library with its ABI, or libmpi_abi; run the program with one of "
            "these, or "
            "without Allfold",
            mpi.path, mpi.version[0] == '\0' ? "no version" : mpi.version);
    else if (access(path, R_OK) != 0)
        snprintf(message, sizeof message,
                 "%s (%s) needs %s, which is not installed; nothing is served, and all calls go to "
                 "the MPI library; build Allfold with the compiler wrapper of an MPI of this ABI: "
                 "cmake -DALLFOLD_MPICC=/PATH/OF/mpicc",
                 mpi.path, mpi.version, path);
    else
        snprintf(message, sizeof message,
                 "%s cannot be loaded for %s (%s): %s; nothing is served, and all calls go to the "
                 "MPI library",
                 path, mpi.path, mpi.version, dlerror());
    allfold_complain(message);
}

static void load(const void *caller)
{
    char path[PATH_MAX] = "";
    struct allfold_mpi_library first;
    mpi = allfold_stub_find_mpi(caller, found_by_dlsym);
    if (mpi.handle == NULL)
        return; /* the program has not opened its MPI library yet: a later call looks again */
    if (allfold_is_off())
        return;
    say_unused_setting();
    const bool is_hidden = is_hidden_by_another(&first);
    if (mpi.abi != NULL && !is_hidden)
        build = open_build(path, sizeof path);
    if (build == NULL)
        say_why_not(is_hidden ? &first : NULL, path);
}

static int fail(void)
{
    enum { UNKNOWN_ERROR = 16 }; /* the MPI's own codes are not known here */
    return UNKNOWN_ERROR;
}

static const char *say_nothing(void)
{
    return "";
}

/* Stands for a function that no library defines. */
static void *error_function(const char *name)
{
    int (*failing)(void) = fail;
    const char *(*silent)(void) = say_nothing;
    void *function;
    memcpy(&function, &failing, sizeof function);
    if (strcmp(name, "allfold_version") == 0)
        memcpy(&function, &silent, sizeof function);
    return function;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_loaded; /* an MPI library was found, and its build if there is one */

static void *find(const char *name)
{
    void *function = build == NULL ? NULL : allfold_stub_dlsym()(build, name);
    return function == NULL ? allfold_stub_find_next(&mpi, name) : function;
}

void *allfold_stub_resolve(size_t index, const void *caller)
{
    char message[300];
    const char *name = allfold_stub_names[index];
    pthread_mutex_lock(&mutex);
    if (!is_loaded)
        load(caller);
    is_loaded = mpi.handle != NULL;
    void *function = find(name);
    pthread_mutex_unlock(&mutex);
    if (function == NULL) {
        /* if the process has loaded two MPI libraries, code that is linked with the other one may
         * call a function that this one lacks */
        snprintf(
            message, sizeof message,
            "%s is called, but neither the MPI library %s nor a build of Allfold for it has this "
            "function; it returns an error",
            name, mpi.path[0] == '\0' ? "(none is loaded)" : mpi.path);
        allfold_complain(message);
        function = error_function(name);
    }
    if (is_loaded)
        __atomic_store_n(&allfold_stub_slots[index], function, __ATOMIC_RELEASE);
    return function;
}

/* ---- programs that take MPI's functions by dlsym, as bindings of some languages do ---- */

static bool is_in_stub(const void *address)
{
    Dl_info self, info;
    return dladdr(allfold_stub_names, &self) != 0 && dladdr(address, &info) != 0 &&
           self.dli_fbase == info.dli_fbase;
}

/* The global definition, if it is the stub's and `found` is an MPI library's; else `found`. */
__attribute__((noinline)) static void *prefer_stub(allfold_find_symbol *next, void *found,
                                                   const char *name)
{
    void *linked = next(RTLD_DEFAULT, name);
    if (linked == NULL || linked == found || !is_in_stub(linked) || !allfold_stub_is_in_mpi(found))
        return found;
    found_by_dlsym = found;
    return linked;
}

/* All other calls must be tail calls of the C library's dlsym, which interprets RTLD_NEXT and
 * RTLD_DEFAULT by its return address. The compiler makes a jump of a call that is last
 * (-foptimize-sibling-calls); test_stub.sh checks that. */
VISIBLE void *dlsym(void *restrict handle, const char *restrict name)
{
    allfold_find_symbol *next = allfold_stub_dlsym();
    if (next == NULL)
        return NULL;
    if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || strncmp(name, "MPI", 3) != 0)
        return next(handle, name);
    void *found = next(handle, name);
    return found == NULL || allfold_is_off() ? found : prefer_stub(next, found, name);
}

/* ---- the end ---- */

/* If a program used MPI and no call came here, its report is missing, and the user should know why:
 * a tool that comes before calls PMPI_ functions. */
__attribute__((destructor)) static void say_if_bypassed(void)
{
    if (!is_loaded && !allfold_is_off() && allfold_stub_mpi_is_finalized())
        allfold_complain(
            "no call of MPI came to Allfold, so it served none: another library that "
            "was loaded before it calls PMPI_ functions (load that one after Allfold), "
            "or the program opened its MPI library with RTLD_DEEPBIND");
}
