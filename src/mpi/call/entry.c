/* Makes, keeps and drops entries of a communicator's cache (see entry.h). */
#include "mpi/call/entry.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mpi/call/block_counts.h"
#include "mpi/call/native.h"
#include "mpi/report/call_times.h"
#include "mpi/report/report.h"
#include "mpi/process/runtime.h"

static void say_passed(const struct allfold_choice *choice)
{
    char name[ALLFOLD_NAME_BYTES];
    allfold_algorithm_write(choice->skipped_row->algorithm, &choice->skipped_row->parameters, name,
                            sizeof name);
    allfold_say("row %u of the table names %s, which needs %s: passed over",
                choice->skipped_row->number, name, choice->unmet);
}

static void say_choice(const struct allfold_communicator *state, const struct allfold_entry *entry)
{
    char name[ALLFOLD_NAME_BYTES], row[32] = "";
    const struct allfold_choice *choice = &entry->choice;
    if (state->rank != 0 || !allfold_settings()->verbose)
        return;
    allfold_algorithm_write(choice->algorithm, &choice->parameters, name, sizeof name);
    if (choice->row != NULL)
        snprintf(row, sizeof row, ", row %u", choice->row->number);
    if (choice->skipped_row != NULL)
        say_passed(choice);
    allfold_say("%s of %zu x %zu bytes on %d ranks: %s (%s%s)",
                allfold_collective_name(entry->key.collective), entry->key.count,
                entry->key.element_bytes, state->size, name,
                allfold_choice_source_name(choice->source), row);
}

struct allfold_problem allfold_entry_problem(const struct allfold_communicator *state,
                                             const struct allfold_shape_key *key)
{
    struct allfold_problem problem = allfold_communicator_problem(state, key->collective);
    problem.root = key->root;
    problem.count = key->count;
    problem.begins = key->begins;
    /* elements of no bytes travel as nothing, but there may be any number of them */
    problem.element_bytes = key->element_bytes == 0 ? 1 : key->element_bytes;
    problem.commutative = key->commutative && !key->canonical;
    problem.exact = key->exact;
    problem.canonical = key->canonical;
    problem.in_place = key->in_place;
    problem.nodes = allfold_nodes_for(&problem, state->nodes);
    return problem;
}

/* If a forced algorithm sums in another order and the user only asked for a warning, warns, and
 * removes the requirement of the canonical tree from the problem. */
static bool give_up_tree(const struct allfold_communicator *state, struct allfold_problem *problem,
                         const struct allfold_shape_key *key, const char *why)
{
    if (!problem->canonical ||
        !allfold_reproducible_warns(allfold_communicator_reproducible(state)))
        return false;
    allfold_warn_of_brackets(why);
    problem->canonical = false;
    problem->commutative = key->commutative;
    problem->nodes = allfold_nodes_for(problem, state->nodes);
    return true;
}

static struct allfold_call_name own_name(const struct allfold_entry *entry)
{
    return (struct allfold_call_name){entry->key.collective, entry->key.root, entry->vector_bytes};
}

static enum allfold_error fill(struct allfold_communicator *state, struct allfold_entry *entry,
                               const struct allfold_rules *rules, bool ours, char *message,
                               size_t message_bytes)
{
    struct allfold_problem problem = allfold_entry_problem(state, &entry->key);
    const uint32_t window = (uint32_t)state->agreed.settings->window;
    struct allfold_choice_inputs inputs = allfold_communicator_inputs(state, entry->key.collective);
    inputs.rules = rules;
    enum allfold_error error =
        allfold_choose(&inputs, &problem, &entry->choice, message, message_bytes);
    if (error == ALLFOLD_UNMET_NEED && give_up_tree(state, &problem, &entry->key, message))
        error = allfold_choose(&inputs, &problem, &entry->choice, message, message_bytes);
    entry->bytes = sizeof *entry + allfold_begins_bytes(&entry->key);
    entry->vector_bytes = allfold_problem_length(&problem) * entry->key.element_bytes;
    entry->named = own_name(entry);
    if (error == ALLFOLD_OK && (ours || entry->key.ours_only) &&
        entry->choice.source != ALLFOLD_CHOICE_FORCED && entry->choice.algorithm == NULL)
        allfold_choose_default(&problem, &entry->choice);
    if (error != ALLFOLD_OK || entry->choice.algorithm == NULL)
        return error;
    error = allfold_build_in(entry->pool, entry->choice.algorithm, &problem,
                             &entry->choice.parameters, &entry->schedule, message, message_bytes);
    if (error != ALLFOLD_OK)
        return error;
    const size_t executor_bytes = allfold_executor_bytes(entry->schedule, window);
    void *memory = allfold_pool_take(entry->pool, executor_bytes);
    if (memory == NULL) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    entry->executor = allfold_executor_create_in(memory, entry->schedule, window);
    entry->executor_bytes = executor_bytes;
    entry->bytes += entry->schedule->bytes + executor_bytes;
    return ALLFOLD_OK;
}

/* Gives the entry's key begins of its own: those that it has are of a call, which goes. */
static enum allfold_error keep_begins(struct allfold_entry *entry, char *message,
                                      size_t message_bytes)
{
    const size_t bytes = allfold_begins_bytes(&entry->key);
    if (bytes == 0)
        return ALLFOLD_OK;
    entry->begins = allfold_pool_take(entry->pool, bytes);
    if (entry->begins == NULL) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    memcpy(entry->begins, entry->key.begins, bytes);
    entry->key.begins = entry->begins;
    return ALLFOLD_OK;
}

static enum allfold_error make(struct allfold_communicator *state, struct allfold_pool *pool,
                               const struct allfold_shape_key *key,
                               const struct allfold_rules *rules, bool ours,
                               struct allfold_entry **made, char *message, size_t message_bytes)
{
    struct allfold_entry *entry = allfold_pool_take(pool, sizeof *entry);
    *made = NULL;
    if (entry == NULL) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    memset(entry, 0, sizeof *entry);
    entry->key = *key;
    entry->pool = pool;
    enum allfold_error error = keep_begins(entry, message, message_bytes);
    if (error == ALLFOLD_OK)
        error = fill(state, entry, rules, ours, message, message_bytes);
    if (error != ALLFOLD_OK) {
        allfold_entry_free(entry);
        return error;
    }
    *made = entry;
    return ALLFOLD_OK;
}

enum allfold_error allfold_entry_make(struct allfold_communicator *state, struct allfold_pool *pool,
                                      const struct allfold_shape_key *key,
                                      const struct allfold_rules *rules, bool ours,
                                      struct allfold_entry **made, char *message,
                                      size_t message_bytes)
{
    const enum allfold_error error =
        make(state, pool, key, rules, ours, made, message, message_bytes);
    if (error == ALLFOLD_OK)
        say_choice(state, *made);
    return error;
}

enum allfold_error allfold_entry_make_of(struct allfold_communicator *state,
                                         struct allfold_pool *pool,
                                         const struct allfold_shape_key *key,
                                         const struct allfold_algorithm *algorithm,
                                         const struct allfold_parameters *parameters,
                                         struct allfold_entry **made, char *message,
                                         size_t message_bytes)
{
    const struct allfold_rules rules = {
        .count = 1,
        .rules = {{.to_bytes = SIZE_MAX, .algorithm = algorithm, .parameters = *parameters}}};
    const enum allfold_error error =
        make(state, pool, key, &rules, false, made, message, message_bytes);
    if (error == ALLFOLD_OK)
        (*made)->choice.source = ALLFOLD_CHOICE_GUARD;
    return error;
}

/* What is kept of sizes that are no longer asked for must not grow without bound. */
struct allfold_pool *allfold_entries_pool(struct allfold_communicator *state)
{
    enum { SLACK_BYTES = 256 << 10 };
    struct allfold_pool *pool = &allfold_caller_of(state)->cache.pool;
    if (pool->chunk_bytes > 2 * state->agreed.settings->cache_bytes + SLACK_BYTES)
        allfold_entries_drop(state, ALLFOLD_COLLECTIVE_COUNT);
    return pool;
}

void allfold_entry_keep(struct allfold_communicator *state, struct allfold_entry *entry)
{
    allfold_cache_add(&allfold_caller_of(state)->cache, entry);
    allfold_entries_shrink(state, state->agreed.settings->cache_bytes);
}

void allfold_entries_shrink(struct allfold_communicator *state, size_t most_bytes)
{
    struct allfold_cache *cache = &allfold_caller_of(state)->cache;
    for (struct allfold_entry *old; (old = allfold_cache_take_surplus(cache, most_bytes)) != NULL;)
        allfold_entry_drop(state, old);
}

void allfold_entries_drop(struct allfold_communicator *state, enum allfold_collective collective)
{
    struct allfold_cache *cache = &allfold_caller_of(state)->cache;
    const bool of_all = collective == ALLFOLD_COLLECTIVE_COUNT;
    for (struct allfold_entry *entry;
         (entry = of_all ? allfold_cache_take(cache) : allfold_cache_take_of(cache, collective)) !=
         NULL;)
        allfold_entry_drop(state, entry);
    if (cache->count == 0)
        allfold_cache_empty(cache);
}

static struct allfold_report_row row_of(const struct allfold_communicator *state,
                                        const struct allfold_entry *entry)
{
    struct allfold_report_row row = {
        .collective = entry->named.collective,
        .p = state->size,
        .least_bytes = entry->named.bytes,
        .most_bytes = entry->named.bytes,
        .source = allfold_choice_reason(&entry->choice),
    };
    allfold_algorithm_write(entry->choice.algorithm, &entry->choice.parameters, row.algorithm,
                            sizeof row.algorithm);
    return row;
}

static uint32_t shape_of(const struct allfold_communicator *state,
                         const struct allfold_entry *entry)
{
    struct allfold_traced_shape shape = {.collective = entry->named.collective,
                                         .root = entry->named.root,
                                         .bytes = entry->named.bytes,
                                         .element_bytes = entry->key.element_bytes,
                                         .commutative = entry->key.commutative,
                                         .exact = entry->key.exact,
                                         .canonical = entry->key.canonical};
    allfold_algorithm_write(entry->choice.algorithm, &entry->choice.parameters, shape.algorithm,
                            sizeof shape.algorithm);
    snprintf(shape.source, sizeof shape.source, "%s", allfold_choice_reason(&entry->choice));
    return allfold_tracing_shape(state, &shape);
}

static void set_name(struct allfold_entry *entry, struct allfold_call_name named)
{
    const struct allfold_call_name *last = &entry->named;
    if (last->collective == named.collective && last->root == named.root &&
        last->bytes == named.bytes)
        return;
    entry->named = named;
    entry->row = 0;
    entry->has_shape = false;
}

uint32_t allfold_entry_row(const struct allfold_communicator *state, struct allfold_entry *entry,
                           const char *mode, const char *site)
{
    const char *phase = allfold_report_phase_now;
    if (!allfold_report_records())
        return ALLFOLD_NO_ROW;
    if (entry->row == 0 || entry->phase != phase || entry->site != site) {
        struct allfold_report_row row = row_of(state, entry);
        row.phase = entry->phase = phase;
        row.site = entry->site = site;
        row.mode = mode;
        entry->row = allfold_report_find_row(&row) + 1;
    }
    return entry->row - 1;
}

void allfold_entry_serve(const struct allfold_communicator *state, struct allfold_entry *entry,
                         const struct allfold_call *sum)
{
    set_name(entry, sum == NULL ? own_name(entry)
                                : (struct allfold_call_name){sum->collective, sum->root,
                                                             allfold_call_bytes(sum, state->size)});
    if (!entry->has_shape)
        entry->shape = shape_of(state, entry);
    entry->has_shape = true;
    const uint32_t row =
        allfold_entry_row(state, entry, NULL, allfold_notes_of(state)->served.site);
    allfold_notes_serve(state, row, entry->shape, entry->named.bytes);
}

void allfold_entry_drop(const struct allfold_communicator *state, struct allfold_entry *entry)
{
    if (allfold_settings()->report != NULL &&
        entry->figures.samples + entry->figures.bits_compared > 0) {
        entry->named = own_name(entry); /* a step of an exact sum is not compared */
        struct allfold_report_row row = row_of(state, entry);
        row.phase = entry->phase;
        row.site = entry->site;
        row.figures = entry->figures;
        allfold_report_add(&row);
    }
    allfold_entry_free(entry);
}

/* --- entries of prepared calls --- */

enum allfold_error allfold_prepared_make(struct allfold_prepared *prepared,
                                         const struct allfold_rules *rules, char *message,
                                         size_t message_bytes)
{
    struct allfold_communicator *state = prepared->state;
    const struct allfold_shape_key key = allfold_prepared_key(prepared);
    if (rules == NULL)
        rules = allfold_communicator_rules(state, key.collective);
    const enum allfold_error error = allfold_entry_make(state, NULL, &key, rules, true,
                                                        &prepared->entry, message, message_bytes);
    if (error == ALLFOLD_OK && prepared->entry->choice.algorithm == NULL) {
        allfold_entry_drop(state, prepared->entry);
        prepared->entry = NULL;
    }
    return error;
}
