/* Linear pipeline: TU Wien 2023, exercise 2, MY_Reduce_P (Traeff, Algorithms for Collective
 * Communication), made to keep rank order for any root.
 *
 * Each rank receives a segment, adds its own contribution and sends the sum on. The path leads from
 * the root up to the last rank, from there to the rank below the root, down to rank 0 and back to
 * the root. If the root is the first or the last rank, it does not start but reduces at the end.
 * Any other root starts, which costs a round; with two chains that end at the root, it would
 * receive everything twice.
 *
 * Invariant: a sent segment covers consecutive ranks; it grows at its upper end above the root and
 * at its lower end below the root. */
#include "algorithms/all.h"
#include "algorithms/peers.h"
#include "algorithms/segments.h"
#include "schedule/verbs.h"

enum { SEGMENT };

static bool begins_at_root(int p, int root)
{
    return root > 0 && root < p - 1;
}

static int place_of(int p, int root, int r)
{
    return r >= root ? r - root : p - 1 - r;
}

static int rank_at(int p, int root, int place)
{
    return place < p - root ? root + place : p - 1 - place;
}

static struct segments segments(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, fixed = p - 2 + begins_at_root(p, problem->root);
    return allfold_pipeline(problem, parameters->value[SEGMENT], fixed, 1);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    const struct segments cut = segments(problem, parameters);
    const size_t b = cut.count, pipe = (size_t)p - 1;
    const struct allfold_span in = span(ALLFOLD_IN, 0, problem->count);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, r == root ? problem->count : 0);
    const bool begins = begins_at_root(p, root);
    const int from = rank_at(p, root, wrap(place_of(p, root, r) - 1, p));
    const int to = rank_at(p, root, wrap(place_of(p, root, r) + 1, p));

    if (p == 1)
        copy(s, out, in);
    if (r == root && begins)
        for (size_t j = 0; j < b + pipe; j++)
            exchange(s, to, segment_of(in, cut, j), from, segment_of(out, cut, j - pipe));
    if (p == 1 || (r == root && begins))
        return;
    const bool is_first = !begins && place_of(p, root, r) == 1;
    const struct allfold_span tmp[2] = {scratch(s, cut.length), scratch(s, cut.length)};
    for (size_t j = 0; j < b; j++) {
        const struct allfold_span mine = segment_of(in, cut, j);
        const struct allfold_span got = part(tmp[j % 2], 0, mine.length);
        const struct allfold_span result = r == root ? segment_of(out, cut, j) : got;
        if (!is_first)
            recv_from(s, from, got);
        if (!is_first && (r == root ? root > 0 : r > root))
            reduce(s, result, got, mine);
        else if (!is_first)
            reduce(s, result, mine, got);
        if (r != root)
            send_to(s, to, is_first ? mine : result);
    }
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const struct segments cut = segments(problem, parameters);
    const size_t b = cut.count;
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = p == 1 ? 0 : (size_t)(p - 2 + begins_at_root(p, problem->root)) + b,
            .sent = p == 1 ? 0 : problem->count,
            .reduced = p == 1 ? 0 : problem->count,
            .divisor = 1,
        },
        cut.length);
}

const struct allfold_algorithm allfold_reduce_chain = {
    .name = "chain",
    .collective = ALLFOLD_REDUCE,
    .source = "TU Wien 2023, exercise 2",
    .summary = "segments through all ranks in turn",
    .use = "very long vectors on few ranks, any operation: the vector passes each rank once; about "
           "p rounds to fill the pipeline, so pipelined_tree or pipelined_circulant on many",
    .consistent = true,
    .is_inner = true,
    .back = &allfold_bcast_chain,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 20))},
    .build = build,
    .claim = claim,
};
