/* allfold_gaspi.h - split-phase collectives with the interface of GASPI, for MPI programs.
 *
 * The functions have the semantics of gaspi_barrier, gaspi_allreduce and gaspi_allreduce_user in
 * the GASPI specification (version 16.1, chapter on collective communication), but work on the
 * ranks of an MPI communicator.
 *
 * A call that reaches its timeout returns ALLFOLD_GASPI_TIMEOUT. Calling the function again with
 * the same arguments continues the collective. Until a call returns ALLFOLD_GASPI_SUCCESS, the
 * program must not use its buffers. A call that fails prints the reason to stderr and returns
 * ALLFOLD_GASPI_ERROR.
 *
 * All ranks of a group must call its barriers in the same order, and its allreduces in the same
 * order. One barrier and one allreduce of each group may be in flight at a time. Any number of
 * other groups and of plans (allfold.h) may be in flight, too. All of them make progress in each
 * call of the library. One thread at a time may use a group. */
#ifndef ALLFOLD_GASPI_H
#define ALLFOLD_GASPI_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ALLFOLD_GASPI_ERROR = -1, ALLFOLD_GASPI_SUCCESS = 0, ALLFOLD_GASPI_TIMEOUT = 1 };

/* A timeout in milliseconds, ALLFOLD_GASPI_TEST or ALLFOLD_GASPI_BLOCK. */
typedef unsigned long allfold_gaspi_timeout;
#define ALLFOLD_GASPI_TEST 0ul     /* do not wait */
#define ALLFOLD_GASPI_BLOCK (~0ul) /* no timeout */

enum allfold_gaspi_operation { ALLFOLD_GASPI_OP_MIN, ALLFOLD_GASPI_OP_MAX, ALLFOLD_GASPI_OP_SUM };

enum allfold_gaspi_datatype {
    ALLFOLD_GASPI_TYPE_INT,
    ALLFOLD_GASPI_TYPE_UINT,
    ALLFOLD_GASPI_TYPE_FLOAT,
    ALLFOLD_GASPI_TYPE_DOUBLE,
    ALLFOLD_GASPI_TYPE_LONG,
    ALLFOLD_GASPI_TYPE_ULONG
};

/* The maximum number of elements of an allreduce. */
enum { ALLFOLD_GASPI_ELEM_MAX = 255 };

struct allfold_gaspi_group;

/* Creates a group of the ranks of a communicator. Collective over `comm`, which the program may
 * free before the group. The caller frees the group with allfold_gaspi_group_delete. */
int allfold_gaspi_group_create(MPI_Comm comm, struct allfold_gaspi_group **group);

/* Deletes a group, none of whose calls may be in flight, and sets *group to NULL. Collective over
 * the ranks of the group. */
int allfold_gaspi_group_delete(struct allfold_gaspi_group **group);

/* Sets the algorithm of the group's allreduces: "dissemination", "bruck", "pairwise_exchange",
 * "binomial_tree", or any other algorithm of `allfold list`, with parameters, as in "bruck(n=5)".
 *
 * By default, and with "", the library chooses the one of these four that has the fewest rounds and
 * computes the operation correctly. For sums of floating-point numbers and for operations of the
 * program, the results must be bitwise identical on all ranks. The library then does not choose
 * algorithms whose order of summation differs between ranks (dissemination, bruck). Local; all
 * ranks must set the same algorithm. */
int allfold_gaspi_group_algorithm(struct allfold_gaspi_group *group, const char *algorithm);

/* Waits until all ranks of the group have called it. */
int allfold_gaspi_barrier(struct allfold_gaspi_group *group, allfold_gaspi_timeout timeout_ms);

/* Reduces `num` elements (1 to ALLFOLD_GASPI_ELEM_MAX) of all ranks. Each rank gets the result. The
 * two buffers must be the same or must not overlap. */
int allfold_gaspi_allreduce(const void *buffer_send, void *buffer_receive, unsigned num,
                            enum allfold_gaspi_operation operation,
                            enum allfold_gaspi_datatype datatype, struct allfold_gaspi_group *group,
                            allfold_gaspi_timeout timeout_ms);

/* An operation of the program: computes result = left o right, element by element. `result` may be
 * the same as either operand. The operation must be associative. It must also be commutative,
 * unless the program set an algorithm that keeps rank order (binomial_tree, recursive_doubling).
 * With such an algorithm, `left` comes from lower ranks than `right`.
 *
 * The operation must not call functions of this library or of MPI. If it does not return
 * ALLFOLD_GASPI_SUCCESS, the collective fails, and the program can only delete the group. The
 * argument `timeout_ms` is always ALLFOLD_GASPI_BLOCK. */
typedef int (*allfold_gaspi_reduce)(const void *left, const void *right, void *result, void *state,
                                    unsigned num, size_t element_size,
                                    allfold_gaspi_timeout timeout_ms);

/* Reduces `num` elements of `element_size` bytes of all ranks by an operation of the program, to
 * which the library passes `state`. Each rank gets the result. */
int allfold_gaspi_allreduce_user(const void *buffer_send, void *buffer_receive, unsigned num,
                                 size_t element_size, allfold_gaspi_reduce reduce, void *state,
                                 struct allfold_gaspi_group *group,
                                 allfold_gaspi_timeout timeout_ms);

#ifdef __cplusplus
}
#endif

#endif
