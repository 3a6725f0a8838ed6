/* Reduce over circulant graphs, then a gather: Traeff, arXiv 2410.14234.
 *
 * The reduce-scatter of the allreduce takes ceil(log_radix p) rounds. Then a tree over the same
 * skips gathers the blocks at the root, in the same number of rounds. Before round k of the gather
 * the first rank of each part of s_k ranks has the blocks of the part; in round k it sends them to
 * the first rank of the part of s_{k+1} ranks that contains it.
 *
 * Invariant: a block is reduced only by its owner's tree. Its operands are in the order of the
 * graph, so the operation has to be commutative. */
#include "algorithms/algorithm.h"
#include "algorithms/circulant.h"
#include "algorithms/ports.h"
#include "schedule/verbs.h"

enum { RADIX };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int r = problem->group.index, root = problem->root;
    const struct skips skips = allfold_skips(problem->group.size, (int)parameters->value[RADIX]);
    const struct circulant_scratch tmp = allfold_circulant_scratch(s, problem, &skips);
    const int result = r == root ? ALLFOLD_OUT : scratch(s, problem->count).buffer;
    allfold_circulant_reduce_scatter(s, problem, &skips, result, &tmp);
    allfold_circulant_gather(s, problem, &skips, root, result, &tmp);
}

/* The rank at distance s_{q-1} from the root sends most in the gather, at most s_{q-1} blocks. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const size_t n = problem->count, block = ceil_divide(n, (size_t)p);
    const struct skips skips = allfold_skips(p, (int)parameters->value[RADIX]);
    const int first = p == 1 ? 0 : skips.s[skips.q - 1];
    const int most = first < p - first ? first : p - first;
    const size_t reduced = allfold_circulant_reduced(problem, &skips);
    return (struct allfold_claim){
        .rounds = 2 * (size_t)skips.q,
        .sent = n - n / (size_t)p + (p == 1 ? 0 : (size_t)most * block),
        .reduced = reduced,
        .ports = (unsigned)parameters->value[RADIX] - 1,
        .divisor = (size_t)p,
        .got = reduced + n - n / (size_t)p,
    };
}

const struct allfold_algorithm allfold_reduce_circulant = {
    .name = "circulant",
    .collective = ALLFOLD_REDUCE,
    .source = "Traeff 2024, arXiv 2410.14234",
    .summary = "reduce-scatter and gather over a circulant graph, lg p rounds each, at any p",
    .use =
        "long vectors of commutative operations, any p and root, where pipelined_circulant's many "
        "messages cost too much; a power of two of ranks has as much of halving_doubling",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .parameters = {ALLFOLD_PORTS_RADIX(
        "a round divides the blocks left by it, in radix - 1 messages")},
    .build = build,
    .claim = claim,
};
