/* Simulating: building the ranks' outlines, and what came out (see simulate.h). */
#include "model/simulate/simulate.h"

#include <stdio.h>
#include <string.h>

#include "algorithms/peers.h"
#include "model/simulate/simulate_state.h"
#include "util/memory.h"

enum { PROGRESS_EVERY = 1 << 10 };

struct allfold_problem allfold_simulation_problem(const struct allfold_simulation *of, int r)
{
    const int p = of->nodes->first[of->nodes->count];
    const enum allfold_collective collective = of->algorithm->collective;
    const bool is_barrier = allfold_traits(collective)->may_repeat;
    const size_t length = is_barrier ? 1 : of->bytes / of->element_bytes;
    return (struct allfold_problem){
        .collective = collective,
        .group = allfold_group_all(p, r),
        .root = of->root,
        .count = allfold_has_blocks(collective) ? ceil_divide(length, (size_t)p) : length,
        .element_bytes = is_barrier ? 1 : of->element_bytes,
        .commutative = true,
        .exact = !of->algorithm->consistent,
        .one_node = of->nodes->count == 1,
        .nodes = of->nodes,
    };
}

/* Memory within the budget, zeroed; NULL with the error set. */
static void *take(struct state *state, size_t bytes)
{
    void *memory = NULL;
    if (allfold_budget_take(&state->budget, bytes))
        memory = allfold_allocate_zeroed(bytes);
    if (memory == NULL)
        state->error = ALLFOLD_NO_MEMORY;
    return memory;
}

static bool any_limit(const struct allfold_network *network, enum allfold_level level)
{
    for (int i = 0; i < network->link_count[level]; i++)
        if (network->links[level][i].limit > 0)
            return true;
    return false;
}

static void set_up(struct state *state)
{
    const struct allfold_network *network = state->of->network;
    const size_t p = (size_t)state->p, nodes = (size_t)state->of->nodes->count;
    const size_t cards = nodes * (size_t)network->cards;
    state->ranks = take(state, p * sizeof *state->ranks);
    state->pending = take(state, p * sizeof *state->pending);
    state->starting = take(state, p * sizeof *state->starting);
    state->out = take(state, cards * sizeof *state->out);
    if (network->ejection)
        state->in = take(state, cards * sizeof *state->in);
    if (any_limit(network, ALLFOLD_LEVEL_NODE))
        state->inside[ALLFOLD_LEVEL_NODE] = take(state, nodes * sizeof(struct shared));
    if (any_limit(network, ALLFOLD_LEVEL_SOCKET))
        state->inside[ALLFOLD_LEVEL_SOCKET] =
            take(state, nodes * (size_t)network->sockets * sizeof(struct shared));
    state->events = allfold_events_create(&state->budget);
    if (state->events == NULL)
        state->error = ALLFOLD_NO_MEMORY;
}

static void fill_block(struct state *state, struct simulated_rank *rank,
                       const struct allfold_schedule *schedule)
{
    const struct allfold_outline *outline = rank->outline;
    for (uint32_t m = 0; m < outline->message_count; m++)
        rank->peers[m] = schedule->steps[outline->step_of[m]].peer;
    if (outline->is_indexed)
        allfold_outlines_index(outline, rank->peers, index_of_rank(rank));
    uint16_t *waits = waits_of(rank);
    for (uint32_t i = 0; i < outline->step_count; i++) {
        if (outline->waits_for[i] > UINT16_MAX) {
            state->error = ALLFOLD_BAD_INPUT;
            snprintf(state->message, state->message_bytes,
                     "a step waits for %u others; up to %d can be simulated", outline->waits_for[i],
                     UINT16_MAX);
        }
        waits[i] = (uint16_t)outline->waits_for[i];
    }
}

static void keep(struct state *state, struct simulated_rank *rank,
                 const struct allfold_schedule *schedule)
{
    enum {
        HEAD_BYTES = 16,
        LINE_BYTES = 64
    }; /* that an allocation takes beside and rounds up to */
    state->error = allfold_outlines_add(&state->outlines, schedule, &rank->outline);
    if (state->error != ALLFOLD_OK)
        return;
    const size_t bytes = block_bytes(rank->outline);
    const size_t taken = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    rank->peers = take(state, bytes);
    if (rank->peers == NULL || !allfold_budget_take(&state->budget, taken - bytes + HEAD_BYTES)) {
        state->error = ALLFOLD_NO_MEMORY;
        return;
    }
    state->steps += rank->outline->step_count;
    fill_block(state, rank, schedule);
}

static void tell_progress(const struct state *state, const char *what, size_t done, size_t total)
{
    if (state->of->on_progress != NULL)
        state->of->on_progress(state->of->context, what, done, total);
}

static void tell_memory(struct state *state, int built)
{
    const double limit = (double)state->of->memory_bytes / (1 << 20);
    if (!state->budget.is_over)
        snprintf(state->message, state->message_bytes, "no memory");
    else if (built >= 64 && built < state->p)
        snprintf(state->message, state->message_bytes,
                 "it takes more than the %.0f MiB that it may: about %.0f for %d ranks", limit,
                 limit * state->p / built, state->p);
    else
        snprintf(state->message, state->message_bytes,
                 "it takes more than the %.0f MiB that it may", limit);
}

static void build(struct state *state)
{
    int r = 0;
    for (; r < state->p && state->error == ALLFOLD_OK; r++) {
        const struct allfold_problem problem = allfold_simulation_problem(state->of, r);
        struct allfold_schedule *schedule;
        char words[200] = "";
        if (r % PROGRESS_EVERY == 0)
            tell_progress(state, "builds", (size_t)r, (size_t)state->p);
        state->error = allfold_build(state->of->algorithm, &problem, &state->of->parameters,
                                     &schedule, words, sizeof words);
        if (state->error != ALLFOLD_OK) {
            snprintf(state->message, state->message_bytes, "%s", words);
            return;
        }
        keep(state, &state->ranks[r], schedule);
        allfold_schedule_free(schedule);
    }
    if (state->error == ALLFOLD_NO_MEMORY)
        tell_memory(state, r);
}

static struct allfold_simulated result_of(const struct state *state)
{
    const struct allfold_simulation *of = state->of;
    struct allfold_simulated result = {.time_s = 1e-12 * (double)state->now,
                                       .steps = state->steps,
                                       .messages = state->messages,
                                       .memory_bytes = state->budget.used_bytes};
    for (int i = 0; i < of->nodes->count * of->network->cards; i++)
        if (state->out[i].bytes > result.card_bytes)
            result.card_bytes = state->out[i].bytes;
    for (int r = 0; r < state->p; r++)
        if (state->ranks[r].messages_out > result.messages_out)
            result.messages_out = state->ranks[r].messages_out;
    return result;
}

static void clean_up(struct state *state)
{
    for (int r = 0; state->ranks != NULL && r < state->p; r++)
        allfold_free(state->ranks[r].peers);
    allfold_outlines_free(&state->outlines);
    allfold_events_free(state->events);
    allfold_free(state->ranks);
    allfold_free(state->pending);
    allfold_free(state->starting);
    allfold_free(state->out);
    allfold_free(state->in);
    for (int level = 0; level < ALLFOLD_LEVEL_NETWORK; level++)
        allfold_free(state->inside[level]);
}

enum allfold_error allfold_simulate(const struct allfold_simulation *of,
                                    struct allfold_simulated *simulated, char *message,
                                    size_t message_bytes)
{
    struct state state = {.of = of,
                          .budget = {.limit_bytes = of->memory_bytes},
                          .p = of->nodes->first[of->nodes->count],
                          .message = message,
                          .message_bytes = message_bytes};
    *simulated = (struct allfold_simulated){.steps = 0};
    state.outlines.budget = &state.budget;
    state.element_bytes = allfold_simulation_problem(of, 0).element_bytes;
    set_up(&state);
    if (state.error == ALLFOLD_OK)
        build(&state);
    else
        tell_memory(&state, 0);
    if (state.error == ALLFOLD_OK) {
        allfold_simulation_flow(&state);
        if (state.error == ALLFOLD_NO_MEMORY)
            tell_memory(&state, state.p);
    }
    if (state.error == ALLFOLD_OK)
        *simulated = result_of(&state);
    clean_up(&state);
    return state.error;
}
