/* The state of a communicator (see communicator.h). */
#include "mpi/communicator/communicator.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "mpi/process/runtime.h"
#include "mpi/process/own_communicators.h"
#include "mpi/progress/progress.h"
#include "util/hash.h"
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

/* The attribute of a communicator whose first call was passed through: it has no state yet. */
static struct allfold_communicator passed_first;

/* The state of MPI_COMM_SELF that went before MPI deletes the attribute. */
static const struct allfold_communicator *gone;

/* Each thread remembers the communicator it used last, as long as none was freed since. */
static atomic_ulong freed_count;
static _Thread_local struct {
    MPI_Comm comm;
    unsigned long freed_count;
    struct allfold_communicator *state;
} last;

/* What a private carrier consists of. */
struct allfold_private_lane {
    int64_t id; /* the same on its ranks; of two lanes with the same ranks the later one has the
                   greater number */
    struct allfold_point_to_point messages;
    struct allfold_fabric_stream *stream; /* NULL: the job has no fabric */
    struct allfold_node node;
};

/* Is its private lane the job's? */
static bool has_jobs_lane(const struct allfold_communicator *state)
{
    return state->carrier.messages == &allfold_job()->messages;
}

static void free_state(struct allfold_communicator *state)
{
    assert(state->is_orphan && atomic_load(&state->retainers) == 0);
    for (int i = ALLFOLD_PART_COUNT - 1; i >= 0; i--)
        if (parts[i]->close != NULL)
            parts[i]->close(state);
    if (state->own != NULL) {
        allfold_node_close(&state->own->node);
        allfold_fabric_stream_free(state->own->stream);
    }
    if (state->is_private && !has_jobs_lane(state))
        PMPI_Comm_free(&state->carrier.comm);
    allfold_free(state->own);
    allfold_nodes_free(state->nodes);
    allfold_free(state->members);
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        allfold_free(state->rules[i]);
    allfold_free(state);
}

static void change_rules(struct allfold_communicator *state, enum allfold_collective collective)
{
    for (int i = 0; i < ALLFOLD_PART_COUNT; i++)
        if (parts[i]->change_rules != NULL)
            parts[i]->change_rules(state, collective);
}

/* --- states of freed communicators, which the next ones of the same processes take over --- */

/* Programs that make communicators in a loop have few kinds of them at a time. A private lane has
 * node memory, so few of those are kept. */
enum { MOST_KEPT = 4, MOST_KEPT_PRIVATE = 1 };
static struct allfold_communicator *kept;

static bool may_be_kept(const struct allfold_communicator *state)
{
    bool may =
        state->carrier.comm != MPI_COMM_NULL && !state->is_watched &&
        state->agreed.settings->cache_bytes > 0 && state->is_private != allfold_job()->is_shared &&
        !(state->is_private && has_jobs_lane(state)) && state->sparse == ALLFOLD_SPARSE_UNSET &&
        state->reproducible == ALLFOLD_REPRODUCIBLE_UNSET;
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        may = may && state->rules[i] == NULL;
    return may;
}

/* Keeps the state of a freed communicator, the newest first; what is too many is freed. */
static void keep(struct allfold_communicator *state)
{
    const int most = state->is_private ? MOST_KEPT_PRIVATE : MOST_KEPT;
    int count = 1;
    for (int i = 0; i < ALLFOLD_PART_COUNT; i++)
        if (parts[i]->shrink != NULL)
            parts[i]->shrink(state);
    pthread_mutex_lock(&mutex);
    state->next = kept;
    kept = state;
    for (; state != NULL && count < most; count++)
        state = state->next;
    struct allfold_communicator *surplus = state == NULL ? NULL : state->next;
    if (state != NULL)
        state->next = NULL;
    pthread_mutex_unlock(&mutex);
    while (surplus != NULL) {
        struct allfold_communicator *next = surplus->next;
        free_state(surplus);
        surplus = next;
    }
}

static int64_t lane_of(const struct allfold_communicator *state)
{
    return state->is_private ? state->own->id : 0;
}

/* The kept state of a communicator of these processes in this order, with a private lane or
 * without. Of several states, the one with the oldest lane. NULL: there is none. */
static struct allfold_communicator *take_kept(const int *members, int size, bool is_private)
{
    struct allfold_communicator **found = NULL;
    pthread_mutex_lock(&mutex);
    for (struct allfold_communicator **link = &kept; *link != NULL; link = &(*link)->next)
        if ((*link)->size == size && (*link)->is_private == is_private &&
            memcmp((*link)->members, members, (size_t)size * sizeof *members) == 0 &&
            (found == NULL || lane_of(*link) < lane_of(*found)))
            found = link;
    struct allfold_communicator *state = found == NULL ? NULL : *found;
    if (state != NULL)
        *found = state->next;
    pthread_mutex_unlock(&mutex);
    return state;
}

static void free_kept(void)
{
    while (kept != NULL) {
        struct allfold_communicator *next = kept->next;
        free_state(kept);
        kept = next;
    }
}

/* --- */

static void forget(struct allfold_communicator *state)
{
    atomic_fetch_add(&freed_count, 1);
    pthread_mutex_lock(&mutex);
    *state->link = state->next;
    if (state->next != NULL)
        state->next->link = state->link;
    pthread_mutex_unlock(&mutex);
    state->is_orphan = true;
    state->user = state->carrier.comm; /* for plans, which may still run */
    allfold_communicator_release(state);
}

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)extra;
    if (value != &passed_first && value != gone)
        forget(value);
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
    if (before > 1)
        return;
    if (may_be_kept(state))
        keep(state);
    else
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

struct allfold_choice_inputs allfold_communicator_inputs(const struct allfold_communicator *state,
                                                         enum allfold_collective collective)
{
    struct allfold_choice_inputs inputs = {.rules = allfold_communicator_rules(state, collective)};
    memcpy(inputs.tables, state->agreed.tables, sizeof inputs.tables);
    return inputs;
}

struct allfold_problem allfold_communicator_problem(const struct allfold_communicator *state,
                                                    enum allfold_collective collective)
{
    return (struct allfold_problem){
        .collective = collective,
        .group = allfold_group_all(state->size, state->rank),
        .element_bytes = 1,
        .one_node = state->nodes != NULL && state->nodes->count == 1,
        .shares_cores = allfold_job()->shares_cores,
        .reading = allfold_job()->reading,
        .nodes = allfold_nodes_seen(state->nodes),
    };
}

/* Calls that are native whatever their shape need no lookup, unless choices must be printed: then
 * they are made. */
static void find_native(struct allfold_communicator *state, enum allfold_collective collective)
{
    const struct allfold_choice_inputs inputs = allfold_communicator_inputs(state, collective);
    struct allfold_problem problem = allfold_communicator_problem(state, collective);
    enum allfold_choice_source source;
    problem.canonical = allfold_communicator_reproducible(state) != ALLFOLD_REPRODUCIBLE_OFF &&
                        allfold_has_operation(collective);
    state->native_reason[collective] = NULL;
    if (!state->agreed.settings->verbose &&
        allfold_communicator_rule_error(state, collective) == NULL &&
        allfold_always_native(&inputs, &problem, &source))
        state->native_reason[collective] = allfold_choice_source_name(source);
}

void allfold_communicator_set_rules(struct allfold_communicator *state,
                                    enum allfold_collective collective, struct allfold_rules *rules)
{
    assert(collective < ALLFOLD_COLLECTIVE_COUNT);
    allfold_free(state->rules[collective]);
    state->rules[collective] = rules;
    if (state->carrier.comm == MPI_COMM_NULL)
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

void allfold_communicator_set_reproducible(struct allfold_communicator *state,
                                           enum allfold_reproducible mode)
{
    state->reproducible = mode;
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT && state->carrier.comm != MPI_COMM_NULL; i++) {
        change_rules(state, (enum allfold_collective)i);
        find_native(state, (enum allfold_collective)i);
    }
}

static void serve_natively(struct allfold_communicator *state, const char *reason)
{
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        state->native_reason[i] = reason;
}

/* --- what carries messages --- */

static void carry(struct allfold_communicator *state)
{
    bool is_whole = true;
    for (int r = 0; r < state->size; r++)
        is_whole = is_whole && state->carrier.index_of != NULL && state->carrier.index_of[r] >= 0;
    state->carrier.is_whole = is_whole;
    for (int i = 0; i < ALLFOLD_PART_COUNT; i++)
        if (parts[i]->carry != NULL)
            parts[i]->carry(state);
}

/* The job's lane carries the messages. */
static void share_lane(struct allfold_communicator *state)
{
    struct allfold_job *job = allfold_job();
    int *index_of = state->members + state->size;
    for (int r = 0; r < state->size && job->node.shared != NULL; r++)
        index_of[r] = job->node.index_of[state->members[r]];
    state->carrier = (struct allfold_carrier){
        .comm = job->comm,
        .rank = job->rank,
        .messages = &job->messages,
        .stream = job->stream,
        .node = &job->node,
        .rank_of = state->members,
        .index_of = job->node.shared == NULL ? NULL : index_of,
    };
    carry(state);
}

/* MPI_COMM_WORLD's private lane is the job's, if no other communicator shares it. All ranks know
 * this without a message. */
static void take_jobs_lane(struct allfold_communicator *state)
{
    struct allfold_job *job = allfold_job();
    assert(!job->is_shared && state->size == job->size && state->rank == job->rank);
    state->carrier = (struct allfold_carrier){.comm = job->comm,
                                              .rank = job->rank,
                                              .messages = &job->messages,
                                              .stream = job->stream,
                                              .node = &job->node,
                                              .index_of = job->node.index_of};
    state->is_private = true;
    carry(state);
}

static void wait_private(struct allfold_communicator *state, bool begins)
{
    for (int i = 0; i < ALLFOLD_PART_COUNT; i++)
        if (parts[i]->wait_private != NULL)
            parts[i]->wait_private(state, begins);
}

/* Number of private lanes that this process has numbered: those of communicators whose rank 0 it
 * is. */
static atomic_int_least64_t lanes_numbered;

/* Ranks arrive at different times. Are all ready? *id is one that no lane of these ranks has: rank
 * 0 counts. A number derived from what each rank has seen would not do: two threads may make lanes
 * of the same ranks at the same time. */
static bool synchronize(struct allfold_communicator *state, bool is_ready, int64_t *id)
{
    const bool counts = state->rank == 0;
    int64_t least[] = {is_ready, counts ? -(atomic_fetch_add(&lanes_numbered, 1) + 1) : 0};
    wait_private(state, true);
    const int error = allfold_find_least(state->user, least, 2);
    wait_private(state, false);
    *id = -least[1];
    return error == MPI_SUCCESS && least[0];
}

/* Streams of two lanes have different keys: a communicator's rank 0 numbers its lanes. The job's
 * lane has number 0, and its blocking calls go by stream 0. */
static uint64_t key_of(const struct allfold_communicator *state, int64_t id, int lane)
{
    const int64_t words[] = {id == 0 ? 0 : state->members[0], id, lane};
    const uint64_t key = allfold_hash(allfold_hash_of_nothing, words, sizeof words);
    return key == 0 ? 1 : key;
}

struct allfold_fabric_stream *allfold_communicator_stream(const struct allfold_communicator *state,
                                                          int lane)
{
    assert(state->is_private);
    return allfold_fabric_stream_create(
        allfold_job()->fabric, key_of(state, has_jobs_lane(state) ? 0 : state->own->id, lane));
}

/* Makes what a private lane needs on this rank, before it has a number. Returns false if out of
 * memory. */
static bool prepare_lane(struct allfold_communicator *state)
{
    struct allfold_fabric *fabric = allfold_job()->fabric;
    if (state->own == NULL)
        state->own = allfold_allocate_zeroed(sizeof *state->own);
    if (state->own == NULL || fabric == NULL)
        return state->own != NULL;
    if (state->own->stream == NULL)
        state->own->stream = allfold_fabric_stream_create(fabric, UINT64_MAX);
    return state->own->stream != NULL;
}

bool allfold_communicator_make_private(struct allfold_communicator *state)
{
    struct allfold_carrier carrier = {.comm = MPI_COMM_NULL, .rank = state->rank};
    if (state->is_private || state->nodes == NULL)
        return state->is_private;
    const bool is_ready = prepare_lane(state);
    int64_t id;
    if (!synchronize(state, is_ready, &id) ||
        allfold_copy_communicator(state->user, &carrier.comm) != MPI_SUCCESS)
        return false;
    state->own->id = id;
    carrier.messages = &state->own->messages;
    carrier.stream = state->own->stream;
    carrier.node = &state->own->node;
    allfold_point_to_point_open(carrier.messages, carrier.comm, 0);
    if (carrier.stream != NULL)
        allfold_fabric_stream_name(carrier.stream, key_of(state, id, 0));
    allfold_share_memory(&state->own->node, carrier.comm, state->nodes, ALLFOLD_NODE_STREAMS,
                         carrier.stream == NULL ? &carrier.messages->transport
                                                : allfold_fabric_transport(carrier.stream));
    carrier.index_of = state->own->node.index_of;
    state->carrier = carrier;
    state->is_private = true;
    carry(state);
    return true;
}

/* --- making states --- */

/* Memory for a state and its parts, which are one piece of it; NULL without. */
static struct allfold_communicator *allocate_state(int size)
{
    enum { LINE = 64 };
    size_t bytes = sizeof(struct allfold_communicator), begins[ALLFOLD_PART_COUNT];
    for (int i = 0; i < ALLFOLD_PART_COUNT; i++) {
        begins[i] = (bytes + LINE - 1) / LINE * LINE;
        bytes = begins[i] + parts[i]->bytes + ((size_t)size + 1) * parts[i]->rank_bytes;
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

/* Makes a state without a carrier of messages. Returns NULL if out of memory. */
static struct allfold_communicator *make_state(int size, int rank, bool is_watched)
{
    struct allfold_communicator *state = allocate_state(size);
    if (state == NULL)
        return NULL;
    state->carrier.comm = MPI_COMM_NULL;
    state->sparse = ALLFOLD_SPARSE_UNSET;
    state->reproducible = ALLFOLD_REPRODUCIBLE_UNSET;
    state->agreed = allfold_job()->agreed;
    state->size = size;
    state->rank = rank;
    state->is_watched = is_watched;
    make_parts(state);
    return state;
}

/* Attaches a state to a communicator. Returns NULL if MPI fails. */
static struct allfold_communicator *attach(struct allfold_communicator *state, MPI_Comm comm)
{
    state->user = comm;
    state->is_orphan = false;
    atomic_store(&state->retainers, 1);
    pthread_mutex_lock(&mutex);
    state->next = all;
    state->link = &all;
    if (all != NULL)
        all->link = &state->next;
    all = state;
    pthread_mutex_unlock(&mutex);
    if (PMPI_Comm_set_attr(comm, keyval, state) == MPI_SUCCESS ||
        PMPI_Comm_set_attr(comm, keyval, state) == MPI_SUCCESS)
        return state;
    on_delete(comm, keyval, state, NULL);
    return NULL;
}

/* Returns the nodes of the members, as the job's placement has them, with the sockets and groups of
 * these. NULL if out of memory. */
static const struct allfold_nodes *find_nodes(const int *members, int size)
{
    const struct allfold_job *job = allfold_job();
    const struct allfold_job_topology *where = &job->where;
    struct allfold_group_level levels[ALLFOLD_SWITCH_LEVELS];
    const size_t p = (size_t)size;
    const bool has_groups = where->depth > 0;
    int64_t *keys = has_groups ? allfold_allocate((size_t)where->depth * p * sizeof *keys) : NULL;
    if (has_groups && keys == NULL)
        return NULL;
    for (int i = 0; i < where->depth; i++) {
        int64_t *own = keys + (size_t)i * p;
        for (int r = 0; r < size; r++)
            own[r] = where->groups[i]->node_of[members[r]];
        levels[i] = (struct allfold_group_level){own, where->uplinks[i], where->pair_uplinks[i], 0};
    }
    const struct allfold_nodes_facts facts = {.p = size,
                                              .groups = levels,
                                              .levels = where->depth,
                                              .card_mbit = job->card_mbit,
                                              .like = job->nodes,
                                              .members = members};
    const struct allfold_nodes *nodes = allfold_nodes_create(&facts);
    allfold_free(keys);
    return nodes;
}

/* Makes a state that inherits from the job. Returns NULL if out of memory. Local. */
static struct allfold_communicator *inherit(int *members, int size, int rank)
{
    const struct allfold_nodes *nodes = find_nodes(members, size);
    struct allfold_communicator *state =
        nodes == NULL ? NULL : make_state(size, rank, allfold_job()->is_watched);
    if (state == NULL) {
        allfold_nodes_free(nodes);
        return NULL;
    }
    state->nodes = nodes;
    state->members = members;
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        find_native(state, (enum allfold_collective)i);
    return state;
}

/* Returns why all calls on a communicator are native, or NULL. *members gets the members' ranks in
 * the job, followed by free memory of the same size; the caller frees it. It is NULL if calls are
 * native, or if out of memory. */
static const char *find_members(MPI_Comm comm, int size, int **members)
{
    const struct allfold_job *job = allfold_job();
    MPI_Group group;
    *members = NULL;
    if (job->native_reason != NULL)
        return job->native_reason;
    int *found = allfold_allocate(2 * (size_t)size * sizeof *found);
    if (found == NULL)
        found = allfold_allocate(2 * (size_t)size * sizeof *found);
    if (found == NULL || (PMPI_Comm_group(comm, &group) != MPI_SUCCESS &&
                          PMPI_Comm_group(comm, &group) != MPI_SUCCESS)) {
        allfold_free(found);
        return NULL;
    }
    for (int r = 0; r < size; r++)
        found[size + r] = r;
    PMPI_Group_translate_ranks(group, size, found + size, job->group, found);
    PMPI_Group_free(&group);
    for (int r = 0; r < size; r++)
        if (found[r] == MPI_UNDEFINED) {
            allfold_free(found);
            return "processes of another MPI_COMM_WORLD";
        }
    *members = found;
    return NULL;
}

static struct allfold_communicator *make_native(MPI_Comm comm, int size, int rank,
                                                const char *reason)
{
    struct allfold_communicator *state = make_state(size, rank, false);
    if (state == NULL)
        return NULL;
    serve_natively(state, reason);
    return attach(state, comm);
}

/* Returns the kept state of a freed communicator of the same processes, or NULL. If such states
 * have private lanes, all ranks must take the same one: then it is collective. */
static struct allfold_communicator *take_over(const int *members, int size, MPI_Comm comm)
{
    const bool is_shared = allfold_job()->is_shared;
    if (allfold_job()->is_watched || comm == MPI_COMM_WORLD)
        return NULL; /* none was kept, on any rank; or the job's lane is there */
    struct allfold_communicator *state = take_kept(members, size, !is_shared);
    if (is_shared)
        return state;
    const int64_t id = state == NULL ? 0 : lane_of(state);
    int64_t least[] = {id, -id};
    if (allfold_find_least(comm, least, 2) == MPI_SUCCESS && id > 0 && least[0] == -least[1])
        return state;
    if (state != NULL)
        keep(state);
    return NULL;
}

/* Gives a new state its carrier of messages. Collective if that is private, except for
 * MPI_COMM_WORLD. */
static void find_carrier(struct allfold_communicator *state)
{
    static bool said;
    if (allfold_job()->is_shared) {
        share_lane(state);
        return;
    }
    if (state->user == MPI_COMM_WORLD) {
        take_jobs_lane(state);
        return;
    }
    if (allfold_communicator_make_private(state))
        return;
    serve_natively(state, "no communicator of our own could be made");
    allfold_say_once(&said, "no communicator of our own could be made (no memory, or no more of "
                            "MPI's ids): collectives on it are the MPI library's");
}

/* The other ranks wait for this one once it has a state, without asking it. So what fails here is
 * tried twice (docs/faults.md). */
static struct allfold_communicator *create(MPI_Comm comm)
{
    int is_inter = 0, size = 1, rank = 0, *members;
    if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS ||
        (make_keyval() != MPI_SUCCESS && make_keyval() != MPI_SUCCESS))
        return NULL;
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_rank(comm, &rank);
    allfold_job_begin_late(comm);
    if (is_inter || size == 1)
        return make_native(comm, size, rank, is_inter ? "intercommunicator" : "one rank alone");
    const char *reason = find_members(comm, size, &members);
    if (reason != NULL)
        return make_native(comm, size, rank, reason);
    struct allfold_communicator *state = members == NULL ? NULL : take_over(members, size, comm);
    if (state != NULL) {
        allfold_free(members);
        return attach(state, comm);
    }
    if (members != NULL)
        state = inherit(members, size, rank);
    if (members != NULL && state == NULL)
        state = inherit(members, size, rank);
    if (state == NULL) {
        allfold_free(members);
        return NULL;
    }
    state = attach(state, comm);
    if (state != NULL)
        find_carrier(state);
    return state;
}

/* Finds the state of a communicator, or NULL. *is_new: no call was made on it. Returns false if MPI
 * fails. */
static bool look_up(MPI_Comm comm, struct allfold_communicator **state, bool *is_new)
{
    int found = 0;
    const int key = atomic_load_explicit(&keyval, memory_order_acquire);
    *state = NULL;
    if (key != MPI_KEYVAL_INVALID && PMPI_Comm_get_attr(comm, key, state, &found) != MPI_SUCCESS)
        return false;
    if (!found || *state == &passed_first)
        *state = NULL;
    *is_new = !found;
    return true;
}

struct allfold_communicator *allfold_communicator_known_or_new(MPI_Comm comm, bool *is_new)
{
    *is_new = false;
    const unsigned long freed = atomic_load_explicit(&freed_count, memory_order_acquire);
    if (last.state == NULL || last.comm != comm || last.freed_count != freed) {
        struct allfold_communicator *state;
        if (!look_up(comm, &state, is_new) || state == NULL)
            return NULL;
        last.comm = comm;
        last.freed_count = freed;
        last.state = state;
    }
    return last.state;
}

struct allfold_communicator *allfold_communicator_known(MPI_Comm comm)
{
    bool is_new;
    return allfold_communicator_known_or_new(comm, &is_new);
}

struct allfold_communicator *allfold_communicator_of(MPI_Comm comm)
{
    struct allfold_communicator *state = allfold_communicator_known(comm);
    bool is_new;
    if (state == NULL && look_up(comm, &state, &is_new) && state == NULL)
        state = create(comm);
    return state;
}

bool allfold_communicator_pass_first(MPI_Comm comm)
{
    const struct allfold_job *job = allfold_job();
    if (job->native_reason != NULL || job->is_shared || job->is_watched ||
        job->agreed.settings->common.nonblocking || comm == MPI_COMM_WORLD ||
        (make_keyval() != MPI_SUCCESS && make_keyval() != MPI_SUCCESS))
        return false;
    return PMPI_Comm_set_attr(comm, keyval, &passed_first) == MPI_SUCCESS ||
           PMPI_Comm_set_attr(comm, keyval, &passed_first) == MPI_SUCCESS;
}

void allfold_communicators_visit(void (*visit)(struct allfold_communicator *state))
{
    for (struct allfold_communicator *state = all; state != NULL; state = state->next)
        visit(state);
}

void allfold_communicators_free(bool leaves_self)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        struct allfold_communicator *oldest = all;
        while (oldest != NULL && oldest->next != NULL)
            oldest = oldest->next;
        pthread_mutex_unlock(&mutex);
        if (oldest == NULL)
            break;
        if (leaves_self && oldest->user == MPI_COMM_SELF) {
            gone = oldest;
            forget(oldest);
        } else {
            PMPI_Comm_delete_attr(oldest->user, keyval);
        }
    }
    free_kept();
    int made = atomic_load(&keyval);
    if (made != MPI_KEYVAL_INVALID)
        PMPI_Comm_free_keyval(&made);
    atomic_store(&keyval, made);
}
