/* Copies blocks into the order of lanes and back (see lane_order.h). */
#include "algorithms/lane_order.h"

#include <assert.h>

#include "schedule/schedule.h"
#include "schedule/verbs.h"
#include "util/memory.h"

/* The length of the block with that number in the order of the lanes. */
static size_t length_of(const struct allfold_problem *problem, int number)
{
    return allfold_block_length(problem, problem->nodes->lane_members[number]);
}

static void sum_up(struct lane_order *order, size_t *lanes, size_t *nodes)
{
    const struct allfold_problem *problem = order->problem;
    const int count = problem->nodes->count, ppn = problem->nodes->most;
    const int own = problem->nodes->index_of[problem->group.index];
    size_t at = 0;
    for (int i = 0; i < ppn; i++) {
        lanes[i] = at;
        for (int n = 0; n < count; n++) {
            if (i == own)
                nodes[n] = at - lanes[i];
            at += length_of(problem, i * count + n);
        }
    }
    lanes[ppn] = at;
    nodes[count] = lanes[own + 1] - lanes[own];
    order->lanes = lanes;
    order->nodes = nodes;
    order->begin = lanes[own];
    order->length = nodes[count];
}

bool allfold_lane_order_make(struct allfold_builder *s, const struct allfold_problem *problem,
                             struct lane_order *order)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const size_t count = (size_t)nodes->count, ppn = (size_t)nodes->most;
    assert(allfold_nodes_are_like(nodes));
    *order = (struct lane_order){.problem = problem};
    if (allfold_blocks_are_alike(problem)) {
        order->length = count * problem->count;
        order->begin = (size_t)nodes->index_of[problem->group.index] * order->length;
        return true;
    }
    order->room = allfold_allocate((ppn + 1 + count + 1) * sizeof *order->room);
    if (order->room == NULL)
        allfold_builder_lacks_memory(s);
    else
        sum_up(order, order->room, order->room + ppn + 1);
    return order->room != NULL;
}

void allfold_lane_order_free(struct lane_order *order)
{
    allfold_free(order->room);
}

static bool is_in_order(const struct allfold_problem *problem)
{
    return problem->nodes->arrangement == ALLFOLD_CYCLIC;
}

struct allfold_span allfold_by_lanes(struct allfold_builder *s, const struct lane_order *order,
                                     int buffer)
{
    const size_t n = allfold_problem_length(order->problem);
    return is_in_order(order->problem) ? span(buffer, 0, n) : scratch(s, n);
}

/* Copies block by block, unless both are the same. */
static void move(struct allfold_builder *s, const struct lane_order *order, int buffer,
                 struct allfold_span by_lanes, bool back)
{
    size_t at = 0;
    for (int i = 0; i < order->problem->group.size && !is_in_order(order->problem); i++) {
        const struct allfold_span block =
            allfold_blocks(buffer, order->problem, order->problem->nodes->lane_members[i], 1);
        const struct allfold_span here = part(by_lanes, at, block.length);
        copy(s, back ? block : here, back ? here : block);
        at += block.length;
    }
}

void allfold_to_lanes(struct allfold_builder *s, const struct lane_order *order, int buffer,
                      struct allfold_span by_lanes)
{
    move(s, order, buffer, by_lanes, false);
}

void allfold_from_lanes(struct allfold_builder *s, const struct lane_order *order, int buffer,
                        struct allfold_span by_lanes)
{
    move(s, order, buffer, by_lanes, true);
}

size_t allfold_lane_copies(const struct allfold_problem *problem)
{
    return is_in_order(problem) ? 0 : allfold_problem_length(problem);
}

size_t allfold_longest_lane(const struct allfold_problem *problem)
{
    const int count = problem->nodes->count;
    size_t longest = 0;
    if (problem->begins == NULL)
        return (size_t)count * problem->count;
    for (int i = 0; i < problem->nodes->most; i++) {
        size_t length = 0;
        for (int n = 0; n < count; n++)
            length += length_of(problem, i * count + n);
        longest = length > longest ? length : longest;
    }
    return longest;
}
