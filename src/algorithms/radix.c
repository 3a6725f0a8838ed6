/* Mixed radices: the search for the best core (see radix.h). */
#include "algorithms/radix.h"

struct search {
    int lowest, highest; /* what the product may be */
    int count;           /* factors */
    struct factors tried, best;
};

/* base^exponent, or anything above `limit` where it is more. */
static long long power(int base, int exponent, int limit)
{
    long long result = 1;
    while (exponent-- > 0 && result <= limit)
        result *= base;
    return result;
}

/* Tries all factors number `at` and on, none above the one before, after a product so far. */
static void search(struct search *of, int at, int largest, long long product)
{
    const int left = of->count - at;
    if (left == 0) {
        const bool better = of->best.count == 0 || of->tried.messages < of->best.messages;
        if (product >= of->lowest &&
            (better || (of->tried.messages == of->best.messages && product > of->best.core))) {
            of->best = of->tried;
            of->best.count = of->count;
            of->best.core = (int)product;
        }
        return;
    }
    for (int k = largest; k >= 2; k--) {
        if (product * power(k, left, of->highest) < of->lowest)
            return; /* nor would a smaller one be enough */
        if (product * k * power(2, left - 1, of->highest) > of->highest)
            continue;
        of->tried.factor[at] = k;
        of->tried.messages += k - 1;
        search(of, at + 1, k, product * k);
        of->tried.messages -= k - 1;
    }
}

/* The best product between two bounds with the fewest factors, at most `most`; count 0 if none. */
static struct factors best_between(int lowest, int highest, int radix, int most)
{
    struct search of = {.lowest = lowest, .highest = highest};
    for (of.count = 1; of.count <= most && of.best.count == 0; of.count++)
        if (power(radix, of.count, highest) >= lowest)
            search(&of, 0, radix, 1);
    of.best.rounds = of.best.count;
    return of.best;
}

struct factors allfold_factors(int p, int radix)
{
    struct factors removing = {.core = 1};
    if (p == 1)
        return removing;
    if (p > 2)
        removing = best_between(p - p / 2, p - 1, radix, ALLFOLD_MAX_FACTORS);
    removing.rounds += 2;
    removing.messages += 2;

    const struct factors all = best_between(p, p, radix, removing.rounds);
    const bool fewer = all.rounds < removing.rounds ||
                       (all.rounds == removing.rounds && all.messages <= removing.messages);
    return all.count > 0 && fewer ? all : removing;
}

static bool is_power_of_two(int k)
{
    return (k & (k - 1)) == 0;
}

struct factors allfold_tree_factors(int p, int radix)
{
    const struct factors descending = allfold_factors(p, radix);
    struct factors factors = descending;
    int at = 0;
    for (int others = 0; others < 2; others++)
        for (int i = 0; i < descending.count; i++)
            if (is_power_of_two(descending.factor[i]) == (others == 0))
                factors.factor[at++] = descending.factor[i];
    return factors;
}

int allfold_largest_factor(const struct factors *factors)
{
    int largest = 1;
    for (int i = 0; i < factors->count; i++)
        largest = factors->factor[i] > largest ? factors->factor[i] : largest;
    return largest;
}

bool allfold_radices_keep_tree(const struct factors *factors, int p)
{
    for (int i = 0; i < factors->count; i++)
        if (!is_power_of_two(factors->factor[i]) && (i < factors->count - 1 || factors->core < p))
            return false;
    return true;
}
