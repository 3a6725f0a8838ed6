/* The canonical order of summation as a symbolic value (see canonical_value.h). */
#include "lab/verify/canonical_value.h"

#include <stdio.h>

#include "algorithms/peers.h"
#include "algorithms/problem.h"

int allfold_canonical_split(enum allfold_collective collective, int n)
{
    return allfold_traits(collective)->prefix == ALLFOLD_OF_ALL ? canonical_left(n)
                                                                : 1 << (ceil_log2(n) - 1);
}

/* The tree over the ranks first .. first + count - 1; 0 without memory. */
static uint32_t tree_of(struct allfold_values *values, enum allfold_collective collective,
                        int first, int count)
{
    const char *why;
    if (count == 1)
        return allfold_values_leaf(values, first, 0);
    const int left = allfold_canonical_split(collective, count);
    return allfold_values_combine(values, tree_of(values, collective, first, left),
                                  tree_of(values, collective, first + left, count - left), &why);
}

uint32_t allfold_canonical_value(struct allfold_values *values, const struct allfold_case *of,
                                 int r, size_t element)
{
    const enum allfold_collective collective = of->algorithm->collective;
    const int ranks = allfold_contributors(collective, of->p, r);
    if (ranks == 0 || allfold_case_elements(of) == 0)
        return 0;
    return tree_of(values, collective, 0, ranks) + (uint32_t)element;
}

bool allfold_canonical_is(struct allfold_values *values, const struct allfold_case *of, int r,
                          uint32_t value)
{
    const size_t element = allfold_values_element(values, value);
    return !of->canonical || value == allfold_canonical_value(values, of, r, element);
}

void allfold_canonical_contrast(struct allfold_values *values, const struct allfold_case *of, int r,
                                uint32_t value, char text[ALLFOLD_CONTRAST_BYTES])
{
    char own[160], tree[160];
    const size_t element = allfold_values_element(values, value);
    allfold_values_print(values, value, own, sizeof own);
    allfold_values_print(values, allfold_canonical_value(values, of, r, element), tree,
                         sizeof tree);
    snprintf(text, ALLFOLD_CONTRAST_BYTES, "%s. Expected: %s", own, tree);
}
