/* The variants of the run-length code: one set of functions per instruction set, all from
 * rle_variant.c. See rle.h for what they do. */
#ifndef ALLFOLD_KERNELS_RLE_VARIANTS_H
#define ALLFOLD_KERNELS_RLE_VARIANTS_H

#include "kernels/rle.h"

struct allfold_rle_set {
    size_t (*encode)(enum allfold_rle_runs runs, void *to, const void *vector, size_t count);
    bool (*decode)(void *to, size_t count, struct allfold_rle_block block);
    bool (*reduce)(enum allfold_operation operation, allfold_kernel *kernel,
                   enum allfold_rle_runs runs, void *to, size_t *length,
                   struct allfold_rle_block left, struct allfold_rle_block right, size_t count);
};

/* By type; all NULL where the type is not served. */
extern const struct allfold_rle_set allfold_rle_plain[ALLFOLD_TYPE_COUNT];
extern const struct allfold_rle_set allfold_rle_avx2[ALLFOLD_TYPE_COUNT];
extern const struct allfold_rle_set allfold_rle_avx512[ALLFOLD_TYPE_COUNT];

/* Those of the variant in use. */
const struct allfold_rle_set *allfold_rle_set(enum allfold_type type);

#endif
