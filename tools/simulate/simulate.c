/* `allfold simulate`: how long algorithms take on a network, by discrete events over their
 * schedules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "simulate/simulate_formats.h"
#include "simulate/simulate_options.h"
#include "tools.h"

/* What is to be run, of one size after the other. */
struct job {
    struct simulated_run runs[128];
    int count;
    bool is_all; /* every algorithm, whether it serves or not */
    struct allfold_network network;
    struct allfold_nodes *nodes;
};

static void show_progress(void *context, const char *what, size_t done, size_t total)
{
    char bar[ALLFOLD_TOOL_BAR + 1];
    allfold_tool_bar(total == 0 ? 0 : (double)done / (double)total, bar);
    fprintf(stderr, "\r%-32s %s [%s]\033[K", (const char *)context, what, bar);
}

static void clear_progress(bool shows)
{
    if (shows)
        fprintf(stderr, "\r\033[K");
}

static void add_run(struct job *job, const struct allfold_algorithm *algorithm,
                    struct allfold_parameters parameters)
{
    if (job->count < (int)(sizeof job->runs / sizeof *job->runs))
        job->runs[job->count++].of =
            (struct allfold_simulation){.algorithm = algorithm, .parameters = parameters};
}

static void add_all(struct job *job, const char *collective)
{
    job->is_all = true;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        if (strcmp(collective, allfold_collective_name(allfold_algorithms[i]->collective)) == 0)
            add_run(job, allfold_algorithms[i], allfold_parameter_presets(allfold_algorithms[i]));
}

/* Of the collective that is asked for, where the name does not say another one. */
static bool add_named(struct job *job, const struct simulate_options *options, const char *name)
{
    char whole[ALLFOLD_PARAMETER_BYTES];
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    const bool has_dot = memchr(name, '.', strcspn(name, "(")) != NULL;
    snprintf(whole, sizeof whole, "%s%s%s", has_dot ? "" : options->collective, has_dot ? "" : ".",
             name);
    if (!allfold_tool_find_algorithm("simulate", whole, options->parameters, &algorithm,
                                     &parameters))
        return false;
    if (strcmp(options->collective, allfold_collective_name(algorithm->collective)) != 0) {
        fprintf(stderr, "allfold simulate: %s is no algorithm for %s\n", name, options->collective);
        return false;
    }
    add_run(job, algorithm, parameters);
    return true;
}

static bool add_algorithms(struct job *job, const struct simulate_options *options)
{
    for (int i = 0; i < options->algorithm_count; i++) {
        const bool all = strcmp(options->algorithms[i], "all") == 0;
        if (all && options->algorithm_count == 1)
            add_all(job, options->collective);
        else if (!add_named(job, options, options->algorithms[i]))
            return false;
    }
    return true;
}

/* What is simulated of the run on vectors of so many bytes; the reason where it is not. */
static void run_one(struct simulated_run *run, bool shows)
{
    char name[100];
    snprintf(name, sizeof name, "%s.%s", allfold_collective_name(run->of.algorithm->collective),
             run->of.algorithm->name);
    const struct allfold_problem problem = allfold_simulation_problem(&run->of, 0);
    if (shows) {
        run->of.on_progress = show_progress;
        run->of.context = name;
    }
    run->reason[0] = '\0';
    const enum allfold_error error =
        allfold_simulate(&run->of, &run->simulated, run->reason, sizeof run->reason);
    if (error == ALLFOLD_OK)
        run->rounds = run->of.algorithm->claim(&problem, &run->of.parameters).rounds;
    if (error == ALLFOLD_OK)
        run->reason[0] = '\0';
    run->of.on_progress = NULL;
    clear_progress(shows);
}

static int by_time(const void *left, const void *right)
{
    const struct simulated_run *a = left, *b = right;
    const bool lacks_a = a->reason[0] != '\0', lacks_b = b->reason[0] != '\0';
    if (lacks_a != lacks_b)
        return lacks_a ? 1 : -1;
    if (a->simulated.time_s < b->simulated.time_s || a->simulated.time_s > b->simulated.time_s)
        return a->simulated.time_s < b->simulated.time_s ? -1 : 1;
    return strcmp(a->of.algorithm->name, b->of.algorithm->name);
}

/* Runs all of one size and prints them; how many were simulated. */
static int run_size(struct job *job, const struct simulate_options *options, int number)
{
    static void (*const formats[])(const struct simulated_runs *) = {
        [FORMAT_TABLE] = allfold_simulate_table,
        [FORMAT_CSV] = allfold_simulate_csv,
        [FORMAT_JSON] = allfold_simulate_json,
    };
    const bool shows = isatty(STDERR_FILENO) != 0;
    int simulated = 0;
    for (int i = 0; i < job->count; i++) {
        struct allfold_simulation *of = &job->runs[i].of;
        of->bytes = options->bytes[number];
        of->element_bytes = options->element_bytes;
        of->root = options->root;
        of->nodes = job->nodes;
        of->network = &job->network;
        of->window = (uint32_t)options->window;
        of->memory_bytes = options->memory_bytes;
        run_one(&job->runs[i], shows);
        simulated += job->runs[i].reason[0] == '\0';
    }
    qsort(job->runs, (size_t)job->count, sizeof *job->runs, by_time);
    const double best_s = job->runs[0].simulated.time_s;
    for (int i = 0; i < simulated; i++)
        job->runs[i].ratio = best_s > 0 ? job->runs[i].simulated.time_s / best_s : 1;
    formats[options->format](
        &(struct simulated_runs){.runs = job->runs,
                                 .count = job->count,
                                 .number = number,
                                 .is_last = number + 1 == options->size_count});
    fflush(stdout);
    return simulated;
}

static struct allfold_nodes *make_nodes(const struct simulate_options *options)
{
    const int p = options->nodes * options->ppn;
    int64_t *keys = malloc((size_t)p * sizeof *keys);
    struct allfold_nodes *nodes = NULL;
    for (int r = 0; keys != NULL && r < p; r++)
        keys[r] = r / options->ppn;
    if (keys != NULL)
        nodes = allfold_nodes_make(keys, p);
    if (nodes == NULL)
        fprintf(stderr, "allfold simulate: no memory for %d ranks\n", p);
    free(keys);
    return nodes;
}

static int run(struct job *job, const struct simulate_options *options)
{
    int status = 0;
    job->nodes = make_nodes(options);
    if (job->nodes == NULL)
        return 1;
    for (int i = 0; i < options->size_count; i++) {
        const int simulated = run_size(job, options, i);
        if (simulated == 0 || (!job->is_all && simulated < job->count))
            status = 1;
    }
    allfold_nodes_free(job->nodes);
    return status;
}

int allfold_tool_simulate(int argc, char **argv)
{
    enum { WRONG_USAGE = 2 };
    struct simulate_options options;
    struct job *job = calloc(1, sizeof *job);
    char message[600] = "no memory";
    int status = WRONG_USAGE;
    if (!allfold_simulate_options_read(argc, argv, &options)) {
        free(job);
        return status;
    }
    if (job == NULL || allfold_network_find(options.network, &job->network, message,
                                            sizeof message) != ALLFOLD_OK) {
        fprintf(stderr, "allfold simulate: %s\n", message);
    } else if (options.shows_network) {
        allfold_network_write(&job->network, stdout);
        status = 0;
    } else if (add_algorithms(job, &options)) {
        status = run(job, &options);
    }
    free(job);
    return status;
}
