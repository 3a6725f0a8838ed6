/* What the Fortran functions share: their names, error codes, ignored statuses and parameters.
 *
 * Arguments are passed by reference. Fortran 2008 may omit `ierror`, which is NULL then. */
#ifndef ALLFOLD_MPI_INTERPOSE_INTERPOSE_FORTRAN_H
#define ALLFOLD_MPI_INTERPOSE_INTERPOSE_FORTRAN_H

#include <mpi.h>
#include <stddef.h>

static inline void allfold_set_ierror(MPI_Fint *ierror, int code)
{
    if (ierror != NULL)
        *ierror = (MPI_Fint)code;
}

/* The linker names that Fortran compilers make of a name. */
#define ALLFOLD_SPELLINGS(NAME, lower, upper) NAME(lower##_) NAME(lower##__) NAME(lower) NAME(upper)
#define ALLFOLD_DECLARE(name) extern char name __attribute__((weak));
#define ALLFOLD_ADDRESS(name) &name,

/* Define a function under its names in mpif.h and the module mpi, and in the module mpi_f08.
 * MPICH's functions of mpif.h and the module mpi call the C functions MPI_*, and so do its mpi_f08
 * functions with a buffer: they need no names here. */
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

enum {
    ALLFOLD_STATUS_FINTS = sizeof(MPI_Status) / sizeof(MPI_Fint)
}; /* size of a Fortran status */

/* Convert a buffer of Fortran to C: Fortran's MPI_BOTTOM, and MPI_IN_PLACE if the buffer is only
 * read, become those of C. Needed for Open MPI alone. */
const void *allfold_fortran_input(const void *buffer);
void *allfold_fortran_output(void *buffer);

/* Returns whether a status is Fortran's MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE. */
int allfold_is_ignored(const MPI_Fint *status);

/* ---- functions by the lists of their arguments (process/collectives.h) ---- */

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of counts are handed on as they are");

/* The Fortran parameters of a function. COUNT and DISPLACEMENT are the types of counts and
 * displacements. */
#define ALLFOLD_FORTRAN_PARAMETERS(LIST, COUNT, DISPLACEMENT)                                      \
    LIST(ALLFOLD_FORTRAN_PARAMETER, COUNT, DISPLACEMENT)
#define ALLFOLD_FORTRAN_PARAMETER(type, name, suffix, role, field)                                 \
    ALLFOLD_FORTRAN_##role(type, name),
#define ALLFOLD_FORTRAN_input(type, name) const void *name
#define ALLFOLD_FORTRAN_output(type, name) void *name
#define ALLFOLD_FORTRAN_count(type, name) const type *name
#define ALLFOLD_FORTRAN_array(type, name) type *name
#define ALLFOLD_FORTRAN_type(type, name) const MPI_Fint *name
#define ALLFOLD_FORTRAN_op(type, name) const MPI_Fint *name
#define ALLFOLD_FORTRAN_integer(type, name) const MPI_Fint *name

/* The arguments for the C function that it calls. */
#define ALLFOLD_C_ARGUMENTS(LIST) LIST(ALLFOLD_C_ARGUMENT, , )
#define ALLFOLD_C_ARGUMENT(type, name, suffix, role, field) ALLFOLD_C_##role(name),
#define ALLFOLD_C_input(name) allfold_fortran_input(name)
#define ALLFOLD_C_output(name) allfold_fortran_output(name)
#define ALLFOLD_C_count(name) *name
#define ALLFOLD_C_array(name) name
#define ALLFOLD_C_type(name) MPI_Type_f2c(*name)
#define ALLFOLD_C_op(name) MPI_Op_f2c(*name)
#define ALLFOLD_C_integer(name) *name

/* The Fortran parameters after them, by the form of the function. */
#define ALLFOLD_PARAMETERS_LOCAL MPI_Fint *ierror
#define ALLFOLD_PARAMETERS_BLOCKING const MPI_Fint *comm, MPI_Fint *ierror
#define ALLFOLD_PARAMETERS_RECEIVE const MPI_Fint *comm, MPI_Fint *status, MPI_Fint *ierror
#define ALLFOLD_PARAMETERS_NONBLOCKING const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror
#define ALLFOLD_PARAMETERS_PERSISTENT                                                              \
    const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *request, MPI_Fint *ierror

#endif
