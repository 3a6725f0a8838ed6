/* Kernels: the arithmetic of reductions on contiguous arrays of the basic MPI types, without MPI.
 *
 * A kernel has three operands and an order: dst[i] = left[i] o right[i], where `left` covers the
 * lower ranks. All functions here are pure, take no locks and may be called from any number of
 * threads at once. Kernels too, as long as no thread writes what another one reads or writes. */
#ifndef ALLFOLD_KERNELS_KERNELS_H
#define ALLFOLD_KERNELS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

enum allfold_type {
    ALLFOLD_INT8,
    ALLFOLD_UINT8,
    ALLFOLD_INT16,
    ALLFOLD_UINT16,
    ALLFOLD_INT32,
    ALLFOLD_UINT32,
    ALLFOLD_INT64,
    ALLFOLD_UINT64,
    ALLFOLD_BOOL, /* C's _Bool; any byte but 0 is read as true, 0 or 1 is written */
    ALLFOLD_BYTE,
    ALLFOLD_FLOAT16, /* IEEE 754 binary16 */
    ALLFOLD_FLOAT,
    ALLFOLD_DOUBLE,
    ALLFOLD_LONG_DOUBLE,
    ALLFOLD_COMPLEX_FLOAT,
    ALLFOLD_COMPLEX_DOUBLE,
    ALLFOLD_COMPLEX_LONG_DOUBLE,
    ALLFOLD_FLOAT128, /* IEEE 754 binary128, Fortran's REAL*16; without kernels where the compiler
                         has no such type */
    ALLFOLD_COMPLEX_FLOAT128,
    /* Pairs: C structs of a value and an index, with the compiler's padding. */
    ALLFOLD_FLOAT_INT,
    ALLFOLD_DOUBLE_INT,
    ALLFOLD_LONG_INT,
    ALLFOLD_INT_INT, /* Fortran's 2INTEGER too */
    ALLFOLD_SHORT_INT,
    ALLFOLD_LONG_DOUBLE_INT,
    ALLFOLD_FLOAT_FLOAT,   /* Fortran's 2REAL */
    ALLFOLD_DOUBLE_DOUBLE, /* Fortran's 2DOUBLE PRECISION */
    ALLFOLD_TYPE_COUNT
};

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

/* dst[i] = left[i] o right[i] for `count` elements (not bytes). Each operand is an array of the
 * kernel's type at any address, aligned or not. `dst` is exactly `left`, exactly `right`, both, or
 * apart from both. It never overlaps them in part. With count 0 nothing is touched and the pointers
 * may be NULL. Cannot fail.
 *
 * - sum, prod: integers wrap around. Floating point rounds once an operation, never contracted;
 *   float16 is computed as float and then rounded, which gives the nearest float16. Of two NaN
 *   either may come out. The complex product is C's (Annex G: it recovers infinities where the
 *   plain formula, (ar*br - ai*bi) + (ar*bi + ai*br)i, gives NaN in both parts; it is the plain
 *   formula elsewhere).
 * - max: left > right ? left : right; min: left < right ? left : right. So `right` is taken where
 *   either is NaN, and of two zeros. (A signalling float16 NaN comes out as a quiet one.)
 * - land, lor, lxor: write 0 or 1; whatever is not 0 is true.
 * - maxloc, minloc: one operand's value and index together. `left` where its value is strictly
 *   better, or equal with the smaller index; else `right`. So `right` where either value is NaN.
 *   Padding of dst stays as it is. */
typedef void allfold_kernel(void *dst, const void *left, const void *right, size_t count);

/* The kernel of an operation on a type. NULL where MPI (3.1, sections 5.9.2 and 5.9.4) does not
 * allow them together, or where one is out of range. */
allfold_kernel *allfold_kernel_find(enum allfold_type type, enum allfold_operation operation);

/* From one element to the next, in bytes, padding included: for pairs that is what MPI calls the
 * extent, not the size. 0 if out of range. */
size_t allfold_type_bytes(enum allfold_type type);

/* The constant's name in lower case without prefix ("int32", "long_double_int"; "sum"), static;
 * NULL if out of range. */
const char *allfold_type_name(enum allfold_type type);
const char *allfold_operation_name(enum allfold_operation operation);

/* The type or operation of such a name; the COUNT of them where there is none. */
enum allfold_type allfold_type_find(const char *name);
enum allfold_operation allfold_operation_find(const char *name);

/* Whether all brackets and all orders of operands give bitwise identical results (of members, for
 * pairs). False for all floating point, even max and min (NaN and the two zeros), and where there
 * is no kernel.
 */
bool allfold_reduction_is_exact(enum allfold_type type, enum allfold_operation operation);

/* Kernels come in variants, one per instruction set. The variant "plain" is what the compiler makes
 * for any processor that it compiles for (on AArch64 that has NEON). On x86-64 there are also
 * "avx2" and "avx512". All give bitwise identical results. The best that the processor has is found
 * at the first use. */

/* Uses another variant from now on, or the best with NULL: allfold_kernel_find returns its kernels.
 * False, and nothing changed, where this build or this processor does not have it. */
bool allfold_simd_use(const char *name);

/* Results of so many bytes and more are kept out of the caches, which do not hold them. */
size_t allfold_kernel_stream_bytes(void);

/* The name of the variant in use. */
const char *allfold_simd_used(void);

/* The names of the variants in this build, i = 0, 1, ..., from the plainest; NULL beyond. */
const char *allfold_simd_name(int i);

/* Whether this build and this processor have the variant. */
bool allfold_simd_is_supported(const char *name);

/* Folds `count` elements of operands[0], operands[1] and so on into dst, from the left to the
 * right. The result is bitwise identical to one kernel after the other, but each operand is read
 * once and dst is written once. The address dst is exactly one of the operands, several, or apart
 * from all. */
typedef void allfold_fold(void *dst, const void *const *operands, size_t count);

/* The most operands of a fold. */
enum { ALLFOLD_FOLD_OPERANDS = 8 };

/* The folds of an operation on a type by the number of operands, 3 to ALLFOLD_FOLD_OPERANDS;
 * static. NULL where there are none: they are for sums of numbers of 4 and 8 bytes. */
allfold_fold *const *allfold_folds_find(enum allfold_type type, enum allfold_operation operation);

#endif
