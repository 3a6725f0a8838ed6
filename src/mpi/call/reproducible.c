/* ALLFOLD_REPRODUCIBLE: decides what happens to a call that cannot be as reproducible as the user
 * asks (see native.h). */
#include "mpi/call/native.h"

#include <ctype.h>

#include "kernels/exact_format.h"
#include "kernels/kernels.h"
#include "mpi/handles/operands.h"
#include "mpi/handles/predefined.h"
#include "mpi/job/job.h"
#include "mpi/process/runtime.h"
#include "mpi/report/call_sites.h"

/* Of two groups of ranks, each may have other roots. */
static bool has_wrong_root(const struct allfold_call *call)
{
    int size, is_between = 0;
    return allfold_traits(call->collective)->has_root && call->comm != MPI_COMM_NULL &&
           PMPI_Comm_test_inter(call->comm, &is_between) == MPI_SUCCESS && !is_between &&
           PMPI_Comm_size(call->comm, &size) == MPI_SUCCESS &&
           (call->root < 0 || call->root >= size);
}

/* Returns whether the call is invalid, so that the MPI library must report the error. */
static bool is_wrong(const struct allfold_call *call)
{
    return has_wrong_root(call) || call->op == MPI_OP_NULL || call->datatype == MPI_DATATYPE_NULL ||
           !call->count_is_valid ||
           (allfold_known_type(call->datatype) == NULL && !allfold_is_committed(call->datatype));
}

/* One of MPI's own types, unlike those that a program derives from them. */
static bool may_be_floating(MPI_Datatype datatype)
{
    int integers, addresses, parts, combiner;
    return PMPI_Type_get_envelope(datatype, &integers, &addresses, &parts, &combiner) !=
               MPI_SUCCESS ||
           combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
           combiner == MPI_COMBINER_F90_COMPLEX;
}

/* If MPI does not allow the operation for the type, the MPI library reports its own error. What
 * Open MPI and MPICH allow beyond the standard are operations on integers and logical operations,
 * which no order changes. */
bool allfold_call_is_exact(const struct allfold_call *call)
{
    if (is_wrong(call))
        return true;
    const enum allfold_operation operation = allfold_known_operation(call->op);
    if (operation == ALLFOLD_OPERATION_COUNT)
        return !allfold_is_user_operation(call->op); /* MPI_REPLACE, of one-sided calls alone */
    const struct allfold_known_type *known = allfold_basic_type(call->datatype);
    if (known == NULL)
        return !may_be_floating(call->datatype);
    return !allfold_known_allows(known, operation) || allfold_known_is_exact(known, operation);
}

/* A program's own operation, on what may be floating point. */
static bool is_users(const struct allfold_call *call)
{
    if (is_wrong(call) || !allfold_is_user_operation(call->op))
        return false;
    const struct allfold_known_type *known = allfold_basic_type(call->datatype);
    return known == NULL || !(allfold_known_is_exact(known, ALLFOLD_BAND) ||
                              allfold_known_is_exact(known, ALLFOLD_LAND));
}

/* Adds the operation, the type and the call site: "MPI_PROD of MPI_DOUBLE, called in solve
 * (app+0x1234)". */
static void add_what(struct allfold_line *line, const struct allfold_call *call)
{
    const char *operation = allfold_operation_name(allfold_known_operation(call->op));
    char type[MPI_MAX_OBJECT_NAME] = "";
    int length;
    if (call->op == MPI_OP_NULL || call->datatype == MPI_DATATYPE_NULL)
        return;
    const char *site = allfold_call_site_named();
    if (allfold_is_committed(call->datatype))
        PMPI_Type_get_name(call->datatype, type, &length);
    allfold_line_add(line, "%s", operation == NULL ? "a user operation" : "MPI_");
    for (; operation != NULL && *operation != '\0'; operation++)
        allfold_line_add(line, "%c", toupper((unsigned char)*operation));
    allfold_line_add(line, " of %s", *type == '\0' ? "a derived datatype" : type);
    if (site != NULL && *site != '\0')
        allfold_line_add(line, ", called in %s", site);
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
    if (!allfold_has_operation(call->collective) ||
        allfold_known_operation(call->op) != ALLFOLD_SUM || is_wrong(call))
        return false;
    const struct allfold_known_type *known = allfold_basic_type(call->datatype);
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
    struct allfold_line line = {.length = 0};
    if (mode == ALLFOLD_REPRODUCIBLE_OFF || !allfold_has_operation(call->collective) ||
        (state != NULL && state->size == 1) || allfold_call_is_exact(call) ||
        allfold_sum_rounds_once(call, state, mode))
        return MPI_SUCCESS;
    allfold_line_add(&line, "%s: ", allfold_traits(call->collective)->mpi_name);
    add_what(&line, call);
    allfold_line_add(&line,
                     ": ALLFOLD_REPRODUCIBLE asks for results that depend on the data and the "
                     "number of ranks alone, but the MPI library would serve this call in an order "
                     "of its own (%s). docs/reproducible.md says what can be served; "
                     "ALLFOLD_REPRODUCIBLE=%s:warn lets it pass",
                     why, allfold_reproducible_is_exact(mode) ? "exact" : "canonical");
    return refuse(call, mode, &said, line.text);
}

/* Maxima and minima depend on the order only in what they take for NaN and zeros of both signs.
 * User operations are served in one order. */
bool allfold_rounds(const struct allfold_call *call)
{
    const enum allfold_operation operation = allfold_known_operation(call->op);
    return !allfold_call_is_exact(call) && operation != ALLFOLD_OPERATION_COUNT &&
           operation != ALLFOLD_MAX && operation != ALLFOLD_MIN && operation != ALLFOLD_MAXLOC &&
           operation != ALLFOLD_MINLOC;
}

static void warn_of_users(const struct allfold_call *call)
{
    static bool said;
    struct allfold_line line = {.length = 0};
    if (said || !is_users(call))
        return;
    allfold_line_add(&line,
                     "%s: ALLFOLD_REPRODUCIBLE=exact cannot make user operations exact; "
                     "their results depend on the data and the number of ranks (the first "
                     "is ",
                     allfold_traits(call->collective)->mpi_name);
    add_what(&line, call);
    allfold_line_add(&line, ")");
    allfold_say_once(&said, line.text);
}

int allfold_allow_rounding(const struct allfold_call *call,
                           const struct allfold_communicator *state, enum allfold_reproducible mode)
{
    static bool said;
    struct allfold_line line = {.length = 0};
    if (!allfold_reproducible_is_exact(mode) || !allfold_has_operation(call->collective) ||
        (state != NULL && state->size == 1))
        return MPI_SUCCESS;
    if (state != NULL && state->rank == 0)
        warn_of_users(call);
    if (!allfold_rounds(call) || allfold_sum_rounds_once(call, state, mode))
        return MPI_SUCCESS;
    allfold_line_add(&line,
                     "%s: ALLFOLD_REPRODUCIBLE=exact serves sums of float, double and "
                     "complex and what no order changes, but this is ",
                     allfold_traits(call->collective)->mpi_name);
    add_what(&line, call);
    allfold_line_add(&line, ". With ALLFOLD_REPRODUCIBLE=exact:warn its result depends on the data "
                            "and the number of ranks (docs/reproducible.md)");
    return refuse(call, mode, &said, line.text);
}

void allfold_warn_of_brackets(const char *why)
{
    static bool said;
    allfold_say_once(&said, why);
}
