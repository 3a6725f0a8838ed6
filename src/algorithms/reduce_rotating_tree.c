/* A pipeline up the canonical tree, whose inner nodes are on other ranks for each segment. Not from
 * a paper.
 *
 * Hosts of the tree's nodes reduce (rotating_tree.h), and other ranks take over for the next
 * segment. So on average each rank sends and receives each segment once, which is the volume of a
 * chain. The host of the whole tree sends the result to the root.
 *
 * Invariant: a host has the reduction over the ranks of its node, in rank order. */
#include "algorithms/all.h"
#include "algorithms/rotating_tree.h"
#include "schedule/verbs.h"

enum { SEGMENT };

/* A rank's part. */
struct part_of_tree {
    struct allfold_builder *s;
    int r, root, nodes;
    struct rotating_node path[ALLFOLD_MAX_LOG2];
    struct segments cut;
    struct allfold_span in, out, buffers;
    size_t rows; /* segments in flight; each has two buffers */
};

static struct allfold_span buffer_of(const struct part_of_tree *of, size_t j, int i)
{
    const size_t number = j % of->rows * 2 + (size_t)(i % 2);
    return part(of->buffers, number * of->cut.length, segment_of(of->in, of->cut, j).length);
}

/* What this rank has of segment j below its node number i. */
static struct allfold_span have(const struct part_of_tree *of, size_t j, int i)
{
    return i == 0 ? segment_of(of->in, of->cut, j) : buffer_of(of, j, i - 1);
}

/* At node number i, if this rank is host of one of its halves. */
static void meet(const struct part_of_tree *of, size_t j, int i)
{
    const struct rotating_node node = of->path[i];
    const int left = allfold_rotating_host(node.lo, node.mid, of->root, j);
    const int right = allfold_rotating_host(node.mid, node.hi, of->root, j);
    const bool is_right = of->r >= node.mid;
    if ((is_right ? right : left) != of->r)
        return;
    const struct allfold_span mine = have(of, j, i), got = buffer_of(of, j, i);
    const int other = is_right ? left : right;
    if (is_right != allfold_rotating_goes_right(node, of->root, j)) {
        send_to(of->s, other, mine);
        return;
    }
    recv_from(of->s, other, got);
    reduce(of->s, got, is_right ? got : mine, is_right ? mine : got);
}

/* The result of segment j goes to the root. */
static void end(const struct part_of_tree *of, size_t j, int p)
{
    const int host = allfold_rotating_host(0, p, of->root, j);
    if (of->r == host)
        send_to(of->s, of->root, have(of, j, of->nodes));
    if (of->r == of->root)
        recv_from(of->s, host, segment_of(of->out, of->cut, j));
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index, root = problem->root;
    struct part_of_tree of = {.s = s,
                              .r = r,
                              .root = root,
                              .cut = allfold_rotating_segments(problem, parameters->value[SEGMENT]),
                              .in = span(ALLFOLD_IN, 0, problem->count),
                              .out = span(ALLFOLD_OUT, 0, r == root ? problem->count : 0)};
    if (p == 1) {
        copy(s, of.out, of.in);
        return;
    }
    const size_t last = allfold_rotating_time(ceil_log2(p)) + 1;
    of.nodes = allfold_rotating_path(p, r, of.path);
    of.rows = last + 1 < of.cut.count ? last + 1 : of.cut.count;
    if (r != root)
        of.buffers = scratch(s, 2 * of.rows * of.cut.length);
    for (size_t t = 0; t < of.cut.count + last; t++) {
        if (t >= last)
            end(&of, t - last, p);
        for (int i = of.nodes; i-- > 0;) {
            const size_t j = t - allfold_rotating_time(of.path[i].level);
            if (j < of.cut.count)
                meet(&of, j, i);
        }
    }
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    return allfold_rotating_claim(problem,
                                  allfold_rotating_segments(problem, parameters->value[SEGMENT]));
}

const struct allfold_algorithm allfold_reduce_rotating_tree = {
    .name = "rotating_tree",
    .collective = ALLFOLD_REDUCE,
    .source = "Allfold itself",
    .summary = "segments up the canonical tree, whose inner nodes are on other ranks for each",
    .use = "long vectors, any operation and root, where sums must be bracketed by the canonical "
           "tree; elsewhere chain, or pipelined_circulant",
    .consistent = true,
    .follows_nodes = true,
    .keeps_tree = allfold_always_keeps_tree,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 20))},
    .build = build,
    .claim = claim,
};
