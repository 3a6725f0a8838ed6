/* The reference kernels, plain C that the compiler vectorises, and what is known of each type.
 *
 * Invariant: a type's kernels are those of the groups it is instantiated with below, which are the
 * classes of types and operations of MPI 3.1, sections 5.9.2 and 5.9.4. Build without anything that
 * loosens floating point (-ffast-math, -fcx-limited-range), and with -ffp-contract=off. */
#include "kernels/kernels.h"

#include <complex.h>
#include <stdint.h>

/* The groups of loops.inc. */
#define ARITHMETIC 1 /* sum, prod */
#define ORDER 2      /* max, min */
#define LOGIC 4      /* land, lor, lxor */
#define BITS 8       /* band, bor, bxor */
#define LOCATION 16  /* maxloc, minloc */

/* KERNEL(sum) is int8_sum where TYPE is int8. */
#define PASTE(type, name) type##_##name
#define EXPAND_AND_PASTE(type, name) PASTE(type, name)
#define KERNEL(name) EXPAND_AND_PASTE(TYPE, name)

/* Callers' memory: elements may lie at any address, and programs store them as types of their own.
 * gcc takes the first for a struct from a typedef only, the second from the definition only. */
#define AT_ANY_ADDRESS __attribute__((aligned(1)))
#define OF_ANY_TYPE __attribute__((may_alias))

typedef int8_t int8 AT_ANY_ADDRESS OF_ANY_TYPE;
typedef uint8_t uint8 AT_ANY_ADDRESS OF_ANY_TYPE;
typedef int16_t int16 AT_ANY_ADDRESS OF_ANY_TYPE;
typedef uint16_t uint16 AT_ANY_ADDRESS OF_ANY_TYPE;
typedef int32_t int32 AT_ANY_ADDRESS OF_ANY_TYPE;
typedef uint32_t uint32 AT_ANY_ADDRESS OF_ANY_TYPE;
typedef int64_t int64 AT_ANY_ADDRESS OF_ANY_TYPE;
typedef uint64_t uint64 AT_ANY_ADDRESS OF_ANY_TYPE;
typedef uint8_t boolean AT_ANY_ADDRESS OF_ANY_TYPE; /* a _Bool may be 0 or 1 only */
typedef uint8_t byte AT_ANY_ADDRESS OF_ANY_TYPE;
typedef float real_float AT_ANY_ADDRESS OF_ANY_TYPE;
typedef double real_double AT_ANY_ADDRESS OF_ANY_TYPE;
typedef long double real_long_double AT_ANY_ADDRESS OF_ANY_TYPE;
typedef float complex complex_float AT_ANY_ADDRESS OF_ANY_TYPE;
typedef double complex complex_double AT_ANY_ADDRESS OF_ANY_TYPE;
typedef long double complex complex_long_double AT_ANY_ADDRESS OF_ANY_TYPE;

struct OF_ANY_TYPE float_int {
    float value;
    int index;
};
struct OF_ANY_TYPE double_int {
    double value;
    int index;
};
struct OF_ANY_TYPE long_int {
    long value;
    int index;
};
struct OF_ANY_TYPE int_int {
    int value;
    int index;
};
struct OF_ANY_TYPE short_int {
    short value;
    int index;
};
struct OF_ANY_TYPE long_double_int {
    long double value;
    int index;
};
struct OF_ANY_TYPE float_float {
    float value;
    float index;
};
struct OF_ANY_TYPE double_double {
    double value;
    double index;
};

typedef struct float_int float_int AT_ANY_ADDRESS;
typedef struct double_int double_int AT_ANY_ADDRESS;
typedef struct long_int long_int AT_ANY_ADDRESS;
typedef struct int_int int_int AT_ANY_ADDRESS;
typedef struct short_int short_int AT_ANY_ADDRESS;
typedef struct long_double_int long_double_int AT_ANY_ADDRESS;
typedef struct float_float float_float AT_ANY_ADDRESS;
typedef struct double_double double_double AT_ANY_ADDRESS;

/* Sums and products wrap: overflow is defined for the unsigned types that do not promote to int. */
#define TYPE int8
#define WIDE uint32_t
#define GROUPS ARITHMETIC | ORDER | LOGIC | BITS
#include "kernels/loops.inc"

#define TYPE uint8
#define WIDE uint32_t
#define GROUPS ARITHMETIC | ORDER | LOGIC | BITS
#include "kernels/loops.inc"

#define TYPE int16
#define WIDE uint32_t
#define GROUPS ARITHMETIC | ORDER | LOGIC | BITS
#include "kernels/loops.inc"

#define TYPE uint16
#define WIDE uint32_t
#define GROUPS ARITHMETIC | ORDER | LOGIC | BITS
#include "kernels/loops.inc"

#define TYPE int32
#define WIDE uint32_t
#define GROUPS ARITHMETIC | ORDER | LOGIC | BITS
#include "kernels/loops.inc"

#define TYPE uint32
#define WIDE uint32_t
#define GROUPS ARITHMETIC | ORDER | LOGIC | BITS
#include "kernels/loops.inc"

#define TYPE int64
#define WIDE uint64_t
#define GROUPS ARITHMETIC | ORDER | LOGIC | BITS
#include "kernels/loops.inc"

#define TYPE uint64
#define WIDE uint64_t
#define GROUPS ARITHMETIC | ORDER | LOGIC | BITS
#include "kernels/loops.inc"

#define TYPE boolean
#define GROUPS LOGIC
#include "kernels/loops.inc"

#define TYPE byte
#define GROUPS BITS
#include "kernels/loops.inc"

#define TYPE real_float
#define WIDE float
#define GROUPS ARITHMETIC | ORDER
#include "kernels/loops.inc"

#define TYPE real_double
#define WIDE double
#define GROUPS ARITHMETIC | ORDER
#include "kernels/loops.inc"

#define TYPE real_long_double
#define WIDE long double
#define GROUPS ARITHMETIC | ORDER
#include "kernels/loops.inc"

#define TYPE complex_float
#define WIDE float complex
#define GROUPS ARITHMETIC
#include "kernels/loops.inc"

#define TYPE complex_double
#define WIDE double complex
#define GROUPS ARITHMETIC
#include "kernels/loops.inc"

#define TYPE complex_long_double
#define WIDE long double complex
#define GROUPS ARITHMETIC
#include "kernels/loops.inc"

#define TYPE float_int
#define GROUPS LOCATION
#include "kernels/loops.inc"

#define TYPE double_int
#define GROUPS LOCATION
#include "kernels/loops.inc"

#define TYPE long_int
#define GROUPS LOCATION
#include "kernels/loops.inc"

#define TYPE int_int
#define GROUPS LOCATION
#include "kernels/loops.inc"

#define TYPE short_int
#define GROUPS LOCATION
#include "kernels/loops.inc"

#define TYPE long_double_int
#define GROUPS LOCATION
#include "kernels/loops.inc"

#define TYPE float_float
#define GROUPS LOCATION
#include "kernels/loops.inc"

#define TYPE double_double
#define GROUPS LOCATION
#include "kernels/loops.inc"

_Static_assert(sizeof(bool) == sizeof(boolean), "the loops read a _Bool as one byte");

static const struct {
    const char *name;
    size_t bytes;
    bool is_exact;
    allfold_kernel *const *kernels; /* by operation */
} types[ALLFOLD_TYPE_COUNT] = {
    [ALLFOLD_INT8] = {"int8", sizeof(int8), true, int8_kernels},
    [ALLFOLD_UINT8] = {"uint8", sizeof(uint8), true, uint8_kernels},
    [ALLFOLD_INT16] = {"int16", sizeof(int16), true, int16_kernels},
    [ALLFOLD_UINT16] = {"uint16", sizeof(uint16), true, uint16_kernels},
    [ALLFOLD_INT32] = {"int32", sizeof(int32), true, int32_kernels},
    [ALLFOLD_UINT32] = {"uint32", sizeof(uint32), true, uint32_kernels},
    [ALLFOLD_INT64] = {"int64", sizeof(int64), true, int64_kernels},
    [ALLFOLD_UINT64] = {"uint64", sizeof(uint64), true, uint64_kernels},
    [ALLFOLD_BOOL] = {"bool", sizeof(bool), true, boolean_kernels},
    [ALLFOLD_BYTE] = {"byte", sizeof(byte), true, byte_kernels},
    [ALLFOLD_FLOAT] = {"float", sizeof(real_float), false, real_float_kernels},
    [ALLFOLD_DOUBLE] = {"double", sizeof(real_double), false, real_double_kernels},
    [ALLFOLD_LONG_DOUBLE] = {"long_double", sizeof(real_long_double), false,
                             real_long_double_kernels},
    [ALLFOLD_COMPLEX_FLOAT] = {"complex_float", sizeof(complex_float), false,
                               complex_float_kernels},
    [ALLFOLD_COMPLEX_DOUBLE] = {"complex_double", sizeof(complex_double), false,
                                complex_double_kernels},
    [ALLFOLD_COMPLEX_LONG_DOUBLE] = {"complex_long_double", sizeof(complex_long_double), false,
                                     complex_long_double_kernels},
    [ALLFOLD_FLOAT_INT] = {"float_int", sizeof(float_int), false, float_int_kernels},
    [ALLFOLD_DOUBLE_INT] = {"double_int", sizeof(double_int), false, double_int_kernels},
    [ALLFOLD_LONG_INT] = {"long_int", sizeof(long_int), true, long_int_kernels},
    [ALLFOLD_INT_INT] = {"int_int", sizeof(int_int), true, int_int_kernels},
    [ALLFOLD_SHORT_INT] = {"short_int", sizeof(short_int), true, short_int_kernels},
    [ALLFOLD_LONG_DOUBLE_INT] = {"long_double_int", sizeof(long_double_int), false,
                                 long_double_int_kernels},
    [ALLFOLD_FLOAT_FLOAT] = {"float_float", sizeof(float_float), false, float_float_kernels},
    [ALLFOLD_DOUBLE_DOUBLE] = {"double_double", sizeof(double_double), false,
                               double_double_kernels},
};

static const char *const operation_names[ALLFOLD_OPERATION_COUNT] = {
    [ALLFOLD_SUM] = "sum",   [ALLFOLD_PROD] = "prod",     [ALLFOLD_MAX] = "max",
    [ALLFOLD_MIN] = "min",   [ALLFOLD_LAND] = "land",     [ALLFOLD_LOR] = "lor",
    [ALLFOLD_LXOR] = "lxor", [ALLFOLD_BAND] = "band",     [ALLFOLD_BOR] = "bor",
    [ALLFOLD_BXOR] = "bxor", [ALLFOLD_MAXLOC] = "maxloc", [ALLFOLD_MINLOC] = "minloc",
};

static bool is_type(enum allfold_type type)
{
    return (unsigned)type < ALLFOLD_TYPE_COUNT;
}

static bool is_operation(enum allfold_operation operation)
{
    return (unsigned)operation < ALLFOLD_OPERATION_COUNT;
}

allfold_kernel *allfold_kernel_find(enum allfold_type type, enum allfold_operation operation)
{
    return is_type(type) && is_operation(operation) ? types[type].kernels[operation] : NULL;
}

size_t allfold_type_bytes(enum allfold_type type)
{
    return is_type(type) ? types[type].bytes : 0;
}

const char *allfold_type_name(enum allfold_type type)
{
    return is_type(type) ? types[type].name : NULL;
}

const char *allfold_operation_name(enum allfold_operation operation)
{
    return is_operation(operation) ? operation_names[operation] : NULL;
}

bool allfold_reduction_is_exact(enum allfold_type type, enum allfold_operation operation)
{
    return allfold_kernel_find(type, operation) != NULL && types[type].is_exact;
}
