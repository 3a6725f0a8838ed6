/* Marks: which ranks of MPI_COMM_WORLD run Allfold, found out before anything waits for them.
 *
 * Each rank that has Allfold leaves a mark with the launcher's key-value store before MPI starts.
 * MPI's own start-up carries the mark to the other ranks. So a rank without Allfold (another
 * program of the same job, a rank whose LD_PRELOAD was lost) has none, and nobody waits for it.
 *
 * Two stores are known: PMIx, where Open MPI uses the machine's libpmix, and the PMI-1 of MPICH's
 * launcher hydra. Where hydra has started all ranks on one node, a mark is a socket, and nobody
 * asks hydra. Under other launchers all ranks of a job with one program count as marked. */
#ifndef ALLFOLD_MPI_PROCESS_MARKS_H
#define ALLFOLD_MPI_PROCESS_MARKS_H

#include <stdbool.h>

/* Leaves this process's mark. Before PMPI_Init. Local. */
void allfold_marks_leave(void);

/* Do all ranks of MPI_COMM_WORLD run this build of Allfold? All marked ranks get the same answer.
 * Otherwise *why says why not; it is static. Right after PMPI_Init, while no message of the program
 * can be on its way. Collective over the marked ranks of MPI_COMM_WORLD. */
bool allfold_marks_agree(const char **why);

/* Closes the store: this rank asks it no more. */
void allfold_marks_forget(void);

/* Takes this rank's sign away. At MPI_Finalize: before that a slow rank may look for the sign. */
void allfold_marks_take_away(void);

#endif
