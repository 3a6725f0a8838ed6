/* Calibrating (see calibrate.h). A series is trials that differ by the bytes of a message alone; it
 * ends early where longer messages would take too much time. */
#include "programs/calibrate.h"

#include <stdio.h>
#include <time.h>

#include "programs/calibrate_trial.h"
#include "programs/part.h"
#include "mpi/report/report.h"

enum { MOST_SERIES = 64, MOST_MESSAGES = 8 };

struct series {
    enum allfold_calibration_kind kind;
    bool is_far;
    int lanes, messages;
    int step; /* every so many sizes */
    size_t most_bytes;
};

struct calibrate {
    const struct allfold_calibrate_options *options;
    struct allfold_trials trials;
    int count;
    struct series series[MOST_SERIES];
};

static void add(struct calibrate *c, const struct series *series)
{
    if (c->count < MOST_SERIES)
        c->series[c->count++] = *series;
}

/* On a node, or between nodes: one way, both ways, with reductions, several messages at once, and
 * several ranks of a node. */
static void add_level(struct calibrate *c, bool is_far, int least_lanes, int most_lanes)
{
    enum { SHORT_BYTES = 4096, LONG_BYTES = 1 << 30 };
    add(c, &(struct series){ALLFOLD_TIMED_ONE_WAY, is_far, least_lanes, 1, 1, LONG_BYTES});
    add(c, &(struct series){ALLFOLD_TIMED_BOTH_WAYS, is_far, least_lanes, 1, 1, LONG_BYTES});
    add(c, &(struct series){ALLFOLD_TIMED_ROUND, is_far, least_lanes, 1, 2, LONG_BYTES});
    for (int k = 2; k <= MOST_MESSAGES; k *= 2)
        add(c, &(struct series){ALLFOLD_TIMED_BOTH_WAYS, is_far, least_lanes, k, 3, SHORT_BYTES});
    for (int lanes = 2 * least_lanes; least_lanes < most_lanes; lanes *= 2) {
        lanes = lanes < most_lanes ? lanes : most_lanes;
        add(c, &(struct series){ALLFOLD_TIMED_BOTH_WAYS, is_far, lanes, 1, 2, LONG_BYTES});
        if (lanes == most_lanes)
            break;
    }
    if (least_lanes < most_lanes)
        add(c, &(struct series){ALLFOLD_TIMED_ROUND, is_far, most_lanes, 1, 2, LONG_BYTES});
}

static void add_all(struct calibrate *c)
{
    const struct allfold_nodes *nodes = c->trials.state->nodes;
    if (nodes->most > 1)
        add_level(c, false, 2, nodes->most);
    if (nodes->count > 1)
        add_level(c, true, 1, nodes->least);
    add(c, &(struct series){ALLFOLD_TIMED_REDUCTION, false, 1, 1, 2, 1 << 30});
    add(c, &(struct series){ALLFOLD_TIMED_COPY, false, 1, 1, 2, 1 << 30});
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
    static time_t told;
    if (!c->options->tells_progress || c->trials.state->rank > 0 || time(NULL) == told)
        return;
    told = time(NULL);
    printf("progress\t%.4f\n", (double)done / c->count);
    fflush(stdout);
}

static bool run_series(const struct calibrate *c, const struct series *series)
{
    bool is_slow = false;
    for (int k = 0; k < c->options->sizes.count && !is_slow; k++) {
        struct allfold_calibration_sample sample = {.kind = series->kind,
                                                    .is_far = series->is_far,
                                                    .lanes = series->lanes,
                                                    .messages = series->messages,
                                                    .bytes = c->options->sizes.sizes[k]};
        if (!has_trial(c, series, k))
            continue;
        if (!allfold_trial(&c->trials, &sample, &is_slow))
            return false;
        if (c->trials.state->rank > 0)
            continue;
        printf("sample\t");
        allfold_calibration_write_sample(&sample, stdout);
        fflush(stdout);
    }
    return true;
}

int allfold_calibrate_ranks(const struct allfold_calibrate_options *options, MPI_Comm comm)
{
    struct calibrate c = {.options = options, .trials = {.comm = comm, .least = 5, .most = 25}};
    struct allfold_communicator *state = allfold_communicator_of(MPI_COMM_WORLD);
    int rank, p, is_known = state != NULL && state->nodes != NULL;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &p);
    if (p == 1)
        return allfold_part_fail(rank, "one rank alone sends no messages; start two or more");
    PMPI_Allreduce(MPI_IN_PLACE, &is_known, 1, MPI_INT, MPI_MIN, comm);
    if (!is_known)
        return allfold_part_fail(rank, "there is not enough memory");
    allfold_communicator_share(state);
    c.trials.state = state;
    allfold_part_tell_job(rank, p, state->nodes);
    add_all(&c);
    const double begin_s = allfold_now_s();
    for (int i = 0; i < c.count; i++) {
        tell_progress(&c, i);
        share_time(&c, begin_s, i);
        if (!run_series(&c, &c.series[i]))
            return allfold_part_fail(rank, "there is not enough memory for messages of that size");
    }
    return 0;
}
