/* The functions of collectives that pass through to the MPI library (mpi/collectives.def). Those
 * with large counts are defined even if mpi.h lacks them, because the program's MPI library may be
 * newer. If the MPI library lacks them, the calls go to the functions with ints: a program with a
 * weak reference to such a function, such as mpi4py, finds Allfold's and concludes that it may call
 * it. They only call the rooms below. */
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#include "mpi/call/passed.h"
#include "mpi/process/collectives.h"
#include "mpi/process/runtime.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

#define PARAMETERS(...) ALLFOLD_PASSED_ARGUMENTS(ALLFOLD_AS_PARAMETER, __VA_ARGS__)
#define ARGUMENTS(...) ALLFOLD_PASSED_ARGUMENTS(ALLFOLD_AS_ARGUMENT, __VA_ARGS__)
#define FIELDS(...) ALLFOLD_PASSED_ARGUMENTS(FIELD, __VA_ARGS__)
#define FIELD(type, name, suffix, role, field) .field = name,
#define NARROW_ARGUMENTS(...) ALLFOLD_PASSED_ARGUMENTS(NARROW_ARGUMENT, __VA_ARGS__)
#define NARROW_ARGUMENT(type, name, suffix, role, field) NARROW_##role(name, call.field),
#define NARROW_input(given, narrowed) given
#define NARROW_output(given, narrowed) given
#define NARROW_count(given, narrowed) (int)narrowed
#define NARROW_integer(given, narrowed) given
#define NARROW_type(given, narrowed) given
#define NARROW_array(given, narrowed) narrowed

/* A `form` is BLOCKING or NONBLOCKING: it sets the parameters after the communicator, and the mode
 * that the report shows. */
#define PARAMETER_BLOCKING
#define PARAMETER_NONBLOCKING , MPI_Request *request
#define ARGUMENT_BLOCKING
#define ARGUMENT_NONBLOCKING , request
#define MODE_BLOCKING NULL
#define MODE_NONBLOCKING allfold_mode_nonblocking

#define DESCRIBED(number, is_large, form, to, ...)                                                 \
    {                                                                                              \
        .collective = number, .destinations = ALLFOLD_##to, .mode = MODE_##form,                   \
        .has_large_counts = is_large, .comm = comm, FIELDS(to, __VA_ARGS__)                        \
    }

/* `otherwise` is what happens if there is no such function. */
#define DEFINE(FUNCTION, fallback, otherwise, number, is_large, form, to, ...)                     \
    static int pass_##FUNCTION(PARAMETERS(to, __VA_ARGS__) MPI_Comm comm PARAMETER_##form)         \
    {                                                                                              \
        static _Atomic(void *) known;                                                              \
        int (*call_native)(PARAMETERS(to, __VA_ARGS__) MPI_Comm comm PARAMETER_##form);            \
        void *found = allfold_passed_native(&known, "MPI_" #FUNCTION, fallback);                   \
        memcpy(&call_native, &found, sizeof call_native);                                          \
        if (found == NULL)                                                                         \
            return otherwise;                                                                      \
        if (!allfold_notes_passed())                                                               \
            return call_native(ARGUMENTS(to, __VA_ARGS__) comm ARGUMENT_##form);                   \
        const double begin_s = allfold_passed_begin(number, MODE_##form);                          \
        const int code = call_native(ARGUMENTS(to, __VA_ARGS__) comm ARGUMENT_##form);             \
        const struct allfold_passed_call call =                                                    \
            DESCRIBED(number, is_large, form, to, __VA_ARGS__);                                    \
        allfold_passed_note(&call, code, begin_s);                                                 \
        return code;                                                                               \
    }                                                                                              \
    int MPI_##FUNCTION(PARAMETERS(to, __VA_ARGS__) MPI_Comm comm PARAMETER_##form);                \
    ALLFOLD_PUBLIC int MPI_##FUNCTION(PARAMETERS(to, __VA_ARGS__) MPI_Comm comm PARAMETER_##form)  \
    {                                                                                              \
        return pass_##FUNCTION(ARGUMENTS(to, __VA_ARGS__) comm ARGUMENT_##form);                   \
    }

/* Name_c by the function Name. */
#define DEFINE_NARROW(Name, number, form, to, ...)                                                 \
    static int narrow_##Name(PARAMETERS(to, __VA_ARGS__) MPI_Comm comm PARAMETER_##form)           \
    {                                                                                              \
        struct allfold_passed_call call = DESCRIBED(number, true, form, to, __VA_ARGS__);          \
        int code = allfold_passed_narrow(&call, "MPI_" #Name "_c");                                \
        if (code == MPI_SUCCESS)                                                                   \
            code = pass_##Name(NARROW_ARGUMENTS(to, __VA_ARGS__) comm ARGUMENT_##form);            \
        allfold_passed_narrow_end(&call);                                                          \
        return code;                                                                               \
    }

/* Name, and Name_c. */
#define DEFINE_PAIR(Name, number, form, to, send, receive)                                         \
    DEFINE(Name, (void *)(uintptr_t)PMPI_##Name, allfold_passed_refuse(comm, "MPI_" #Name),        \
           number, false, form, to, send, receive, int, int)                                       \
    DEFINE_NARROW(Name, number, form, to, send, receive, MPI_Count, MPI_Aint)                      \
    DEFINE(Name##_c, NULL,                                                                         \
           narrow_##Name(ARGUMENTS(to, send, receive, MPI_Count, MPI_Aint) comm ARGUMENT_##form),  \
           number, true, form, to, send, receive, MPI_Count, MPI_Aint)

#define PASSED(name, Name, NAME, to, send, receive)                                                \
    DEFINE_PAIR(Name, ALLFOLD_PASSED_##name, BLOCKING, to, send, receive)                          \
    DEFINE_PAIR(I##name, ALLFOLD_PASSED_##name, NONBLOCKING, to, send, receive)
#include "mpi/collectives.def"
