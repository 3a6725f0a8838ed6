/* Detects whether all ranks of MPI_COMM_WORLD run this version of Allfold. Runs right after
 * MPI_Init, before anything waits for a rank, by messages on MPI_COMM_WORLD
 * itself: making a communicator of its own would wait for a rank without Allfold for ever.
 *
 * Rank r sends to each rank r + 2^k a word that identifies the version, and waits at most ten
 * seconds for the words of the ranks r - 2^k. A rank without Allfold (another program of the job, a
 * rank that lost LD_PRELOAD) sends none. Then the ranks combine values of the caller, as in the
 * dissemination barrier: in round k each rank passes its result on to r + 2^k. The minimum is used
 * because it does not change if a rank's value counts twice. One of the values is the lowest
 * missing rank.
 *
 * Invariant: either all ranks that run this version find that a rank is missing, or none does;
 * which rank they name may differ. Proof: let S know of a missing rank, and let S send to R in
 * a round. If R has S's word, R waits for S and learns it. If R has not, S counts as missing at R,
 * so R knows of a missing rank already. From S the rounds make a path to each rank, and by
 * induction along it each rank with this version knows; after a rank without it, the next one
 * misses its word. Nobody waits without end: a rank waits only for ranks whose word it has, and
 * these send in each round, whatever they know. The invariant does not hold if MPI fails twice to
 * send or receive one of these messages.
 *
 * Messages to a rank without Allfold stay there, at most two for each k, where no receive and no
 * probe of the program finds them: in MPI 4 they are partitioned ones, under Open MPI they have a
 * negative tag. Others get ordinary messages with a tag among the highest (docs/faults.md). */
#ifndef ALLFOLD_MPI_JOB_PRESENCE_H
#define ALLFOLD_MPI_JOB_PRESENCE_H

#include <stdint.h>

enum { ALLFOLD_PRESENCE_NUMBERS = 16 }; /* the most that can be combined */

/* What was found out. */
struct allfold_presence_found {
    int missing; /* the lowest rank that this rank knows to be missing; -1: none is, on any rank */
    int speaker; /* the lowest rank that this rank knows to be present. Who is that tells the user:
                    several ranks may, if missing ones lie between them */
};

/* Finds out who is present, and replaces `numbers` by their minimum over all ranks; if a rank is
 * missing, they are worth nothing. Collective over the ranks of MPI_COMM_WORLD that run Allfold. */
struct allfold_presence_found allfold_presence_agree(int64_t *numbers, int count);

/* Cancels the receives that are still open because a rank is missing; partitioned ones stay open.
 * Before MPI_Finalize. */
void allfold_presence_close(void);

#endif
