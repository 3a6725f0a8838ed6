/* The adapted n-way dissemination of End et al. 2016, section III B: which parts its last round
 * sends, for allreduce_dissemination.c. */
#ifndef ALLFOLD_ALGORITHMS_ADAPTED_DISSEMINATION_H
#define ALLFOLD_ALGORITHMS_ADAPTED_DISSEMINATION_H

#include <stdbool.h>

#include "schedule/schedule.h"

/* The parameters of Theorem 1. After all rounds except the last, a rank has the reduction over
 * itself and the N - 1 ranks to its left, N = (n+1)^(k-1). In earlier rounds it had the reductions
 * over prefixes of i (n+1)^e of these ranks, i = 1 .. n. The last round has to add exactly the
 * remaining ranks: p = s N + c - r, where c and r are lengths of such prefixes, N, or 0. Senders 1
 * .. s-1 send their whole reduction, sender s sends its prefix of c ranks, and the receiver leaves
 * out its own prefix of r ranks. */
struct adaption {
    int n;        /* messages at a time */
    int rounds;   /* k */
    int last;     /* N, the distance between the senders of the last round */
    int senders;  /* s */
    int sent;     /* c: number of ranks in the prefix that sender s sends; 0: it sends nothing */
    int left_out; /* r: number of ranks in the prefix that the receiver leaves out */
};

/* Returns the number of messages of the last round. */
static inline int last_messages(const struct adaption *a)
{
    return a->senders - (a->sent == 0);
}

/* Returns the number of messages of all earlier rounds. */
static inline int early_messages(const struct adaption *a)
{
    return a->rounds > 1 ? (a->rounds - 1) * a->n : 0;
}

/* Returns the number of early messages that cover ranks beyond the left-out prefix, without the
 * first of them. */
int allfold_messages_beyond(const struct adaption *a);

/* Returns the number of early messages that need not be added to S, because S is not read
 * afterwards. */
int allfold_messages_unneeded(const struct adaption *a);

/* Finds the parameters with the fewest reductions, then the fewest messages. If n = 0, it uses the
 * smallest n up to ALLFOLD_MOST_PORTS for which there are any. False if there are none. */
bool allfold_adapt(int p, int n, struct adaption *adaption);

/* The partial results of a rank. S is the reduction so far. */
struct sums {
    struct allfold_span place[3]; /* IN and two accumulators; S alternates between them so that its
                                     needed prefix stays */
    int all;                      /* index of the accumulator with S */
    int prefix;                   /* index of the accumulator with S of c ranks */
    /* S without the left-out prefix; its first message is received there. */
    struct allfold_span beyond;
    struct allfold_span tmp;
};

/* Allocates the partial results as scratch buffers. */
struct sums allfold_sums(struct allfold_builder *s, const struct adaption *a, size_t count);

/* round k of a phase -> the block to send, relative to the phase */
struct allfold_span allfold_sums_message(const struct adaption *a, const struct sums *sums, int i,
                                         int step);

/* Reduces the messages of a round, which is not the last one, into S. */
void allfold_sums_reduce(struct allfold_builder *s, const struct adaption *a, struct sums *sums,
                         int step);

#endif
