/* liballfold-own-handle.so: programs that take MPI's functions by `dlsym` from their own handle of
 * the MPI library, as bindings of some languages do, get Allfold's where it has them.
 *
 * `allfold run --mpi` preloads it beside the library for the MPI. It takes the place of `dlsym`, so
 * it must change as little as can be. Its answer differs only where the caller asked a library for
 * a name that begins with MPI, and found it in the MPI library that Allfold calls. If a linker
 * would have taken Allfold's, the caller gets that.
 *
 * Must: all other calls are jumps into the next `dlsym`, with our caller's return address on the
 * stack. The reason is that RTLD_NEXT and RTLD_DEFAULT mean something else for each caller. The
 * compiler makes a jump of a call that is last (-foptimize-sibling-calls); test_other_mpis.sh
 * looks. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#define VISIBLE __attribute__((visibility("default")))

typedef void *find_symbol(void *handle, const char *name);

/* By its version: an unversioned look-up would call us. */
static find_symbol *next_dlsym(void)
{
    static _Atomic(find_symbol *) next;
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.27"};
    find_symbol *found = atomic_load_explicit(&next, memory_order_relaxed);
    for (size_t i = 0; i < sizeof versions / sizeof *versions && found == NULL; i++) {
        void *symbol = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
        memcpy(&found, &symbol, sizeof found);
    }
    atomic_store_explicit(&next, found, memory_order_relaxed);
    return found;
}

static bool is_allfolds(const Dl_info *info)
{
    const char *slash = strrchr(info->dli_fname, '/');
    return strncmp(slash == NULL ? info->dli_fname : slash + 1, "liballfold-", 11) == 0;
}

/* What a linker would have taken, where that is ours and calls the library of `found`; or `found`.
 */
__attribute__((noinline)) static void *prefer_ours(find_symbol *next, void *found, const char *name)
{
    Dl_info ours, theirs, beneath;
    void *linked = next(RTLD_DEFAULT, name), *mpi = next(RTLD_DEFAULT, "PMPI_Init");
    if (linked == NULL || mpi == NULL || linked == found || dladdr(linked, &ours) == 0 ||
        dladdr(found, &theirs) == 0 || dladdr(mpi, &beneath) == 0)
        return found;
    return is_allfolds(&ours) && theirs.dli_fbase == beneath.dli_fbase ? linked : found;
}

VISIBLE void *dlsym(void *restrict handle, const char *restrict name)
{
    find_symbol *next = next_dlsym();
    if (next == NULL)
        return NULL;
    if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || strncmp(name, "MPI", 3) != 0)
        return next(handle, name);
    void *found = next(handle, name);
    return found == NULL ? NULL : prefer_ours(next, found, name);
}
