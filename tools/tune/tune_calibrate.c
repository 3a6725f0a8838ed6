/* `allfold calibrate`: fits the cost model's constants to measurements, and prints them (see
 * tune.h). */
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "lab/measure/calibration.h"
#include "util/number.h"
#include "util/replace_file.h"
#include "tune/tune.h"

enum { FAILED = 1, WRONG_USAGE = 2 };

static void print_fits(const struct allfold_tune_job *job,
                       const struct allfold_calibration *calibration)
{
    printf("# Allfold %s calibration: %s, %s, p = %d on %d node%s\n", ALLFOLD_VERSION,
           job->head.host, job->head.mpi, job->p, job->nodes, job->nodes == 1 ? "" : "s");
    printf("# %-44s %6s %8s %8s  %s\n", "fit", "points", "median", "largest",
           "constants (errors in percent)");
    for (int i = 0; i < calibration->fit_count; i++) {
        const struct allfold_calibration_fit *fit = &calibration->fits[i];
        printf("# %-44s %6d %8.1f %8.1f  %s\n", fit->what, fit->points, 100 * fit->median_error,
               100 * fit->most_error, fit->constants);
    }
}

/* Groups of nodes, as the part that has MPI found them (programs/calibrate.h). */
struct found_groups {
    int count, nodes; /* 0: it did not look */
    size_t bytes;
    double inside_s, between_s, inside_rate, between_rate;
    int *group_of; /* rank -> group; -1: not known */
    int ranks;
};

static void take_place(struct found_groups *groups, int rank, int group)
{
    if (rank < 0 || rank > 1 << 24)
        return;
    if (rank >= groups->ranks) {
        int *grown = realloc(groups->group_of, ((size_t)rank + 1) * sizeof *grown);
        if (grown == NULL)
            return;
        groups->group_of = grown;
        while (groups->ranks <= rank)
            groups->group_of[groups->ranks++] = -1;
    }
    groups->group_of[rank] = group;
}

/* Reads a line of groups; returns false for other lines. */
static bool take_groups(struct found_groups *groups, const char *line)
{
    char a[40], b[40];
    int rank, group;
    if (sscanf(line, "groups %d %d %zu %39s %39s", &groups->count, &groups->nodes, &groups->bytes,
               a, b) == 5)
        return allfold_number_is(a, &groups->inside_s) && allfold_number_is(b, &groups->between_s);
    if (sscanf(line, "load %39s %39s", a, b) == 2)
        return allfold_number_is(a, &groups->inside_rate) &&
               allfold_number_is(b, &groups->between_rate);
    if (sscanf(line, "place %d %d", &rank, &group) != 2)
        return false;
    take_place(groups, rank, group);
    return true;
}

static void print_groups(const struct found_groups *groups)
{
    if (groups->nodes == 0)
        return;
    if (groups->count == 1) {
        printf("# groups: none; all of %d nodes are equally near\n", groups->nodes);
        return;
    }
    printf("# groups: %d of %d nodes; %zu bytes take %.4g us in a group, %.4g us between groups\n",
           groups->count, groups->nodes, groups->bytes, 1e6 * groups->inside_s,
           1e6 * groups->between_s);
    if (groups->inside_rate > 0 && groups->between_rate > 0)
        printf(
            "# groups: under load a node sends %.4g MB/s in its group, %.4g MB/s between groups\n",
            1e-6 * groups->inside_rate, 1e-6 * groups->between_rate);
}

/* Lines that ALLFOLD_NETWORK takes: "rank 0-3 group0". */
static enum allfold_error put_groups(FILE *file, const void *found)
{
    const struct found_groups *groups = found;
    for (int first = 0, last; first < groups->ranks; first = last + 1) {
        for (last = first;
             last + 1 < groups->ranks && groups->group_of[last + 1] == groups->group_of[first];)
            last++;
        if (groups->group_of[first] >= 0)
            fprintf(file, "rank %d-%d group%d\n", first, last, groups->group_of[first]);
    }
    return ALLFOLD_OK;
}

static int write_groups(const char *path, const struct found_groups *groups)
{
    char message[400];
    if (groups->count < 2)
        return allfold_tune_say(FAILED, "%s is not written: there are no groups of nodes", path);
    if (allfold_replace_file(path, put_groups, groups, message, sizeof message) != ALLFOLD_OK)
        return allfold_tune_say(FAILED, "%s", message);
    return 0;
}

static enum allfold_error put_network(FILE *file, const void *network)
{
    allfold_network_write(network, file);
    return ALLFOLD_OK;
}

static int write_network(const char *path, const struct allfold_network *network)
{
    char message[400];
    if (allfold_replace_file(path, put_network, network, message, sizeof message) != ALLFOLD_OK)
        return allfold_tune_say(FAILED, "%s", message);
    return 0;
}

static void name_network(struct allfold_network *network, const struct allfold_tune_job *job)
{
    snprintf(network->name, sizeof network->name, "%.20s %dx%d", job->head.host, job->nodes,
             job->most);
    for (char *c = network->name; *c != '\0'; c++)
        if (strchr("\t#,", *c) != NULL)
            *c = '-';
}

/* All that was measured. */
static bool write_csv(const char *path, const struct allfold_calibration_sample *samples, int count)
{
    FILE *csv = allfold_tune_csv_open(
        path, "kind,level,ranks_per_node,messages,bytes,median_us,least_us,calls");
    if (csv == NULL)
        return false;
    for (int i = 0; i < count; i++)
        fprintf(
            csv, "%s,%s,%d,%d,%zu,%.6g,%.6g,%d\n", allfold_calibration_kind_name(samples[i].kind),
            allfold_level_names[samples[i].level], samples[i].lanes, samples[i].messages,
            samples[i].bytes, 1e6 * samples[i].time_s, 1e6 * samples[i].least_s, samples[i].count);
    return allfold_tune_csv_close(csv, path);
}

/* Prints the results, and writes the files that the options name. */
static int tell(const struct allfold_options *options, const struct allfold_tune_job *job,
                struct allfold_calibration *calibration, const struct found_groups *groups)
{
    name_network(&calibration->network, job);
    print_fits(job, calibration);
    print_groups(groups);
    if (options->output != NULL && write_network(options->output, &calibration->network) != 0)
        return FAILED;
    if (options->output == NULL)
        allfold_network_write(&calibration->network, stdout);
    return options->groups == NULL ? 0 : write_groups(options->groups, groups);
}

int allfold_tune_calibrate(const struct allfold_options *options, FILE *stream)
{
    struct found_groups groups = {.count = 0};
    static struct allfold_calibration_sample samples[ALLFOLD_CALIBRATION_SAMPLES];
    static struct allfold_calibration calibration;
    struct allfold_tune_job job;
    char message[300], line[2048];
    int count = 0, sockets = 1;
    allfold_tune_begin(&job);
    while (fgets(line, sizeof line, stream) != NULL) {
        if (allfold_tune_take_line(&job, line))
            continue;
        if (take_groups(&groups, line) || sscanf(line, "sockets %d", &sockets) == 1)
            continue;
        if (strncmp(line, "sample\t", 7) == 0 && count < ALLFOLD_CALIBRATION_SAMPLES)
            count += allfold_calibration_read_sample(line + 7, &samples[count]);
    }
    allfold_tool_clear_share();
    if (job.error[0] != '\0')
        return allfold_tune_say(WRONG_USAGE, "%s", job.error);
    if (options->csv != NULL && !write_csv(options->csv, samples, count))
        return FAILED;
    if (!allfold_calibrate(samples, count, &calibration, message, sizeof message))
        return allfold_tune_say(FAILED, "%s", message);
    calibration.network.sockets = sockets;
    const int status = tell(options, &job, &calibration, &groups);
    free(groups.group_of);
    return status;
}
