/* The kernels of all types for one instruction set: loops.inc once per type, in plain C that the
 * compiler vectorizes. Pairs and float16 have files of their own. The build compiles this file once
 * per variant (ALLFOLD_VARIANT: plain, avx2, avx512), each with its instruction set's options;
 * choice.c chooses a variant at run time.
 *
 * Invariant: a type's kernels are those of the groups it is instantiated with below. These are the
 * classes of types and operations of MPI 3.1, sections 5.9.2 and 5.9.4. All variants give bitwise
 * identical results. So the build must not use options that loosen floating point (-ffast-math,
 * -fcx-limited-range), and must use -ffp-contract=off, because the compiler could fuse operations
 * if its options allow AVX2. */
#include "kernels/kernel_variants.h"

#include <complex.h>
#include <float.h>
#include <stdint.h>

/* The groups of loops.inc. */
#define ARITHMETIC 1 /* sum, prod */
#define ORDER 2      /* max, min */
#define LOGIC 4      /* land, lor, lxor */
#define BITS 8       /* band, bor, bxor */
#define COMPLEX 16   /* sum, prod of (real, imaginary) */
#define SUMS 32      /* sums of up to ALLFOLD_FOLD_OPERANDS operands */

/* KERNEL(sum) is int8_sum if TYPE is int8. */
#define PASTE(type, name) type##_##name
#define EXPAND_AND_PASTE(type, name) PASTE(type, name)
#define KERNEL(name) EXPAND_AND_PASTE(TYPE, name)

/* Callers' memory: elements may lie at any address, and programs store them as types of their own.
 * For a struct, GCC takes the first from a typedef only, the second from the definition only. */
#define AT_ANY_ADDRESS __attribute__((aligned(1)))
#define OF_ANY_TYPE __attribute__((may_alias))

/* Out of the way of short calls. */
#define NOT_INLINED __attribute__((noinline))

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
typedef uint16_t half AT_ANY_ADDRESS OF_ANY_TYPE;
typedef float real_float AT_ANY_ADDRESS OF_ANY_TYPE;
typedef double real_double AT_ANY_ADDRESS OF_ANY_TYPE;
typedef long double real_long_double AT_ANY_ADDRESS OF_ANY_TYPE;
typedef float complex complex_float AT_ANY_ADDRESS OF_ANY_TYPE;
typedef double complex complex_double AT_ANY_ADDRESS OF_ANY_TYPE;
typedef long double complex complex_long_double AT_ANY_ADDRESS OF_ANY_TYPE;

/* binary128: if long double has another format, a type of the compiler's own, if it has one. */
#if LDBL_MANT_DIG == 113
#define QUAD long double
typedef long double complex complex_quad AT_ANY_ADDRESS OF_ANY_TYPE;
#elif defined __SIZEOF_FLOAT128__ && defined __x86_64__
#define QUAD __float128
typedef __complex__ float complex_quad __attribute__((mode(TC))) AT_ANY_ADDRESS OF_ANY_TYPE;
#endif
#ifdef QUAD
typedef QUAD real_quad AT_ANY_ADDRESS OF_ANY_TYPE;
#endif

#include "kernels/stream.inc"

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
#define GROUPS ARITHMETIC | ORDER | LOGIC | BITS | SUMS
#include "kernels/loops.inc"

#define TYPE uint32
#define WIDE uint32_t
#define GROUPS ARITHMETIC | ORDER | LOGIC | BITS | SUMS
#include "kernels/loops.inc"

#define TYPE int64
#define WIDE uint64_t
#define GROUPS ARITHMETIC | ORDER | LOGIC | BITS | SUMS
#include "kernels/loops.inc"

#define TYPE uint64
#define WIDE uint64_t
#define GROUPS ARITHMETIC | ORDER | LOGIC | BITS | SUMS
#include "kernels/loops.inc"

#define TYPE boolean
#define GROUPS LOGIC
#include "kernels/loops.inc"

#define TYPE byte
#define GROUPS BITS
#include "kernels/loops.inc"

#define TYPE real_float
#define WIDE float
#define GROUPS ARITHMETIC | ORDER | SUMS
#include "kernels/loops.inc"

#include "kernels/half.inc"

#define TYPE real_double
#define WIDE double
#define GROUPS ARITHMETIC | ORDER | SUMS
#include "kernels/loops.inc"

#define TYPE real_long_double
#define WIDE long double
#define GROUPS ARITHMETIC | ORDER
#include "kernels/loops.inc"

#define TYPE complex_float
#define PART real_float
#define TRUTH uint32_t
#define GROUPS COMPLEX
#include "kernels/loops.inc"

#define TYPE complex_double
#define PART real_double
#define TRUTH uint64_t
#define GROUPS COMPLEX
#include "kernels/loops.inc"

#define TYPE complex_long_double
#define PART real_long_double
#define TRUTH uint64_t
#define GROUPS COMPLEX
#include "kernels/loops.inc"

#ifdef QUAD
#define TYPE real_quad
#define WIDE QUAD
#define GROUPS ARITHMETIC | ORDER
#include "kernels/loops.inc"

#define TYPE complex_quad
#define PART real_quad
#define TRUTH uint64_t
#define GROUPS COMPLEX
#include "kernels/loops.inc"
#else
static allfold_kernel *const real_quad_kernels[ALLFOLD_OPERATION_COUNT];
static allfold_kernel *const complex_quad_kernels[ALLFOLD_OPERATION_COUNT];
#endif

#include "kernels/pairs.inc"

_Static_assert(sizeof(bool) == sizeof(boolean), "the loops read a _Bool as one byte");

/* Two steps, so that ALLFOLD_VARIANT is replaced by its value first. */
#define SET_OF(variant) allfold_kernels_##variant
#define EXPAND_AND_SET_OF(variant) SET_OF(variant)

const struct allfold_kernel_set EXPAND_AND_SET_OF(ALLFOLD_VARIANT)[ALLFOLD_TYPE_COUNT] = {
    [ALLFOLD_INT8] = {sizeof(int8), int8_kernels, NULL},
    [ALLFOLD_UINT8] = {sizeof(uint8), uint8_kernels, NULL},
    [ALLFOLD_INT16] = {sizeof(int16), int16_kernels, NULL},
    [ALLFOLD_UINT16] = {sizeof(uint16), uint16_kernels, NULL},
    [ALLFOLD_INT32] = {sizeof(int32), int32_kernels, int32_sums},
    [ALLFOLD_UINT32] = {sizeof(uint32), uint32_kernels, uint32_sums},
    [ALLFOLD_INT64] = {sizeof(int64), int64_kernels, int64_sums},
    [ALLFOLD_UINT64] = {sizeof(uint64), uint64_kernels, uint64_sums},
    [ALLFOLD_BOOL] = {sizeof(bool), boolean_kernels, NULL},
    [ALLFOLD_BYTE] = {sizeof(byte), byte_kernels, NULL},
    [ALLFOLD_FLOAT16] = {sizeof(half), half_kernels, NULL},
    [ALLFOLD_FLOAT] = {sizeof(real_float), real_float_kernels, real_float_sums},
    [ALLFOLD_DOUBLE] = {sizeof(real_double), real_double_kernels, real_double_sums},
    [ALLFOLD_LONG_DOUBLE] = {sizeof(real_long_double), real_long_double_kernels, NULL},
    [ALLFOLD_COMPLEX_FLOAT] = {sizeof(complex_float), complex_float_kernels, NULL},
    [ALLFOLD_COMPLEX_DOUBLE] = {sizeof(complex_double), complex_double_kernels, NULL},
    [ALLFOLD_COMPLEX_LONG_DOUBLE] = {sizeof(complex_long_double), complex_long_double_kernels,
                                     NULL},
    [ALLFOLD_FLOAT128] = {16, real_quad_kernels, NULL},
    [ALLFOLD_COMPLEX_FLOAT128] = {32, complex_quad_kernels, NULL},
    [ALLFOLD_FLOAT_INT] = {sizeof(float_int), float_int_kernels, NULL},
    [ALLFOLD_DOUBLE_INT] = {sizeof(double_int), double_int_kernels, NULL},
    [ALLFOLD_LONG_INT] = {sizeof(long_int), long_int_kernels, NULL},
    [ALLFOLD_INT_INT] = {sizeof(int_int), int_int_kernels, NULL},
    [ALLFOLD_SHORT_INT] = {sizeof(short_int), short_int_kernels, NULL},
    [ALLFOLD_LONG_DOUBLE_INT] = {sizeof(long_double_int), long_double_int_kernels, NULL},
    [ALLFOLD_FLOAT_FLOAT] = {sizeof(float_float), float_float_kernels, NULL},
    [ALLFOLD_DOUBLE_DOUBLE] = {sizeof(double_double), double_double_kernels, NULL},
};
