/* What the library keeps of each communicator (see communicator.h). */
#include "mpi/communicator.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "mpi/entry.h"
#include "mpi/places.h"
#include "mpi/plan.h"
#include "mpi/progress.h"
#include "mpi/online.h"
#include "mpi/report.h"
#include "mpi/roll_call.h"
#include "mpi/runtime.h"
#include "mpi/tables.h"
#include "mpi/watch.h"
#include "schedule/memory.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int keyval = MPI_KEYVAL_INVALID;
static struct allfold_communicator *all;

/* Each thread remembers the communicator it used last, as long as none was freed since. */
static atomic_ulong freed_count;
static _Thread_local struct {
    MPI_Comm comm;
    unsigned long freed_count;
    struct allfold_communicator *state;
} last;

bool allfold_reserve(void **memory, size_t *have_bytes, size_t bytes)
{
    if (bytes <= *have_bytes)
        return true;
    void *larger = allfold_allocate(bytes);
    if (larger == NULL)
        return false;
    allfold_free(*memory);
    *memory = larger;
    *have_bytes = bytes;
    return true;
}

static void free_state(struct allfold_communicator *state)
{
    for (struct allfold_entry *entry; (entry = allfold_cache_take(&state->cache)) != NULL;)
        allfold_entry_drop(state, entry);
    allfold_plans_drop_spares(state);
    allfold_lanes_close(&state->lanes);
    allfold_online_free(state);
    allfold_node_close(&state->node);
    allfold_nodes_free(state->nodes);
    if (state->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&state->comm);
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        allfold_free(state->rules[i]);
    allfold_tables_let_go(state);
    allfold_free(state->own_settings);
    allfold_free(state->operands.lowered);
    allfold_free(state->scratch);
    allfold_free(state->packed);
    allfold_free(state);
}

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    struct allfold_communicator *state = value;
    atomic_fetch_add(&freed_count, 1);
    pthread_mutex_lock(&mutex);
    *state->link = state->next;
    if (state->next != NULL)
        state->next->link = state->link;
    pthread_mutex_unlock(&mutex);
    state->is_orphan = true;
    allfold_communicator_let_go(state);
    return MPI_SUCCESS;
}

void allfold_communicator_hold(struct allfold_communicator *state)
{
    atomic_fetch_add(&state->holders, 1);
}

void allfold_communicator_let_go(struct allfold_communicator *state)
{
    if (atomic_fetch_sub(&state->holders, 1) == 1)
        free_state(state);
}

static int make_keyval(void)
{
    pthread_mutex_lock(&mutex);
    int error = MPI_SUCCESS, made = atomic_load(&keyval);
    if (made == MPI_KEYVAL_INVALID)
        error = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &made, NULL);
    atomic_store(&keyval, made);
    pthread_mutex_unlock(&mutex);
    return error;
}

/* Made by MPI_Comm_create because MPI_Comm_dup would call the program's attribute copy functions. A
 * failure must come back here and not to the program's handler. */
int allfold_communicator_copy(MPI_Comm comm, MPI_Comm *copy)
{
    MPI_Group ranks;
    MPI_Errhandler handler;
    int error = PMPI_Comm_get_errhandler(comm, &handler);
    *copy = MPI_COMM_NULL;
    if (error != MPI_SUCCESS)
        return error;
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    error = PMPI_Comm_group(comm, &ranks);
    if (error == MPI_SUCCESS) {
        error = PMPI_Comm_create(comm, ranks, copy);
        PMPI_Group_free(&ranks);
    }
    PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);
    return error == MPI_SUCCESS ? PMPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN) : error;
}

/* What rank 0 tells the others where settings differ. */
struct told_settings {
    char rules[ALLFOLD_COLLECTIVE_COUNT][ALLFOLD_RULES_BYTES];
    char nodes[ALLFOLD_NODES_BYTES];
    struct allfold_common_settings common;
    int report;
};

static int take_settings_of_rank_0(struct allfold_communicator *state)
{
    const struct allfold_settings *mine = allfold_settings();
    struct told_settings told = {.common = mine->common, .report = mine->report != NULL};
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        snprintf(told.rules[i], sizeof told.rules[i], "%s", mine->rule_text[i]);
    memcpy(told.nodes, mine->nodes, sizeof told.nodes);
    const int error = PMPI_Bcast(&told, sizeof told, MPI_BYTE, 0, state->comm);
    if (error != MPI_SUCCESS)
        return error;
    state->own_settings = allfold_allocate(sizeof *state->own_settings);
    if (state->own_settings == NULL)
        return MPI_ERR_NO_MEM;
    *state->own_settings = *mine;
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++) {
        allfold_settings_set_rules(state->own_settings, (enum allfold_collective)i, told.rules[i]);
        state->own_settings->rule_text[i] = ""; /* it was on the stack, and is read no more */
    }
    memcpy(state->own_settings->nodes, told.nodes, sizeof told.nodes);
    state->own_settings->common = told.common;
    state->own_settings->report = told.report ? (mine->report == NULL ? "" : mine->report) : NULL;
    state->settings = state->own_settings;
    if (state->rank == 0)
        allfold_warn("the ALLFOLD_ variables differ between the ranks; those of rank 0 are taken "
                     "(export them to all nodes, e.g. with mpirun's -x or -genv)");
    return MPI_SUCCESS;
}

/* Ranks that choose by different rules would wait for each other for ever. A value is the same on
 * all ranks where the least of it and the least of its complement fit together. */
static int agree(struct allfold_communicator *state, int64_t key, bool *one_node,
                 bool *tables_differ)
{
    state->settings = allfold_settings();
    const int64_t settings = (int64_t)(allfold_settings_fingerprint(state->settings) >> 1);
    const int64_t tables = allfold_tables_fingerprint();
    int64_t least[6] = {settings, -settings, key, -key, tables, -tables};
    const int error = PMPI_Allreduce(MPI_IN_PLACE, least, 6, MPI_INT64_T, MPI_MIN, state->comm);
    if (error != MPI_SUCCESS)
        return error;
    *one_node = least[2] == -least[3];
    *tables_differ = least[4] != -least[5];
    return least[0] == -least[1] ? MPI_SUCCESS : take_settings_of_rank_0(state);
}

const struct allfold_rules *allfold_communicator_rules(const struct allfold_communicator *state,
                                                       enum allfold_collective collective)
{
    return state->rules[collective] != NULL ? state->rules[collective]
                                            : &state->settings->rules[collective];
}

const char *allfold_communicator_rule_error(const struct allfold_communicator *state,
                                            enum allfold_collective collective)
{
    const char *error = state->settings->rule_error[collective];
    return state->rules[collective] != NULL || *error == '\0' ? NULL : error;
}

struct allfold_guides allfold_communicator_guides(const struct allfold_communicator *state,
                                                  enum allfold_collective collective)
{
    struct allfold_guides guides = {.rules = allfold_communicator_rules(state, collective)};
    memcpy(guides.tables, state->tables, sizeof guides.tables);
    return guides;
}

struct allfold_problem allfold_communicator_problem(const struct allfold_communicator *state,
                                                    const struct allfold_shape_key *key)
{
    const struct allfold_guides guides = allfold_communicator_guides(state, key->collective);
    return (struct allfold_problem){
        .collective = key->collective,
        .group = allfold_group_all(state->size, state->rank),
        .root = key->root,
        .count = key->count,
        /* elements of no bytes travel as nothing, but there may be any number of them */
        .element_bytes = key->element_bytes == 0 ? 1 : key->element_bytes,
        .commutative = key->commutative,
        .exact = key->exact,
        .one_node = state->nodes != NULL && state->nodes->count == 1,
        .nodes = state->nodes,
        .costs = state->costs != NULL ? state->costs : allfold_guides_costs(&guides),
        .in_place = key->in_place,
    };
}

/* What goes to the MPI library whatever its shape need not be looked at. Where choices are to be
 * said, they are made. */
static void find_native(struct allfold_communicator *state, enum allfold_collective collective)
{
    const struct allfold_guides guides = allfold_communicator_guides(state, collective);
    const struct allfold_shape_key key = {.collective = collective};
    const struct allfold_problem problem = allfold_communicator_problem(state, &key);
    enum allfold_choice_source source;
    state->native_reason[collective] = NULL;
    if (!state->settings->verbose && allfold_communicator_rule_error(state, collective) == NULL &&
        allfold_always_native(&guides, &problem, &source))
        state->native_reason[collective] = allfold_choice_source_name(source);
}

void allfold_communicator_set_rules(struct allfold_communicator *state,
                                    enum allfold_collective collective, struct allfold_rules *rules)
{
    allfold_free(state->rules[collective]);
    state->rules[collective] = rules;
    if (state->comm == MPI_COMM_NULL)
        return;
    state->repeat.entry = NULL;
    allfold_plans_drop_spares(state);
    for (struct allfold_entry *entry;
         (entry = allfold_cache_take_of(&state->cache, collective)) != NULL;)
        allfold_entry_drop(state, entry);
    find_native(state, collective);
}

static void leave_to_native(struct allfold_communicator *state, const char *reason)
{
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        state->native_reason[i] = reason;
}

/* Ranks come to each other's first call at different times. */
static int meet_first(struct allfold_communicator *state)
{
    struct allfold_watch watch;
    allfold_watch_begin(&watch, state, NULL);
    const int error = allfold_meet(state->user);
    allfold_watch_end(&watch);
    return error;
}

static int set_up(struct allfold_communicator *state)
{
    int is_inter = 0;
    int error = PMPI_Comm_test_inter(state->user, &is_inter);
    if (error != MPI_SUCCESS)
        return error;
    PMPI_Comm_size(state->user, &state->size);
    PMPI_Comm_rank(state->user, &state->rank);
    state->settings = allfold_settings();
    if (is_inter || state->size == 1) {
        leave_to_native(state, is_inter ? "intercommunicator" : "one rank alone");
        return MPI_SUCCESS;
    }
    const int64_t key = allfold_node_key();
    bool one_node = false, tables_differ = false;
    error = meet_first(state);
    if (error == MPI_SUCCESS)
        error = allfold_communicator_copy(state->user, &state->comm);
    if (error == MPI_SUCCESS)
        error = agree(state, key, &one_node, &tables_differ);
    state->is_guarded = state->settings->common.timeout_ms > 0 || state->settings->common.check;
    if (error == MPI_SUCCESS)
        error = allfold_find_nodes(state, key, one_node);
    if (error == MPI_SUCCESS)
        error = allfold_tables_agree(state, tables_differ);
    if (error == MPI_SUCCESS)
        allfold_point_to_point_open(&state->transport, state->comm, 0);
    if (error == MPI_SUCCESS && state->settings->report != NULL)
        allfold_report_machine(state->user, state->comm);
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT && error == MPI_SUCCESS; i++)
        find_native(state, (enum allfold_collective)i);
    return error;
}

static struct allfold_communicator *create(MPI_Comm comm)
{
    struct allfold_communicator *state = allfold_allocate_zeroed(sizeof *state);
    if (state == NULL || make_keyval() != MPI_SUCCESS) {
        allfold_free(state);
        return NULL;
    }
    state->user = comm;
    state->comm = MPI_COMM_NULL;
    state->sparse = ALLFOLD_SPARSE_UNSET;
    state->holders = 1;
    pthread_mutex_lock(&mutex);
    state->next = all;
    state->link = &all;
    if (all != NULL)
        all->link = &state->next;
    all = state;
    pthread_mutex_unlock(&mutex);
    if (set_up(state) != MPI_SUCCESS)
        leave_to_native(state, "no communicator of our own could be made");
    state->operands.comm = state->comm;
    if (PMPI_Comm_set_attr(comm, keyval, state) != MPI_SUCCESS) {
        on_delete(comm, keyval, state, NULL);
        return NULL;
    }
    return state;
}

static bool look_up(MPI_Comm comm, struct allfold_communicator **state)
{
    int found = 0;
    const int key = atomic_load_explicit(&keyval, memory_order_acquire);
    *state = NULL;
    if (key != MPI_KEYVAL_INVALID && PMPI_Comm_get_attr(comm, key, state, &found) != MPI_SUCCESS)
        return false;
    if (!found)
        *state = NULL;
    return true;
}

struct allfold_communicator *allfold_communicator_known(MPI_Comm comm)
{
    const unsigned long freed = atomic_load_explicit(&freed_count, memory_order_acquire);
    if (last.state == NULL || last.comm != comm || last.freed_count != freed) {
        struct allfold_communicator *state;
        if (!look_up(comm, &state) || state == NULL)
            return NULL;
        last.comm = comm;
        last.freed_count = freed;
        last.state = state;
    }
    return last.state;
}

struct allfold_communicator *allfold_communicator_of(MPI_Comm comm)
{
    struct allfold_communicator *state = allfold_communicator_known(comm);
    if (state == NULL && look_up(comm, &state) && state == NULL)
        state = create(comm);
    return state;
}

void allfold_communicator_share(struct allfold_communicator *state)
{
    if (state->is_sharing_tried)
        return;
    state->is_sharing_tried = true;
    if (!state->settings->common.shared_memory || allfold_meet(state->comm) != MPI_SUCCESS)
        return;
    const char *why =
        allfold_node_open(&state->node, state->comm, state->nodes, &state->transport.transport);
    if (why != NULL)
        allfold_say("rank %d shares no memory: %s", state->rank, why);
    allfold_roll_call_arrive(state, atomic_load(&state->at));
}

void allfold_communicators_visit(void (*visit)(struct allfold_communicator *state))
{
    for (struct allfold_communicator *state = all; state != NULL; state = state->next)
        visit(state);
}

void allfold_communicators_free(void)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        struct allfold_communicator *oldest = all;
        while (oldest != NULL && oldest->next != NULL)
            oldest = oldest->next;
        pthread_mutex_unlock(&mutex);
        if (oldest == NULL)
            break;
        PMPI_Comm_delete_attr(oldest->user, keyval);
    }
    int made = atomic_load(&keyval);
    if (made != MPI_KEYVAL_INVALID)
        PMPI_Comm_free_keyval(&made);
    atomic_store(&keyval, made);
}
