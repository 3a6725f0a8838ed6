/* Exscan by a linear pipeline: TU Wien 2023, exercise 2: the reduce of that exercise, with a result
 * on each rank.
 *
 * A rank receives the reduction over all ranks below it, segment by segment, adds its own
 * contribution and sends the sum on.
 *
 * Invariant: in round k rank r sends segment k - r. */
#include "algorithms/prefix.h"

const struct allfold_algorithm allfold_exscan_chain = {
    .name = "chain",
    .collective = ALLFOLD_EXSCAN,
    .source = "TU Wien 2023, exercise 2; Sanders and Traeff 2006, section 2",
    .summary = "segments through all ranks in turn, each of which adds its own",
    .use = "long vectors, any operation: each rank sends the vector once, and neighbouring nodes "
           "too; about p rounds to fill the pipeline",
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 20))},
    .build = allfold_build_prefix_chain,
    .claim = allfold_claim_prefix_chain,
};
