/* The exchange of a whole window of notes (see exchange.h). */
#include "mpi/report/exchange.h"

#include <string.h>

#include "algorithms/algorithm.h"
#include "execute/executor.h"
#include "mpi/progress/progress.h"
#include "util/memory.h"

struct allfold_exchange {
    struct allfold_schedule *schedule;
    struct allfold_executor *executor;
    struct allfold_binding binding;
    MPI_Datatype type;
    size_t bytes; /* of all records */
};

static int merge(const struct allfold_elements *elements, void *to, const void *left,
                 const void *right, size_t count)
{
    struct allfold_latest *into = to;
    const struct allfold_latest *lower = left, *higher = right;
    (void)elements;
    for (size_t i = 0; i < count; i++) {
        struct allfold_latest merged = lower[i];
        allfold_latest_merge(&merged, &higher[i]);
        into[i] = merged;
    }
    return 0;
}

static int copy(const struct allfold_elements *elements, void *to, const void *from, size_t count)
{
    (void)elements;
    memcpy(to, from, count * sizeof(struct allfold_latest));
    return 0;
}

static const struct allfold_elements records = {.extent_bytes = sizeof(struct allfold_latest),
                                                .high_bytes = sizeof(struct allfold_latest),
                                                .reduce = merge,
                                                .copy = copy};

static bool prepare(const struct allfold_communicator *state, struct allfold_exchange *exchange,
                    size_t count)
{
    const struct allfold_algorithm *algorithm =
        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "recursive_doubling");
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
    struct allfold_problem problem = allfold_communicator_problem(state, ALLFOLD_ALLREDUCE);
    problem.count = count;
    problem.element_bytes = sizeof(struct allfold_latest);
    problem.commutative = problem.in_place = true;
    if (allfold_build(algorithm, &problem, &presets, &exchange->schedule, NULL, 0) != ALLFOLD_OK)
        return false;
    exchange->executor =
        allfold_executor_create(exchange->schedule, (uint32_t)state->agreed.settings->window);
    if (exchange->executor == NULL)
        return false;
    exchange->binding.scratch =
        allfold_allocate(1 + allfold_executor_place(exchange->executor, &records));
    return exchange->binding.scratch != NULL;
}

struct allfold_exchange *allfold_exchange_make(const struct allfold_communicator *state,
                                               size_t count, MPI_Datatype type)
{
    struct allfold_exchange *exchange =
        state->carrier.comm == MPI_COMM_NULL ? NULL : allfold_allocate_zeroed(sizeof *exchange);
    if (exchange == NULL)
        return NULL;
    exchange->binding.elements = &records;
    exchange->type = type;
    exchange->bytes = count * sizeof(struct allfold_latest);
    if (prepare(state, exchange, count))
        return exchange;
    allfold_exchange_free(exchange);
    return NULL;
}

int allfold_exchange_run(const struct allfold_communicator *state,
                         struct allfold_exchange *exchange, struct allfold_latest *latest)
{
    exchange->binding.in = exchange->binding.out = latest;
    exchange->binding.transport = allfold_communicator_begin_run(
        state, exchange->type, sizeof *latest, exchange->bytes, true);
    const int error = allfold_executor_start(exchange->executor, &exchange->binding);
    return error == MPI_SUCCESS ? allfold_wait_executor(exchange->executor, state->carrier.comm)
                                : error;
}

void allfold_exchange_free(struct allfold_exchange *exchange)
{
    if (exchange == NULL)
        return;
    allfold_executor_free(exchange->executor);
    allfold_schedule_free(exchange->schedule);
    allfold_free(exchange->binding.scratch);
    allfold_free(exchange);
}
