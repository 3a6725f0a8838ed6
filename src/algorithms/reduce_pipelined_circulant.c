/* Round-optimal pipelined reduce: Traeff, Optimal Broadcast Schedules in Logarithmic Time (doi
 * 10.1145/3735139), backwards.
 *
 * If the broadcast sends a block in a round, a rank here receives that block and reduces it. If the
 * broadcast receives a block, the rank sends it, once it has all contributions to it. A block is in
 * progress for less than two phases of q rounds, so 2q slots are enough.
 *
 * Invariant: see circulant.h; each rank sends its part of each block once, in no particular order.
 */
#include "algorithms/all.h"
#include "algorithms/circulant.h"
#include "algorithms/segments.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static struct segments segments(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    return allfold_pipeline(problem, parameters->value[SEGMENT], ceil_log2(problem->group.size) - 1,
                            1);
}

/* The blocks in work, less than 2q < 64 apart: each has its slot, and a bit once it is begun. */
struct gathering {
    struct allfold_span in, work;
    struct segments cut;
    size_t slots;
    uint64_t begun;
};

static struct allfold_span slot(const struct gathering *g, size_t block)
{
    return part(g->work, block % g->slots * g->cut.length, segment_of(g->in, g->cut, block).length);
}

static uint64_t bit(const struct gathering *g, size_t block)
{
    return block < g->cut.count ? (uint64_t)1 << block % 64 : 0;
}

static struct allfold_span held(const struct gathering *g, size_t block)
{
    return g->begun & bit(g, block) ? slot(g, block) : segment_of(g->in, g->cut, block);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, root = problem->root;
    const int r = wrap(problem->group.index - root, p);
    const size_t n = problem->count, q = (size_t)ceil_log2(p);
    const struct segments cut = segments(problem, parameters);
    const size_t slots = r == 0 || cut.count < 2 * q ? cut.count : 2 * q;
    struct gathering g = {.in = span(ALLFOLD_IN, 0, n), .cut = cut, .slots = slots};
    g.work = r == 0 ? span(ALLFOLD_OUT, 0, n) : scratch(s, slots * cut.length);

    if (p == 1)
        copy(s, g.work, g.in);
    if (p == 1 || n == 0)
        return;
    const struct circulant c = allfold_circulant(p, r, cut.count);
    const struct allfold_span tmp[2] = {scratch(s, cut.length), scratch(s, cut.length)};
    for (size_t i = c.first_round + cut.count - 1 + q; i-- > c.first_round;) {
        const size_t k = i % q;
        const int to = wrap(r - c.skip[k], p), from = wrap(r + c.skip[k] - p, p);
        const size_t given = r == 0 ? SIZE_MAX : allfold_circulant_block(&c, c.received[k], i);
        const size_t taken = from == 0 ? SIZE_MAX : allfold_circulant_block(&c, c.forwarded[k], i);
        const struct allfold_span got = part(tmp[i % 2], 0, slot(&g, taken).length);

        exchange(s, wrap(to + root - p, p), held(&g, given), wrap(from + root - p, p), got);
        reduce(s, slot(&g, taken), held(&g, taken), got);
        /* the root takes its last block q times on end, before all others, and gives none */
        g.begun = ((r == 0 ? 0 : g.begun) & ~bit(&g, given)) | bit(&g, taken);
    }
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const size_t q = (size_t)ceil_log2(problem->group.size);
    const struct segments cut = segments(problem, parameters);
    const size_t got = q == 0 ? 0 : problem->count + (q - 1) * cut.length;
    return (struct allfold_claim){
        .rounds = q == 0 ? 0 : cut.count + q - 1,
        .sent = q == 0 ? 0 : problem->count,
        .reduced = got,
        .divisor = cut.length,
        .got = got,
    };
}

const struct allfold_algorithm allfold_reduce_pipelined_circulant = {
    .name = "pipelined_circulant",
    .collective = ALLFOLD_REDUCE,
    .source = "Traeff, doi 10.1145/3735139",
    .summary = "segments over a circulant graph, in the least number of rounds",
    .use = "long vectors of commutative operations, any p and root: no pipeline has fewer rounds; "
           "where order counts rather chain, pipelined_tree or halving_doubling",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true,
    .back = &allfold_bcast_pipelined_circulant,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 12))},
    .build = build,
    .claim = claim,
};
