/* `allfold simulate`: how long algorithms take on a network, by discrete events over their
 * schedules. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "json.h"
#include "lab/simulate/bound.h"
#include "lab/simulate/simulate.h"
#include "on_trace.h"
#include "placing.h"
#include "platform.h"
#include "select/rules.h"
#include "select/table_file.h"
#include "tools.h"
#include "util/quantity.h"

enum { SIMULATE_MOST_NAMED = 32, SIMULATE_MOST_SIZES = 64, KEY_TRACE = 256 };

struct simulate_options {
    const char *collective;
    const char *algorithms[SIMULATE_MOST_NAMED]; /* "all" alone, where all are wanted */
    int algorithm_count;
    char parameters[ALLFOLD_PARAMETER_BYTES];
    int nodes, ppn, root, window;
    size_t bytes[SIMULATE_MOST_SIZES];
    int size_count;
    size_t element_bytes, memory_bytes;
    const char *network;
    const char *placement;
    const char *table; /* with a trace: by which its calls choose; or NULL */
    const char *trace;
    bool shows_network;
    bool is_placed; /* --nodes or --ppn is given */
    enum simulate_format format;
};

/* One algorithm on vectors of so many bytes. */
struct simulated_run {
    struct allfold_simulation of;
    struct allfold_simulated simulated;
    size_t rounds;
    double ratio;      /* of its time to the best one's */
    double over_bound; /* its time over the least that any algorithm takes; 0: that is 0 */
    char reason[300];  /* why it was not simulated; "" where it was */
};

/* All runs of one size, the fastest first, those that were not simulated last. `number` counts the
 * sizes from 0; `is_last` marks the last size. */
struct simulated_runs {
    const struct simulated_run *runs;
    int count, number;
    bool is_last;
};

enum { MOST_RANKS = 1 << 24 };

static size_t read_size(struct argp_state *state, const char *option, const char *text,
                        const char **end)
{
    size_t size = 0;
    if (!allfold_size_read(text, &size, end) || (**end != '\0' && **end != ',') || size == 0)
        argp_error(state, "%s %s: expected a size of 1 or more, like 64K", option, text);
    return size;
}

static void read_sizes(struct argp_state *state, const char *text, struct simulate_options *options)
{
    const char *end = text;
    options->size_count = 0;
    for (;; end++) {
        if (options->size_count == SIMULATE_MOST_SIZES)
            argp_error(state, "--bytes: more than %d sizes", SIMULATE_MOST_SIZES);
        options->bytes[options->size_count++] = read_size(state, "--bytes", end, &end);
        if (*end == '\0')
            return;
    }
}

static size_t read_one_size(struct argp_state *state, const char *option, const char *text)
{
    const char *end;
    const size_t size = read_size(state, option, text, &end);
    if (*end != '\0')
        argp_error(state, "%s %s: expected one size, like 64K", option, text);
    return size;
}

static void add_algorithm(struct argp_state *state, const char *name,
                          struct simulate_options *options)
{
    if (options->algorithm_count == SIMULATE_MOST_NAMED)
        argp_error(state, "more than %d algorithms", SIMULATE_MOST_NAMED);
    options->algorithms[options->algorithm_count++] = name;
}

static int read_window(struct argp_state *state, const char *text)
{
    const int window =
        allfold_tool_number(state, "--window", text, 1, ALLFOLD_MAX_SIMULATED_WINDOW);
    if ((window & (window - 1)) != 0)
        argp_error(state, "--window %s: expected a power of two from 1 to 64", text);
    return window;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct simulate_options *options = state->input;
    switch (key) {
    case 'c':
        options->collective = argument;
        return 0;
    case 'a':
        add_algorithm(state, argument, options);
        return 0;
    case 'P':
        allfold_tool_add_parameter(options->parameters, argument, state);
        return 0;
    case 'N':
        options->nodes = allfold_tool_number(state, "--nodes", argument, 1, MOST_RANKS);
        options->is_placed = true;
        return 0;
    case 'k':
        options->ppn = allfold_tool_number(state, "--ppn", argument, 1, MOST_RANKS);
        options->is_placed = true;
        return 0;
    case 'r':
        options->root = allfold_tool_number(state, "--root", argument, 0, MOST_RANKS - 1);
        return 0;
    case 'b':
        read_sizes(state, argument, options);
        return 0;
    case 'e':
        options->element_bytes = read_one_size(state, "--element", argument);
        return 0;
    case 'm':
        options->memory_bytes = read_one_size(state, "--memory", argument);
        return 0;
    case 'w':
        options->window = read_window(state, argument);
        return 0;
    case 'n':
        options->network = argument;
        return 0;
    case 'p':
        options->placement = argument;
        return 0;
    case 'T':
        options->table = argument;
        return 0;
    case KEY_TRACE:
        options->trace = argument;
        return 0;
    case 's':
        options->shows_network = true;
        return 0;
    case 'v':
        options->format = FORMAT_CSV;
        return 0;
    case 'j':
        options->format = FORMAT_JSON;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one word too many", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {"collective", 'c', "NAME", 0, "which collective (preset: allreduce)", 0},
    {"algorithm", 'a', "NAME|all", 0,
     "one of its algorithms, like ring or ring(segment=64K); may be given several times (preset: "
     "all)",
     0},
    {"parameter", 'P', "NAME=VALUE", 0,
     "a parameter of the algorithm, where one is named; may be given for each of them", 0},
    {"nodes", 'N', "N", 0, "number of nodes (preset: 4)", 0},
    {"ppn", 'k', "K", 0, "ranks on each node (preset: 8)", 0},
    {"root", 'r', "ROOT", 0, "root of a reduce or broadcast (preset: 0)", 0},
    {"bytes", 'b', "B[,B...]", 0,
     "bytes of the vector, of all blocks where it is blocks, like 8,64K,1M (preset: 8)", 0},
    {"element", 'e', "BYTES", 0, "bytes of an element (preset: 8)", 0},
    {"network", 'n', "NAME|FILE", 0,
     "blue_waters, t3e, cluster, torus, fat-tree, dragonfly, a topology like 'torus 16x16', a file "
     "that describes one, or a platform of SimGrid's (.xml) (preset: cluster)",
     0},
    {"placement", 'p', "HOW", 0,
     "block: ranks fill one node after the other; cyclic: they are dealt out; random: block, with "
     "ranks shuffled (preset: block); with :cyclic behind it the ranks of a node are dealt out to "
     "its sockets, else they fill one after the other",
     0},
    {"table", 'T', "FILE", 0,
     "with --trace: a table that its calls choose by, like that of ALLFOLD_TABLE", 0},
    {"trace", KEY_TRACE, "FILE", 0,
     "simulate the calls of a program, as allfold run --trace=FILE kept them; without --nodes and "
     "--ppn on as many ranks as it had",
     0},
    {"show-network", 's', NULL, 0, "print the network as such a file, and end", 0},
    {"window", 'w', "W", 0, "messages that a rank has in flight at most (preset: 16)", 0},
    {"memory", 'm', "BYTES", 0, "memory to take at most (preset: 2G)", 0},
    {"csv", 'v', NULL, 0, "as CSV, for programs", 0},
    {"json", 'j', NULL, 0, "as JSON, for programs", 0},
    {0},
};

/* False with a message where the options do not fit together. */
static bool check(const struct simulate_options *options)
{
    const int64_t p = (int64_t)options->nodes * options->ppn;
    const char *wrong = NULL;
    if (!allfold_tool_check_collective("simulate", options->collective) ||
        !allfold_tool_check_placement("simulate", options->placement))
        return false;
    if (p > MOST_RANKS)
        wrong = "more than 16777216 ranks; expected fewer --nodes or --ppn";
    else if (options->table != NULL && options->trace == NULL)
        wrong = "--table is for the calls of --trace; expected a trace beside it";
    else if (options->trace != NULL && options->algorithm_count > 0)
        wrong = "--trace has its own calls; expected no --algorithm beside it";
    else if (options->root >= p)
        wrong = "the root is not below the number of ranks";
    else if (options->parameters[0] != '\0' &&
             (options->algorithm_count != 1 || strcmp(options->algorithms[0], "all") == 0))
        wrong = "--parameter is for one algorithm, named by --algorithm";
    for (int i = 0; i < options->size_count; i++)
        if (options->bytes[i] % options->element_bytes != 0)
            wrong = "--bytes is no multiple of an element's; --element says how long one is";
    if (wrong != NULL)
        fprintf(stderr, "allfold simulate: %s\n", wrong);
    return wrong == NULL;
}

/* Reads them; ends the program where one cannot be read. False, with a message for the user, where
 * they do not fit together. */
static bool read_options(int argc, char **argv, struct simulate_options *options)
{
    const struct argp argp = {
        option_list,
        parse,
        NULL,
        "Simulates algorithms on a network, by discrete events over the schedules of all ranks, "
        "and prints their times, the fastest first. No MPI is needed.\v\"Over bound\" is the time "
        "over a lower bound of latency and bandwidth, which no algorithm can pass. Rounds are as "
        "claimed: messages one after the other. A card is a node's way to the network. Messages "
        "out are "
        "those between nodes that the busiest rank sends.\n\nExit status: 0 all that was asked "
        "for by name was simulated, 1 not all of it, 2 wrong usage.",
        NULL,
        NULL,
        NULL};
    *options = (struct simulate_options){.collective = "allreduce",
                                         .nodes = 4,
                                         .ppn = 8,
                                         .window = ALLFOLD_SIMULATED_WINDOW,
                                         .bytes = {8},
                                         .size_count = 1,
                                         .element_bytes = 8,
                                         .memory_bytes = (size_t)2 << 30,
                                         .placement = "block",
                                         .network = "cluster"};
    argp_parse(&argp, argc, argv, 0, NULL, options);
    const bool is_right = check(options);
    if (options->algorithm_count == 0)
        options->algorithms[options->algorithm_count++] = "all";
    return is_right;
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

/* Of the column of names: that of the longest one. */
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

static void print_csv_links(const struct allfold_simulated *of)
{
    for (int i = 0; i < of->class_count; i++)
        printf("%s%s=%llu/%llu", i == 0 ? "\"" : ";", of->classes[i].name,
               (unsigned long long)of->classes[i].bytes,
               (unsigned long long)of->classes[i].most_bytes);
    printf("%s\n", of->class_count > 0 ? "\"" : "");
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
        print_csv_links(run->reason[0] == '\0' ? of : &(struct allfold_simulated){.steps = 0});
    }
}

static json_t *json_links(const struct allfold_simulated *of)
{
    json_t *classes = json_array();
    for (int i = 0; i < of->class_count; i++) {
        json_t *one = json_object();
        allfold_json_set_text(one, "class", of->classes[i].name);
        allfold_json_set_number(one, "links", (double)of->classes[i].links);
        allfold_json_set_number(one, "bytes", (double)of->classes[i].bytes);
        allfold_json_set_number(one, "busiest", (double)of->classes[i].most_bytes);
        json_array_append_new(classes, one);
    }
    return classes;
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
        json_object_set_new(object, "links", json_links(of));
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
    bool is_all; /* every algorithm, whether it serves or not */
    struct allfold_network network;
    struct allfold_tool_placed placed;
    struct allfold_table *table; /* or NULL */
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
    const bool shows = isatty(STDERR_FILENO) != 0;
    int simulated = 0;
    for (int i = 0; i < job->count; i++) {
        struct allfold_simulation *of = &job->runs[i].of;
        of->bytes = options->bytes[number];
        of->element_bytes = options->element_bytes;
        of->root = options->root;
        of->nodes = job->placed.nodes;
        of->hosts = job->placed.hosts;
        of->network = &job->network;
        of->window = (uint32_t)options->window;
        of->memory_bytes = options->memory_bytes;
        run_one(&job->runs[i], shows);
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
                                 .is_last = number + 1 == options->size_count});
    fflush(stdout);
    return simulated;
}

static int run(struct job *job, const struct simulate_options *options)
{
    int status = 0;
    if (!allfold_tool_place("simulate", options->placement, options->nodes, options->ppn,
                            &job->placed))
        return 1;
    if (!allfold_tool_group("simulate", options->placement, &job->network, job->placed.hosts,
                            job->placed.nodes)) {
        allfold_tool_placed_free(&job->placed);
        return 1;
    }
    for (int i = 0; i < options->size_count; i++) {
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
        .placement = options->placement,
        .network = &job->network,
        .guides = {.tables = {[ALLFOLD_USERS_TABLE] = job->table}},
        .memory_bytes = options->memory_bytes};
    return allfold_simulate_trace(options->trace, &machine, options->format);
}

int allfold_tool_simulate(int argc, char **argv)
{
    enum { WRONG_USAGE = 2 };
    struct simulate_options options;
    struct job *job = calloc(1, sizeof *job);
    char message[600] = "no memory";
    int status = WRONG_USAGE;
    if (!read_options(argc, argv, &options)) {
        free(job);
        return status;
    }
    if (job == NULL ||
        allfold_tool_network(options.network, &job->network, message, sizeof message) !=
            ALLFOLD_OK ||
        (options.table != NULL &&
         allfold_table_read(options.table, allfold_table_parse, &job->table, message,
                            sizeof message) != ALLFOLD_OK)) {
        fprintf(stderr, "allfold simulate: %s\n", message);
    } else if (options.shows_network) {
        allfold_network_write(&job->network, stdout);
        status = 0;
    } else if (options.trace != NULL) {
        status = simulate_trace(job, &options);
    } else if (add_algorithms(job, &options)) {
        status = run(job, &options);
    }
    if (job != NULL) {
        allfold_table_free(job->table);
        allfold_network_clear(&job->network);
    }
    free(job);
    return status;
}
