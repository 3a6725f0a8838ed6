/* Flat allgather of blocks of any lengths: see allgather_flat.c. */
#include "algorithms/blocks.h"
#include "algorithms/flat.h"

const struct allfold_algorithm allfold_allgatherv_flat = {
    .name = "flat",
    .collective = ALLFOLD_ALLGATHERV,
    .source = "textbooks",
    .summary = "each block to all ranks at once",
    .use = "short blocks on the few ranks of a node: one round of p-1 messages",
    .consistent = true,
    .build = allfold_gather_flat,
    .claim = allfold_flat_claim,
};
