/* Times of the stages of MPI_Init. Each stage is named when it ends; the times are printed if
 * ALLFOLD_VERBOSE=1. Only the thread that initializes MPI may call these functions. */
#ifndef ALLFOLD_MPI_JOB_INIT_TIMES_H
#define ALLFOLD_MPI_JOB_INIT_TIMES_H

/* Begins the first stage. Each later stage begins when the one before it ends. */
void allfold_init_times_begin(void);

/* Ends the present stage and gives it a name. */
void allfold_init_times_end_stage(const char *name);

/* Prints the times of all stages, on the first rank of the job. */
void allfold_init_times_print(void);

#endif
