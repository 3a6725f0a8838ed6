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

/* Reduces p blocks of `recvcount` elements of all ranks; rank i of p gets block i of the result.
 * sendbuf may be MPI_IN_PLACE on all ranks: then the input, all p blocks of it, is taken from
 * recvbuf, and the result takes the place of its first block; what is behind that is not
 * specified afterwards. */
int allfold_reduce_scatter_block(const void *sendbuf, void *recvbuf, size_t recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/* Gives all ranks the blocks of all ranks, in the order of the ranks. recvcount elements of
 * recvtype are one block; ranks may describe the same signature by different counts and datatypes.
 * sendbuf may be MPI_IN_PLACE on all ranks: then each rank's block lies at its place in recvbuf,
 * and sendcount and sendtype are not looked at. */
int allfold_allgather(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype, void *recvbuf,
                      size_t recvcount, MPI_Datatype recvtype, MPI_Comm comm);

/* Returns on no rank before all have called it. */
int allfold_barrier(MPI_Comm comm);

/* Gives a communicator rules of its own for one collective, instead of those that a variable of the
 * environment gives to all: `name` is the variable's, say "ALLFOLD_ALLREDUCE", and `value` what it
 * could have as its value, say "ring(segment=64K)"; with "" the variable holds again. What was
 * chosen for that collective on that communicator before is forgotten. Communicators that are made
 * from this one do not inherit the rules.
 *
 * All ranks must give the same. Where they do not, or where the name or the value cannot be used,
 * all ranks get an error that says why, and nothing is changed. On a communicator whose calls go to
 * the MPI library anyhow (one rank, intercommunicators) nothing is compared, and rules have no
 * effect. */
int allfold_comm_set(MPI_Comm comm, const char *name, const char *value);

/* The version of the library that runs, "MAJOR.MINOR.PATCH". Not collective; any thread. */
const char *allfold_version(void);

#ifdef __cplusplus
}
#endif

#endif
