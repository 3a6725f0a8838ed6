/* Operands of reductions, and pack, unpack and large counts of datatypes (see operands.h). */
#include "mpi/handles/operands.h"

#include <limits.h>
#include <string.h>

#include "execute/sparse.h"
#include "mpi/handles/type_size.h"
#include "mpi/handles/predefined.h"
#include "mpi/process/own_communicators.h"
#include "schedule/fuse.h"
#include "util/copy.h"
#include "util/memory.h"

static int kernel_reduce(const struct allfold_elements *elements, void *to, const void *left,
                         const void *right, size_t count)
{
    ((const struct allfold_operands *)elements)->kernel(to, left, right, count);
    return 0;
}

_Static_assert((int)ALLFOLD_FOLD_OPERANDS == (int)ALLFOLD_CHAIN_OPERANDS,
               "the executor asks for these");

static int kernel_fold(const struct allfold_elements *elements, void *to,
                       const void *const *operands, size_t many, size_t count)
{
    ((const struct allfold_operands *)elements)->folds[many](to, operands, count);
    return 0;
}

static int plain_copy(const struct allfold_elements *elements, void *to, const void *from,
                      size_t count)
{
    const size_t bytes = count * (size_t)elements->extent_bytes;
    if (bytes < allfold_kernel_stream_bytes())
        memcpy(to, from, bytes);
    else
        allfold_copy_past_caches(to, from, bytes);
    return 0;
}

/* What is copied between a typed side and a packed one, or from the typed side to another place. */
struct transfer {
    const void *from;
    void *to;
    size_t packed_bytes; /* of the packed side */
    enum { PACKS, UNPACKS, COPIES } way;
};

/* The side that is packed, once the other one is known. */
static int transfer_packed(void *context, MPI_Datatype packed, int packed_count);

struct typed {
    struct transfer *transfer;
    MPI_Datatype datatype;
    int count;
};

static int transfer_typed(void *context, MPI_Datatype datatype, int count)
{
    struct typed typed = {context, datatype, count};
    const struct transfer *t = context;
    if (t->way == COPIES)
        return allfold_self_copy(t->from, count, datatype, t->to, count, datatype);
    return allfold_with_count(t->packed_bytes, MPI_PACKED, transfer_packed, &typed);
}

static int transfer_packed(void *context, MPI_Datatype packed, int packed_count)
{
    const struct typed *typed = context;
    const struct transfer *t = typed->transfer;
    if (t->way == PACKS)
        return allfold_self_copy(t->from, typed->count, typed->datatype, t->to, packed_count,
                                 packed);
    return allfold_self_copy(t->from, packed_count, packed, t->to, typed->count, typed->datatype);
}

int allfold_pack(const void *data, size_t count, MPI_Datatype datatype, void *packed, size_t bytes)
{
    struct transfer transfer = {data, packed, bytes, PACKS};
    return allfold_with_count(count, datatype, transfer_typed, &transfer);
}

int allfold_unpack(void *data, size_t count, MPI_Datatype datatype, const void *packed,
                   size_t bytes)
{
    struct transfer transfer = {packed, data, bytes, UNPACKS};
    return allfold_with_count(count, datatype, transfer_typed, &transfer);
}

static int gapped_copy(const struct allfold_elements *elements, void *to, const void *from,
                       size_t count)
{
    const struct allfold_operands *operands = (const struct allfold_operands *)elements;
    struct transfer transfer = {from, to, 0, COPIES};
    return allfold_with_count(count, operands->datatype, transfer_typed, &transfer);
}

/* Makes memory for `count` elements, and sets *first to the address of element 0. Returns false if
 * out of memory. */
static bool lowering_room(struct allfold_operands *operands, size_t count, void **first)
{
    const struct allfold_room room = allfold_elements_room(&operands->elements, count);
    if (room.bytes > operands->lowered_bytes) {
        allfold_free(operands->lowered);
        operands->lowered = allfold_allocate(room.bytes);
        operands->lowered_bytes = operands->lowered == NULL ? 0 : room.bytes;
    }
    *first = allfold_address(operands->lowered, room.first_bytes);
    return operands->lowered != NULL;
}

/* Computes right = left o right, or left = left o right if `to` is left, for a number of elements
 * that an int can count. MPI_Reduce_local has the second operand and the result in the same
 * buffer. */
static int reduce_piece(struct allfold_operands *operands, void *to, const void *left,
                        const void *right, size_t count)
{
    const int n = (int)count;
    if (!operands->is_predefined) {
        operands->op_calls++;
        operands->op_bytes += (double)count * (double)operands->element_bytes;
    }
    if (to == right)
        return PMPI_Reduce_local(left, to, n, operands->datatype, operands->op);
    if (to == left && operands->commutative && !operands->keeps_order)
        return PMPI_Reduce_local(right, to, n, operands->datatype, operands->op);
    void *room = to;
    if (to == left && !lowering_room(operands, count, &room))
        return MPI_ERR_NO_MEM;
    int error = operands->elements.copy(&operands->elements, room, right, count);
    if (error == MPI_SUCCESS)
        error = PMPI_Reduce_local(left, room, n, operands->datatype, operands->op);
    if (error == MPI_SUCCESS && room != to)
        error = operands->elements.copy(&operands->elements, to, room, count);
    return error;
}

static int lowered_reduce(const struct allfold_elements *elements, void *to, const void *left,
                          const void *right, size_t count)
{
    enum { PIECE_BYTES = 1 << 18 };
    struct allfold_operands *operands = (struct allfold_operands *)(uintptr_t)elements;
    if (operands->element_bytes == 0) /* both sides may be at one address, which MPICH refuses */
        return MPI_SUCCESS;
    size_t piece = PIECE_BYTES / (1 + allfold_elements_room(elements, 1).bytes);
    piece = piece == 0 ? 1 : piece;
    int error = MPI_SUCCESS;
    for (size_t i = 0; i < count && error == MPI_SUCCESS; i += piece) {
        const ptrdiff_t at = (ptrdiff_t)i * elements->extent_bytes;
        error = reduce_piece(operands, allfold_address(to, at), allfold_address(left, at),
                             allfold_address(right, at), count - i < piece ? count - i : piece);
    }
    return error;
}

bool allfold_is_plain(MPI_Datatype datatype)
{
    const struct allfold_known_type *known = allfold_basic_type(datatype);
    return known != NULL && (known->operations & 1u << ALLFOLD_MAXLOC) == 0;
}

/* MPI has no query for this, but a send to MPI_PROC_NULL checks its datatype like any other and
 * reads no data. */
bool allfold_is_committed(MPI_Datatype datatype)
{
    const char unread = 0;
    const MPI_Comm comm = allfold_self();
    return comm != MPI_COMM_NULL &&
           PMPI_Send(&unread, 1, datatype, MPI_PROC_NULL, 0, comm) == MPI_SUCCESS;
}

/* Sets all fields except for the memory `lowered`, so that nothing of the previous operands is
 * left. */
static void fill(struct allfold_operands *operands, struct allfold_operands found)
{
    found.lowered = operands->lowered;
    found.lowered_bytes = operands->lowered_bytes;
    *operands = found;
}

static void take_kernel(struct allfold_operands *operands, const struct allfold_known_type *known,
                        enum allfold_operation operation)
{
    const size_t bytes = allfold_type_bytes(known->type);
    allfold_fold *const *folds = allfold_folds_find(known->type, operation);
    fill(operands,
         (struct allfold_operands){
             .elements = {.extent_bytes = (ptrdiff_t)bytes,
                          .high_bytes = (ptrdiff_t)bytes,
                          .reduce = kernel_reduce,
                          .copy = plain_copy,
                          .fold = folds == NULL ? NULL : kernel_fold},
             .datatype = operands->datatype,
             /* MPICH moves nothing of types derived from its 16-bit floating point; large counts
              * have one */
             .travels_as = known->type == ALLFOLD_FLOAT16 ? MPI_UINT16_T : operands->datatype,
             .op = operands->op,
             .kernel = allfold_kernel_find(known->type, operation),
             .folds = folds,
             .element_bytes = bytes,
             .commutative = true,
             .exact = allfold_known_is_exact(known, operation),
             .native_is_wrong = allfold_native_is_wrong(known),
             .may_be_sparse = allfold_sparse_serves(known->type, operation),
             .type = known->type,
             .operation = operation,
             .is_predefined = true});
}

/* Through MPI_Reduce_local: a known type with an operation of MPI's that no kernel has, or any type
 * with a user operation (known is then NULL). */
static bool find_lowered(struct allfold_operands *operands, const struct allfold_known_type *known,
                         enum allfold_operation operation)
{
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Count size;
    int commutative;
    if (PMPI_Type_get_extent(operands->datatype, &lower, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent(operands->datatype, &true_lower, &true_extent) != MPI_SUCCESS ||
        allfold_type_size(operands->datatype, &size) != MPI_SUCCESS || size < 0 ||
        PMPI_Op_commutative(operands->op, &commutative) != MPI_SUCCESS)
        return false;
    fill(operands,
         (struct allfold_operands){
             .elements = {.extent_bytes = extent,
                          .low_bytes = true_lower,
                          .high_bytes = true_lower + true_extent,
                          .reduce = lowered_reduce,
                          .copy = allfold_is_plain(operands->datatype) ? plain_copy : gapped_copy},
             .datatype = operands->datatype,
             .travels_as = operands->datatype,
             .op = operands->op,
             .element_bytes = (size_t)size,
             .commutative = commutative != 0,
             .exact = known != NULL && allfold_known_is_exact(known, operation),
             .type = ALLFOLD_TYPE_COUNT,
             .operation = operation,
             .is_predefined = operation != ALLFOLD_OPERATION_COUNT});
    return true;
}

/* One of MPI's own operations. */
static bool find_predefined(struct allfold_operands *operands, enum allfold_operation operation)
{
    const struct allfold_known_type *known = allfold_known_type(operands->datatype);
    if (known == NULL && allfold_is_committed(operands->datatype))
        known = allfold_basic_type(operands->datatype);
    if (known == NULL)
        return false;
    switch (allfold_reducer_of(known, operation)) {
    case ALLFOLD_BY_KERNEL:
        take_kernel(operands, known, operation);
        return true;
    case ALLFOLD_BY_REDUCE_LOCAL:
        return find_lowered(operands, known, operation);
    case ALLFOLD_BY_NATIVE:
        break;
    }
    return false;
}

bool allfold_operands_find(struct allfold_operands *operands, MPI_Datatype datatype, MPI_Op op)
{
    if (operands->is_predefined && operands->datatype == datatype && operands->op == op)
        return true;
    operands->is_predefined = false;
    if (datatype == MPI_DATATYPE_NULL || op == MPI_OP_NULL)
        return false;
    operands->datatype = datatype;
    operands->op = op;
    const enum allfold_operation operation = allfold_known_operation(op);
    if (operation != ALLFOLD_OPERATION_COUNT)
        return find_predefined(operands, operation);
    return allfold_is_user_operation(op) && allfold_is_committed(datatype) &&
           find_lowered(operands, NULL, ALLFOLD_OPERATION_COUNT);
}

/* Bytes are reduced in a barrier alone: that both have arrived is one more byte of the same
 * kind. */
static int token_reduce(const struct allfold_elements *elements, void *to, const void *left,
                        const void *right, size_t count)
{
    (void)elements, (void)left, (void)right;
    memset(to, 0, count);
    return 0;
}

bool allfold_operands_are_contiguous(const struct allfold_operands *operands)
{
    const struct allfold_elements *elements = &operands->elements;
    return operands->is_predefined && elements->copy == plain_copy && elements->low_bytes == 0 &&
           elements->high_bytes == elements->extent_bytes &&
           (size_t)elements->extent_bytes == operands->element_bytes;
}

void allfold_operands_of_bytes(struct allfold_operands *operands)
{
    operands->keeps_order = false;
    if (operands->is_predefined && operands->datatype == MPI_PACKED)
        return;
    fill(operands, (struct allfold_operands){.elements = {.extent_bytes = 1,
                                                          .high_bytes = 1,
                                                          .reduce = token_reduce,
                                                          .copy = plain_copy},
                                             .datatype = MPI_PACKED,
                                             .travels_as = MPI_PACKED,
                                             .op = MPI_OP_NULL,
                                             .element_bytes = 1,
                                             .commutative = true,
                                             .exact = true,
                                             .type = ALLFOLD_TYPE_COUNT,
                                             .operation = ALLFOLD_OPERATION_COUNT,
                                             .is_predefined = true});
}

/* Makes a datatype of `count` elements that an int cannot count: blocks of 2^30 elements, and the
 * rest. */
static int make_large(size_t count, MPI_Datatype datatype, MPI_Datatype *large)
{
    enum { PIECE = 1 << 30 };
    MPI_Aint lower, extent;
    MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
    MPI_Datatype piece = MPI_DATATYPE_NULL;
    const int pieces = (int)(count / PIECE), rest = (int)(count % PIECE);
    int error = PMPI_Type_get_extent(datatype, &lower, &extent);
    if (error == MPI_SUCCESS)
        error = PMPI_Type_contiguous(PIECE, datatype, &piece);
    if (error == MPI_SUCCESS)
        error = PMPI_Type_contiguous(pieces, piece, &parts[0]);
    if (error == MPI_SUCCESS)
        error = PMPI_Type_contiguous(rest, datatype, &parts[1]);
    const int ones[2] = {1, 1};
    const MPI_Aint begins[2] = {0, (MPI_Aint)pieces * PIECE * extent};
    if (error == MPI_SUCCESS)
        error = PMPI_Type_create_struct(2, ones, begins, parts, large);
    if (error == MPI_SUCCESS)
        error = PMPI_Type_commit(large);
    for (int i = 0; i < 2; i++)
        if (parts[i] != MPI_DATATYPE_NULL)
            PMPI_Type_free(&parts[i]);
    if (piece != MPI_DATATYPE_NULL)
        PMPI_Type_free(&piece);
    return error;
}

int allfold_with_count(size_t count, MPI_Datatype datatype,
                       int (*use)(void *context, MPI_Datatype datatype, int count), void *context)
{
    if (count <= INT_MAX)
        return use(context, datatype, (int)count);
    MPI_Datatype large;
    int error = make_large(count, datatype, &large);
    if (error != MPI_SUCCESS)
        return error;
    error = use(context, large, 1);
    PMPI_Type_free(&large);
    return error;
}
