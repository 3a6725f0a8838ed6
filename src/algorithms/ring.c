/* Rounds around a ring (see ring.h). */
#include "algorithms/ring.h"

#include <assert.h>

#include "algorithms/pairwise.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

struct ring allfold_ring(const struct allfold_problem *problem)
{
    return (struct ring){.p = problem->group.size, .position = problem->group.index};
}

struct ring allfold_ring_by_nodes(const struct allfold_problem *problem)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int r = problem->group.index;
    struct ring ring = allfold_ring(problem);
    if (nodes == NULL || nodes->count == 1)
        return ring;
    ring.position = nodes->place_of[r];
    ring.ranks = nodes->along;
    return ring;
}

/* The rank that many places to the right; places >= -p. */
static int neighbour(const struct ring *ring, int places)
{
    assert(places >= -ring->p);
    const int position = wrap(ring->position + places, ring->p);
    return ring->ranks == NULL ? position : ring->ranks[position];
}

/* The block of that rank. */
static struct allfold_span block_of(int buffer, const struct allfold_problem *problem,
                                    const struct ring *ring, int places)
{
    return allfold_block(buffer, problem, neighbour(ring, places));
}

/* Segments that go round the ring one after the other before the next ones begin. Blocks of any
 * lengths go by few, so that the executor's window has what a rank receives and what it hands on of
 * a long block. Blocks of the same length go whole, as each rank always has one to send. */
static size_t flowing(const struct allfold_problem *problem, struct segments cut)
{
    enum { FEW = 4 };
    return problem->begins == NULL || cut.count == 0 ? cut.count : FEW;
}

/* Three blocks of scratch take turns: one is sent, one reduced, and one received. */
void allfold_ring_reduce_scatter(struct allfold_builder *s, const struct allfold_problem *problem,
                                 const struct ring *ring, struct segments cut,
                                 struct allfold_span own)
{
    enum { TURNS = 3 };
    const int p = ring->p, left = neighbour(ring, -1), right = neighbour(ring, 1);
    const size_t longest = allfold_longest_block(problem), most = flowing(problem, cut);
    struct allfold_span room[TURNS];
    for (int i = 0; i < TURNS; i++)
        room[i] = scratch(s, i < p - 1 ? longest : 0);
    if (p == 1)
        copy(s, own, block_of(ALLFOLD_IN, problem, ring, 0));
    for (size_t begin = 0; begin < cut.count; begin += most) {
        struct allfold_span held = block_of(ALLFOLD_IN, problem, ring, -1);
        for (int i = 0; i < p - 1; i++) {
            const struct allfold_span mine = block_of(ALLFOLD_IN, problem, ring, -i - 2);
            const struct allfold_span got = part(room[i % TURNS], 0, mine.length);
            const struct allfold_span sum = i == p - 2 ? own : got;
            for (size_t j = begin; j < cut.count && j < begin + most; j++) {
                exchange(s, right, segment_of(held, cut, j), left, segment_of(got, cut, j));
                reduce(s, segment_of(sum, cut, j), segment_of(got, cut, j),
                       segment_of(mine, cut, j));
            }
            held = got;
        }
    }
}

void allfold_ring_allgather(struct allfold_builder *s, const struct allfold_problem *problem,
                            const struct ring *ring, struct segments cut)
{
    const int left = neighbour(ring, -1), right = neighbour(ring, 1);
    for (int i = 0; i < ring->p - 1; i++) {
        const struct allfold_span mine = block_of(ALLFOLD_OUT, problem, ring, -i);
        const struct allfold_span next = block_of(ALLFOLD_OUT, problem, ring, -i - 1);
        for (size_t j = 0; j < cut.count; j++)
            exchange(s, right, segment_of(mine, cut, j), left, segment_of(next, cut, j));
    }
}
