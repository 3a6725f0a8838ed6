/* What the library keeps of each communicator (see communicator.h). */
#include "mpi/communicator/communicator.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "mpi/communicator/tables.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "util/memory.h"

#define DECLARE(NUMBER, name) extern const struct allfold_part allfold_part_##name;
ALLFOLD_PARTS(DECLARE)
#undef DECLARE

static const struct allfold_part *const parts[] = {
#define ROW(NUMBER, name) [ALLFOLD_PART_##NUMBER] = &allfold_part_##name,
    ALLFOLD_PARTS(ROW)
#undef ROW
};

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

static void free_state(struct allfold_communicator *state)
{
    assert(state->is_orphan && atomic_load(&state->retainers) == 0);
    for (int i = ALLFOLD_PART_COUNT - 1; i >= 0; i--)
        if (parts[i]->free != NULL)
            parts[i]->free(state);
    allfold_node_close(&state->node);
    allfold_nodes_free(state->nodes);
    if (state->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&state->comm);
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        allfold_free(state->rules[i]);
    allfold_agreement_free(&state->agreed);
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
    allfold_communicator_release(state);
    return MPI_SUCCESS;
}

void allfold_communicator_retain(struct allfold_communicator *state)
{
    atomic_fetch_add(&state->retainers, 1);
}

void allfold_communicator_release(struct allfold_communicator *state)
{
    const int before = atomic_fetch_sub(&state->retainers, 1);
    assert(before > 0);
    if (before == 1)
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

const struct allfold_rules *allfold_communicator_rules(const struct allfold_communicator *state,
                                                       enum allfold_collective collective)
{
    return state->rules[collective] != NULL ? state->rules[collective]
                                            : &state->agreed.settings->rules[collective];
}

const char *allfold_communicator_rule_error(const struct allfold_communicator *state,
                                            enum allfold_collective collective)
{
    const char *error = state->agreed.settings->rule_error[collective];
    return state->rules[collective] != NULL || *error == '\0' ? NULL : error;
}

struct allfold_guides allfold_communicator_guides(const struct allfold_communicator *state,
                                                  enum allfold_collective collective)
{
    struct allfold_guides guides = {.rules = allfold_communicator_rules(state, collective)};
    memcpy(guides.tables, state->agreed.tables, sizeof guides.tables);
    return guides;
}

struct allfold_problem allfold_communicator_problem(const struct allfold_communicator *state,
                                                    enum allfold_collective collective)
{
    const struct allfold_guides guides = allfold_communicator_guides(state, collective);
    return (struct allfold_problem){
        .collective = collective,
        .group = allfold_group_all(state->size, state->rank),
        .element_bytes = 1,
        .one_node = state->nodes != NULL && state->nodes->count == 1,
        .nodes = state->nodes,
        .costs = state->costs != NULL ? state->costs : allfold_guides_costs(&guides),
    };
}

/* What goes to the MPI library whatever its shape need not be looked at. Where choices are to be
 * said, they are made. */
static void find_native(struct allfold_communicator *state, enum allfold_collective collective)
{
    const struct allfold_guides guides = allfold_communicator_guides(state, collective);
    const struct allfold_problem problem = allfold_communicator_problem(state, collective);
    enum allfold_choice_source source;
    state->native_reason[collective] = NULL;
    if (!state->agreed.settings->verbose &&
        allfold_communicator_rule_error(state, collective) == NULL &&
        allfold_always_native(&guides, &problem, &source))
        state->native_reason[collective] = allfold_choice_source_name(source);
}

static void change_rules(struct allfold_communicator *state, enum allfold_collective collective)
{
    for (int i = 0; i < ALLFOLD_PART_COUNT; i++)
        if (parts[i]->change_rules != NULL)
            parts[i]->change_rules(state, collective);
}

void allfold_communicator_set_rules(struct allfold_communicator *state,
                                    enum allfold_collective collective, struct allfold_rules *rules)
{
    assert(collective < ALLFOLD_COLLECTIVE_COUNT);
    allfold_free(state->rules[collective]);
    state->rules[collective] = rules;
    if (state->comm == MPI_COMM_NULL)
        return;
    change_rules(state, collective);
    find_native(state, collective);
}

void allfold_communicator_set_sparse(struct allfold_communicator *state,
                                     enum allfold_sparse_mode mode)
{
    state->sparse = mode;
    change_rules(state, ALLFOLD_COLLECTIVE_COUNT);
}

/* What is done without, each of which is said once. */
enum lack { SAID_COMMUNICATOR, SAID_SHARING, LACKS };

static void say_once(enum lack what, const char *message)
{
    static atomic_bool said[LACKS];
    if (!atomic_exchange(&said[what], true))
        allfold_complain(message);
}

static void serve_natively(struct allfold_communicator *state, const char *reason)
{
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        state->native_reason[i] = reason;
}

/* What only this rank lacks must not keep it from what all do together. */
static void lack(int *error, bool *fits)
{
    if (*error == MPI_ERR_NO_MEM) {
        *fits = false;
        *error = MPI_SUCCESS;
    }
}

/* Do all ranks have what they need? */
static int agree_on_memory(const struct allfold_communicator *state, bool fits)
{
    const int error = allfold_synchronize(state->comm, &fits);
    return error == MPI_SUCCESS && !fits ? MPI_ERR_NO_MEM : error;
}

/* Settings, placement and tables. */
static int agree(struct allfold_communicator *state, bool *fits)
{
    const int64_t key = allfold_node_key();
    const bool is_world = state->user == MPI_COMM_WORLD;
    struct allfold_findings found = {.one_node = false};
    int error = allfold_agree_on_settings(&state->agreed, state->comm, key,
                                          allfold_tables_fingerprint(), &found);
    lack(&error, fits);
    if (error == MPI_SUCCESS)
        error = allfold_agree_on_nodes(&state->agreed, state->comm, key, found.one_node, is_world,
                                       &state->nodes);
    lack(&error, fits);
    if (error == MPI_SUCCESS)
        error =
            allfold_tables_agree(&state->agreed, state->comm, state->nodes, found.tables_differ);
    return error;
}

static int set_up(struct allfold_communicator *state)
{
    bool fits = true;
    int error = allfold_communicator_copy(state->user, &state->comm);
    if (error == MPI_SUCCESS)
        error = agree(state, &fits);
    state->is_guarded =
        state->agreed.settings->common.timeout_ms > 0 || state->agreed.settings->common.check;
    if (error == MPI_SUCCESS)
        error = agree_on_memory(state, fits);
    if (error == MPI_SUCCESS)
        allfold_point_to_point_open(&state->transport, state->comm, 0);
    for (int i = 0; i < ALLFOLD_PART_COUNT && error == MPI_SUCCESS; i++)
        if (parts[i]->open != NULL)
            error = parts[i]->open(state);
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT && error == MPI_SUCCESS; i++)
        find_native(state, (enum allfold_collective)i);
    return error;
}

/* Memory for a state and its parts, which are one piece of it; NULL without. */
static struct allfold_communicator *allocate_state(void)
{
    enum { LINE = 64 };
    size_t bytes = sizeof(struct allfold_communicator), begins[ALLFOLD_PART_COUNT];
    for (int i = 0; i < ALLFOLD_PART_COUNT; i++) {
        begins[i] = (bytes + LINE - 1) / LINE * LINE;
        bytes = begins[i] + parts[i]->bytes;
    }
    struct allfold_communicator *state = allfold_allocate_zeroed(bytes);
    for (int i = 0; state != NULL && i < ALLFOLD_PART_COUNT; i++)
        state->parts[i] = (char *)state + begins[i];
    return state;
}

static void make_parts(struct allfold_communicator *state)
{
    for (int i = 0; i < ALLFOLD_PART_COUNT; i++)
        if (parts[i]->make != NULL)
            parts[i]->make(state);
}

static struct allfold_communicator *make_state(MPI_Comm comm)
{
    struct allfold_communicator *state = allocate_state();
    if (state == NULL || make_keyval() != MPI_SUCCESS) {
        allfold_free(state);
        return NULL;
    }
    state->user = comm;
    state->comm = MPI_COMM_NULL;
    state->sparse = ALLFOLD_SPARSE_UNSET;
    state->agreed.settings = allfold_settings();
    state->retainers = 1;
    PMPI_Comm_size(comm, &state->size);
    PMPI_Comm_rank(comm, &state->rank);
    make_parts(state);
    pthread_mutex_lock(&mutex);
    state->next = all;
    state->link = &all;
    if (all != NULL)
        all->link = &state->next;
    all = state;
    pthread_mutex_unlock(&mutex);
    if (PMPI_Comm_set_attr(comm, keyval, state) == MPI_SUCCESS)
        return state;
    on_delete(comm, keyval, state, NULL);
    return NULL;
}

static void wait_first(struct allfold_communicator *state, bool begins)
{
    for (int i = 0; state != NULL && i < ALLFOLD_PART_COUNT; i++)
        if (parts[i]->wait_first != NULL)
            parts[i]->wait_first(state, begins);
}

/* Ranks arrive at each other's first call at different times. Are all ready? */
static bool synchronize_first(struct allfold_communicator *state, MPI_Comm comm)
{
    bool are_ready = state != NULL;
    wait_first(state, true);
    allfold_synchronize(comm, &are_ready);
    wait_first(state, false);
    return are_ready;
}

/* Where one rank has no memory even for the state, none gets one, and the next call tries again. */
static struct allfold_communicator *create(MPI_Comm comm)
{
    int is_inter = 0, size = 1;
    if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS)
        return NULL;
    PMPI_Comm_size(comm, &size);
    struct allfold_communicator *state = make_state(comm);
    if (state != NULL && (is_inter || size == 1))
        serve_natively(state, is_inter ? "intercommunicator" : "one rank alone");
    if (is_inter || size == 1)
        return state;
    if (!synchronize_first(state, comm)) {
        if (state != NULL)
            PMPI_Comm_delete_attr(comm, keyval);
        return NULL;
    }
    if (set_up(state) != MPI_SUCCESS) {
        serve_natively(state, "no communicator of our own could be made");
        say_once(SAID_COMMUNICATOR,
                 "no communicator of our own could be made (no memory, or no more of MPI's "
                 "ids): collectives on it are the MPI library's");
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
    bool all_are_ready = true;
    if (!state->agreed.settings->common.shared_memory ||
        allfold_synchronize(state->comm, &all_are_ready) != MPI_SUCCESS)
        return;
    const char *why =
        allfold_node_open(&state->node, state->comm, state->nodes, &state->transport.transport);
    if (why != NULL)
        allfold_say("rank %d shares no memory: %s", state->rank, why);
    if (why != NULL && why != allfold_alone_on_node)
        say_once(SAID_SHARING, "ranks of a node cannot share memory, so their messages go through "
                               "MPI (ALLFOLD_VERBOSE=1 says why)");
    for (int i = 0; i < ALLFOLD_PART_COUNT; i++)
        if (parts[i]->share != NULL)
            parts[i]->share(state);
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
