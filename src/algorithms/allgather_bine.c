/* Allgather over a Bine butterfly: De Sensi et al., SC 2025; the second half of allreduce_swing.c
 * with one dimension.
 *
 * The farthest step comes first, while ranks have few blocks. Blocks are received in the order of
 * their positions, and each rank copies them into rank order at the end. If p is odd, rank 1 first
 * sends its block to rank 0, and receives all blocks at the end.
 *
 * Invariant: a rank receives each block once, along the path from its owner. */
#include "algorithms/algorithm.h"
#include "algorithms/blocks.h"
#include "algorithms/swing.h"
#include "schedule/verbs.h"

void allfold_gather_bine(struct allfold_builder *s, const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = allfold_problem_length(problem);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n);
    const struct allfold_span in = span(ALLFOLD_IN, 0, allfold_block_length(problem, r));
    const struct core core = core_of_size(p, p == 1 ? 1 : p & ~1, r, 0);

    if (core.index < 0) {
        send_to(s, core.partner, in);
        recv_from(s, core.partner, out);
        return;
    }
    const struct swing swing = allfold_swing(core.size, 0, 0);
    struct swing_vector v = {
        .w = &swing, .core = &core, .n = n, .blocks = problem, .result = scratch(s, n)};
    allfold_swing_scratch(s, &v);
    const struct allfold_span own = allfold_swing_own(&v);
    copy(s, part(own, 0, in.length), in);
    if (core.partner >= 0)
        recv_from(s, core.partner, part(own, in.length, own.length - in.length));
    allfold_swing_allgather(s, &v);
    size_t before = 0; /* by position, as to find one alone takes p steps */
    for (int position = 0; position < core.size; position++) {
        const int index = allfold_swing_at(&swing, position), b = core_rank(&core, index, 0);
        const struct allfold_span from = part(v.result, before, allfold_swing_length(&v, index));
        const size_t mine = b == r ? in.length : 0; /* which is there already in place */
        const size_t begin = allfold_block_begin(problem, b);
        copy(s, part(out, begin, mine), part(in, 0, mine));
        copy(s, part(out, begin + mine, from.length - mine), part(from, mine, from.length - mine));
        before += from.length;
    }
    if (core.partner >= 0)
        send_to(s, core.partner, out);
}

/* The messages of the reduce-scatter, the other way. */
struct allfold_claim allfold_gather_bine_claim(const struct allfold_problem *problem,
                                               const struct allfold_parameters *parameters)
{
    struct allfold_claim claim = allfold_scatter_bine_claim(problem, parameters);
    const size_t got = claim.sent;
    claim.sent = claim.got;
    claim.got = got;
    claim.reduced = 0;
    return claim;
}

const struct allfold_algorithm allfold_allgather_bine = {
    .name = "bine",
    .collective = ALLFOLD_ALLGATHER,
    .source = "De Sensi et al. 2025 (SC), Bine butterflies",
    .summary = "all blocks held to ranks ..., 5, 3, 1, 1 away, to both sides in turn",
    .use = "an even number of ranks in groups of nodes with thin links between them: sends most "
           "blocks to the nearest ranks, where circulant and recursive_doubling send them the "
           "farthest; circulant at an odd p",
    .consistent = true,
    .is_inner = true,
    .build = allfold_gather_bine,
    .claim = allfold_gather_bine_claim,
};
