/* The command preloads the MPI library into its parts. */
#ifndef ALLFOLD_PROGRAMS_END_PRELOAD_H
#define ALLFOLD_PROGRAMS_END_PRELOAD_H

/* Takes the MPI library off LD_PRELOAD again, where it is the last one: processes that this one
 * starts, as MPI libraries do, need none. */
void allfold_end_preload(void);

#endif
