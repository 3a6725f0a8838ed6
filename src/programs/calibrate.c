/* Calibration (see calibrate.h). A series consists of trials that differ only by the bytes of a
 * message. It ends early if longer messages would take too much time.
 *
 * A trial is a schedule of messages, which the executor runs over the library's own transports: the
 * node's memory, or MPI. So a trial measures the messages that algorithms consist of. Ranks that
 * have no part in a trial sleep. */
#include "programs/calibrate.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "execute/executor.h"
#include "lab/measure/calibration.h"
#include "lab/measure/groups.h"
#include "lab/measure/statistics.h"
#include "mpi/communicator/communicator.h"
#include "mpi/handles/operands.h"
#include "mpi/process/runtime.h"
#include "programs/program.h"
#include "schedule/schedule.h"
#include "schedule/verbs.h"
#include "util/memory.h"

/* --- one trial --- */

struct role;

struct trials {
    struct allfold_communicator *state; /* of all ranks */
    MPI_Comm comm;                      /* the same ranks, for what is agreed on */
    double share_s;                     /* the time for a trial */
    int least, most;                    /* repetitions */
    int pair[2];                        /* nodes of an inter-node message in one direction */
    const struct role *own_role;        /* of this rank, instead of that by the sample; or NULL */
};

enum { ELEMENT_BYTES = 8, MOST_TIMES = 256, FEW_ROUNDS = 2, MANY_ROUNDS = 64 };

/* What this rank does in a trial. */
struct role {
    bool is_active;
    bool begins;    /* of messages in one direction: this rank sends first */
    int next, last; /* to whom, and from whom */
};

/* The ranks of a node that take part in an intra-node trial, in their order: those of one socket,
 * or of all sockets. In the latter case they come from each socket in turn, so that messages go
 * between sockets. */
struct circle {
    const struct allfold_nodes *sockets; /* NULL: the node has none */
    int socket;                          /* the one; -1: all */
    int size;
};

/* Returns the circle that a rank belongs to; its size is 0 if the rank belongs to none. */
static struct circle circle_of(const struct allfold_nodes *nodes, int rank,
                               enum allfold_level level)
{
    const int node = nodes->node_of[rank];
    const struct allfold_nodes *sockets = allfold_sockets_of(nodes, node);
    if (level == ALLFOLD_LEVEL_SOCKET) {
        const int socket = allfold_socket_of(nodes, rank);
        return (struct circle){sockets, socket,
                               socket < 0 ? 0 : allfold_node_size(sockets, socket)};
    }
    return (struct circle){sockets, -1,
                           sockets == NULL ? allfold_node_size(nodes, node)
                                           : sockets->count * sockets->least};
}

/* Number i of them, by its index on the node. */
static int index_in(const struct circle *circle, int i)
{
    if (circle->sockets == NULL)
        return i;
    return circle->socket >= 0 ? allfold_rank_on(circle->sockets, circle->socket, i)
                               : allfold_rank_on(circle->sockets, i % circle->sockets->count,
                                                 i / circle->sockets->count);
}

/* Returns the index of a rank among the first `count` of a circle; -1 if it is not among them. */
static int number_in(const struct allfold_nodes *nodes, const struct circle *circle, int rank,
                     int count)
{
    for (int i = 0; i < count && i < circle->size; i++)
        if (index_in(circle, i) == nodes->index_of[rank])
            return i;
    return -1;
}

static int rank_in(const struct allfold_nodes *nodes, const struct circle *circle, int rank, int i)
{
    return allfold_rank_on(nodes, nodes->node_of[rank], index_in(circle, i));
}

/* A message goes to another rank and back: between the first ranks of the pair's two nodes, or
 * between the first two ranks of each circle that has two. */
static struct role one_way_role(const struct allfold_nodes *nodes, int rank,
                                enum allfold_level level, const int pair[2])
{
    if (level == ALLFOLD_LEVEL_NETWORK) {
        const int from = allfold_rank_on(nodes, pair[0], 0),
                  to = allfold_rank_on(nodes, pair[1], 0);
        const int other = rank == from ? to : from;
        return (struct role){rank == from || rank == to, rank == from, other, other};
    }
    const struct circle circle = circle_of(nodes, rank, level);
    const int number = number_in(nodes, &circle, rank, 2);
    if (circle.size < 2 || number < 0)
        return (struct role){.is_active = false};
    const int other = rank_in(nodes, &circle, rank, 1 - number);
    return (struct role){true, number == 0, other, other};
}

/* Returns the role in a ring of that many ranks of each circle that has them, or of the nodes in
 * each lane. */
static struct role ring_role(const struct allfold_nodes *nodes, int rank, enum allfold_level level,
                             int lanes)
{
    const int node = nodes->node_of[rank], index = nodes->index_of[rank];
    const struct role idle = {.is_active = false};
    if (level == ALLFOLD_LEVEL_NETWORK && index >= lanes)
        return idle;
    if (level == ALLFOLD_LEVEL_NETWORK)
        return (struct role){
            .is_active = true,
            .next = allfold_rank_on(nodes, (node + 1) % nodes->count, index),
            .last = allfold_rank_on(nodes, (node + nodes->count - 1) % nodes->count, index)};
    const struct circle circle = circle_of(nodes, rank, level);
    const int number = number_in(nodes, &circle, rank, lanes);
    if (circle.size < lanes || number < 0)
        return idle;
    return (struct role){.is_active = true,
                         .next = rank_in(nodes, &circle, rank, (number + 1) % lanes),
                         .last = rank_in(nodes, &circle, rank, (number + lanes - 1) % lanes)};
}

static void add_there_and_back(struct allfold_builder *s, const struct role *role, size_t n,
                               int rounds)
{
    const struct allfold_span all = span(ALLFOLD_OUT, 0, n);
    for (int i = 0; i < rounds; i++) {
        if (role->begins)
            send_to(s, role->next, all);
        recv_from(s, role->last, all);
        if (!role->begins)
            send_to(s, role->next, all);
    }
}

/* Each round sends what came in the one before. */
static void add_ring(struct allfold_builder *s, const struct role *role, size_t n, int messages,
                     int rounds)
{
    const size_t length = n * (size_t)messages;
    const struct allfold_span buffers[2] = {span(ALLFOLD_OUT, 0, length), scratch(s, length)};
    for (int i = 0; i < rounds; i++)
        for (int k = 0; k < messages; k++) {
            const size_t first = (size_t)k * n;
            const struct allfold_span from = part(buffers[i % 2], first, n);
            const struct allfold_span to = part(buffers[1 - i % 2], first, n);
            exchange(s, role->next, from, role->last, to);
        }
}

/* A trial on this rank. */
struct run {
    const struct trials *trials;
    const struct allfold_calibration_sample *sample;
    struct role role;
    struct allfold_operands operands; /* sums of doubles */
    size_t n;                         /* elements of a message */
    void *out, *more, *scratch;
    int rounds;
    struct allfold_schedule *schedule;
    struct allfold_executor *executor;
    struct allfold_binding binding;
};

static bool is_local(const struct run *run)
{
    return run->sample->kind == ALLFOLD_TIMED_REDUCTION || run->sample->kind == ALLFOLD_TIMED_COPY;
}

static void choose_role(struct run *run)
{
    const struct allfold_communicator *state = run->trials->state;
    const struct allfold_calibration_sample *sample = run->sample;
    if (run->trials->own_role != NULL)
        run->role = *run->trials->own_role;
    else if (is_local(run))
        run->role = (struct role){.is_active = true};
    else if (sample->kind == ALLFOLD_TIMED_ONE_WAY)
        run->role = one_way_role(state->nodes, state->rank, sample->level, run->trials->pair);
    else
        run->role = ring_role(state->nodes, state->rank, sample->level, sample->lanes);
}

static bool build(struct run *run)
{
    const struct allfold_communicator *state = run->trials->state;
    const struct allfold_calibration_sample *sample = run->sample;
    const struct allfold_shape shape = {.group = allfold_group_all(state->size, state->rank),
                                        .out_length = run->n * (size_t)sample->messages};
    struct allfold_builder *s = allfold_builder_create(&shape);
    if (s == NULL)
        return false;
    if (sample->kind == ALLFOLD_TIMED_ONE_WAY)
        add_there_and_back(s, &run->role, run->n, run->rounds);
    else
        add_ring(s, &run->role, run->n, sample->messages, run->rounds);
    const bool is_built = allfold_builder_freeze(s, &run->schedule) == ALLFOLD_OK;
    allfold_builder_free(s);
    if (is_built)
        run->executor =
            allfold_executor_create(run->schedule, (uint32_t)state->agreed.settings->window);
    return run->executor != NULL;
}

static void *allocate(size_t bytes)
{
    void *memory = allfold_allocate(bytes + 1);
    if (memory != NULL)
        memset(memory, 0, bytes + 1); /* or all pages are one */
    return memory;
}

static void close_rounds(struct run *run)
{
    allfold_executor_free(run->executor);
    allfold_schedule_free(run->schedule);
    allfold_free(run->scratch);
    run->executor = NULL;
    run->schedule = NULL;
    run->scratch = NULL;
}

/* Prepares that many rounds. Returns false if out of memory. */
static bool open_rounds(struct run *run, int rounds)
{
    const struct allfold_elements *elements = &run->operands.elements;
    close_rounds(run);
    run->rounds = rounds;
    if (is_local(run) || !run->role.is_active)
        return true;
    if (!build(run))
        return false;
    run->scratch = allocate(allfold_executor_place(run->executor, elements));
    run->binding =
        (struct allfold_binding){.out = run->out, .scratch = run->scratch, .elements = elements};
    return run->scratch != NULL;
}

/* Waits for all ranks, those that have no part in it asleep. */
static void synchronize(const struct run *run)
{
    enum { NAP_US = 200 };
    MPI_Request request;
    int done = 0;
    PMPI_Ibarrier(run->trials->comm, &request);
    for (;;) {
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        if (run->role.is_active)
            sched_yield();
        else
            usleep(NAP_US);
    }
}

static int run_local(struct run *run)
{
    const struct allfold_elements *elements = &run->operands.elements;
    char *to = run->more;
    int error = 0;
    for (int i = 0; i < run->rounds && error == 0; i++)
        error = run->sample->kind == ALLFOLD_TIMED_REDUCTION
                    ? elements->reduce(elements, to, run->out, to, run->n)
                    : elements->copy(elements, to, run->out, run->n);
    return error;
}

static int run_messages(struct run *run)
{
    const size_t most_bytes = run->n * ELEMENT_BYTES * (size_t)run->sample->messages;
    run->binding.transport = allfold_communicator_begin_run(run->trials->state, MPI_DOUBLE,
                                                            ELEMENT_BYTES, most_bytes, true);
    const int error = allfold_executor_start(run->executor, &run->binding);
    return error == 0 ? allfold_executor_wait(run->executor) : error;
}

/* Measures the time of each round, on the slowest rank; negative if something failed. Ranks without
 * a part sleep until it is over. */
static void time_rounds(struct run *run, double *times, int count)
{
    for (int i = 0; i < count; i++) {
        int error = 0;
        synchronize(run);
        const double begin_s = allfold_now_s();
        if (run->role.is_active)
            error = is_local(run) ? run_local(run) : run_messages(run);
        times[i] = run->role.is_active ? (allfold_now_s() - begin_s) / run->rounds : 0;
        if (error != 0)
            PMPI_Abort(run->trials->comm, EXIT_FAILURE);
    }
    synchronize(run);
    PMPI_Allreduce(MPI_IN_PLACE, times, count, MPI_DOUBLE, MPI_MAX, run->trials->comm);
}

static bool open_run(struct run *run)
{
    const struct allfold_calibration_sample *sample = run->sample;
    run->n = sample->bytes < ELEMENT_BYTES ? 1 : sample->bytes / ELEMENT_BYTES;
    choose_role(run);
    if (!allfold_operands_find(&run->operands, MPI_DOUBLE, MPI_SUM))
        return false;
    const size_t bytes = run->n * ELEMENT_BYTES * (size_t)sample->messages;
    run->out = allocate(bytes);
    run->more = is_local(run) ? allocate(bytes) : NULL;
    return run->out != NULL && (run->more != NULL || !is_local(run));
}

static bool have_all(const struct run *run, int mine)
{
    PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT, MPI_MIN, run->trials->comm);
    return mine != 0;
}

/* How many rounds make a time, and how many times there are, from what a round takes. */
static void plan(struct run *run, double round_s, int *rounds, int *count, bool *is_slow)
{
    const struct trials *trials = run->trials;
    const double long_s = 2e-3; /* next to which the ranks' start at different times is nothing */
    const double fitting = long_s / round_s;
    *rounds = fitting > MANY_ROUNDS  ? MANY_ROUNDS
              : fitting < FEW_ROUNDS ? FEW_ROUNDS
                                     : (int)fitting;
    *rounds += *rounds % 2;
    const double time_s = round_s * *rounds, times = trials->share_s / time_s;
    *count = times > trials->most    ? trials->most
             : times < trials->least ? trials->least
                                     : (int)times;
    *is_slow = time_s * trials->least > 2 * trials->share_s;
}

static bool measure(struct run *run, struct allfold_calibration_sample *sample, bool *is_slow)
{
    enum { PILOTS = 3 }; /* the first of which makes connections */
    double times[MOST_TIMES];
    struct allfold_statistics statistics;
    int rounds, count;
    if (!have_all(run, open_rounds(run, FEW_ROUNDS)))
        return false;
    time_rounds(run, times, PILOTS);
    plan(run, times[PILOTS - 1] > 0 ? times[PILOTS - 1] : 1e-9, &rounds, &count, is_slow);
    if (!have_all(run, open_rounds(run, rounds)))
        return false;
    time_rounds(run, times, count);
    const bool fits = allfold_statistics_of(times, count, 0.95, &statistics);
    const double ways = sample->kind == ALLFOLD_TIMED_ONE_WAY ? 2 : 1;
    sample->bytes = run->n * ELEMENT_BYTES;
    sample->time_s = statistics.median / ways;
    sample->least_s = statistics.least / ways;
    sample->count = count;
    return have_all(run, fits);
}

/* Measures what the sample describes, and fills in its times, the same on all ranks. Returns false
 * if out of memory or if a message failed. *is_slow says that a longer message would exceed the
 * time of a trial. Collective. */
static bool run_trial(const struct trials *trials, struct allfold_calibration_sample *sample,
                      bool *is_slow)
{
    struct run run = {.trials = trials, .sample = sample};
    const bool fits = have_all(&run, open_run(&run)) && measure(&run, sample, is_slow);
    close_rounds(&run);
    allfold_free(run.out);
    allfold_free(run.more);
    allfold_free(run.operands.lowered);
    return fits;
}

/* --- all of them --- */

enum { MOST_SERIES = 64, MOST_MESSAGES = 8 };

struct series {
    enum allfold_calibration_kind kind;
    enum allfold_level level;
    int lanes, messages;
    int step; /* number of sizes to skip */
    size_t most_bytes;
};

struct calibrate {
    const struct allfold_calibrate_options *options;
    struct trials trials;
    int count;
    struct series series[MOST_SERIES];
};

static void add(struct calibrate *c, const struct series *series)
{
    if (c->count < MOST_SERIES)
        c->series[c->count++] = *series;
}

/* Adds the trials on a socket, on a node, or between nodes: messages in one direction, in both
 * directions, several at once, and of several ranks of a node. */
static void add_level(struct calibrate *c, enum allfold_level level, int least_lanes,
                      int most_lanes)
{
    enum { SHORT_BYTES = 4096, LONG_BYTES = 1 << 30 };
    add(c, &(struct series){ALLFOLD_TIMED_ONE_WAY, level, least_lanes, 1, 1, LONG_BYTES});
    add(c, &(struct series){ALLFOLD_TIMED_BOTH_WAYS, level, least_lanes, 1, 1, LONG_BYTES});
    for (int k = 2; k <= MOST_MESSAGES; k *= 2)
        add(c, &(struct series){ALLFOLD_TIMED_BOTH_WAYS, level, least_lanes, k, 3, SHORT_BYTES});
    for (int lanes = 2 * least_lanes; least_lanes < most_lanes; lanes *= 2) {
        lanes = lanes < most_lanes ? lanes : most_lanes;
        add(c, &(struct series){ALLFOLD_TIMED_BOTH_WAYS, level, lanes, 1, 2, LONG_BYTES});
        if (lanes == most_lanes)
            break;
    }
}

/* Returns the maximum number of ranks that take part in trials on a socket, or on a node. */
static int most_in_circles(const struct allfold_nodes *nodes, enum allfold_level level)
{
    int most = 0;
    for (int r = 0; r < nodes->first[nodes->count]; r++) {
        const struct circle circle = circle_of(nodes, r, level);
        most = circle.size > most ? circle.size : most;
    }
    return most;
}

static void add_all(struct calibrate *c)
{
    const struct allfold_nodes *nodes = c->trials.state->nodes;
    for (enum allfold_level level = ALLFOLD_LEVEL_SOCKET; level <= ALLFOLD_LEVEL_NODE; level++) {
        const int most = most_in_circles(nodes, level);
        if (most > 1)
            add_level(c, level, 2, most);
    }
    if (nodes->count > 1)
        add_level(c, ALLFOLD_LEVEL_NETWORK, 1, nodes->least);
    add(c, &(struct series){ALLFOLD_TIMED_REDUCTION, ALLFOLD_LEVEL_NODE, 1, 1, 2, 1 << 30});
    add(c, &(struct series){ALLFOLD_TIMED_COPY, ALLFOLD_LEVEL_NODE, 1, 1, 2, 1 << 30});
}

static bool has_trial(const struct calibrate *c, const struct series *series, int size)
{
    const struct allfold_size_list *sizes = &c->options->sizes;
    return size % series->step == 0 && sizes->sizes[size] <= series->most_bytes;
}

static int count_trials(const struct calibrate *c, int first)
{
    int count = 0;
    for (int i = first; i < c->count; i++)
        for (int k = 0; k < c->options->sizes.count; k++)
            count += has_trial(c, &c->series[i], k);
    return count;
}

/* What is left of the time, for each trial that is left, as rank 0 sees it. */
static void share_time(struct calibrate *c, double begin_s, int first)
{
    const double least = 0.2; /* of what each would have had */
    const double even_s = c->options->budget_s / count_trials(c, 0);
    double share_s = (begin_s + c->options->budget_s - allfold_now_s()) / count_trials(c, first);
    share_s = share_s < least * even_s ? least * even_s : share_s;
    PMPI_Bcast(&share_s, 1, MPI_DOUBLE, 0, c->trials.comm);
    c->trials.share_s = share_s;
}

static void tell_progress(const struct calibrate *c, int done)
{
    static time_t printed_at;
    if (!c->options->tells_progress || c->trials.state->rank > 0 || time(NULL) == printed_at)
        return;
    printed_at = time(NULL);
    printf("progress\t%.4f\n", (double)done / c->count);
    fflush(stdout);
}

static bool run_series(const struct calibrate *c, const struct series *series)
{
    bool is_slow = false;
    for (int k = 0; k < c->options->sizes.count && !is_slow; k++) {
        struct allfold_calibration_sample sample = {.kind = series->kind,
                                                    .level = series->level,
                                                    .lanes = series->lanes,
                                                    .messages = series->messages,
                                                    .bytes = c->options->sizes.sizes[k]};
        if (!has_trial(c, series, k))
            continue;
        if (!run_trial(&c->trials, &sample, &is_slow))
            return false;
        if (c->trials.state->rank > 0)
            continue;
        printf("sample\t");
        allfold_calibration_write_sample(&sample, stdout);
        fflush(stdout);
    }
    return true;
}

/* --- groups of nodes --- */

enum { LEAST_GROUPED = 4, MOST_BY_LONG = 12, NEAR_BYTES = 8, THIN_BYTES = 128 << 10 };

/* The time for the trials of all pairs, of all the time that there is; and what a pair takes. */
static const double PAIRS_SHARE = 0.2, PAIR_S = 0.015;

/* How many nodes there is time for. */
static int grouped_nodes(const struct calibrate *c, int most)
{
    const int count = c->trials.state->nodes->count;
    int n = count < most ? count : most;
    while (n > LEAST_GROUPED && n * (n - 1) / 2 * PAIR_S > PAIRS_SHARE * c->options->budget_s)
        n--;
    return n;
}

/* Measures messages of `bytes` bytes between each pair of nodes. Returns false if out of memory. */
static bool time_pairs(struct calibrate *c, int n, size_t bytes, double *times_s)
{
    c->trials.share_s = PAIRS_SHARE * c->options->budget_s / (n * (n - 1));
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++) {
            struct allfold_calibration_sample sample = {.kind = ALLFOLD_TIMED_ONE_WAY,
                                                        .level = ALLFOLD_LEVEL_NETWORK,
                                                        .lanes = 1,
                                                        .messages = 1,
                                                        .bytes = bytes};
            bool is_slow;
            c->trials.pair[0] = a;
            c->trials.pair[1] = b;
            if (!run_trial(&c->trials, &sample, &is_slow))
                return false;
            times_s[a * n + b] = sample.least_s; /* what disturbs a message only makes it longer */
        }
    c->trials.pair[0] = 0;
    c->trials.pair[1] = 1;
    return true;
}

/* Returns node number `place` of a group; -1 if the group has fewer nodes. */
static int node_in(const struct allfold_groups *groups, int n, int group, int place)
{
    for (int node = 0; node < n; node++)
        if (groups->group_of[node] == group && place-- == 0)
            return node;
    return -1;
}

/* All ranks at once: to the next node of the group, or to the like node of the next group. A node
 * without one has no part. */
static struct role load_role(const struct allfold_nodes *nodes, const struct allfold_groups *groups,
                             int n, int rank, bool is_inside)
{
    const int node = nodes->node_of[rank], lane = nodes->index_of[rank];
    if (node >= n || lane >= nodes->least)
        return (struct role){.is_active = false};
    int place = 0, size = 0;
    for (int other = 0; other < n; other++)
        if (groups->group_of[other] == groups->group_of[node]) {
            place += other < node;
            size++;
        }
    const int group = groups->group_of[node], count = groups->count;
    int next = node_in(groups, n, group, (place + 1) % size);
    int last = node_in(groups, n, group, (place + size - 1) % size);
    bool is_active = size > 1;
    if (!is_inside) {
        is_active = true;
        for (int other = 0; other < count; other++)
            is_active = is_active && node_in(groups, n, other, place) >= 0;
        next = node_in(groups, n, (group + 1) % count, place);
        last = node_in(groups, n, (group + count - 1) % count, place);
    }
    if (!is_active)
        return (struct role){.is_active = false};
    return (struct role){.is_active = true,
                         .next = allfold_rank_on(nodes, next, lane),
                         .last = allfold_rank_on(nodes, last, lane)};
}

/* What a node sends a second while all do, in groups and between them. */
static bool time_load(struct calibrate *c, const struct allfold_groups *groups, int n)
{
    const struct allfold_nodes *nodes = c->trials.state->nodes;
    double rates[2];
    c->trials.share_s = PAIRS_SHARE * c->options->budget_s / 2;
    for (int i = 0; i < 2; i++) {
        const struct role role = load_role(nodes, groups, n, c->trials.state->rank, i == 0);
        struct allfold_calibration_sample sample = {.kind = ALLFOLD_TIMED_BOTH_WAYS,
                                                    .level = ALLFOLD_LEVEL_NETWORK,
                                                    .lanes = nodes->least,
                                                    .messages = 1,
                                                    .bytes = THIN_BYTES};
        bool is_slow;
        c->trials.own_role = &role;
        const bool fits = run_trial(&c->trials, &sample, &is_slow);
        c->trials.own_role = NULL;
        if (!fits)
            return false;
        rates[i] = nodes->least * (double)sample.bytes / sample.time_s;
    }
    if (c->trials.state->rank == 0)
        printf("load\t%.9g\t%.9g\n", rates[0], rates[1]);
    return true;
}

static void tell_groups(const struct calibrate *c, const struct allfold_groups *groups, int n,
                        size_t bytes)
{
    const struct allfold_nodes *nodes = c->trials.state->nodes;
    if (c->trials.state->rank > 0)
        return;
    printf("groups\t%d\t%d\t%zu\t%.9g\t%.9g\n", groups->count, n, bytes, groups->inside_s,
           groups->between_s);
    for (int r = 0; r < c->trials.state->size && groups->count > 1; r++)
        if (nodes->node_of[r] < n)
            printf("place\t%d\t%d\n", r, groups->group_of[nodes->node_of[r]]);
}

/* Finds groups that two measurements agree on: by short messages, which show switches, or else by
 * long messages, which show slow links. All ranks have the same times, and so find the same groups.
 * Returns false if out of memory. */
static bool find_groups(struct calibrate *c)
{
    static const size_t sizes[] = {NEAR_BYTES, THIN_BYTES};
    int n = grouped_nodes(c, ALLFOLD_GROUPED_NODES);
    struct allfold_groups groups = {.count = 1};
    size_t bytes = 0;
    if (n < LEAST_GROUPED)
        return true;
    double *times_s = allfold_allocate((size_t)n * (size_t)n * sizeof *times_s);
    const int has_memory = times_s != NULL;
    int all_have;
    PMPI_Allreduce(&has_memory, &all_have, 1, MPI_INT, MPI_MIN, c->trials.comm);
    bool fits = all_have != 0;
    for (int i = 0; i < 2 && fits && groups.count == 1; i++) {
        struct allfold_groups again = {.count = 1};
        bytes = sizes[i];
        n = i == 0 ? n : grouped_nodes(c, MOST_BY_LONG);
        fits = time_pairs(c, n, bytes, times_s);
        if (fits)
            groups = allfold_groups_find(times_s, n);
        if (fits && groups.count > 1)
            fits = time_pairs(c, n, bytes, times_s);
        if (fits && groups.count > 1)
            again = allfold_groups_find(times_s, n);
        if (!allfold_groups_are_alike(&groups, &again, n))
            groups.count = 1;
    }
    allfold_free(times_s);
    if (fits)
        tell_groups(c, &groups, n, bytes);
    return fits && (groups.count == 1 || time_load(c, &groups, n));
}

int allfold_calibrate_ranks(const struct allfold_calibrate_options *options, MPI_Comm comm)
{
    struct calibrate c = {.options = options,
                          .trials = {.comm = comm, .least = 5, .most = 25, .pair = {0, 1}}};
    struct allfold_communicator *state = allfold_communicator_of(MPI_COMM_WORLD);
    int rank, p, is_known = state != NULL && state->nodes != NULL;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &p);
    if (p == 1)
        return allfold_program_fail(rank, "one rank alone sends no messages; start two or more");
    PMPI_Allreduce(MPI_IN_PLACE, &is_known, 1, MPI_INT, MPI_MIN, comm);
    if (!is_known)
        return allfold_program_fail(rank, "there is not enough memory");
    c.trials.state = state;
    allfold_program_tell_job(rank, p, state->nodes);
    if (rank == 0)
        printf("sockets\t%d\n", allfold_most_sockets(state->nodes));
    add_all(&c);
    if (!find_groups(&c))
        return allfold_program_fail(rank, "there is not enough memory for messages of that size");
    const double begin_s = allfold_now_s();
    for (int i = 0; i < c.count; i++) {
        tell_progress(&c, i);
        share_time(&c, begin_s, i);
        if (!run_series(&c, &c.series[i]))
            return allfold_program_fail(rank,
                                        "there is not enough memory for messages of that size");
    }
    return 0;
}
