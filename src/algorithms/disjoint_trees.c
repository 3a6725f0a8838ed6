/* Programs over edge-disjoint spanning trees (see disjoint_trees.h). */
#include "algorithms/disjoint_trees.h"

#include <assert.h>

#include "topology/cables.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

static const struct allfold_cables *cables_of(const struct allfold_problem *problem)
{
    return problem->nodes->cables;
}

/* The node of a rank; with one rank each they may have other numbers. */
static int node_of(const struct allfold_problem *problem, int rank)
{
    return problem->nodes->node_of[rank];
}

/* Ranks in a row, and segments that a cable has room for. Elsewhere a segment is passed on in the
 * next step. In a row it may stay as long as it takes to go there and back. */
enum { MOST_IN_ROW = ALLFOLD_TREE_ROW + 1, ROOMS = 2, ROOMS_IN_ROW = 2 * MOST_IN_ROW };

/* How a tree hangs: from one rank or from a row, in steps of the first segment. */
struct hanging {
    const struct allfold_cable_tree *tree;
    int row[MOST_IN_ROW], length;
    int root;      /* its place in the row, if it is no top; -1: all in the row are */
    int height;    /* no rank is farther from the row; nothing goes on it before this step */
    int turn;      /* what was reduced leaves the tops in this step */
    int down, end; /* it leaves the row; and then it has arrived */
};

static int top_count(const struct hanging *hanging)
{
    return hanging->length - (hanging->root >= 0);
}

/* Another neighbor of the root in a tree; -1: there is none. */
static int other_neighbor(const struct allfold_cables *cables, int tree, int root, int known)
{
    for (int i = cables->first[root]; i < cables->first[root + 1]; i++) {
        const int end = allfold_cable_end(cables, cables->at[i], root);
        if (cables->tree_of[cables->at[i]] == tree && end != known)
            return end;
    }
    return -1;
}

/* The root with up to two ranks on each side. */
static void surround(struct hanging *hanging, const struct allfold_cables *cables, int tree,
                     int root)
{
    const struct allfold_cable_tree *of = hanging->tree;
    const int end = of->ends[root == of->ends[0]];
    const int left = allfold_tree_next(of, root, end);
    const int right = other_neighbor(cables, tree, root, left);
    hanging->length = 0;
    if (left != end)
        hanging->row[hanging->length++] = allfold_tree_next(of, left, end);
    hanging->row[hanging->length++] = left;
    hanging->root = hanging->length;
    hanging->row[hanging->length++] = root;
    if (right < 0)
        return;
    hanging->row[hanging->length++] = right;
    const int next = other_neighbor(cables, tree, right, root);
    if (next >= 0)
        hanging->row[hanging->length++] = next;
}

/* The root of a reduce leaves it to ranks around it to be tops, if each gets a segment. */
static struct hanging hang(const struct allfold_problem *problem, int tree,
                           struct disjoint_ways ways, size_t segments)
{
    const struct allfold_cables *cables = problem->nodes->cables;
    const int root = ways.root < 0 ? -1 : node_of(problem, ways.root);
    struct hanging hanging = {.tree = &cables->tree[tree], .row = {root}, .root = -1};
    hanging.length = root < 0 ? hanging.tree->row_length : 1;
    for (int i = 0; root < 0 && i < hanging.length; i++)
        hanging.row[i] = hanging.tree->row[i];
    if (root >= 0 && ways.up && segments >= ALLFOLD_TREE_ROW)
        surround(&hanging, cables, tree, root);
    const int on_row = hanging.length - 1;
    hanging.height = root < 0 ? hanging.tree->height : allfold_tree_height_from(hanging.tree, root);
    hanging.turn = ways.up ? hanging.height + (on_row > 0 ? top_count(&hanging) : 0) : 0;
    hanging.down = hanging.turn + on_row;
    hanging.end = hanging.down + (ways.down ? hanging.height : 0);
    return hanging;
}

/* The steps of one segment in the tree that takes most. */
static size_t steps_of_one(const struct allfold_problem *problem, struct disjoint_ways ways,
                           size_t segments)
{
    int most = 0;
    for (int t = 0; t < cables_of(problem)->trees; t++) {
        const int end = hang(problem, t, ways, segments).end;
        most = end > most ? end : most;
    }
    return (size_t)most;
}

/* Those of the parts, of `bytes` bytes; 0 takes the pipelining lemma's. */
static struct segments segments_for(const struct allfold_problem *problem,
                                    struct disjoint_ways ways, size_t bytes)
{
    struct allfold_problem longest = *problem; /* of the parts */
    longest.count = ceil_divide(problem->count, (size_t)cables_of(problem)->trees);
    return allfold_pipeline(&longest, bytes, (double)steps_of_one(problem, ways, 1) - 1, 1);
}

/* A cable of a rank's, in a tree, and the steps in which it carries the first segment: to the peer
 * and from it. */
struct link {
    int peer, tree;
    bool is_up;                /* the peer is nearer to the row; false on the row */
    int place;                 /* on the row this rank's; -1: not there */
    bool is_right, is_to_root; /* there */
    size_t up_to, up_from, down_to, down_from;
    size_t rooms;
    struct allfold_span got; /* segments that came up, or that go to the root */
};

struct links {
    int count;
    struct {
        int tops, root; /* of a row */
    } turns[ALLFOLD_MOST_TREES];
    struct link of[ALLFOLD_MOST_CABLES_OF_NODE];
};

static int place_of(const struct hanging *hanging, int node)
{
    for (int i = 0; i < hanging->length; i++)
        if (hanging->row[i] == node)
            return i;
    return -1;
}

/* From a node to another one, without the peer. */
static struct link link_to(const struct hanging *hanging, int node, int next, int tree)
{
    const int mine = place_of(hanging, node), other = place_of(hanging, next);
    struct link link = {
        .tree = tree, .place = -1, .rooms = hanging->root >= 0 && mine >= 0 ? ROOMS_IN_ROW : ROOMS};
    assert(hanging->turn + hanging->length - hanging->height <= ROOMS_IN_ROW);
    if (mine >= 0 && other >= 0) {
        link.place = mine;
        link.is_right = other > mine;
        link.is_to_root =
            hanging->root >= 0 && (link.is_right ? hanging->root > mine : hanging->root < mine);
        const int right = mine < other ? mine : other, left = hanging->length - 2 - right;
        const int to = link.is_right ? right : left, from = link.is_right ? left : right;
        link.up_to = (size_t)(hanging->height + to);
        link.up_from = (size_t)(hanging->height + from);
        link.down_to = (size_t)(hanging->turn + to);
        link.down_from = (size_t)(hanging->turn + from);
        return link;
    }
    const int own = allfold_tree_distance_to(hanging->tree, hanging->row, hanging->length, node);
    const int its = allfold_tree_distance_to(hanging->tree, hanging->row, hanging->length, next);
    link.is_up = its < own;
    const int depth = link.is_up ? own : its;
    assert(depth > 0 && depth <= hanging->height);
    link.up_to = link.up_from = (size_t)(hanging->height - depth);
    link.down_to = link.down_from = (size_t)(hanging->down + depth - 1);
    return link;
}

static void find_links(struct links *links, const struct allfold_problem *problem,
                       struct disjoint_ways ways, size_t segments)
{
    const struct allfold_cables *cables = cables_of(problem);
    const int node = node_of(problem, problem->group.index);
    links->count = 0;
    for (int i = cables->first[node]; i < cables->first[node + 1]; i++) {
        const int cable = cables->at[i], tree = cables->tree_of[cable];
        if (tree < 0)
            continue;
        const struct hanging hanging = hang(problem, tree, ways, segments);
        links->turns[tree].tops = top_count(&hanging);
        links->turns[tree].root = hanging.root;
        const int next = allfold_cable_end(cables, cable, node);
        struct link *link = &links->of[links->count++];
        *link = link_to(&hanging, node, next, tree);
        link->peer = problem->nodes->leaders[next];
    }
}

/* A rank's program. */
struct program {
    struct allfold_builder *s;
    const struct allfold_problem *problem;
    struct disjoint_ways ways;
    struct segments cut;
    struct links links;
    struct allfold_span out;
};

/* Does segment j go up to the peer? Else it comes up from there. */
static bool goes_up(const struct program *of, const struct link *link, size_t j)
{
    if (link->place < 0)
        return link->is_up;
    const int root = of->links.turns[link->tree].root;
    int top = (int)(j % (size_t)of->links.turns[link->tree].tops);
    top += root >= 0 && top >= root;
    return link->is_right ? top > link->place : top < link->place;
}

/* Segment j of a tree's part of a buffer. */
static struct allfold_span segment_in(const struct program *of, struct allfold_span buffer,
                                      int tree, size_t j)
{
    const int trees = cables_of(of->problem)->trees;
    return segment_of(allfold_blocks_in(buffer, trees, tree, 1), of->cut, j);
}

static bool is_before(const struct link *a, const struct link *b)
{
    return a->up_from != b->up_from ? a->up_from < b->up_from : a < b;
}

/* The last child of a tree from which segment j comes, before another one unless that is NULL;
 * NULL: there is none. */
static const struct link *child_before(const struct program *of, const struct link *other, int tree,
                                       size_t j)
{
    const struct link *last = NULL;
    for (int i = 0; i < of->links.count; i++) {
        const struct link *link = &of->links.of[i];
        if (link->tree == tree && !goes_up(of, link, j) &&
            (other == NULL || is_before(link, other)) && (last == NULL || is_before(last, link)))
            last = link;
    }
    return last;
}

/* Where a child's segment comes to. */
static struct allfold_span got_from(const struct program *of, const struct link *child, size_t j,
                                    size_t length)
{
    return part(child->got, j % child->rooms * of->cut.length, length);
}

/* Where the sum of this rank's segment and those of its children up to one is; NULL: of none. */
static struct allfold_span sum_of(const struct program *of, const struct link *child, int tree,
                                  size_t j)
{
    const struct allfold_span in = segment_in(of, span(ALLFOLD_IN, 0, of->problem->count), tree, j);
    if (child == NULL)
        return in;
    return of->out.length > 0 ? segment_in(of, of->out, tree, j)
                              : got_from(of, child, j, in.length);
}

/* Where the reduction of segment j is: at a top what it reduced; on the way to the root in the room
 * of the cable over which it comes. */
static struct allfold_span result_of(const struct program *of, int tree, size_t j)
{
    const struct allfold_span sum = sum_of(of, child_before(of, NULL, tree, j), tree, j);
    if (of->out.length > 0)
        return segment_in(of, of->out, tree, j);
    for (int i = 0; i < of->links.count; i++) {
        const struct link *link = &of->links.of[i];
        if (link->tree == tree && link->place >= 0 && goes_up(of, link, j))
            return got_from(of, link, j, sum.length);
    }
    return sum;
}

/* Receives segment j from a child and adds it to what there is. */
static void take_up(const struct program *of, const struct link *link, size_t j)
{
    const struct link *before = child_before(of, link, link->tree, j);
    const struct allfold_span mine = sum_of(of, before, link->tree, j);
    const struct allfold_span sum = sum_of(of, link, link->tree, j);
    const struct allfold_span got = got_from(of, link, j, mine.length);
    recv_from(of->s, link->peer, got);
    if (link->peer < of->problem->group.index)
        reduce(of->s, sum, got, mine);
    else
        reduce(of->s, sum, mine, got);
}

/* Does what was reduced go that way? To all ranks, or on the row to the root. */
static bool goes_down(const struct program *of, const struct link *link, bool to_peer)
{
    if (of->ways.down)
        return true;
    return link->place >= 0 && of->links.turns[link->tree].root >= 0 && link->is_to_root == to_peer;
}

/* What a cable carries in a step: first what leaves this rank. */
static void use_cable(const struct program *of, const struct link *link, size_t step)
{
    const size_t none = of->cut.count;
    const size_t up_to = of->ways.up ? step - link->up_to : none;
    const size_t up_from = of->ways.up ? step - link->up_from : none;
    const size_t down_to = goes_down(of, link, true) ? step - link->down_to : none;
    const size_t down_from = goes_down(of, link, false) ? step - link->down_from : none;
    const int tree = link->tree;
    if (up_to < none && goes_up(of, link, up_to))
        send_to(of->s, link->peer, sum_of(of, child_before(of, NULL, tree, up_to), tree, up_to));
    if (down_to < none && !goes_up(of, link, down_to))
        send_to(of->s, link->peer, result_of(of, tree, down_to));
    if (up_from < none && !goes_up(of, link, up_from))
        take_up(of, link, up_from);
    if (down_from < none && goes_up(of, link, down_from))
        recv_from(of->s, link->peer, result_of(of, tree, down_from));
}

void allfold_disjoint_build(struct allfold_builder *s, const struct allfold_problem *problem,
                            struct disjoint_ways ways, size_t segment_bytes,
                            struct allfold_span out)
{
    const struct segments cut = segments_for(problem, ways, segment_bytes);
    struct program of = {.s = s, .problem = problem, .ways = ways, .cut = cut, .out = out};
    find_links(&of.links, problem, ways, cut.count);
    for (int i = 0; i < of.links.count; i++)
        of.links.of[i].got =
            scratch(s, ways.up && !of.links.of[i].is_up ? of.links.of[i].rooms * cut.length : 0);
    const size_t steps = cut.count + steps_of_one(problem, ways, cut.count);
    for (size_t step = 0; step < steps; step++)
        for (int i = 0; i < of.links.count; i++)
            use_cable(&of, &of.links.of[i], step);
}

/* What the busiest rank has, at most: with its neighbors, and for all trees the segments of which
 * it is a top, or that it hands on to the root. */
struct busiest {
    size_t links, children, turns;
};

static struct busiest busiest_of(const struct allfold_problem *problem, struct disjoint_ways ways,
                                 struct segments cut)
{
    const struct allfold_cables *cables = cables_of(problem);
    const size_t trees = (size_t)cables->trees, longest = ceil_divide(problem->count, trees);
    struct busiest most = {.links = (size_t)cables->most_links};
    const int root = node_of(problem, problem->root);
    int at_root = 0;
    bool has_row = false;
    for (size_t t = 0; t < trees; t++) {
        const struct hanging hanging = hang(problem, (int)t, ways, cut.count);
        const size_t turns = ceil_divide(cut.count, (size_t)top_count(&hanging)) * cut.length;
        has_row = has_row || hanging.length > 1;
        most.turns += turns < longest ? turns : longest;
    }
    for (int i = cables->first[root]; i < cables->first[root + 1]; i++)
        at_root += cables->tree_of[cables->at[i]] >= 0;
    most.children = most.links - trees;
    if (!has_row) {
        most.turns = 0;
        most.children = most.children > (size_t)at_root ? most.children : (size_t)at_root;
    } else if (ways.down) {
        most.turns = most.turns / trees * (size_t)cables->most_rows;
    }
    return most;
}

/* Ranks with few cables may be ahead of the steps, so rounds are a bound. */
struct allfold_claim allfold_disjoint_claim(const struct allfold_problem *problem,
                                            struct disjoint_ways ways, size_t segment_bytes)
{
    const struct segments cut = segments_for(problem, ways, segment_bytes);
    const size_t n = problem->count, trees = (size_t)cables_of(problem)->trees;
    const size_t longest = ceil_divide(n, trees);
    const struct busiest most = busiest_of(problem, ways, cut);
    const size_t both = most.links * longest, children = most.children * longest;
    const size_t sent = !ways.up ? children : ways.down ? both : n + most.turns;
    const size_t got = ways.down ? 0 : most.turns > 0 ? both : children;
    const size_t rounds = n == 0 ? 0 : cut.count + steps_of_one(problem, ways, cut.count) - 1;
    return (struct allfold_claim){
        .rounds = rounds,
        .sent = sent,
        .got = got,
        .reduced = ways.up ? children + most.turns : 0,
        .ports = (unsigned)most.links,
        .divisor = trees,
        .is_bound = true,
        .far_rounds = rounds,
        .far_sent = sent > got ? sent : got,
        .far_lanes = 1,
    };
}

const char *allfold_disjoint_unmet(const struct allfold_problem *problem,
                                   const struct allfold_parameters *parameters)
{
    (void)parameters;
    return problem->nodes->most == 1
               ? NULL
               : "one rank on each node, or a composition such as smp that has it between nodes";
}
