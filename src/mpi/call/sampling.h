/* Which calls are sampled (ALLFOLD_REPORT=compare): native is timed beside them.
 *
 * A sample is collective, so all ranks must sample the same calls. Each rank counts calls by the
 * properties that MPI makes the same on all ranks: whether buffers are in place may differ, and so
 * may the entries that the ranks' caches have evicted. The counts are therefore kept in a table of
 * fixed size that evicts nothing. Shapes that find no free place share the counts of another. */
#ifndef ALLFOLD_MPI_SAMPLING_H
#define ALLFOLD_MPI_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

struct allfold_shape_key;

enum { ALLFOLD_SAMPLED_SHAPES = 64 };

struct allfold_sampled {
    uint64_t hash; /* of the shape; 0: the place is empty */
    uint32_t calls, samples;
};

/* A communicator's table; zeroed it is empty. */
struct allfold_sampling {
    struct allfold_sampled shapes[ALLFOLD_SAMPLED_SHAPES];
};

/* Counts a call of a shape. Is it sampled? *number is then which sample of the shape it is, from 0
 * on. The same on all ranks. */
bool allfold_sampling_count(struct allfold_sampling *sampling, const struct allfold_shape_key *key,
                            uint32_t *number);

#endif
