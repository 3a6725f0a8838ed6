/* The arguments of MPI's collectives, and declarations of the functions of MPI 4 that Allfold
 * defines.
 *
 * collectives.def names a kind of arguments for each collective. A kind is a list of F(type, name,
 * suffix, role, field), one entry for each parameter before the communicator, in MPI's order. "type
 * name suffix" declares the parameter. `role` says how a language binding converts it. `field` is
 * its member in struct allfold_call, or in struct allfold_passed_call if the collective passes
 * through. COUNT and DISPLACEMENT are int, or MPI_Count and MPI_Aint in functions whose names end
 * in _c. */
#ifndef ALLFOLD_MPI_PROCESS_COLLECTIVES_H
#define ALLFOLD_MPI_PROCESS_COLLECTIVES_H

#include <mpi.h>

/* ---- collectives that Allfold serves ---- */

#define ALLFOLD_ARGUMENTS_REDUCTION(F, COUNT, DISPLACEMENT)                                        \
    F(const void *, sendbuf, , input, sendbuf)                                                     \
    F(void *, recvbuf, , output, recvbuf)                                                          \
    F(COUNT, count, , count, count)                                                                \
    F(MPI_Datatype, datatype, , type, datatype)                                                    \
    F(MPI_Op, op, , op, op)

#define ALLFOLD_ARGUMENTS_REDUCTION_TO_ROOT(F, COUNT, DISPLACEMENT)                                \
    ALLFOLD_ARGUMENTS_REDUCTION(F, COUNT, DISPLACEMENT)                                            \
    F(int, root, , integer, root)

#define ALLFOLD_ARGUMENTS_REDUCTION_TO_BLOCKS(F, COUNT, DISPLACEMENT)                              \
    F(const void *, sendbuf, , input, sendbuf)                                                     \
    F(void *, recvbuf, , output, recvbuf)                                                          \
    F(const COUNT, recvcounts, [], array, counts)                                                  \
    F(MPI_Datatype, datatype, , type, datatype)                                                    \
    F(MPI_Op, op, , op, op)

#define ALLFOLD_ARGUMENTS_BROADCAST(F, COUNT, DISPLACEMENT)                                        \
    F(void *, buffer, , output, recvbuf)                                                           \
    F(COUNT, count, , count, count)                                                                \
    F(MPI_Datatype, datatype, , type, datatype)                                                    \
    F(int, root, , integer, root)

#define ALLFOLD_ARGUMENTS_SENT(F, COUNT)                                                           \
    F(const void *, sendbuf, , input, sendbuf)                                                     \
    F(COUNT, sendcount, , count, send_count)                                                       \
    F(MPI_Datatype, sendtype, , type, send_datatype)

#define ALLFOLD_ARGUMENTS_GATHER(F, COUNT, DISPLACEMENT)                                           \
    ALLFOLD_ARGUMENTS_SENT(F, COUNT)                                                               \
    F(void *, recvbuf, , output, recvbuf)                                                          \
    F(COUNT, recvcount, , count, count)                                                            \
    F(MPI_Datatype, recvtype, , type, datatype)

#define ALLFOLD_ARGUMENTS_GATHER_BLOCKS(F, COUNT, DISPLACEMENT)                                    \
    ALLFOLD_ARGUMENTS_SENT(F, COUNT)                                                               \
    F(void *, recvbuf, , output, recvbuf)                                                          \
    F(const COUNT, recvcounts, [], array, counts)                                                  \
    F(const DISPLACEMENT, displs, [], array, displacements)                                        \
    F(MPI_Datatype, recvtype, , type, datatype)

#define ALLFOLD_ARGUMENTS_NOTHING(F, COUNT, DISPLACEMENT)

/* ---- collectives that pass through: what a rank sends, what it receives, and the root ---- */

#define ALLFOLD_PASSED_ARGUMENTS(F, destinations, send, receive, COUNT, DISPLACEMENT)              \
    ALLFOLD_SEND_##send(F, COUNT, DISPLACEMENT) ALLFOLD_RECEIVE_##receive(F, COUNT, DISPLACEMENT)  \
        ALLFOLD_ROOT_##destinations(F)

#define ALLFOLD_SEND_BLOCK(F, COUNT, DISPLACEMENT)                                                 \
    F(const void *, sendbuf, , input, send.buffer)                                                 \
    F(COUNT, sendcount, , count, send.count)                                                       \
    F(MPI_Datatype, sendtype, , type, send.type)
#define ALLFOLD_SEND_BLOCKS(F, COUNT, DISPLACEMENT)                                                \
    F(const void *, sendbuf, , input, send.buffer)                                                 \
    F(const COUNT, sendcounts, [], array, send.counts)                                             \
    F(const DISPLACEMENT, sdispls, [], array, send.displacements)                                  \
    F(MPI_Datatype, sendtype, , type, send.type)
#define ALLFOLD_SEND_TYPED_BLOCKS(F, COUNT, DISPLACEMENT)                                          \
    F(const void *, sendbuf, , input, send.buffer)                                                 \
    F(const COUNT, sendcounts, [], array, send.counts)                                             \
    F(const DISPLACEMENT, sdispls, [], array, send.displacements)                                  \
    F(const MPI_Datatype, sendtypes, [], array, send.types)
#define ALLFOLD_SEND_ADDRESSED_BLOCKS(F, COUNT, DISPLACEMENT)                                      \
    ALLFOLD_SEND_TYPED_BLOCKS(F, COUNT, MPI_Aint)

#define ALLFOLD_RECEIVE_BLOCK(F, COUNT, DISPLACEMENT)                                              \
    F(void *, recvbuf, , output, receive.buffer)                                                   \
    F(COUNT, recvcount, , count, receive.count)                                                    \
    F(MPI_Datatype, recvtype, , type, receive.type)
#define ALLFOLD_RECEIVE_BLOCKS(F, COUNT, DISPLACEMENT)                                             \
    F(void *, recvbuf, , output, receive.buffer)                                                   \
    F(const COUNT, recvcounts, [], array, receive.counts)                                          \
    F(const DISPLACEMENT, rdispls, [], array, receive.displacements)                               \
    F(MPI_Datatype, recvtype, , type, receive.type)
#define ALLFOLD_RECEIVE_TYPED_BLOCKS(F, COUNT, DISPLACEMENT)                                       \
    F(void *, recvbuf, , output, receive.buffer)                                                   \
    F(const COUNT, recvcounts, [], array, receive.counts)                                          \
    F(const DISPLACEMENT, rdispls, [], array, receive.displacements)                               \
    F(const MPI_Datatype, recvtypes, [], array, receive.types)
#define ALLFOLD_RECEIVE_ADDRESSED_BLOCKS(F, COUNT, DISPLACEMENT)                                   \
    ALLFOLD_RECEIVE_TYPED_BLOCKS(F, COUNT, MPI_Aint)

#define ALLFOLD_ROOT_TO_ROOT(F) F(int, root, , integer, root)
#define ALLFOLD_ROOT_FROM_ROOT(F) F(int, root, , integer, root)
#define ALLFOLD_ROOT_TO_ALL(F)
#define ALLFOLD_ROOT_TO_NEIGHBORS(F)

/* ---- the functions ---- */

/* Write a parameter as a declaration, and as an argument. */
#define ALLFOLD_AS_PARAMETER(type, name, suffix, role, field) type name suffix,
#define ALLFOLD_AS_ARGUMENT(type, name, suffix, role, field) name,

/* Declare the functions that mpi.h of MPI 3.1 lacks. If mpi.h has them, the declarations are the
 * same. */
#define DECLARE(Name, arguments, COUNT, DISPLACEMENT, ...)                                         \
    int MPI_##Name(ALLFOLD_ARGUMENTS_##arguments(ALLFOLD_AS_PARAMETER, COUNT, DISPLACEMENT)        \
                       MPI_Comm comm __VA_ARGS__);
#define SERVED(name, Name, NAME, arguments)                                                        \
    DECLARE(Name##_c, arguments, MPI_Count, MPI_Aint)                                              \
    DECLARE(I##name##_c, arguments, MPI_Count, MPI_Aint, , MPI_Request *request)                   \
    DECLARE(Name##_init, arguments, int, int, , MPI_Info info, MPI_Request *request)               \
    DECLARE(Name##_init_c, arguments, MPI_Count, MPI_Aint, , MPI_Info info, MPI_Request *request)
#define SERVED_WITHOUT_BUFFERS(name, Name, NAME)                                                   \
    DECLARE(Name##_init, NOTHING, int, int, , MPI_Info info, MPI_Request *request)
#include "mpi/collectives.def"
#undef DECLARE
int MPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype,
                       MPI_Op op);

#endif
