/* Edge-disjoint spanning trees (see spanning_trees.h).
 *
 * The trees first grow breadth first, all at the same time. Then the missing cables are added one
 * by one, each by an augmenting path: a cable that closes a cycle in every tree may replace a cable
 * of a tree, which moves to another tree, and so on, until one cable joins two components. Finally
 * cables are exchanged as long as that reduces the heights of trees. */
#include "topology/spanning_trees.h"

#include <assert.h>
#include <string.h>

#include "util/memory.h"

enum { NONE = -1, FIRST = -2, UNSEEN = -3 };

/* Number of node visits to reduce heights: half a second. */
enum { SHALLOW_BUDGET = 1 << 25 };

/* A forest while trees are made. Each component is rooted at one of its nodes. */
struct forest {
    int *up;    /* node -> its parent; NONE at a root */
    int *cable; /* node -> the cable to its parent */
    int *depth;
    int *part; /* node -> the root of its component */
    int *jump; /* node -> an ancestor; all cables on the path to it have been seen */
    int top;   /* the root from which the tree grows */
};

struct packing {
    const struct allfold_cables *of;
    int *forest_of; /* cable -> its forest, or NONE */
    int nodes, count;
    int *seen;  /* cable -> the cable that would replace it; FIRST, or UNSEEN */
    int *queue; /* queue of cables, or of nodes */
    int *clump; /* node -> another node of its clump; no cable can be added inside a clump */
    struct forest forests[ALLFOLD_MOST_TREES];
    int deepest; /* maximum height of the trees at the start of a round of exchanges */
    long budget; /* number of node visits that are left */
};

static int end_of(const struct packing *packing, int cable, int node)
{
    return allfold_cable_end(packing->of, cable, node);
}

/* Returns the last node on the path of links from a node (union-find). Path compression halves the
 * path each time. */
static int follow(int *links, int node)
{
    while (links[node] != node)
        node = links[node] = links[links[node]];
    return node;
}

/* Returns the weight of a node, whose sum over all nodes the exchanges reduce. Each step of depth
 * multiplies the weight by four, and a node deeper than `deepest` has the maximum weight. The sum
 * over all nodes fits into 64 bits. */
static uint64_t weight_of(int depth, int deepest)
{
    enum { LEVELS = 23, BEYOND = 2 * LEVELS + 5 };
    const int level = LEVELS - (deepest - depth);
    return level < 0 ? 0 : (uint64_t)1 << (level > LEVELS ? BEYOND : 2 * level);
}

/* Attaches the subtree of `node` to `up` by cable `by`; with NONE, `node` becomes a root. Visits
 * the nodes by the cables in the forest, and returns the sum of their weights. */
static uint64_t hang_below(struct packing *packing, int number, int node, int up, int by)
{
    struct forest *forest = &packing->forests[number];
    const int *first = packing->of->first;
    int *queue = packing->queue, end = 0;
    uint64_t weight = 0;
    forest->up[node] = up;
    forest->cable[node] = by;
    forest->depth[node] = up == NONE ? 0 : forest->depth[up] + 1;
    forest->part[node] = up == NONE ? node : forest->part[up];
    queue[end++] = node;
    for (int begin = 0; begin < end; begin++) {
        const int v = queue[begin];
        weight += weight_of(forest->depth[v], packing->deepest);
        for (int i = first[v]; i < first[v + 1]; i++) {
            const int cable = packing->of->at[i], w = end_of(packing, cable, v);
            if (packing->forest_of[cable] != number || cable == forest->cable[v])
                continue;
            forest->up[w] = v;
            forest->cable[w] = cable;
            forest->depth[w] = forest->depth[v] + 1;
            forest->part[w] = forest->part[v];
            queue[end++] = w;
        }
    }
    packing->budget -= end;
    return weight;
}

static void hang_part(struct packing *packing, int number, int top)
{
    hang_below(packing, number, top, NONE, NONE);
}

static void hang(struct packing *packing, int number)
{
    struct forest *forest = &packing->forests[number];
    for (int v = 0; v < packing->nodes; v++)
        forest->part[v] = NONE;
    hang_part(packing, number, forest->top);
    for (int v = 0; v < packing->nodes; v++)
        if (forest->part[v] == NONE)
            hang_part(packing, number, v);
}

/* Returns the last node of a breadth-first search from `from`, and the number of nodes reached.
 * `seen` has the predecessor of each node. */
static int farthest(struct packing *packing, int from, int *reached)
{
    const int *first = packing->of->first;
    int *before = packing->seen, *queue = packing->queue, end = 0;
    for (int v = 0; v < packing->nodes; v++)
        before[v] = UNSEEN;
    before[from] = NONE;
    queue[end++] = from;
    for (int begin = 0; begin < end; begin++)
        for (int i = first[queue[begin]]; i < first[queue[begin] + 1]; i++) {
            const int w = end_of(packing, packing->of->at[i], queue[begin]);
            if (before[w] != UNSEEN)
                continue;
            before[w] = queue[begin];
            queue[end++] = w;
        }
    *reached = end;
    return queue[end - 1];
}

/* Returns a node in the middle of a long shortest path; NONE if the graph is not connected. */
static int middle_of(struct packing *packing)
{
    int reached;
    const int from = farthest(packing, 0, &reached);
    if (reached < packing->nodes)
        return NONE;
    int length = 0, node = farthest(packing, from, &reached);
    for (int v = node; v != from; v = packing->seen[v])
        length++;
    for (int i = 0; i < length / 2; i++)
        node = packing->seen[node];
    return node;
}

/* A growing tree's queue of nodes, in the order in which the tree reached them. */
struct row {
    int *nodes, begin, end;
};

/* Adds the node nearest to the tree's root that a free cable reaches. Returns false if there is
 * none. */
static bool take_node(struct packing *packing, int number, struct row *row)
{
    int *part = packing->forests[number].part;
    for (; row->begin < row->end; row->begin++) {
        const int v = row->nodes[row->begin];
        for (int i = packing->of->first[v]; i < packing->of->first[v + 1]; i++) {
            const int cable = packing->of->at[i], w = end_of(packing, cable, v);
            if (packing->forest_of[cable] != NONE || part[w] != NONE)
                continue;
            packing->forest_of[cable] = number;
            part[w] = part[v];
            row->nodes[row->end++] = w;
            return true;
        }
    }
    return false;
}

/* Grows all trees, one node at a time in turn. */
static void grow(struct packing *packing)
{
    struct row rows[ALLFOLD_MOST_TREES];
    bool grows = true;
    for (int t = 0; t < packing->count; t++) {
        struct forest *forest = &packing->forests[t];
        for (int v = 0; v < packing->nodes; v++)
            forest->part[v] = NONE;
        forest->part[forest->top] = forest->top;
        rows[t] = (struct row){forest->jump, 0, 1};
        rows[t].nodes[0] = forest->top;
    }
    while (grows) {
        grows = false;
        for (int t = 0; t < packing->count; t++)
            grows = take_node(packing, t, &rows[t]) || grows;
    }
    for (int t = 0; t < packing->count; t++)
        hang(packing, t);
}

/* Moves cables along an augmenting path: `cable` moves to forest `to`, its replacement moves to the
 * forest that `cable` leaves, and so on. */
static void push_along(struct packing *packing, int cable, int to)
{
    bool changed[ALLFOLD_MOST_TREES] = {false};
    while (cable != FIRST) {
        const int from = packing->forest_of[cable];
        packing->forest_of[cable] = to;
        changed[to] = true;
        to = from;
        cable = packing->seen[cable];
    }
    for (int t = 0; t < packing->count; t++)
        if (changed[t])
            hang(packing, t);
}

/* Marks all cables of the cycle that `cable` closes in the forest: `cable` could replace any of
 * them. Returns the new end of the queue. */
static int see_cycle(struct packing *packing, int number, int cable, int end)
{
    struct forest *forest = &packing->forests[number];
    int x = follow(forest->jump, packing->of->cables[cable].a);
    int y = follow(forest->jump, packing->of->cables[cable].b);
    while (x != y) {
        int *const low = forest->depth[x] >= forest->depth[y] ? &x : &y;
        const int of = forest->cable[*low];
        if (packing->seen[of] == UNSEEN) {
            packing->seen[of] = cable;
            packing->queue[end++] = of;
        }
        forest->jump[*low] = forest->up[*low];
        *low = follow(forest->jump, *low);
    }
    return end;
}

/* Adds a cable to the forests, if possible. Cables are searched in the order of the fewest
 * exchanges: otherwise an exchange could disconnect a forest. */
static bool add(struct packing *packing, int added)
{
    int begin = 0, end = 0;
    for (int c = 0; c < packing->of->count; c++)
        packing->seen[c] = UNSEEN;
    for (int t = 0; t < packing->count; t++)
        for (int v = 0; v < packing->nodes; v++)
            packing->forests[t].jump[v] = v;
    packing->seen[added] = FIRST;
    packing->queue[end++] = added;
    while (begin < end) {
        const int cable = packing->queue[begin++];
        const struct allfold_cable ends = packing->of->cables[cable];
        for (int t = 0; t < packing->count; t++) {
            const int *part = packing->forests[t].part;
            if (packing->forest_of[cable] == t)
                continue;
            if (part[ends.a] != part[ends.b]) {
                push_along(packing, cable, t);
                return true;
            }
            end = see_cycle(packing, t, cable, end);
        }
    }
    const int first = follow(packing->clump, packing->of->cables[added].a);
    for (int i = 0; i < end; i++) {
        const struct allfold_cable ends = packing->of->cables[packing->queue[i]];
        packing->clump[follow(packing->clump, ends.a)] = first;
        packing->clump[follow(packing->clump, ends.b)] = first;
    }
    return false;
}

/* Returns whether packing->count trees span all nodes, after adding cables one by one. */
static bool pack(struct packing *packing)
{
    const struct allfold_cables *of = packing->of;
    const int wanted = packing->count * (packing->nodes - 1);
    int have = 0;
    for (int c = 0; c < of->count; c++)
        packing->forest_of[c] = NONE;
    grow(packing);
    for (int c = 0; c < of->count; c++)
        have += packing->forest_of[c] != NONE;
    for (int v = 0; v < packing->nodes; v++)
        packing->clump[v] = v;
    for (int c = 0; c < of->count && have < wanted; c++) {
        const struct allfold_cable ends = of->cables[c];
        if (packing->forest_of[c] == NONE &&
            follow(packing->clump, ends.a) != follow(packing->clump, ends.b))
            have += add(packing, c);
    }
    return have == wanted;
}

static int height_of(const struct packing *packing, int number)
{
    const int *depth = packing->forests[number].depth;
    int height = 0;
    for (int v = 0; v < packing->nodes; v++)
        height = depth[v] > height ? depth[v] : height;
    return height;
}

static int greatest_height(const struct packing *packing)
{
    int most = 0;
    for (int t = 0; t < packing->count; t++) {
        const int height = height_of(packing, t);
        most = height > most ? height : most;
    }
    return most;
}

static int deepest_of(const struct packing *packing, int number)
{
    const int *depth = packing->forests[number].depth;
    int deepest = 0;
    for (int v = 1; v < packing->nodes; v++)
        deepest = depth[v] > depth[deepest] ? v : deepest;
    return deepest;
}

/* Moves a tree's root to the middle of its longest path, whose ends it writes. */
static void hang_from_middle(struct packing *packing, int number, int ends[2])
{
    struct forest *forest = &packing->forests[number];
    ends[0] = deepest_of(packing, number);
    hang_part(packing, number, ends[0]);
    int middle = ends[1] = deepest_of(packing, number);
    const int length = forest->depth[middle];
    while (2 * forest->depth[middle] > length + 1)
        middle = forest->up[middle];
    forest->top = middle;
    hang_part(packing, number, middle);
}

/* Returns whether a node is in the subtree of `lower`. */
static bool is_below(const struct forest *forest, int node, int lower)
{
    while (forest->depth[node] > forest->depth[lower])
        node = forest->up[node];
    return node == lower;
}

/* Attaches node v of a tree to the end w of another cable. The tree that had this cable gets the
 * cable from v to its old parent, if that joins its two components. Returns false, with no change,
 * if the sum of weights does not decrease. */
static bool exchange(struct packing *packing, int number, int v, int w, int cable)
{
    const int left = packing->forests[number].cable[v], up = packing->forests[number].up[v];
    const int other = packing->forest_of[cable];
    const struct forest *from = other == NONE ? NULL : &packing->forests[other];
    int lower = NONE, upper = NONE, below = NONE, above = NONE;
    uint64_t before = hang_below(packing, number, v, up, left);
    if (from != NULL) {
        lower = from->cable[v] == cable ? v : w;
        upper = from->up[lower];
        const bool has_v = is_below(from, v, lower);
        if (has_v == is_below(from, up, lower))
            return false;
        below = has_v ? v : up;
        above = has_v ? up : v;
        before += hang_below(packing, other, lower, upper, cable);
    }
    packing->forest_of[cable] = number;
    packing->forest_of[left] = other;
    uint64_t now = hang_below(packing, number, v, w, cable);
    if (from != NULL)
        now += hang_below(packing, other, below, above, left);
    if (now < before)
        return true;
    packing->forest_of[cable] = other;
    packing->forest_of[left] = number;
    hang_below(packing, number, v, up, left);
    if (from != NULL)
        hang_below(packing, other, lower, upper, cable);
    return false;
}

/* Attaches a node nearer to its tree's root, if that reduces the sum of weights. */
static bool lift(struct packing *packing, int number, int v)
{
    const struct forest *tree = &packing->forests[number];
    for (int i = packing->of->first[v]; i < packing->of->first[v + 1]; i++) {
        const int cable = packing->of->at[i], w = end_of(packing, cable, v);
        if (packing->forest_of[cable] != number && tree->depth[w] + 1 < tree->depth[v] &&
            exchange(packing, number, v, w, cable))
            return true;
    }
    return false;
}

/* Lifts all nodes of all trees, the deepest first. Returns whether any node was lifted. */
static bool lift_all(struct packing *packing)
{
    bool any = false;
    packing->deepest = greatest_height(packing);
    for (int depth = packing->deepest; depth > 1; depth--)
        for (int t = 0; t < packing->count; t++)
            for (int v = 0; v < packing->nodes && packing->budget > 0; v++)
                if (packing->forests[t].depth[v] == depth)
                    any = lift(packing, t, v) || any;
    return any;
}

/* Lifts nodes as long as heights decrease. */
static void make_shallow(struct packing *packing)
{
    int ends[2], height;
    packing->budget = SHALLOW_BUDGET;
    do {
        height = greatest_height(packing);
        for (int t = 0; t < packing->count; t++)
            hang_from_middle(packing, t, ends);
        while (lift_all(packing))
            ;
    } while (greatest_height(packing) < height);
}

/* Returns an upper bound of the number of trees: each tree needs a cable of each node, and one
 * cable less than there are nodes. */
static int most_trees(const struct allfold_cables *cables)
{
    int most = cables->count / (cables->nodes - 1);
    for (int v = 0; v < cables->nodes; v++) {
        const int degree = cables->first[v + 1] - cables->first[v];
        most = degree < most ? degree : most;
    }
    return most < ALLFOLD_MOST_TREES ? most : ALLFOLD_MOST_TREES;
}

/* Finds the maximum number of trees, which grow from a node in the middle. */
static void find_trees(struct packing *packing)
{
    const int middle = middle_of(packing);
    packing->count = middle == NONE ? 0 : most_trees(packing->of);
    while (packing->count > 0) {
        for (int t = 0; t < packing->count; t++)
            packing->forests[t].top = middle;
        if (pack(packing))
            return;
        packing->count--;
    }
    for (int c = 0; c < packing->of->count; c++)
        packing->forest_of[c] = NONE;
}

/* Finds the center path of a tree, and its height. */
static void find_row(struct allfold_cable_tree *tree, int nodes)
{
    const int length = allfold_tree_distance(tree, tree->ends[0], tree->ends[1]) + 1;
    tree->row_length = length < ALLFOLD_TREE_ROW ? length : ALLFOLD_TREE_ROW;
    tree->row[0] = tree->ends[0];
    for (int i = 0; i < (length - tree->row_length) / 2; i++)
        tree->row[0] = allfold_tree_next(tree, tree->row[0], tree->ends[1]);
    for (int i = 1; i < tree->row_length; i++)
        tree->row[i] = allfold_tree_next(tree, tree->row[i - 1], tree->ends[1]);
    for (int v = 0; v < nodes; v++) {
        const int distance = allfold_tree_distance_to(tree, tree->row, tree->row_length, v);
        tree->height = distance > tree->height ? distance : tree->height;
    }
}

static void count_most(struct allfold_cables *cables)
{
    for (int v = 0; v < cables->nodes; v++) {
        int links = 0, rows = 0;
        for (int i = cables->first[v]; i < cables->first[v + 1]; i++)
            links += cables->tree_of[cables->at[i]] != NONE;
        for (int t = 0; t < cables->trees; t++)
            for (int i = 0; i < cables->tree[t].row_length; i++)
                rows += cables->tree[t].row[i] == v;
        cables->most_links = links > cables->most_links ? links : cables->most_links;
        cables->most_rows = rows > cables->most_rows ? rows : cables->most_rows;
    }
}

/* Copies the trees into `cables`. Returns false if out of memory. */
static bool keep_trees(struct packing *packing, struct allfold_cables *cables)
{
    const size_t n = (size_t)cables->nodes, trees = (size_t)packing->count;
    int *ints = allfold_allocate(2 * n * trees * sizeof *ints);
    if (ints == NULL)
        return false;
    for (int t = 0; t < packing->count; t++) {
        struct allfold_cable_tree *tree = &cables->tree[t];
        hang_from_middle(packing, t, tree->ends);
        tree->top = packing->forests[t].top;
        tree->parent = memcpy(ints + 2 * n * (size_t)t, packing->forests[t].up, n * sizeof *ints);
        tree->depth = memcpy(tree->parent + n, packing->forests[t].depth, n * sizeof *ints);
        find_row(tree, cables->nodes);
    }
    cables->trees = packing->count;
    count_most(cables);
    return true;
}

/* Finds the trees and fills `tree_of`. Returns false if out of memory. */
static bool span_all(struct allfold_cables *cables)
{
    const size_t n = (size_t)cables->nodes, m = (size_t)cables->count, more = n > m ? n : m;
    const int most = most_trees(cables);
    struct packing packing = {.of = cables, .nodes = cables->nodes, .forest_of = cables->tree_of};
    int *const ints = allfold_allocate((2 * more + n + 5 * n * (size_t)most) * sizeof *ints);
    if (ints == NULL)
        return false;
    packing.seen = ints;
    packing.queue = packing.seen + more;
    packing.clump = packing.queue + more;
    int *at = packing.clump + n;
    for (int t = 0; t < most; t++, at += 5 * n)
        packing.forests[t] = (struct forest){at, at + n, at + 2 * n, at + 3 * n, at + 4 * n, 0};
    find_trees(&packing);
    make_shallow(&packing);
    const bool fits = packing.count == 0 || keep_trees(&packing, cables);
    allfold_free(ints);
    return fits;
}

bool allfold_cables_make(int nodes, const struct allfold_cable *pairs, int count,
                         struct allfold_cables **cables)
{
    if (!allfold_cables_list(nodes, pairs, count, cables))
        return false;
    if (*cables == NULL || span_all(*cables))
        return true;
    allfold_cables_free(*cables);
    *cables = NULL;
    return false;
}
