/* `allfold show`: draws an algorithm from its schedules. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "options.h"
#include "placing.h"
#include "json.h"
#include "cost/walk.h"
#include "lab/picture/picture.h"
#include "lab/picture/traffic.h"
#include "simgrid_platform.h"
#include "select/rules.h"
#include "tools.h"
#include "util/number.h"

/* Prints a summary, for more ranks than a picture can show. */
static void print_summary(const struct allfold_case *of, const struct allfold_cost *cost)
{
    char title[400];
    allfold_case_title(of, title, sizeof title);
    printf("%s\n", title);
    allfold_cost_print(cost, stdout);
    printf("(a picture is drawn for up to %d ranks)\n", ALLFOLD_PICTURE_RANKS);
}

static json_t *json_of(const struct allfold_mark *mark)
{
    static const char *const kinds[] = {[ALLFOLD_MARK_MESSAGE] = "message",
                                        [ALLFOLD_MARK_REDUCTION] = "reduction",
                                        [ALLFOLD_MARK_LOST] = "never received",
                                        [ALLFOLD_MARK_UNSENT] = "never sent",
                                        [ALLFOLD_MARK_STUCK] = "never goes"};
    json_t *object = json_object();
    allfold_json_set_text(object, "kind", kinds[mark->kind]);
    allfold_json_set_number(object, "round", (double)mark->round);
    allfold_json_set_number(object, "from", mark->from);
    allfold_json_set_number(object, "to", mark->to);
    allfold_json_set_number(object, "elements", (double)mark->elements);
    allfold_json_set_text(object, "label", mark->label);
    return object;
}

static bool print_json(const struct allfold_case *of, const struct allfold_picture *picture,
                       FILE *stream)
{
    char name[ALLFOLD_NAME_BYTES];
    json_t *object = json_object(), *marks = json_array();
    allfold_algorithm_write(of->algorithm, &of->parameters, name, sizeof name);
    allfold_json_set_text(object, "collective", allfold_collective_name(of->algorithm->collective));
    allfold_json_set_text(object, "algorithm", name);
    allfold_json_set_number(object, "p", of->p);
    allfold_json_set_number(object, "root", of->root);
    allfold_json_set_number(object, "count", (double)of->count);
    allfold_json_set_number(object, "rounds", (double)picture->cost.rounds);
    allfold_json_set_number(object, "sent", (double)picture->cost.sent);
    allfold_json_set_number(object, "reduced", (double)picture->cost.reduced);
    if (picture->blame.kind != ALLFOLD_BLAME_NOTHING) {
        allfold_json_set_text(object, "fault", allfold_blame_kind_name(picture->blame.kind));
        allfold_json_set_text(object, "blame", picture->blame.text);
    }
    for (uint32_t i = 0; i < picture->mark_count; i++)
        json_array_append_new(marks, json_of(&picture->marks[i]));
    json_object_set_new(object, "marks", marks);
    return allfold_json_print(object, stream);
}

static void print_json_traffic(const struct allfold_case *of, const char *network,
                               const struct allfold_traffic *traffic, FILE *stream)
{
    char name[ALLFOLD_NAME_BYTES];
    json_t *object = json_object(), *classes = json_array();
    allfold_algorithm_write(of->algorithm, &of->parameters, name, sizeof name);
    allfold_json_set_text(object, "collective", allfold_collective_name(of->algorithm->collective));
    allfold_json_set_text(object, "algorithm", name);
    allfold_json_set_text(object, "network", network);
    allfold_json_set_number(object, "p", of->p);
    allfold_json_set_number(object, "count", (double)of->count);
    for (int i = 0; i < traffic->class_count; i++) {
        const struct allfold_traffic_class *in = &traffic->classes[i];
        json_t *one = json_object();
        allfold_json_set_text(one, "class", in->name);
        allfold_json_set_number(one, "links", in->links);
        allfold_json_set_number(one, "used", in->used);
        allfold_json_set_number(one, "elements", (double)in->elements);
        allfold_json_set_number(one, "busiest", (double)in->most);
        allfold_json_set_number(one, "load", in->load);
        json_array_append_new(classes, one);
    }
    json_object_set_new(object, "links", classes);
    if (!allfold_json_print(object, stream))
        fprintf(stderr, "allfold show: no memory\n");
}

enum { WRONG_USAGE = 2, LARGEST_P = 1 << 14 };

enum format { FORMAT_TEXT, FORMAT_SVG, FORMAT_JSON, FORMAT_HTML };

/* A message that is left out: number `number` from one rank to another. */
struct lost {
    bool is_set;
    int from, to, number;
};

/* What is to be shown. */
struct shown {
    const char *algorithm;
    enum format format;
    int p, root;
    size_t count;
    struct lost lost;
    size_t begins[ALLFOLD_PICTURE_RANKS + 1], longest; /* of blocks */
    int blocks; /* number of blocks; 0: all have the same length */
};

static const struct allfold_taken taken[] = {
    ALLFOLD_TAKES_AS(ranks, 0, "number of ranks; a summary above 64"),
    ALLFOLD_TAKES(root),
    ALLFOLD_TAKES_AS(count, 0, "elements of the vector, or of each block: 3,0,5"),
    ALLFOLD_TAKES(parameter),
    ALLFOLD_TAKES_AS(nodes, 0, "placement of the ranks, like 4x2 or 3,1,2"),
    ALLFOLD_TAKES_AS(network, 0, "load on its links; without ALGORITHM, the network"),
    ALLFOLD_TAKES_AS(format, 0, "text, svg, html or json"),
    ALLFOLD_TAKES(lose),
};

static const struct allfold_command command = {
    .words = "ALGORITHM",
    .most = 1,
    .text = "Shows an algorithm, from its schedules: who sends what to whom in which round.\n"
            "ALGORITHM is like allreduce.halving_doubling or ring(segment=8). A-D 0-1 means\n"
            "elements A to D, reduced over ranks 0 to 1.",
    .taken = taken,
    .count = sizeof taken / sizeof *taken,
};

/* "3,0,5": a block for each rank. */
static void read_blocks(const struct allfold_options *options, struct shown *shown)
{
    enum { LONGEST = 1 << 16 };
    const char *at = options->count;
    long length;
    int p = 0;
    do {
        if (p == ALLFOLD_PICTURE_RANKS || !allfold_whole_read(at, 0, LONGEST, &length, &at))
            allfold_options_refuse(options,
                                   "--count %s: expected the lengths of up to %d blocks, like "
                                   "3,0,5",
                                   options->count, ALLFOLD_PICTURE_RANKS);
        shown->begins[p + 1] = shown->begins[p] + (size_t)length;
        shown->longest = (size_t)length > shown->longest ? (size_t)length : shown->longest;
        p++;
    } while (*at++ == ',');
    if (at[-1] != '\0')
        allfold_options_refuse(options, "--count %s: expected lengths and commas, like 3,0,5",
                               options->count);
    if (options->given[ALLFOLD_OPTION_ranks] && shown->p != p)
        allfold_options_refuse(options, "--count says how many ranks there are, which --ranks "
                                        "says otherwise");
    shown->blocks = shown->p = p;
}

static void read_lost(const struct allfold_options *options, struct lost *lost)
{
    const char *text = options->lose;
    int end = 0;
    *lost = (struct lost){.is_set = true};
    if (sscanf(text, "%5d:%5d%n:%5d%n", &lost->from, &lost->to, &end, &lost->number, &end) < 2 ||
        text[end] != '\0' || lost->from < 0 || lost->to < 0 || lost->number < 0)
        allfold_options_refuse(options, "--lose %s: expected FROM:TO or FROM:TO:NUMBER, like 1:0",
                               text);
}

static enum format find_format(const struct allfold_options *options)
{
    static const char *const names[] = {"text", "svg", "json", "html"};
    for (int i = 0; i < 4; i++)
        if (strcmp(options->format, names[i]) == 0)
            return (enum format)i;
    allfold_options_refuse(options, "'%s' is no format; expected text, svg, html or json",
                           options->format);
}

/* Returns whether the algorithm can be used for that many ranks with these parameters; if not,
 * prints what it needs. */
static bool is_served(const struct allfold_case *of)
{
    const struct allfold_problem problem = allfold_case_problem(of, 0);
    const char *unmet = allfold_unmet_need(of->algorithm, &problem, &of->parameters);
    char name[ALLFOLD_NAME_BYTES];
    if (unmet == NULL)
        return true;
    allfold_algorithm_write(of->algorithm, &of->parameters, name, sizeof name);
    fprintf(stderr, "allfold show: %s.%s does not serve %d rank%s: it needs %s\n",
            allfold_collective_name(of->algorithm->collective), name, of->p, of->p == 1 ? "" : "s",
            unmet);
    return false;
}

/* One element for each block of the algorithm. */
static size_t natural_count(const struct allfold_case *of)
{
    return allfold_case_claim(of).divisor;
}

static int show_summary(const struct allfold_case *of)
{
    char message[400] = "";
    struct allfold_schedule **schedules;
    struct allfold_cost cost;
    enum allfold_error error = allfold_case_build(of, &schedules, message, sizeof message);
    if (error == ALLFOLD_OK) {
        const struct allfold_claim claim = allfold_case_claim(of);
        error = allfold_walk((const struct allfold_schedule *const *)schedules, of->p,
                             allfold_claim_ports(&claim), &cost, message, sizeof message);
    }
    if (error == ALLFOLD_OK)
        print_summary(of, &cost);
    else
        fprintf(stderr, "allfold show: %s\n", message);
    allfold_case_free(of, schedules);
    return error != ALLFOLD_OK;
}

/* Removes a message from the schedules: its send does nothing. Returns false if there is no such
 * message. */
static bool lose_message(const struct lost *lost, struct allfold_schedule **schedules)
{
    struct allfold_schedule *schedule = schedules[lost->from];
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        struct allfold_step *step = &schedule->steps[i];
        if (step->kind != ALLFOLD_STEP_SEND || step->peer != lost->to ||
            step->number != (uint32_t)lost->number)
            continue;
        step->kind = ALLFOLD_STEP_COPY; /* of nothing */
        step->peer = -1;
        step->length = 0;
        step->buffer[0] = step->buffer[1] = ALLFOLD_OUT;
        step->offset[0] = step->offset[1] = 0;
        return true;
    }
    fprintf(stderr,
            "allfold show: rank %d sends no message %d to rank %d; --format json lists "
            "what goes where\n",
            lost->from, lost->number, lost->to);
    return false;
}

static int show_picture(const struct allfold_case *of, const struct shown *shown)
{
    static bool (*const shows[])(const struct allfold_case *, const struct allfold_picture *,
                                 FILE *) = {
        [FORMAT_TEXT] = allfold_picture_write_text,
        [FORMAT_SVG] = allfold_picture_write_svg,
        [FORMAT_HTML] = allfold_picture_write_html,
        [FORMAT_JSON] = print_json,
    };
    char message[400] = "";
    struct allfold_schedule **schedules;
    enum allfold_error error = allfold_case_build(of, &schedules, message, sizeof message);
    if (error == ALLFOLD_OK && shown->lost.is_set && !lose_message(&shown->lost, schedules)) {
        allfold_case_free(of, schedules);
        return WRONG_USAGE;
    }
    struct allfold_picture picture = {.marks = NULL};
    if (error == ALLFOLD_OK)
        error = allfold_picture_make_from_schedules(of, schedules, &picture);
    picture.in_color = isatty(STDOUT_FILENO) != 0 && getenv("NO_COLOR") == NULL;
    if (error == ALLFOLD_OK && !shows[shown->format](of, &picture, stdout))
        error = ALLFOLD_NO_MEMORY;
    if (error == ALLFOLD_NO_MEMORY)
        fprintf(stderr, "allfold show: no memory for so many messages; try fewer ranks with -p\n");
    else if (error != ALLFOLD_OK)
        fprintf(stderr, "allfold show: %s\n", message);
    allfold_picture_free(&picture);
    allfold_case_free(of, schedules);
    return error != ALLFOLD_OK;
}

/* What goes over which links of the network. */
static int show_traffic(const struct allfold_case *of, const struct allfold_network *network,
                        enum format format)
{
    static void (*const shows[])(const struct allfold_case *, const char *,
                                 const struct allfold_traffic *, FILE *) = {
        [FORMAT_TEXT] = allfold_traffic_write_text,
        [FORMAT_SVG] = allfold_traffic_write_svg,
        [FORMAT_JSON] = print_json_traffic,
    };
    char message[600] = "no memory";
    struct allfold_schedule **schedules = NULL;
    struct allfold_traffic traffic;
    enum allfold_error error = allfold_case_build(of, &schedules, message, sizeof message);
    if (error == ALLFOLD_OK)
        error =
            allfold_traffic_count(of, schedules, network->graph, &traffic, message, sizeof message);
    if (error == ALLFOLD_OK)
        shows[format](of, network->name, &traffic, stdout);
    else
        fprintf(stderr, "allfold show: %s\n", message);
    if (schedules != NULL)
        allfold_case_free(of, schedules);
    return error == ALLFOLD_BAD_INPUT ? WRONG_USAGE : error != ALLFOLD_OK;
}

static int show_served(struct allfold_case *of, const struct allfold_options *options,
                       const struct shown *shown, const struct allfold_network *network)
{
    if (!is_served(of))
        return 1;
    if (shown->blocks == 0)
        of->count = shown->count > 0 ? shown->count : natural_count(of);
    return options->network[0] != '\0'     ? show_traffic(of, network, shown->format)
           : of->p > ALLFOLD_PICTURE_RANKS ? show_summary(of)
                                           : show_picture(of, shown);
}

/* Prints a message and returns false if that fails. */
static bool read_network(const char *name, struct allfold_network *network)
{
    char message[600] = "no memory";
    if (allfold_tool_network(name, network, message, sizeof message) == ALLFOLD_OK)
        return true;
    fprintf(stderr, "allfold show: %s\n", message);
    return false;
}

/* Finds the nodes of the case, and their groups. Prints a message and returns false if that
 * fails. */
static bool find_nodes(const struct allfold_case *of, const struct allfold_options *options,
                       const struct allfold_network *network, const struct allfold_nodes **nodes)
{
    char one_each[32];
    const bool has_network = options->network[0] != '\0';
    snprintf(one_each, sizeof one_each, "%dx1", of->p);
    *nodes = NULL;
    if (options->nodes == NULL && !has_network && (of->algorithm->needs & ALLFOLD_NEEDS_NODES) == 0)
        return true;
    *nodes = allfold_tool_nodes("show", of->algorithm,
                                options->nodes == NULL && has_network ? one_each : options->nodes,
                                of->p);
    if (*nodes == NULL)
        return false;
    return has_network ? allfold_tool_group("show", NULL, network, NULL, nodes)
                       : allfold_tool_assume_network("show", of->algorithm, &of->parameters, nodes);
}

static int show_case(struct allfold_case *of, const struct allfold_options *options,
                     const struct shown *shown)
{
    const struct allfold_nodes *nodes = NULL;
    static struct allfold_network network;
    int status = WRONG_USAGE;
    if (options->network[0] != '\0' && !read_network(options->network, &network))
        return WRONG_USAGE;
    if (options->network[0] != '\0' && network.graph == NULL) {
        fprintf(stderr,
                "allfold show: network %s has no topology; expected one that has, like 'torus "
                "4x4'\n",
                network.name);
    } else if (find_nodes(of, options, &network, &nodes)) {
        of->nodes = nodes;
        status = show_served(of, options, shown, &network);
    }
    allfold_nodes_free(nodes);
    allfold_network_clear(&network);
    return status;
}

/* As a network file has it. */
static int show_network(const char *name)
{
    static struct allfold_network network;
    if (!read_network(name, &network))
        return WRONG_USAGE;
    allfold_network_write(&network, stdout);
    allfold_network_clear(&network);
    return 0;
}

/* Returns which options contradict the algorithm or each other; NULL if none do. */
static const char *find_wrong(const struct allfold_algorithm *algorithm,
                              const struct allfold_options *options, const struct shown *shown)
{
    const struct allfold_traits *traits = allfold_traits(algorithm->collective);
    const bool has_network = options->network[0] != '\0',
               is_large = shown->p > ALLFOLD_PICTURE_RANKS;
    if (shown->root >= shown->p)
        return "the root is not below the number of ranks";
    if (shown->root > 0 && !traits->has_root)
        return "the collective has no root";
    if (shown->blocks > 0 && !traits->blocks_differ)
        return "--count with several lengths is for the blocks of reduce_scatter and allgatherv";
    if (shown->lost.is_set && (shown->lost.from >= shown->p || shown->lost.to >= shown->p))
        return "--lose: no such rank; --ranks says how many there are";
    if (has_network && shown->format == FORMAT_HTML)
        return "--network is drawn as text, svg or json";
    if (has_network && shown->lost.is_set)
        return "--lose is not for --network";
    if (is_large && shown->lost.is_set)
        return "--lose is for up to 64 ranks";
    if (is_large && shown->format != FORMAT_TEXT && !has_network)
        return "pictures are for up to 64 ranks; --format text gives a summary of more";
    return NULL;
}

int allfold_tool_show(int argc, char **argv)
{
    static struct allfold_options options = {.ranks = "8", .root = "0", .format = "text"};
    static struct shown shown;
    struct allfold_case of = {.algorithm = NULL};
    allfold_options_read(&command, argc, argv, &options);
    if (options.word_count == 0 && options.network[0] != '\0')
        return show_network(options.network);
    if (options.word_count == 0)
        allfold_options_refuse(&options, "no algorithm is named; expected one like allreduce.ring");
    shown.p = allfold_options_number(&options, "--ranks", options.ranks, 1, LARGEST_P);
    shown.root = allfold_options_number(&options, "--root", options.root, 0, LARGEST_P - 1);
    shown.format = find_format(&options);
    if (options.lose != NULL)
        read_lost(&options, &shown.lost);
    if (options.count != NULL && strchr(options.count, ',') != NULL)
        read_blocks(&options, &shown);
    else if (options.count != NULL)
        shown.count =
            (size_t)allfold_options_number(&options, "--count", options.count, 1, 1 << 20);
    if (!allfold_tool_find_algorithm(options.words[0], &options, &of.algorithm, &of.parameters))
        return WRONG_USAGE;
    const char *wrong = find_wrong(of.algorithm, &options, &shown);
    if (wrong != NULL)
        allfold_options_refuse(&options, "%s", wrong);
    of.p = shown.p;
    of.root = shown.root;
    of.count = shown.blocks > 0 ? shown.longest : 1;
    of.begins = shown.blocks > 0 ? shown.begins : NULL;
    of.commutes = true;
    return show_case(&of, &options, &shown);
}
