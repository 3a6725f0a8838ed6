/* allfold_gaspi.h - split-phase collectives in the manner of GASPI, for MPI programs.
 *
 * They do what gaspi_barrier, gaspi_allreduce and gaspi_allreduce_user do in the GASPI
 * specification (version 16.1, chapter on collective communication). They work between the ranks of
 * an MPI communicator.
 *
 * A call that runs out of time returns ALLFOLD_GASPI_TIMEOUT. The same call, made again, continues
 * where the first one stopped. Until a call returns ALLFOLD_GASPI_SUCCESS, its buffers are the
 * library's. A call that fails says on stderr what it could not do, and returns
 * ALLFOLD_GASPI_ERROR.
 *
 * All ranks of a group make the same calls of a kind on it in the same order. One barrier and one
 * allreduce of each group may be in flight at a time. Beside them, any number of other groups and
 * of plans (allfold.h) may be in flight. All of them make progress in each call of the library.
 * Only one thread at a time may use a group. */
#ifndef ALLFOLD_GASPI_H
#define ALLFOLD_GASPI_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ALLFOLD_GASPI_ERROR = -1, ALLFOLD_GASPI_SUCCESS = 0, ALLFOLD_GASPI_TIMEOUT = 1 };

/* Milliseconds, or one of these. */
typedef unsigned long allfold_gaspi_timeout;
#define ALLFOLD_GASPI_TEST 0ul
#define ALLFOLD_GASPI_BLOCK (~0ul)

enum allfold_gaspi_operation { ALLFOLD_GASPI_OP_MIN, ALLFOLD_GASPI_OP_MAX, ALLFOLD_GASPI_OP_SUM };

enum allfold_gaspi_datatype {
    ALLFOLD_GASPI_TYPE_INT,
    ALLFOLD_GASPI_TYPE_UINT,
    ALLFOLD_GASPI_TYPE_FLOAT,
    ALLFOLD_GASPI_TYPE_DOUBLE,
    ALLFOLD_GASPI_TYPE_LONG,
    ALLFOLD_GASPI_TYPE_ULONG
};

/* Elements of an allreduce at most. */
enum { ALLFOLD_GASPI_ELEM_MAX = 255 };

struct allfold_gaspi_group;

/* Make and end the group of a communicator's ranks. Both are collective over that communicator,
 * which the program may free before the group. At the end of the group none of its calls may be in
 * flight. */
int allfold_gaspi_group_create(MPI_Comm comm, struct allfold_gaspi_group **group);
int allfold_gaspi_group_delete(struct allfold_gaspi_group **group);

/* Chooses the algorithm of the group's allreduces: "dissemination", "bruck", "pairwise_exchange",
 * "binomial_tree", or any other of `allfold list` with its parameters, as in "bruck(n=5)".
 *
 * With "", and at first, the library takes the one of these four with the fewest rounds that does
 * the operation right. For sums of floating-point numbers and for operations of the program, the
 * results of all ranks must be bitwise identical. There the library never takes an algorithm whose
 * ranks bracket differently (dissemination, bruck). Local; the same on all ranks. */
int allfold_gaspi_group_algorithm(struct allfold_gaspi_group *group, const char *algorithm);

/* Returns ALLFOLD_GASPI_SUCCESS on no rank before all ranks have called it. */
int allfold_gaspi_barrier(struct allfold_gaspi_group *group, allfold_gaspi_timeout timeout_ms);

/* Reduces `num` elements (1 to ALLFOLD_GASPI_ELEM_MAX) of all ranks. Each rank gets the result. The
 * two buffers are the same or do not overlap. */
int allfold_gaspi_allreduce(const void *buffer_send, void *buffer_receive, unsigned num,
                            enum allfold_gaspi_operation operation,
                            enum allfold_gaspi_datatype datatype, struct allfold_gaspi_group *group,
                            allfold_gaspi_timeout timeout_ms);

/* Computes result = left o right, element by element. The result may replace either operand. The
 * operation must be associative. It must also commute, unless the program chose an algorithm for
 * the group that keeps rank order (binomial_tree, recursive_doubling). With such an algorithm,
 * `left` is of lower ranks.
 *
 * The operation calls nothing of this library, nor of MPI. If it returns anything but
 * ALLFOLD_GASPI_SUCCESS, the call ends with an error, and the program can then only delete the
 * group. The argument `timeout_ms` is always ALLFOLD_GASPI_BLOCK. */
typedef int (*allfold_gaspi_reduce)(const void *left, const void *right, void *result, void *state,
                                    unsigned num, size_t element_size,
                                    allfold_gaspi_timeout timeout_ms);

/* Reduces by an operation of the program, on elements of `element_size` bytes. The library passes
 * `state` to the operation. */
int allfold_gaspi_allreduce_user(const void *buffer_send, void *buffer_receive, unsigned num,
                                 size_t element_size, allfold_gaspi_reduce reduce, void *state,
                                 struct allfold_gaspi_group *group,
                                 allfold_gaspi_timeout timeout_ms);

#ifdef __cplusplus
}
#endif

#endif
