/* Selects the variant of the fused reductions: the same instruction set as that of the kernels. */
#include "rle_fused/rle_fused.h"

#include <assert.h>
#include <string.h>

static const struct {
    const char *name;
    allfold_rle_fuse *const *by_type;
} variants[] = {
    {"plain", allfold_rle_fused_plain},
#if defined ALLFOLD_HAS_avx2
    {"avx2", allfold_rle_fused_avx2},
#endif
#if defined ALLFOLD_HAS_avx512
    {"avx512", allfold_rle_fused_avx512},
#endif
};

bool allfold_rle_fused(enum allfold_type type, enum allfold_operation operation,
                       enum allfold_rle_runs runs, void *to, size_t *length,
                       struct allfold_rle_block left, struct allfold_rle_block right, size_t count)
{
    allfold_kernel *kernel = allfold_kernel_find(type, operation);
    size_t i = 0;
    assert(runs != ALLFOLD_RLE_NONE);
    if (kernel == NULL || !allfold_rle_serves(type))
        return false;
    while (strcmp(variants[i].name, allfold_simd_used()) != 0)
        i++;
    return variants[i].by_type[type](operation, kernel, runs, to, length, left, right, count);
}
