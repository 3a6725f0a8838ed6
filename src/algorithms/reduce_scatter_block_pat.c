/* Reduce-scatter by PAT (parallel aggregated trees): Jeaugey, arXiv 2506.20252. The trees and
 * rounds of pat.h, backwards.
 *
 * Invariant: when a rank sends its partial result for number d, it is reduced over all numbers
 * below d in the tree. The first partial result that is received for a number comes from d + 1. */
#include "algorithms/all.h"
#include "algorithms/pat.h"
#include "schedule/verbs.h"

enum { AGGREGATION };

/* What the rank has as the children of a round, as one span. */
static struct allfold_span given(struct allfold_builder *s, const struct pat_rooms *rooms,
                                 const struct pat_round *round)
{
    if (round->is_below && round->distance > 1)
        return part(allfold_pat_level(rooms, round->first), 0,
                    allfold_pat_length(rooms->problem, round));
    size_t at = 0;
    for (int i = 0; i < round->count; i++) {
        const int d = round->first + i * round->stride;
        const bool is_alone = round->distance == 1 || d + 1 == rooms->pat->p;
        const struct allfold_span from = is_alone ? allfold_pat_block(rooms->problem, ALLFOLD_IN, d)
                                                  : allfold_pat_root(rooms, d);
        if (round->count == 1)
            return from;
        copy(s, part(rooms->given, at, from.length), from);
        at += from.length;
    }
    return part(rooms->given, 0, at);
}

/* Adds what came to what the rank has as the parents. The last reduction writes OUT, which may have
 * held the input until then. */
static void take(struct allfold_builder *s, const struct pat_rooms *rooms,
                 const struct pat_round *round, bool is_last)
{
    const int first = round->first - round->distance;
    const bool in_level = round->is_below && first > 0, is_new = round->distance == 1;
    size_t at = 0;
    for (int d = first; d < rooms->pat->p; d += round->stride) {
        const struct allfold_span in = allfold_pat_block(rooms->problem, ALLFOLD_IN, d);
        const struct allfold_span here = in_level
                                             ? part(allfold_pat_level(rooms, first), at, in.length)
                                             : allfold_pat_root(rooms, d);
        if (d + round->distance < rooms->pat->p)
            reduce(s, is_last ? span(ALLFOLD_OUT, 0, in.length) : here,
                   part(rooms->got, at, in.length), is_new ? in : here);
        else if (in_level && is_new)
            copy(s, here, in);
        at += in.length;
    }
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const struct pat pat = allfold_pat(p, parameters->value[AGGREGATION]);
    const struct pat_rooms rooms = allfold_pat_rooms(s, problem, &pat);

    if (p == 1)
        copy(s, span(ALLFOLD_OUT, 0, problem->count), allfold_pat_block(problem, ALLFOLD_IN, 0));
    for (int i = pat.rounds - 1; i >= 0; i--) {
        const struct pat_round round = allfold_pat_round(&pat, i);
        const struct pat_round parents = allfold_pat_parents(&round);
        const struct allfold_span got = part(rooms.got, 0, allfold_pat_length(problem, &parents));
        if (parents.first < p) {
            exchange(s, wrap(r - round.distance, p), given(s, &rooms, &round),
                     wrap(r + round.distance - p, p), got);
            take(s, &rooms, &round, i == 0);
        }
    }
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const struct pat pat = allfold_pat(p, parameters->value[AGGREGATION]);
    const size_t others = (size_t)(p - 1) * problem->count;
    return (struct allfold_claim){
        .rounds = allfold_pat_rounds(&pat), .sent = others, .reduced = others, .divisor = 1};
}

const struct allfold_algorithm allfold_reduce_scatter_block_pat = {
    .name = "pat",
    .collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
    .source = "Jeaugey 2025, arXiv 2506.20252",
    .summary = "many blocks near and few blocks far, in lg p rounds, or more where messages are "
               "bounded",
    .use =
        "commutative operations, any p, where far links are thin: sends most blocks to the "
        "nearest ranks, where circulant sends them the farthest; bounded messages take less room",
    .needs = ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .is_inner = true,
    .back = &allfold_allgather_pat,
    .parameters = {ALLFOLD_PAT_AGGREGATION},
    .build = build,
    .claim = claim,
};
