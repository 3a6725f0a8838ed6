/* Groups and parts of the node-aware parallel allreduce (see node_aware.h). */
#include "algorithms/node_aware.h"

#include "algorithms/peers.h"

int allfold_node_aware_steps(int nodes, int ppn)
{
    int steps = 0;
    for (size_t reached = 1; reached < (size_t)nodes; reached *= (size_t)ppn)
        steps++;
    return steps;
}

static int part_begin(const struct node_aware_step *step, int part)
{
    return step->first + (int)block_begin((size_t)step->nodes, step->parts, part);
}

struct node_aware_step allfold_node_aware_step(int nodes, int ppn, int node, int level)
{
    struct node_aware_step step = {.first = 0, .nodes = nodes};
    for (int l = allfold_node_aware_steps(nodes, ppn);; l--) {
        size_t most = 1; /* ppn^(l-1), nodes of a part */
        for (int i = 1; i < l; i++)
            most *= (size_t)ppn;
        step.parts = (int)ceil_divide((size_t)step.nodes, most);
        step.part = 0;
        while (step.part + 1 < step.parts && part_begin(&step, step.part + 1) <= node)
            step.part++;
        const int begin = part_begin(&step, step.part);
        step.place = node - begin;
        if (l == level)
            return step;
        step.nodes = part_begin(&step, step.part + 1) - begin;
        step.first = begin;
    }
}

struct node_aware_parts allfold_node_aware_parts(int nodes, int ppn, int level)
{
    size_t least = (size_t)nodes, most = least; /* nodes of a group */
    for (int l = allfold_node_aware_steps(nodes, ppn);; l--) {
        size_t longest = 1; /* nodes of a part */
        for (int i = 1; i < l; i++)
            longest *= (size_t)ppn;
        const size_t few = ceil_divide(least, longest), many = ceil_divide(most, longest);
        if (l == level)
            return (struct node_aware_parts){(int)few, (int)many};
        const size_t shortest = least / few < most / many ? least / few : most / many;
        const size_t of_few = ceil_divide(least, few), of_many = ceil_divide(most, many);
        most = of_few > of_many ? of_few : of_many;
        least = shortest;
    }
}

int allfold_node_aware_node(const struct node_aware_step *step, int part, int place)
{
    const int begin = part_begin(step, part), end = part_begin(step, part + 1);
    return begin + place < end ? begin + place : -1;
}

/* The extra place of the longer parts is their last; part q's is served from place q. */
int allfold_node_aware_served(const struct node_aware_step *step)
{
    const int extra = step->nodes / step->parts;
    if (step->place >= step->parts || allfold_node_aware_node(step, step->part, extra) >= 0)
        return -1;
    return allfold_node_aware_node(step, step->place, extra);
}

size_t allfold_node_aware_sent(int nodes, int ppn)
{
    const int steps = allfold_node_aware_steps(nodes, ppn);
    size_t longest = 1; /* nodes of a part in the last step */
    for (int step = 1; step < steps; step++)
        longest *= (size_t)ppn;
    const size_t parts = ceil_divide((size_t)nodes, longest);
    const size_t full = (size_t)(steps > 0 ? steps - 1 : 0) * (size_t)ppn + parts;
    return parts * longest == (size_t)nodes ? full - (size_t)steps : full;
}
