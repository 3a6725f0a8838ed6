/* The Fortran functions of Open MPI for collectives that pass through (mpi/collectives.def). Open
 * MPI's own call PMPI_ functions and so bypass interpose_passed.c; MPICH's call MPI_ functions.
 * Each only calls the MPI library's Fortran function with the same arguments. */
#include "mpi/interpose/interpose_fortran.h"

#include <stdatomic.h>
#include <string.h>

#include "mpi/call/passed.h"
#include "mpi/process/collectives.h"
#include "mpi/process/runtime.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

/* All arguments are addresses. */
#define PARAMETER(type, name, suffix, role, field) void *name,
#define PARAMETERS(...) ALLFOLD_PASSED_ARGUMENTS(PARAMETER, __VA_ARGS__)
#define ARGUMENTS(...) ALLFOLD_PASSED_ARGUMENTS(ALLFOLD_AS_ARGUMENT, __VA_ARGS__)
#define FIELD(type, name, suffix, role, field) .field = FROM_##role(type, name),
#define FIELDS(...) ALLFOLD_PASSED_ARGUMENTS(FIELD, __VA_ARGS__)
#define FROM_input(of, name) allfold_fortran_input(name)
#define FROM_output FROM_input
#define FROM_count(of, name) *(const of *)name
#define FROM_integer(of, name) *(const MPI_Fint *)name
#define FROM_type(of, name) MPI_Type_f2c(*(const MPI_Fint *)name)
#define FROM_array(of, name) name

/* Buffers of Open MPI 6's mpi_f08 are descriptors, which begin with the address. */
#define DESCRIBED_FIELD(type, name, suffix, role, field) .field = FROM_DESCRIBED_##role(type, name),
#define DESCRIBED_FIELDS(...) ALLFOLD_PASSED_ARGUMENTS(DESCRIBED_FIELD, __VA_ARGS__)
#define FROM_DESCRIBED_input(of, name) allfold_fortran_input(*(const void *const *)name)
#define FROM_DESCRIBED_output FROM_DESCRIBED_input
#define FROM_DESCRIBED_count FROM_count
#define FROM_DESCRIBED_integer FROM_integer
#define FROM_DESCRIBED_type FROM_type
#define FROM_DESCRIBED_array FROM_array

#define REQUEST_PARAMETER , MPI_Fint *request
#define REQUEST_ARGUMENT , request
#define NOTHING

static MPI_Datatype type_at(const void *types, int block)
{
    return MPI_Type_f2c(((const MPI_Fint *)types)[block]);
}

/* `native` is the name of the MPI library's function. */
#define DEFINE(SCOPE, FUNCTION, native, number, is_large, its_mode, FILLED, MORE_PARAMETERS,       \
               MORE_ARGUMENTS, to, ...)                                                            \
    SCOPE void FUNCTION(PARAMETERS(to, __VA_ARGS__) MPI_Fint *comm MORE_PARAMETERS,                \
                        MPI_Fint *ierror);                                                         \
    SCOPE void FUNCTION(PARAMETERS(to, __VA_ARGS__) MPI_Fint *comm MORE_PARAMETERS,                \
                        MPI_Fint *ierror)                                                          \
    {                                                                                              \
        static _Atomic(void *) known;                                                              \
        void (*call_native)(PARAMETERS(to, __VA_ARGS__) MPI_Fint * comm MORE_PARAMETERS,           \
                            MPI_Fint * ierror);                                                    \
        void *found = allfold_passed_native(&known, native, NULL);                                 \
        memcpy(&call_native, &found, sizeof call_native);                                          \
        if (call_native == NULL) {                                                                 \
            allfold_set_ierror(ierror, allfold_passed_refuse(MPI_Comm_f2c(*comm), native));        \
            return;                                                                                \
        }                                                                                          \
        if (!allfold_notes_passed()) {                                                             \
            call_native(ARGUMENTS(to, __VA_ARGS__) comm MORE_ARGUMENTS, ierror);                   \
            return;                                                                                \
        }                                                                                          \
        MPI_Fint code = MPI_SUCCESS;                                                               \
        const double begin_s = allfold_passed_begin(number, its_mode);                             \
        call_native(ARGUMENTS(to, __VA_ARGS__) comm MORE_ARGUMENTS, &code);                        \
        const struct allfold_passed_call call = {.collective = number,                             \
                                                 .destinations = ALLFOLD_##to,                     \
                                                 .mode = its_mode,                                 \
                                                 .has_large_counts = is_large,                     \
                                                 .type_at = type_at,                               \
                                                 .comm = MPI_Comm_f2c(*comm),                      \
                                                 FILLED(to, __VA_ARGS__)};                         \
        allfold_passed_note(&call, code, begin_s);                                                 \
        allfold_set_ierror(ierror, code);                                                          \
    }

/* The blocking function and the nonblocking one. */
#define DEFINE_PAIR(SCOPE, prefix, name, suffix, texts, number, is_large, FILLED, ...)             \
    DEFINE(SCOPE, prefix##name##suffix, "mpi_" texts, number, is_large, NULL, FILLED, NOTHING,     \
           NOTHING, __VA_ARGS__)                                                                   \
    DEFINE(SCOPE, prefix##i##name##suffix, "mpi_i" texts, number, is_large,                        \
           allfold_mode_nonblocking, FILLED, REQUEST_PARAMETER, REQUEST_ARGUMENT, __VA_ARGS__)

#define PASSED(name, Name, NAME, ...)                                                              \
    DEFINE_PAIR(static, , name, , #name "_", ALLFOLD_PASSED_##name, false, FIELDS, __VA_ARGS__,    \
                MPI_Fint, MPI_Fint)                                                                \
    ALLFOLD_ALIASES(name, NAME)                                                                    \
    ALLFOLD_ALIASES(i##name, I##NAME)                                                              \
    DEFINE_PAIR(ALLFOLD_PUBLIC, mpi_, name, _f08ts_, #name "_f08ts_", ALLFOLD_PASSED_##name,       \
                false, DESCRIBED_FIELDS, __VA_ARGS__, MPI_Fint, MPI_Fint)                          \
    DEFINE_PAIR(ALLFOLD_PUBLIC, mpi_, name, _c_f08ts_, #name "_c_f08ts_", ALLFOLD_PASSED_##name,   \
                true, DESCRIBED_FIELDS, __VA_ARGS__, MPI_Count, MPI_Aint)
#include "mpi/collectives.def"
