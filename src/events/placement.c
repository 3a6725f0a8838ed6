/* Placements in traces (see placement.h). */
#include "events/placement.h"

#include <assert.h>

#include "util/memory.h"

bool allfold_layout_says_all(const struct allfold_nodes *nodes)
{
    return allfold_nodes_are_blocks(nodes) && allfold_nodes_are_like(nodes) &&
           nodes->sockets == NULL && nodes->is_in_order;
}

/* --- writing --- */

static int difference(const int *list, int at)
{
    return list[at] - (at > 0 ? list[at - 1] : 0);
}

static int repeat_length(const int *list, int count, int at, int distance)
{
    int length = 0;
    while (at + length < count &&
           difference(list, at + length) == difference(list, at + length - distance))
        length++;
    return length;
}

/* The first repeat that is long enough, else the longest one. */
static int find_repeat(const int *list, int count, int at, int *distance)
{
    enum { SHORTEST = 4, LONG_ENOUGH = 64 };
    int best = 0;
    for (int d = 1; d <= at && d <= ALLFOLD_TRACE_LIST_BACK && best < LONG_ENOUGH; d++) {
        const int length = repeat_length(list, count, at, d);
        if (length > best) {
            best = length;
            *distance = d;
        }
    }
    return best >= SHORTEST ? best : 0;
}

static void put_literals(struct allfold_trace_bytes *bytes, const int *list, int begin, int end)
{
    if (begin == end)
        return;
    allfold_trace_put_number(bytes, (uint64_t)(end - begin) << 1);
    for (int i = begin; i < end; i++)
        allfold_trace_put_signed(bytes, difference(list, i));
}

/* By the differences: where nodes are alike, so are these, and a copy says all but the first. */
static void put_list(struct allfold_trace_bytes *bytes, const int *list, int count)
{
    int begin = 0, at = 0;
    while (at < count) {
        int distance = 0;
        const int length = find_repeat(list, count, at, &distance);
        if (length == 0) {
            at++;
            continue;
        }
        put_literals(bytes, list, begin, at);
        allfold_trace_put_number(bytes, (uint64_t)length << 1 | 1);
        allfold_trace_put_number(bytes, (uint64_t)distance);
        begin = at += length;
    }
    put_literals(bytes, list, begin, count);
}

static void find_order(const struct allfold_nodes *nodes, int *order)
{
    const int p = nodes->first[nodes->count];
    int count = 0;
    for (int at = 0; at < p; at += allfold_node_size(nodes, order[count++]))
        order[count] = nodes->node_of[nodes->along[at]];
    assert(count == nodes->count);
}

void allfold_trace_put_placement(struct allfold_trace_bytes *bytes,
                                 const struct allfold_nodes *nodes)
{
    const int p = nodes->first[nodes->count];
    const bool has_order = nodes->ordered != NULL, has_sockets = nodes->sockets != NULL;
    int *list = allfold_allocate((size_t)p * sizeof *list);
    if (list == NULL) {
        bytes->is_lost = true;
        return;
    }
    allfold_trace_put_number(bytes, (uint64_t)p);
    allfold_trace_put_number(bytes, (has_order ? ALLFOLD_TRACE_HAS_ORDER : 0) |
                                        (has_sockets ? ALLFOLD_TRACE_HAS_SOCKETS : 0));
    put_list(bytes, nodes->node_of, p);
    if (has_order) {
        find_order(nodes, list);
        put_list(bytes, list, nodes->count);
    }
    for (int r = 0; r < p && has_sockets; r++)
        list[r] =
            allfold_sockets_of(nodes, nodes->node_of[r]) == NULL ? 0 : allfold_socket_of(nodes, r);
    if (has_sockets)
        put_list(bytes, list, p);
    allfold_free(list);
}

/* --- what was read --- */

bool allfold_placement_allocate(struct allfold_traced_placement *placement, int p)
{
    *placement = (struct allfold_traced_placement){.p = p};
    placement->node_of = allfold_allocate(3 * (size_t)p * sizeof *placement->node_of);
    return placement->node_of != NULL;
}

void allfold_placement_free(struct allfold_traced_placement *placement)
{
    allfold_free(placement->node_of);
    *placement = (struct allfold_traced_placement){.p = 0};
}

/* Says the order and the sockets of what was made by the node of each rank. */
static bool complete(const struct allfold_traced_placement *placement, struct allfold_nodes *nodes,
                     int64_t *keys)
{
    bool fits = true;
    for (int i = 0; i < placement->nodes && placement->order != NULL; i++)
        keys[nodes->leaders[placement->order[i]]] = i;
    if (placement->order != NULL)
        fits = allfold_nodes_order(nodes, keys);
    for (int r = 0; r < placement->p && placement->socket_of != NULL; r++)
        keys[r] = placement->socket_of[r];
    if (placement->socket_of != NULL)
        fits = fits && allfold_nodes_divide(nodes, keys);
    return fits && allfold_nodes_add_ordered(nodes);
}

struct allfold_nodes *allfold_placement_nodes(const struct allfold_traced_placement *placement)
{
    const int p = placement->p;
    int64_t *keys = allfold_allocate((size_t)p * sizeof *keys);
    for (int r = 0; keys != NULL && r < p; r++)
        keys[r] = placement->node_of[r];
    struct allfold_nodes *nodes = keys == NULL ? NULL : allfold_nodes_make(keys, p);
    if (nodes != NULL && !complete(placement, nodes, keys)) {
        allfold_nodes_free(nodes);
        nodes = NULL;
    }
    allfold_free(keys);
    return nodes;
}
