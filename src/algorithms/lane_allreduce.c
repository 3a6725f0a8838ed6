/* Programs of ranks with and without a lane (see lane_allreduce.h). */
#include "algorithms/lane_allreduce.h"

#include "algorithms/peers.h"
#include "schedule/verbs.h"

/* Takes the vectors of the ranks of the node that are this one's to serve; returns the sum. */
static struct allfold_span take_others(struct allfold_builder *s, const struct allfold_group *node,
                                       int lanes, size_t n)
{
    struct allfold_span mine = span(ALLFOLD_IN, 0, n);
    if (node->index + lanes >= node->size)
        return mine;
    const struct allfold_span sum = scratch(s, n), tmp = scratch(s, n);
    for (int i = node->index + lanes; i < node->size; i += lanes) {
        recv_from(s, i, tmp);
        reduce(s, sum, mine, tmp);
        mine = sum;
    }
    return mine;
}

void allfold_serve_lanes(struct allfold_builder *s, const struct allfold_problem *problem,
                         void (*build_lane)(struct allfold_builder *s, const struct lane_rank *of,
                                            const struct allfold_parameters *parameters),
                         const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int lanes = nodes->least, r = problem->group.index;
    const struct allfold_group node = allfold_node_group(nodes, r);
    const struct allfold_span in = span(ALLFOLD_IN, 0, problem->count);
    const struct allfold_span out = span(ALLFOLD_OUT, 0, problem->count);
    const struct allfold_frame outer = allfold_frame_enter(s, &node, in, out);

    if (node.index >= lanes) {
        send_to(s, node.index % lanes, in);
        recv_from(s, node.index % lanes, out);
    } else {
        struct lane_rank of = {
            .problem = problem,
            .node = node,
            .lane = allfold_lane_group(nodes, node.index, nodes->node_of[r]),
            .sockets = lanes == nodes->most ? allfold_sockets_of(nodes, nodes->node_of[r]) : NULL,
            .mine = take_others(s, &node, lanes, problem->count),
        };
        of.node.size = lanes;
        build_lane(s, &of, parameters);
        for (int i = node.index + lanes; i < node.size; i += lanes)
            send_to(s, i, out);
    }
    allfold_frame_leave(s, outer);
}

/* The piece that a lane has of block i of a vector. */
static struct allfold_span piece_of(struct allfold_span all, const struct lane_rank *of, int i,
                                    int lane)
{
    const struct allfold_span block = allfold_blocks_in(all, of->lane.size, i, 1);
    return allfold_blocks_in(block, of->node.size, lane, 1);
}

static struct allfold_span result(const struct lane_rank *of)
{
    return span(ALLFOLD_OUT, 0, of->problem->count);
}

struct allfold_span allfold_lane_piece(const struct lane_rank *of, int i)
{
    return piece_of(result(of), of, i, of->node.index);
}

struct allfold_span allfold_lane_room(struct allfold_builder *s, const struct lane_rank *of)
{
    const size_t longest = piece_of(result(of), of, 0, 0).length;
    return scratch(s, 2 * (size_t)(of->node.size - 1) * longest);
}

struct allfold_span allfold_lane_sum(struct allfold_builder *s, const struct lane_rank *of,
                                     struct allfold_span room, int i)
{
    const int lanes = of->node.size, lane = of->node.index;
    const struct allfold_span own = allfold_lane_piece(of, i);
    const size_t half = i % 2 == 0 ? 0 : room.length / 2;
    struct allfold_span sum = piece_of(of->mine, of, i, lane);
    for (int k = 1; k < lanes; k++) {
        const int to = wrap(lane + k, lanes), from = wrap(lane - k, lanes);
        const struct allfold_span got = part(room, half + (size_t)(k - 1) * own.length, own.length);
        exchange(s, to, piece_of(of->mine, of, i, to), from, got);
        reduce(s, own, got, sum);
        sum = own;
    }
    return sum;
}

void allfold_lane_exchange(struct allfold_builder *s, const struct lane_rank *of,
                           struct allfold_span from, struct allfold_span to)
{
    const struct allfold_group *lane = &of->lane;
    const struct allfold_frame node =
        allfold_frame_enter(s, lane, span(ALLFOLD_IN, 0, of->problem->count), result(of));
    exchange(s, wrap(lane->index + 1, lane->size), from, wrap(lane->index - 1, lane->size), to);
    allfold_frame_leave(s, node);
}

void allfold_lane_gather(struct allfold_builder *s, const struct lane_rank *of, int i)
{
    const int lanes = of->node.size, lane = of->node.index;
    for (int k = 1; k < lanes; k++) {
        const int to = wrap(lane + k, lanes), from = wrap(lane - k, lanes);
        exchange(s, to, allfold_lane_piece(of, i), from, piece_of(result(of), of, i, from));
    }
}
