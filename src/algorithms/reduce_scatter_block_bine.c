/* Reduce-scatter over a Bine butterfly: De Sensi et al., SC 2025; the first half of
 * allreduce_swing.c with one dimension.
 *
 * Each rank first copies its blocks into the order of their positions, so that it gives away most
 * of them in one span. If p is odd, rank 1 first sends all its blocks to rank 0, and receives its
 * own block at the end.
 *
 * Invariant: a block is reduced only along the paths to its owner; operands are in the order of the
 * paths. */
#include "algorithms/all.h"
#include "algorithms/blocks.h"
#include "algorithms/swing.h"
#include "schedule/verbs.h"

void allfold_scatter_bine(struct allfold_builder *s, const struct allfold_problem *problem,
                          const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = allfold_problem_length(problem);
    const struct allfold_span in = span(ALLFOLD_IN, 0, n);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, allfold_block_length(problem, r));
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
    size_t begin = 0; /* by position, as to find one alone takes p steps */
    for (int position = 0; position < core.size; position++) {
        const int index = allfold_swing_at(&swing, position);
        const int b = core_rank(&core, index, 0);
        const struct allfold_span to = part(v.result, begin, allfold_swing_length(&v, index));
        const struct allfold_span from = part(in, allfold_block_begin(problem, b), to.length);
        begin += to.length;
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

/* Where p is odd, block 0 of the others has rank 1's block besides, and who gives it away sends no
 * more than rank 1: all. A rank gets p - 1 blocks, but never more than all of them in a step. */
struct allfold_claim allfold_scatter_bine_claim(const struct allfold_problem *problem,
                                                const struct allfold_parameters *parameters)
{
    (void)parameters;
    const bool is_uneven = problem->begins != NULL;
    const size_t p = (size_t)problem->group.size, removes = p > 1 && p % 2 == 1;
    const struct swing swing = allfold_swing(p == 1 ? 1 : (int)p & ~1, 0, 0);
    const size_t steps = (size_t)swing.steps;
    const size_t longest = is_uneven ? allfold_longest_block(problem) : problem->count;
    const size_t all = is_uneven ? allfold_problem_length(problem) : p * problem->count;
    const size_t blocks = (p - 1 + removes * steps) * longest + removes * all;
    const size_t most = (steps + removes) * all;
    const size_t got = blocks < most ? blocks : most;
    return (struct allfold_claim){
        .rounds = steps + 2 * removes,
        .sent = removes ? all : allfold_all_but_one(problem),
        .reduced = got,
        .divisor = 1,
        .is_bound = removes || is_uneven,
        .got = got,
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
    .build = allfold_scatter_bine,
    .claim = allfold_scatter_bine_claim,
};
