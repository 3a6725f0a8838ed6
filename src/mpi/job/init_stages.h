/* Where the start's time goes: MPI_Init names its stages as they end, and says their times where
 * ALLFOLD_VERBOSE=1 asks for it. One thread: that which initializes MPI. */
#ifndef ALLFOLD_MPI_JOB_INIT_STAGES_H
#define ALLFOLD_MPI_JOB_INIT_STAGES_H

/* A stage begins where the last one ended, and the first one here. */
void allfold_stages_begin(void);

/* The stage of this name has ended. */
void allfold_stage_ends(const char *name);

/* Says the times of all stages, on the first rank of the job. */
void allfold_stages_say(void);

#endif
