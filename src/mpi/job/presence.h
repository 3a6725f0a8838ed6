/* Presence: do all ranks of MPI_COMM_WORLD run this build of Allfold? Found out right after
 * MPI_Init, by messages on MPI_COMM_WORLD with its highest tag, before anything waits for a rank.
 *
 * Rank r sends to ranks r + 2^k a word that names this build, and waits ten seconds at most for
 * that of ranks r - 2^k. A rank without Allfold (another program of the job, a rank that lost
 * LD_PRELOAD) sends none. Then the ranks combine some numbers, as in the dissemination barrier:
 * round k passes on what is known to r + 2^k. The numbers are combined by their minimum, which may
 * count a rank twice. They say whether a rank is missing, and what else the caller wants to agree
 * on.
 *
 * Invariant: all ranks that run this build get the same answer. Proof: let a rank know of a missing
 * one, and look at a hop of its path to any other rank. Either the hop passes that on, or its
 * receiver does not wait for the sender, whose word it misses, and so knows of a missing rank
 * itself. Nobody waits without end: a rank waits for those alone whose word it has, and these send
 * in each round, whatever they know.
 *
 * What is sent to a rank without Allfold stays there: at most two messages for each k. */
#ifndef ALLFOLD_MPI_JOB_PRESENCE_H
#define ALLFOLD_MPI_JOB_PRESENCE_H

#include <stdint.h>

enum { ALLFOLD_PRESENCE_NUMBERS = 16 }; /* the most that can be combined */

/* What was found out; the same on all ranks that run this build. */
struct allfold_presence {
    int missing; /* the lowest rank known not to run this build; -1: all run it */
    int speaker; /* the lowest rank that runs it: it tells the user */
};

/* Finds out who is present, and replaces `numbers` by their minimum over all ranks; if a rank is
 * missing, they are worth nothing. Collective over the ranks of MPI_COMM_WORLD that run Allfold. */
struct allfold_presence allfold_presence_agree(int64_t *numbers, int count);

/* Gives up the receives that are still open because a rank was silent. Before MPI_Finalize. */
void allfold_presence_close(void);

#endif
