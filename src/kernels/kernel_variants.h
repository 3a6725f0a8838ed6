/* The variants of the kernels: for each instruction set, a table of kernels, of run-length
 * functions and of functions for exact sums, from variant.c, rle_variant.c and exact_variant.c. The
 * functions are specified in kernels.h, rle.h and exact_format.h. */
#ifndef ALLFOLD_KERNELS_KERNEL_VARIANTS_H
#define ALLFOLD_KERNELS_KERNEL_VARIANTS_H

#include <stdatomic.h>

#include "kernels/exact_format.h"
#include "kernels/kernels.h"
#include "kernels/rle.h"

/* The kernels of one type in a variant. */
struct allfold_kernel_set {
    size_t bytes;                   /* distance from one element to the next */
    allfold_kernel *const *kernels; /* by operation */
    allfold_fold *const *sums;      /* fused sums by number of operands; NULL: there are none */
};

/* Results of this many bytes and more do not fit into any cache. */
extern atomic_size_t allfold_stream_bytes;

/* The kernels by type. Only `plain` is in every build; the others may be called only if the
 * processor has the instructions. */
extern const struct allfold_kernel_set allfold_kernels_plain[ALLFOLD_TYPE_COUNT];
extern const struct allfold_kernel_set allfold_kernels_avx2[ALLFOLD_TYPE_COUNT];
extern const struct allfold_kernel_set allfold_kernels_avx512[ALLFOLD_TYPE_COUNT];

/* Returns the kernels of the variant in use. */
const struct allfold_kernel_set *allfold_kernel_set(enum allfold_type type);

/* The run-length functions of one type in a variant. */
struct allfold_rle_set {
    size_t (*encode)(enum allfold_rle_runs runs, void *to, const void *vector, size_t count);
    bool (*decode)(void *to, size_t count, struct allfold_rle_block block);
    bool (*reduce)(allfold_kernel *kernel, void *to, struct allfold_rle_block left,
                   struct allfold_rle_block right, size_t count);
};

/* The run-length functions by type; all NULL if the type is not supported. */
extern const struct allfold_rle_set allfold_rle_plain[ALLFOLD_TYPE_COUNT];
extern const struct allfold_rle_set allfold_rle_avx2[ALLFOLD_TYPE_COUNT];
extern const struct allfold_rle_set allfold_rle_avx512[ALLFOLD_TYPE_COUNT];

/* Returns the run-length functions of the variant in use. */
const struct allfold_rle_set *allfold_rle_set(enum allfold_type type);

/* The functions for exact sums of one type in a variant. */
struct allfold_exact_set {
    struct allfold_exact_need (*look)(const void *numbers, size_t n);
    void (*encode_plane)(const struct allfold_exact_format *format, int k, int64_t *plane,
                         const void *numbers, size_t n);
    void (*decode)(const struct allfold_exact_format *format, void *numbers, int64_t *planes,
                   size_t n);
};

/* The functions for exact sums by type; all NULL if the type is not supported. */
extern const struct allfold_exact_set allfold_exact_plain[ALLFOLD_TYPE_COUNT];
extern const struct allfold_exact_set allfold_exact_avx2[ALLFOLD_TYPE_COUNT];
extern const struct allfold_exact_set allfold_exact_avx512[ALLFOLD_TYPE_COUNT];

#endif
