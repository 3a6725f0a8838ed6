/* Arithmetic of algorithms in which a rank has n messages at a time: a round multiplies what a rank
 * knows of by n + 1. */
#ifndef ALLFOLD_ALGORITHMS_PORTS_H
#define ALLFOLD_ALGORITHMS_PORTS_H

#include "algorithms/algorithm.h"

/* What n may be at most where an algorithm looks for the best one. */
enum { ALLFOLD_MOST_PORTS = 15 };

/* The radix of rounds or of the nodes of a tree as a parameter: what it means, its default, and the
 * values that the verifier tries. The verifier counts rounds of up to 4096 messages at a time. */
#define ALLFOLD_RADIX(words, value, ...)                                                           \
    {                                                                                              \
        .name = "radix", .kind = ALLFOLD_PARAMETER_RADIX, .unit = "", .meaning = words,            \
        .minimum = 2, .maximum = 4096, .preset = value, ALLFOLD_TRIED(__VA_ARGS__)                 \
    }

/* The radix of a circulant graph; `words` say what a round does with it. */
#define ALLFOLD_PORTS_RADIX(words) ALLFOLD_RADIX(words, 2, 2, 3, 4, 7, 16)

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
