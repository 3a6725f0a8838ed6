/* `allfold simulate`: predicts the times of algorithms on a network by discrete-event simulation of
 * their schedules. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "json.h"
#include "kernels/kernels.h"
#include "lab/measure/size_list.h"
#include "lab/simulate/bound.h"
#include "lab/simulate/simulator.h"
#include "simulate_trace.h"
#include "options.h"
#include "placing.h"
#include "simgrid_platform.h"
#include "select/rules.h"
#include "select/table_file.h"
#include "tools.h"
#include "util/quantity.h"

struct simulate_options {
    const struct allfold_options *given;
    int nodes, ppn, root;
    struct allfold_size_list bytes;
    size_t element_bytes, memory_bytes;
    bool is_placed; /* --nodes or --ppn is given */
    enum simulate_format format;
};

/* One algorithm on vectors of one size. */
struct simulated_run {
    struct allfold_simulation of;
    struct allfold_simulated simulated;
    size_t rounds;
    double ratio; /* of its time to the best one's */
    /* Its time divided by the lower bound of all algorithms; 0: the bound is 0. */
    double over_bound;
    char reason[300]; /* why it was not simulated; "" if it was */
};

/* All runs of one size, the fastest first, those that were not simulated last. `number` counts the
 * sizes from 0; `is_last` marks the last size. */
struct simulated_runs {
    const struct simulated_run *runs;
    int count, number;
    bool is_last;
};

enum { MOST_RANKS = 1 << 24, WRONG_USAGE = 2 };

static const struct allfold_taken taken[] = {
    ALLFOLD_TAKES(collective),
    ALLFOLD_TAKES(algorithm),
    ALLFOLD_TAKES(parameter),
    ALLFOLD_TAKES(bytes),
    ALLFOLD_TAKES(type),
    ALLFOLD_TAKES(root),
    ALLFOLD_TAKES_MACHINE,
    ALLFOLD_TAKES(trace),
    ALLFOLD_TAKES_AS(table, ALLFOLD_HIDDEN, NULL),
    ALLFOLD_TAKES_HIDDEN(window),
    ALLFOLD_TAKES_HIDDEN(memory),
    ALLFOLD_TAKES_FORMATS,
};

static const struct allfold_command command = {
    .text = "Simulates algorithms on a network, by discrete events over the schedules of all\n"
            "ranks, and prints their times, the fastest first. No MPI is needed.",
    .taken = taken,
    .count = sizeof taken / sizeof *taken,
};

static void read_sizes(struct simulate_options *options)
{
    const struct allfold_options *given = options->given;
    char message[300];
    if (!allfold_size_list_read(given->bytes, &options->bytes, message, sizeof message))
        allfold_options_refuse(given, "--bytes: %s", message);
    const enum allfold_type type = allfold_type_find(given->type);
    if (type == ALLFOLD_TYPE_COUNT)
        allfold_options_refuse(given, "--type %s: expected a type like double, float or byte",
                               given->type);
    options->element_bytes = allfold_type_bytes(type);
    for (int i = 0; i < options->bytes.count; i++)
        if (options->bytes.sizes[i] % options->element_bytes != 0)
            allfold_options_refuse(given,
                                   "--bytes %zu is no multiple of an element's; --type says "
                                   "how long one is",
                                   options->bytes.sizes[i]);
}

/* Returns which options contradict each other; NULL if none do. */
static const char *find_wrong(const struct simulate_options *options)
{
    const struct allfold_options *given = options->given;
    const bool is_all = strcmp(given->algorithm, "all") == 0;
    char word[ALLFOLD_OPTION_LIST_BYTES];
    const char *rest = given->algorithm;
    allfold_options_next(&rest, word, sizeof word);
    if (given->table != NULL && given->trace == NULL)
        return "--table is for the calls of --trace; expected a trace beside it";
    if (given->trace != NULL && given->given[ALLFOLD_OPTION_algorithm])
        return "--trace has its own calls; expected no --algorithm beside it";
    if (options->root >= options->nodes * options->ppn)
        return "the root is not below the number of ranks";
    if (given->parameter[0] != '\0' && (is_all || *rest != '\0'))
        return "--parameter is for one algorithm, named by --algorithm";
    if ((given->window & (given->window - 1)) != 0)
        return "--window: expected a power of two from 1 to 64";
    return NULL;
}

/* Reads the options. Prints a message and returns false if they contradict each other. */
static bool read_options(int argc, char **argv, struct allfold_options *given,
                         struct simulate_options *options)
{
    allfold_options_read(&command, argc, argv, given);
    *options = (struct simulate_options){.given = given,
                                         .nodes = 4,
                                         .ppn = 8,
                                         .is_placed = given->nodes != NULL || given->ppn > 0,
                                         .memory_bytes =
                                             allfold_options_size(given, "--memory", given->memory),
                                         .format = given->json != NULL  ? FORMAT_JSON
                                                   : given->csv != NULL ? FORMAT_CSV
                                                                        : FORMAT_TABLE};
    if (!allfold_tool_check_collective("simulate", given->collective) ||
        !allfold_tool_check_placement("simulate", given->placement))
        return false;
    allfold_options_nodes(given, &options->nodes, &options->ppn);
    options->root = allfold_options_number(given, "--root", given->root, 0, MOST_RANKS - 1);
    read_sizes(options);
    const char *wrong = find_wrong(options);
    if (wrong != NULL)
        allfold_options_refuse(given, "%s", wrong);
    return true;
}

static void name_of(const struct simulated_run *run, char *name, size_t bytes)
{
    allfold_algorithm_write(run->of.algorithm, &run->of.parameters, name, bytes);
}

static const char *collective_of(const struct simulated_run *run)
{
    return allfold_collective_name(run->of.algorithm->collective);
}

static void print_title(const struct simulated_runs *runs)
{
    const struct simulated_run *run = &runs->runs[0];
    const struct allfold_nodes *nodes = run->of.nodes;
    char size[32];
    allfold_size_write_exact(run->of.bytes, size, sizeof size);
    printf("%s%s", runs->number > 0 ? "\n" : "", collective_of(run));
    if (!allfold_traits(run->of.algorithm->collective)->may_repeat)
        printf(" of %s byte%s", size, run->of.bytes == 1 ? "" : "s");
    printf(" on %d node%s of %d (%d ranks), network %s\n", nodes->count,
           nodes->count == 1 ? "" : "s", nodes->most, nodes->first[nodes->count],
           run->of.network->name);
}

/* Returns the width of the column of names: that of the longest one. */
static int name_width(const struct simulated_runs *runs)
{
    size_t width = 34;
    for (int i = 0; i < runs->count; i++) {
        char name[ALLFOLD_NAME_BYTES];
        name_of(&runs->runs[i], name, sizeof name);
        width = strlen(name) > width ? strlen(name) : width;
    }
    return (int)width;
}

/* What the links of each class carry in all, and the busiest of them. */
static void print_links(const struct simulated_runs *runs)
{
    const struct allfold_simulated *first = &runs->runs[0].simulated;
    const int width = name_width(runs);
    char name[ALLFOLD_NAME_BYTES], all[32], most[32];
    if (runs->runs[0].reason[0] != '\0' || first->class_count == 0)
        return;
    printf("\n%-*s", width, "bytes over links, busiest link");
    for (int i = 0; i < first->class_count; i++)
        printf(" %18s", first->classes[i].name);
    printf("\n");
    for (int i = 0; i < runs->count && runs->runs[i].reason[0] == '\0'; i++) {
        name_of(&runs->runs[i], name, sizeof name);
        printf("%-*s", width, name);
        for (int k = 0; k < first->class_count; k++) {
            const struct allfold_simulated_class *of = &runs->runs[i].simulated.classes[k];
            allfold_size_write((size_t)of->bytes, all, sizeof all);
            allfold_size_write((size_t)of->most_bytes, most, sizeof most);
            printf(" %9s %8s", all, most);
        }
        printf("\n");
    }
}

static void print_table(const struct simulated_runs *runs)
{
    const int width = name_width(runs);
    char name[ALLFOLD_NAME_BYTES];
    print_title(runs);
    printf("%-*s %13s %9s %10s %9s %15s %13s\n", width, "algorithm", "microseconds", "ratio",
           "over bound", "rounds", "bytes of a card", "messages out");
    for (int i = 0; i < runs->count; i++) {
        const struct simulated_run *run = &runs->runs[i];
        name_of(run, name, sizeof name);
        char over_bound[32] = "-";
        if (run->over_bound > 0)
            snprintf(over_bound, sizeof over_bound, "%.3f", run->over_bound);
        if (run->reason[0] == '\0')
            printf("%-*s %13.3f %9.3f %10s %9zu %15llu %13u\n", width, name,
                   1e6 * run->simulated.time_s, run->ratio, over_bound, run->rounds,
                   (unsigned long long)run->simulated.card_bytes, run->simulated.messages_out);
        else
            printf("%-*s not simulated: %s\n", width, name, run->reason);
    }
    print_links(runs);
}

static void print_csv(const struct simulated_runs *runs)
{
    if (runs->number == 0)
        printf("collective,algorithm,nodes,ppn,root,bytes,network,microseconds,ratio,over_bound,"
               "rounds,"
               "card_bytes,messages_out,messages,steps,memory_bytes,reason,links\n");
    for (int i = 0; i < runs->count; i++) {
        const struct simulated_run *run = &runs->runs[i];
        const struct allfold_simulated *of = &run->simulated;
        char name[ALLFOLD_NAME_BYTES];
        name_of(run, name, sizeof name);
        printf("%s,\"%s\",%d,%d,%d,%zu,\"%s\",", collective_of(run), name, run->of.nodes->count,
               run->of.nodes->most, run->of.root, run->of.bytes, run->of.network->name);
        if (run->reason[0] == '\0')
            printf("%.6f,%.6f,%.6f,%zu,%llu,%u,%llu,%llu,%zu,,", 1e6 * of->time_s, run->ratio,
                   run->over_bound, run->rounds, (unsigned long long)of->card_bytes,
                   of->messages_out, (unsigned long long)of->messages,
                   (unsigned long long)of->steps, of->memory_bytes);
        else
            printf(",,,,,,,,,\"%s\",", run->reason);
        const bool has_links = run->reason[0] == '\0' && of->class_count > 0;
        printf("%s", has_links ? "\"" : "");
        if (has_links)
            allfold_tool_print_links(of, stdout);
        printf("%s\n", has_links ? "\"" : "");
    }
}

static json_t *json_run(const struct simulated_run *run)
{
    const struct allfold_simulated *of = &run->simulated;
    char name[ALLFOLD_NAME_BYTES];
    json_t *object = json_object();
    name_of(run, name, sizeof name);
    allfold_json_set_text(object, "algorithm", name);
    allfold_json_set_number(object, "bytes", (double)run->of.bytes);
    if (run->reason[0] != '\0') {
        allfold_json_set_text(object, "reason", run->reason);
        return object;
    }
    allfold_json_set_number(object, "microseconds", 1e6 * of->time_s);
    allfold_json_set_number(object, "ratio", run->ratio);
    if (run->over_bound > 0)
        allfold_json_set_number(object, "over_bound", run->over_bound);
    allfold_json_set_number(object, "rounds", (double)run->rounds);
    allfold_json_set_number(object, "card_bytes", (double)of->card_bytes);
    allfold_json_set_number(object, "messages_out", of->messages_out);
    allfold_json_set_number(object, "messages", (double)of->messages);
    allfold_json_set_number(object, "steps", (double)of->steps);
    allfold_json_set_number(object, "memory_bytes", (double)of->memory_bytes);
    if (of->class_count > 0)
        json_object_set_new(object, "links", allfold_json_links(of));
    return object;
}

static json_t *json_head(const struct simulated_run *run)
{
    json_t *object = json_object();
    allfold_json_set_text(object, "collective", collective_of(run));
    allfold_json_set_number(object, "nodes", run->of.nodes->count);
    allfold_json_set_number(object, "ppn", run->of.nodes->most);
    allfold_json_set_number(object, "root", run->of.root);
    allfold_json_set_text(object, "network", run->of.network->name);
    json_object_set_new(object, "runs", json_array());
    return object;
}

/* Sizes arrive one by one; the object is written after the last one. */
static void print_json(const struct simulated_runs *runs)
{
    static json_t *object;
    if (runs->number == 0)
        object = json_head(&runs->runs[0]);
    for (int i = 0; i < runs->count; i++)
        json_array_append_new(json_object_get(object, "runs"), json_run(&runs->runs[i]));
    if (runs->is_last)
        allfold_json_print(object, stdout);
}

/* What is to be run, of one size after the other. */
struct job {
    struct simulated_run runs[128];
    int count;
    bool is_all; /* all algorithms, also those that cannot be used */
    struct allfold_network network;
    struct allfold_tool_placed placed;
    struct allfold_table *table; /* or NULL */
};

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

/* Adds an algorithm of the collective in the options, unless its name has another one. */
static bool add_named(struct job *job, const struct allfold_options *options, const char *name)
{
    char whole[ALLFOLD_OPTION_LIST_BYTES + 40];
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    const bool has_dot = memchr(name, '.', strcspn(name, "(")) != NULL;
    snprintf(whole, sizeof whole, "%s%s%s", has_dot ? "" : options->collective, has_dot ? "" : ".",
             name);
    if (!allfold_tool_find_algorithm(whole, options, &algorithm, &parameters))
        return false;
    if (strcmp(options->collective, allfold_collective_name(algorithm->collective)) != 0) {
        fprintf(stderr, "allfold simulate: %s is no algorithm for %s\n", name, options->collective);
        return false;
    }
    add_run(job, algorithm, parameters);
    return true;
}

static bool add_algorithms(struct job *job, const struct allfold_options *options)
{
    char name[ALLFOLD_OPTION_LIST_BYTES];
    const char *rest = options->algorithm;
    if (strcmp(rest, "all") == 0) {
        add_all(job, options->collective);
        return true;
    }
    while (allfold_options_next(&rest, name, sizeof name))
        if (!add_named(job, options, name))
            return false;
    return true;
}

/* Simulates the run on vectors of one size, or sets the reason why not. */
static void run_one(struct simulated_run *run)
{
    const struct allfold_problem problem = allfold_simulation_problem(&run->of, 0);
    if (allfold_tool_simulate_one(&run->of, &run->simulated, run->reason, sizeof run->reason))
        run->rounds = run->of.algorithm->claim(&problem, &run->of.parameters).rounds;
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

static double bound_of(const struct allfold_simulation *of)
{
    const struct allfold_bound bound = allfold_bound_of(of);
    return allfold_bound_s(&bound);
}

/* Runs all of one size and prints them; how many were simulated. */
static int run_size(struct job *job, const struct simulate_options *options, int number)
{
    static void (*const formats[])(const struct simulated_runs *) = {
        [FORMAT_TABLE] = print_table,
        [FORMAT_CSV] = print_csv,
        [FORMAT_JSON] = print_json,
    };
    int simulated = 0;
    for (int i = 0; i < job->count; i++) {
        struct allfold_simulation *of = &job->runs[i].of;
        of->bytes = options->bytes.sizes[number];
        of->element_bytes = options->element_bytes;
        of->root = options->root;
        of->nodes = job->placed.nodes;
        of->hosts = job->placed.hosts;
        of->network = &job->network;
        of->window = (uint32_t)options->given->window;
        of->memory_bytes = options->memory_bytes;
        run_one(&job->runs[i]);
        simulated += job->runs[i].reason[0] == '\0';
    }
    qsort(job->runs, (size_t)job->count, sizeof *job->runs, by_time);
    const double best_s = job->runs[0].simulated.time_s;
    const double bound_s = simulated > 0 ? bound_of(&job->runs[0].of) : 0;
    for (int i = 0; i < simulated; i++) {
        job->runs[i].ratio = best_s > 0 ? job->runs[i].simulated.time_s / best_s : 1;
        job->runs[i].over_bound = bound_s > 0 ? job->runs[i].simulated.time_s / bound_s : 0;
    }
    formats[options->format](
        &(struct simulated_runs){.runs = job->runs,
                                 .count = job->count,
                                 .number = number,
                                 .is_last = number + 1 == options->bytes.count});
    fflush(stdout);
    return simulated;
}

static int run(struct job *job, const struct simulate_options *options)
{
    int status = 0;
    if (!allfold_tool_place("simulate", options->given->placement, options->nodes, options->ppn,
                            &job->placed))
        return 1;
    if (!allfold_tool_group("simulate", options->given->placement, &job->network, job->placed.hosts,
                            &job->placed.nodes)) {
        allfold_tool_placed_free(&job->placed);
        return 1;
    }
    for (int i = 0; i < options->bytes.count; i++) {
        const int simulated = run_size(job, options, i);
        if (simulated == 0 || (!job->is_all && simulated < job->count))
            status = 1;
    }
    allfold_tool_placed_free(&job->placed);
    return status;
}

static int simulate_trace(const struct job *job, const struct simulate_options *options)
{
    const struct allfold_replay_machine machine = {
        .nodes = options->is_placed ? options->nodes : 0,
        .ppn = options->ppn,
        .placement = options->given->placement,
        .network = &job->network,
        .inputs = {.tables = {[ALLFOLD_USERS_TABLE] = job->table}},
        .memory_bytes = options->memory_bytes};
    return allfold_simulate_trace(options->given->trace, &machine, options->format);
}

int allfold_tool_simulate(int argc, char **argv)
{
    static struct allfold_options given = {.collective = "allreduce",
                                           .algorithm = "all",
                                           .bytes = "8",
                                           .type = "double",
                                           .root = "0",
                                           .placement = "block",
                                           .network = "cluster",
                                           .window = ALLFOLD_SIMULATED_WINDOW,
                                           .memory = "2G"};
    struct simulate_options options;
    char message[600] = "no memory";
    int status = WRONG_USAGE;
    if (!read_options(argc, argv, &given, &options))
        return status;
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL ||
        allfold_tool_network(given.network, &job->network, message, sizeof message) != ALLFOLD_OK ||
        (given.table != NULL && allfold_table_read(given.table, allfold_table_parse, &job->table,
                                                   message, sizeof message) != ALLFOLD_OK)) {
        fprintf(stderr, "allfold simulate: %s\n", message);
    } else if (given.trace != NULL) {
        status = simulate_trace(job, &options);
    } else if (add_algorithms(job, &given)) {
        status = run(job, &options);
    }
    if (job != NULL) {
        allfold_table_free(job->table);
        allfold_network_clear(&job->network);
    }
    free(job);
    return status;
}
