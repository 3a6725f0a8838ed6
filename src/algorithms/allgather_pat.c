/* Allgather by PAT (parallel aggregated trees): Jeaugey, arXiv 2506.20252. The trees and rounds are
 * in pat.h.
 *
 * If a message has several blocks, they are packed into one span; a single block is sent from OUT.
 * So the scratch memory has the length of two messages.
 *
 * Invariant: before a round a rank has the blocks of all children of earlier rounds. */
#include "algorithms/algorithm.h"
#include "algorithms/pat.h"
#include "schedule/verbs.h"

enum { AGGREGATION };

/* The blocks that the rank has as the children, as one span; or what came there to its places. */
static struct allfold_span packed(struct allfold_builder *s, const struct allfold_problem *problem,
                                  const struct pat_round *round, struct allfold_span room,
                                  bool back)
{
    if (round->count == 1)
        return allfold_pat_block(problem, ALLFOLD_OUT, round->first);
    size_t at = 0;
    for (int i = 0; i < round->count; i++) {
        const struct allfold_span block =
            allfold_pat_block(problem, ALLFOLD_OUT, round->first + i * round->stride);
        const struct allfold_span here = part(room, at, block.length);
        copy(s, back ? block : here, back ? here : block);
        at += block.length;
    }
    return part(room, 0, at);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const struct pat pat = allfold_pat(p, parameters->value[AGGREGATION]);
    const struct allfold_span own = allfold_pat_block(problem, ALLFOLD_OUT, 0);
    const size_t most = pat.roots == 1 ? 0 : (size_t)pat.roots * problem->count;
    const struct allfold_span given = scratch(s, most), got = scratch(s, most);

    copy(s, own, span(ALLFOLD_IN, 0, own.length));
    for (int i = 0; i < pat.rounds; i++) {
        const struct pat_round round = allfold_pat_round(&pat, i);
        if (round.count == 0)
            continue;
        const struct pat_round parents = allfold_pat_parents(&round);
        const struct allfold_span to_give = packed(s, problem, &parents, given, false);
        const struct allfold_span here = round.count == 1
                                             ? allfold_pat_block(problem, ALLFOLD_OUT, round.first)
                                             : part(got, 0, allfold_pat_length(problem, &round));
        exchange(s, wrap(r + round.distance - p, p), to_give, wrap(r - round.distance, p), here);
        packed(s, problem, &round, got, true);
    }
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const struct pat pat = allfold_pat(p, parameters->value[AGGREGATION]);
    return (struct allfold_claim){
        .rounds = allfold_pat_rounds(&pat), .sent = (size_t)(p - 1) * problem->count, .divisor = 1};
}

const struct allfold_algorithm allfold_allgather_pat = {
    .name = "pat",
    .collective = ALLFOLD_ALLGATHER,
    .source = "Jeaugey 2025, arXiv 2506.20252",
    .summary = "few blocks far and many blocks near, in lg p rounds, or more where messages are "
               "bounded",
    .use =
        "any p, where far links are thin: sends most blocks to the nearest ranks, where circulant "
        "sends them the farthest; bounded messages take less room beside OUT",
    .consistent = true,
    .is_inner = true,
    .parameters = {ALLFOLD_PAT_AGGREGATION},
    .build = build,
    .claim = claim,
};
