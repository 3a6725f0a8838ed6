/* allfold_gaspi.h - split-phase collectives in the manner of GASPI, for MPI programs.
 *
 * They do what gaspi_barrier, gaspi_allreduce and gaspi_allreduce_user do in the GASPI
 * specification (version 16.1, chapter on collective communication), between the ranks of an MPI
 * communicator. A call that runs out of time returns ALLFOLD_GASPI_TIMEOUT; the same call, made
 * again, goes on where that one was. Until it returns ALLFOLD_GASPI_SUCCESS the buffers are the
 * library's. What a call could not do, it says on stderr and returns ALLFOLD_GASPI_ERROR.
 *
 * All ranks of a group make the same calls of a kind on it in the same order. One barrier and one
 * allreduce of each group may be in flight at a time, beside any number of other groups' and of
 * plans (allfold.h); all of them move on in each call of the library. One thread at a time for a
 * group. */
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

/* The group of a communicator's ranks, which may be freed afterwards. Collective over it, as is the
 * end of the group; then nothing of it may be in flight. */
int allfold_gaspi_group_create(MPI_Comm comm, struct allfold_gaspi_group **group);
int allfold_gaspi_group_delete(struct allfold_gaspi_group **group);

/* Chooses how the group's allreduces go: "dissemination", "bruck", "pairwise_exchange",
 * "binomial_tree", or any other of `allfold list` with its parameters, as in "bruck(n=5)". With
 * "" (and at first) it is of these four the one with the fewest rounds that does the operation
 * right: of floating-point sums, and of operations of the program's, all ranks get the same bits,
 * so there it is none whose ranks bracket differently (dissemination, bruck). Local; the same on
 * all ranks. */
int allfold_gaspi_group_algorithm(struct allfold_gaspi_group *group, const char *algorithm);

/* Returns ALLFOLD_GASPI_SUCCESS on no rank before all have called it. */
int allfold_gaspi_barrier(struct allfold_gaspi_group *group, allfold_gaspi_timeout timeout_ms);

/* Reduces `num` elements (1 to ALLFOLD_GASPI_ELEM_MAX) of all ranks; each gets the result. The
 * buffers are the same or apart. */
int allfold_gaspi_allreduce(const void *buffer_send, void *buffer_receive, unsigned num,
                            enum allfold_gaspi_operation operation,
                            enum allfold_gaspi_datatype datatype, struct allfold_gaspi_group *group,
                            allfold_gaspi_timeout timeout_ms);

/* result = left o right, element by element. The result may take the place of either. The operation
 * must be associative, and commute but where the group's algorithm is chosen to be one that keeps
 * the order of the ranks (binomial_tree, recursive_doubling); then `left` is of lower ranks. It
 * calls nothing of this library, nor of MPI. Anything but ALLFOLD_GASPI_SUCCESS ends the call as an
 * error, after which the group can only be deleted. `timeout_ms` is always ALLFOLD_GASPI_BLOCK. */
typedef int (*allfold_gaspi_reduce)(const void *left, const void *right, void *result, void *state,
                                    unsigned num, size_t element_size,
                                    allfold_gaspi_timeout timeout_ms);

/* The same with an operation of the program's on elements of `element_size` bytes. */
int allfold_gaspi_allreduce_user(const void *buffer_send, void *buffer_receive, unsigned num,
                                 size_t element_size, allfold_gaspi_reduce reduce, void *state,
                                 struct allfold_gaspi_group *group,
                                 allfold_gaspi_timeout timeout_ms);

#ifdef __cplusplus
}
#endif

#endif
