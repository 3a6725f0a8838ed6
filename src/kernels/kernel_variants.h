/* The variants: one set of kernels, of run-length functions and of those for exact sums per
 * instruction set, from variant.c, rle_variant.c and exact_variant.c. kernels.h, rle.h and
 * exact_format.h say what the functions do. */
#ifndef ALLFOLD_KERNELS_KERNEL_VARIANTS_H
#define ALLFOLD_KERNELS_KERNEL_VARIANTS_H

#include <stdatomic.h>

#include "kernels/exact_format.h"
#include "kernels/kernels.h"
#include "kernels/rle.h"

/* The kernels of one type. */
struct allfold_kernel_set {
    size_t bytes;                   /* from one element to the next */
    allfold_kernel *const *kernels; /* by operation */
    allfold_fold *const *sums;      /* by the number of operands; NULL: there are none */
};

/* Results of so many bytes do not stay in any cache. */
extern atomic_size_t allfold_stream_bytes;

/* By type. Only `plain` is in every build; the others may be called where the processor has what
 * they need. */
extern const struct allfold_kernel_set allfold_kernels_plain[ALLFOLD_TYPE_COUNT];
extern const struct allfold_kernel_set allfold_kernels_avx2[ALLFOLD_TYPE_COUNT];
extern const struct allfold_kernel_set allfold_kernels_avx512[ALLFOLD_TYPE_COUNT];

/* What is in use. */
const struct allfold_kernel_set *allfold_kernel_set(enum allfold_type type);

/* The run-length functions of one type. */
struct allfold_rle_set {
    size_t (*encode)(enum allfold_rle_runs runs, void *to, const void *vector, size_t count);
    bool (*decode)(void *to, size_t count, struct allfold_rle_block block);
    bool (*reduce)(allfold_kernel *kernel, void *to, struct allfold_rle_block left,
                   struct allfold_rle_block right, size_t count);
};

/* By type; all NULL where the type is not served. */
extern const struct allfold_rle_set allfold_rle_plain[ALLFOLD_TYPE_COUNT];
extern const struct allfold_rle_set allfold_rle_avx2[ALLFOLD_TYPE_COUNT];
extern const struct allfold_rle_set allfold_rle_avx512[ALLFOLD_TYPE_COUNT];

const struct allfold_rle_set *allfold_rle_set(enum allfold_type type);

/* The functions for exact sums of one type. */
struct allfold_exact_set {
    struct allfold_exact_need (*look)(const void *numbers, size_t n);
    void (*encode_plane)(const struct allfold_exact_format *format, int k, int64_t *plane,
                         const void *numbers, size_t n);
    void (*decode)(const struct allfold_exact_format *format, void *numbers, int64_t *planes,
                   size_t n);
};

/* By type; all NULL where the type is not served. */
extern const struct allfold_exact_set allfold_exact_plain[ALLFOLD_TYPE_COUNT];
extern const struct allfold_exact_set allfold_exact_avx2[ALLFOLD_TYPE_COUNT];
extern const struct allfold_exact_set allfold_exact_avx512[ALLFOLD_TYPE_COUNT];

#endif
