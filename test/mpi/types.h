/*
 * types.h: the predefined types of MPI 3.1, section 5.9.2, as data for test_types.c. Each has its
 * look in memory and the groups of operations that it belongs to.
 */
#ifndef TYPES_H
#define TYPES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum form { NONE, SIGNED, UNSIGNED, REAL, QUAD }; /* QUAD: binary128 */

struct part {
    enum form form;
    size_t bytes, at;
};

/* The groups of 5.9.2, as bits: an operation names those that it takes. */
enum {
    C_INTEGER = 1,
    FORTRAN_INTEGER = 2,
    FLOATING = 4,
    LOGICAL = 8,
    COMPLEX = 16,
    BYTES = 32,
    MULTI_LANGUAGE = 64,
    INDEXED = 128,
};

struct type {
    const char *name;
    MPI_Datatype type;
    unsigned group;
    size_t extent;
    struct part parts[2];
};

struct of_float {
    float value;
    int index;
};
struct of_double {
    double value;
    int index;
};
struct of_long {
    long value;
    int index;
};
struct of_int {
    int value;
    int index;
};
struct of_short {
    short value;
    int index;
};
struct of_long_double {
    long double value;
    int index;
};

#define ONE(type, group, form, c)                                                                  \
    {                                                                                              \
#type, type, group, sizeof(c),                                                             \
        {                                                                                          \
            {form, sizeof(c), 0},                                                                  \
            {                                                                                      \
                NONE, 0, 0                                                                         \
            }                                                                                      \
        }                                                                                          \
    }
#define TWO(type, group, form, c)                                                                  \
    {                                                                                              \
#type, type, group, 2 * sizeof(c),                                                         \
        {                                                                                          \
            {form, sizeof(c), 0},                                                                  \
            {                                                                                      \
                form, sizeof(c), sizeof(c)                                                         \
            }                                                                                      \
        }                                                                                          \
    }
#define WITH_INDEX(type, form, c)                                                                  \
    {                                                                                              \
#type, type, INDEXED, sizeof(struct c),                                                    \
        {                                                                                          \
            {form, sizeof(((struct c *)0)->value), 0},                                             \
            {                                                                                      \
                SIGNED, sizeof(int), offsetof(struct c, index)                                     \
            }                                                                                      \
        }                                                                                          \
    }

static const struct type types[] = {
    ONE(MPI_CHAR, C_INTEGER, SIGNED, char), /* beyond the standard, but both MPIs do it */
/* Open MPI 4.1.4 saturates its sums where they are vectorized, and MPICH 5 refuses it. */
#if !defined(OPEN_MPI) && MPI_VERSION < 5
    ONE(MPI_CHARACTER, C_INTEGER, SIGNED, char),
#endif
    ONE(MPI_SIGNED_CHAR, C_INTEGER, SIGNED, signed char),
    ONE(MPI_UNSIGNED_CHAR, C_INTEGER, UNSIGNED, unsigned char),
    ONE(MPI_SHORT, C_INTEGER, SIGNED, short),
    ONE(MPI_UNSIGNED_SHORT, C_INTEGER, UNSIGNED, unsigned short),
    ONE(MPI_INT, C_INTEGER, SIGNED, int),
    ONE(MPI_UNSIGNED, C_INTEGER, UNSIGNED, unsigned),
    ONE(MPI_LONG, C_INTEGER, SIGNED, long),
    ONE(MPI_UNSIGNED_LONG, C_INTEGER, UNSIGNED, unsigned long),
    ONE(MPI_LONG_LONG_INT, C_INTEGER, SIGNED, long long),
    ONE(MPI_LONG_LONG, C_INTEGER, SIGNED, long long),
    ONE(MPI_UNSIGNED_LONG_LONG, C_INTEGER, UNSIGNED, unsigned long long),
    ONE(MPI_INT8_T, C_INTEGER, SIGNED, int8_t),
    ONE(MPI_INT16_T, C_INTEGER, SIGNED, int16_t),
    ONE(MPI_INT32_T, C_INTEGER, SIGNED, int32_t),
    ONE(MPI_INT64_T, C_INTEGER, SIGNED, int64_t),
    ONE(MPI_UINT8_T, C_INTEGER, UNSIGNED, uint8_t),
    ONE(MPI_UINT16_T, C_INTEGER, UNSIGNED, uint16_t),
    ONE(MPI_UINT32_T, C_INTEGER, UNSIGNED, uint32_t),
    ONE(MPI_UINT64_T, C_INTEGER, UNSIGNED, uint64_t),
    ONE(MPI_INTEGER, FORTRAN_INTEGER, SIGNED, int),
    ONE(MPI_INTEGER1, FORTRAN_INTEGER, SIGNED, int8_t),
    ONE(MPI_INTEGER2, FORTRAN_INTEGER, SIGNED, int16_t),
    ONE(MPI_INTEGER4, FORTRAN_INTEGER, SIGNED, int32_t),
    ONE(MPI_INTEGER8, FORTRAN_INTEGER, SIGNED, int64_t),
    ONE(MPI_AINT, MULTI_LANGUAGE, SIGNED, MPI_Aint),
    ONE(MPI_OFFSET, MULTI_LANGUAGE, SIGNED, MPI_Offset),
    ONE(MPI_COUNT, MULTI_LANGUAGE, SIGNED, MPI_Count),
#ifdef MPIX_C_FLOAT16
    ONE(MPIX_C_FLOAT16, FLOATING, REAL, uint16_t),
#endif
    ONE(MPI_FLOAT, FLOATING, REAL, float),
    ONE(MPI_DOUBLE, FLOATING, REAL, double),
    ONE(MPI_LONG_DOUBLE, FLOATING, REAL, long double),
    ONE(MPI_REAL, FLOATING, REAL, float),
    ONE(MPI_REAL4, FLOATING, REAL, float),
    ONE(MPI_REAL8, FLOATING, REAL, double),
    ONE(MPI_DOUBLE_PRECISION, FLOATING, REAL, double),
#ifdef __SIZEOF_FLOAT128__
    ONE(MPI_REAL16, FLOATING, QUAD, __float128),
    TWO(MPI_COMPLEX32, COMPLEX, QUAD, __float128),
#endif
    ONE(MPI_C_BOOL, LOGICAL, UNSIGNED, bool),
    ONE(MPI_CXX_BOOL, LOGICAL, UNSIGNED, bool),
    ONE(MPI_LOGICAL, LOGICAL, SIGNED, int),
#ifdef MPI_LOGICAL1
    ONE(MPI_LOGICAL1, LOGICAL, SIGNED, int8_t),
    ONE(MPI_LOGICAL2, LOGICAL, SIGNED, int16_t),
    ONE(MPI_LOGICAL4, LOGICAL, SIGNED, int32_t),
    ONE(MPI_LOGICAL8, LOGICAL, SIGNED, int64_t),
#endif
    TWO(MPI_C_COMPLEX, COMPLEX, REAL, float),
    TWO(MPI_C_FLOAT_COMPLEX, COMPLEX, REAL, float),
    TWO(MPI_C_DOUBLE_COMPLEX, COMPLEX, REAL, double),
    TWO(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, REAL, long double),
    TWO(MPI_CXX_FLOAT_COMPLEX, COMPLEX, REAL, float),
    TWO(MPI_CXX_DOUBLE_COMPLEX, COMPLEX, REAL, double),
    TWO(MPI_CXX_LONG_DOUBLE_COMPLEX, COMPLEX, REAL, long double),
    TWO(MPI_COMPLEX, COMPLEX, REAL, float),
    TWO(MPI_COMPLEX8, COMPLEX, REAL, float),
    TWO(MPI_COMPLEX16, COMPLEX, REAL, double),
    TWO(MPI_DOUBLE_COMPLEX, COMPLEX, REAL, double),
    ONE(MPI_BYTE, BYTES, UNSIGNED, unsigned char),
    WITH_INDEX(MPI_FLOAT_INT, REAL, of_float),
    WITH_INDEX(MPI_DOUBLE_INT, REAL, of_double),
    WITH_INDEX(MPI_LONG_INT, SIGNED, of_long),
    WITH_INDEX(MPI_2INT, SIGNED, of_int),
    WITH_INDEX(MPI_SHORT_INT, SIGNED, of_short),
    WITH_INDEX(MPI_LONG_DOUBLE_INT, REAL, of_long_double),
    TWO(MPI_2REAL, INDEXED, REAL, float),
    TWO(MPI_2DOUBLE_PRECISION, INDEXED, REAL, double),
    TWO(MPI_2INTEGER, INDEXED, SIGNED, int),
};

/* Types of MPI_Type_create_f90_real, _complex and _integer: of so many digits and such a range, in
 * memory like one of the others. An MPI library may lack some. */
static const struct sized {
    const char *name, *like;
    int (*make)(int digits, int range, MPI_Datatype *type);
    int digits, range;
} sized[] = {
    {"real(6, 30)", "MPI_FLOAT", MPI_Type_create_f90_real, 6, 30},
    {"real(15, any)", "MPI_DOUBLE", MPI_Type_create_f90_real, 15, MPI_UNDEFINED},
    {"real(18, 4000)", "MPI_LONG_DOUBLE", MPI_Type_create_f90_real, 18, 4000},
    {"complex(6, 30)", "MPI_COMPLEX", MPI_Type_create_f90_complex, 6, 30},
    {"complex(any, 300)", "MPI_DOUBLE_COMPLEX", MPI_Type_create_f90_complex, MPI_UNDEFINED, 300},
    {"complex(18, 4000)", "MPI_C_LONG_DOUBLE_COMPLEX", MPI_Type_create_f90_complex, 18, 4000},
    {"integer(2)", "MPI_INTEGER1", NULL, 2, 0},
    {"integer(4)", "MPI_INTEGER2", NULL, 4, 0},
    {"integer(9)", "MPI_INTEGER4", NULL, 9, 0},
    {"integer(18)", "MPI_INTEGER8", NULL, 18, 0},
};

#endif
