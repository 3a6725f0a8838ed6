/* Blocking exact sums (see exact.h), step by step as exact_sum.h has them.
 *
 * For short vectors the ranks guess that the needs are those of earlier ones, and count who finds
 * that wrong beside the sums. All ranks learn that count, so all go the longer way if it is not 0.
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

enum {
    SHORT = 16,      /* numbers of a vector whose needs are guessed */
    SHORT_LIMBS = 2, /* of such a number */
};

/* A blocking sum. */
struct blocking {
    struct allfold_exact_sum sum;
    struct allfold_request request;
    struct allfold_exact *memory;
    allfold_serve_call *serve;
};

/* --- short vectors --- */

/* An allreduce tells all ranks who guessed wrong, and serves a reduce, too. */
static bool may_guess(const struct blocking *of)
{
    const enum allfold_collective collective = of->request.call->collective;
    return (collective == ALLFOLD_ALLREDUCE || collective == ALLFOLD_REDUCE) &&
           allfold_exact_length(&of->sum) <= SHORT;
}

static struct allfold_exact_need *guess_of(const struct blocking *of)
{
    return &of->memory->guess[of->sum.type == ALLFOLD_FLOAT];
}

/* Makes the guess as wide as its limbs; more than half of what is to spare is for small numbers. */
static void widen(const struct blocking *of, struct allfold_exact_need need)
{
    static const struct allfold_exact_need any = {.top = 1};
    const int bits = SHORT_LIMBS * allfold_exact_format(&any, of->request.state->size).limb_bits;
    const int spare = bits - need.top - need.depth;
    if (spare < 0)
        return;
    *guess_of(of) = (struct allfold_exact_need){.top = (int16_t)(need.top + spare / 3),
                                                .depth = (int16_t)(need.depth + spare - spare / 3)};
}

/* After a wrong guess: what this vector and the ones before needed, or this one alone. */
static void learn(const struct blocking *of)
{
    const struct allfold_exact_need *guess = guess_of(of), need = of->sum.needs[0];
    const struct allfold_exact_need both = {.top = guess->top > need.top ? guess->top : need.top,
                                            .depth = guess->depth > need.depth ? guess->depth
                                                                               : need.depth};
    if (need.top == INT16_MIN)
        return;
    widen(of, need);
    widen(of, both);
}

/* Writes a short vector as the ranks guess; false where it needs more. */
static bool write_guessed(const struct blocking *of, const struct allfold_exact_format *format,
                          int64_t *planes, size_t n)
{
    const struct allfold_request *request = &of->request;
    const struct allfold_exact_need *guess = guess_of(of);
    if (of->sum.lost != MPI_SUCCESS)
        return false;
    const void *numbers = request->in_place ? request->out : request->in;
    const struct allfold_exact_need need = allfold_exact_look(of->sum.type, numbers, n);
    if (need.top > guess->top || need.depth > guess->depth || need.has_specials)
        return false;
    allfold_exact_encode(of->sum.type, format, planes, numbers, n);
    return true;
}

/* Adds a short vector as the ranks guess, and says whether all guessed right. */
static int add_guessed(const struct blocking *of, bool *all_are_right)
{
    const size_t n = allfold_exact_length(&of->sum);
    const struct allfold_exact_need *guess = guess_of(of);
    struct allfold_communicator *state = of->request.state;
    int64_t planes[SHORT * SHORT_LIMBS + 1];
    if (guess->top == 0 && guess->depth == 0)
        widen(of, (struct allfold_exact_need){.top = 1, .depth = 1});
    const struct allfold_exact_format format = allfold_exact_format(guess, state->size);
    const size_t length = allfold_exact_planes(&format) * n;
    assert(format.limbs == SHORT_LIMBS && !format.has_specials);
    planes[length] = !write_guessed(of, &format, planes, n);
    if (planes[length] != 0)
        memset(planes, 0, length * sizeof *planes);
    const struct allfold_call added =
        allfold_describe_reduction(ALLFOLD_ALLREDUCE, MPI_IN_PLACE, planes, (ptrdiff_t)length + 1,
                                   MPI_INT64_T, MPI_SUM, 0, of->request.call->comm);
    const int error = of->serve(state, &added);
    *all_are_right = error == MPI_SUCCESS && planes[length] == 0;
    if (*all_are_right && of->sum.has_result)
        allfold_exact_decode(of->sum.type, &format, of->request.out, planes, n);
    return error;
}

/* --- vectors of any length --- */

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
    /* all ranks that go on learn the same, as they guess alike */
    if (allfold_exact_next(sum, error) != ALLFOLD_EXACT_END && made == ALLFOLD_EXACT_CONFIRM &&
        may_guess(of))
        learn(of);
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
    bool is_added = allfold_exact_length(&of->sum) == 0;
    const int error = !is_added && may_guess(of) ? add_guessed(of, &is_added) : MPI_SUCCESS;
    return is_added || error != MPI_SUCCESS ? error : add_steps(of);
}

/* --- the call --- */

/* A request that keeps apart from those of the calls which serve it. */
static struct allfold_request request_of(const struct allfold_call *call,
                                         struct allfold_communicator *state)
{
    struct allfold_exact *memory = &allfold_caller_of(state)->exact;
    memory->operands.comm = state->carrier.comm;
    return (struct allfold_request){.call = call,
                                    .state = state,
                                    .reproducible = ALLFOLD_REPRODUCIBLE_EXACT,
                                    .operands = &memory->operands,
                                    .packed = &memory->packed,
                                    .packed_bytes = &memory->packed_bytes,
                                    .blocks = &memory->begins,
                                    .blocks_bytes = &memory->begins_bytes,
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
    return error == MPI_SUCCESS ? error : allfold_raise(call->comm, error);
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
    allfold_free(exact->begins);
    allfold_exact_memory_free(&exact->memory);
    *exact = (struct allfold_exact){.packed = NULL};
}
