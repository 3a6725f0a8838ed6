/* Runs of prepared calls (see run.h). */
#include "mpi/call/run.h"

#include "mpi/call/caller.h"
#include "mpi/call/message_lanes.h"
#include "mpi/call/native.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "util/memory.h"

/* Sets in the operands whether the entry's next runs send sparse messages. They do so if `mode`
 * wants it, the vector is not short, and there is a run-length code for its type and operation.
 * With auto, only communicators of several nodes do. All ranks decide the same. */
static void set_sparse(const struct allfold_communicator *state, enum allfold_sparse_mode mode,
                       struct allfold_entry *entry, struct allfold_operands *operands)
{
    enum { VECTOR_BYTES = 8 << 10, MESSAGE_BYTES = 1 << 10 };
    const bool is_auto = mode == ALLFOLD_SPARSE_AUTO;
    struct allfold_sparse *sparse = &entry->sparse;
    operands->elements.sparse = NULL;
    if (mode == ALLFOLD_SPARSE_OFF || !operands->may_be_sparse ||
        entry->vector_bytes < VECTOR_BYTES ||
        (is_auto && (state->nodes == NULL || state->nodes->count == 1)))
        return;
    sparse->type = operands->type;
    sparse->operation = operands->operation;
    sparse->is_auto = is_auto;
    sparse->malformed = MPI_ERR_TRUNCATE;
    sparse->least = MESSAGE_BYTES / operands->element_bytes;
    operands->elements.sparse = sparse;
}

bool allfold_prepared_place(struct allfold_prepared *prepared, enum allfold_sparse_mode mode)
{
    struct allfold_entry *entry = prepared->entry;
    const struct allfold_elements *elements = &prepared->operands.elements;
    prepared->sparse = mode;
    if (entry == NULL || prepared->exact != NULL)
        return true;
    set_sparse(prepared->state, mode, entry, &prepared->operands);
    const size_t bytes = allfold_executor_place(entry->executor, elements);
    const bool has_room = allfold_reserve(&prepared->scratch, &prepared->scratch_bytes, bytes);
    prepared->binding.scratch = prepared->scratch;
    prepared->binding.elements = elements;
    return has_room;
}

int allfold_prepared_start(struct allfold_prepared *prepared)
{
    const struct allfold_operands *operands = &prepared->operands;
    struct allfold_binding *binding = &prepared->binding;
    struct allfold_entry *entry = prepared->entry;
    if (prepared->lane != NULL)
        return allfold_lane_start(prepared->lane, entry, operands, binding);
    /* Contiguous elements are sent through node memory if all ranks know that they are contiguous:
     * predefined operations have predefined types, and broadcasts move bytes. */
    binding->transport = allfold_communicator_begin_run(
        prepared->state, operands->travels_as, operands->element_bytes, entry->vector_bytes,
        allfold_operands_are_contiguous(operands));
    return allfold_executor_start(entry->executor, binding);
}

/* --- blocking ones --- */

int allfold_run_again(struct allfold_prepared *prepared)
{
    const struct allfold_communicator *state = prepared->state;
    struct allfold_executor *executor = prepared->entry->executor;
    const int error = allfold_prepared_start(prepared);
    if (error != MPI_SUCCESS)
        return error;
    if (!allfold_has_activities() && !state->is_watched)
        return allfold_executor_wait(executor);
    allfold_watch_executor(executor);
    const int code = allfold_wait_executor(executor, state->carrier.comm);
    allfold_watch_executor(NULL); /* its entry may be dropped before the call ends */
    return code;
}

/* If there is no memory for scratch, the run goes without data, because other ranks wait for this
 * rank. */
int allfold_run(struct allfold_prepared *prepared)
{
    allfold_prepared_pack(prepared);
    if (!allfold_prepared_place(prepared, allfold_communicator_sparse(prepared->state)) &&
        prepared->binding.lost == MPI_SUCCESS)
        prepared->binding.lost = MPI_ERR_NO_MEM;
    return allfold_prepared_unpack(prepared, allfold_run_again(prepared));
}

/* A call without an entry is passed through as it is: it may not be right. */
int allfold_run_natively(const struct allfold_prepared *prepared, const struct allfold_call *call)
{
    struct allfold_compared *compared = &allfold_caller_of(prepared->state)->compared;
    struct allfold_call safe;
    if (prepared->entry != NULL)
        call = allfold_native_safe(call, &compared->result, &compared->result_bytes, &safe);
    return call == NULL ? allfold_raise(prepared->call.comm, MPI_ERR_NO_MEM) : allfold_native(call);
}
