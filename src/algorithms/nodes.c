/* Nodes (see nodes.h). */
#include "algorithms/nodes.h"

#include <stdlib.h>

#include "util/memory.h"

struct keyed {
    int64_t key;
    int rank;
    int lowest; /* rank with that key */
};

static int by_key(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int by_lowest(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    if (a->lowest != b->lowest)
        return a->lowest < b->lowest ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Puts the ranks in the order of their nodes. */
static void sort(struct keyed *keyed, const int64_t *keys, int p)
{
    for (int r = 0; r < p; r++)
        keyed[r] = (struct keyed){.key = keys[r], .rank = r};
    qsort(keyed, (size_t)p, sizeof *keyed, by_key);
    for (int i = 0; i < p; i++)
        keyed[i].lowest =
            i > 0 && keyed[i - 1].key == keyed[i].key ? keyed[i - 1].lowest : keyed[i].rank;
    qsort(keyed, (size_t)p, sizeof *keyed, by_lowest);
}

static void fill(struct allfold_nodes *nodes, const struct keyed *keyed, int p)
{
    for (int i = 0; i < p; i++) {
        if (i == 0 || keyed[i].lowest != keyed[i - 1].lowest)
            nodes->first[nodes->count++] = i;
        nodes->members[i] = keyed[i].rank;
        nodes->node_of[keyed[i].rank] = nodes->count - 1;
        nodes->index_of[keyed[i].rank] = i - nodes->first[nodes->count - 1];
    }
    nodes->first[nodes->count] = p;
    nodes->least = p;
    for (int n = 0; n < nodes->count; n++) {
        const int size = allfold_node_size(nodes, n);
        nodes->most = size > nodes->most ? size : nodes->most;
        nodes->least = size < nodes->least ? size : nodes->least;
    }
}

static void fill_lanes(struct allfold_nodes *nodes)
{
    int at = 0;
    for (int lane = 0; lane < nodes->most; lane++) {
        nodes->lane_first[lane] = at;
        for (int n = 0; n < nodes->count; n++)
            if (lane < allfold_node_size(nodes, n))
                nodes->lane_members[at++] = nodes->members[nodes->first[n] + lane];
    }
    nodes->lane_first[nodes->most] = at;
    for (int n = 0; n < nodes->count; n++)
        nodes->leaders[n] = nodes->members[nodes->first[n]];
}

static int counts_up(const int *ranks, int p)
{
    int i = 0;
    while (i < p && ranks[i] == i)
        i++;
    return i == p;
}

struct allfold_nodes *allfold_nodes_make(const int64_t *keys, int p)
{
    const size_t ranks = (size_t)p;
    struct allfold_nodes *nodes =
        allfold_allocate_zeroed(sizeof *nodes + (7 * ranks + 2) * sizeof(int));
    struct keyed *keyed = allfold_allocate(ranks * sizeof *keyed);
    if (nodes != NULL && keyed != NULL) {
        nodes->node_of = (int *)(nodes + 1);
        nodes->index_of = nodes->node_of + p;
        nodes->members = nodes->index_of + p;
        nodes->leaders = nodes->members + p;
        nodes->lane_members = nodes->leaders + p;
        nodes->first = nodes->lane_members + p;
        nodes->lane_first = nodes->first + p + 1;
        sort(keyed, keys, p);
        fill(nodes, keyed, p);
        fill_lanes(nodes);
        nodes->arrangement = counts_up(nodes->members, p)        ? ALLFOLD_IN_BLOCKS
                             : counts_up(nodes->lane_members, p) ? ALLFOLD_CYCLIC
                                                                 : ALLFOLD_IRREGULAR;
    } else {
        allfold_free(nodes);
        nodes = NULL;
    }
    allfold_free(keyed);
    return nodes;
}

void allfold_nodes_free(struct allfold_nodes *nodes)
{
    allfold_free(nodes);
}
