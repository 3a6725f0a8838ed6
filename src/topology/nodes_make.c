/* Makes nodes by sorting ranks by keys: of nodes, groups and sockets (see nodes_make.h). */
#include "topology/nodes_make.h"

#include <assert.h>
#include <stdlib.h>

#include "topology/nodes.h"
#include "topology/spanning_trees.h"
#include "util/memory.h"

struct keyed {
    int64_t key;
    int rank;
    int lowest; /* the lowest rank with this key */
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

/* Sorts the ranks by the order of their nodes. */
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
    for (int n = 0; n < nodes->count; n++) {
        nodes->leaders[n] = nodes->members[nodes->first[n]];
        nodes->lasts[n] = nodes->members[nodes->first[n + 1] - 1];
    }
}

static int counts_up(const int *ranks, int p)
{
    int i = 0;
    while (i < p && ranks[i] == i)
        i++;
    return i == p;
}

static void find_places(struct allfold_nodes *nodes, int p)
{
    for (int i = 0; i < p; i++)
        nodes->place_of[nodes->along[i]] = i;
    nodes->is_in_order = counts_up(nodes->along, p);
}

/* Makes nodes of ranks that are sorted by their nodes. Returns NULL if out of memory. */
static struct allfold_nodes *make_of_sorted(const struct keyed *keyed, int p)
{
    struct allfold_nodes *nodes =
        allfold_allocate_zeroed(sizeof *nodes + (10 * (size_t)p + 2) * sizeof(int));
    if (nodes == NULL)
        return NULL;
    nodes->node_of = (int *)(nodes + 1);
    nodes->index_of = nodes->node_of + p;
    nodes->members = nodes->index_of + p;
    nodes->leaders = nodes->members + p;
    nodes->lasts = nodes->leaders + p;
    nodes->lane_members = nodes->lasts + p;
    nodes->first = nodes->lane_members + p;
    nodes->lane_first = nodes->first + p + 1;
    nodes->along = nodes->lane_first + p + 1;
    nodes->place_of = nodes->along + p;
    fill(nodes, keyed, p);
    fill_lanes(nodes);
    for (int i = 0; i < p; i++)
        nodes->along[i] = nodes->members[i];
    find_places(nodes, p);
    nodes->arrangement = counts_up(nodes->members, p)        ? ALLFOLD_IN_BLOCKS
                         : counts_up(nodes->lane_members, p) ? ALLFOLD_CYCLIC
                                                             : ALLFOLD_IRREGULAR;
    return nodes;
}

static struct allfold_nodes *make_of_keys(const int64_t *keys, int p)
{
    struct keyed *keyed = allfold_allocate((size_t)p * sizeof *keyed);
    if (keyed == NULL)
        return NULL;
    sort(keyed, keys, p);
    struct allfold_nodes *nodes = make_of_sorted(keyed, p);
    allfold_free(keyed);
    return nodes;
}

/* Returns whether all ranks of each node have the same key. */
static bool are_kept_together(const struct allfold_nodes *nodes, const int64_t *keys)
{
    for (int n = 0; n < nodes->count; n++)
        for (int i = nodes->first[n]; i < nodes->first[n + 1]; i++)
            if (keys[nodes->members[i]] != keys[nodes->leaders[n]])
                return false;
    return true;
}

/* Replaces nodes by their lowest ranks in groups that were made with nodes as ranks. */
static void rename_members(struct allfold_nodes *groups, const int *leaders, int nodes)
{
    for (int i = 0; i < nodes; i++) {
        groups->members[i] = leaders[groups->members[i]];
        groups->lane_members[i] = leaders[groups->lane_members[i]];
    }
    for (int g = 0; g < groups->count; g++)
        groups->leaders[g] = leaders[groups->leaders[g]];
}

/* Sorts `along` by the highest groups, in the order of their first rank in `along`. Ranks of the
 * same group keep their order. Returns false if out of memory. */
static bool sort_along(struct allfold_nodes *nodes)
{
    const int p = nodes->first[nodes->count];
    const struct allfold_nodes *highest = nodes;
    while (highest->groups != NULL)
        highest = highest->groups;
    int *from = allfold_allocate((2 * (size_t)p + 2 * (size_t)highest->count) * sizeof *from);
    if (from == NULL)
        return false;
    int *group_of = from + p, *size = group_of + p, *next = size + highest->count, begin = 0;
    for (int g = 0; g < highest->count; g++) {
        size[g] = 0;
        next[g] = -1;
    }
    for (int i = 0; i < p; i++) {
        from[i] = group_of[i] = nodes->along[i];
        for (const struct allfold_nodes *at = nodes; at != NULL; at = at->groups)
            group_of[i] = at->node_of[group_of[i]];
        size[group_of[i]]++;
    }
    for (int i = 0; i < p; i++) {
        const int group = group_of[i];
        if (next[group] < 0) {
            next[group] = begin;
            begin += size[group];
        }
        nodes->along[next[group]++] = from[i];
    }
    find_places(nodes, p);
    allfold_free(from);
    return true;
}

/* Sorts the nodes by the keys of their lowest ranks. Nodes with the same key keep their order. Must
 * be called before groups are added. Returns false if out of memory. */
static bool order(struct allfold_nodes *nodes, const int64_t *keys)
{
    const int p = nodes->first[nodes->count];
    struct keyed *keyed = allfold_allocate((size_t)p * sizeof *keyed);
    assert(nodes->groups == NULL); /* groups sort `along` when they are added */
    if (keyed == NULL)
        return false;
    for (int i = 0; i < p; i++) {
        const int rank = nodes->along[i];
        keyed[i] = (struct keyed){.key = keys[nodes->leaders[nodes->node_of[rank]]],
                                  .rank = i, /* makes the order stable */
                                  .lowest = rank};
    }
    qsort(keyed, (size_t)p, sizeof *keyed, by_key);
    for (int i = 0; i < p; i++)
        nodes->along[i] = keyed[i].lowest;
    find_places(nodes, p);
    allfold_free(keyed);
    return true;
}

/* a fat tree with half as many links up as down, and two more links of 0.2 us on the path */
static const double assumed_taper = 2, assumed_farther_s = 0.4e-6;

/* Sets the properties of the highest groups' links, and estimates those that are unknown. */
static void link_groups(struct allfold_nodes *nodes, const struct allfold_group_level *level)
{
    struct allfold_nodes *highest = nodes;
    int levels = 0;
    for (; highest->groups != NULL; levels++)
        highest = highest->groups;
    highest->uplinks =
        level->uplinks > 0 ? level->uplinks : allfold_most_nodes(nodes, levels - 1) / assumed_taper;
    highest->pair_uplinks = level->pair_uplinks > 0 ? level->pair_uplinks : highest->uplinks;
    highest->farther_s = level->farther_s > 0 ? level->farther_s : assumed_farther_s;
}

/* Adds groups above the highest level. Returns false if out of memory. */
static bool group(struct allfold_nodes *nodes, const struct allfold_group_level *level)
{
    struct allfold_nodes *highest = nodes;
    while (are_kept_together(highest, level->keys) && highest->groups != NULL)
        highest = highest->groups;
    if (!are_kept_together(highest, level->keys))
        return true;
    int64_t *own = allfold_allocate((size_t)highest->count * sizeof *own);
    for (int n = 0; n < highest->count && own != NULL; n++)
        own[n] = level->keys[highest->leaders[n]];
    struct allfold_nodes *groups = own == NULL ? NULL : make_of_keys(own, highest->count);
    allfold_free(own);
    if (groups == NULL)
        return false;
    if (groups->count == 1 || groups->count == highest->count) {
        allfold_free(groups);
        return true;
    }
    rename_members(groups, highest->leaders, highest->count);
    highest->groups = groups;
    if (!sort_along(nodes))
        return false;
    link_groups(nodes, level);
    return true;
}

/* Returns whether `made` has the same sockets as the node that has `sockets`. */
static bool has_sockets(const struct allfold_nodes *sockets, const struct allfold_nodes *made)
{
    if (sockets == NULL || sockets->first[sockets->count] != made->first[made->count])
        return false;
    for (int i = 0; i < made->first[made->count]; i++)
        if (sockets->node_of[i] != made->node_of[i])
            return false;
    return true;
}

static void free_sockets(const struct allfold_nodes *nodes)
{
    for (int n = 0; nodes->sockets != NULL && n < nodes->count; n++)
        if (n == 0 || nodes->sockets[n] != nodes->sockets[n - 1])
            allfold_nodes_free(nodes->sockets[n]);
    allfold_free(nodes->sockets);
}

/* Sets the sockets of one node by the keys of its ranks. If they equal those of the previous node,
 * the two nodes share them. Returns false if out of memory. */
static bool divide_node(struct allfold_nodes *nodes, int node, const int64_t *keys, int64_t *own)
{
    const int size = allfold_node_size(nodes, node);
    const struct allfold_nodes *before = node == 0 ? NULL : nodes->sockets[node - 1];
    bool all_known = true;
    for (int i = 0; i < size; i++) {
        own[i] = keys[allfold_rank_on(nodes, node, i)];
        all_known = all_known && own[i] >= 0;
    }
    if (!all_known)
        return true;
    struct allfold_nodes *made = make_of_keys(own, size);
    if (made == NULL)
        return false;
    const bool says_nothing = made->count == 1 || made->count == size;
    const bool is_alike = !says_nothing && has_sockets(before, made);
    nodes->sockets[node] = says_nothing ? NULL : is_alike ? nodes->sockets[node - 1] : made;
    if (says_nothing || is_alike)
        allfold_nodes_free(made);
    return true;
}

/* Sorts the ranks of each node in `along` by their sockets. */
static void sort_by_sockets(struct allfold_nodes *nodes)
{
    const int p = nodes->first[nodes->count];
    for (int at = 0, size; at < p; at += size) {
        const int node = nodes->node_of[nodes->along[at]];
        const struct allfold_nodes *sockets = allfold_sockets_of(nodes, node);
        size = allfold_node_size(nodes, node);
        for (int i = 0; i < size; i++)
            nodes->along[at + i] =
                allfold_rank_on(nodes, node, sockets == NULL ? i : sockets->members[i]);
    }
    find_places(nodes, p);
}

static bool divide(struct allfold_nodes *nodes, const int64_t *keys)
{
    int64_t *own = allfold_allocate((size_t)nodes->most * sizeof *own);
    nodes->sockets = allfold_allocate_zeroed((size_t)nodes->count * sizeof *nodes->sockets);
    bool fits = own != NULL && nodes->sockets != NULL, has_any = false;
    for (int n = 0; n < nodes->count && fits; n++) {
        fits = divide_node(nodes, n, keys, own);
        has_any = has_any || nodes->sockets[n] != NULL;
    }
    allfold_free(own);
    if (fits && !has_any) {
        allfold_free(nodes->sockets);
        nodes->sockets = NULL;
    }
    sort_by_sockets(nodes);
    return fits;
}

/* Returns whether the nodes are numbered as in `along`. */
static bool are_along(const struct allfold_nodes *nodes)
{
    const int p = nodes->first[nodes->count];
    int i = 1;
    while (i < p && nodes->node_of[nodes->along[i]] >= nodes->node_of[nodes->along[i - 1]])
        i++;
    return i == p;
}

/* Makes the same nodes, numbered as in `along`. Returns NULL if out of memory. */
static struct allfold_nodes *make_along(const struct allfold_nodes *nodes)
{
    const int p = nodes->first[nodes->count];
    struct keyed *keyed = allfold_allocate((size_t)p * sizeof *keyed);
    for (int at = 0, size; keyed != NULL && at < p; at += size) {
        const int node = nodes->node_of[nodes->along[at]];
        size = allfold_node_size(nodes, node);
        for (int i = 0; i < size; i++)
            keyed[at + i] = (struct keyed){.rank = allfold_rank_on(nodes, node, i), .lowest = node};
    }
    struct allfold_nodes *made = keyed == NULL ? NULL : make_of_sorted(keyed, p);
    allfold_free(keyed);
    return made;
}

/* Sets the cables of `made`, with its numbers of the nodes. Returns false if out of memory. */
static bool renumber_cables(const struct allfold_nodes *nodes, struct allfold_nodes *made)
{
    if (nodes->cables == NULL)
        return true;
    int *number = allfold_allocate((size_t)nodes->count * sizeof *number);
    for (int n = 0; number != NULL && n < nodes->count; n++)
        number[n] = made->node_of[nodes->leaders[n]];
    made->cables = number == NULL ? NULL : allfold_cables_renumber(nodes->cables, number);
    allfold_free(number);
    return made->cables != NULL;
}

/* Returns the rank of `like` that corresponds to a rank. */
static int member(const struct allfold_nodes_facts *facts, int rank)
{
    return facts->members == NULL ? rank : facts->members[rank];
}

/* Adds the groups of `like`, with their links. Returns false if out of memory. */
static bool group_like(struct allfold_nodes *nodes, const struct allfold_nodes_facts *facts,
                       int64_t *keys)
{
    const int p = nodes->first[nodes->count];
    bool fits = true;
    for (int r = 0; r < p; r++)
        keys[r] = facts->like->node_of[member(facts, r)];
    for (const struct allfold_nodes *at = facts->like->groups; at != NULL && fits;
         at = at->groups) {
        for (int r = 0; r < p; r++)
            keys[r] = at->node_of[keys[r]];
        const struct allfold_group_level level = {keys, at->uplinks, at->pair_uplinks,
                                                  at->farther_s};
        fits = group(nodes, &level);
    }
    return fits;
}

/* Returns whether the p ranks are all ranks of `like` in the same order. */
static bool are_all(const struct allfold_nodes_facts *facts, int p)
{
    int r = 0;
    while (r < p && member(facts, r) == r)
        r++;
    return r == facts->like->first[facts->like->count];
}

/* Sets the cables from `like`: shared for all ranks; for the first ranks, the cables between their
 * nodes. Other subsets get none: finding trees takes long. Returns false if out of memory. */
static bool cable_like(struct allfold_nodes *nodes, const struct allfold_nodes_facts *facts)
{
    struct allfold_cables *cables = facts->like->cables;
    const int p = nodes->first[nodes->count];
    int count = 0;
    if (cables == NULL || are_all(facts, p)) {
        nodes->cables = allfold_cables_retain(cables);
        return true;
    }
    if (facts->members != NULL)
        return true;
    struct allfold_cable *pairs = allfold_allocate((size_t)cables->count * sizeof *pairs);
    for (int c = 0; pairs != NULL && c < cables->count; c++) {
        const int a = facts->like->leaders[cables->cables[c].a];
        const int b = facts->like->leaders[cables->cables[c].b];
        assert(a < b); /* nodes and cables are numbered by lowest ranks */
        if (b < p)
            pairs[count++] = (struct allfold_cable){nodes->node_of[a], nodes->node_of[b]};
    }
    const bool fits =
        pairs != NULL && allfold_cables_make(nodes->count, pairs, count, &nodes->cables);
    allfold_free(pairs);
    return fits;
}

/* Completes `made`, which is `nodes` numbered as in `along`. The sockets are shared with `nodes`,
 * groups and cables are copied. Returns false if out of memory. */
static bool complete_along(const struct allfold_nodes *nodes, struct allfold_nodes *made,
                           int64_t *keys)
{
    made->cores = nodes->cores;
    made->is_crowded = nodes->is_crowded;
    made->card_mbit = nodes->card_mbit;
    made->arrangement = nodes->arrangement;
    if (!renumber_cables(nodes, made))
        return false;
    if (nodes->sockets != NULL) {
        made->sockets = allfold_allocate((size_t)nodes->count * sizeof *made->sockets);
        if (made->sockets == NULL)
            return false;
        for (int n = 0; n < nodes->count; n++)
            made->sockets[n] = nodes->sockets[nodes->node_of[made->leaders[n]]];
        sort_by_sockets(made);
    }
    return group_like(made, &(const struct allfold_nodes_facts){.like = nodes}, keys);
}

/* Makes `ordered`, unless the nodes are already numbered as in `along`. Returns false if out of
 * memory. */
static bool add_ordered(struct allfold_nodes *nodes, int64_t *keys)
{
    if (are_along(nodes))
        return true;
    nodes->ordered = make_along(nodes);
    return nodes->ordered != NULL && complete_along(nodes, nodes->ordered, keys);
}

static bool apply_order(struct allfold_nodes *nodes, const struct allfold_nodes_facts *facts,
                        int64_t *keys)
{
    const int p = nodes->first[nodes->count];
    if (facts->order != NULL)
        return order(nodes, facts->order);
    if (facts->like == NULL || facts->like->count == 1 || facts->like->is_in_order)
        return true;
    for (int r = 0; r < p; r++)
        keys[r] = facts->like->place_of[member(facts, r)];
    return order(nodes, keys);
}

static bool apply_sockets(struct allfold_nodes *nodes, const struct allfold_nodes_facts *facts,
                          int64_t *keys)
{
    const int p = nodes->first[nodes->count], sockets = facts->even_sockets;
    if (facts->sockets != NULL)
        return divide(nodes, facts->sockets);
    if (sockets == 0 && (facts->like == NULL || facts->like->sockets == NULL))
        return true;
    for (int r = 0; r < p; r++) {
        const int64_t index = nodes->index_of[r];
        const int size = allfold_node_size(nodes, nodes->node_of[r]);
        keys[r] = sockets == 0     ? allfold_socket_of(facts->like, member(facts, r))
                  : facts->in_turn ? index % sockets
                                   : index * sockets / size;
    }
    return divide(nodes, keys);
}

static bool apply_groups(struct allfold_nodes *nodes, const struct allfold_nodes_facts *facts,
                         int64_t *keys)
{
    bool fits = facts->like == NULL || group_like(nodes, facts, keys);
    for (int i = 0; i < facts->levels && fits; i++)
        fits = group(nodes, &facts->groups[i]);
    return fits;
}

static bool apply_cables(struct allfold_nodes *nodes, const struct allfold_nodes_facts *facts)
{
    if (facts->cables != NULL)
        return allfold_cables_make(nodes->count, facts->cables, facts->cable_count, &nodes->cables);
    return facts->like == NULL || cable_like(nodes, facts);
}

/* Returns the value of a fact: unchanged if `given` is 0, unknown (0) if it is negative. */
static int known_number(int given, int before)
{
    return given > 0 ? given : given < 0 ? 0 : before;
}

static void apply_machine(struct allfold_nodes *nodes, const struct allfold_nodes_facts *facts)
{
    const struct allfold_nodes none = {.cores = 0}, *like = facts->like ? facts->like : &none;
    nodes->card_mbit = known_number(facts->card_mbit, like->card_mbit);
    nodes->cores = like->cores;
    nodes->is_crowded = like->is_crowded;
    if (facts->cores > 0 && nodes->count > 1) {
        nodes->cores = facts->cores;
        nodes->is_crowded = nodes->first[nodes->count] > facts->cores;
    }
}

const struct allfold_nodes *allfold_nodes_create(const struct allfold_nodes_facts *facts)
{
    const int p = facts->p > 0 ? facts->p : facts->like->first[facts->like->count];
    int64_t *keys = allfold_allocate((size_t)p * sizeof *keys);
    for (int r = 0; r < p && keys != NULL; r++)
        keys[r] = facts->like == NULL ? facts->keys[r] : facts->like->node_of[member(facts, r)];
    struct allfold_nodes *nodes = keys == NULL ? NULL : make_of_keys(keys, p);
    if (nodes != NULL)
        apply_machine(nodes, facts);
    if (nodes != NULL && !(apply_order(nodes, facts, keys) && apply_sockets(nodes, facts, keys) &&
                           apply_groups(nodes, facts, keys) && apply_cables(nodes, facts) &&
                           add_ordered(nodes, keys))) {
        allfold_nodes_free(nodes);
        nodes = NULL;
    }
    allfold_free(keys);
    return nodes;
}

const struct allfold_nodes *allfold_nodes_extended(const struct allfold_nodes *nodes,
                                                   struct allfold_nodes_facts facts)
{
    facts.like = nodes;
    const struct allfold_nodes *made = nodes == NULL ? NULL : allfold_nodes_create(&facts);
    allfold_nodes_free(nodes);
    return made;
}

void allfold_nodes_free(const struct allfold_nodes *nodes)
{
    for (const struct allfold_nodes *groups; nodes != NULL; nodes = groups) {
        groups = nodes->groups;
        if (nodes->ordered != NULL) {
            allfold_free(nodes->ordered->sockets); /* the sockets belong to `nodes` */
            nodes->ordered->sockets = NULL;
            allfold_nodes_free(nodes->ordered);
        }
        free_sockets(nodes);
        allfold_cables_free(nodes->cables);
        allfold_free((void *)nodes);
    }
}

/* For the verifier, which adds one fact at a time. */

struct allfold_nodes *allfold_nodes_make(const int64_t *keys, int p)
{
    return make_of_keys(keys, p);
}

bool allfold_nodes_order(struct allfold_nodes *nodes, const int64_t *keys)
{
    return order(nodes, keys);
}

bool allfold_nodes_group(struct allfold_nodes *nodes, const int64_t *keys)
{
    return group(nodes, &(const struct allfold_group_level){.keys = keys});
}

bool allfold_nodes_group_like(struct allfold_nodes *nodes, const struct allfold_nodes *like,
                              int64_t *keys)
{
    return group_like(nodes, &(const struct allfold_nodes_facts){.like = like}, keys);
}

bool allfold_nodes_divide(struct allfold_nodes *nodes, const int64_t *keys)
{
    return divide(nodes, keys);
}

bool allfold_nodes_cable(struct allfold_nodes *nodes, const struct allfold_cable *pairs, int count)
{
    return allfold_cables_make(nodes->count, pairs, count, &nodes->cables);
}

bool allfold_nodes_cable_like(struct allfold_nodes *nodes, const struct allfold_nodes *like)
{
    return cable_like(nodes, &(const struct allfold_nodes_facts){.like = like});
}

bool allfold_nodes_add_ordered(struct allfold_nodes *nodes)
{
    const int p = nodes->first[nodes->count];
    int64_t *keys = allfold_allocate((size_t)p * sizeof *keys);
    const bool fits = keys != NULL && add_ordered(nodes, keys);
    allfold_free(keys);
    return fits;
}
