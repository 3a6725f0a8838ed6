/* Lanes (see lanes.h). */
#include "algorithms/lanes.h"

#include "algorithms/peers.h"
#include "schedule/verbs.h"

struct allfold_span allfold_take_others(struct allfold_builder *s, const struct allfold_group *node,
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

void allfold_build_lane(struct allfold_builder *s, const struct allfold_problem *problem,
                        const struct lane_parts *parts, struct allfold_group node,
                        struct allfold_span mine)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int lane = node.index, number = nodes->node_of[problem->group.index];
    const size_t n = problem->count;
    const struct allfold_span out = span(ALLFOLD_OUT, 0, n);
    node.size = nodes->least;
    const struct allfold_span block =
        part(out, block_begin(n, node.size, lane), block_length(n, node.size, lane));

    allfold_build_inner(
        s, problem,
        &(struct inner){
            .algorithm = parts->scatter, .group = node, .count = n, .in = mine, .out = block});
    allfold_build_inner(s, problem,
                        &(struct inner){.algorithm = parts->allreduce,
                                        .group = allfold_lane_group(nodes, lane, number),
                                        .count = block.length,
                                        .in = block,
                                        .out = block});
    allfold_build_inner(
        s, problem,
        &(struct inner){
            .algorithm = parts->gather, .group = node, .count = n, .in = block, .out = out});
}
