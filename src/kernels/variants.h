/* The variants of the kernels: one set of kernels per instruction set, all from variant.c. */
#ifndef ALLFOLD_KERNELS_VARIANTS_H
#define ALLFOLD_KERNELS_VARIANTS_H

#include <stdatomic.h>

#include "kernels/kernels.h"

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

#endif
