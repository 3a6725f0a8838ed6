/* What the files of the stub share. Nothing here may need an MPI, or more of Allfold than a message
 * on stderr: the stub is in each process that is started under `allfold run`, children without MPI
 * included. */
#ifndef ALLFOLD_STUB_STUB_H
#define ALLFOLD_STUB_STUB_H

#include <stdbool.h>
#include <stddef.h>

/* ---- entries.c: the functions that the stub defines ---- */

extern const char *const allfold_stub_names[]; /* sorted by strcmp */
extern const size_t allfold_stub_count;
extern void *allfold_stub_slots[]; /* where each function jumps */

/* ---- stub.c ---- */

/* Finds function `index` for code at `caller`, and has its slot lead there. Never NULL. */
__attribute__((visibility("hidden"))) void *allfold_stub_resolve(size_t index, const void *caller);

/* ---- mpi_library.c ---- */

typedef void *allfold_find_symbol(void *restrict handle, const char *restrict name);

/* The C library's dlsym: the stub has one of its own. */
allfold_find_symbol *allfold_stub_dlsym(void);

/* An MPI library that the process has loaded. */
struct allfold_mpi_library {
    void *handle;     /* NULL: none was found */
    const char *path; /* its file, which stays */
    const char *abi;  /* the build that serves it, as in liballfold-ABI.so; NULL: none can */
    char version[81]; /* the first line of its version, shortened; "" if it has none */
};

/* The MPI library that defines PMPI_Init at this address. Makes its symbols global. */
struct allfold_mpi_library allfold_stub_mpi_of(const void *init);

/* The MPI library that code at address `caller` calls. It is the one that its object was linked
 * with, else the one of `hint`, else the one in the global scope, else one that was opened locally.
 * The hint is an address in an MPI library whose functions were looked up by dlsym, or NULL. */
struct allfold_mpi_library allfold_stub_find_mpi(const void *caller, const void *hint);

/* The value of ALLFOLD_MPI if it is a path and this process has not loaded an MPI library from it;
 * otherwise NULL. */
const char *allfold_stub_unused_setting(void);

/* The function of this name that comes after the stub: a profiler's, or that of `mpi`. NULL if
 * there is none. */
void *allfold_stub_find_next(const struct allfold_mpi_library *mpi, const char *name);

/* Has an MPI library of this process been finalized? False if it has none. */
bool allfold_stub_mpi_is_finalized(void);

/* Is this address inside a library that defines PMPI_Init itself? */
bool allfold_stub_is_in_mpi(const void *address);

#endif
