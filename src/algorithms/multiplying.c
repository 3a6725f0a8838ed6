/* One round of recursive multiplying (see multiplying.h). */
#include "algorithms/multiplying.h"

#include <assert.h>

#include "algorithms/canonical.h"
#include "schedule/verbs.h"

struct digit allfold_digit(int index, int radix, int stride)
{
    assert(index >= 0 && radix > 1 && stride > 0);
    const int place = index / stride % radix;
    return (struct digit){
        .radix = radix, .stride = stride, .place = place, .first = index - place * stride};
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
static void fold(struct allfold_builder *s, const struct digit *digit, struct allfold_span mine,
                 struct allfold_span out, struct allfold_span tmp)
{
    if (digit->by_tree) {
        allfold_canonical_fold(s, digit->radix, digit->place, out, mine, tmp);
        return;
    }
    struct allfold_span left =
        digit->place == 0 ? mine : allfold_operand_of_others(tmp, mine.length, digit->place, 0);
    const struct allfold_span first = left;
    for (int i = 1; i < digit->radix; i++) {
        const struct allfold_span to = i < digit->place ? first : out;
        reduce(s, to, left,
               i == digit->place ? mine
                                 : allfold_operand_of_others(tmp, mine.length, digit->place, i));
        left = to;
    }
}

struct bounds allfold_multiply(struct allfold_builder *s, const struct core *core,
                               const struct digit *digit, bool scatters, struct bounds held,
                               struct allfold_span mine, struct allfold_span out,
                               struct allfold_span tmp)
{
    const int k = digit->radix;
    const struct bounds kept = scatters ? allfold_piece(held, k, digit->place) : held;
    for (int j = 1; j < k; j++) {
        const int to = wrap(digit->place + j, k), from = wrap(digit->place - j, k);
        const struct bounds given = scatters ? allfold_piece(held, k, to) : held;
        exchange(s, core_rank(core, digit->first + to * digit->stride, 0), within(mine, given),
                 core_rank(core, digit->first + from * digit->stride, 0),
                 allfold_operand_of_others(tmp, kept.hi - kept.lo, digit->place, from));
    }
    fold(s, digit, within(mine, kept), within(out, kept), tmp);
    return kept;
}

void allfold_collect(struct allfold_builder *s, const struct core *core, const struct digit *digit,
                     struct bounds held, struct allfold_span out)
{
    const int k = digit->radix;
    const struct bounds mine = allfold_piece(held, k, digit->place);
    for (int j = 1; j < k; j++) {
        const int to = wrap(digit->place + j, k), from = wrap(digit->place - j, k);
        exchange(s, core_rank(core, digit->first + to * digit->stride, 0), within(out, mine),
                 core_rank(core, digit->first + from * digit->stride, 0),
                 within(out, allfold_piece(held, k, from)));
    }
}
