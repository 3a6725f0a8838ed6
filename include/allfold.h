/* allfold.h - fast, explainable and dependable reductions on top of any MPI.
 *
 * These calls do what the MPI functions of the same name do, for any count that fits into memory,
 * and may be mixed with them. A program that does not call them gets the same by being started with
 * `allfold run`.
 *
 * All of them are collective over the communicator and blocking. They return MPI_SUCCESS or an MPI
 * error code, after calling the communicator's error handler as MPI functions do. Buffers stay the
 * caller's. Several threads may call them at once on different communicators, where MPI was
 * initialised with MPI_THREAD_MULTIPLE. What the library does not serve itself (intercommunicators,
 * a single rank, types and operations that MPI does not allow together) goes to the MPI library. */
#ifndef ALLFOLD_H
#define ALLFOLD_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reduces `count` elements of all ranks; every rank gets the result, with the same bits on all.
 * sendbuf may be MPI_IN_PLACE on all ranks: then the input is taken from recvbuf. */
int allfold_allreduce(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm);

/* Reduces `count` elements of all ranks to the root. recvbuf is not looked at elsewhere. sendbuf
 * may be MPI_IN_PLACE on the root. */
int allfold_reduce(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                   MPI_Op op, int root, MPI_Comm comm);

/* Gives the root's `count` elements to all ranks. Ranks may describe the same signature by
 * different counts and datatypes. */
int allfold_bcast(void *buffer, size_t count, MPI_Datatype datatype, int root, MPI_Comm comm);

/* The version of the library that runs, "MAJOR.MINOR.PATCH". Not collective; any thread. */
const char *allfold_version(void);

#ifdef __cplusplus
}
#endif

#endif
