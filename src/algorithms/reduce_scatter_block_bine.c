/* Reduce-scatter over a Bine butterfly: De Sensi et al., SC 2025; the first half of
 * allreduce_swing.c on one dimension.
 *
 * Each rank first puts its blocks into the order of their positions, so that it gives away most of
 * them in one span. Where p is odd, rank 1 gives all its blocks to rank 0 first and gets its own at
 * the end.
 *
 * Invariant: a block is reduced along the paths to its owner alone; operands come in the order of
 * the paths. */
#include "algorithms/all.h"
#include "algorithms/swing.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = allfold_problem_length(problem);
    const struct allfold_span in = span(ALLFOLD_IN, 0, n);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, block_length(n, p, r));
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
    if (core.partner >= 0)
        recv_from(s, core.partner, v.tmp);
    for (int index = 0; index < core.size; index++) {
        const int b = core_rank(&core, index, 0);
        const struct allfold_span to =
            allfold_swing_block(&v, allfold_swing_position(&swing, index));
        const struct allfold_span from = part(in, block_begin(n, p, b), to.length);
        if (core.partner >= 0)
            reduce(s, to, from, part(v.tmp, from.offset, to.length));
        else
            copy(s, to, from);
    }
    allfold_swing_reduce_scatter(s, &v, true);
    const struct allfold_span own = allfold_swing_own(&v);
    copy(s, out, part(own, 0, out.length));
    if (core.partner >= 0)
        send_to(s, core.partner, part(own, out.length, own.length - out.length));
}

/* Block 0 is twice as long where p is odd, and who gives it away sends no more than rank 1: all. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const size_t p = (size_t)problem->group.size, removes = p > 1 && p % 2 == 1;
    const struct swing swing = allfold_swing(p == 1 ? 1 : (int)p & ~1, 0, 0);
    const size_t steps = (size_t)swing.steps, others = (p - 1) * problem->count;
    return (struct allfold_claim){
        .rounds = steps + 2 * removes,
        .sent = others + removes * problem->count,
        .reduced = others + removes * (p + steps) * problem->count,
        .divisor = 1,
        .is_bound = removes,
        .got = others + removes * (p + steps) * problem->count,
    };
}

const struct allfold_algorithm allfold_reduce_scatter_block_bine = {
    .name = "bine",
    .collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
    .source = "De Sensi et al. 2025 (SC), Bine butterflies",
    .summary = "half of the blocks held to ranks 1, 1, 3, 5, 11, ... away, to both sides in turn",
    .use = "commutative operations on an even number of ranks in groups of nodes with thin links "
           "between them: sends most blocks to the nearest ranks. circulant and recursive_halving "
           "send them the farthest. At an odd p take circulant",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true,
    .back = &allfold_allgather_bine,
    .build = build,
    .claim = claim,
};
