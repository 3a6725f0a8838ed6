/* The tables of MPI's predefined datatypes and operations (see predefined.h and type_list.h). */
#include "mpi/handles/predefined.h"

#include <assert.h>
#include <float.h>
#include <pthread.h>
#include <stdint.h>

#include "mpi/handles/type_list.h"
#include "mpi/handles/type_size.h"

/* Groups of types as the standard names them, by the operations that they allow. */
enum {
    NOTHING = 0,
    ARITHMETIC = 1 << ALLFOLD_SUM | 1 << ALLFOLD_PROD,
    ORDER = 1 << ALLFOLD_MAX | 1 << ALLFOLD_MIN,
    TRUTH = 1 << ALLFOLD_LAND | 1 << ALLFOLD_LOR | 1 << ALLFOLD_LXOR,
    BITS = 1 << ALLFOLD_BAND | 1 << ALLFOLD_BOR | 1 << ALLFOLD_BXOR,
    FORTRAN_INTEGER = ARITHMETIC | ORDER | BITS,
    MULTI_LANGUAGE = FORTRAN_INTEGER,
    C_INTEGER = FORTRAN_INTEGER | TRUTH,
    FLOATING = ARITHMETIC | ORDER,
    LOGICAL = TRUTH,
    COMPLEX = ARITHMETIC,
    PAIR = 1 << ALLFOLD_MAXLOC | 1 << ALLFOLD_MINLOC,
};

/* The kernels' type for a C integer type, by its size and sign. */
#define SIGNED(type)                                                                               \
    (sizeof(type) == 1   ? ALLFOLD_INT8                                                            \
     : sizeof(type) == 2 ? ALLFOLD_INT16                                                           \
     : sizeof(type) == 4 ? ALLFOLD_INT32                                                           \
                         : ALLFOLD_INT64)
#define UNSIGNED_OF(type) (SIGNED(type) + (ALLFOLD_UINT8 - ALLFOLD_INT8))

enum {
    ALLFOLD_SHORT = SIGNED(short),
    ALLFOLD_USHORT = UNSIGNED_OF(short),
    ALLFOLD_INT = SIGNED(int),
    ALLFOLD_UNSIGNED = UNSIGNED_OF(int),
    ALLFOLD_LONG = SIGNED(long),
    ALLFOLD_ULONG = UNSIGNED_OF(long),
    ALLFOLD_LONG_LONG = SIGNED(long long),
    ALLFOLD_ULONG_LONG = UNSIGNED_OF(long long),
    ALLFOLD_AINT = SIGNED(MPI_Aint),
    ALLFOLD_OFFSET = SIGNED(MPI_Offset),
    ALLFOLD_COUNT = SIGNED(MPI_Count),
#if defined MPI_ABI_VERSION && MPI_ABI_VERSION > 0
    ALLFOLD_FINT = ALLFOLD_TYPE_COUNT, /* no kernels: the standard ABI leaves its size open */
#else
    ALLFOLD_FINT = SIGNED(MPI_Fint),
#endif
    ALLFOLD_NO_KERNELS = ALLFOLD_TYPE_COUNT,
};

#define ROW(handle, kernels, allowed, lowered)                                                     \
    {#handle, handle, (enum allfold_type)ALLFOLD_##kernels, allowed, lowered},
static const struct allfold_known_type types[] = {ALLFOLD_TYPES(ROW)};

/* What MPI_Type_create_f90_real, _complex and _integer make. */
#define SIZED(kernels, allowed)                                                                    \
    {                                                                                              \
        "", MPI_DATATYPE_NULL, ALLFOLD_##kernels, allowed, NOTHING                                 \
    }
static const struct allfold_known_type sized_types[] = {
    SIZED(INT8, FORTRAN_INTEGER),     SIZED(INT16, FORTRAN_INTEGER),
    SIZED(INT32, FORTRAN_INTEGER),    SIZED(INT64, FORTRAN_INTEGER),
    SIZED(FLOAT16, FLOATING),         SIZED(FLOAT, FLOATING),
    SIZED(DOUBLE, FLOATING),          SIZED(LONG_DOUBLE, FLOATING),
    SIZED(FLOAT128, FLOATING),        SIZED(COMPLEX_FLOAT, COMPLEX),
    SIZED(COMPLEX_DOUBLE, COMPLEX),   SIZED(COMPLEX_LONG_DOUBLE, COMPLEX),
    SIZED(COMPLEX_FLOAT128, COMPLEX),
};

static const struct {
    MPI_Op op;
    enum allfold_operation operation;
} operations[] = {
    {MPI_SUM, ALLFOLD_SUM},   {MPI_PROD, ALLFOLD_PROD},     {MPI_MAX, ALLFOLD_MAX},
    {MPI_MIN, ALLFOLD_MIN},   {MPI_LAND, ALLFOLD_LAND},     {MPI_LOR, ALLFOLD_LOR},
    {MPI_LXOR, ALLFOLD_LXOR}, {MPI_BAND, ALLFOLD_BAND},     {MPI_BOR, ALLFOLD_BOR},
    {MPI_BXOR, ALLFOLD_BXOR}, {MPI_MAXLOC, ALLFOLD_MAXLOC}, {MPI_MINLOC, ALLFOLD_MINLOC},
};

enum { PLACES = 256, TYPES = sizeof types / sizeof *types };
_Static_assert(2 * TYPES < PLACES, "a search soon finds a free place");

/* Handles are spread over more than twice as many places as there are types; 0 is free. */
static uint8_t places[PLACES];
static pthread_once_t places_once = PTHREAD_ONCE_INIT;

static unsigned place_of(MPI_Datatype datatype)
{
    const uint64_t handle = (uint64_t)(uintptr_t)datatype;
    return (unsigned)(handle * 0x9e3779b97f4a7c15u >> 56) % PLACES;
}

static void fill_places(void)
{
    for (unsigned i = 0; i < TYPES; i++) {
        unsigned at = place_of(types[i].datatype);
        if (types[i].datatype == MPI_DATATYPE_NULL)
            continue; /* this MPI was built without it */
        while (places[at] != 0)
            at = (at + 1) % PLACES;
        places[at] = (uint8_t)(i + 1);
    }
}

const struct allfold_known_type *allfold_known_type(MPI_Datatype datatype)
{
    pthread_once(&places_once, fill_places);
    for (unsigned at = place_of(datatype); places[at] != 0; at = (at + 1) % PLACES)
        if (types[places[at] - 1].datatype == datatype)
            return &types[places[at] - 1];
    return NULL;
}

const struct allfold_known_type *allfold_listed_type(size_t i)
{
    return i < TYPES ? &types[i] : NULL;
}

/* The kernels' type of a real type by its size and decimal digits. Both long double and binary128
 * have 16 bytes; long double has fewer digits. */
static enum allfold_type real_type(MPI_Count bytes, int digits)
{
    return bytes == 2                  ? ALLFOLD_FLOAT16
           : bytes == 4                ? ALLFOLD_FLOAT
           : bytes == 8                ? ALLFOLD_DOUBLE
           : bytes != 16               ? ALLFOLD_TYPE_COUNT
           : digits > LDBL_DIG         ? ALLFOLD_FLOAT128
           : sizeof(long double) == 16 ? ALLFOLD_LONG_DOUBLE
                                       : ALLFOLD_TYPE_COUNT;
}

static enum allfold_type complex_type(MPI_Count bytes, int digits)
{
    const enum allfold_type part = real_type(bytes / 2, digits);
    return part == ALLFOLD_FLOAT         ? ALLFOLD_COMPLEX_FLOAT
           : part == ALLFOLD_DOUBLE      ? ALLFOLD_COMPLEX_DOUBLE
           : part == ALLFOLD_LONG_DOUBLE ? ALLFOLD_COMPLEX_LONG_DOUBLE
           : part == ALLFOLD_FLOAT128    ? ALLFOLD_COMPLEX_FLOAT128
                                         : ALLFOLD_TYPE_COUNT;
}

static enum allfold_type integer_type(MPI_Count bytes)
{
    return bytes == 1   ? ALLFOLD_INT8
           : bytes == 2 ? ALLFOLD_INT16
           : bytes == 4 ? ALLFOLD_INT32
           : bytes == 8 ? ALLFOLD_INT64
                        : ALLFOLD_TYPE_COUNT;
}

const struct allfold_known_type *allfold_basic_type(MPI_Datatype datatype)
{
    enum { MOST_INTEGERS = 2 };
    const struct allfold_known_type *known = allfold_known_type(datatype);
    int integers, addresses, parts, combiner, made_with[MOST_INTEGERS] = {0, 0};
    MPI_Aint no_address;
    MPI_Datatype no_part;
    MPI_Count bytes;
    if (known != NULL)
        return known;
    if (PMPI_Type_get_envelope(datatype, &integers, &addresses, &parts, &combiner) != MPI_SUCCESS ||
        (combiner != MPI_COMBINER_F90_REAL && combiner != MPI_COMBINER_F90_COMPLEX &&
         combiner != MPI_COMBINER_F90_INTEGER))
        return NULL;
    assert(integers <= MOST_INTEGERS && addresses == 0 && parts == 0);
    if (PMPI_Type_get_contents(datatype, integers, 0, 0, made_with, &no_address, &no_part) !=
            MPI_SUCCESS ||
        allfold_type_size(datatype, &bytes) != MPI_SUCCESS)
        return NULL;
    const enum allfold_type type =
        combiner == MPI_COMBINER_F90_REAL      ? real_type(bytes, made_with[0])
        : combiner == MPI_COMBINER_F90_COMPLEX ? complex_type(bytes, made_with[0])
                                               : integer_type(bytes);
    for (size_t i = 0; i < sizeof sized_types / sizeof *sized_types; i++)
        if (sized_types[i].type == type)
            return &sized_types[i];
    return NULL;
}

enum allfold_reducer allfold_reducer_of(const struct allfold_known_type *known,
                                        enum allfold_operation operation)
{
    const bool is_allowed = (known->operations & 1u << operation) != 0;
    if (is_allowed && allfold_kernel_find(known->type, operation) != NULL)
        return ALLFOLD_BY_KERNEL;
    return known->datatype != MPI_DATATYPE_NULL &&
                   (is_allowed || (known->lowered & 1u << operation) != 0)
               ? ALLFOLD_BY_REDUCE_LOCAL
               : ALLFOLD_BY_NATIVE;
}

bool allfold_known_allows(const struct allfold_known_type *known, enum allfold_operation operation)
{
    return operation != ALLFOLD_OPERATION_COUNT &&
           ((known->operations | known->lowered) & 1u << operation) != 0;
}

/* Only integers have operations on bits, and all their operations are exact. */
bool allfold_known_is_exact(const struct allfold_known_type *known,
                            enum allfold_operation operation)
{
    if (!allfold_known_allows(known, operation))
        return false;
    return ((TRUTH | BITS) & 1u << operation) != 0 ||
           ((known->operations | known->lowered) & BITS) != 0 ||
           allfold_reduction_is_exact(known->type, operation);
}

bool allfold_is_exact(MPI_Datatype datatype, MPI_Op op)
{
    const struct allfold_known_type *known = allfold_known_type(datatype);
    return known != NULL && allfold_known_is_exact(known, allfold_known_operation(op));
}

/* Seen on x86-64: Open MPI 4.1.4 adds MPI_REAL16 as long double, MPICH 4.0.2 as integers. MPICH has
 * no sum of MPI_COMPLEX32, and a sum of its float16 ends the program.
 */
bool allfold_native_is_wrong(const struct allfold_known_type *known)
{
    return known->type == ALLFOLD_FLOAT16 ||
           (LDBL_MANT_DIG != 113 &&
            (known->type == ALLFOLD_FLOAT128 || known->type == ALLFOLD_COMPLEX_FLOAT128));
}

enum allfold_operation allfold_known_operation(MPI_Op op)
{
    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].op == op)
            return operations[i].operation;
    return ALLFOLD_OPERATION_COUNT;
}

MPI_Op allfold_op_of(enum allfold_operation operation)
{
    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].operation == operation)
            return operations[i].op;
    return MPI_OP_NULL;
}

bool allfold_is_user_operation(MPI_Op op)
{
    return op != MPI_OP_NULL && op != MPI_REPLACE && op != MPI_NO_OP &&
           allfold_known_operation(op) == ALLFOLD_OPERATION_COUNT;
}
