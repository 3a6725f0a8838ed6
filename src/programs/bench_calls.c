/* The measured calls: contenders, vectors, calls and checks of results (see bench_calls.h). */
#include "programs/bench_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allfold.h"
#include "lab/measure/pattern.h"
#include "mpi/handles/predefined.h"
#include "select/settings.h"

enum { PAGE = 4096 };

/* The MPI datatypes of the types of pattern.h. */
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
    char text[MPI_MAX_ERROR_STRING], rules[ALLFOLD_PLAN_NAME_BYTES + 40];
    int length;
    contender->algorithm = &plan->algorithms[index];
    PMPI_Comm_dup(comm, &contender->comm);
    PMPI_Comm_set_errhandler(contender->comm, MPI_ERRORS_RETURN);
    if (contender->algorithm->kind != ALLFOLD_PLAN_FORCED)
        return true;
    /* what is measured may give ranks different bits */
    const struct allfold_algorithm *algorithm = contender->algorithm->algorithm;
    const struct allfold_rule rule = {.algorithm = algorithm,
                                      .parameters = contender->algorithm->parameters,
                                      .unordered = allfold_may_be_unordered(algorithm)};
    const int at = snprintf(rules, sizeof rules, "%s=", allfold_collective_name(plan->collective));
    allfold_rule_write(&rule, rules + at, sizeof rules - (size_t)at);
    const int error = allfold_comm_set(contender->comm, "ALLFOLD_ALGORITHM", rules);
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

/* What the vectors of all ranks that contribute reduce to: in the order of the ranks, by MPI's own
 * operation. */
static bool reduce_tables(struct allfold_bench_vectors *vectors)
{
    enum { LENGTH = ALLFOLD_PATTERN_LENGTH };
    const size_t element_bytes = vectors->element_bytes;
    const int ranks = allfold_contributors(vectors->collective, vectors->p, vectors->rank);
    void *left = allocate(LENGTH * element_bytes);
    for (int r = ranks - 1; left != NULL && r >= 0; r--) {
        const size_t place = allfold_pattern_offset(r, 0);
        const bool is_last = r == ranks - 1;
        allfold_pattern_fill(vectors->given, element_bytes, place,
                             is_last ? vectors->reduced : left, LENGTH);
        if (!is_last)
            PMPI_Reduce_local(left, vectors->reduced, LENGTH, vectors->datatype, vectors->op);
    }
    free(left);
    return left != NULL;
}

/* Makes counts and displacements of equal blocks, for collectives with blocks of any lengths. */
static bool make_blocks(struct allfold_bench_vectors *v)
{
    const size_t p = (size_t)v->p;
    v->counts = allocate(p * sizeof *v->counts);
    v->displs = allocate(p * sizeof *v->displs);
    v->int_counts = allocate(p * sizeof *v->int_counts);
    v->int_displs = allocate(p * sizeof *v->int_displs);
    if (v->counts == NULL || v->displs == NULL || v->int_counts == NULL || v->int_displs == NULL)
        return false;
    for (size_t i = 0; i < p; i++) {
        v->counts[i] = v->count;
        v->displs[i] = (ptrdiff_t)(i * v->count);
        v->int_counts[i] = (int)v->count; /* no size is more than 1G */
        v->int_displs[i] = (int)v->displs[i];
    }
    return true;
}

void allfold_bench_overwrite(const struct allfold_bench_vectors *vectors)
{
    memset(vectors->out, 0xa5, vectors->out_count * vectors->element_bytes);
}

/* An overwritten result is in this rank's cache, which favors algorithms whose results other ranks
 * read. So long results are overwritten only if they may be those of the call before. Short
 * results, with few elements, may be right by chance. */
static bool wipes(const struct allfold_bench_vectors *v, bool keeps_inputs)
{
    enum { LEAST_BYTES = 4096 };
    const void *table = v->op == MPI_OP_NULL ? v->given : v->reduced;
    return keeps_inputs || v->out_count * v->element_bytes < LEAST_BYTES ||
           !allfold_pattern_varies(table, v->element_bytes);
}

/* Returns the index of the result's element that has this rank's input if it is in place. */
static size_t own_place(const struct allfold_bench_vectors *v)
{
    return allfold_traits(v->collective)->out_is_blocks ? (size_t)v->rank * v->count : 0;
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
    v->is_in_place = plan->is_in_place && v->in_count > 0 && v->out_count > 0;
    const size_t room = v->is_in_place && v->in_count > v->out_count ? v->in_count : v->out_count;
    v->out = allocate_vector(v->by_mpi, room * v->element_bytes);
    v->in = !v->is_in_place  ? allocate_vector(v->by_mpi, v->in_count * v->element_bytes)
            : v->out == NULL ? NULL
                             : (char *)v->out + own_place(v) * v->element_bytes;
    v->given = allocate(ALLFOLD_PATTERN_LENGTH * v->element_bytes);
    v->reduced = allocate(ALLFOLD_PATTERN_LENGTH * v->element_bytes);
    if (v->in == NULL || v->out == NULL || v->given == NULL || v->reduced == NULL ||
        !make_blocks(v))
        return false;
    allfold_pattern_make(series->type, series->operation, v->given);
    allfold_bench_refill(v);
    allfold_bench_overwrite(v);
    if (v->op != MPI_OP_NULL && !reduce_tables(v))
        return false;
    v->wipes = wipes(v, plan->keeps_inputs);
    return true;
}

void allfold_bench_vectors_close(struct allfold_bench_vectors *vectors)
{
    if (!vectors->is_in_place)
        free_vector(vectors->by_mpi, vectors->in);
    free_vector(vectors->by_mpi, vectors->out);
    free(vectors->given);
    free(vectors->reduced);
    free(vectors->counts);
    free(vectors->displs);
    free(vectors->int_counts);
    free(vectors->int_displs);
}

void allfold_bench_refill(struct allfold_bench_vectors *vectors)
{
    vectors->refills++;
    allfold_pattern_fill(vectors->given, vectors->element_bytes,
                         allfold_pattern_offset(vectors->rank, vectors->refills), vectors->in,
                         vectors->in_count);
}

/* --- calls --- */

static const void *input_of(const struct allfold_bench_vectors *v)
{
    return v->is_in_place ? MPI_IN_PLACE : v->in;
}

static int call_ours(MPI_Comm comm, const struct allfold_bench_vectors *v)
{
    const void *in = input_of(v);
    switch (v->collective) {
    case ALLFOLD_ALLREDUCE:
        return allfold_allreduce(in, v->out, v->count, v->datatype, v->op, comm);
    case ALLFOLD_REDUCE:
        return allfold_reduce(in, v->out, v->count, v->datatype, v->op, v->series.root, comm);
    case ALLFOLD_BCAST:
        return allfold_bcast(v->rank == v->series.root ? v->in : v->out, v->count, v->datatype,
                             v->series.root, comm);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return allfold_reduce_scatter_block(in, v->out, v->count, v->datatype, v->op, comm);
    case ALLFOLD_REDUCE_SCATTER:
        return allfold_reduce_scatter(in, v->out, v->counts, v->datatype, v->op, comm);
    case ALLFOLD_ALLGATHERV:
        return allfold_allgatherv(in, v->count, v->datatype, v->out, v->counts, v->displs,
                                  v->datatype, comm);
    case ALLFOLD_ALLGATHER:
        return allfold_allgather(in, v->count, v->datatype, v->out, v->count, v->datatype, comm);
    case ALLFOLD_SCAN:
        return allfold_scan(in, v->out, v->count, v->datatype, v->op, comm);
    case ALLFOLD_EXSCAN:
        return allfold_exscan(in, v->out, v->count, v->datatype, v->op, comm);
    default:
        return allfold_barrier(comm);
    }
}

static int call_native(MPI_Comm comm, const struct allfold_bench_vectors *v)
{
    const int count = (int)v->count; /* no size is more than 1G */
    const void *in = input_of(v);
    switch (v->collective) {
    case ALLFOLD_ALLREDUCE:
        return PMPI_Allreduce(in, v->out, count, v->datatype, v->op, comm);
    case ALLFOLD_REDUCE:
        return PMPI_Reduce(in, v->out, count, v->datatype, v->op, v->series.root, comm);
    case ALLFOLD_BCAST:
        return PMPI_Bcast(v->rank == v->series.root ? v->in : v->out, count, v->datatype,
                          v->series.root, comm);
    case ALLFOLD_REDUCE_SCATTER_BLOCK:
        return PMPI_Reduce_scatter_block(in, v->out, count, v->datatype, v->op, comm);
    case ALLFOLD_REDUCE_SCATTER:
        return PMPI_Reduce_scatter(in, v->out, v->int_counts, v->datatype, v->op, comm);
    case ALLFOLD_ALLGATHERV:
        return PMPI_Allgatherv(in, count, v->datatype, v->out, v->int_counts, v->int_displs,
                               v->datatype, comm);
    case ALLFOLD_ALLGATHER:
        return PMPI_Allgather(in, count, v->datatype, v->out, count, v->datatype, comm);
    case ALLFOLD_SCAN:
        return PMPI_Scan(in, v->out, count, v->datatype, v->op, comm);
    case ALLFOLD_EXSCAN:
        return PMPI_Exscan(in, v->out, count, v->datatype, v->op, comm);
    default:
        return PMPI_Barrier(comm);
    }
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The minimum work of every implementation: the rank reads its input and writes its result. The
 * shorter of the two is used several times; a rank without an input writes zeros. */
static int copy_vector(const struct allfold_bench_vectors *v)
{
    const size_t in = v->in_count * v->element_bytes, out = v->out_count * v->element_bytes;
    const size_t step = least_of(in, out);
    if (in == 0)
        memset(v->out, 0, out);
    for (size_t at = 0; step > 0 && at < in + out - step; at += step)
        memmove((char *)v->out + at % out, (const char *)v->in + at % in, step);
    return MPI_SUCCESS;
}

int allfold_bench_call(const struct allfold_bench_contender *contender,
                       const struct allfold_bench_vectors *vectors)
{
    switch (contender->algorithm->kind) {
    case ALLFOLD_PLAN_NATIVE:
        return call_native(contender->comm, vectors);
    case ALLFOLD_PLAN_COPY:
        return copy_vector(vectors);
    default:
        return call_ours(contender->comm, vectors);
    }
}

/* --- results --- */

/* One block of a result, which is as the table has it from some place on. */
static bool check_block(const struct allfold_bench_vectors *v, const void *table, size_t place,
                        size_t first, char *message, size_t message_bytes)
{
    char got[80], expected[80];
    const char *block = (const char *)v->out + first * v->element_bytes;
    const size_t i = allfold_pattern_differs(table, v->element_bytes, place, block, v->count);
    if (i == v->count)
        return true;
    allfold_pattern_print(v->series.type, block + i * v->element_bytes, got, sizeof got);
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
            if (!check_block(v, v->given, allfold_pattern_offset(r, v->refills),
                             (size_t)r * v->count, message, message_bytes))
                return false;
        return true;
    }
    if (!traits->reduces)
        return check_block(v, v->given, allfold_pattern_offset(v->series.root, v->refills), 0,
                           message, message_bytes);
    const size_t first = traits->in_is_blocks ? (size_t)v->rank * v->count : 0;
    return check_block(v, v->reduced, allfold_pattern_offset(0, v->refills) + first, 0, message,
                       message_bytes);
}
