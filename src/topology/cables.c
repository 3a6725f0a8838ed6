/* Lists of cables, copies with other numbers of the nodes, and paths in trees (see cables.h). */
#include "topology/cables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

static int by_ends(const void *left, const void *right)
{
    const struct allfold_cable *a = left, *b = right;
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

/* Sorts the pairs and omits duplicates. */
static void take_pairs(struct allfold_cables *cables, const struct allfold_cable *pairs, int count)
{
    struct allfold_cable *all = cables->cables;
    for (int i = 0; i < count; i++) {
        const struct allfold_cable pair = pairs[i];
        assert(pair.a != pair.b && pair.a >= 0 && pair.b >= 0);
        assert(pair.a < cables->nodes && pair.b < cables->nodes);
        all[i] = pair.a < pair.b ? pair : (struct allfold_cable){pair.b, pair.a};
    }
    qsort(all, (size_t)count, sizeof *all, by_ends);
    for (int i = 0; i < count; i++)
        if (i == 0 || by_ends(&all[i - 1], &all[i]) != 0)
            all[cables->count++] = all[i];
}

/* Fills the CSR arrays. Returns false if a node has too many cables. */
static bool list_by_node(struct allfold_cables *cables)
{
    const int n = cables->nodes;
    int *degree = cables->first + 1, most = 0;
    for (int c = 0; c < cables->count; c++) {
        degree[cables->cables[c].a]++;
        degree[cables->cables[c].b]++;
    }
    for (int v = 0; v < n; v++) {
        most = degree[v] > most ? degree[v] : most;
        degree[v] += cables->first[v];
    }
    int *next = cables->tree_of; /* free until the trees are made */
    for (int v = 0; v < n; v++)
        next[v] = cables->first[v];
    for (int c = 0; c < cables->count; c++) {
        cables->at[next[cables->cables[c].a]++] = c;
        cables->at[next[cables->cables[c].b]++] = c;
    }
    return most <= ALLFOLD_MOST_CABLES_OF_NODE;
}

/* Returns the number of integers that nodes_alone needs for `count` nodes. */
static size_t alone_room(int count)
{
    return 2 * (size_t)count + 3;
}

/* Returns nodes in which a rank has the number of its node, without groups and cables. Their arrays
 * are in `room`, so the nodes are not freed. */
static struct allfold_nodes nodes_alone(int count, int *room)
{
    int *const self = room, *const zeros = self + count + 1, *const lane = zeros + count;
    for (int v = 0; v <= count; v++)
        self[v] = v;
    memset(zeros, 0, (size_t)count * sizeof *zeros);
    lane[0] = 0;
    lane[1] = count;
    return (struct allfold_nodes){.count = count,
                                  .most = 1,
                                  .least = 1,
                                  .arrangement = ALLFOLD_IN_BLOCKS,
                                  .node_of = self,
                                  .index_of = zeros,
                                  .first = self,
                                  .members = self,
                                  .leaders = self,
                                  .lasts = self,
                                  .lane_first = lane,
                                  .lane_members = self,
                                  .is_in_order = true,
                                  .along = self,
                                  .place_of = self};
}

static struct allfold_cables *allocate(int nodes, int count)
{
    const size_t n = (size_t)nodes, m = (size_t)count, more = n > m ? n : m;
    struct allfold_cables *cables = allfold_allocate_zeroed(sizeof *cables);
    if (cables == NULL)
        return NULL;
    atomic_init(&cables->owners, 1);
    cables->nodes = nodes;
    cables->cables = allfold_allocate(m * sizeof *cables->cables);
    cables->first =
        allfold_allocate_zeroed((n + 1 + 2 * m + more + alone_room(nodes)) * sizeof(int));
    if (cables->cables == NULL || cables->first == NULL) {
        allfold_cables_free(cables);
        return NULL;
    }
    cables->at = cables->first + n + 1;
    cables->tree_of = cables->at + 2 * m;
    cables->alone = nodes_alone(nodes, cables->tree_of + more);
    cables->alone.cables = cables;
    return cables;
}

bool allfold_cables_list(int nodes, const struct allfold_cable *pairs, int count,
                         struct allfold_cables **cables)
{
    *cables = NULL;
    if (nodes < 2 || nodes > ALLFOLD_MOST_CABLED_NODES || count == 0 ||
        count > 2 * ALLFOLD_MOST_CABLES)
        return true;
    struct allfold_cables *made = allocate(nodes, count);
    if (made == NULL)
        return false;
    take_pairs(made, pairs, count);
    if (made->count <= ALLFOLD_MOST_CABLES && list_by_node(made))
        *cables = made;
    else
        allfold_cables_free(made);
    return true;
}

/* Copies the ends of the cables with the new numbers. The cables of a node keep their order. */
static void renumber_ends(const struct allfold_cables *cables, const int *number,
                          struct allfold_cables *made)
{
    const int *const first = cables->first;
    made->count = cables->count;
    for (int c = 0; c < cables->count; c++)
        made->cables[c] =
            (struct allfold_cable){number[cables->cables[c].a], number[cables->cables[c].b]};
    for (int v = 0; v < cables->nodes; v++)
        made->first[number[v] + 1] = first[v + 1] - first[v];
    for (int v = 0; v < cables->nodes; v++)
        made->first[v + 1] += made->first[v];
    for (int v = 0; v < cables->nodes; v++)
        memcpy(made->at + made->first[number[v]], cables->at + first[v],
               (size_t)(first[v + 1] - first[v]) * sizeof *made->at);
}

static void renumber_tree(const struct allfold_cable_tree *tree, const int *number, int nodes,
                          struct allfold_cable_tree *made, int *room)
{
    *made = *tree;
    made->parent = room;
    made->depth = room + nodes;
    for (int v = 0; v < nodes; v++) {
        made->parent[number[v]] = v == tree->top ? -1 : number[tree->parent[v]];
        made->depth[number[v]] = tree->depth[v];
    }
    made->top = number[tree->top];
    for (int i = 0; i < 2; i++)
        made->ends[i] = number[tree->ends[i]];
    for (int i = 0; i < tree->row_length; i++)
        made->row[i] = number[tree->row[i]];
}

struct allfold_cables *allfold_cables_renumber(const struct allfold_cables *cables,
                                               const int *number)
{
    const size_t of_tree = 2 * (size_t)cables->nodes;
    struct allfold_cables *made = allocate(cables->nodes, cables->count);
    int *room = made == NULL || cables->trees == 0
                    ? NULL
                    : allfold_allocate(of_tree * (size_t)cables->trees * sizeof *room);
    if (made == NULL || (cables->trees > 0 && room == NULL)) {
        allfold_cables_free(made);
        return NULL;
    }
    renumber_ends(cables, number, made);
    memcpy(made->tree_of, cables->tree_of, (size_t)cables->count * sizeof *made->tree_of);
    made->trees = cables->trees;
    made->most_links = cables->most_links;
    made->most_rows = cables->most_rows;
    for (int t = 0; t < cables->trees; t++)
        renumber_tree(&cables->tree[t], number, cables->nodes, &made->tree[t],
                      room + (size_t)t * of_tree);
    return made;
}

struct allfold_cables *allfold_cables_retain(struct allfold_cables *cables)
{
    if (cables != NULL)
        atomic_fetch_add(&cables->owners, 1);
    return cables;
}

void allfold_cables_free(struct allfold_cables *cables)
{
    if (cables == NULL)
        return;
    const int before = atomic_fetch_sub(&cables->owners, 1);
    assert(before > 0);
    if (before > 1)
        return;
    allfold_free(cables->tree[0].parent); /* the memory of all trees */
    allfold_free(cables->cables);
    allfold_free(cables->first);
    allfold_free(cables);
}

int allfold_tree_distance(const struct allfold_cable_tree *tree, int a, int b)
{
    int distance = 0;
    for (; a != b; distance++)
        if (tree->depth[a] >= tree->depth[b])
            a = tree->parent[a];
        else
            b = tree->parent[b];
    return distance;
}

int allfold_tree_distance_to(const struct allfold_cable_tree *tree, const int *row, int length,
                             int node)
{
    int least = allfold_tree_distance(tree, row[0], node);
    for (int i = 1; i < length; i++) {
        const int distance = allfold_tree_distance(tree, row[i], node);
        least = distance < least ? distance : least;
    }
    return least;
}

int allfold_tree_height_from(const struct allfold_cable_tree *tree, int node)
{
    const int one = allfold_tree_distance(tree, node, tree->ends[0]);
    const int other = allfold_tree_distance(tree, node, tree->ends[1]);
    return one > other ? one : other;
}

int allfold_tree_next(const struct allfold_cable_tree *tree, int from, int to)
{
    int below = -1;
    while (tree->depth[to] > tree->depth[from]) {
        below = to;
        to = tree->parent[to];
    }
    return to == from ? below : tree->parent[from];
}
