/* MPI's own datatypes and operations: tables (see types.h).
 *
 * Which operations go with which types is MPI 3.1, section 5.9.2, and for pairs 5.9.4. */
#include "mpi/handles/types.h"

#include <pthread.h>
#include <stdint.h>

/* Groups of types as the standard names them, by the operations that they allow. */
enum {
    ARITHMETIC = 1 << ALLFOLD_SUM | 1 << ALLFOLD_PROD,
    ORDER = 1 << ALLFOLD_MAX | 1 << ALLFOLD_MIN,
    LOGICAL = 1 << ALLFOLD_LAND | 1 << ALLFOLD_LOR | 1 << ALLFOLD_LXOR,
    BITS = 1 << ALLFOLD_BAND | 1 << ALLFOLD_BOR | 1 << ALLFOLD_BXOR,
    FORTRAN_INTEGER = ARITHMETIC | ORDER | BITS, /* and the multi-language types */
    C_INTEGER = FORTRAN_INTEGER | LOGICAL,
    FLOATING = ARITHMETIC | ORDER,
    COMPLEX = ARITHMETIC,
    PAIR = 1 << ALLFOLD_MAXLOC | 1 << ALLFOLD_MINLOC,
};

/* The kernel's type for a C integer type, by its size and sign. */
#define SIGNED(type)                                                                               \
    (sizeof(type) == 1   ? ALLFOLD_INT8                                                            \
     : sizeof(type) == 2 ? ALLFOLD_INT16                                                           \
     : sizeof(type) == 4 ? ALLFOLD_INT32                                                           \
                         : ALLFOLD_INT64)
#define UNSIGNED(type) (SIGNED(type) + (ALLFOLD_UINT8 - ALLFOLD_INT8))

static const struct allfold_known_type types[] = {
    {MPI_SIGNED_CHAR, ALLFOLD_INT8, C_INTEGER},
    {MPI_UNSIGNED_CHAR, ALLFOLD_UINT8, C_INTEGER},
    {MPI_SHORT, SIGNED(short), C_INTEGER},
    {MPI_UNSIGNED_SHORT, UNSIGNED(short), C_INTEGER},
    {MPI_INT, SIGNED(int), C_INTEGER},
    {MPI_UNSIGNED, UNSIGNED(int), C_INTEGER},
    {MPI_LONG, SIGNED(long), C_INTEGER},
    {MPI_UNSIGNED_LONG, UNSIGNED(long), C_INTEGER},
    {MPI_LONG_LONG, SIGNED(long long), C_INTEGER},
    {MPI_UNSIGNED_LONG_LONG, UNSIGNED(long long), C_INTEGER},
    {MPI_INT8_T, ALLFOLD_INT8, C_INTEGER},
    {MPI_INT16_T, ALLFOLD_INT16, C_INTEGER},
    {MPI_INT32_T, ALLFOLD_INT32, C_INTEGER},
    {MPI_INT64_T, ALLFOLD_INT64, C_INTEGER},
    {MPI_UINT8_T, ALLFOLD_UINT8, C_INTEGER},
    {MPI_UINT16_T, ALLFOLD_UINT16, C_INTEGER},
    {MPI_UINT32_T, ALLFOLD_UINT32, C_INTEGER},
    {MPI_UINT64_T, ALLFOLD_UINT64, C_INTEGER},
    {MPI_AINT, SIGNED(MPI_Aint), FORTRAN_INTEGER},
    {MPI_OFFSET, SIGNED(MPI_Offset), FORTRAN_INTEGER},
    {MPI_COUNT, SIGNED(MPI_Count), FORTRAN_INTEGER},
    {MPI_INTEGER, SIGNED(MPI_Fint), FORTRAN_INTEGER},
    {MPI_C_BOOL, ALLFOLD_BOOL, LOGICAL},
    {MPI_LOGICAL, SIGNED(MPI_Fint), LOGICAL},
    {MPI_BYTE, ALLFOLD_BYTE, BITS},
#ifdef MPIX_C_FLOAT16 /* MPICH; its own reductions of it end the program, up to 4.0.2 at least */
    {MPIX_C_FLOAT16, ALLFOLD_FLOAT16, FLOATING},
#endif
    {MPI_FLOAT, ALLFOLD_FLOAT, FLOATING},
    {MPI_DOUBLE, ALLFOLD_DOUBLE, FLOATING},
    {MPI_LONG_DOUBLE, ALLFOLD_LONG_DOUBLE, FLOATING},
    {MPI_REAL, ALLFOLD_FLOAT, FLOATING},
    {MPI_DOUBLE_PRECISION, ALLFOLD_DOUBLE, FLOATING},
    {MPI_C_FLOAT_COMPLEX, ALLFOLD_COMPLEX_FLOAT, COMPLEX},
    {MPI_C_DOUBLE_COMPLEX, ALLFOLD_COMPLEX_DOUBLE, COMPLEX},
    {MPI_C_LONG_DOUBLE_COMPLEX, ALLFOLD_COMPLEX_LONG_DOUBLE, COMPLEX},
    {MPI_COMPLEX, ALLFOLD_COMPLEX_FLOAT, COMPLEX},
    {MPI_DOUBLE_COMPLEX, ALLFOLD_COMPLEX_DOUBLE, COMPLEX},
    {MPI_FLOAT_INT, ALLFOLD_FLOAT_INT, PAIR},
    {MPI_DOUBLE_INT, ALLFOLD_DOUBLE_INT, PAIR},
    {MPI_LONG_INT, ALLFOLD_LONG_INT, PAIR},
    {MPI_2INT, ALLFOLD_INT_INT, PAIR},
    {MPI_SHORT_INT, ALLFOLD_SHORT_INT, PAIR},
    {MPI_LONG_DOUBLE_INT, ALLFOLD_LONG_DOUBLE_INT, PAIR},
    {MPI_2REAL, ALLFOLD_FLOAT_FLOAT, PAIR},
    {MPI_2DOUBLE_PRECISION, ALLFOLD_DOUBLE_DOUBLE, PAIR},
    {MPI_2INTEGER, ALLFOLD_INT_INT, PAIR},
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
