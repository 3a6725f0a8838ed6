/* allfold.h - fast, explainable and dependable reductions on top of any MPI.
 *
 * These functions have the same semantics as the MPI functions of the same name, for any count that
 * fits into memory. A program may mix them with MPI's own functions. Programs that only call MPI
 * functions get the same algorithms under `allfold run`.
 *
 * The collectives of this header are blocking, and collective over the communicator. They return
 * MPI_SUCCESS or an MPI error code. On an error they first call the communicator's error handler,
 * as MPI functions do. Buffers are owned by the caller. If MPI was initialized with
 * MPI_THREAD_MULTIPLE, several threads may call them at once on different communicators.
 *
 * The library passes some calls through to MPI: on intercommunicators, on a single rank, and with
 * types and operations that MPI forbids together. Calls and plans that the MPI library executes are
 * called native.
 *
 * Unless a comment says otherwise, "in place" means that sendbuf is MPI_IN_PLACE on all ranks. */
#ifndef ALLFOLD_H
#define ALLFOLD_H

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

#include "allfold_accumulator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reduces `count` elements of all ranks. Every rank gets the result, which is bitwise identical on
 * all ranks. In place, recvbuf contains the input. */
int allfold_allreduce(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm);

/* Reduces `count` elements of all ranks to the root. The other ranks' recvbuf is ignored. The root
 * may pass MPI_IN_PLACE as sendbuf. */
int allfold_reduce(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                   MPI_Op op, int root, MPI_Comm comm);

/* Sends the root's `count` elements to all ranks. Ranks may describe the same type signature by
 * different counts and datatypes. */
int allfold_bcast(void *buffer, size_t count, MPI_Datatype datatype, int root, MPI_Comm comm);

/* Reduces p blocks of `recvcount` elements of all ranks. Rank i of p gets block i of the result. In
 * place, recvbuf contains all p blocks of the input, and the result replaces the first block. The
 * contents of recvbuf after its first block are then unspecified. */
int allfold_reduce_scatter_block(const void *sendbuf, void *recvbuf, size_t recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/* Gathers the blocks of all ranks, in rank order, on every rank. A block has `recvcount` elements
 * of `recvtype`. Ranks may describe the same type signature by different counts and datatypes. In
 * place, each rank's block is at its position in recvbuf, and sendcount and sendtype are ignored.
 */
int allfold_allgather(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype, void *recvbuf,
                      size_t recvcount, MPI_Datatype recvtype, MPI_Comm comm);

/* Reduces a block for each rank: rank i gets a block of recvcounts[i] elements. Counts may be 0 and
 * must be the same on all ranks. In place, recvbuf contains the input, which is all blocks in rank
 * order. The rank's own block of the result then starts at recvbuf. The contents of recvbuf after
 * that block are unspecified. */
int allfold_reduce_scatter(const void *sendbuf, void *recvbuf, const size_t recvcounts[],
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/* Gathers the blocks of all ranks on every rank. The block of rank i has recvcounts[i] elements of
 * `recvtype`, or none if the count is 0. It starts displs[i] extents of `recvtype` after recvbuf.
 * Blocks may be in any order and must not overlap. Ranks may describe the same type signature by
 * different counts and datatypes, and each rank has its own displs. In place, each rank's block is
 * at its position in recvbuf, and sendcount and sendtype are ignored. */
int allfold_allgatherv(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype, void *recvbuf,
                       const size_t recvcounts[], const ptrdiff_t displs[], MPI_Datatype recvtype,
                       MPI_Comm comm);

/* Waits until all ranks have called it. */
int allfold_barrier(MPI_Comm comm);

/* Computes an inclusive prefix reduction: rank r gets the reduction of the vectors of ranks 0 to r.
 * In place, the result replaces the input in recvbuf. */
int allfold_scan(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm);

/* Computes an exclusive prefix reduction: rank r gets the reduction of the vectors of ranks 0 to
 * r - 1. Rank 0 has no result: the library does not change its recvbuf, and reads it only in place,
 * as input. */
int allfold_exscan(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm);

/* Adds `count` accumulators of all ranks, element by element. Every rank gets the sums. Their bytes
 * do not depend on the order, the placement or the number of ranks. The arrays `mine` and `sum`
 * must be the same or must not overlap. On an error the contents of `sum` are unspecified. At most
 * 2^30 ranks. Collective over `comm`. */
int allfold_accumulator_allreduce(const struct allfold_accumulator *mine,
                                  struct allfold_accumulator *sum, int count, MPI_Comm comm);

/* Does the same as allfold_accumulator_allreduce, for Fortran, whose communicators are integers
 * (module allfold_accumulators). Not available with MPI's standard ABI, which has no Fortran. */
#if !defined MPI_ABI_VERSION || MPI_ABI_VERSION < 1
int allfold_accumulator_allreduce_f(const struct allfold_accumulator *mine,
                                    struct allfold_accumulator *sum, int count, MPI_Fint comm);
#endif

/* Plans: persistent, split-phase collectives, which a program can start any number of times.
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
 * Any number of plans of one communicator may be in flight. They start and end in any order, also
 * together with blocking calls. Between the start and the end of a plan, the program must not write
 * to its buffers and may read only the input. Starting a plan again allocates no memory.
 *
 * All plans of a process make progress in every call of this library. They also make progress in
 * the functions of MPI that complete requests, and in those that send, receive or probe and wait
 * (docs/split_phase.md). In other functions of MPI that wait, plans make no progress.
 *
 * The functions that make a plan have the arguments of the blocking call of the same name and are
 * collective over `comm`. Either all ranks get a plan, or all get an error and NULL. The plan
 * refers to its arguments: do not free a derived datatype or a user-defined operation before the
 * plan. Counts and displacements are copied. All other functions are local, except
 * allfold_plan_set.
 *
 * Free plans before their communicator and before MPI_Finalize. The functions return MPI_SUCCESS,
 * ALLFOLD_TIMED_OUT or an MPI error code. On an error they first call the communicator's error
 * handler, or that of MPI_COMM_WORLD if there is no plan. Under MPI_THREAD_MULTIPLE several threads
 * may use different plans at once. */
struct allfold_plan;

enum {
    ALLFOLD_BLOCK = -1,            /* wait until the plan is done */
    ALLFOLD_TEST = 0,              /* make progress and return at once */
    ALLFOLD_TIMED_OUT = 0x7fffffff /* not done yet; positive, and not an error code of any MPI */
};

/* Make a plan of the collective of the same name. */
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

/* Starts a plan that is not in flight. Local: does not wait for other ranks. */
int allfold_start(struct allfold_plan *plan);

/* Starts a plan on other buffers, for this start only; allfold_start uses the buffers of the plan
 * again. `in` and `out` replace the sendbuf and recvbuf of the function that made the plan. They
 * must have the same size and datatype; their alignment may differ. On the ranks of a reduction
 * other than the root, `out` is ignored. A broadcast uses only `out`, and a barrier neither of
 * them.
 *
 * If the plan was made in place, `in` must be MPI_IN_PLACE; otherwise it must be a separate buffer.
 * It is an error to pass any other `in`, NULL for a required buffer, or a plan in flight. After
 * such an error the plan is unchanged. Each rank may change its buffers at any start, independently
 * of the other ranks. Local; allocates no memory. */
int allfold_start_on(struct allfold_plan *plan, const void *in, void *out);

/* Waits for a plan in flight, at most `timeout_ms` milliseconds; `timeout_ms` may also be
 * ALLFOLD_BLOCK or ALLFOLD_TEST. Returns:
 *
 * - ALLFOLD_TIMED_OUT: the plan is still in flight, and the next call continues it.
 * - MPI_SUCCESS: the plan is done, and the program may start it again.
 * - any other value: the plan failed, and the program can only free it. */
int allfold_wait(struct allfold_plan *plan, int timeout_ms);

/* Finds the ranks that have not started a plan in flight, as far as this rank can detect. Writes
 * the first `max` of them to `ranks`, in ascending order, and the number of all of them to *count;
 * 0 if the plan has ended meanwhile. Local, but takes up to 100 ms, because it queries the ranks
 * that share no memory with this rank.
 *
 * A rank that shares no memory with this rank counts as started once a message from it has arrived,
 * or once it answers the query. A rank can answer while it waits in allfold_wait. A rank that does
 * not answer is listed, although it may have started the plan. It is an error to pass a native
 * plan. See docs/split_phase.md. */
int allfold_missing(struct allfold_plan *plan, int *ranks, int max, int *count);

/* Changes a setting of a plan that is not in flight. By default a plan has the setting that its
 * communicator had when the plan was made.
 *
 * `name` is "ALLFOLD_SPARSE", with the `value` "off", "auto" or "on" (docs/sparse.md), or
 * "ALLFOLD_REPRODUCIBLE", with one of its values (docs/reproducible.md). The value "" is the
 * current setting of the communicator. The setting takes effect at the next start. ALLFOLD_SPARSE
 * has no effect on a native plan, nor on a plan whose messages cannot be compressed. This function
 * allocates the memory that the setting needs, so that starts still allocate none.
 *
 * Collective over the plan's communicator. All ranks must pass the same valid name and value, and
 * the plan must not be in flight on any rank. Otherwise all ranks get an error that says why, and
 * nothing changes. Persistent collectives of MPI accept the same settings as info keys,
 * allfold_sparse and allfold_reproducible, which must be the same on all ranks. */
int allfold_plan_set(struct allfold_plan *plan, const char *name, const char *value);

/* Prints a plan: the call; the algorithm with its parameters and why it was chosen, or that the
 * plan is native; its costs in rounds, bytes and microseconds, as the algorithm claims them; and
 * this rank's steps, one on each line. Local; allowed at any time until the plan is freed. The
 * caller checks `stream` for errors. */
int allfold_plan_print(const struct allfold_plan *plan, FILE *stream);

/* Frees a plan that is not in flight and sets *plan to NULL. */
int allfold_plan_free(struct allfold_plan **plan);

/* Changes a setting of a communicator, which takes precedence over the environment variable of the
 * same name. `name` is one of these:
 *
 * - "ALLFOLD_ALGORITHM": `value` has the rules for one collective, such as
 *   "allreduce=ring(segment=64K)". With "allreduce=" the variable applies again. Earlier choices
 * for this collective on the communicator are discarded.
 * - "ALLFOLD_SPARSE", for all reductions of the communicator (docs/sparse.md).
 * - "ALLFOLD_REPRODUCIBLE", for all reductions of the communicator: `value` is "off", "canonical",
 *   "canonical:warn", "exact" or "exact:warn" (docs/reproducible.md).
 *
 * Existing plans do not change. Communicators that are created from this one do not inherit the
 * setting.
 *
 * Collective over `comm`. All ranks must pass the same valid name and value. Otherwise all ranks
 * get an error that says why, and nothing changes. On a communicator whose calls pass through to
 * MPI (one rank, intercommunicators) the arguments are not compared, and the setting has no effect.
 */
int allfold_comm_set(MPI_Comm comm, const char *name, const char *value);

/* Starts a region of the program for the report: until the next call, the report lists the
 * collectives of this process under this name. NULL or "" ends the region. Names are truncated to
 * 31 bytes, and every name after the 63rd is reported as "other". The library copies the name.
 * Without a report the call has no effect.
 *
 * MPI_Pcontrol(n) for n >= 2 starts the region "n", and MPI_Pcontrol(1) ends the region. After
 * MPI_Pcontrol(0), the report omits this process's calls until MPI_Pcontrol is called with another
 * level.
 *
 * Local. Thread-safe; the region applies to all threads of the process. */
void allfold_region(const char *name);

/* Returns the version of the library that runs, as "MAJOR.MINOR.PATCH". Local. Thread-safe. */
const char *allfold_version(void);

#ifdef __cplusplus
}
#endif

#endif
