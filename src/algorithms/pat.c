/* Rounds and scratch memory of PAT (see pat.h). */
#include "algorithms/pat.h"

#include <assert.h>

#include "schedule/verbs.h"

struct pat allfold_pat(int p, size_t aggregation)
{
    const int lg = ceil_log2(p);
    int doublings = 0;
    while (doublings < lg && (aggregation == 0 || (size_t)2 << doublings <= aggregation))
        doublings++;
    struct pat pat = {.p = p, .apart = 1 << (lg - doublings)};
    pat.roots = (int)ceil_divide((size_t)p, (size_t)pat.apart);
    pat.rounds = doublings + pat.apart - 1;
    assert(aggregation == 0 || (size_t)pat.roots <= aggregation);
    return pat;
}

/* Number i of those below a root, depth first and the farthest first: of 8 numbers 4, 6, 7, 5, 2,
 * 3, 1. */
static int number_below(int apart, int i)
{
    int d = 0;
    for (int half = apart / 2; half > 0; half /= 2) {
        if (i >= half) {
            i -= half;
            continue;
        }
        d += half;
        if (i-- == 0)
            break;
    }
    return d;
}

struct pat_round allfold_pat_round(const struct pat *pat, int number)
{
    struct pat_round round = {.is_below = number > pat->rounds - pat->apart};
    assert(number >= 0 && number < pat->rounds);
    if (round.is_below) {
        round.first = number_below(pat->apart, number - (pat->rounds - pat->apart + 1));
        round.stride = pat->apart;
        round.distance = round.first & -round.first;
    } else {
        round.first = round.distance = 1 << (ceil_log2(pat->p) - 1 - number);
        round.stride = 2 * round.distance;
    }
    if (round.first < pat->p)
        round.count = (pat->p - 1 - round.first) / round.stride + 1;
    return round;
}

size_t allfold_pat_rounds(const struct pat *pat)
{
    const bool is_linear = pat->roots == 1;
    return (size_t)(is_linear ? pat->p - 1 : pat->rounds);
}

static int block_of(const struct allfold_problem *problem, int d)
{
    return wrap(problem->group.index - d, problem->group.size);
}

struct allfold_span allfold_pat_block(const struct allfold_problem *problem, int buffer, int d)
{
    return allfold_blocks(buffer, problem, block_of(problem, d), 1);
}

size_t allfold_pat_length(const struct allfold_problem *problem, const struct pat_round *round)
{
    if (allfold_blocks_are_alike(problem))
        return (size_t)round->count * problem->count;
    size_t length = 0;
    for (int i = 0; i < round->count; i++)
        length +=
            allfold_block_length(problem, block_of(problem, round->first + i * round->stride));
    return length;
}

struct pat_rooms allfold_pat_rooms(struct allfold_builder *s, const struct allfold_problem *problem,
                                   const struct pat *pat)
{
    const size_t each = (size_t)pat->roots * problem->count;
    const size_t levels = pat->apart > 2 ? (size_t)floor_log2(pat->apart) - 1 : 0;
    struct pat_rooms rooms = {.problem = problem, .pat = pat};
    rooms.levels = scratch(s, levels * each);
    rooms.roots = scratch(s, each);
    rooms.given = scratch(s, each);
    rooms.got = scratch(s, each);
    return rooms;
}

struct allfold_span allfold_pat_level(const struct pat_rooms *rooms, int first)
{
    const size_t each = rooms->roots.length;
    return part(rooms->levels, each * (size_t)(floor_log2(first & -first) - 1), each);
}

struct allfold_span allfold_pat_root(const struct pat_rooms *rooms, int d)
{
    return part(rooms->roots, (size_t)(d / rooms->pat->apart) * rooms->problem->count,
                allfold_pat_block(rooms->problem, ALLFOLD_IN, d).length);
}
