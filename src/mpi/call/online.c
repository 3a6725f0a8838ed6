/* Tuning inside of an application (see online.h). */
#include "mpi/call/online.h"

#include <assert.h>

#include "mpi/call/contender.h"
#include "mpi/call/entry.h"
#include "mpi/process/runtime.h"
#include "select/verdict.h"
#include "util/memory.h"

enum {
    MOST_TRIALS = 64,    /* of a communicator; later shapes are chosen for by the model */
    MOST_CANDIDATES = 5, /* native, the model's choice, and others */
    TRIES = 6,           /* of each, the first of which does not count */
    IS_GOING_ON = -1,
};

struct allfold_online {
    struct allfold_shape_key key; /* not in place */
    int count, calls, winner;
    struct allfold_contender candidates[MOST_CANDIDATES];
    double times[MOST_CANDIDATES * TRIES];
};

struct allfold_online_all {
    int count;
    struct allfold_online trials[MOST_TRIALS];
};

/* The native one, the model's choice, and others that the model would offer, the cheapest first. */
static void fill(struct allfold_communicator *state, struct allfold_online *trial,
                 const struct allfold_choice *models)
{
    static const struct allfold_parameters none;
    struct allfold_contenders all = {.most = MOST_CANDIDATES, .list = trial->candidates};
    allfold_contenders_add(&all, NULL, &none);
    allfold_contenders_add(&all, models->algorithm, &models->parameters);
    allfold_contenders_fill(state, &trial->key, &all);
    trial->count = all.count;
}

/* Results that depend on the algorithm are tried only where that is allowed, and a native
 * collective that gives wrong ones is not. */
static bool is_allowed(const struct allfold_communicator *state, const struct allfold_entry *entry)
{
    return entry->choice.source == ALLFOLD_CHOICE_MODEL && !entry->key.ours_only &&
           !entry->key.canonical &&     /* the native one is tried, too */
           entry->key.begins == NULL && /* shapes with blocks of any lengths seldom come again */
           (state->agreed.settings->common.trials == ALLFOLD_TRIALS_ANY || entry->key.exact);
}

/* Room for all trials, on all ranks or none. */
static bool have_room(struct allfold_communicator *state)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    if (caller->is_tuned)
        return caller->trials != NULL;
    caller->is_tuned = true;
    caller->trials = allfold_allocate_zeroed(sizeof *caller->trials);
    int fits = caller->trials != NULL;
    if (PMPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN,
                       allfold_communicator_for_collectives(state)) != MPI_SUCCESS)
        fits = 0;
    if (!fits) {
        allfold_free(caller->trials);
        caller->trials = NULL;
    }
    return fits != 0;
}

static bool has_rule(const struct allfold_communicator *state, const struct allfold_shape_key *key)
{
    const struct allfold_problem problem = allfold_entry_problem(state, key);
    const size_t bytes = allfold_problem_length(&problem) * key->element_bytes;
    return allfold_rules_find(allfold_communicator_rules(state, key->collective), bytes) != NULL;
}

struct allfold_online *allfold_online_find(struct allfold_communicator *state,
                                           const struct allfold_shape_key *key)
{
    struct allfold_online_all *all = allfold_caller_of(state)->trials;
    const struct allfold_shape_key any = allfold_shape_of_all(key);
    for (int i = 0; all != NULL && i < all->count; i++)
        if (allfold_is_same_shape(&all->trials[i].key, &any))
            return has_rule(state, key) ? NULL : &all->trials[i];
    return NULL;
}

/* What the model chose is a candidate always. */
static void give(struct allfold_online *trial, struct allfold_entry *entry)
{
    int i = 0;
    while (i < trial->count && trial->candidates[i].algorithm != entry->choice.algorithm)
        i++;
    assert(i < trial->count);
    entry->choice.source = ALLFOLD_CHOICE_ONLINE;
    trial->candidates[i].entries[entry->key.in_place] = entry;
}

struct allfold_online *allfold_online_begin(struct allfold_communicator *state,
                                            struct allfold_entry *entry)
{
    if (!is_allowed(state, entry) || !have_room(state))
        return NULL;
    struct allfold_online_all *all = allfold_caller_of(state)->trials;
    if (all->count == MOST_TRIALS)
        return NULL;
    struct allfold_online *trial = &all->trials[all->count++];
    trial->key = allfold_shape_of_all(&entry->key);
    trial->winner = IS_GOING_ON;
    fill(state, trial, &entry->choice);
    give(trial, entry);
    return trial;
}

static struct allfold_contender *present(struct allfold_online *trial)
{
    return &trial->candidates[trial->winner >= 0 ? trial->winner : trial->calls % trial->count];
}

enum allfold_error allfold_online_entry(struct allfold_communicator *state,
                                        struct allfold_online *trial,
                                        const struct allfold_shape_key *key,
                                        struct allfold_entry **entry, bool *is_over, char *message,
                                        size_t message_bytes)
{
    struct allfold_contender *candidate = present(trial);
    struct allfold_entry **own = &candidate->entries[key->in_place];
    const enum allfold_error error = allfold_contender_make(
        state, candidate, key, ALLFOLD_CHOICE_ONLINE, message, message_bytes);
    *entry = *own;
    *is_over = trial->winner >= 0;
    if (*is_over)
        *own = NULL;
    return error;
}

/* The first contender (native, where native is tried) stays unless another one is faster by more
 * than a twentieth. A smaller gain is noise: there are five times of each. The first time of each
 * does not count. */
static int winner_of(const struct allfold_online *trial)
{
    const double clearly = 0.95;
    return allfold_verdict_fastest(trial->times + trial->count, TRIES - 1, trial->count, clearly);
}

static void say_winner(const struct allfold_communicator *state, const struct allfold_online *trial)
{
    char name[64];
    const struct allfold_contender *winner = &trial->candidates[trial->winner];
    allfold_algorithm_write(winner->algorithm, &winner->parameters, name, sizeof name);
    if (state->rank == 0)
        allfold_say("%s of %zu x %zu bytes on %d ranks: of %d that were tried, %s is kept",
                    allfold_collective_name(trial->key.collective), trial->key.count,
                    trial->key.element_bytes, state->size, trial->count, name);
}

static void drop_others(struct allfold_communicator *state, struct allfold_online *trial)
{
    for (int i = 0; i < trial->count; i++)
        if (i != trial->winner)
            allfold_contender_drop(state, &trial->candidates[i]);
}

void allfold_online_note(struct allfold_communicator *state, struct allfold_online *trial,
                         double seconds)
{
    const int all = trial->count * TRIES;
    assert(trial->winner == IS_GOING_ON && trial->calls < all);
    trial->times[trial->calls++] = seconds;
    if (trial->calls < all)
        return;
    trial->winner = allfold_contenders_agree(state, trial->times, all) ? winner_of(trial) : 0;
    say_winner(state, trial);
    drop_others(state, trial);
}

void allfold_online_free(struct allfold_communicator *state)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    for (int i = 0; caller->trials != NULL && i < caller->trials->count; i++) {
        struct allfold_online *trial = &caller->trials->trials[i];
        for (int k = 0; k < trial->count; k++)
            allfold_contender_drop(state, &trial->candidates[k]);
    }
    allfold_free(caller->trials);
    caller->trials = NULL;
}
