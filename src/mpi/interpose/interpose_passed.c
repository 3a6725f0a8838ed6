/* The functions of collectives that pass through to the MPI library (passed_list.h). Those with
 * large counts are defined all the same where mpi.h lacks them: the MPI library of the program may
 * be newer. No logic here. */
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "mpi/call/passed.h"
#include "mpi/process/passed_list.h"
#include "mpi/process/runtime.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

#define PARAMETERS(...) ALLFOLD_PASSED_PARAMETERS(ALLFOLD_AS_PARAMETER, __VA_ARGS__)
#define ARGUMENTS(...) ALLFOLD_PASSED_PARAMETERS(ALLFOLD_AS_ARGUMENT, __VA_ARGS__)
#define FIELDS(...) ALLFOLD_PASSED_PARAMETERS(FIELD, __VA_ARGS__)
#define FIELD(type, name, suffix, kind, field) .field = name,

/* What stands behind the communicator. */
#define REQUEST_PARAMETER , MPI_Request *request
#define REQUEST_ARGUMENT , request
#define NOTHING

#define DEFINE(FUNCTION, fallback, number, is_large, its_mode, MORE_PARAMETERS, MORE_ARGUMENTS,    \
               to, ...)                                                                            \
    int FUNCTION(PARAMETERS(to, __VA_ARGS__) MPI_Comm comm MORE_PARAMETERS);                       \
    ALLFOLD_PUBLIC int FUNCTION(PARAMETERS(to, __VA_ARGS__) MPI_Comm comm MORE_PARAMETERS)         \
    {                                                                                              \
        static _Atomic(void *) known;                                                              \
        int (*call_native)(PARAMETERS(to, __VA_ARGS__) MPI_Comm comm MORE_PARAMETERS);             \
        void *found = allfold_passed_native(&known, #FUNCTION, fallback);                          \
        memcpy(&call_native, &found, sizeof call_native);                                          \
        if (found == NULL)                                                                         \
            return allfold_passed_refuse(comm, #FUNCTION);                                         \
        if (!allfold_notes_passed())                                                               \
            return call_native(ARGUMENTS(to, __VA_ARGS__) comm MORE_ARGUMENTS);                    \
        const double begin_s = allfold_now_s();                                                    \
        const int code = call_native(ARGUMENTS(to, __VA_ARGS__) comm MORE_ARGUMENTS);              \
        const struct allfold_passed_call call = {.collective = number,                             \
                                                 .destinations = ALLFOLD_##to,                     \
                                                 .mode = its_mode,                                 \
                                                 .has_large_counts = is_large,                     \
                                                 .comm = comm,                                     \
                                                 FIELDS(to, __VA_ARGS__)};                         \
        allfold_passed_note(&call, code, begin_s);                                                 \
        return code;                                                                               \
    }

#define LINKED(Name) (void *)(uintptr_t)PMPI_##Name

#define DEFINE_ALL(name, Name, NAME, to, send, receive)                                            \
    DEFINE(MPI_##Name, LINKED(Name), ALLFOLD_PASSED_##name, false, NULL, NOTHING, NOTHING, to,     \
           send, receive, int, int)                                                                \
    DEFINE(MPI_I##name, LINKED(I##name), ALLFOLD_PASSED_##name, false, allfold_mode_nonblocking,   \
           REQUEST_PARAMETER, REQUEST_ARGUMENT, to, send, receive, int, int)                       \
    DEFINE(MPI_##Name##_c, NULL, ALLFOLD_PASSED_##name, true, NULL, NOTHING, NOTHING, to, send,    \
           receive, MPI_Count, MPI_Aint)                                                           \
    DEFINE(MPI_I##name##_c, NULL, ALLFOLD_PASSED_##name, true, allfold_mode_nonblocking,           \
           REQUEST_PARAMETER, REQUEST_ARGUMENT, to, send, receive, MPI_Count, MPI_Aint)

ALLFOLD_PASSED(DEFINE_ALL)
