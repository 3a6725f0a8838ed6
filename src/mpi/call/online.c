/* Tuning inside of an application (see online.h). */
#include "mpi/call/online.h"

#include <assert.h>

#include "mpi/call/entry.h"
#include "mpi/process/runtime.h"
#include "util/memory.h"
#include "select/candidates.h"

enum {
    MOST_TRIALS = 64,    /* of a communicator; later shapes are chosen for by the model */
    MOST_CANDIDATES = 5, /* the MPI library's own, the model's choice, and others */
    TRIES = 6,           /* of each, the first of which does not count */
    IS_GOING_ON = -1,
};

struct candidate {
    const struct allfold_algorithm *algorithm; /* NULL: the MPI library's own */
    struct allfold_parameters parameters;
    struct allfold_entry *entries[2]; /* not in place, and in place */
};

struct allfold_online {
    struct allfold_shape_key key; /* not in place */
    int count, calls, winner;
    struct candidate candidates[MOST_CANDIDATES];
    double times[MOST_CANDIDATES * TRIES];
};

struct allfold_online_all {
    int count;
    struct allfold_online trials[MOST_TRIALS];
};

static void add(struct allfold_online *trial, const struct allfold_algorithm *algorithm,
                const struct allfold_parameters *parameters)
{
    for (int i = 0; i < trial->count; i++)
        if (trial->candidates[i].algorithm == algorithm)
            return;
    if (trial->count < MOST_CANDIDATES)
        trial->candidates[trial->count++] =
            (struct candidate){.algorithm = algorithm, .parameters = *parameters};
}

/* Those that the model would offer, too, the cheapest first. */
static void fill(struct allfold_communicator *state, struct allfold_online *trial,
                 const struct allfold_choice *models)
{
    static const struct allfold_parameters none;
    struct allfold_candidate list[ALLFOLD_MAX_CANDIDATES];
    const struct allfold_problem problem = allfold_entry_problem(state, &trial->key);
    const int count = allfold_candidates(&problem, 0, list);
    add(trial, NULL, &none);
    add(trial, models->algorithm, &models->parameters);
    for (int i = 0; i < count; i++)
        if (allfold_why_not_offered(list[i].algorithm, &problem) == NULL)
            add(trial, list[i].algorithm, &list[i].parameters);
}

/* Results that depend on the algorithm are tried only where that is allowed. */
static bool is_allowed(const struct allfold_communicator *state, const struct allfold_entry *entry)
{
    return entry->choice.source == ALLFOLD_CHOICE_MODEL &&
           (state->agreed.settings->common.tune == ALLFOLD_TUNE_ANY || entry->key.exact);
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
    struct allfold_shape_key any = *key;
    any.in_place = false;
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
    trial->key = entry->key;
    trial->key.in_place = false;
    trial->winner = IS_GOING_ON;
    fill(state, trial, &entry->choice);
    give(trial, entry);
    return trial;
}

static struct candidate *present(struct allfold_online *trial)
{
    return &trial->candidates[trial->winner >= 0 ? trial->winner : trial->calls % trial->count];
}

enum allfold_error allfold_online_entry(struct allfold_communicator *state,
                                        struct allfold_online *trial,
                                        const struct allfold_shape_key *key,
                                        struct allfold_entry **entry, bool *is_over, char *message,
                                        size_t message_bytes)
{
    struct candidate *candidate = present(trial);
    struct allfold_entry **own = &candidate->entries[key->in_place];
    const struct allfold_rules rules = {.count = 1,
                                        .rules = {{.to_bytes = SIZE_MAX,
                                                   .algorithm = candidate->algorithm,
                                                   .parameters = candidate->parameters}}};
    enum allfold_error error = ALLFOLD_OK;
    if (*own == NULL)
        error = allfold_entry_make(state, NULL, key, &rules, false, own, message, message_bytes);
    *entry = *own;
    *is_over = trial->winner >= 0;
    if (error == ALLFOLD_OK)
        (*entry)->choice.source = ALLFOLD_CHOICE_ONLINE;
    if (*is_over)
        *own = NULL;
    return error;
}

/* Of its times but the first. */
static double median_of(const struct allfold_online *trial, int candidate)
{
    double sorted[TRIES - 1];
    for (int i = 1; i < TRIES; i++) {
        const double time = trial->times[i * trial->count + candidate];
        int place = i - 1;
        for (; place > 0 && sorted[place - 1] > time; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = time;
    }
    return sorted[(TRIES - 1) / 2];
}

/* The first one, the MPI library's own where that is tried, stays where nothing is faster by more
 * than a twentieth: of five times each, less is noise. */
static int winner_of(const struct allfold_online *trial)
{
    const double clearly = 0.95;
    double least = clearly * median_of(trial, 0);
    int winner = 0;
    for (int i = 1; i < trial->count; i++)
        if (median_of(trial, i) < least) {
            least = median_of(trial, i);
            winner = i;
        }
    return winner;
}

static void say_winner(const struct allfold_communicator *state, const struct allfold_online *trial)
{
    char name[64];
    const struct candidate *winner = &trial->candidates[trial->winner];
    allfold_algorithm_write(winner->algorithm, &winner->parameters, name, sizeof name);
    if (state->rank == 0)
        allfold_say("%s of %zu x %zu bytes on %d ranks: of %d that were tried, %s is kept",
                    allfold_collective_name(trial->key.collective), trial->key.count,
                    trial->key.element_bytes, state->size, trial->count, name);
}

static void drop_others(struct allfold_communicator *state, struct allfold_online *trial)
{
    for (int i = 0; i < trial->count; i++)
        for (int k = 0; k < 2; k++)
            if (i != trial->winner && trial->candidates[i].entries[k] != NULL) {
                allfold_entry_drop(state, trial->candidates[i].entries[k]);
                trial->candidates[i].entries[k] = NULL;
            }
}

void allfold_online_note(struct allfold_communicator *state, struct allfold_online *trial,
                         double seconds)
{
    const int all = trial->count * TRIES;
    assert(trial->winner == IS_GOING_ON && trial->calls < all);
    trial->times[trial->calls++] = seconds;
    if (trial->calls < all)
        return;
    const int error = PMPI_Allreduce(MPI_IN_PLACE, trial->times, all, MPI_DOUBLE, MPI_MAX,
                                     allfold_communicator_for_collectives(state));
    trial->winner = error == MPI_SUCCESS ? winner_of(trial) : 0;
    say_winner(state, trial);
    drop_others(state, trial);
}

void allfold_online_free(struct allfold_communicator *state)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    for (int i = 0; caller->trials != NULL && i < caller->trials->count; i++) {
        struct allfold_online *trial = &caller->trials->trials[i];
        for (int k = 0; k < 2 * trial->count; k++)
            if (trial->candidates[k / 2].entries[k % 2] != NULL)
                allfold_entry_drop(state, trial->candidates[k / 2].entries[k % 2]);
    }
    allfold_free(caller->trials);
    caller->trials = NULL;
}
