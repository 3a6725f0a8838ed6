/* The guard: counting, agreement, measuring and switching (see guard.h). */
#include "mpi/call/guard.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

#include "mpi/call/entry.h"
#include "mpi/call/learn.h"
#include "mpi/call/native.h"
#include "mpi/call/run.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/report/call_times.h"
#include "mpi/report/report.h"
#include "select/verdict.h"
#include "util/memory.h"

struct contender {
    const struct allfold_algorithm *algorithm; /* NULL: native */
    struct allfold_parameters parameters;
    struct allfold_entry *entry; /* while a look takes place */
};

/* What is measured: the algorithm of the shape, native, and the runner-up of the choice's row. */
struct allfold_looked {
    struct allfold_looks looks;
    int count;
    /* The first one is the algorithm of the shape. */
    struct contender contenders[ALLFOLD_LOOK_CONTENDERS];
    bool is_finished; /* there was a verdict */
    double look_s;    /* what the last look came to, or would have; 0: there was none */
};

/* Of the process, over all communicators. */
static atomic_int_least64_t spent_ns;
static atomic_uint look_count;
static double begin_s;

/* The run that looking may take a share of begins before MPI_Init. */
__attribute__((constructor)) static void begin(void)
{
    begin_s = allfold_now_s();
}

static int64_t ns_of(double seconds)
{
    return (int64_t)(1e9 * seconds);
}

/* --- counting --- */

static struct allfold_guarded *slot_of(struct allfold_caller *caller,
                                       const struct allfold_shape_key *key)
{
    return &caller->guarded[allfold_shape_hash(key) >> 60];
}

static void clear(struct allfold_guarded *slot)
{
    allfold_free(slot->looked);
    *slot = (struct allfold_guarded){.state = ALLFOLD_SLOT_EMPTY};
}

static struct allfold_guard_limits limits_of(const struct allfold_communicator *state)
{
    const struct allfold_common_settings *common = &state->agreed.settings->common;
    return (struct allfold_guard_limits){.share = 1e-6 * common->guard_share_ppm,
                                         .first_calls = (uint64_t)common->guard_first};
}

static size_t vector_bytes(const struct allfold_communicator *state,
                           const struct allfold_shape_key *key)
{
    const struct allfold_problem problem = allfold_entry_problem(state, key);
    return allfold_problem_length(&problem) * key->element_bytes;
}

/* Counts a call of another shape. Returns whether that shape gets the slot. Of shapes that share a
 * slot, the most frequent gets it eventually: after more calls of others than there were of the
 * slot's own. */
static bool gives_way(struct allfold_guarded *slot)
{
    const uint64_t own = slot->due - slot->left;
    if (slot->state == ALLFOLD_SLOT_EMPTY)
        return true;
    if (slot->has_switched)
        return false;
    slot->others += own - slot->others_at;
    slot->others_at = own;
    return --slot->others == 0;
}

static void take(struct allfold_communicator *state, struct allfold_guarded *slot,
                 const struct allfold_shape_key *key)
{
    const struct allfold_guard_limits limits = limits_of(state);
    clear(slot);
    slot->state = ALLFOLD_SLOT_NEW;
    slot->key = *key;
    slot->left = slot->due = allfold_guard_first(&limits, vector_bytes(state, key));
    slot->others = 1;
}

/* Finds the slot of the caller's shape, if that is guarded; also sets how many calls are left until
 * one must be counted here. */
static struct allfold_guarded *count_call(const struct allfold_prepared *prepared, uint64_t **left)
{
    struct allfold_communicator *state = prepared->state;
    struct allfold_caller *caller = allfold_caller_of(state);
    const struct allfold_shape_key *key = &caller->key, any = allfold_shape_of_all(key);
    if (!prepared->operands.is_predefined || key->ours_only || key->canonical ||
        key->begins != NULL)
        return NULL; /* slots outlast the call, whose begins they would need */
    struct allfold_guarded *slot = slot_of(caller, &any);
    assert((unsigned)(slot - caller->guarded) < ALLFOLD_GUARDED);
    if (slot->state == ALLFOLD_SLOT_EMPTY || !allfold_is_same_shape(&slot->key, &any)) {
        if (!gives_way(slot)) {
            *left = slot->has_switched ? &caller->never : &slot->others;
            return NULL;
        }
        take(state, slot, &any);
    }
    slot->left--;
    *left = &slot->left;
    return slot;
}

/* Records the algorithm of the shape. An algorithm that a rule forces is the user's choice, and is
 * never measured. */
static void open_slot(struct allfold_guarded *slot, const struct allfold_choice *choice)
{
    slot->source = choice->source;
    slot->algorithm = choice->algorithm;
    slot->parameters = choice->parameters;
    slot->row = choice->is_runner_up ? NULL : choice->simulated;
    slot->state = slot->source == ALLFOLD_CHOICE_FORCED ? ALLFOLD_SLOT_CLOSED : ALLFOLD_SLOT_OPEN;
}

void allfold_guard_forget(struct allfold_communicator *state, enum allfold_collective collective)
{
    struct allfold_caller *caller = allfold_caller_of(state);
    caller->prepared.entry = NULL; /* `repeat` knows the slot */
    for (int i = 0; i < ALLFOLD_GUARDED; i++) {
        struct allfold_guarded *slot = &caller->guarded[i];
        const bool goes =
            slot->state != ALLFOLD_SLOT_EMPTY &&
            (collective == ALLFOLD_COLLECTIVE_COUNT || slot->key.collective == collective);
        if (goes && slot->has_switched)
            allfold_entries_drop(state, slot->key.collective);
        if (goes)
            clear(slot);
    }
}

/* --- agreeing --- */

/* Agrees on what all ranks then know. The cost of the last agreement is the time of the rank that
 * came last; the others waited for it. Returns false if MPI fails. */
static bool agree(const struct allfold_communicator *state, struct allfold_guarded *slot,
                  struct allfold_guard_facts *facts)
{
    const double now_s = allfold_now_s();
    int64_t least[] = {-ns_of(now_s - begin_s), -atomic_load(&spent_ns), ns_of(slot->agreement_s),
                       -ns_of(slot->call_s)};
    if (allfold_find_least(allfold_communicator_for_collectives(state), least,
                           sizeof least / sizeof *least) != MPI_SUCCESS)
        return false;
    slot->agreement_s = allfold_now_s() - now_s;
    atomic_fetch_add(&spent_ns, least[2]);
    *facts = (struct allfold_guard_facts){.calls = slot->due,
                                          .run_s = -1e-9 * (double)least[0],
                                          .spent_s = -1e-9 * (double)least[1],
                                          .agreement_s = 1e-9 * (double)least[2],
                                          .call_s = -1e-9 * (double)least[3],
                                          .contenders = slot->row == NULL ? 2 : 3};
    return true;
}

/* --- looking --- */

/* The same call on a copy of its result. */
struct look {
    struct allfold_prepared *prepared;
    struct allfold_call made; /* by the program */
    struct allfold_call call;
    void *result;
    size_t result_bytes;
    double barrier_s; /* minimum time before a batch */
};

static void find_contenders(const struct allfold_communicator *state,
                            const struct allfold_guarded *slot)
{
    struct allfold_looked *looked = slot->looked;
    struct allfold_simulated_choice runner_up;
    const struct allfold_problem problem = allfold_entry_problem(state, &slot->key);
    looked->contenders[looked->count++] =
        (struct contender){.algorithm = slot->algorithm, .parameters = slot->parameters};
    /* all ranks know the vector's length, but not each other's counts */
    if (slot->algorithm != NULL && vector_bytes(state, &slot->key) <= INT_MAX)
        looked->contenders[looked->count++] = (struct contender){.algorithm = NULL};
    if (slot->row != NULL && allfold_simulated_runner_up(&problem, slot->row, &runner_up))
        looked->contenders[looked->count++] = (struct contender){
            .algorithm = runner_up.algorithm, .parameters = runner_up.parameters};
}

/* Prepares the second call with its entries. Returns false if this rank cannot. Local. */
static bool prepare(struct allfold_communicator *state, struct allfold_looked *looked,
                    struct look *look)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    const char *why;
    if (!allfold_redirect(&look->call, state, &look->result, &look->result_bytes) ||
        allfold_native_refuses(&look->call))
        return false;
    look->prepared->call = look->call;
    if (!allfold_prepared_read(look->prepared, &why))
        return false;
    const struct allfold_shape_key key = allfold_prepared_key(look->prepared);
    for (int i = 0; i < looked->count; i++) {
        struct contender *contender = &looked->contenders[i];
        if (allfold_entry_make_of(state, NULL, &key, contender->algorithm, &contender->parameters,
                                  &contender->entry, message, sizeof message) != ALLFOLD_OK)
            return false;
    }
    return true;
}

/* Returns the time of a call by a contender, which all ranks begin at the same time; infinite if it
 * fails. The calls of a batch are repeated like the program's, whose times they represent.
 * Observers are not called, so the report has only the program's calls. */
static double time_contender(struct allfold_communicator *state, struct look *look,
                             const struct contender *contender, int batch)
{
    const double begun_s = allfold_now_s();
    struct allfold_prepared *prepared = look->prepared;
    struct allfold_call again = look->made;
    const bool may_repeat = allfold_prepared_lasts(prepared) && !allfold_devices_may_be();
    /* Each batch begins with the program's input. In place, each further call of it reduces the
     * result of the call before. */
    allfold_redirect(&again, state, &look->result, &look->result_bytes);
    prepared->entry = contender->entry;
    prepared->why_native = contender->algorithm == NULL ? "the guard" : NULL;
    int error = PMPI_Barrier(allfold_communicator_for_collectives(state));
    const double start_s = allfold_now_s();
    look->barrier_s = fmin(look->barrier_s, start_s - begun_s);
    for (int i = 0; i < batch; i++) {
        const int code = allfold_move_data(prepared, &look->call, may_repeat && i > 0);
        error = error == MPI_SUCCESS ? code : error;
    }
    const double time_s = (allfold_now_s() - start_s) / batch;
    prepared->entry = NULL;
    return error == MPI_SUCCESS ? time_s : HUGE_VAL;
}

/* Replaces each time by the maximum over all ranks. Returns false if MPI fails. */
static bool find_slowest(const struct allfold_communicator *state, double *times, int count)
{
    return PMPI_Allreduce(MPI_IN_PLACE, times, count, MPI_DOUBLE, MPI_MAX,
                          allfold_communicator_for_collectives(state)) == MPI_SUCCESS;
}

/* Measures all contenders in turns; each round begins with another one. Returns false on all ranks
 * if the cost would exceed the budget, or something failed. */
static bool time_rounds(struct allfold_communicator *state, struct allfold_guarded *slot,
                        struct look *look, double budget_s, double *times)
{
    const struct contender *contenders = slot->looked->contenders;
    double *look_s = &slot->looked->look_s;
    const double hopeless = 5; /* a contender that is slower by this factor is measured only once */
    const int n = slot->looked->count;
    double once[2 * ALLFOLD_LOOK_CONTENDERS + 1]; /* twice: the first may have been disturbed */
    for (int i = 0; i < 2 * n; i++)
        once[i] = time_contender(state, look, &contenders[i % n], 1);
    once[2 * n] = look->barrier_s;
    const bool is_agreed = find_slowest(state, once, 2 * n + 1);
    const double barrier_s = once[2 * n];
    for (int i = 0; i < n; i++)
        once[i] = fmin(once[i], once[n + i]);
    if (!is_agreed || isinf(once[0]))
        return false;
    *look_s = allfold_guard_look_s(once, n, barrier_s);
    if (!(*look_s <= budget_s)) /* the next look waits until it fits */
        return false;
    for (int i = 0; i < n * ALLFOLD_LOOK_ROUNDS; i++) {
        const int round = i / n, at = (i + round) % n;
        times[round * n + at] =
            once[at] > hopeless * once[0]
                ? once[at]
                : time_contender(state, look, &contenders[at], allfold_guard_batch(once[at]));
    }
    if (!find_slowest(state, times, n * ALLFOLD_LOOK_ROUNDS))
        return false;
    for (int i = 0; i < ALLFOLD_LOOK_ROUNDS; i++)
        if (isinf(times[i * n]))
            return false;
    return true;
}

/* --- concluding --- */

/* Why a shape is not switched; NULL: it is. */
static const char *why_kept(const struct allfold_communicator *state,
                            const struct allfold_guarded *slot)
{
    const enum allfold_guard_mode mode = state->agreed.settings->common.guard;
    if (mode == ALLFOLD_GUARD_REPORT)
        return "kept: ALLFOLD_GUARD=report";
    if (slot->source == ALLFOLD_CHOICE_TABLE)
        return "kept: ALLFOLD_TABLE names it";
    if (slot->source == ALLFOLD_CHOICE_LEARNED)
        return "kept: ALLFOLD_GUARD=learn names it";
    return mode == ALLFOLD_GUARD_ANY || slot->key.exact ? NULL
                                                        : "kept: results could round otherwise";
}

/* The median over all rounds, in microseconds. */
static double median_us(const struct allfold_looks *looks, int contender)
{
    return 1e6 * allfold_verdict_median(looks->times + contender,
                                        looks->count * ALLFOLD_LOOK_ROUNDS, looks->contenders);
}

static void learn(const struct allfold_communicator *state, const struct allfold_guarded *slot,
                  int better)
{
    const struct allfold_looks *looks = &slot->looked->looks;
    const struct contender *contenders = slot->looked->contenders, *contender = &contenders[better];
    const struct allfold_problem problem = allfold_entry_problem(state, &slot->key);
    struct allfold_learned learned = {.algorithm = contender->algorithm,
                                      .parameters = contender->parameters,
                                      .us = median_us(looks, better),
                                      .samples = ALLFOLD_LOOKS * ALLFOLD_LOOK_ROUNDS};
    for (int i = 0; i < looks->contenders; i++)
        if (contenders[i].algorithm == NULL)
            learned.native_us = median_us(looks, i);
    allfold_learn(&problem, &learned);
}

static void report(const struct allfold_communicator *state, const struct allfold_guarded *slot,
                   const struct contender *better, double factor, const char *outcome)
{
    struct allfold_report_finding finding = {
        .collective = slot->key.collective,
        .p = state->size,
        .bytes = vector_bytes(state, &slot->key),
        .source =
            allfold_choice_source_name(slot->has_switched ? ALLFOLD_CHOICE_GUARD : slot->source),
        .factor = factor,
        .outcome = outcome};
    allfold_algorithm_write(slot->algorithm, &slot->parameters, finding.chosen,
                            sizeof finding.chosen);
    allfold_algorithm_write(better->algorithm, &better->parameters, finding.better,
                            sizeof finding.better);
    allfold_report_found(&finding);
    if (state->rank == 0)
        allfold_say("%s of %zu x %zu bytes on %d ranks: %s is %.2f times as fast as %s (%s)",
                    allfold_collective_name(slot->key.collective), slot->key.count,
                    slot->key.element_bytes, state->size, finding.better, factor, finding.chosen,
                    outcome);
}

static void conclude(struct allfold_communicator *state, struct allfold_guarded *slot,
                     const struct allfold_verdict *verdict)
{
    struct contender *contenders = slot->looked->contenders, *better = &contenders[verdict->better];
    const char *why = why_kept(state, slot);
    report(state, slot, better, verdict->factor, why == NULL ? "switched" : why);
    if (slot->source != ALLFOLD_CHOICE_TABLE && slot->source != ALLFOLD_CHOICE_LEARNED)
        learn(state, slot, verdict->better);
    if (why != NULL)
        return;
    const struct contender before = contenders[0];
    contenders[0] = *better;
    *better = before;
    slot->has_switched = true;
    slot->algorithm = contenders[0].algorithm;
    slot->parameters = contenders[0].parameters;
    allfold_entries_drop(state, slot->key.collective);
}

/* Measures a shape once. Returns false if a rank is out of memory, or it costs too much.
 * Collective. */
static bool look_at(struct look *look, struct allfold_communicator *state,
                    struct allfold_guarded *slot, double budget_s)
{
    struct allfold_looked *looked = slot->looked;
    struct allfold_looks *looks = &looked->looks;
    double *times = &looks->times[looks->count * ALLFOLD_LOOK_ROUNDS * looked->count];
    bool fits = prepare(state, looked, look);
    if (allfold_synchronize(allfold_communicator_for_collectives(state), &fits) != MPI_SUCCESS ||
        !fits || !time_rounds(state, slot, look, budget_s, times))
        return false;
    looks->contenders = looked->count;
    looks->count++;
    atomic_fetch_add(&look_count, 1);
    const struct allfold_verdict verdict = allfold_verdict_of(looks);
    if (!verdict.is_over)
        return true;
    if (verdict.better > 0)
        conclude(state, slot, &verdict);
    looked->is_finished = true;
    looks->count = 0;
    return true;
}

static void look(struct allfold_prepared *prepared, struct allfold_guarded *slot, double budget_s)
{
    const char *why;
    const double start_s = allfold_now_s();
    struct allfold_communicator *state = prepared->state;
    struct look look = {.prepared = prepared,
                        .made = prepared->call,
                        .call = prepared->call,
                        .barrier_s = HUGE_VAL};
    look_at(&look, state, slot, budget_s);
    for (int i = 0; i < slot->looked->count; i++)
        if (slot->looked->contenders[i].entry != NULL) {
            allfold_entry_drop(state, slot->looked->contenders[i].entry);
            slot->looked->contenders[i].entry = NULL;
        }
    allfold_free(look.result);
    prepared->call = look.made;
    const bool is_read = allfold_prepared_read(prepared, &why);
    assert(is_read); /* as it was before the look */
    (void)is_read;
    atomic_fetch_add(&spent_ns, ns_of(allfold_now_s() - start_s));
}

/* Makes memory for the measurement, on all ranks or none. */
static bool have_room(const struct allfold_communicator *state, struct allfold_guarded *slot)
{
    if (slot->looked != NULL)
        return true;
    slot->looked = allfold_allocate_zeroed(sizeof *slot->looked);
    bool fits = slot->looked != NULL;
    if (allfold_synchronize(allfold_communicator_for_collectives(state), &fits) == MPI_SUCCESS &&
        fits) {
        find_contenders(state, slot);
        return true;
    }
    allfold_free(slot->looked);
    slot->looked = NULL;
    return false;
}

/* Lets the ranks agree, and perhaps look. */
static void agree_and_look(struct allfold_prepared *prepared, struct allfold_guarded *guarded)
{
    const struct allfold_communicator *state = prepared->state;
    const struct allfold_guard_limits limits = limits_of(state);
    struct allfold_guard_facts facts;
    struct allfold_guard_plan plan = {.next = guarded->due};
    if (guarded->state == ALLFOLD_SLOT_OPEN && agree(state, guarded, &facts)) {
        facts.look_s = guarded->looked == NULL ? 0 : guarded->looked->look_s;
        facts.is_looked_after = guarded->looked != NULL && guarded->looked->is_finished;
        plan = allfold_guard_plan(&limits, &facts);
        if (plan.looks && have_room(state, guarded)) {
            if (guarded->looked->count < 2)
                guarded->state = ALLFOLD_SLOT_CLOSED;
            else
                look(prepared, guarded, plan.budget_s);
        }
    }
    guarded->left = plan.next;
    guarded->due += plan.next;
}

/* --- observing --- */

static bool is_active(const struct allfold_communicator *state)
{
    return state->agreed.settings->common.guard != ALLFOLD_GUARD_OFF;
}

static int before(struct allfold_prepared *prepared, const struct allfold_call *call)
{
    struct allfold_caller *caller = allfold_caller_of(prepared->state);
    struct allfold_guarded *slot = count_call(prepared, &caller->repeat.left);
    (void)call;
    caller->slot = slot;
    if (slot == NULL)
        return MPI_SUCCESS;
    slot->begin_s = 0;
    caller->compared.took_s = -1;
    if (slot->left == 0) {
        agree_and_look(prepared, slot);
        slot->begin_s = allfold_now_s();
    }
    return MPI_SUCCESS;
}

static void after(struct allfold_prepared *prepared, const struct allfold_call *call, int error)
{
    struct allfold_guarded *slot = allfold_caller_of(prepared->state)->slot;
    (void)call;
    (void)error;
    if (slot == NULL || prepared->entry == NULL)
        return;
    if (slot->state == ALLFOLD_SLOT_NEW)
        open_slot(slot, &prepared->entry->choice);
    if (slot->begin_s == 0)
        return;
    const double compared_s = allfold_caller_of(prepared->state)->compared.took_s;
    slot->call_s = compared_s >= 0 ? compared_s : allfold_now_s() - slot->begin_s;
    if (compared_s < 0 && allfold_is_programs_call(prepared))
        allfold_notes_apart(prepared->state, slot->call_s); /* the ranks have agreed before */
}

const struct allfold_observer allfold_guard_observer = {
    .stage = ALLFOLD_STAGE_CHOICE, .is_active = is_active, .before = before, .after = after};

static const char *mode_name(void)
{
    static const char *const modes[] = {[ALLFOLD_GUARD_SWITCH] = "switch",
                                        [ALLFOLD_GUARD_OFF] = "off",
                                        [ALLFOLD_GUARD_REPORT] = "report",
                                        [ALLFOLD_GUARD_ANY] = "any"};
    return modes[allfold_settings()->common.guard];
}

void allfold_guard_finish(void)
{
    const struct allfold_report_guard guard = {
        .state = mode_name(),
        .looks = atomic_load(&look_count),
        .spent_s = 1e-9 * (double)atomic_load(&spent_ns),
        .run_s = allfold_job()->native_reason == NULL ? allfold_now_s() - begin_s : 0};
    if (allfold_job()->native_reason == NULL)
        allfold_report_guard(&guard);
    allfold_learn_finish();
}
