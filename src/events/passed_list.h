/* The collectives that Allfold passes through to the MPI library because it has no algorithm for
 * them. From this list come their functions in C and Fortran (blocking, nonblocking, with counts
 * of MPI_Count), and their names in the report.
 *
 * A row is X(name, Name, NAME, destinations, send, receive): the name, as in the report, in C and
 * in Fortran; to whom a rank sends; and which arguments describe what it sends and receives. */
#ifndef ALLFOLD_EVENTS_PASSED_LIST_H
#define ALLFOLD_EVENTS_PASSED_LIST_H

#define ALLFOLD_PASSED(X)                                                                          \
    X(gather, Gather, GATHER, TO_ROOT, BLOCK, BLOCK)                                               \
    X(gatherv, Gatherv, GATHERV, TO_ROOT, BLOCK, BLOCKS)                                           \
    X(scatter, Scatter, SCATTER, FROM_ROOT, BLOCK, BLOCK)                                          \
    X(scatterv, Scatterv, SCATTERV, FROM_ROOT, BLOCKS, BLOCK)                                      \
    X(alltoall, Alltoall, ALLTOALL, TO_ALL, BLOCK, BLOCK)                                          \
    X(alltoallv, Alltoallv, ALLTOALLV, TO_ALL, BLOCKS, BLOCKS)                                     \
    X(alltoallw, Alltoallw, ALLTOALLW, TO_ALL, TYPED_BLOCKS, TYPED_BLOCKS)                         \
    X(neighbor_allgather, Neighbor_allgather, NEIGHBOR_ALLGATHER, TO_NEIGHBORS, BLOCK, BLOCK)      \
    X(neighbor_allgatherv, Neighbor_allgatherv, NEIGHBOR_ALLGATHERV, TO_NEIGHBORS, BLOCK, BLOCKS)  \
    X(neighbor_alltoall, Neighbor_alltoall, NEIGHBOR_ALLTOALL, TO_NEIGHBORS, BLOCK, BLOCK)         \
    X(neighbor_alltoallv, Neighbor_alltoallv, NEIGHBOR_ALLTOALLV, TO_NEIGHBORS, BLOCKS, BLOCKS)    \
    X(neighbor_alltoallw, Neighbor_alltoallw, NEIGHBOR_ALLTOALLW, TO_NEIGHBORS, ADDRESSED_BLOCKS,  \
      ADDRESSED_BLOCKS)

/* The parameters of a row before the communicator. F(type, name, suffix, kind, field) is called for
 * each: "type name suffix" is its declaration, and field its member of struct allfold_passed_call.
 * COUNT and DISPLACEMENT are int, or the types of functions that end in _c. */
#define ALLFOLD_PASSED_PARAMETERS(F, destinations, send, receive, COUNT, DISPLACEMENT)             \
    ALLFOLD_SEND_##send(F, COUNT, DISPLACEMENT) ALLFOLD_RECEIVE_##receive(F, COUNT, DISPLACEMENT)  \
        ALLFOLD_ROOT_##destinations(F)

#define ALLFOLD_SEND_BLOCK(F, COUNT, DISPLACEMENT)                                                 \
    F(const void *, sendbuf, , buffer, send.buffer)                                                \
    F(COUNT, sendcount, , count, send.count)                                                       \
    F(MPI_Datatype, sendtype, , type, send.type)
#define ALLFOLD_SEND_BLOCKS(F, COUNT, DISPLACEMENT)                                                \
    F(const void *, sendbuf, , buffer, send.buffer)                                                \
    F(const COUNT, sendcounts, [], array, send.counts)                                             \
    F(const DISPLACEMENT, sdispls, [], array, send.displacements)                                  \
    F(MPI_Datatype, sendtype, , type, send.type)
#define ALLFOLD_SEND_TYPED_BLOCKS(F, COUNT, DISPLACEMENT)                                          \
    F(const void *, sendbuf, , buffer, send.buffer)                                                \
    F(const COUNT, sendcounts, [], array, send.counts)                                             \
    F(const DISPLACEMENT, sdispls, [], array, send.displacements)                                  \
    F(const MPI_Datatype, sendtypes, [], array, send.types)
#define ALLFOLD_SEND_ADDRESSED_BLOCKS(F, COUNT, DISPLACEMENT)                                      \
    ALLFOLD_SEND_TYPED_BLOCKS(F, COUNT, MPI_Aint)

#define ALLFOLD_RECEIVE_BLOCK(F, COUNT, DISPLACEMENT)                                              \
    F(void *, recvbuf, , buffer, receive.buffer)                                                   \
    F(COUNT, recvcount, , count, receive.count)                                                    \
    F(MPI_Datatype, recvtype, , type, receive.type)
#define ALLFOLD_RECEIVE_BLOCKS(F, COUNT, DISPLACEMENT)                                             \
    F(void *, recvbuf, , buffer, receive.buffer)                                                   \
    F(const COUNT, recvcounts, [], array, receive.counts)                                          \
    F(const DISPLACEMENT, rdispls, [], array, receive.displacements)                               \
    F(MPI_Datatype, recvtype, , type, receive.type)
#define ALLFOLD_RECEIVE_TYPED_BLOCKS(F, COUNT, DISPLACEMENT)                                       \
    F(void *, recvbuf, , buffer, receive.buffer)                                                   \
    F(const COUNT, recvcounts, [], array, receive.counts)                                          \
    F(const DISPLACEMENT, rdispls, [], array, receive.displacements)                               \
    F(const MPI_Datatype, recvtypes, [], array, receive.types)
#define ALLFOLD_RECEIVE_ADDRESSED_BLOCKS(F, COUNT, DISPLACEMENT)                                   \
    ALLFOLD_RECEIVE_TYPED_BLOCKS(F, COUNT, MPI_Aint)

#define ALLFOLD_ROOT_TO_ROOT(F) F(int, root, , root, root)
#define ALLFOLD_ROOT_FROM_ROOT(F) F(int, root, , root, root)
#define ALLFOLD_ROOT_TO_ALL(F)
#define ALLFOLD_ROOT_TO_NEIGHBORS(F)

/* As C declares a parameter, and as it passes it on. */
#define ALLFOLD_AS_PARAMETER(type, name, suffix, kind, field) type name suffix,
#define ALLFOLD_AS_ARGUMENT(type, name, suffix, kind, field) name,

#endif
