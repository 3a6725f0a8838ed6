/* The calls that are measured (see bench_calls.h). */
#include "programs/bench_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allfold.h"
#include "measure/pattern.h"
#include "mpi/handles/types.h"
#include "select/settings.h"

enum { PAGE = 4096 };

/* Those of pattern.h. */
static const struct {
    enum allfold_type type;
    MPI_Datatype datatype;
} datatypes[] = {
    {ALLFOLD_INT8, MPI_INT8_T},
    {ALLFOLD_UINT8, MPI_UINT8_T},
    {ALLFOLD_INT16, MPI_INT16_T},
    {ALLFOLD_UINT16, MPI_UINT16_T},
    {ALLFOLD_INT32, MPI_INT32_T},
    {ALLFOLD_UINT32, MPI_UINT32_T},
    {ALLFOLD_INT64, MPI_INT64_T},
    {ALLFOLD_UINT64, MPI_UINT64_T},
    {ALLFOLD_BYTE, MPI_BYTE},
    {ALLFOLD_FLOAT, MPI_FLOAT},
    {ALLFOLD_DOUBLE, MPI_DOUBLE},
    {ALLFOLD_COMPLEX_FLOAT, MPI_C_FLOAT_COMPLEX},
    {ALLFOLD_COMPLEX_DOUBLE, MPI_C_DOUBLE_COMPLEX},
};

static MPI_Datatype datatype_of(enum allfold_type type)
{
    size_t i = 0;
    while (datatypes[i].type != type)
        i++;
    return datatypes[i].datatype;
}

/* --- contenders --- */

bool allfold_bench_contender_open(struct allfold_bench_contender *contender,
                                  const struct allfold_bench_plan *plan, int index, MPI_Comm comm,
                                  char *message, size_t message_bytes)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    contender->algorithm = &plan->algorithms[index];
    PMPI_Comm_dup(comm, &contender->comm);
    PMPI_Comm_set_errhandler(contender->comm, MPI_ERRORS_RETURN);
    if (contender->algorithm->kind != ALLFOLD_PLAN_FORCED)
        return true;
    const int error = allfold_comm_set(contender->comm, allfold_rules_variable(plan->collective),
                                       contender->algorithm->name);
    if (error != MPI_SUCCESS) {
        PMPI_Error_string(error, text, &length);
        snprintf(message, message_bytes, "%s", text);
    }
    return error == MPI_SUCCESS;
}

void allfold_bench_contender_close(struct allfold_bench_contender *contender)
{
    PMPI_Comm_free(&contender->comm);
}

/* --- vectors --- */

static void *allocate(size_t bytes)
{
    void *memory = NULL;
    return posix_memalign(&memory, PAGE, bytes + 1) == 0 ? memory : NULL;
}

static void *allocate_vector(bool by_mpi, size_t bytes)
{
    void *memory = NULL;
    if (!by_mpi)
        return allocate(bytes);
    return MPI_Alloc_mem((MPI_Aint)(bytes + 1), MPI_INFO_NULL, &memory) == MPI_SUCCESS ? memory
                                                                                       : NULL;
}

static void free_vector(bool by_mpi, void *memory)
{
    if (by_mpi && memory != NULL)
        MPI_Free_mem(memory);
    else
        free(memory);
}

/* What all ranks' vectors reduce to: in the order of the ranks, by MPI's own operation. */
static bool reduce_tables(struct allfold_bench_vectors *vectors)
{
    enum { LENGTH = ALLFOLD_PATTERN_LENGTH };
    const size_t element_bytes = vectors->element_bytes;
    void *left = allocate(LENGTH * element_bytes);
    for (int r = vectors->p - 1; left != NULL && r >= 0; r--) {
        const size_t place = allfold_pattern_place(r);
        const bool is_last = r == vectors->p - 1;
        allfold_pattern_fill(vectors->given, element_bytes, place,
                             is_last ? vectors->reduced : left, LENGTH);
        if (!is_last)
            PMPI_Reduce_local(left, vectors->reduced, LENGTH, vectors->datatype, vectors->op);
    }
    free(left);
    return left != NULL;
}

bool allfold_bench_vectors_open(struct allfold_bench_vectors *vectors,
                                const struct allfold_bench_plan *plan,
                                const struct allfold_bench_plan_series *series, size_t bytes,
                                MPI_Comm comm)
{
    const struct allfold_traits *traits = allfold_traits(plan->collective);
    struct allfold_bench_vectors *v = vectors;
    *v = (struct allfold_bench_vectors){
        .collective = plan->collective, .series = *series, .by_mpi = plan->allocates_by_mpi};
    v->datatype = datatype_of(series->type);
    v->op = allfold_op_of(series->operation);
    v->element_bytes = allfold_type_bytes(series->type);
    v->count = allfold_bench_plan_count(plan, series, bytes);
    PMPI_Comm_size(comm, &v->p);
    PMPI_Comm_rank(comm, &v->rank);
    const bool is_root = v->rank == series->root;
    if (allfold_is_holder(traits->in_holders, is_root))
        v->in_count = v->count * (size_t)(traits->in_is_blocks ? v->p : 1);
    if (allfold_is_holder(traits->out_holders, is_root))
        v->out_count = v->count * (size_t)(traits->out_is_blocks ? v->p : 1);
    v->in = allocate_vector(v->by_mpi, v->in_count * v->element_bytes);
    v->out = allocate_vector(v->by_mpi, v->out_count * v->element_bytes);
    v->given = allocate(ALLFOLD_PATTERN_LENGTH * v->element_bytes);
    v->reduced = allocate(ALLFOLD_PATTERN_LENGTH * v->element_bytes);
    if (v->in == NULL || v->out == NULL || v->given == NULL || v->reduced == NULL)
        return false;
    allfold_pattern_make(series->type, series->operation, v->given);
    allfold_pattern_fill(v->given, v->element_bytes, allfold_pattern_place(v->rank), v->in,
                         v->in_count);
    return v->op == MPI_OP_NULL || reduce_tables(v);
}

void allfold_bench_vectors_close(struct allfold_bench_vectors *vectors)
{
    free_vector(vectors->by_mpi, vectors->in);
    free_vector(vectors->by_mpi, vectors->out);
    free(vectors->given);
    free(vectors->reduced);
}

void allfold_bench_wipe(const struct allfold_bench_vectors *vectors)
{
    memset(vectors->out, 0xa5, vectors->out_count * vectors->element_bytes);
}

/* --- calls --- */

static int call_ours(MPI_Comm comm, const struct allfold_bench_vectors *v)
{
    switch (v->collective) {
    case ALLFOLD_ALLREDUCE:
        return allfold_allreduce(v->in, v->out, v->count, v->datatype, v->op, comm);
    case ALLFOLD_REDUCE:
        return allfold_reduce(v->in, v->out, v->count, v->datatype, v->op, v->series.root, comm);
    case ALLFOLD_BCAST:
        return allfold_bcast(v->rank == v->series.root ? v->in : v->out, v->count, v->datatype,
                             v->series.root, comm);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return allfold_reduce_scatter_block(v->in, v->out, v->count, v->datatype, v->op, comm);
    case ALLFOLD_ALLGATHER:
        return allfold_allgather(v->in, v->count, v->datatype, v->out, v->count, v->datatype, comm);
    default:
        return allfold_barrier(comm);
    }
}

static int call_native(MPI_Comm comm, const struct allfold_bench_vectors *v)
{
    const int count = (int)v->count; /* no size is more than 1G */
    switch (v->collective) {
    case ALLFOLD_ALLREDUCE:
        return PMPI_Allreduce(v->in, v->out, count, v->datatype, v->op, comm);
    case ALLFOLD_REDUCE:
        return PMPI_Reduce(v->in, v->out, count, v->datatype, v->op, v->series.root, comm);
    case ALLFOLD_BCAST:
        return PMPI_Bcast(v->rank == v->series.root ? v->in : v->out, count, v->datatype,
                          v->series.root, comm);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return PMPI_Reduce_scatter_block(v->in, v->out, count, v->datatype, v->op, comm);
    case ALLFOLD_ALLGATHER:
        return PMPI_Allgather(v->in, count, v->datatype, v->out, count, v->datatype, comm);
    default:
        return PMPI_Barrier(comm);
    }
}

int allfold_bench_call(const struct allfold_bench_contender *contender,
                       const struct allfold_bench_vectors *vectors)
{
    return contender->algorithm->kind == ALLFOLD_PLAN_NATIVE ? call_native(contender->comm, vectors)
                                                             : call_ours(contender->comm, vectors);
}

/* --- results --- */

/* One piece of a result, which is as the table has it from some place on. */
static bool check_piece(const struct allfold_bench_vectors *v, const void *table, size_t place,
                        size_t first, char *message, size_t message_bytes)
{
    char got[80], expected[80];
    const char *piece = (const char *)v->out + first * v->element_bytes;
    const size_t i = allfold_pattern_differs(table, v->element_bytes, place, piece, v->count);
    if (i == v->count)
        return true;
    allfold_pattern_print(v->series.type, piece + i * v->element_bytes, got, sizeof got);
    allfold_pattern_print(v->series.type,
                          (const char *)table +
                              (place + i) % ALLFOLD_PATTERN_LENGTH * v->element_bytes,
                          expected, sizeof expected);
    snprintf(message, message_bytes, "rank %d, element %zu: %s instead of %s", v->rank, first + i,
             got, expected);
    return false;
}

bool allfold_bench_check(const struct allfold_bench_vectors *vectors, char *message,
                         size_t message_bytes)
{
    const struct allfold_bench_vectors *v = vectors;
    const struct allfold_traits *traits = allfold_traits(v->collective);
    if (v->out_count == 0)
        return true;
    if (traits->out_is_blocks) {
        for (int r = 0; r < v->p; r++)
            if (!check_piece(v, v->given, allfold_pattern_place(r), (size_t)r * v->count, message,
                             message_bytes))
                return false;
        return true;
    }
    if (!traits->reduces)
        return check_piece(v, v->given, allfold_pattern_place(v->series.root), 0, message,
                           message_bytes);
    return check_piece(v, v->reduced, traits->in_is_blocks ? (size_t)v->rank * v->count : 0, 0,
                       message, message_bytes);
}
