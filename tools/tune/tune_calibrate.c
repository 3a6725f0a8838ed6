/* `allfold tune --calibrate`: fits what was measured, and tells (see tune.h). */
#include <string.h>

#include "measure/calibration.h"
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
            samples[i].is_far ? "network" : "node", samples[i].lanes, samples[i].messages,
            samples[i].bytes, 1e6 * samples[i].time_s, 1e6 * samples[i].least_s, samples[i].count);
    return allfold_tune_csv_close(csv, path);
}

int allfold_tune_calibrate(const struct allfold_tune_options *options, FILE *stream)
{
    static struct allfold_calibration_sample samples[ALLFOLD_CALIBRATION_SAMPLES];
    static struct allfold_calibration calibration;
    struct allfold_tune_job job;
    char message[300], line[2048];
    int count = 0;
    allfold_tune_begin(&job);
    while (fgets(line, sizeof line, stream) != NULL) {
        if (allfold_tune_take_line(&job, line))
            continue;
        if (strncmp(line, "sample\t", 7) == 0 && count < ALLFOLD_CALIBRATION_SAMPLES)
            count += allfold_calibration_read_sample(line + 7, &samples[count]);
    }
    allfold_tune_clear_progress();
    if (job.error[0] != '\0')
        return allfold_tune_say(WRONG_USAGE, "%s", job.error);
    if (options->csv != NULL && !write_csv(options->csv, samples, count))
        return FAILED;
    if (!allfold_calibrate(samples, count, &calibration, message, sizeof message))
        return allfold_tune_say(FAILED, "%s", message);
    name_network(&calibration.network, &job);
    print_fits(&job, &calibration);
    if (options->output != NULL &&
        allfold_tune_add_costs(options->output, &job, &calibration.costs) != 0)
        return FAILED;
    if (options->network != NULL)
        return write_network(options->network, &calibration.network);
    if (options->output == NULL)
        allfold_network_write(&calibration.network, stdout);
    return 0;
}
