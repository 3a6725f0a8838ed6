/* Reduce-scatter by pairwise exchange (see pairwise.h). */
#include "algorithms/pairwise.h"

#include "algorithms/peers.h"
#include "schedule/verbs.h"

struct segments allfold_block_segments(const struct allfold_problem *problem, size_t bytes)
{
    const size_t longest = allfold_longest_block(problem);
    return allfold_segments(longest, bytes, problem->element_bytes, longest);
}

struct allfold_span allfold_block(int buffer, const struct allfold_problem *problem, int i)
{
    return allfold_blocks(buffer, problem, i, 1);
}

struct allfold_span allfold_own_block(struct allfold_builder *s,
                                      const struct allfold_problem *problem)
{
    const struct allfold_span own = allfold_block(ALLFOLD_IN, problem, problem->group.index);
    if (!problem->in_place || own.offset == 0 || own.offset >= own.length)
        return own;
    const struct allfold_span apart = scratch(s, own.length);
    copy(s, apart, own);
    return apart;
}

struct allfold_claim allfold_block_by_block_claim(const struct allfold_problem *problem,
                                                  const struct allfold_parameters *parameters)
{
    const struct allfold_problem whole = allfold_whole_problem(problem);
    const size_t others = (size_t)problem->group.size - 1;
    const size_t reduced =
        allfold_traits(problem->collective)->reduces ? others * problem->count : 0;
    const size_t segments = allfold_block_segments(&whole, parameters->value[0]).count;
    return (struct allfold_claim){
        .rounds = others * segments,
        .sent = allfold_all_but_one(problem),
        .reduced = reduced,
        .divisor = 1,
        .is_bound = problem->begins != NULL,
        .got = reduced, /* the owner of a block gets it from all others */
    };
}

void allfold_pairwise_reduce_scatter(struct allfold_builder *s,
                                     const struct allfold_problem *problem, struct segments cut,
                                     struct allfold_span own)
{
    const int p = problem->group.size, r = problem->group.index;
    const struct allfold_span tmp[ALLFOLD_PAIRWISE_ROOMS] = {scratch(s, cut.length),
                                                             scratch(s, cut.length)};
    struct allfold_span mine = allfold_block(ALLFOLD_IN, problem, r);

    if (p == 1)
        copy(s, own, mine);
    for (int i = 1; i < p; i++) {
        const int to = wrap(r + i, p), from = wrap(r - i, p);
        for (size_t j = 0; j < cut.count; j++) {
            const struct allfold_span kept = segment_of(own, cut, j);
            const struct allfold_span got =
                part(tmp[((size_t)i * cut.count + j) % ALLFOLD_PAIRWISE_ROOMS], 0, kept.length);
            exchange(s, to, segment_of(allfold_block(ALLFOLD_IN, problem, to), cut, j), from, got);
            reduce(s, kept, got, segment_of(mine, cut, j));
        }
        mine = own;
    }
}
