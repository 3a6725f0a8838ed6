/* Removes the MPI library from LD_PRELOAD. `allfold bench`, `tune` and `info` preload it into the
 * programs that they start. */
#ifndef ALLFOLD_PROGRAMS_END_PRELOAD_H
#define ALLFOLD_PROGRAMS_END_PRELOAD_H

/* Removes the last entry of LD_PRELOAD, which is the MPI library that the command preloaded:
 * processes that this process starts, as MPI libraries do, must not get it. */
void allfold_end_preload(void);

#endif
