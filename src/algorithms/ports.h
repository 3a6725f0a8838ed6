/* Arithmetic of algorithms in which a rank has n messages at a time: a round multiplies what a rank
 * knows of by n + 1. */
#ifndef ALLFOLD_ALGORITHMS_PORTS_H
#define ALLFOLD_ALGORITHMS_PORTS_H

#include "algorithms/algorithm.h"

/* What n, or the radix n + 1, may be at most, so that descriptors know their ports. */
enum { ALLFOLD_MOST_PORTS = 15 };

/* The radix as a parameter; `words` say what a round does with it. */
#define ALLFOLD_PORTS_RADIX(words)                                                                 \
    {                                                                                              \
        .name = "radix", .kind = ALLFOLD_PARAMETER_RADIX, .unit = "", .meaning = words,            \
        .minimum = 2, .maximum = ALLFOLD_MOST_PORTS + 1, .preset = 2,                              \
        ALLFOLD_TRIED(2, 3, 4, 7, ALLFOLD_MOST_PORTS + 1)                                          \
    }

/* ceil(log_{n+1} p) for n >= 1: the fewest rounds in which data of p ranks reach one. */
static inline int rounds_with_ports(int p, int n)
{
    int k = 0;
    for (size_t reached = 1; reached < (size_t)p; reached *= (size_t)n + 1)
        k++;
    return k;
}

/* The smallest n' <= n that needs as many rounds as n. */
static inline int fewest_ports(int p, int n)
{
    const int k = rounds_with_ports(p, n);
    int fewest = 1;
    while (rounds_with_ports(p, fewest) > k)
        fewest++;
    return fewest;
}

#endif
