/* ALLFOLD_REPRODUCIBLE: what becomes of a call that the MPI library would serve (see native.h). */
#include "mpi/call/native.h"

#include <stdio.h>

#include "kernels/kernels.h"
#include "mpi/handles/types.h"
#include "mpi/process/runtime.h"

/* Or so wrong that the MPI library has to say so. */
static bool is_exact(const struct allfold_call *call)
{
    if (call->op == MPI_OP_NULL || call->datatype == MPI_DATATYPE_NULL || !call->count_is_valid)
        return true;
    const struct allfold_known_type *known = allfold_known_type(call->datatype);
    const enum allfold_operation operation = allfold_known_operation(call->op);
    return known != NULL && operation != ALLFOLD_OPERATION_COUNT &&
           allfold_reduction_is_exact(known->type, operation);
}

static enum allfold_reproducible mode_of(const struct allfold_communicator *state)
{
    return state == NULL ? allfold_settings()->common.reproducible
                         : allfold_communicator_reproducible(state);
}

int allfold_allow_native(const struct allfold_call *call, const struct allfold_communicator *state,
                         const char *why)
{
    static bool said;
    char message[ALLFOLD_MESSAGE_BYTES];
    const enum allfold_reproducible mode = mode_of(state);
    if (mode == ALLFOLD_REPRODUCIBLE_OFF || !allfold_has_operation(call->collective) ||
        (state != NULL && state->size == 1) || is_exact(call))
        return MPI_SUCCESS;
    snprintf(message, sizeof message,
             "%s: ALLFOLD_REPRODUCIBLE asks for results that depend on the data and the number of "
             "ranks alone, but the MPI library would serve this call in an order of its own (%s). "
             "docs/reproducible.md says what can be served; ALLFOLD_REPRODUCIBLE=canonical:warn "
             "lets it pass",
             allfold_traits(call->collective)->mpi_name, why);
    if (mode == ALLFOLD_REPRODUCIBLE_CANONICAL)
        return allfold_raise_message(call->comm, message);
    allfold_say_once(&said, message);
    return MPI_SUCCESS;
}

void allfold_warn_of_brackets(const char *why)
{
    static bool said;
    allfold_say_once(&said, why);
}
