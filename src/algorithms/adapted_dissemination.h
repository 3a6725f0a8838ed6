/* The parts of the adapted n-way dissemination: End et al. 2016, section III B. */
#ifndef ALLFOLD_ALGORITHMS_ADAPTED_DISSEMINATION_H
#define ALLFOLD_ALGORITHMS_ADAPTED_DISSEMINATION_H

#include <stdbool.h>

#include "schedule/schedule.h"

/* Theorem 1 in one formula. After the rounds but the last, a rank holds the reduction over itself
 * and the N - 1 ranks to its left, N = (n+1)^(k-1). On the way it has held the reductions over its
 * prefixes of i (n+1)^e ranks, i = 1 .. n. The last round has to bring exactly the rest: p = s N +
 * c - r, where c and r are such prefixes, N, or 0. Senders 1 .. s-1 send all, sender s sends its
 * prefix of c ranks, and the receiver leaves out its own prefix of r ranks. */
struct adaption {
    int n;        /* messages at a time */
    int rounds;   /* k */
    int last;     /* N, the distance between the senders of the last round */
    int senders;  /* s */
    int sent;     /* c: ranks in what sender s sends; 0 where it sends nothing */
    int left_out; /* r: ranks in the prefix that the receiver leaves out */
};

/* The messages of the last round. */
static inline int last_messages(const struct adaption *a)
{
    return a->senders - (a->sent == 0);
}

/* The messages of all rounds before it. */
static inline int early_messages(const struct adaption *a)
{
    return a->rounds > 1 ? (a->rounds - 1) * a->n : 0;
}

/* The early messages that lie beyond what is left out, but for the first one there. */
int allfold_messages_beyond(const struct adaption *a);

/* The early messages that need not go into S, as it is not read any more. */
int allfold_messages_unneeded(const struct adaption *a);

/* The adaption with the fewest reductions, then messages; n = 0 takes the smallest n to
 * ALLFOLD_MOST_PORTS that has one. False where there is none. */
bool allfold_adapt(int p, int n, struct adaption *adaption);

/* A rank's partial results. */
struct sums {
    struct allfold_span place[3]; /* IN and two accumulators; S leaves one that is to stay */
    int all;                      /* where S is */
    int prefix;                   /* where S of c ranks is */
    struct allfold_span beyond;   /* S but what is left out; its first message comes there */
    struct allfold_span tmp;
};

struct sums allfold_sums(struct allfold_builder *s, const struct adaption *a, size_t count);

/* Where message i of the round with that step is received. It covers the ranks from i x step to the
 * left on. */
struct allfold_span allfold_sums_message(const struct adaption *a, const struct sums *sums, int i,
                                         int step);

/* Reduces the messages of a round before the last. */
void allfold_sums_reduce(struct allfold_builder *s, const struct adaption *a, struct sums *sums,
                         int step);

#endif
