/* The constants of a simulated network (see simulated_calibration.h). */
#include "simulated_calibration.h"

#include <time.h>

#include "measure/calibration.h"

enum { MOST_MESSAGES = 8, MOST_SHORT_BYTES = 4096 };

static const int sizes[] = {8, 64, 512, 4096, 16 << 10, 64 << 10, 256 << 10, 1 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST_BYTES = 1 << 20 };

struct trials {
    const struct allfold_nodes *nodes;
    int rank;
    char *memory; /* that all messages are in: MOST_BYTES of all ranks */
    int count;
    struct allfold_calibration_sample samples[ALLFOLD_CALIBRATION_SAMPLES];
};

double allfold_simulated_begin(void)
{
    static const double slack_s = 1e-3;
    double now_s = MPI_Wtime(), latest_s;
    PMPI_Allreduce(&now_s, &latest_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const double wait_s = latest_s + slack_s - MPI_Wtime();
    const struct timespec wait = {(time_t)wait_s, (long)(1e9 * (wait_s - (double)(time_t)wait_s))};
    nanosleep(&wait, NULL);
    return latest_s + slack_s;
}

/* Round a ring of the first ranks of a node, or of the nodes in each lane. */
static bool find_peers(const struct trials *t, const struct allfold_calibration_sample *sample,
                       int *next, int *last)
{
    const struct allfold_nodes *nodes = t->nodes;
    const int node = nodes->node_of[t->rank], index = nodes->index_of[t->rank];
    const int lanes = sample->lanes;
    if (index >= lanes ||
        (sample->level == ALLFOLD_LEVEL_NODE && allfold_node_size(nodes, node) < lanes))
        return false;
    if (sample->level == ALLFOLD_LEVEL_NETWORK) {
        *next = allfold_rank_on(nodes, (node + 1) % nodes->count, index);
        *last = allfold_rank_on(nodes, (node + nodes->count - 1) % nodes->count, index);
    } else {
        *next = allfold_rank_on(nodes, node, (index + 1) % lanes);
        *last = allfold_rank_on(nodes, node, (index + lanes - 1) % lanes);
    }
    return true;
}

/* The time of the slowest rank. */
static double exchange_s(const struct trials *t, const struct allfold_calibration_sample *sample)
{
    enum { TAG = 1 };
    MPI_Request requests[2 * MOST_MESSAGES];
    int next, last, count = 0;
    const bool is_active = find_peers(t, sample, &next, &last);
    const double begin_s = allfold_simulated_begin();
    for (int i = 0; is_active && i < sample->messages; i++)
        PMPI_Irecv(t->memory, (int)sample->bytes, MPI_BYTE, last, TAG, MPI_COMM_WORLD,
                   &requests[count++]);
    for (int i = 0; is_active && i < sample->messages; i++)
        PMPI_Isend(t->memory, (int)sample->bytes, MPI_BYTE, next, TAG, MPI_COMM_WORLD,
                   &requests[count++]);
    PMPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    double time_s = MPI_Wtime() - begin_s, most_s;
    PMPI_Allreduce(&time_s, &most_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most_s;
}

static void add(struct trials *t, enum allfold_calibration_kind kind, enum allfold_level level,
                int lanes, int messages, int bytes, double time_s)
{
    if (t->count < ALLFOLD_CALIBRATION_SAMPLES)
        t->samples[t->count++] = (struct allfold_calibration_sample){.kind = kind,
                                                                     .level = level,
                                                                     .lanes = lanes,
                                                                     .messages = messages,
                                                                     .bytes = (size_t)bytes,
                                                                     .time_s = time_s,
                                                                     .least_s = time_s,
                                                                     .count = 1};
}

static void run_series(struct trials *t, enum allfold_level level, int lanes, int messages,
                       int most_bytes)
{
    for (int i = 0; i < SIZES && sizes[i] <= most_bytes; i++) {
        add(t, ALLFOLD_TIMED_BOTH_WAYS, level, lanes, messages, sizes[i], 0);
        struct allfold_calibration_sample *sample = &t->samples[t->count - 1];
        sample->time_s = sample->least_s = exchange_s(t, sample);
    }
}

/* As add_level of programs/calibrate.c. */
static void run_level(struct trials *t, enum allfold_level level, int least_lanes, int most_lanes)
{
    run_series(t, level, least_lanes, 1, MOST_BYTES);
    for (int messages = 2; messages <= MOST_MESSAGES; messages *= 2)
        run_series(t, level, least_lanes, messages, MOST_SHORT_BYTES);
    for (int lanes = 2 * least_lanes; lanes < most_lanes; lanes *= 2)
        run_series(t, level, lanes, 1, MOST_BYTES);
    if (least_lanes < most_lanes)
        run_series(t, level, most_lanes, 1, MOST_BYTES);
}

/* Reductions take no time in a simulation, but constants are more than 0. */
static void add_reductions(struct trials *t)
{
    static const double byte_s = 1e-15;
    for (int i = 0; i < SIZES; i++)
        add(t, ALLFOLD_TIMED_REDUCTION, ALLFOLD_LEVEL_NODE, 1, 1, sizes[i], byte_s * sizes[i]);
    for (int i = 0; i < SIZES; i++)
        add(t, ALLFOLD_TIMED_COPY, ALLFOLD_LEVEL_NODE, 1, 1, sizes[i], byte_s * sizes[i]);
    for (int i = 0, count = t->count; i < count; i++)
        if (t->samples[i].kind == ALLFOLD_TIMED_BOTH_WAYS && t->samples[i].messages == 1) {
            struct allfold_calibration_sample round = t->samples[i];
            round.kind = ALLFOLD_TIMED_ROUND;
            t->samples[t->count++] = round;
        }
}

bool allfold_simulated_calibration(const struct allfold_nodes *nodes,
                                   struct allfold_cost_model *costs)
{
    static struct trials trials;
    static struct allfold_calibration calibration;
    char message[200];
    trials = (struct trials){.nodes = nodes, .memory = SMPI_SHARED_MALLOC(MOST_BYTES)};
    PMPI_Comm_rank(MPI_COMM_WORLD, &trials.rank);
    if (nodes->most > 1)
        run_level(&trials, ALLFOLD_LEVEL_NODE, 2, nodes->most);
    if (nodes->count > 1)
        run_level(&trials, ALLFOLD_LEVEL_NETWORK, 1, nodes->least);
    SMPI_SHARED_FREE(trials.memory);
    add_reductions(&trials);
    if (!allfold_calibrate(trials.samples, trials.count, &calibration, message, sizeof message))
        return false;
    *costs = calibration.costs;
    return true;
}
