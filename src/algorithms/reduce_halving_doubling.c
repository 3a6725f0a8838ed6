/* Recursive halving, then a gather: Rabenseifner 2004, section 2.5, Reduce.
 *
 * Reduce-scatter by vector halving and distance doubling as in the allreduce, then a binary tree
 * gathers the segments. At distance p'/2, p'/4, ..., 1 the ranks whose bit differs from the root's
 * send their segments and are done. A root in a removed pair stays instead of its partner.
 *
 * Invariant: each half goes to the rank on its side, so operands stay in rank order. */
#include "algorithms/all.h"
#include "algorithms/halving.h"
#include "schedule/verbs.h"

static int core_index(const struct core *core, int root)
{
    return root < 2 * core->pairs ? root / 2 : root - core->pairs;
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    const size_t n = problem->count;
    const struct core core = core_of(p, r, root);

    if (p == 1) {
        copy(s, span(ALLFOLD_OUT, 0, n), span(ALLFOLD_IN, 0, n));
        return;
    }
    const struct allfold_span tmp = scratch(s, n);
    const struct allfold_span result = r == root ? span(ALLFOLD_OUT, 0, n) : scratch(s, n);
    if (core.partner >= 0 && !allfold_remove_pair(s, &core, r, n, result, tmp))
        return;
    allfold_halve(s, &core, root, n, result, core.partner >= 0, tmp);

    allfold_gather_halves(s, &core, root, core_index(&core, root), core_rank(&core, 0, root), n,
                          result);
}

/* All core ranks send n - n/p' in the reduce-scatter. In the gather a rank sends n/(2d) where d is
 * the highest bit in which its index differs from the root's. The core ranks of pairs have sent n/2
 * before, so the busiest is the one of them with the lowest d. Without pairs, it has d = 1. Of the
 * indices for one d, ((root ^ d) & -d) is the lowest, and pairs have the lowest of all. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size;
    const struct core core = core_of(p, 0, problem->root);
    const size_t n = problem->count, size = (size_t)core.size;
    const int root = core_index(&core, problem->root);
    const int candidates = core.pairs > 0 ? core.pairs : core.size;

    int d = 1;
    while (d < core.size && ((root ^ d) & -d) >= candidates)
        d *= 2;
    const size_t removal = core.pairs > 0 ? ceil_divide(n, 2) : 0;
    const size_t gathered = d < core.size ? ceil_divide(n, 2 * (size_t)d) : 0;
    size_t reduced = removal;
    for (size_t k = 2; k <= size; k *= 2)
        reduced += ceil_divide(n, k);
    return (struct allfold_claim){
        .rounds = 2 * (size_t)floor_log2(p) + (core.pairs > 0 ? 2 : 0),
        .sent = removal + n - n / size + gathered,
        .reduced = reduced,
        .divisor = size,
        .got = removal + reduced + n - n / size,
    };
}

const struct allfold_algorithm allfold_reduce_halving_doubling = {
    .name = "halving_doubling",
    .collective = ALLFOLD_REDUCE,
    .source = "Rabenseifner 2004, section 2.5",
    .summary = "reduce-scatter by vector halving, then a binary tree gathers",
    .use = "long vectors on a power of two of ranks, any operation; at another p half a vector "
           "more is sent and reduced, which binary_blocks can avoid",
    .consistent = true,
    .keeps_tree = allfold_always_keeps_tree,
    .out_of_order = true,
    .is_inner = true,
    .back = &allfold_bcast_pipelined_circulant,
    .back_differs = true, /* its like, scatter and allgather, is no broadcast here */
    .build = build,
    .claim = claim,
};
