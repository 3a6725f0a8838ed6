/* Doubly pipelined dual root with sibling leaves: TU Wien 2023, exercise 6 (only named there).
 *
 * Two leaves with the same parent exchange halves of each segment, reduce one half each, and
 * exchange that half with the parent. Then they exchange halves of the result. So their parent
 * sends and receives a segment once for both. This takes two more rounds, and is faster only if
 * such a parent is the busiest rank: with 5 and 6 ranks. From 7 ranks on a root has other children
 * and sends as much as without.
 *
 * Invariant: see doubly_pipelined.h; the lower leaf is left of the upper one and of the parent. */
#include "algorithms/algorithm.h"
#include "algorithms/doubly_pipelined.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

enum { SEGMENT };

/* Even numbers of elements, to have halves. */
static struct segments segments(const struct allfold_problem *problem,
                                const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const double slope = (double)allfold_dual_root_degree(p);
    const double fixed = (double)allfold_dual_root_rounds(p, 1, true) - slope;
    struct segments cut = allfold_pipeline(problem, parameters->value[SEGMENT], fixed, slope);
    cut.length += cut.length % 2;
    cut.count = ceil_divide(problem->count, cut.length);
    return cut;
}

/* The program of a leaf at depth d. In iteration j it swaps halves of segment j with its sibling,
 * in one message with the halves of the result that came from the parent last. */
static void build_leaf(struct allfold_builder *s, const struct allfold_problem *problem,
                       const struct place *place, int sibling, struct segments cut)
{
    const size_t n = problem->count, d = (size_t)place->depth;
    const struct allfold_span in = span(ALLFOLD_IN, 0, n), out = span(ALLFOLD_OUT, 0, n);
    const struct allfold_span tmp[2] = {scratch(s, cut.length + 1), scratch(s, cut.length + 1)};
    const bool upper = sibling < problem->group.index;

    for (size_t j = 0; j < cut.count + d + 1; j++) {
        const struct allfold_span up = segment_of(in, cut, j);
        const struct allfold_span done = segment_of(out, cut, j - d - 1);
        const struct allfold_span mine = half_span(up, upper), other = half_span(up, !upper);
        const struct allfold_span down = half_span(done, upper), gap = half_span(done, !upper);
        const struct allfold_span sum = half_span(segment_of(out, cut, j), upper);
        const struct allfold_span given = part(tmp[0], 0, other.length + down.length);
        const struct allfold_span got = part(tmp[1], 0, mine.length + gap.length);
        const struct allfold_span half = part(got, 0, mine.length);

        copy(s, part(given, 0, other.length), other);
        copy(s, part(given, other.length, down.length), down);
        exchange(s, sibling, given, sibling, got);
        reduce(s, sum, upper ? half : mine, upper ? mine : half);
        copy(s, gap, part(got, mine.length, gap.length));
        exchange(s, place->parent, sum, place->parent,
                 half_span(segment_of(out, cut, j - d), upper));
    }
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index, middle = p / 2;
    const struct segments cut = segments(problem, parameters);
    if (p == 1) {
        copy(s, span(ALLFOLD_OUT, 0, problem->count), span(ALLFOLD_IN, 0, problem->count));
        return;
    }
    const int first = r < middle ? 0 : middle, root = r < middle ? middle - 1 : p - 1;
    const int other_root = r < middle ? p - 1 : middle - 1;
    const struct place place = allfold_binary_tree(first, root + 1, root, r, EVEN_SHARES);
    const struct place above =
        allfold_binary_tree(first, root + 1, root, r == root ? r : place.parent, EVEN_SHARES);
    if (r != root && above.ranks == 3)
        build_leaf(s, problem, &place, above.children[r == above.children[0]], cut);
    else
        allfold_doubly_pipelined(s, problem, &place, r == root ? other_root : -1, place.ranks == 3,
                                 cut);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size;
    const struct segments cut = segments(problem, parameters);
    const size_t busiest = p >= 7 ? 3 : p >= 3 ? 2 : (size_t)p - 1;
    return allfold_rows_claim(
        (struct allfold_claim){
            .rounds = allfold_dual_root_rounds(p, cut.count, true),
            .sent = busiest * problem->count,
            .reduced = busiest * problem->count,
            .divisor = cut.length,
        },
        cut.length);
}

const struct allfold_algorithm allfold_allreduce_sibling_leaves = {
    .name = "sibling_leaves",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "TU Wien 2023, exercise 6",
    .summary = "dual root whose leaves share work",
    .use = "very long vectors on 5 or 6 ranks: sends 2 n, not 3 n; for any other p dual_root",
    .consistent = true,
    .out_of_order = true,
    .parameters = {ALLFOLD_PIPELINE_SEGMENT(ALLFOLD_TRIED(0, 4, 12, 64))},
    .build = build,
    .claim = claim,
};
