/* The list of MPI's predefined datatypes: which code reduces each of them, with which operations.
 *
 *     ALLFOLD_TYPE(handle, kernels, allowed, lowered)
 *
 * `allowed` is the group of types in MPI 4.0 (section 6.9.2; for pairs 6.9.4) that the type belongs
 * to. The group's operations run in the kernels of type ALLFOLD_`kernels`, or in MPI_Reduce_local
 * if `kernels` is NO_KERNELS. `lowered` are operations that both Open MPI and MPICH allow beyond
 * the standard. They always run in MPI_Reduce_local, so results have the same bits as native ones.
 * Any other operation is passed through, and MPI reports its own error.
 *
 * predefined.c defines these names, scripts/coverage makes the table of docs/coverage.md from them,
 * and test/mpi/test_type_names.sh compares them with the declarations in mpi.h and mpif.h. */
#ifndef ALLFOLD_MPI_HANDLES_TYPE_LIST_H
#define ALLFOLD_MPI_HANDLES_TYPE_LIST_H

#include <mpi.h>

#if defined OPEN_MPI && defined __has_include
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

/* Types that an MPI library may lack. */
#ifndef MPI_INTEGER1
#define MPI_INTEGER1 MPI_DATATYPE_NULL
#endif
#ifndef MPI_INTEGER2
#define MPI_INTEGER2 MPI_DATATYPE_NULL
#endif
#ifndef MPI_INTEGER4
#define MPI_INTEGER4 MPI_DATATYPE_NULL
#endif
#ifndef MPI_INTEGER8
#define MPI_INTEGER8 MPI_DATATYPE_NULL
#endif
#ifndef MPI_INTEGER16
#define MPI_INTEGER16 MPI_DATATYPE_NULL
#endif
#ifndef MPI_LOGICAL1
#define MPI_LOGICAL1 MPI_DATATYPE_NULL
#endif
#ifndef MPI_LOGICAL2
#define MPI_LOGICAL2 MPI_DATATYPE_NULL
#endif
#ifndef MPI_LOGICAL4
#define MPI_LOGICAL4 MPI_DATATYPE_NULL
#endif
#ifndef MPI_LOGICAL8
#define MPI_LOGICAL8 MPI_DATATYPE_NULL
#endif
#ifndef MPI_LOGICAL16
#define MPI_LOGICAL16 MPI_DATATYPE_NULL
#endif
#ifndef MPI_REAL2
#define MPI_REAL2 MPI_DATATYPE_NULL
#endif
#ifndef MPI_REAL4
#define MPI_REAL4 MPI_DATATYPE_NULL
#endif
#ifndef MPI_REAL8
#define MPI_REAL8 MPI_DATATYPE_NULL
#endif
#ifndef MPI_REAL16
#define MPI_REAL16 MPI_DATATYPE_NULL
#endif
#ifndef MPI_COMPLEX4
#define MPI_COMPLEX4 MPI_DATATYPE_NULL
#endif
#ifndef MPI_COMPLEX8
#define MPI_COMPLEX8 MPI_DATATYPE_NULL
#endif
#ifndef MPI_COMPLEX16
#define MPI_COMPLEX16 MPI_DATATYPE_NULL
#endif
#ifndef MPI_COMPLEX32
#define MPI_COMPLEX32 MPI_DATATYPE_NULL
#endif
#ifndef MPI_CXX_COMPLEX
#define MPI_CXX_COMPLEX MPI_DATATYPE_NULL
#endif
#ifndef MPI_2COMPLEX
#define MPI_2COMPLEX MPI_DATATYPE_NULL
#endif
#ifndef MPI_2DOUBLE_COMPLEX
#define MPI_2DOUBLE_COMPLEX MPI_DATATYPE_NULL
#endif
#ifndef MPIX_C_FLOAT16
#define MPIX_C_FLOAT16 MPI_DATATYPE_NULL
#endif
#ifndef MPIX_BFLOAT16
#define MPIX_BFLOAT16 MPI_DATATYPE_NULL
#endif
#ifndef MPIX_SHORT_FLOAT
#define MPIX_SHORT_FLOAT MPI_DATATYPE_NULL
#endif
#ifndef MPIX_C_SHORT_FLOAT_COMPLEX
#define MPIX_C_SHORT_FLOAT_COMPLEX MPI_DATATYPE_NULL
#endif
#ifndef MPIX_CXX_SHORT_FLOAT_COMPLEX
#define MPIX_CXX_SHORT_FLOAT_COMPLEX MPI_DATATYPE_NULL
#endif

/* clang-format off: a table */
#define ALLFOLD_TYPES(ALLFOLD_TYPE)                                                                \
    /* C */                                                                                        \
    ALLFOLD_TYPE(MPI_CHAR, NO_KERNELS, NOTHING, C_INTEGER)                                         \
    ALLFOLD_TYPE(MPI_SIGNED_CHAR, INT8, C_INTEGER, NOTHING)                                        \
    ALLFOLD_TYPE(MPI_UNSIGNED_CHAR, UINT8, C_INTEGER, NOTHING)                                     \
    ALLFOLD_TYPE(MPI_WCHAR, NO_KERNELS, NOTHING, NOTHING)                                          \
    ALLFOLD_TYPE(MPI_SHORT, SHORT, C_INTEGER, NOTHING)                                             \
    ALLFOLD_TYPE(MPI_UNSIGNED_SHORT, USHORT, C_INTEGER, NOTHING)                                   \
    ALLFOLD_TYPE(MPI_INT, INT, C_INTEGER, NOTHING)                                                 \
    ALLFOLD_TYPE(MPI_UNSIGNED, UNSIGNED, C_INTEGER, NOTHING)                                       \
    ALLFOLD_TYPE(MPI_LONG, LONG, C_INTEGER, NOTHING)                                               \
    ALLFOLD_TYPE(MPI_UNSIGNED_LONG, ULONG, C_INTEGER, NOTHING)                                     \
    ALLFOLD_TYPE(MPI_LONG_LONG_INT, LONG_LONG, C_INTEGER, NOTHING)                                 \
    ALLFOLD_TYPE(MPI_LONG_LONG, LONG_LONG, C_INTEGER, NOTHING)                                     \
    ALLFOLD_TYPE(MPI_UNSIGNED_LONG_LONG, ULONG_LONG, C_INTEGER, NOTHING)                           \
    ALLFOLD_TYPE(MPI_INT8_T, INT8, C_INTEGER, NOTHING)                                             \
    ALLFOLD_TYPE(MPI_INT16_T, INT16, C_INTEGER, NOTHING)                                           \
    ALLFOLD_TYPE(MPI_INT32_T, INT32, C_INTEGER, NOTHING)                                           \
    ALLFOLD_TYPE(MPI_INT64_T, INT64, C_INTEGER, NOTHING)                                           \
    ALLFOLD_TYPE(MPI_UINT8_T, UINT8, C_INTEGER, NOTHING)                                           \
    ALLFOLD_TYPE(MPI_UINT16_T, UINT16, C_INTEGER, NOTHING)                                         \
    ALLFOLD_TYPE(MPI_UINT32_T, UINT32, C_INTEGER, NOTHING)                                         \
    ALLFOLD_TYPE(MPI_UINT64_T, UINT64, C_INTEGER, NOTHING)                                         \
    ALLFOLD_TYPE(MPI_C_BOOL, BOOL, LOGICAL, NOTHING)                                               \
    ALLFOLD_TYPE(MPI_FLOAT, FLOAT, FLOATING, NOTHING)                                              \
    ALLFOLD_TYPE(MPI_DOUBLE, DOUBLE, FLOATING, NOTHING)                                            \
    ALLFOLD_TYPE(MPI_LONG_DOUBLE, LONG_DOUBLE, FLOATING, NOTHING)                                  \
    ALLFOLD_TYPE(MPI_C_COMPLEX, COMPLEX_FLOAT, COMPLEX, NOTHING)                                   \
    ALLFOLD_TYPE(MPI_C_FLOAT_COMPLEX, COMPLEX_FLOAT, COMPLEX, NOTHING)                             \
    ALLFOLD_TYPE(MPI_C_DOUBLE_COMPLEX, COMPLEX_DOUBLE, COMPLEX, NOTHING)                           \
    ALLFOLD_TYPE(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX_LONG_DOUBLE, COMPLEX, NOTHING)                 \
    ALLFOLD_TYPE(MPIX_C_FLOAT16, FLOAT16, FLOATING, NOTHING)                                       \
    ALLFOLD_TYPE(MPIX_BFLOAT16, NO_KERNELS, FLOATING, NOTHING)                                     \
    ALLFOLD_TYPE(MPIX_SHORT_FLOAT, FLOAT16, FLOATING, NOTHING) /* the same handle */               \
    ALLFOLD_TYPE(MPIX_C_SHORT_FLOAT_COMPLEX, NO_KERNELS, COMPLEX, NOTHING)                         \
    ALLFOLD_TYPE(MPI_FLOAT_INT, FLOAT_INT, PAIR, NOTHING)                                          \
    ALLFOLD_TYPE(MPI_DOUBLE_INT, DOUBLE_INT, PAIR, NOTHING)                                        \
    ALLFOLD_TYPE(MPI_LONG_INT, LONG_INT, PAIR, NOTHING)                                            \
    ALLFOLD_TYPE(MPI_2INT, INT_INT, PAIR, NOTHING)                                                 \
    ALLFOLD_TYPE(MPI_SHORT_INT, SHORT_INT, PAIR, NOTHING)                                          \
    ALLFOLD_TYPE(MPI_LONG_DOUBLE_INT, LONG_DOUBLE_INT, PAIR, NOTHING)                              \
    /* any language */                                                                             \
    ALLFOLD_TYPE(MPI_BYTE, BYTE, BITS, NOTHING)                                                    \
    ALLFOLD_TYPE(MPI_PACKED, NO_KERNELS, NOTHING, NOTHING)                                         \
    ALLFOLD_TYPE(MPI_AINT, AINT, MULTI_LANGUAGE, TRUTH)                                            \
    ALLFOLD_TYPE(MPI_OFFSET, OFFSET, MULTI_LANGUAGE, TRUTH)                                        \
    ALLFOLD_TYPE(MPI_COUNT, COUNT, MULTI_LANGUAGE, TRUTH)                                          \
    /* C++ */                                                                                      \
    ALLFOLD_TYPE(MPI_CXX_BOOL, BOOL, LOGICAL, NOTHING)                                             \
    ALLFOLD_TYPE(MPI_CXX_COMPLEX, COMPLEX_FLOAT, COMPLEX, NOTHING)                                 \
    ALLFOLD_TYPE(MPI_CXX_FLOAT_COMPLEX, COMPLEX_FLOAT, COMPLEX, NOTHING)                           \
    ALLFOLD_TYPE(MPI_CXX_DOUBLE_COMPLEX, COMPLEX_DOUBLE, COMPLEX, NOTHING)                         \
    ALLFOLD_TYPE(MPI_CXX_LONG_DOUBLE_COMPLEX, COMPLEX_LONG_DOUBLE, COMPLEX, NOTHING)               \
    ALLFOLD_TYPE(MPIX_CXX_SHORT_FLOAT_COMPLEX, NO_KERNELS, COMPLEX, NOTHING)                       \
    /* Fortran */                                                                                  \
    ALLFOLD_TYPE(MPI_CHARACTER, NO_KERNELS, NOTHING, C_INTEGER)                                    \
    ALLFOLD_TYPE(MPI_INTEGER, FINT, FORTRAN_INTEGER, NOTHING)                                      \
    ALLFOLD_TYPE(MPI_INTEGER1, INT8, FORTRAN_INTEGER, NOTHING)                                     \
    ALLFOLD_TYPE(MPI_INTEGER2, INT16, FORTRAN_INTEGER, NOTHING)                                    \
    ALLFOLD_TYPE(MPI_INTEGER4, INT32, FORTRAN_INTEGER, NOTHING)                                    \
    ALLFOLD_TYPE(MPI_INTEGER8, INT64, FORTRAN_INTEGER, NOTHING)                                    \
    ALLFOLD_TYPE(MPI_INTEGER16, NO_KERNELS, FORTRAN_INTEGER, NOTHING)                              \
    ALLFOLD_TYPE(MPI_LOGICAL, FINT, LOGICAL, NOTHING)                                              \
    ALLFOLD_TYPE(MPI_LOGICAL1, INT8, LOGICAL, NOTHING)                                             \
    ALLFOLD_TYPE(MPI_LOGICAL2, INT16, LOGICAL, NOTHING)                                            \
    ALLFOLD_TYPE(MPI_LOGICAL4, INT32, LOGICAL, NOTHING)                                            \
    ALLFOLD_TYPE(MPI_LOGICAL8, INT64, LOGICAL, NOTHING)                                            \
    ALLFOLD_TYPE(MPI_LOGICAL16, NO_KERNELS, LOGICAL, NOTHING)                                      \
    ALLFOLD_TYPE(MPI_REAL, FLOAT, FLOATING, NOTHING)                                               \
    ALLFOLD_TYPE(MPI_DOUBLE_PRECISION, DOUBLE, FLOATING, NOTHING)                                  \
    ALLFOLD_TYPE(MPI_REAL2, FLOAT16, FLOATING, NOTHING)                                            \
    ALLFOLD_TYPE(MPI_REAL4, FLOAT, FLOATING, NOTHING)                                              \
    ALLFOLD_TYPE(MPI_REAL8, DOUBLE, FLOATING, NOTHING)                                             \
    ALLFOLD_TYPE(MPI_REAL16, FLOAT128, FLOATING, NOTHING)                                          \
    ALLFOLD_TYPE(MPI_COMPLEX, COMPLEX_FLOAT, COMPLEX, NOTHING)                                     \
    ALLFOLD_TYPE(MPI_DOUBLE_COMPLEX, COMPLEX_DOUBLE, COMPLEX, NOTHING)                             \
    ALLFOLD_TYPE(MPI_COMPLEX4, NO_KERNELS, COMPLEX, NOTHING)                                       \
    ALLFOLD_TYPE(MPI_COMPLEX8, COMPLEX_FLOAT, COMPLEX, NOTHING)                                    \
    ALLFOLD_TYPE(MPI_COMPLEX16, COMPLEX_DOUBLE, COMPLEX, NOTHING)                                  \
    ALLFOLD_TYPE(MPI_COMPLEX32, COMPLEX_FLOAT128, COMPLEX, NOTHING)                                \
    ALLFOLD_TYPE(MPI_2REAL, FLOAT_FLOAT, PAIR, NOTHING)                                            \
    ALLFOLD_TYPE(MPI_2DOUBLE_PRECISION, DOUBLE_DOUBLE, PAIR, NOTHING)                              \
    ALLFOLD_TYPE(MPI_2INTEGER, INT_INT, PAIR, NOTHING)                                             \
    ALLFOLD_TYPE(MPI_2COMPLEX, NO_KERNELS, NOTHING, NOTHING)                                       \
    ALLFOLD_TYPE(MPI_2DOUBLE_COMPLEX, NO_KERNELS, NOTHING, NOTHING)
/* clang-format on */

#endif
