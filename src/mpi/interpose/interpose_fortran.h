/* What the Fortran functions share: their names, error codes and ignored statuses.
 *
 * Arguments come by reference. Fortran 2008 may leave `ierror` away, which then is NULL. */
#ifndef ALLFOLD_MPI_INTERPOSE_FORTRAN_H
#define ALLFOLD_MPI_INTERPOSE_FORTRAN_H

#include <mpi.h>
#include <stddef.h>

static inline void allfold_set_ierror(MPI_Fint *ierror, int code)
{
    if (ierror != NULL)
        *ierror = (MPI_Fint)code;
}

/* How Fortran compilers spell a name for the linker. */
#define ALLFOLD_SPELLINGS(NAME, lower, upper) NAME(lower##_) NAME(lower##__) NAME(lower) NAME(upper)
#define ALLFOLD_DECLARE(name) extern char name __attribute__((weak));
#define ALLFOLD_ADDRESS(name) &name,

/* A function under its names in mpif.h and the module mpi, and in the module mpi_f08. MPICH's
 * others call MPI_ functions of C, and those of mpi_f08 with a buffer do as well. */
#define ALLFOLD_ALIAS(function, name)                                                              \
    extern __typeof__(function) name __attribute__((alias(#function), visibility("default")));
#ifdef OPEN_MPI
#define ALLFOLD_PREFIXED_ALIASES(prefix, PREFIX, lower, upper)                                     \
    ALLFOLD_ALIAS(lower, prefix##lower##_)                                                         \
    ALLFOLD_ALIAS(lower, prefix##lower##__)                                                        \
    ALLFOLD_ALIAS(lower, prefix##lower)                                                            \
    ALLFOLD_ALIAS(lower, PREFIX##upper)                                                            \
    ALLFOLD_ALIAS(lower, prefix##lower##_f08_)
#define ALLFOLD_ALIASES(lower, upper) ALLFOLD_PREFIXED_ALIASES(mpi_, MPI_, lower, upper)
#define ALLFOLD_PERSISTENT_ALIASES(lower, upper)                                                   \
    ALLFOLD_ALIASES(lower, upper)                                                                  \
    ALLFOLD_PREFIXED_ALIASES(mpix_, MPIX_, lower, upper)
#else
#define ALLFOLD_ALIASES(lower, upper) ALLFOLD_ALIAS(lower, mpi_##lower##_f08_)
#define ALLFOLD_PERSISTENT_ALIASES(lower, upper) ALLFOLD_ALIASES(lower, upper)
#endif

enum { ALLFOLD_STATUS_FINTS = sizeof(MPI_Status) / sizeof(MPI_Fint) }; /* of a Fortran status */

/* A buffer that is only read, as C has it: Fortran's MPI_IN_PLACE and MPI_BOTTOM become those of C.
 * Open MPI alone. */
const void *allfold_fortran_input(const void *buffer);

/* Does Fortran's MPI_STATUS_IGNORE, or MPI_STATUSES_IGNORE, stand for a status? */
int allfold_is_ignored(const MPI_Fint *status);

#endif
