/* Times of the stages of MPI_Init. Each stage is named when it ends; the times are printed if
 * ALLFOLD_VERBOSE=1. Only the thread that initializes MPI may call these functions. */
#ifndef ALLFOLD_MPI_JOB_INIT_STAGES_H
#define ALLFOLD_MPI_JOB_INIT_STAGES_H

/* Begins the first stage. Each later stage begins when the one before it ends. */
void allfold_stages_begin(void);

/* Ends the present stage and gives it a name. */
void allfold_stage_ends(const char *name);

/* Prints the times of all stages, on the first rank of the job. */
void allfold_stages_say(void);

#endif
