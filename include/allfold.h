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
#include <stdio.h>

#include "allfold_accumulator.h"

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

/* Reduces p blocks of `recvcount` elements of all ranks. Rank i of p gets block i of the result.
 * In place, sendbuf is MPI_IN_PLACE on all ranks. Then the input, all p blocks of it, is taken from
 * recvbuf, and the result takes the place of its first block. What recvbuf has behind its first
 * block is not specified afterwards. */
int allfold_reduce_scatter_block(const void *sendbuf, void *recvbuf, size_t recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/* Gives all ranks the blocks of all ranks, in the order of the ranks. recvcount elements of
 * recvtype are one block. Ranks may describe the same signature by different counts and datatypes.
 * In place, sendbuf is MPI_IN_PLACE on all ranks. Then each rank's block lies at its place in
 * recvbuf, and sendcount and sendtype are not looked at. */
int allfold_allgather(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype, void *recvbuf,
                      size_t recvcount, MPI_Datatype recvtype, MPI_Comm comm);

/* Reduces a block for each rank, of recvcounts[i] elements for rank i, which gets it. Counts may be
 * 0 and are the same on all ranks. In place, sendbuf is MPI_IN_PLACE on all ranks. Then the input,
 * all blocks in the order of the ranks, is taken from recvbuf, and the rank's own block of the
 * result takes its begin. What recvbuf has behind that is not specified afterwards. */
int allfold_reduce_scatter(const void *sendbuf, void *recvbuf, const size_t recvcounts[],
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/* Gives all ranks the blocks of all ranks: recvcounts[i] elements of recvtype from rank i, which
 * may be 0, displs[i] extents of recvtype behind recvbuf. Blocks lie in any order, and must not
 * overlap. Ranks may describe the same signature by different counts and datatypes, and have displs
 * of their own. In place as allfold_allgather: each rank's block lies at its place in recvbuf. */
int allfold_allgatherv(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype, void *recvbuf,
                       const size_t recvcounts[], const ptrdiff_t displs[], MPI_Datatype recvtype,
                       MPI_Comm comm);

/* Returns on no rank before all have called it. */
int allfold_barrier(MPI_Comm comm);

/* Gives each rank what the vectors of ranks 0 to its own reduce to. In place, sendbuf is
 * MPI_IN_PLACE on all ranks, and the result replaces the input in recvbuf. */
int allfold_scan(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm);

/* The same of the ranks below its own. Rank 0 has no result: its recvbuf stays as it is, and is
 * looked at only in place, for the input. */
int allfold_exscan(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm);

/* Adds `count` accumulators of all ranks, element by element. Every rank gets the sums, with the
 * same bytes whatever the order, the placement and the number of ranks. `mine` and `sum` are the
 * same array or do not overlap. On an error `sum` is not specified. At most 2^30 ranks. */
int allfold_accumulator_allreduce(const struct allfold_accumulator *mine,
                                  struct allfold_accumulator *sum, int count, MPI_Comm comm);

/* The same for Fortran, which has communicators as integers (module allfold_accumulators). */
int allfold_accumulator_allreduce_f(const struct allfold_accumulator *mine,
                                    struct allfold_accumulator *sum, int count, MPI_Fint comm);

/* Plans: collectives that are started, left, and come back to, as often as one likes.
 *
 *     struct allfold_plan *plan;
 *     allfold_allreduce_init(mine, sum, n, MPI_DOUBLE, MPI_SUM, comm, &plan);
 *     for (...) {
 *         allfold_start(plan);
 *         compute();
 *         while (allfold_wait(plan, 10) == ALLFOLD_TIMED_OUT)  // 10 ms at most
 *             compute_some_more();
 *     }
 *     allfold_plan_free(&plan);
 *
 * Any number of plans of one communicator may be in flight, be started and end in any order, and
 * beside blocking calls. From its start to its end a plan's buffers are the library's, but the
 * input may be read. All plans of a process make progress in every call of this library. They do,
 * too, in those functions of MPI that complete requests, or send, receive or probe and wait
 * (docs/split_phase.md). In other functions of MPI that wait they do not. Starting a plan again
 * allocates nothing.
 *
 * Making a plan is collective, like the blocking call of the same name, and takes the same
 * arguments; all ranks get a plan, or all get an error and NULL. The plan then remembers them, so a
 * derived datatype or an operation of the program's must not be freed before the plan; of counts
 * and displacements it has a copy. All else but
 * allfold_plan_set is local. Plans are to be freed before their communicator and before
 * MPI_Finalize. Calls return MPI_SUCCESS, ALLFOLD_TIMED_OUT or an MPI error code, after the
 * communicator's error handler (MPI_COMM_WORLD's where there is no plan). Several threads may use
 * different plans at once under MPI_THREAD_MULTIPLE. */
struct allfold_plan;

enum {
    ALLFOLD_BLOCK = -1,            /* wait until it is done */
    ALLFOLD_TEST = 0,              /* do what can be done now */
    ALLFOLD_TIMED_OUT = 0x7fffffff /* not done yet: positive, and no error code of any MPI */
};

int allfold_allreduce_init(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                           MPI_Op op, MPI_Comm comm, struct allfold_plan **plan);
int allfold_reduce_init(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                        MPI_Op op, int root, MPI_Comm comm, struct allfold_plan **plan);
int allfold_bcast_init(void *buffer, size_t count, MPI_Datatype datatype, int root, MPI_Comm comm,
                       struct allfold_plan **plan);
int allfold_reduce_scatter_block_init(const void *sendbuf, void *recvbuf, size_t recvcount,
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                      struct allfold_plan **plan);
int allfold_allgather_init(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype,
                           void *recvbuf, size_t recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                           struct allfold_plan **plan);
int allfold_reduce_scatter_init(const void *sendbuf, void *recvbuf, const size_t recvcounts[],
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                struct allfold_plan **plan);
int allfold_allgatherv_init(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const size_t recvcounts[], const ptrdiff_t displs[],
                            MPI_Datatype recvtype, MPI_Comm comm, struct allfold_plan **plan);
int allfold_barrier_init(MPI_Comm comm, struct allfold_plan **plan);
int allfold_scan_init(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm, struct allfold_plan **plan);
int allfold_exscan_init(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm, struct allfold_plan **plan);

/* Starts a plan that is not in flight. Does not wait for other ranks. */
int allfold_start(struct allfold_plan *plan);

/* The same on other buffers, for this start alone: allfold_start takes those that the plan was made
 * with again. Here `in` and `out` stand for sendbuf and recvbuf of the call that made the plan, and
 * have the same shape and type. Off the root of a reduction, `out` is not looked at. A broadcast
 * has `out` alone, a barrier neither: the other one is not looked at. Alignment may differ.
 *
 * `in` must be MPI_IN_PLACE where the plan was made in place, and a buffer of its own where it was
 * not. Any other `in`, a buffer that is NULL and must not be, or a plan in flight is an error, and
 * the plan stays as it was. Each rank may take other buffers at any of its starts, or
 * allfold_start, while others do not. Local, and allocates nothing. */
int allfold_start_on(struct allfold_plan *plan, const void *in, void *out);

/* Waits for a plan in flight: so many milliseconds at most, or as ALLFOLD_BLOCK and ALLFOLD_TEST
 * say. ALLFOLD_TIMED_OUT: it is in flight still, and the next call goes on where this one was.
 * MPI_SUCCESS: the result is there, and the plan may be started again. Anything else: it failed,
 * and can only be freed. */
int allfold_wait(struct allfold_plan *plan, int timeout_ms);

/* Which ranks have not started a plan in flight, as far as this rank can know. Writes the first
 * `max` of them to `ranks`, ascending, and how many they are to *count (0 where the plan is done
 * meanwhile). Local, but takes up to 100 ms, for which ranks that this one does not share memory
 * with are asked. Such a rank is known to be there when a message of it has come or when it
 * answers, which it can while it waits in allfold_wait itself. One that does not answer is listed,
 * though it may have been there and gone. An error where the plan is the MPI library's. See
 * docs/split_phase.md. */
int allfold_missing(struct allfold_plan *plan, int *ranks, int max, int *count);

/* Gives a plan that is not in flight a setting of its own, instead of what its communicator had
 * when the plan was made. The `name` is "ALLFOLD_SPARSE". The `value` is "off", "auto" or "on"
 * (docs/sparse.md), or "" for what the communicator has now. It holds from the next start on, and
 * has no effect where the plan is the MPI library's, or none of those whose messages can be
 * shorter. What a plan may need besides it gets now, so starting it still allocates nothing.
 *
 * Collective over the plan's communicator. All ranks must give the same, and a name and value that
 * can be used, and the plan must be in flight on none of them. Else all ranks get an error that
 * says why, and nothing is changed. Persistent collectives of MPI take the same by the key
 * allfold_sparse of their info, as a hint. */
int allfold_plan_set(struct allfold_plan *plan, const char *name, const char *value);

/* Prints what a plan is. First the call, then the algorithm with its parameters and why it was
 * chosen (or that the plan is the MPI library's). Then its cost by the model, in rounds, bytes and
 * microseconds, and this rank's steps, one a line. Local, at any time until the plan is freed;
 * errors of the stream stay in it. */
int allfold_plan_print(const struct allfold_plan *plan, FILE *stream);

/* Frees a plan that is not in flight and sets *plan to NULL. */
int allfold_plan_free(struct allfold_plan **plan);

/* Gives a communicator rules of its own for one collective, instead of those that a variable of the
 * environment gives to all. The `name` is the variable's, say "ALLFOLD_ALLREDUCE", and `value` what
 * it could have as its value, say "ring(segment=64K)". With "" the variable holds again. What was
 * chosen for that collective on that communicator before is forgotten. "ALLFOLD_SPARSE" is such a
 * name, too, for all its reductions (docs/sparse.md). Plans keep what they were made with.
 * Communicators that are made from this one do not inherit the rules.
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
