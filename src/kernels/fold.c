/* Folding of k operands (see kernels.h): all at once where there is a loop for so many, else block
 * by block through the nearest cache.
 *
 * Invariant: intermediate results of a block lie in a block of our own and only the last step
 * writes to dst, so dst may be any of the operands. */
#include "kernels/kernels.h"

#include <string.h>

#include "kernels/variants.h"

/* Small beside the nearest cache, so that the operands advance almost together, which processors
 * foresee; large beside the cost of a call. */
enum { BLOCK_BYTES = 2048 };

struct fold {
    allfold_kernel *kernel;
    allfold_sum *const *sums;
    size_t most; /* operands of a step */
    size_t bytes;
};

/* Operands from, from + 1, ..., of which the first is what came out so far. */
static void step(const struct fold *fold, void *to, const void *const *operands, size_t k,
                 size_t count)
{
    if (k == 2)
        fold->kernel(to, operands[0], operands[1], count);
    else
        fold->sums[k](to, operands, count);
}

static void fold_block(const struct fold *fold, void *dst, const void *const *operands, size_t k,
                       size_t at_bytes, size_t count)
{
    _Alignas(64) unsigned char block[BLOCK_BYTES];
    const void *now[ALLFOLD_SUM_OPERANDS] = {(const char *)operands[0] + at_bytes};
    for (size_t i = 1; i < k; now[0] = block) {
        size_t n = 1;
        while (n < fold->most && i < k)
            now[n++] = (const char *)operands[i++] + at_bytes;
        step(fold, i == k ? (char *)dst + at_bytes : (void *)block, now, n, count);
    }
}

bool allfold_kernel_fold(enum allfold_type type, enum allfold_operation operation, void *dst,
                         const void *const *operands, size_t k, size_t count)
{
    allfold_kernel *kernel = allfold_kernel_find(type, operation);
    if (kernel == NULL || count == 0)
        return kernel != NULL;
    const struct allfold_kernel_set *set = allfold_kernel_set(type);
    const bool has_sums = operation == ALLFOLD_SUM && set->sums != NULL;
    const struct fold fold = {kernel, set->sums, has_sums ? ALLFOLD_SUM_OPERANDS : 2, set->bytes};
    if (k == 1 && dst != operands[0])
        memcpy(dst, operands[0], count * fold.bytes);
    const size_t most = k <= fold.most ? count : BLOCK_BYTES / fold.bytes;
    for (size_t i = 0; k > 1 && i < count; i += most)
        fold_block(&fold, dst, operands, k, i * fold.bytes, count - i < most ? count - i : most);
    return true;
}
