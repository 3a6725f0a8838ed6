/* allfold.h - fast, explainable and dependable reductions on top of any MPI.
 *
 * These calls do what the MPI functions of the same name do, for any count that fits into memory. A
 * program may mix them with MPI's own functions. A program that calls none of them gets the same
 * service from `allfold run`.
 *
 * All collectives here are blocking, and collective over the communicator. They return MPI_SUCCESS
 * or an MPI error code, after they called the communicator's error handler as MPI functions do.
 * Buffers stay the caller's. Several threads may call at once on different communicators, where MPI
 * was initialized with MPI_THREAD_MULTIPLE.
 *
 * The library passes some calls through to MPI: on intercommunicators, on a single rank, and with
 * types and operations that MPI forbids together. What the MPI library serves is called native.
 *
 * In place means, unless a comment says otherwise, that sendbuf is MPI_IN_PLACE on all ranks. */
#ifndef ALLFOLD_H
#define ALLFOLD_H

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

#include "allfold_accumulator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reduces `count` elements of all ranks. Every rank gets the result, bitwise identical on all. In
 * place, recvbuf holds the input. */
int allfold_allreduce(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm);

/* Reduces `count` elements of all ranks to the root. The other ranks' recvbuf is ignored. The root
 * may pass MPI_IN_PLACE as sendbuf. */
int allfold_reduce(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                   MPI_Op op, int root, MPI_Comm comm);

/* Gives the root's `count` elements to all ranks. Ranks may describe the same signature by
 * different counts and datatypes. */
int allfold_bcast(void *buffer, size_t count, MPI_Datatype datatype, int root, MPI_Comm comm);

/* Reduces p blocks of `recvcount` elements of all ranks. Rank i of p gets block i of the result. In
 * place, recvbuf holds all p blocks of the input, and the result replaces the first block. The
 * contents of recvbuf behind its first block are then unspecified. */
int allfold_reduce_scatter_block(const void *sendbuf, void *recvbuf, size_t recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/* Gives all ranks the blocks of all ranks, in the order of the ranks. One block is recvcount
 * elements of recvtype. Ranks may describe the same signature by different counts and datatypes. In
 * place, each rank's block lies at its place in recvbuf, and sendcount and sendtype are ignored. */
int allfold_allgather(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype, void *recvbuf,
                      size_t recvcount, MPI_Datatype recvtype, MPI_Comm comm);

/* Reduces a block for each rank: rank i gets a block of recvcounts[i] elements. Counts may be 0 and
 * are the same on all ranks. In place, recvbuf holds the input: all blocks in the order of the
 * ranks. The rank's own block of the result then begins where recvbuf does. The contents of recvbuf
 * behind that block are unspecified. */
int allfold_reduce_scatter(const void *sendbuf, void *recvbuf, const size_t recvcounts[],
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

/* Gives all ranks the blocks of all ranks. The block of rank i has recvcounts[i] elements of
 * recvtype, maybe 0. It begins displs[i] extents of recvtype behind recvbuf. Blocks lie in any
 * order, and must not overlap. Ranks may describe the same signature by different counts and
 * datatypes, and each rank has its own displs. In place as for allfold_allgather: each rank's block
 * lies at its place in recvbuf. */
int allfold_allgatherv(const void *sendbuf, size_t sendcount, MPI_Datatype sendtype, void *recvbuf,
                       const size_t recvcounts[], const ptrdiff_t displs[], MPI_Datatype recvtype,
                       MPI_Comm comm);

/* Returns on no rank before all ranks have called it. */
int allfold_barrier(MPI_Comm comm);

/* Reduces on each rank the vectors of ranks 0 to its own. In place, the result replaces the input
 * in recvbuf. */
int allfold_scan(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm);

/* Reduces on each rank the vectors of the ranks below its own. Rank 0 has no result: the library
 * leaves its recvbuf unchanged, and reads it only in place, as input. */
int allfold_exscan(const void *sendbuf, void *recvbuf, size_t count, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm);

/* Adds `count` accumulators of all ranks, element by element. Every rank gets the sums, with the
 * same bytes whatever the order, the placement and the number of ranks. The arrays `mine` and `sum`
 * are the same or do not overlap. On an error the contents of `sum` are unspecified. At most 2^30
 * ranks. */
int allfold_accumulator_allreduce(const struct allfold_accumulator *mine,
                                  struct allfold_accumulator *sum, int count, MPI_Comm comm);

/* The same for Fortran, whose communicators are integers (module allfold_accumulators). MPI's
 * standard ABI has no Fortran. */
#if !defined MPI_ABI_VERSION || MPI_ABI_VERSION < 1
int allfold_accumulator_allreduce_f(const struct allfold_accumulator *mine,
                                    struct allfold_accumulator *sum, int count, MPI_Fint comm);
#endif

/* Plans: collectives that a program starts, leaves and comes back to, as often as it likes.
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
 * beside blocking calls. From the start of a plan to its end its buffers are the library's, but the
 * program may read the input. Starting a plan again allocates nothing.
 *
 * All plans of a process make progress in every call of this library. They also make progress in
 * those functions of MPI that complete requests, or send, receive or probe and wait
 * (docs/split_phase.md). In other functions of MPI that wait, plans make no progress.
 *
 * Making a plan is collective, like the blocking call of the same name, and takes the same
 * arguments. Either all ranks get a plan, or all get an error and NULL. The plan remembers its
 * arguments: do not free a derived datatype or your own operation before the plan. It copies counts
 * and displacements. All other calls but allfold_plan_set are local.
 *
 * Free plans before their communicator and before MPI_Finalize. Calls return MPI_SUCCESS,
 * ALLFOLD_TIMED_OUT or an MPI error code. On an error they first call the communicator's error
 * handler (MPI_COMM_WORLD's where there is no plan). Several threads may use different plans at
 * once under MPI_THREAD_MULTIPLE. */
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

/* Starts a plan on other buffers, for this start alone: allfold_start goes back to those of the
 * plan. Here `in` and `out` stand for sendbuf and recvbuf of the call that made the plan. They have
 * the same shape and type. Off the root of a reduction, `out` is ignored. A broadcast uses only
 * `out`, and a barrier neither; the library ignores the rest. Alignment may differ.
 *
 * Where the plan was made in place, `in` must be MPI_IN_PLACE; where it was not, a separate buffer.
 * It is an error to pass any other `in`, NULL for a buffer that must be there, or a plan in flight.
 * After that error the plan is unchanged. Each rank may change buffers at any of its starts,
 * whatever the other ranks do. Local, and allocates nothing. */
int allfold_start_on(struct allfold_plan *plan, const void *in, void *out);

/* Waits for a plan in flight: so many milliseconds at most, or as ALLFOLD_BLOCK and ALLFOLD_TEST
 * say. ALLFOLD_TIMED_OUT: the plan is still in flight, and the next call continues where this call
 * stopped. MPI_SUCCESS: the result is there, and the program may start the plan again. Any other
 * value: the plan failed, and the program can only free it. */
int allfold_wait(struct allfold_plan *plan, int timeout_ms);

/* Says which ranks have not started a plan in flight, as far as this rank can know. Writes the
 * first `max` of them to `ranks`, ascending, and their number to *count (0 if the plan has ended
 * meanwhile). Local, but takes up to 100 ms, because it asks the ranks that share no memory with
 * this rank.
 *
 * Such a rank counts as started once a message of it has arrived, or once it answers. A rank can
 * answer while it waits in allfold_wait itself. A rank that does not answer is listed, though it
 * may have started and gone on. It is an error to ask about a native plan. See docs/split_phase.md.
 */
int allfold_missing(struct allfold_plan *plan, int *ranks, int max, int *count);

/* Gives a plan that is not in flight its own setting, instead of what its communicator had when the
 * plan was made. The `name` is "ALLFOLD_SPARSE", with "off", "auto" or "on" as its `value`
 * (docs/sparse.md), or "ALLFOLD_REPRODUCIBLE", with one of its values (docs/reproducible.md). The
 * value "" is the present setting of the communicator. The setting holds from the next start on.
 * ALLFOLD_SPARSE has no effect on a native plan, nor on a plan whose messages cannot be shorter.
 * This call also allocates what the setting needs, so that starts still allocate nothing.
 *
 * Collective over the plan's communicator. All ranks must give the same valid name and value, with
 * the plan in flight on none of them. Otherwise all ranks get an error that says why, and nothing
 * changes. Persistent collectives of MPI take the same settings as hints: the keys allfold_sparse
 * and allfold_reproducible of their info, which are to be the same on all ranks. */
int allfold_plan_set(struct allfold_plan *plan, const char *name, const char *value);

/* Prints what a plan is. First the call, then the algorithm with its parameters and why it was
 * chosen (or that the plan is native). Then its price by its claim, in rounds, bytes and
 * microseconds, and this rank's steps, one a line. Local, at any time until the plan is freed.
 * Errors of the stream stay in the stream. */
int allfold_plan_print(const struct allfold_plan *plan, FILE *stream);

/* Frees a plan that is not in flight and sets *plan to NULL. */
int allfold_plan_free(struct allfold_plan **plan);

/* Gives a communicator its own rules for one collective, instead of those that an environment
 * variable gives to all. The `name` is "ALLFOLD_ALGORITHM", and `value` has the rules of one
 * collective, such as "allreduce=ring(segment=64K)". With "allreduce=" the variable holds again.
 * The call forgets what was chosen before for that collective on that communicator.
 * "ALLFOLD_SPARSE" and "ALLFOLD_REPRODUCIBLE" are such names, too, for all reductions of the
 * communicator (docs/sparse.md, docs/reproducible.md). The value of the latter is "off",
 * "canonical", "canonical:warn", "exact" or "exact:warn".
 * Plans keep what they were made with. Communicators that are made from this one do not inherit the
 * rules.
 *
 * All ranks must give the same valid name and value. Otherwise all ranks get an error that says
 * why, and nothing changes. On a communicator whose calls pass through to MPI (one rank,
 * intercommunicators) the ranks compare nothing, and rules have no effect. */
int allfold_comm_set(MPI_Comm comm, const char *name, const char *value);

/* Names the part of the program that this process is in, for the report: from now on its
 * collectives are in that part's rows. With NULL or "" they are in no part's. Names are cut after
 * 31 bytes, and names past the 63rd are "other". Without a report the call has no effect.
 * MPI_Pcontrol(n) with n from 2 on does the same for the name "n", and MPI_Pcontrol(1) leaves the
 * part. From MPI_Pcontrol(0) on until another level the report leaves out this process's calls.
 * Local; the library copies the name. Any thread, but the part is the whole process's. */
void allfold_region(const char *name);

/* The version of the library that runs, "MAJOR.MINOR.PATCH". Not collective; any thread. */
const char *allfold_version(void);

#ifdef __cplusplus
}
#endif

#endif
