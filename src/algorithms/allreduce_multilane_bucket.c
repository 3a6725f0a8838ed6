/* Multi-lane allreduce, block by block: Traeff and Hunold, arXiv 1910.13373, with the bucket
 * algorithm of Patarasuk and Yuan 2009 in each lane.
 *
 * The vector is divided into a block for each node, and each block into a piece for each lane. A
 * lane's pieces travel around a ring of the nodes as in allreduce_bucket.c. A node's ranks sum a
 * piece just before the lane needs it there, and receive it as soon as it is complete. So the work
 * on the nodes overlaps with the messages between them.
 *
 * Invariant: a piece is reduced along one path around the nodes, which starts at any node, so the
 * operation has to be commutative. */
#include "algorithms/lane_allreduce.h"
#include "algorithms/peers.h"
#include "algorithms/segments.h"
#include "schedule/verbs.h"

enum { SEGMENT, TURNS = 3 };

static struct segments segments(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    const size_t block = ceil_divide(problem->count, (size_t)problem->nodes->count);
    const size_t longest = ceil_divide(block, (size_t)problem->nodes->least);
    return allfold_segments(longest, parameters->value[SEGMENT], problem->element_bytes, longest);
}

/* Round the ring of the nodes, with what goes on on the node beside it. */
static void build_lane(struct allfold_builder *s, const struct lane_rank *of,
                       const struct allfold_parameters *parameters)
{
    const int count = of->lane.size, q = of->lane.index;
    const struct segments cut = segments(of->problem, parameters);
    const struct allfold_span on_node = allfold_lane_room(s, of);
    struct allfold_span room[TURNS], held = allfold_lane_sum(s, of, on_node, wrap(q - 1, count));
    for (int i = 0; i < TURNS; i++)
        room[i] = scratch(s, i < count - 1 ? cut.length * cut.count : 0);
    for (int i = 0; i < count - 1; i++) {
        const int number = wrap(q - 2 - i, count);
        const struct allfold_span mine = allfold_lane_sum(s, of, on_node, number);
        const struct allfold_span got = part(room[i % TURNS], 0, mine.length);
        const struct allfold_span sum = number == q ? allfold_lane_piece(of, q) : got;
        for (size_t j = 0; j < cut.count; j++) {
            allfold_lane_exchange(s, of, segment_of(held, cut, j), segment_of(got, cut, j));
            reduce(s, segment_of(sum, cut, j), segment_of(got, cut, j), segment_of(mine, cut, j));
        }
        held = got;
    }
    for (int i = 0; i < count; i++) {
        const struct allfold_span mine = allfold_lane_piece(of, wrap(q - i, count));
        const struct allfold_span next = allfold_lane_piece(of, wrap(q - i - 1, count));
        for (size_t j = 0; j < cut.count && i < count - 1; j++)
            allfold_lane_exchange(s, of, segment_of(mine, cut, j), segment_of(next, cut, j));
        allfold_lane_gather(s, of, wrap(q - i, count));
    }
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    allfold_serve_lanes(s, problem, build_lane, parameters);
}

/* Round the ring, a rank with a lane sends its pieces of all blocks but one, twice: as sums and as
 * results. On the node it sends its part of all the others' pieces, and its own pieces to all
 * others. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const size_t n = problem->count, lanes = (size_t)nodes->least, count = (size_t)nodes->count;
    const size_t others = ceil_divide((size_t)nodes->most, lanes) - 1; /* that a rank serves */
    const size_t piece = ceil_divide(ceil_divide(n, count), lanes);
    const size_t on_node = count * (lanes - 1), beyond = count - 1;
    const struct segments cut = segments(problem, parameters);
    return (struct allfold_claim){
        .rounds = 2 * (others + on_node + beyond * cut.count),
        .sent = others * n + 2 * (on_node + beyond) * piece,
        .reduced = others * n + (on_node + beyond) * piece,
        .divisor = 1,
        .is_bound = true,
        .far_rounds = 2 * beyond * cut.count,
        .far_sent = 2 * beyond * piece * lanes,
        .far_lanes = (unsigned)lanes,
    };
}

const struct allfold_algorithm allfold_allreduce_multilane_bucket = {
    .name = "multilane_bucket",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Traeff and Hunold 2020, arXiv 1910.13373; Patarasuk and Yuan 2009, section 3",
    .summary = "round a ring of nodes in each lane, block by block with the node's part beside it",
    .use = "long vectors of commutative operations on several nodes behind slow links: the least "
           "that a node can send, to one neighbour; multilane where nodes are many or latency long",
    .needs = ALLFOLD_NEEDS_NODES | ALLFOLD_NEEDS_COMMUTATIVE,
    .consistent = true,
    .parameters = {ALLFOLD_SEGMENT("largest message between nodes; 0 sends each piece whole",
                                   .preset = 32 << 10, ALLFOLD_TRIED(0, 4, 12))},
    .build = build,
    .claim = claim,
};
