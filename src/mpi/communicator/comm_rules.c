/* Rules that a program sets for one communicator (see comm_rules.h). */
#include "mpi/communicator/comm_rules.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "util/hash.h"
#include "util/memory.h"

/* What holds for all reductions of a communicator, in a word. */
struct allfold_comm_mode {
    enum allfold_setting_id id;
    char *info_key; /* MPICH and Open MPI do not write to it */
    int unset;
    void (*set)(struct allfold_communicator *state, int mode);
};

static void set_sparse(struct allfold_communicator *state, int mode)
{
    allfold_communicator_set_sparse(state, (enum allfold_sparse_mode)mode);
}

static void set_reproducible(struct allfold_communicator *state, int mode)
{
    allfold_communicator_set_reproducible(state, (enum allfold_reproducible)mode);
}

static char sparse_key[] = "allfold_sparse", reproducible_key[] = "allfold_reproducible";

enum { SPARSE, REPRODUCIBLE, MODES };
static const struct allfold_comm_mode modes[MODES] = {
    [SPARSE] = {SETTING_SPARSE, sparse_key, ALLFOLD_SPARSE_UNSET, set_sparse},
    [REPRODUCIBLE] = {SETTING_REPRODUCIBLE, reproducible_key, ALLFOLD_REPRODUCIBLE_UNSET,
                      set_reproducible},
};

static const char *name_of(const struct allfold_comm_mode *mode)
{
    return allfold_setting[mode->id].name;
}

static void refuse_name(struct allfold_rule_change *change)
{
    snprintf(change->message, sizeof change->message, "'%.80s' is not %s, %s or %s", change->name,
             allfold_setting[SETTING_ALGORITHM].name, name_of(&modes[SPARSE]),
             name_of(&modes[REPRODUCIBLE]));
}

static void read_rules(struct allfold_rule_change *change, const char *text)
{
    struct allfold_rules rules;
    if (allfold_rules_read_setting(change->collective, text, &rules, change->message,
                                   sizeof change->message) != ALLFOLD_OK ||
        rules.count == 0)
        return;
    change->rules = allfold_allocate(sizeof rules);
    if (change->rules == NULL)
        snprintf(change->message, sizeof change->message, "no memory");
    else
        *change->rules = rules;
}

static void read_mode(struct allfold_rule_change *change, const struct allfold_comm_mode *of)
{
    change->of_mode = of;
    double mode;
    change->mode = allfold_setting_read(of->id, change->value, &mode) ? (int)mode : of->unset;
    if (change->mode == of->unset && change->value[0] != '\0')
        snprintf(change->message, sizeof change->message, "%s=%.80s is not %s", name_of(of),
                 change->value, allfold_setting[of->id].range);
}

static bool has_texts(struct allfold_rule_change *change)
{
    if (change->name != NULL && change->value != NULL)
        return true;
    snprintf(change->message, sizeof change->message, "%s is NULL",
             change->name == NULL ? "the name" : "the value");
    return false;
}

/* "allreduce=RULES" of ALLFOLD_ALGORITHM, or the rules alone by a name of an earlier version. */
static void read_collective(struct allfold_rule_change *change)
{
    const char *text = change->value;
    enum allfold_setting_id id = allfold_setting_find_old(change->name);
    if (strcmp(change->name, allfold_setting[SETTING_ALGORITHM].name) == 0) {
        id = allfold_setting_find_part(SETTING_ALGORITHM, change->value, &text);
        text += *text != '\0';
    }
    if (id == SETTING_ALGORITHM) {
        snprintf(change->message, sizeof change->message, "%s=%.80s is not %s", change->name,
                 change->value, allfold_setting[id].range);
    } else if (id == ALLFOLD_SETTINGS || allfold_setting[id].of != SETTING_ALGORITHM) {
        refuse_name(change);
    } else {
        change->collective = (enum allfold_collective)((int)id - (int)SETTING_ALGORITHM_ALLREDUCE);
        read_rules(change, text);
    }
}

static void read_change(struct allfold_rule_change *change)
{
    if (!has_texts(change))
        return;
    int i = 0;
    while (i < MODES && strcmp(change->name, name_of(&modes[i])) != 0)
        i++;
    if (i < MODES)
        read_mode(change, &modes[i]);
    else
        read_collective(change);
}

void allfold_rule_change_read_mode(struct allfold_rule_change *change, const char *whose)
{
    if (!has_texts(change))
        return;
    for (int i = 0; i < MODES; i++)
        if (strcmp(change->name, name_of(&modes[i])) == 0) {
            read_mode(change, &modes[i]);
            return;
        }
    snprintf(change->message, sizeof change->message,
             "'%.80s' is not %s or %s, which is all that %s takes", change->name,
             name_of(&modes[SPARSE]), name_of(&modes[REPRODUCIBLE]), whose);
}

bool allfold_rule_change_is_of_bits(const struct allfold_rule_change *change)
{
    return change->of_mode == &modes[REPRODUCIBLE];
}

/* Of 62 bits, so that its complement is a number, too; see agree() in communicator.c. */
static int64_t fingerprint(const struct allfold_rule_change *change)
{
    const char *const texts[] = {change->name, change->value};
    uint64_t hash = allfold_hash_of_nothing;
    for (size_t i = 0; i < 2 && texts[i] != NULL; i++)
        hash = allfold_hash(hash, texts[i], strlen(texts[i]) + 1);
    return (int64_t)(hash >> 2);
}

int allfold_rule_change_agree(struct allfold_rule_change *change,
                              const struct allfold_communicator *state)
{
    const int64_t mine = fingerprint(change);
    int64_t least[3] = {mine, -mine, change->message[0] == '\0'};
    const int error = allfold_find_least(allfold_communicator_for_collectives(state), least, 3);
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

/* Applies the change if all ranks can; else its message says why not. */
static int take(struct allfold_rule_change *change, struct allfold_communicator *state)
{
    const int error = state->carrier.comm == MPI_COMM_NULL
                          ? MPI_SUCCESS
                          : allfold_rule_change_agree(change, state);
    if (error != MPI_SUCCESS || change->message[0] != '\0')
        allfold_free(change->rules);
    else if (change->of_mode != NULL)
        change->of_mode->set(state, change->mode);
    else
        allfold_communicator_set_rules(state, change->collective, change->rules);
    return error;
}

int allfold_rule_change_end(MPI_Comm comm, const char *function, int error,
                            const struct allfold_rule_change *change)
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
    struct allfold_rule_change change = {.name = name, .value = value};
    if (!allfold_mpi_is_up())
        return MPI_ERR_OTHER;
    if (comm == MPI_COMM_NULL)
        return allfold_raise(MPI_COMM_WORLD, MPI_ERR_COMM);
    struct allfold_communicator *state = allfold_communicator_of(comm);
    if (state == NULL)
        return allfold_raise(comm, MPI_ERR_NO_MEM);
    read_change(&change);
    return allfold_rule_change_end(comm, "allfold_comm_set", take(&change, state), &change);
}

/* MPI 4.0 deprecates MPI_Info_get for a function that MPI libraries before lack. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static bool has_info(MPI_Info info, const char *key, char *value)
{
    int is_there = 0;
    return info != MPI_INFO_NULL &&
           PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &is_there) == MPI_SUCCESS && is_there;
}
#pragma GCC diagnostic pop

/* Reads Allfold's key for a mode from an info. Returns false if the info does not have it. */
static bool read_info(MPI_Info info, const struct allfold_comm_mode *of, char *value,
                      struct allfold_rule_change *change)
{
    if (!has_info(info, of->info_key, value))
        return false;
    *change = (struct allfold_rule_change){.name = name_of(of), .value = value};
    read_mode(change, of);
    return true;
}

/* A key with a value that does not exist, or on which the ranks do not agree. What guarantees
 * something is then an error; else the key is ignored. */
static int end_info(const struct allfold_rule_change *change, MPI_Comm comm)
{
    char message[sizeof change->message + 60];
    int rank = 0;
    if (change->message[0] == '\0')
        return MPI_SUCCESS;
    if (change->of_mode == &modes[REPRODUCIBLE]) {
        snprintf(message, sizeof message, "the info key %s: %s", change->of_mode->info_key,
                 change->message);
        return allfold_raise_message_of(comm, MPI_ERR_INFO_VALUE, message);
    }
    PMPI_Comm_rank(comm, &rank);
    if (rank == 0)
        allfold_say("the info key %s is ignored: %s", change->of_mode->info_key, change->message);
    return MPI_SUCCESS;
}

int allfold_comm_rules_take_info(MPI_Comm comm, MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL + 1];
    struct allfold_rule_change change;
    int error = MPI_SUCCESS;
    for (int i = 0; i < MODES && error == MPI_SUCCESS; i++) {
        if (!allfold_mpi_is_up() || comm == MPI_COMM_NULL ||
            !read_info(info, &modes[i], value, &change))
            continue;
        struct allfold_communicator *state = allfold_communicator_of(comm);
        if (state != NULL && take(&change, state) == MPI_SUCCESS)
            error = end_info(&change, comm);
    }
    return error;
}

static int read_hint(MPI_Comm comm, MPI_Info info, const struct allfold_comm_mode *of, int *mode)
{
    char value[MPI_MAX_INFO_VAL + 1];
    struct allfold_rule_change change;
    *mode = of->unset;
    if (!read_info(info, of, value, &change))
        return MPI_SUCCESS;
    *mode = change.mode;
    return end_info(&change, comm);
}

int allfold_comm_rules_of_info(MPI_Comm comm, MPI_Info info, struct allfold_comm_hints *hints)
{
    int sparse, reproducible;
    int error = read_hint(comm, info, &modes[SPARSE], &sparse);
    if (error == MPI_SUCCESS)
        error = read_hint(comm, info, &modes[REPRODUCIBLE], &reproducible);
    if (error == MPI_SUCCESS)
        *hints = (struct allfold_comm_hints){(enum allfold_sparse_mode)sparse,
                                             (enum allfold_reproducible)reproducible};
    return error;
}
