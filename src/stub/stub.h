/* What the files of liballfold-preload.so share. This library must need no MPI, and nothing else of
 * Allfold than warnings to stderr: it is loaded into every process under `allfold run`, also into
 * child processes without MPI. */
#ifndef ALLFOLD_STUB_STUB_H
#define ALLFOLD_STUB_STUB_H

#include <stdbool.h>
#include <stddef.h>

/* ---- entries.c: the functions that the stub defines ---- */

extern const char *const allfold_stub_names[]; /* sorted by strcmp */
extern const size_t allfold_stub_count;
extern void *allfold_stub_slots[]; /* where each function jumps to */

/* ---- stub.c ---- */

/* Finds the function number `index` for a call from address `caller`, and stores it in its slot.
 * Never returns NULL. */
__attribute__((visibility("hidden"))) void *allfold_stub_resolve(size_t index, const void *caller);

/* ---- mpi_library.c ---- */

typedef void *allfold_find_symbol(void *restrict handle, const char *restrict name);

/* Returns the C library's dlsym; the stub defines a dlsym itself. */
allfold_find_symbol *allfold_stub_dlsym(void);

/* An MPI library that the process has loaded. */
struct allfold_mpi_library {
    void *handle;     /* NULL: no MPI library was found */
    const char *path; /* its file; the text stays valid */
    /* The name of the build for it, as in liballfold-ABI.so; NULL: there is no build. */
    const char *abi;
    char version[81]; /* first line of its version, shortened; "" if it has none */
};

/* Returns the MPI library that defines PMPI_Init at this address, and makes its symbols global. */
struct allfold_mpi_library allfold_stub_mpi_of(const void *init);

/* Returns the MPI library that code at address `caller` calls. In this order: the library in
 * ALLFOLD_MPI, if that is a path; the library that the caller's object was linked with; the library
 * of `hint`; the one in the global scope; one that was opened locally. `hint` is an address in an
 * MPI library whose functions were looked up by dlsym, or NULL. */
struct allfold_mpi_library allfold_stub_find_mpi(const void *caller, const void *hint);

/* Returns the value of ALLFOLD_MPI if it is a path and this process has not loaded an MPI library
 * from it; otherwise NULL. */
const char *allfold_stub_unused_setting(void);

/* Returns the function `name` that comes after the stub: that of a profiling tool, or of `mpi`;
 * NULL if there is none. */
void *allfold_stub_find_next(const struct allfold_mpi_library *mpi, const char *name);

/* Returns whether an MPI library of this process was finalized. Returns false if the process has
 * none. */
bool allfold_stub_mpi_is_finalized(void);

/* Returns whether this address is in a library that defines PMPI_Init. */
bool allfold_stub_is_in_mpi(const void *address);

#endif
