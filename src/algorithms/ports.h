/* Arithmetic of algorithms in which a rank sends and receives n messages at a time: each round
 * multiplies the number of ranks whose data a rank has by n + 1. */
#ifndef ALLFOLD_ALGORITHMS_PORTS_H
#define ALLFOLD_ALGORITHMS_PORTS_H

#include "algorithms/algorithm.h"

/* The maximum n if an algorithm searches for the best one. */
enum { ALLFOLD_MOST_PORTS = 15 };

/* The parameter for the radix of rounds, or of the nodes of a tree: its meaning, its default, and
 * the values that the verifier tries. The verifier supports rounds of up to 4096 messages at a
 * time. */
#define ALLFOLD_RADIX(words, value, ...)                                                           \
    {                                                                                              \
        .name = "radix", .kind = ALLFOLD_PARAMETER_RADIX, .unit = "", .meaning = words,            \
        .minimum = 2, .maximum = 4096, .preset = value, ALLFOLD_TRIED(__VA_ARGS__)                 \
    }

/* The radix of a circulant graph; `words` say what it means for a round. */
#define ALLFOLD_PORTS_RADIX(words) ALLFOLD_RADIX(words, 2, 2, 3, 4, 7, 16)

/* Returns ceil(log_{n+1} p), n >= 1: the minimum number of rounds in which the data of p ranks
 * reach one rank. */
static inline int rounds_with_ports(int p, int n)
{
    int k = 0;
    for (size_t reached = 1; reached < (size_t)p; reached *= (size_t)n + 1)
        k++;
    return k;
}

/* Returns the smallest n' <= n that needs the same number of rounds as n. */
static inline int fewest_ports(int p, int n)
{
    const int k = rounds_with_ports(p, n);
    int fewest = 1;
    while (rounds_with_ports(p, fewest) > k)
        fewest++;
    return fewest;
}

#endif
