/* The Fortran functions of the collectives that Allfold handles (mpi/collectives.def), for Open MPI
 * and MPICH. These functions of Open MPI, and those of MPICH's module mpi_f08 without a buffer,
 * call PMPI_ functions and so bypass interpose_collectives.c. They only convert handles and
 * constants from Fortran to C.
 *
 * From the row SERVED(allreduce, Allreduce, ALLREDUCE, REDUCTION) come allreduce, iallreduce and
 * allreduce_init, whose names for the linker are mpi_allreduce_, mpi_allreduce_f08_ and so on
 * (interpose_fortran.h). With buffers that are descriptors they are mpi_allreduce_f08ts_ and, with
 * counts of MPI_Count, mpi_allreduce_c_f08ts_ (fortran_descriptors.h). */
#include "mpi/interpose/fortran_descriptors.h"
#include "mpi/interpose/interpose_fortran.h"
#include "mpi/process/collectives.h"

#define BLOCKING(function, Name, LIST, COUNT, DISPLACEMENT)                                        \
    static void function(ALLFOLD_FORTRAN_PARAMETERS(LIST, COUNT, DISPLACEMENT)                     \
                             ALLFOLD_PARAMETERS_BLOCKING)                                          \
    {                                                                                              \
        allfold_set_ierror(ierror, MPI_##Name(ALLFOLD_C_ARGUMENTS(LIST) MPI_Comm_f2c(*comm)));     \
    }

#define NONBLOCKING(function, Name, LIST, COUNT, DISPLACEMENT)                                     \
    static void function(ALLFOLD_FORTRAN_PARAMETERS(LIST, COUNT, DISPLACEMENT)                     \
                             ALLFOLD_PARAMETERS_NONBLOCKING)                                       \
    {                                                                                              \
        MPI_Request made = MPI_REQUEST_NULL;                                                       \
        allfold_set_ierror(ierror,                                                                 \
                           MPI_##Name(ALLFOLD_C_ARGUMENTS(LIST) MPI_Comm_f2c(*comm), &made));      \
        *request = MPI_Request_c2f(made);                                                          \
    }

#define PERSISTENT(function, Name, LIST, COUNT, DISPLACEMENT)                                      \
    static void function(ALLFOLD_FORTRAN_PARAMETERS(LIST, COUNT, DISPLACEMENT)                     \
                             ALLFOLD_PARAMETERS_PERSISTENT)                                        \
    {                                                                                              \
        MPI_Request made = MPI_REQUEST_NULL;                                                       \
        allfold_set_ierror(ierror, MPI_##Name(ALLFOLD_C_ARGUMENTS(LIST) MPI_Comm_f2c(*comm),       \
                                              MPI_Info_f2c(*info), &made));                        \
        *request = MPI_Request_c2f(made);                                                          \
    }

#define FORMS(name, Name, suffix, ...)                                                             \
    BLOCKING(name##suffix, Name##suffix, __VA_ARGS__)                                              \
    NONBLOCKING(i##name##suffix, I##name##suffix, __VA_ARGS__)                                     \
    PERSISTENT(name##_init##suffix, Name##_init##suffix, __VA_ARGS__)

#define ALIASES(name, NAME)                                                                        \
    ALLFOLD_ALIASES(name, NAME)                                                                    \
    ALLFOLD_ALIASES(i##name, I##NAME)                                                              \
    ALLFOLD_PERSISTENT_ALIASES(name##_init, NAME##_INIT)

#define DESCRIBED(name, suffix, ...)                                                               \
    ALLFOLD_DESCRIBED(name##suffix, BLOCKING, __VA_ARGS__)                                         \
    ALLFOLD_DESCRIBED(i##name##suffix, NONBLOCKING, __VA_ARGS__)                                   \
    ALLFOLD_DESCRIBED(name##_init##suffix, PERSISTENT, __VA_ARGS__)

#ifdef OPEN_MPI
#define SERVED(name, Name, NAME, arguments)                                                        \
    FORMS(name, Name, , ALLFOLD_ARGUMENTS_##arguments, MPI_Fint, MPI_Fint)                         \
    FORMS(name, Name, _c, ALLFOLD_ARGUMENTS_##arguments, MPI_Count, MPI_Aint)                      \
    ALIASES(name, NAME)                                                                            \
    DESCRIBED(name, , ALLFOLD_ARGUMENTS_##arguments, MPI_Fint, MPI_Fint)                           \
    DESCRIBED(name, _c, ALLFOLD_ARGUMENTS_##arguments, MPI_Count, MPI_Aint)
#endif
#define SERVED_WITHOUT_BUFFERS(name, Name, NAME)                                                   \
    FORMS(name, Name, , ALLFOLD_ARGUMENTS_NOTHING, MPI_Fint, MPI_Fint)                             \
    ALIASES(name, NAME)
#include "mpi/collectives.def"
