/* Segments up and down two trees (see two_tree_walks.h).
 *
 * A link is what a rank has to do with one other in one tree: a message every two rounds. No two
 * links to children, nor two to parents, are ever used in the same round. */
#include "algorithms/two_tree_walks.h"

#include "algorithms/peers.h"
#include "algorithms/two_tree.h"
#include "schedule/verbs.h"

struct link {
    int peer, tree, time;
    bool is_child, is_lower; /* its subtree covers lower ranks */
    bool joins;              /* going up: what there is before is not the rank's own input alone */
};

struct links {
    int count;
    struct link of[4];
};

/* Children first, so that of an exchange the send starts first. */
static struct links links_of(const struct allfold_problem *problem, struct two_trees trees)
{
    const int p = problem->group.size, n = trees.n;
    const int i = wrap(problem->group.index - trees.first, p);
    struct links links = {.count = 0};
    for (int l = 0; l < 4 && n > 0; l++) {
        const int tree = l % 2;
        const struct two_tree_place place = allfold_two_tree(n, tree, i);
        for (int c = 0; c < place.child_count && l < 2; c++)
            links.of[links.count++] =
                (struct link){.peer = wrap(trees.first - p + place.children[c], p),
                              .tree = tree,
                              .time = place.times[c],
                              .is_child = true,
                              .is_lower = place.children[c] < i,
                              .joins = c + 1 < place.child_count};
        if (l >= 2 && place.parent >= 0 && place.parent < p)
            links.of[links.count++] = (struct link){.peer = wrap(trees.first - p + place.parent, p),
                                                    .tree = tree,
                                                    .time = place.time,
                                                    .joins = place.child_count > 0};
    }
    return links;
}

/* No message is later. */
static size_t last_round(struct two_trees trees, struct segments cut)
{
    return cut.count + (size_t)allfold_two_tree_rounds(trees.n) + 1;
}

/* The number of the segment that a link has in a round; beyond all segments where it has none. */
static size_t segment_in(const struct link *link, size_t round)
{
    const size_t time = (size_t)link->time;
    return round < time || (round - time) % 2 != 0 ? SIZE_MAX : round - time + (size_t)link->tree;
}

void allfold_two_tree_down(struct allfold_builder *s, const struct allfold_problem *problem,
                           struct two_trees trees, struct segments cut, struct allfold_span all)
{
    const struct links links = links_of(problem, trees);
    const size_t last = last_round(trees, cut);
    for (size_t round = 1; round <= last; round++)
        for (int l = 0; l < links.count; l++) {
            const struct link *link = &links.of[l];
            const struct allfold_span moved = segment_of(all, cut, segment_in(link, round));
            if (link->is_child)
                send_to(s, link->peer, moved);
            else
                recv_from(s, link->peer, moved);
        }
}

void allfold_two_tree_up(struct allfold_builder *s, const struct allfold_problem *problem,
                         struct two_trees trees, struct segments cut, struct allfold_span out)
{
    const struct links links = links_of(problem, trees);
    const struct allfold_span in = span(ALLFOLD_IN, 0, problem->count);
    struct allfold_span tmp[4][2], sum = in;
    for (int l = 0; l < links.count; l++)
        for (int i = 0; i < 2; i++)
            tmp[l][i] = scratch(s, links.of[l].is_child ? cut.length : 0);

    for (size_t round = last_round(trees, cut); round > 0; round--)
        for (int l = links.count - 1; l >= 0; l--) {
            const struct link *link = &links.of[l];
            const size_t j = segment_in(link, round);
            if (j >= cut.count)
                continue;
            const struct allfold_span mine = link->joins ? sum : segment_of(in, cut, j);
            if (!link->is_child) {
                send_to(s, link->peer, mine);
                continue;
            }
            const struct allfold_span got = part(tmp[l][j / 2 % 2], 0, mine.length);
            sum = out.length > 0 ? segment_of(out, cut, j) : got;
            recv_from(s, link->peer, got);
            reduce(s, sum, link->is_lower ? got : mine, link->is_lower ? mine : got);
        }
}

size_t allfold_two_tree_half(const struct allfold_problem *problem, struct segments cut)
{
    const size_t n = problem->count, last = cut.count == 0 ? 0 : n - (cut.count - 1) * cut.length;
    return cut.count / 2 * cut.length + (cut.count % 2 == 0 ? 0 : last);
}
