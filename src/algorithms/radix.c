/* Factors of cores (see radix.h). */
#include "algorithms/radix.h"

struct search {
    int lowest, highest; /* what the product may be */
    int count;           /* factors */
    struct factors tried, best;
};

/* Returns base^exponent, or any value above `limit` if that is exceeded. */
static long long power(int base, int exponent, int limit)
{
    long long result = 1;
    while (exponent-- > 0 && result <= limit)
        result *= base;
    return result;
}

/* Of the last factors that make the product large enough the least has the fewest messages. */
static void end(struct search *of, int largest, long long product)
{
    const long long enough = (of->lowest + product - 1) / product, k = enough > 2 ? enough : 2;
    const long long core = product * k;
    if (k > largest || core > of->highest)
        return;
    const int messages = of->tried.messages + (int)k - 1;
    if (of->best.count > 0 &&
        (messages > of->best.messages || (messages == of->best.messages && core <= of->best.core)))
        return;
    of->best = of->tried;
    of->best.count = of->count;
    of->best.messages = messages;
    of->best.core = (int)core;
    of->best.factor[of->count - 1] = (unsigned char)k;
}

/* Tries all factors number `at` and on, none above the one before, after a product so far. */
static void search(struct search *of, int at, int largest, long long product)
{
    const int left = of->count - at;
    if (left == 1) {
        end(of, largest, product);
        return;
    }
    const long long most = of->highest / (product << (left - 1)); /* twos may follow */
    for (int k = most < largest ? (int)most : largest; k >= 2; k--) {
        if (product * power(k, left, of->highest) < of->lowest)
            return; /* nor would a smaller one be enough */
        of->tried.factor[at] = (unsigned char)k;
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
