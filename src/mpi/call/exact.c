/* Blocking exact sums (see exact.h).
 *
 * Of short vectors all ranks gather all numbers, and add what they get themselves. No other message
 * follows, so a rank that loses a message may leave with an error: nobody waits for it.
 *
 * Longer vectors go step by step as exact_sum.h has them.
 */
#include "mpi/call/exact.h"

#include <string.h>

#include "kernels/exact.h"
#include "mpi/call/check.h"
#include "mpi/call/exact_sum.h"
#include "mpi/call/native.h"
#include "mpi/call/request.h"
#include "mpi/process/runtime.h"
#include "util/memory.h"

enum { GATHERED_BYTES = 16 << 10 /* of all ranks; what is longer goes in steps */ };

/* A blocking sum. */
struct blocking {
    struct allfold_exact_sum sum;
    struct allfold_request request;
    struct allfold_exact *memory;
    allfold_serve_call *serve;
};

/* --- short vectors --- */

/* Numbers that a rank gives: its vector, and one whose bytes are not 0 where it has lost that. */
static size_t given(const struct blocking *of)
{
    return allfold_exact_length(&of->sum) + 1;
}

static bool is_short(const struct blocking *of)
{
    const size_t p = (size_t)of->request.state->size;
    return given(of) <= GATHERED_BYTES / of->sum.number_bytes / p;
}

static void give(const struct blocking *of, char *to)
{
    const size_t bytes = (given(of) - 1) * of->sum.number_bytes;
    const bool has_lost = of->sum.lost != MPI_SUCCESS;
    if (has_lost)
        memset(to, 0, bytes);
    else
        memcpy(to, of->request.in_place ? of->request.out : of->request.in, bytes);
    memset(to + bytes, has_lost, of->sum.number_bytes);
}

/* Has any rank lost its vector? */
static bool any_has_lost(const struct blocking *of, const char *all)
{
    const size_t stride = given(of) * of->sum.number_bytes;
    for (int i = 1; i <= of->request.state->size; i++)
        if (all[(size_t)i * stride - 1] != 0)
            return true;
    return false;
}

static void add_own(const struct blocking *of, const char *all)
{
    const struct allfold_communicator *state = of->request.state;
    size_t first;
    const size_t n = allfold_exact_own(&of->sum, &first), bytes = of->sum.number_bytes;
    if (n > 0)
        allfold_exact_add(
            of->sum.type, of->request.out, all + first * bytes, given(of) * bytes,
            allfold_contributors(of->request.call->collective, state->size, state->rank), n);
}

/* Gathers a short vector of all ranks, and adds what this rank gets. */
static int add_gathered(const struct blocking *of)
{
    _Alignas(double) char all[GATHERED_BYTES];
    struct allfold_communicator *state = of->request.state;
    const MPI_Comm comm = of->request.call->comm;
    const size_t bytes = given(of) * of->sum.number_bytes;
    give(of, all + (size_t)state->rank * bytes);
    const struct allfold_call gathered = allfold_describe_allgather(
        MPI_IN_PLACE, 0, MPI_BYTE, all, (ptrdiff_t)bytes, MPI_BYTE, comm);
    const int error = of->serve(state, &gathered);
    if (error != MPI_SUCCESS)
        return error; /* raised already */
    if (any_has_lost(of, all))
        return allfold_raise(comm, of->sum.lost != MPI_SUCCESS ? of->sum.lost : MPI_ERR_OTHER);
    add_own(of, all);
    return MPI_SUCCESS;
}

/* --- longer vectors --- */

/* Makes the call of a step, and goes on to the next one. Its error is raised already. */
static void make_step(struct blocking *of, bool *is_raised)
{
    struct allfold_exact_sum *sum = &of->sum;
    const enum allfold_exact_step made = sum->step;
    int error = MPI_SUCCESS;
    if (made != ALLFOLD_EXACT_PLANES || sum->window > 0) {
        const struct allfold_call call = allfold_exact_call(sum, made);
        error = of->serve(of->request.state, &call);
    }
    *is_raised |= error != MPI_SUCCESS;
    allfold_exact_next(sum, error);
}

static int add_steps(struct blocking *of)
{
    struct allfold_exact_sum *sum = &of->sum;
    bool is_raised = false;
    allfold_exact_reserve(sum);
    allfold_exact_first(sum);
    while (sum->step != ALLFOLD_EXACT_END)
        make_step(of, &is_raised);
    return is_raised ? sum->lost : allfold_raise(of->request.call->comm, sum->lost);
}

static int add_all(struct blocking *of)
{
    if (allfold_exact_length(&of->sum) == 0)
        return MPI_SUCCESS;
    return is_short(of) ? add_gathered(of) : add_steps(of);
}

/* --- the call --- */

/* A request that keeps apart from those of the calls which serve it. */
static struct allfold_request request_of(const struct allfold_call *call,
                                         struct allfold_communicator *state)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    struct allfold_exact *memory = &caller->exact;
    return (struct allfold_request){.call = call,
                                    .state = state,
                                    .reproducible = ALLFOLD_REPRODUCIBLE_EXACT,
                                    .operands = &memory->operands,
                                    .packed = &memory->packed,
                                    .packed_bytes = &memory->packed_bytes,
                                    .blocks = caller->begins + state->size + 1,
                                    .staging = &memory->staging};
}

static int serve_sum(struct blocking *of)
{
    const struct allfold_call *call = of->request.call;
    struct allfold_communicator *state = of->request.state;
    int error = state->is_watched && state->agreed.settings->common.check
                    ? allfold_check_call(state, call, ALLFOLD_BLOCKING)
                    : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        return error;
    of->sum.lost = allfold_request_pack(&of->request, NULL);
    error = add_all(of);
    if (error != MPI_SUCCESS)
        return error; /* raised already */
    error = allfold_request_unpack(&of->request, MPI_SUCCESS);
    return allfold_raise(call->comm, error);
}

bool allfold_exact_serve(const struct allfold_call *call, struct allfold_communicator *state,
                         allfold_serve_call *serve, int *error)
{
    const char *why;
    if (!allfold_exact_is_wanted(call, state, allfold_communicator_reproducible(state)) ||
        state->carrier.comm == MPI_COMM_NULL || allfold_caller_of(state)->exact.is_busy)
        return false;
    struct blocking of;
    of.request = request_of(call, state);
    of.memory = &allfold_caller_of(state)->exact;
    of.serve = serve;
    if (!allfold_request_read(&of.request, &why) ||
        !allfold_exact_describe(&of.sum, &of.request, &of.memory->memory))
        return false;
    of.memory->is_busy = true;
    *error = serve_sum(&of);
    of.memory->is_busy = false;
    return true;
}

void allfold_exact_free(struct allfold_exact *exact)
{
    allfold_staging_free(&exact->staging);
    allfold_free(exact->operands.lowered);
    allfold_free(exact->packed);
    allfold_exact_memory_free(&exact->memory);
    *exact = (struct allfold_exact){.packed = NULL};
}
