/* The arguments of a call of a collective, in one struct for all collectives and for blocking,
 * nonblocking and persistent calls. */
#ifndef ALLFOLD_MPI_CALL_CALL_H
#define ALLFOLD_MPI_CALL_CALL_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithms/problem.h"

/* A call as the program made it. Members that the collective does not have are not read. If there
 * is only one buffer (broadcast), it is `recvbuf`. A barrier is described as one byte without
 * buffers. */
struct allfold_call {
    enum allfold_collective collective;
    const void *sendbuf;
    void *recvbuf;
    size_t count; /* elements of `recvbuf`; if buffers consist of blocks, elements of one block */
    bool count_is_valid; /* false if the program gave a negative count */
    MPI_Datatype datatype;
    const void *counts; /* counts of all ranks, if blocks may have different lengths; `count` is 0
                           then. Else NULL */
    /* Of the blocks in `recvbuf`, in extents; NULL: blocks follow each other. */
    const void *displacements;
    bool has_wide_counts; /* `counts` and `displacements` have 8 bytes each, not ints */
    /* Elements of `sendbuf`, if the collective moves data, like `send_datatype`. */
    size_t send_count;
    MPI_Datatype send_datatype;
    MPI_Op op;
    int root; /* 0 if the collective has no root */
    MPI_Comm comm;
};

/* Returns whether two calls are the same except for communicators, buffers, counts of blocks and
 * displacements. */
static inline bool allfold_calls_are_alike(const struct allfold_call *a,
                                           const struct allfold_call *b)
{
    return a->count == b->count && a->op == b->op && a->datatype == b->datatype &&
           a->collective == b->collective && a->root == b->root && a->send_count == b->send_count &&
           a->send_datatype == b->send_datatype;
}

/* Describe calls. A negative count makes `count_is_valid` false. These functions are inline,
 * because short reductions would notice the time of a function call. */

static inline struct allfold_call allfold_describe_reduction(enum allfold_collective collective,
                                                             const void *sendbuf, void *recvbuf,
                                                             ptrdiff_t count, MPI_Datatype datatype,
                                                             MPI_Op op, int root, MPI_Comm comm)
{
    return (struct allfold_call){.collective = collective,
                                 .sendbuf = sendbuf,
                                 .recvbuf = recvbuf,
                                 .count = (size_t)count,
                                 .count_is_valid = count >= 0,
                                 .datatype = datatype,
                                 .op = op,
                                 .root = root,
                                 .comm = comm};
}

static inline struct allfold_call allfold_describe_bcast(void *buffer, ptrdiff_t count,
                                                         MPI_Datatype datatype, int root,
                                                         MPI_Comm comm)
{
    return allfold_describe_reduction(ALLFOLD_BCAST, NULL, buffer, count, datatype, MPI_OP_NULL,
                                      root, comm);
}

static inline struct allfold_call
allfold_describe_allgather(const void *sendbuf, ptrdiff_t sendcount, MPI_Datatype sendtype,
                           void *recvbuf, ptrdiff_t recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_ALLGATHER, sendbuf, recvbuf, recvcount, recvtype, MPI_OP_NULL, 0, comm);
    call.send_count = (size_t)sendcount;
    call.send_datatype = sendtype;
    call.count_is_valid = recvcount >= 0 && (sendcount >= 0 || sendbuf == MPI_IN_PLACE);
    return call;
}

static inline struct allfold_call
allfold_describe_reduce_scatter(const void *sendbuf, void *recvbuf, const void *counts,
                                bool is_wide, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
    struct allfold_call call = allfold_describe_reduction(ALLFOLD_REDUCE_SCATTER, sendbuf, recvbuf,
                                                          0, datatype, op, 0, comm);
    call.counts = counts;
    call.has_wide_counts = is_wide;
    call.count_is_valid = counts != NULL;
    return call;
}

static inline struct allfold_call
allfold_describe_allgatherv(const void *sendbuf, ptrdiff_t sendcount, MPI_Datatype sendtype,
                            void *recvbuf, const void *counts, const void *displacements,
                            bool is_wide, MPI_Datatype recvtype, MPI_Comm comm)
{
    struct allfold_call call =
        allfold_describe_allgather(sendbuf, sendcount, sendtype, recvbuf, 0, recvtype, comm);
    call.collective = ALLFOLD_ALLGATHERV;
    call.counts = counts;
    call.displacements = displacements;
    call.has_wide_counts = is_wide;
    call.count_is_valid = call.count_is_valid && counts != NULL && displacements != NULL;
    return call;
}

static inline struct allfold_call allfold_describe_barrier(MPI_Comm comm)
{
    return allfold_describe_reduction(ALLFOLD_BARRIER, NULL, NULL, 1, MPI_BYTE, MPI_OP_NULL, 0,
                                      comm);
}

#endif
