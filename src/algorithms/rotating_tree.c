/* Hosts, times and the claim of the canonical tree with changing hosts (see rotating_tree.h). */
#include "algorithms/rotating_tree.h"

#include <string.h>

static struct rotating_node node_of(int lo, int hi)
{
    return (struct rotating_node){lo, lo + canonical_left(hi - lo), hi, ceil_log2(hi - lo)};
}

static bool is_within(int r, int lo, int hi)
{
    return lo <= r && r < hi;
}

bool allfold_rotating_goes_right(struct rotating_node node, int root, size_t j)
{
    if (is_within(root, node.lo, node.hi))
        return root < node.mid;
    return (j >> (node.level - 1) & 1) != 0;
}

int allfold_rotating_host(int lo, int hi, int root, size_t j)
{
    while (hi - lo > 1) {
        const struct rotating_node node = node_of(lo, hi);
        if (allfold_rotating_goes_right(node, root, j))
            lo = node.mid;
        else
            hi = node.mid;
    }
    return lo;
}

int allfold_rotating_path(int p, int r, struct rotating_node path[ALLFOLD_MAX_LOG2])
{
    int lo = 0, hi = p, count = 0;
    while (hi - lo > 1) {
        const struct rotating_node node = node_of(lo, hi);
        memmove(path + 1, path, (size_t)count++ * sizeof *path);
        path[0] = node;
        lo = r >= node.mid ? node.mid : lo;
        hi = r >= node.mid ? hi : node.mid;
    }
    return count;
}

struct segments allfold_rotating_segments(const struct allfold_problem *problem, size_t bytes)
{
    const int levels = ceil_log2(problem->group.size);
    return allfold_pipeline(problem, bytes, (double)allfold_rotating_time(levels) + 1, 1);
}

/* Of segments as leaves of the tree see them, where runs of 2^below of them have one host: how many
 * the busiest host receives. Half on the first level, a quarter on the second, and so on; not
 * quite, where the segments are few and a level of its path is missing. Where p is no power of two
 * a further level may be missing, so the runs are taken by twos. */
static size_t most_received(size_t segments, int below, int p)
{
    const int levels = ceil_log2(p), twos = p != 1 << levels;
    size_t most = 0;
    for (int i = below + 1; i <= levels; i++) {
        const int period = (i < levels ? i : levels - 1) + twos;
        most += ceil_divide(segments, (size_t)1 << period) << (below + twos);
    }
    return most;
}

/* What goes between nodes with the same number of ranks: each is a leaf of the tree, or each rank
 * is. Latencies are those of a segment on its way up, and one more whenever all segments in flight
 * have changed.
 */
static void claim_far(struct allfold_claim *claim, const struct allfold_problem *problem,
                      const struct segments *cut)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int p = problem->group.size;
    if (nodes == NULL || !allfold_nodes_are_like(nodes) || nodes->least * nodes->count != p)
        return;
    const int k = nodes->most, below = floor_log2(k), levels = ceil_log2(p);
    const size_t in_flight = allfold_rotating_time(levels) + 2;
    const bool are_leaves = nodes->arrangement == ALLFOLD_IN_BLOCKS && k == 1 << below;
    const size_t got = most_received(cut->count, are_leaves ? below : 0, p) * cut->length;
    claim->far_lanes = are_leaves ? 1 : (unsigned)k;
    claim->far_rounds = (size_t)levels + 1 + ceil_divide(cut->count, in_flight);
    claim->far_sent = claim->far_lanes * (got > problem->count ? got : problem->count);
}

/* Where p is no power of two, the host of several levels sometimes has two segments at once, which
 * takes a round more. Of all p to 64, and some to 300, the worst needs one for eight segments. */
struct allfold_claim allfold_rotating_claim(const struct allfold_problem *problem,
                                            struct segments cut)
{
    const int p = problem->group.size, levels = ceil_log2(p);
    if (p == 1)
        return (struct allfold_claim){.rounds = 0};
    const size_t got = most_received(cut.count, 0, p) * cut.length;
    const size_t uneven = p == 1 << levels ? 0 : ceil_divide(cut.count, 5);
    struct allfold_claim claim = {
        .rounds = allfold_rotating_time(levels) + (size_t)levels + 2 * cut.count + uneven,
        .sent = problem->count,
        .reduced = got,
        .divisor = 1,
        .got = got,
        .is_bound = true,
    };
    claim_far(&claim, problem, &cut);
    return claim;
}
