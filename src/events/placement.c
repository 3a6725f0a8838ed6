/* Placements in traces (see placement.h). */
#include "events/placement.h"

#include <assert.h>
#include <string.h>

#include "util/memory.h"

bool allfold_layout_says_all(const struct allfold_nodes *nodes)
{
    return allfold_nodes_are_blocks(nodes) && allfold_nodes_are_like(nodes) &&
           nodes->sockets == NULL && nodes->is_in_order;
}

/* --- writing --- */

/* Writes a list by its differences, which replace it. If nodes are equal, these are as well, and
 * one copy stands for all but the first. */
static void put_list(struct allfold_trace_bytes *bytes, int *list, int count)
{
    uint32_t distance = 0;
    for (int i = count - 1; i > 0; i--)
        list[i] -= list[i - 1];
    allfold_trace_put_list(
        bytes,
        &(struct allfold_trace_list){
            .at = list, .end = (uint32_t)count, .back = ALLFOLD_TRACE_LIST_BACK, .is_signed = true},
        &distance);
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
    memcpy(list, nodes->node_of, (size_t)p * sizeof *list);
    put_list(bytes, list, p);
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
