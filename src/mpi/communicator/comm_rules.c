/* Rules that a program gives one of its communicators or plans (see comm_rules.h).
 *
 * Invariant: they change on all ranks or on none. Each rank looks at what it was given, and all
 * learn whether every rank can take it, and whether it is the same, before any takes it. */
#include "mpi/communicator/comm_rules.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mpi/plan/plan.h"
#include "mpi/progress/progress.h"
#include "mpi/process/runtime.h"
#include "util/memory.h"
#include "util/hash.h"

/* What this rank was given, and what it makes of it. */
struct change {
    const char *name, *value;
    enum allfold_collective collective;
    struct allfold_rules *rules; /* NULL where they are to be taken away */
    bool is_sparse;              /* it is ALLFOLD_SPARSE, and this: */
    enum allfold_sparse_mode sparse;
    char message[ALLFOLD_MESSAGE_BYTES]; /* what is wrong; "" where nothing is */
};

static const char sparse_name[] = "ALLFOLD_SPARSE";
static char info_key[] = "allfold_sparse"; /* MPICH and Open MPI do not write to it */

static void refuse_name(struct change *change)
{
    char known[300] = "";
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++) {
        const size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s, ",
                 allfold_rules_variable((enum allfold_collective)i));
    }
    snprintf(change->message, sizeof change->message, "'%.80s' is not one of: %s%s", change->name,
             known, sparse_name);
}

static void read_value(struct change *change)
{
    struct allfold_rules rules;
    if (allfold_rules_read_variable(change->collective, change->value, &rules, change->message,
                                    sizeof change->message) != ALLFOLD_OK ||
        rules.count == 0)
        return;
    change->rules = allfold_allocate(sizeof rules);
    if (change->rules == NULL)
        snprintf(change->message, sizeof change->message, "no memory");
    else
        *change->rules = rules;
}

static void read_sparse(struct change *change)
{
    change->is_sparse = true;
    change->sparse = allfold_sparse_mode_find(change->value);
    if (change->sparse == ALLFOLD_SPARSE_UNSET && change->value[0] != '\0')
        snprintf(change->message, sizeof change->message, "%s=%.80s is not off, auto or on",
                 sparse_name, change->value);
}

static bool has_texts(struct change *change)
{
    if (change->name != NULL && change->value != NULL)
        return true;
    snprintf(change->message, sizeof change->message, "%s is NULL",
             change->name == NULL ? "the name" : "the value");
    return false;
}

static void read_change(struct change *change)
{
    if (!has_texts(change))
        return;
    if (strcmp(change->name, sparse_name) == 0) {
        read_sparse(change);
        return;
    }
    int i = 0;
    while (i < ALLFOLD_COLLECTIVE_COUNT &&
           strcmp(change->name, allfold_rules_variable((enum allfold_collective)i)) != 0)
        i++;
    change->collective = (enum allfold_collective)i;
    (i < ALLFOLD_COLLECTIVE_COUNT ? read_value : refuse_name)(change);
}

/* A plan's algorithm is built: all that can change is how its messages go. */
static void read_change_of_plan(struct change *change)
{
    if (!has_texts(change))
        return;
    if (strcmp(change->name, sparse_name) == 0)
        read_sparse(change);
    else
        snprintf(change->message, sizeof change->message,
                 "'%.80s' is not %s, which is all that a plan takes", change->name, sparse_name);
}

/* Of 62 bits, so that its complement is a number, too; see agree() in communicator.c. */
static int64_t fingerprint(const struct change *change)
{
    const char *const texts[] = {change->name, change->value};
    uint64_t hash = allfold_hash_of_nothing;
    for (size_t i = 0; i < 2 && texts[i] != NULL; i++)
        hash = allfold_hash(hash, texts[i], strlen(texts[i]) + 1);
    return (int64_t)(hash >> 2);
}

/* Do all ranks take it? Else the message says why not, on each. */
static int agree(struct change *change, const struct allfold_communicator *state)
{
    const int64_t mine = fingerprint(change);
    int64_t least[3] = {mine, -mine, change->message[0] == '\0'};
    const int error = allfold_find_least(state->comm, least, 3);
    if (error != MPI_SUCCESS || change->message[0] != '\0')
        return error;
    if (least[0] != -least[1])
        snprintf(change->message, sizeof change->message,
                 "the ranks give different names or values");
    else if (!least[2])
        snprintf(change->message, sizeof change->message,
                 "another rank cannot take it, as its own error says");
    return MPI_SUCCESS;
}

/* For calls and plans from now on. */
static void set_sparse(struct allfold_communicator *state, enum allfold_sparse_mode mode)
{
    state->sparse = mode;
    state->repeat.entry = NULL;
    allfold_plans_drop_spares(state);
}

/* Where all ranks take it, it holds from now on; else the message says why it does not. */
static int take(struct change *change, struct allfold_communicator *state)
{
    const int error = state->comm == MPI_COMM_NULL ? MPI_SUCCESS : agree(change, state);
    if (error != MPI_SUCCESS || change->message[0] != '\0')
        allfold_free(change->rules);
    else if (change->is_sparse)
        set_sparse(state, change->sparse);
    else
        allfold_communicator_set_rules(state, change->collective, change->rules);
    return error;
}

/* The end of a change, as the program sees it. */
static int tell(MPI_Comm comm, const char *function, int error, const struct change *change)
{
    char message[sizeof change->message + 20];
    if (error != MPI_SUCCESS)
        return allfold_raise(comm, error);
    if (change->message[0] == '\0')
        return MPI_SUCCESS;
    snprintf(message, sizeof message, "%s: %s", function, change->message);
    return allfold_raise_message(comm, message);
}

int allfold_comm_rules_set(MPI_Comm comm, const char *name, const char *value)
{
    struct change change = {.name = name, .value = value};
    if (!allfold_mpi_is_up())
        return MPI_ERR_OTHER;
    if (comm == MPI_COMM_NULL)
        return allfold_raise(MPI_COMM_WORLD, MPI_ERR_COMM);
    struct allfold_communicator *state = allfold_communicator_of(comm);
    if (state == NULL)
        return allfold_raise(comm, MPI_ERR_NO_MEM);
    read_change(&change);
    return tell(comm, "allfold_comm_set", take(&change, state), &change);
}

/* As take(), of an idle plan. */
static int take_for_plan(struct change *change, struct allfold_plan *plan)
{
    const struct allfold_communicator *state = plan->state;
    const enum allfold_sparse_mode before = plan->sparse, wanted = change->sparse;
    if (state->comm == MPI_COMM_NULL)
        return MPI_SUCCESS;
    const bool is_changed = change->message[0] == '\0';
    if (is_changed && !allfold_plan_set_sparse(plan, wanted != ALLFOLD_SPARSE_UNSET
                                                         ? wanted
                                                         : allfold_communicator_sparse(state)))
        snprintf(change->message, sizeof change->message, "no memory");
    const int error = agree(change, state);
    if (is_changed && (error != MPI_SUCCESS || change->message[0] != '\0'))
        allfold_plan_set_sparse(plan, before);
    return error;
}

int allfold_plan_rules_set(struct allfold_plan *plan, const char *name, const char *value)
{
    static const char function[] = "allfold_plan_set";
    struct change change = {.name = name, .value = value};
    if (!allfold_mpi_is_up() || plan == NULL || plan->status == ALLFOLD_PLAN_FREED)
        return allfold_plan_expect(plan, ALLFOLD_PLAN_IDLE, function);
    const char *fault = allfold_plan_fault(plan, ALLFOLD_PLAN_IDLE);
    if (fault != NULL)
        snprintf(change.message, sizeof change.message, "%s", fault);
    else
        read_change_of_plan(&change);
    return tell(allfold_plan_comm(plan), function, take_for_plan(&change, plan), &change);
}

/* What an info says by our key; false where it does not. `value` has room for it. */
static bool read_info(MPI_Info info, char *value, struct change *change)
{
    int is_there = 0;
    if (info == MPI_INFO_NULL ||
        PMPI_Info_get(info, info_key, MPI_MAX_INFO_VAL, value, &is_there) != MPI_SUCCESS ||
        !is_there)
        return false;
    *change = (struct change){.name = sparse_name, .value = value};
    read_sparse(change);
    return true;
}

static void say_passed_over(const struct change *change, const struct allfold_communicator *state)
{
    if (change->message[0] != '\0' && state->rank == 0)
        allfold_say("the info key %s is passed over: %s", info_key, change->message);
}

void allfold_comm_rules_take_info(MPI_Comm comm, MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL + 1];
    struct change change;
    if (!allfold_mpi_is_up() || comm == MPI_COMM_NULL || !read_info(info, value, &change))
        return;
    struct allfold_communicator *state = allfold_communicator_of(comm);
    if (state != NULL && take(&change, state) == MPI_SUCCESS)
        say_passed_over(&change, state);
}

bool allfold_comm_rules_of_info(const struct allfold_communicator *state, MPI_Info info,
                                enum allfold_sparse_mode *mode)
{
    char value[MPI_MAX_INFO_VAL + 1];
    struct change change;
    if (!read_info(info, value, &change))
        return false;
    say_passed_over(&change, state);
    *mode = change.sparse;
    return change.sparse != ALLFOLD_SPARSE_UNSET;
}
