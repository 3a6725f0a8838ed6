/* ALLFOLD_REPRODUCIBLE: what becomes of a call that cannot be as the user asks (see native.h). */
#include "mpi/call/native.h"

#include <stdio.h>

#include "kernels/exact.h"
#include "kernels/kernels.h"
#include "mpi/handles/types.h"
#include "mpi/job/job.h"
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

enum allfold_reproducible allfold_reproducible_of(const struct allfold_communicator *state)
{
    const struct allfold_settings *agreed = allfold_job()->agreed.settings;
    if (state != NULL)
        return allfold_communicator_reproducible(state);
    return (agreed == NULL ? allfold_settings() : agreed)->common.reproducible;
}

bool allfold_adds_floating_point(const struct allfold_call *call)
{
    if (!allfold_has_operation(call->collective) || !call->count_is_valid ||
        call->op == MPI_OP_NULL || call->datatype == MPI_DATATYPE_NULL ||
        allfold_known_operation(call->op) != ALLFOLD_SUM)
        return false;
    const struct allfold_known_type *known = allfold_known_type(call->datatype);
    return known != NULL && allfold_exact_numbers(known->type) != ALLFOLD_TYPE_COUNT;
}

bool allfold_sum_rounds_once(const struct allfold_call *call,
                             const struct allfold_communicator *state,
                             enum allfold_reproducible mode)
{
    return allfold_reproducible_is_exact(mode) && state != NULL && state->size == 2 &&
           allfold_adds_floating_point(call);
}

/* The user's choice: an error, or a warning. */
static int refuse(const struct allfold_call *call, enum allfold_reproducible mode, bool *said,
                  const char *message)
{
    if (!allfold_reproducible_warns(mode))
        return allfold_raise_message(call->comm, message);
    allfold_say_once(said, message);
    return MPI_SUCCESS;
}

int allfold_allow_native(const struct allfold_call *call, const struct allfold_communicator *state,
                         enum allfold_reproducible mode, const char *why)
{
    static bool said;
    char message[ALLFOLD_MESSAGE_BYTES];
    if (mode == ALLFOLD_REPRODUCIBLE_OFF || !allfold_has_operation(call->collective) ||
        (state != NULL && state->size == 1) || is_exact(call) ||
        allfold_sum_rounds_once(call, state, mode))
        return MPI_SUCCESS;
    snprintf(message, sizeof message,
             "%s: ALLFOLD_REPRODUCIBLE asks for results that depend on the data and the number of "
             "ranks alone, but the MPI library would serve this call in an order of its own (%s). "
             "docs/reproducible.md says what can be served; ALLFOLD_REPRODUCIBLE=%s:warn lets it "
             "pass",
             allfold_traits(call->collective)->mpi_name, why,
             allfold_reproducible_is_exact(mode) ? "exact" : "canonical");
    return refuse(call, mode, &said, message);
}

/* Maxima and minima depend on the order only in what they take for NaN and zeros of both signs. */
bool allfold_rounds(const struct allfold_call *call)
{
    const enum allfold_operation operation = allfold_known_operation(call->op);
    return !is_exact(call) && operation != ALLFOLD_MAX && operation != ALLFOLD_MIN &&
           operation != ALLFOLD_MAXLOC && operation != ALLFOLD_MINLOC;
}

int allfold_allow_rounding(const struct allfold_call *call,
                           const struct allfold_communicator *state, enum allfold_reproducible mode)
{
    static bool said;
    char message[ALLFOLD_MESSAGE_BYTES];
    if (!allfold_reproducible_is_exact(mode) || !allfold_has_operation(call->collective) ||
        (state != NULL && state->size == 1) || !allfold_rounds(call) ||
        allfold_sum_rounds_once(call, state, mode))
        return MPI_SUCCESS;
    snprintf(message, sizeof message,
             "%s: ALLFOLD_REPRODUCIBLE=exact serves sums of float, double and complex alone, and "
             "this call is none. With ALLFOLD_REPRODUCIBLE=exact:warn it depends on the "
             "data and the number of ranks (docs/reproducible.md)",
             allfold_traits(call->collective)->mpi_name);
    return refuse(call, mode, &said, message);
}

void allfold_warn_of_brackets(const char *why)
{
    static bool said;
    allfold_say_once(&said, why);
}
