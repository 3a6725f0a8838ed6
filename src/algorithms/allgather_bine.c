/* Allgather over a Bine butterfly: De Sensi et al., SC 2025; the second half of allreduce_swing.c
 * on one dimension.
 *
 * The steps go the farthest first, while ranks have few blocks. Blocks come in the order of their
 * positions, and each rank puts them into the order of the ranks at the end. Where p is odd, rank 1
 * gives its block to rank 0 first and gets all at the end.
 *
 * Invariant: a rank gets each block once, along the path from its owner. */
#include "algorithms/algorithm.h"
#include "algorithms/swing.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = allfold_problem_length(problem);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n);
    const struct allfold_span in = span(ALLFOLD_IN, 0, block_length(n, p, r));
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
    for (int index = 0; index < core.size; index++) {
        const int b = core_rank(&core, index, 0);
        const struct allfold_span from =
            allfold_swing_block(&v, allfold_swing_position(&swing, index));
        const size_t mine = b == r ? in.length : 0; /* which is there already in place */
        const size_t begin = block_begin(n, p, b);
        copy(s, part(out, begin, mine), part(in, 0, mine));
        copy(s, part(out, begin + mine, from.length - mine), part(from, mine, from.length - mine));
    }
    if (core.partner >= 0)
        send_to(s, core.partner, out);
}

/* Block 0 is twice as long where p is odd. Rank 0, from which it comes in each step, sends all
 * blocks at the end. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const size_t p = (size_t)problem->group.size, removes = p > 1 && p % 2 == 1;
    const struct swing swing = allfold_swing(p == 1 ? 1 : (int)p & ~1, 0, 0);
    const size_t steps = (size_t)swing.steps;
    return (struct allfold_claim){
        .rounds = steps + 2 * removes,
        .sent = (p - 1 + removes * (p + steps)) * problem->count,
        .divisor = 1,
        .is_bound = removes,
        .got = (p - 1 + removes) * problem->count,
    };
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
    .build = build,
    .claim = claim,
};
