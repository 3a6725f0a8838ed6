/* Exchanges and reductions of a round (see multiplying.h). */
#include "algorithms/multiplying.h"

#include <assert.h>

#include "algorithms/canonical.h"
#include "schedule/verbs.h"

struct radix_group allfold_radix_group(int index, int radix, int stride)
{
    assert(index >= 0 && radix > 1 && stride > 0);
    const int position = index / stride % radix;
    return (struct radix_group){
        .radix = radix, .stride = stride, .position = position, .first = index - position * stride};
}

struct bounds allfold_piece(struct bounds held, int radix, int j)
{
    const size_t n = held.hi - held.lo;
    return (struct bounds){held.lo + block_begin(n, radix, j),
                           held.lo + block_begin(n, radix, j + 1)};
}

static struct allfold_span within(struct allfold_span of, struct bounds bounds)
{
    return part(of, bounds.lo, bounds.hi - bounds.lo);
}

/* Partial folds may not lie in `out` before this rank's own part is in them, as that part may be
 * `out` itself. Until then they take the room of the first part. */
static void fold(struct allfold_builder *s, const struct radix_group *group,
                 struct allfold_span mine, struct allfold_span out, struct allfold_span tmp)
{
    if (group->by_tree) {
        allfold_canonical_fold(s, group->radix, group->position, out, mine, tmp);
        return;
    }
    struct allfold_span left =
        group->position == 0 ? mine
                             : allfold_operand_of_others(tmp, mine.length, group->position, 0);
    const struct allfold_span first = left;
    for (int i = 1; i < group->radix; i++) {
        const struct allfold_span to = i < group->position ? first : out;
        reduce(s, to, left,
               i == group->position
                   ? mine
                   : allfold_operand_of_others(tmp, mine.length, group->position, i));
        left = to;
    }
}

struct bounds allfold_multiply(struct allfold_builder *s, const struct core *core,
                               const struct radix_group *group, bool scatters, struct bounds held,
                               struct allfold_span mine, struct allfold_span out,
                               struct allfold_span tmp)
{
    const int k = group->radix;
    const struct bounds kept = scatters ? allfold_piece(held, k, group->position) : held;
    for (int j = 1; j < k; j++) {
        const int to = wrap(group->position + j, k), from = wrap(group->position - j, k);
        const struct bounds given = scatters ? allfold_piece(held, k, to) : held;
        exchange(s, core_rank(core, group->first + to * group->stride, 0), within(mine, given),
                 core_rank(core, group->first + from * group->stride, 0),
                 allfold_operand_of_others(tmp, kept.hi - kept.lo, group->position, from));
    }
    fold(s, group, within(mine, kept), within(out, kept), tmp);
    return kept;
}

void allfold_collect(struct allfold_builder *s, const struct core *core,
                     const struct radix_group *group, struct bounds held, struct allfold_span out)
{
    const int k = group->radix;
    const struct bounds mine = allfold_piece(held, k, group->position);
    for (int j = 1; j < k; j++) {
        const int to = wrap(group->position + j, k), from = wrap(group->position - j, k);
        exchange(s, core_rank(core, group->first + to * group->stride, 0), within(out, mine),
                 core_rank(core, group->first + from * group->stride, 0),
                 within(out, allfold_piece(held, k, from)));
    }
}
