/* Rules that a program gives one of its communicators (see comm_rules.h).
 *
 * Invariant: they change on all ranks or on none. Each rank looks at what it was given, and all
 * learn whether every rank can take it, and whether it is the same, before any takes it. */
#include "mpi/comm_rules.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mpi/communicator.h"
#include "mpi/plan.h"
#include "mpi/runtime.h"
#include "schedule/memory.h"
#include "select/hash.h"

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

static void read_change(struct change *change)
{
    if (change->name == NULL || change->value == NULL) {
        snprintf(change->message, sizeof change->message, "%s is NULL",
                 change->name == NULL ? "the name" : "the value");
        return;
    }
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
    const int error = PMPI_Allreduce(MPI_IN_PLACE, least, 3, MPI_INT64_T, MPI_MIN, state->comm);
    if (error != MPI_SUCCESS || change->message[0] != '\0')
        return error;
    if (least[0] != -least[1])
        snprintf(change->message, sizeof change->message,
                 "the ranks give different names or values");
    else if (!least[2])
        snprintf(change->message, sizeof change->message, "another rank has no memory");
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

int allfold_comm_rules_set(MPI_Comm comm, const char *name, const char *value)
{
    struct change change = {.name = name, .value = value};
    char message[sizeof change.message + 20];
    if (!allfold_mpi_is_up())
        return MPI_ERR_OTHER;
    if (comm == MPI_COMM_NULL)
        return allfold_raise(MPI_COMM_WORLD, MPI_ERR_COMM);
    struct allfold_communicator *state = allfold_communicator_of(comm);
    if (state == NULL)
        return allfold_raise(comm, MPI_ERR_NO_MEM);
    read_change(&change);
    const int error = take(&change, state);
    if (error != MPI_SUCCESS)
        return allfold_raise(comm, error);
    if (change.message[0] == '\0')
        return MPI_SUCCESS;
    snprintf(message, sizeof message, "allfold_comm_set: %s", change.message);
    return allfold_raise_message(comm, message);
}

void allfold_comm_rules_take_info(MPI_Comm comm, MPI_Info info)
{
    char key[] = "allfold_sparse", value[MPI_MAX_INFO_VAL + 1];
    struct change change = {.name = sparse_name, .value = value};
    int is_there = 0;
    if (!allfold_mpi_is_up() || comm == MPI_COMM_NULL || info == MPI_INFO_NULL ||
        PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &is_there) != MPI_SUCCESS || !is_there)
        return;
    struct allfold_communicator *state = allfold_communicator_of(comm);
    if (state == NULL)
        return;
    read_sparse(&change);
    if (take(&change, state) == MPI_SUCCESS && change.message[0] != '\0' && state->rank == 0)
        allfold_say("the info key %s is passed over: %s", key, change.message);
}
