/* What the Fortran functions share: their names, error codes and ignored statuses.
 *
 * Arguments come by reference. Fortran 2008 may leave `ierror` away, which then is NULL. */
#ifndef ALLFOLD_MPI_INTERPOSE_INTERPOSE_FORTRAN_H
#define ALLFOLD_MPI_INTERPOSE_INTERPOSE_FORTRAN_H

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

/* A buffer as C has it: Fortran's MPI_IN_PLACE, if the buffer is only read, and MPI_BOTTOM become
 * those of C. Open MPI alone. */
const void *allfold_fortran_input(const void *buffer);
void *allfold_fortran_output(void *buffer);

/* Does Fortran's MPI_STATUS_IGNORE, or MPI_STATUSES_IGNORE, stand for a status? */
int allfold_is_ignored(const MPI_Fint *status);

/* ---- functions by the lists of their arguments (process/collectives.h) ---- */

_Static_assert(sizeof(MPI_Fint) == sizeof(int), "arrays of counts are handed on as they are");

/* The parameters of a function in Fortran; COUNT and DISPLACEMENT are types there. */
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

/* The arguments of the C function that it calls. */
#define ALLFOLD_C_ARGUMENTS(LIST) LIST(ALLFOLD_C_ARGUMENT, , )
#define ALLFOLD_C_ARGUMENT(type, name, suffix, role, field) ALLFOLD_C_##role(name),
#define ALLFOLD_C_input(name) allfold_fortran_input(name)
#define ALLFOLD_C_output(name) allfold_fortran_output(name)
#define ALLFOLD_C_count(name) *name
#define ALLFOLD_C_array(name) name
#define ALLFOLD_C_type(name) MPI_Type_f2c(*name)
#define ALLFOLD_C_op(name) MPI_Op_f2c(*name)
#define ALLFOLD_C_integer(name) *name

/* What follows them in Fortran, by the form of the function. */
#define ALLFOLD_PARAMETERS_LOCAL MPI_Fint *ierror
#define ALLFOLD_PARAMETERS_BLOCKING const MPI_Fint *comm, MPI_Fint *ierror
#define ALLFOLD_PARAMETERS_RECEIVE const MPI_Fint *comm, MPI_Fint *status, MPI_Fint *ierror
#define ALLFOLD_PARAMETERS_NONBLOCKING const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror
#define ALLFOLD_PARAMETERS_PERSISTENT                                                              \
    const MPI_Fint *comm, const MPI_Fint *info, MPI_Fint *request, MPI_Fint *ierror

#endif
