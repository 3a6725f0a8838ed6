/* The collectives that Allfold handles (mpi/collectives.def), in each form. They only call the
 * rooms below.
 *
 * From the row SERVED(allreduce, Allreduce, ALLREDUCE, REDUCTION) come MPI_Allreduce,
 * MPI_Iallreduce and MPI_Allreduce_init, the same with counts of MPI_Count, MPI_Allreduce_c,
 * MPI_Iallreduce_c and MPI_Allreduce_init_c (MPI 4.0, section 6), and MPIX_Allreduce_init. They are
 * defined even if mpi.h lacks them, because the program's MPI library may be newer. */
#include "mpi/call/collective.h"
#include "mpi/interpose/describe.h"
#include "mpi/plan/nonblocking.h"
#include "mpi/process/collectives.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

#define PARAMETERS(arguments, COUNT, DISPLACEMENT)                                                 \
    ALLFOLD_ARGUMENTS_##arguments(ALLFOLD_AS_PARAMETER, COUNT, DISPLACEMENT)

#define BLOCKING(Name, NAME, arguments, is_wide, COUNT, DISPLACEMENT)                              \
    ALLFOLD_PUBLIC int MPI_##Name(PARAMETERS(arguments, COUNT, DISPLACEMENT) MPI_Comm comm)        \
    {                                                                                              \
        const struct allfold_call call = DESCRIBE_##arguments(ALLFOLD_##NAME, is_wide);            \
        return allfold_serve(&call);                                                               \
    }

#define NONBLOCKING(Name, NAME, arguments, is_wide, COUNT, DISPLACEMENT)                           \
    ALLFOLD_PUBLIC int MPI_##Name(PARAMETERS(arguments, COUNT, DISPLACEMENT) MPI_Comm comm,        \
                                  MPI_Request *request)                                            \
    {                                                                                              \
        const struct allfold_call call = DESCRIBE_##arguments(ALLFOLD_##NAME, is_wide);            \
        return allfold_nonblocking_start(&call, request);                                          \
    }

#define PERSISTENT(Name, NAME, arguments, is_wide, COUNT, DISPLACEMENT)                            \
    ALLFOLD_PUBLIC int MPI_##Name(PARAMETERS(arguments, COUNT, DISPLACEMENT) MPI_Comm comm,        \
                                  MPI_Info info, MPI_Request *request)                             \
    {                                                                                              \
        const struct allfold_call call = DESCRIBE_##arguments(ALLFOLD_##NAME, is_wide);            \
        return allfold_persistent_make(&call, info, request);                                      \
    }

/* The function's name in Open MPI 4, in which persistent collectives are extensions. */
#define EXTENSION(Name)                                                                            \
    extern __typeof__(MPI_##Name) MPIX_##Name                                                      \
        __attribute__((alias("MPI_" #Name), visibility("default")));

#define FORMS(name, Name, NAME, suffix, ...)                                                       \
    BLOCKING(Name##suffix, NAME, __VA_ARGS__)                                                      \
    NONBLOCKING(I##name##suffix, NAME, __VA_ARGS__)                                                \
    PERSISTENT(Name##_init##suffix, NAME, __VA_ARGS__)

#define SERVED(name, Name, NAME, arguments)                                                        \
    FORMS(name, Name, NAME, , arguments, false, int, int)                                          \
    FORMS(name, Name, NAME, _c, arguments, true, MPI_Count, MPI_Aint)                              \
    EXTENSION(Name##_init)
#define SERVED_WITHOUT_BUFFERS(name, Name, NAME)                                                   \
    FORMS(name, Name, NAME, , NOTHING, false, int, int)                                            \
    EXTENSION(Name##_init)
#include "mpi/collectives.def"
