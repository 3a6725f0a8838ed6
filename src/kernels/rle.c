/* The run-length code for callers (see rle.h): the variant in use does the work. */
#include "kernels/rle.h"

#include "kernels/rle_variants.h"

bool allfold_rle_serves(enum allfold_type type)
{
    return type == ALLFOLD_FLOAT || type == ALLFOLD_DOUBLE;
}

size_t allfold_rle_encode(enum allfold_type type, enum allfold_rle_runs runs, void *to,
                          const void *vector, size_t count)
{
    return allfold_rle_set(type)->encode(runs, to, vector, count);
}

bool allfold_rle_decode(enum allfold_type type, void *to, size_t count,
                        struct allfold_rle_block block)
{
    return allfold_rle_serves(type) && allfold_rle_set(type)->decode(to, count, block);
}

bool allfold_rle_reduce(enum allfold_type type, enum allfold_operation operation,
                        enum allfold_rle_runs runs, void *to, size_t *length,
                        struct allfold_rle_block left, struct allfold_rle_block right, size_t count)
{
    allfold_kernel *kernel = allfold_kernel_find(type, operation);
    return kernel != NULL && allfold_rle_serves(type) &&
           allfold_rle_set(type)->reduce(operation, kernel, runs, to, length, left, right, count);
}
