/* Reduction by the canonical tree (see canonical.h). */
#include "algorithms/canonical.h"

#include <assert.h>

#include "algorithms/peers.h"
#include "schedule/verbs.h"

struct operands {
    struct allfold_span to, mine, all;
    int count, place;
};

static struct allfold_span operand(const struct operands *of, int i)
{
    return i == of->place ? of->mine
                          : allfold_operand_of_others(of->all, of->mine.length, of->place, i);
}

/* Reduces the operands [lo, lo + count). Returns the span of the result: `to` for all operands,
 * otherwise the span of one of them, but never `mine`, which must not be overwritten. */
static struct allfold_span fold(struct allfold_builder *s, const struct operands *of, int lo,
                                int count)
{
    if (count == 1)
        return operand(of, lo);
    const int low = canonical_left(count);
    const struct allfold_span left = fold(s, of, lo, low);
    const struct allfold_span right = fold(s, of, lo + low, count - low);
    const bool left_is_mine = low == 1 && lo == of->place;
    const struct allfold_span result = count == of->count ? of->to : left_is_mine ? right : left;
    reduce(s, result, left, right);
    return result;
}

void allfold_canonical_fold(struct allfold_builder *s, int count, int place, struct allfold_span to,
                            struct allfold_span mine, struct allfold_span all)
{
    assert(count > 1 && place >= 0 && place < count);
    fold(s, &(struct operands){to, mine, all, count, place}, 0, count);
}
