/* The progress thread: what ALLFOLD_PROGRESS=thread asks for.
 *
 * It moves plans on while the program computes. There is one a process, from the first plan in
 * flight to MPI_Finalize, where MPI_THREAD_MULTIPLE was granted; while none is in flight it sleeps.
 */
#ifndef ALLFOLD_MPI_PROGRESS_THREAD_H
#define ALLFOLD_MPI_PROGRESS_THREAD_H

/* A plan is in flight, where none was: makes the thread, or wakes it. Any thread. */
void allfold_progress_thread_wake(void);

/* Ends it; before MPI is finalised. */
void allfold_progress_thread_stop(void);

#endif
