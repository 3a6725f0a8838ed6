/* Kernels: the arithmetic of reductions on contiguous arrays of the basic MPI types, without MPI.
 *
 * A kernel has three operands and an order: dst[i] = left[i] o right[i], where `left` covers the
 * lower ranks. Thread-safe; kernels too, if no thread writes what another thread reads or writes.
 */
#ifndef ALLFOLD_KERNELS_KERNELS_H
#define ALLFOLD_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

/* The types of elements. */
enum allfold_type {
    ALLFOLD_INT8,
    ALLFOLD_UINT8,
    ALLFOLD_INT16,
    ALLFOLD_UINT16,
    ALLFOLD_INT32,
    ALLFOLD_UINT32,
    ALLFOLD_INT64,
    ALLFOLD_UINT64,
    ALLFOLD_BOOL, /* C's _Bool; any byte except 0 is read as true; 0 or 1 is written */
    ALLFOLD_BYTE,
    ALLFOLD_FLOAT16, /* IEEE 754 binary16 */
    ALLFOLD_FLOAT,
    ALLFOLD_DOUBLE,
    ALLFOLD_LONG_DOUBLE,
    ALLFOLD_COMPLEX_FLOAT,
    ALLFOLD_COMPLEX_DOUBLE,
    ALLFOLD_COMPLEX_LONG_DOUBLE,
    ALLFOLD_FLOAT128, /* IEEE 754 binary128, Fortran's REAL*16; without kernels if the compiler has
                         no such type */
    ALLFOLD_COMPLEX_FLOAT128,
    /* Pairs: C structs of a value and an index, with the compiler's padding. */
    ALLFOLD_FLOAT_INT,
    ALLFOLD_DOUBLE_INT,
    ALLFOLD_LONG_INT,
    ALLFOLD_INT_INT, /* also Fortran's 2INTEGER */
    ALLFOLD_SHORT_INT,
    ALLFOLD_LONG_DOUBLE_INT,
    ALLFOLD_FLOAT_FLOAT,   /* Fortran's 2REAL */
    ALLFOLD_DOUBLE_DOUBLE, /* Fortran's 2DOUBLE PRECISION */
    ALLFOLD_TYPE_COUNT
};

/* The operations of MPI. */
enum allfold_operation {
    ALLFOLD_SUM,
    ALLFOLD_PROD,
    ALLFOLD_MAX,
    ALLFOLD_MIN,
    ALLFOLD_LAND,
    ALLFOLD_LOR,
    ALLFOLD_LXOR,
    ALLFOLD_BAND,
    ALLFOLD_BOR,
    ALLFOLD_BXOR,
    ALLFOLD_MAXLOC,
    ALLFOLD_MINLOC,
    ALLFOLD_OPERATION_COUNT
};

/* A kernel: dst[i] = left[i] o right[i] for `count` elements (not bytes). Each operand is an array
 * of the kernel's type at any address, aligned or not. `dst` is equal to `left`, to `right` or to
 * both, or does not overlap them. If `count` is 0 no memory is accessed, and the pointers may be
 * NULL. Cannot fail.
 *
 * - sum, prod: integers wrap around. Floating point rounds once per operation, and is never
 *   contracted; float16 is computed as float and then rounded, which gives the nearest float16. If
 *   both operands are NaN, the result is either of them. The complex product is C's (Annex G: it
 *   recovers infinities if the plain formula, (ar*br - ai*bi) + (ar*bi + ai*br)i, gives NaN in both
 *   parts; otherwise it is the plain formula).
 * - max: left > right ? left : right; min: left < right ? left : right. So the result is `right` if
 *   either operand is NaN, or both are zeros. (A signaling float16 NaN becomes quiet.)
 * - land, lor, lxor: write 0 or 1; every value except 0 is true.
 * - maxloc, minloc: the result is one operand's value and index together: `left` if its value is
 *   strictly better, or equal with the smaller index; otherwise `right`. So it is `right` if either
 *   value is NaN. Padding of dst does not change. */
typedef void allfold_kernel(void *dst, const void *left, const void *right, size_t count);

/* Returns the kernel of an operation on a type. NULL if MPI (3.1, sections 5.9.2 and 5.9.4) does
 * not allow the combination, or one of them is out of range. */
allfold_kernel *allfold_kernel_find(enum allfold_type type, enum allfold_operation operation);

/* Returns the distance from one element to the next in bytes, padding included: MPI's extent, which
 * for pairs differs from its size. 0 if the type is out of range. */
size_t allfold_type_bytes(enum allfold_type type);

/* Returns the constant's name in lower case without prefix ("int32", "long_double_int"). Static;
 * NULL if out of range. */
const char *allfold_type_name(enum allfold_type type);

/* Returns the constant's name in lower case without prefix ("sum"). Static; NULL if out of range.
 */
const char *allfold_operation_name(enum allfold_operation operation);

/* Returns the type with that name; ALLFOLD_TYPE_COUNT if there is none. */
enum allfold_type allfold_type_find(const char *name);

/* Returns the operation with that name; ALLFOLD_OPERATION_COUNT if there is none. */
enum allfold_operation allfold_operation_find(const char *name);

/* Returns whether all orders of summation and of operands give bitwise identical results (of the
 * members, for pairs). False for all floating-point types, even for max and min (NaN and the two
 * zeros), and if there is no kernel. */
bool allfold_reduction_is_exact(enum allfold_type type, enum allfold_operation operation);

/* Kernels have variants, one per instruction set. The variant "plain" is what the compiler
 * generates for its baseline processor (on AArch64 that includes NEON). On x86-64 there are also
 * "avx2" and "avx512". All variants give bitwise identical results. The best variant that the
 * processor supports is chosen at the first use. */

/* Switches to the variant `name`, or to the best one if it is NULL: allfold_kernel_find then
 * returns its kernels. False, without any change, if this build or this processor does not support
 * it. */
bool allfold_simd_use(const char *name);

/* Returns the minimum length in bytes of results that are written with non-temporal stores, because
 * they do not fit into the caches. */
size_t allfold_kernel_stream_bytes(void);

/* Returns the name of the variant in use. */
const char *allfold_simd_used(void);

/* Returns the name of variant i of this build, in ascending order of instruction sets; NULL if i is
 * too large. */
const char *allfold_simd_name(int i);

/* Returns whether this build and this processor support the variant. */
bool allfold_simd_is_supported(const char *name);

/* A fused reduction: reduces `count` elements of operands[0], operands[1], ... into dst, from the
 * left to the right. The result is bitwise identical to one kernel after the other, but each
 * operand is read once and dst is written once. `dst` is equal to one or more operands, or does not
 * overlap them. */
typedef void allfold_fold(void *dst, const void *const *operands, size_t count);

/* The maximum number of operands of a fused reduction. */
enum { ALLFOLD_FOLD_OPERANDS = 8 };

/* Returns the fused reductions of an operation on a type by the number of operands, 3 to
 * ALLFOLD_FOLD_OPERANDS; static. NULL if there are none: they exist for sums of numbers of 4 and 8
 * bytes. */
allfold_fold *const *allfold_folds_find(enum allfold_type type, enum allfold_operation operation);

#endif
