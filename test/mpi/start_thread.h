/*
 * start_thread.h: threads of the programs that have some.
 */
#ifndef START_THREAD_H
#define START_THREAD_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

/* Ends all ranks where none can be had: the others would wait for it. */
static inline void start_thread(pthread_t *thread, void *(*work)(void *), void *argument)
{
    if (pthread_create(thread, NULL, work, argument) == 0)
        return;
    fprintf(stderr, "rank %d: no thread could be started\n", check_rank());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

#endif
