/*
 * test_errors.c: wrong arguments must end alike through MPI_Allreduce and its like and through
 * PMPI_Allreduce: the same error class, the same calls of the error handler. PMPI_Allreduce is
 * native even where a preloaded library has taken MPI_Allreduce.
 *
 * All ranks make each mistake, and an MPI that flags it flags it on all, so that no rank is left
 * waiting. Where only a root would notice, the communicator has one rank.
 */
#include "calls.h"

#include <string.h>

enum on { ON_DUP, ON_SINGLE, ON_NULL };

struct mistake {
    const char *name;
    enum on on;
    int count, root;
    MPI_Datatype type;
    MPI_Op op;
    bool alias;       /* send and receive buffer are the same */
    bool uncommitted; /* the type is one that was not committed */
    bool moves;       /* also a mistake where there is no operation: for MPI_Bcast and such */
    /* A bit per collective of which MPICH 4.0.2 itself dies, so that nothing can be compared; the
     * same of Open MPI 4.1.4. */
    unsigned fatal, fatal_openmpi;
};

enum { ROOT_PAST_END = -1000 }; /* stands for the size of the communicator */

static const struct mistake mistakes[] = {
    {"none", ON_DUP, 1, 0, MPI_INT, MPI_SUM, false, false, true, 0, 0},
    {"negative count", ON_DUP, -1, 0, MPI_INT, MPI_SUM, false, false, true,
     1 << ALLREDUCE | 1 << REDUCE | 1 << REDUCE_SCATTER_BLOCK | 1 << SCAN | 1 << EXSCAN, 0},
    {"negative root", ON_DUP, 1, -5, MPI_INT, MPI_SUM, false, false, true, 0, 0},
    {"negative root, count 0", ON_DUP, 0, -5, MPI_INT, MPI_SUM, false, false, true, 0, 0},
    {"root past the end", ON_DUP, 1, ROOT_PAST_END, MPI_INT, MPI_SUM, false, false, true, 0, 0},
    {"MPI_OP_NULL", ON_DUP, 1, 0, MPI_INT, MPI_OP_NULL, false, false, false, 0, 0},
    {"MPI_OP_NULL, count 0", ON_DUP, 0, 0, MPI_INT, MPI_OP_NULL, false, false, false, 0, 0},
    {"MPI_DATATYPE_NULL", ON_DUP, 1, 0, MPI_DATATYPE_NULL, MPI_SUM, false, false, true, 1 << BCAST,
     0},
    {"MPI_DATATYPE_NULL, count 0", ON_DUP, 0, 0, MPI_DATATYPE_NULL, MPI_SUM, false, false, true,
     1 << BCAST, 0},
    {"uncommitted type", ON_DUP, 1, 0, MPI_INT, MPI_SUM, false, true, true, 0, 0},
    {"operation not for the type", ON_DUP, 1, 0, MPI_DOUBLE, MPI_BAND, false, false, false, 0, 0},
    {"operation not for the type, MAXLOC", ON_DUP, 1, 0, MPI_INT, MPI_MAXLOC, false, false, false,
     0, 0},
    {"operation not for the type, large", ON_DUP, 5000, 0, MPI_FLOAT, MPI_LXOR, false, false, false,
     0, 0},
    {"aliased buffers", ON_SINGLE, 1, 0, MPI_INT, MPI_SUM, true, false, false, 0, 0},
    {"two mistakes", ON_DUP, -1, -5, MPI_DATATYPE_NULL, MPI_OP_NULL, false, false, true, 0, 0},
    {"negative count, one rank", ON_SINGLE, -1, 0, MPI_INT, MPI_SUM, false, false, true,
     1 << SCAN | 1 << EXSCAN, 0},
    {"root past the end, one rank", ON_SINGLE, 1, ROOT_PAST_END, MPI_INT, MPI_SUM, false, false,
     true, 0, 0},
    {"MPI_OP_NULL, one rank", ON_SINGLE, 1, 0, MPI_INT, MPI_OP_NULL, false, false, false, 0, 0},
    {"MPI_COMM_NULL", ON_NULL, 1, 0, MPI_INT, MPI_SUM, false, false, true, 0, 1 << ALLGATHER},
    {"MPI_COMM_NULL and negative count", ON_NULL, -1, 0, MPI_INT, MPI_SUM, false, false, true, 0,
     1 << ALLGATHER},
};

struct arguments {
    const void *send;
    void *receive;
    int count, root;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Comm comm;
};

static int allreduce(const struct arguments *a)
{
    return MPI_Allreduce(a->send, a->receive, a->count, a->type, a->op, a->comm);
}

static int native_allreduce(const struct arguments *a)
{
    return PMPI_Allreduce(a->send, a->receive, a->count, a->type, a->op, a->comm);
}

static int reduce(const struct arguments *a)
{
    return MPI_Reduce(a->send, a->receive, a->count, a->type, a->op, a->root, a->comm);
}

static int native_reduce(const struct arguments *a)
{
    return PMPI_Reduce(a->send, a->receive, a->count, a->type, a->op, a->root, a->comm);
}

static int bcast(const struct arguments *a)
{
    return MPI_Bcast(a->receive, a->count, a->type, a->root, a->comm);
}

static int native_bcast(const struct arguments *a)
{
    return PMPI_Bcast(a->receive, a->count, a->type, a->root, a->comm);
}

static int reduce_scatter_block(const struct arguments *a)
{
    return MPI_Reduce_scatter_block(a->send, a->receive, a->count, a->type, a->op, a->comm);
}

static int native_reduce_scatter_block(const struct arguments *a)
{
    return PMPI_Reduce_scatter_block(a->send, a->receive, a->count, a->type, a->op, a->comm);
}

/* All counts alike, and blocks in a row; the arrays live on after the call. */
static int counts[1 << 6], displs[1 << 6];

static void lay_out(const struct arguments *a)
{
    for (int i = 0; i < (int)(sizeof counts / sizeof *counts); i++) {
        counts[i] = a->count;
        displs[i] = i * a->count;
    }
}

static int reduce_scatter(const struct arguments *a)
{
    lay_out(a);
    return MPI_Reduce_scatter(a->send, a->receive, counts, a->type, a->op, a->comm);
}

static int native_reduce_scatter(const struct arguments *a)
{
    lay_out(a);
    return PMPI_Reduce_scatter(a->send, a->receive, counts, a->type, a->op, a->comm);
}

static int allgatherv(const struct arguments *a)
{
    lay_out(a);
    return MPI_Allgatherv(a->send, a->count, a->type, a->receive, counts, displs, a->type, a->comm);
}

static int native_allgatherv(const struct arguments *a)
{
    lay_out(a);
    return PMPI_Allgatherv(a->send, a->count, a->type, a->receive, counts, displs, a->type,
                           a->comm);
}

static int allgather(const struct arguments *a)
{
    return MPI_Allgather(a->send, a->count, a->type, a->receive, a->count, a->type, a->comm);
}

static int native_allgather(const struct arguments *a)
{
    return PMPI_Allgather(a->send, a->count, a->type, a->receive, a->count, a->type, a->comm);
}

static int barrier(const struct arguments *a)
{
    return MPI_Barrier(a->comm);
}

static int native_barrier(const struct arguments *a)
{
    return PMPI_Barrier(a->comm);
}

static int scan(const struct arguments *a)
{
    return MPI_Scan(a->send, a->receive, a->count, a->type, a->op, a->comm);
}

static int native_scan(const struct arguments *a)
{
    return PMPI_Scan(a->send, a->receive, a->count, a->type, a->op, a->comm);
}

static int exscan(const struct arguments *a)
{
    return MPI_Exscan(a->send, a->receive, a->count, a->type, a->op, a->comm);
}

static int native_exscan(const struct arguments *a)
{
    return PMPI_Exscan(a->send, a->receive, a->count, a->type, a->op, a->comm);
}

static int (*const ours[COLLECTIVES])(const struct arguments *) = {
    allreduce, reduce, bcast, reduce_scatter_block, reduce_scatter, allgather, allgatherv,
    barrier,   scan,   exscan};
static int (*const native[COLLECTIVES])(const struct arguments *) = {
    native_allreduce,      native_reduce,    native_bcast,      native_reduce_scatter_block,
    native_reduce_scatter, native_allgather, native_allgatherv, native_barrier,
    native_scan,           native_exscan};

/* What one call did: the class that it returned, and how the error handler was called. */
struct outcome {
    int class;
    int handled, handled_class;
    bool handled_comm; /* it got the communicator of the call */
};

static struct outcome outcome;
static MPI_Comm called_on;

static void handle(MPI_Comm *comm, int *code, ...)
{
    outcome.handled++;
    outcome.handled_comm = *comm == called_on;
    MPI_Error_class(*code, &outcome.handled_class);
}

static struct outcome outcome_of(int (*function)(const struct arguments *),
                                 const struct arguments *a)
{
    outcome = (struct outcome){0};
    called_on = a->comm;
    int code = function(a);
    MPI_Error_class(code, &outcome.class);
    return outcome;
}

/* Buffers that can hold every count of the table, as any type of it, a block for each rank. */
enum { RANKS_LIMIT = 16 };
static int buffers[2][RANKS_LIMIT * 5000];

static void compare(const struct mistake *mistake, int collective,
                    const struct arguments *arguments)
{
    struct outcome expected = outcome_of(native[collective], arguments);
    struct outcome got = outcome_of(ours[collective], arguments);

    check_equal("error class", expected.class, got.class);
    check_equal("calls of the error handler", expected.handled, got.handled);
    check_equal("error class that the handler got", expected.handled_class, got.handled_class);
    check_equal("communicator that the handler got is the call's", expected.handled_comm,
                got.handled_comm);
    if (mistake == &mistakes[0])
        check_equal("error class of a right call", MPI_SUCCESS, got.class);
}

static void test_mistake(const struct mistake *mistake, int collective, MPI_Comm comm)
{
    MPI_Datatype uncommitted;
    int size = 1;

    if (comm != MPI_COMM_NULL)
        MPI_Comm_size(comm, &size);
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    struct arguments arguments = {
        .send = mistake->alias ? buffers[1] : buffers[0],
        .receive = buffers[1],
        .count = mistake->count,
        .root = mistake->root == ROOT_PAST_END ? size : mistake->root,
        .type = mistake->uncommitted ? uncommitted : mistake->type,
        .op = mistake->op,
        .comm = comm,
    };
    compare(mistake, collective, &arguments);
    MPI_Type_free(&uncommitted);
}

/* A communicator of its own for each mistake: what one leaves behind must not reach the next. */
static void test_with_handler(const struct mistake *mistake, int collective, MPI_Errhandler handler)
{
    MPI_Comm comm = MPI_COMM_NULL;

    if (mistake->on != ON_NULL) {
        MPI_Comm_dup(mistake->on == ON_DUP ? MPI_COMM_WORLD : MPI_COMM_SELF, &comm);
        MPI_Comm_set_errhandler(comm, handler);
    }
    test_mistake(mistake, collective, comm);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
}

static bool applies(const struct mistake *mistake, int collective, bool mpich)
{
    unsigned fatal = mpich ? mistake->fatal : mistake->fatal_openmpi;
    return (collective_reduces((enum collective)collective) || mistake->moves) &&
           !(fatal & 1u << collective);
}

static void run(void)
{
    static const char *const handlers[] = {"MPI_ERRORS_RETURN", "own handler"};
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Errhandler own;
    int length;

    MPI_Comm_create_errhandler(handle, &own);
    MPI_Get_library_version(version, &length);
    bool mpich = strstr(version, "MPICH");
    for (size_t m = 0; m < sizeof mistakes / sizeof mistakes[0]; m++)
        for (int collective = ALLREDUCE; collective < COLLECTIVES; collective++)
            for (int h = 0; h < 2; h++)
                if (applies(&mistakes[m], collective, mpich) &&
                    check_case("%s: %s, %s", collective_names[collective], mistakes[m].name,
                               handlers[h]))
                    test_with_handler(&mistakes[m], collective, h ? own : MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&own);
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks that wrong arguments end through MPI_* as they do through PMPI_*.",
        .run = run,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
