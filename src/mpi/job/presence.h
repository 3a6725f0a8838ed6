/* Detects whether all ranks of MPI_COMM_WORLD run this version of Allfold. This runs right after
 * MPI_Init, before Allfold waits for any rank, by messages on MPI_COMM_WORLD itself: to make a
 * communicator would block for ever if a rank runs without Allfold.
 *
 * Rank r sends to each rank r + 2^k a word that identifies the version, and waits at most ten
 * seconds for the words of the ranks r - 2^k. A rank without Allfold (another program of the job, a
 * rank that lost LD_PRELOAD) sends none. Then the ranks combine the caller's numbers as in the
 * dissemination barrier: in round k each rank sends its result to r + 2^k. The numbers are combined
 * by their minimum, which does not change if a rank's number counts twice. One of the numbers is
 * the lowest missing rank.
 *
 * Invariant: either all ranks that run this version find that a rank is missing, or none does; they
 * may name different missing ranks. Proof: let rank S know of a missing rank, and let S send to R
 * in a round. If R has received S's word, R waits for S and learns of the missing rank. If not, S
 * counts as missing at R, so R knows of a missing rank already. From S the rounds make a path to
 * each rank, and by induction along it each rank with this version knows; after a rank without it,
 * the next rank on the path misses that rank's word. No rank waits for ever: a rank waits only for
 * ranks whose word it has received, and these send in each round, whatever they know. The invariant
 * does not hold if MPI fails twice to send or receive one of these messages.
 *
 * Messages to a rank without Allfold are never received, at most two for each k. No receive and no
 * probe of the program matches them: they are partitioned messages in MPI 4, and have a negative
 * tag under Open MPI. Other MPI libraries get ordinary messages with a tag among the highest
 * (docs/faults.md). */
#ifndef ALLFOLD_MPI_JOB_PRESENCE_H
#define ALLFOLD_MPI_JOB_PRESENCE_H

#include <stdint.h>

enum { ALLFOLD_PRESENCE_NUMBERS = 16 }; /* maximum number of combined numbers */

/* What the ranks detected. */
struct allfold_presence_found {
    int missing; /* the lowest missing rank that this rank knows of; -1: no rank is missing, on any
                    rank */
    /* The lowest rank that this rank knows to be present. The rank with this number prints the
     * message for the user; if missing ranks lie between present ones, several ranks may print. */
    int speaker;
};

/* Detects the missing ranks, and replaces `numbers` by their minimum over all ranks; if a rank is
 * missing, the numbers have no meaning. Collective over the ranks of MPI_COMM_WORLD that run
 * Allfold. */
struct allfold_presence_found allfold_presence_agree(int64_t *numbers, int count);

/* Cancels the receives that are still open because a rank is missing; partitioned ones stay open.
 * Must be called before MPI_Finalize. */
void allfold_presence_close(void);

#endif
