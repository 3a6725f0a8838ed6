/* `allfold show`: the picture of an algorithm, made from its schedules. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"
#include "placing.h"
#include "json.h"
#include "cost/walk.h"
#include "lab/picture/picture.h"
#include "lab/picture/traffic.h"
#include "platform.h"
#include "select/rules.h"
#include "tools.h"
#include "util/number.h"

/* For so many ranks that there is no picture. */
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

struct options {
    const char *algorithm;
    const char *format;
    int p, root, count;
    char parameters[ALLFOLD_PARAMETER_BYTES]; /* "NAME=VALUE,NAME=VALUE" */
    const char *nodes;
    const char *network;
    struct lost lost;
    size_t begins[ALLFOLD_PICTURE_RANKS + 1], longest; /* of blocks */
    int blocks;                                        /* how many; 0: all are alike */
};

/* "3,0,5": a block for each rank. */
static void parse_blocks(struct argp_state *state, const char *text, struct options *options)
{
    enum { LONGEST = 1 << 16 };
    const char *at = text;
    long length;
    int p = 0;
    do {
        if (p == ALLFOLD_PICTURE_RANKS || !allfold_whole_read(at, 0, LONGEST, &length, &at))
            argp_error(state, "--blocks %s: expected the lengths of up to %d blocks, like 3,0,5",
                       text, ALLFOLD_PICTURE_RANKS);
        options->begins[p + 1] = options->begins[p] + (size_t)length;
        options->longest = (size_t)length > options->longest ? (size_t)length : options->longest;
        p++;
    } while (*at++ == ',');
    if (at[-1] != '\0')
        argp_error(state, "--blocks %s: expected lengths and commas, like 3,0,5", text);
    options->blocks = options->p = p;
}

static void parse_lost(struct argp_state *state, const char *text, struct lost *lost)
{
    int end = 0;
    *lost = (struct lost){.is_set = true};
    if (sscanf(text, "%5d:%5d%n:%5d%n", &lost->from, &lost->to, &end, &lost->number, &end) < 2 ||
        text[end] != '\0' || lost->from < 0 || lost->to < 0 || lost->number < 0)
        argp_error(state, "--lose %s: expected FROM:TO or FROM:TO:NUMBER, like 1:0", text);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'p':
        options->p = allfold_tool_number(state, "-p", argument, 1, LARGEST_P);
        return 0;
    case 'r':
        options->root = allfold_tool_number(state, "--root", argument, 0, LARGEST_P - 1);
        return 0;
    case 'n':
        options->count = allfold_tool_number(state, "--count", argument, 1, 1 << 20);
        return 0;
    case 'b':
        parse_blocks(state, argument, options);
        return 0;
    case 'f':
        options->format = argument;
        return 0;
    case 'P':
        allfold_tool_add_parameter(options->parameters, argument, state);
        return 0;
    case 'N':
        options->nodes = argument;
        return 0;
    case 'w':
        options->network = argument;
        return 0;
    case 'l':
        parse_lost(state, argument, &options->lost);
        return 0;
    case ARGP_KEY_ARG:
        if (options->algorithm != NULL)
            argp_error(state, "'%s' is one word too many", argument);
        options->algorithm = argument;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no algorithm is named; expected one like allreduce.ring");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {"ranks", 'p', "P", 0, "number of ranks (preset: 8); a summary above 64", 0},
    {"root", 'r', "ROOT", 0, "root of a reduce or broadcast (preset: 0)", 0},
    {"count", 'n', "N", 0, "elements of the vector (preset: one for each block)", 0},
    {"blocks", 'b', "LENGTHS", 0,
     "lengths of the ranks' blocks where these may be any, like 3,0,5: so many ranks", 0},
    {"format", 'f', "FORMAT", 0, "text, svg, html or json (preset: text)", 0},
    {"nodes", 'N', "PLACEMENT", 0,
     "placement of the ranks, like 4x2 or 3,1,2 (preset: four on each node); for algorithms that "
     "need nodes",
     0},
    {"network", 'w', "NAME|FILE", 0,
     "what the algorithm puts on the links of a network with a topology, like 'torus 4x4'; node i "
     "is host i, one rank on each unless --nodes says otherwise",
     0},
    {"parameter", 'P', "NAME=VALUE", 0,
     "a parameter of the algorithm, like segment=8; may be given for each of them", 0},
    {"lose", 'l', "FROM:TO[:NUMBER]", 0,
     "as if rank FROM never sent its message NUMBER to rank TO (preset: 0, the first): what is "
     "sent "
     "all the same, and in red what never comes",
     0},
    {0},
};

static bool find_format(const char *name, enum format *format)
{
    static const char *const names[] = {"text", "svg", "json", "html"};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) {
            *format = (enum format)i;
            return true;
        }
    fprintf(stderr, "allfold show: '%s' is no format; expected text, svg, html or json\n", name);
    return false;
}

/* That the algorithm serves so many ranks with these parameters; else says what it needs. */
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

/* Takes a message out of the schedules: its send does nothing any more. False where there is none.
 */
static bool lose_message(const struct options *options, struct allfold_schedule **schedules)
{
    const struct lost *lost = &options->lost;
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

static int show_picture(const struct allfold_case *of, const struct options *options,
                        enum format format)
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
    if (error == ALLFOLD_OK && options->lost.is_set && !lose_message(options, schedules)) {
        allfold_case_free(of, schedules);
        return WRONG_USAGE;
    }
    struct allfold_picture picture = {.marks = NULL};
    if (error == ALLFOLD_OK)
        error = allfold_picture_make_of(of, schedules, &picture);
    picture.in_color = isatty(STDOUT_FILENO) != 0 && getenv("NO_COLOR") == NULL;
    if (error == ALLFOLD_OK && !shows[format](of, &picture, stdout))
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

static int show_served(struct allfold_case *of, const struct options *options,
                       const struct allfold_network *network, enum format format)
{
    if (!is_served(of))
        return 1;
    if (options->blocks == 0)
        of->count = options->count > 0 ? (size_t)options->count : natural_count(of);
    return options->network != NULL        ? show_traffic(of, network, format)
           : of->p > ALLFOLD_PICTURE_RANKS ? show_summary(of)
                                           : show_picture(of, options, format);
}

/* False with a message for the user. */
static bool read_network(const char *name, struct allfold_network *network)
{
    char message[600] = "no memory";
    bool is_right = allfold_tool_network(name, network, message, sizeof message) == ALLFOLD_OK;
    if (is_right && network->graph == NULL) {
        snprintf(message, sizeof message,
                 "network %s has no topology; expected one that has, like 'torus 4x4'", name);
        is_right = false;
    }
    if (!is_right)
        fprintf(stderr, "allfold show: %s\n", message);
    return is_right;
}

/* The nodes of the case, and the groups that they are in. False with a message for the user. */
static bool find_nodes(const struct allfold_case *of, const struct options *options,
                       const struct allfold_network *network, struct allfold_nodes **nodes)
{
    char one_each[32];
    const bool is_each = options->nodes == NULL && options->network != NULL;
    snprintf(one_each, sizeof one_each, "%dx1", of->p);
    *nodes = NULL;
    if (options->nodes == NULL && options->network == NULL &&
        (of->algorithm->needs & ALLFOLD_NEEDS_NODES) == 0)
        return true;
    *nodes = allfold_tool_nodes("show", of->algorithm, is_each ? one_each : options->nodes, of->p);
    if (*nodes == NULL)
        return false;
    return options->network != NULL
               ? allfold_tool_group("show", NULL, network, NULL, *nodes)
               : allfold_tool_assume_network("show", of->algorithm, &of->parameters, *nodes);
}

static int show_case(struct allfold_case *of, const struct options *options, enum format format)
{
    struct allfold_nodes *nodes = NULL;
    static struct allfold_network network;
    int status = WRONG_USAGE;
    if ((options->network == NULL || read_network(options->network, &network)) &&
        find_nodes(of, options, &network, &nodes)) {
        of->nodes = nodes;
        status = show_served(of, options, &network, format);
    }
    allfold_nodes_free(nodes);
    allfold_network_clear(&network);
    return status;
}

int allfold_tool_show(int argc, char **argv)
{
    struct options options = {.p = 8, .format = "text"};
    struct allfold_case of = {.algorithm = NULL};
    enum format format;
    const struct argp argp = {
        option_list,
        parse,
        "ALGORITHM",
        "Shows an algorithm, from its schedules: who sends what to whom in which round, and what "
        "is reduced. ALGORITHM is like allreduce.halving_doubling or ring(segment=8). A-D 0-1 "
        "means elements A to D, reduced over ranks 0 to 1.",
        NULL,
        NULL,
        NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (!allfold_tool_find_algorithm("show", options.algorithm, options.parameters, &of.algorithm,
                                     &of.parameters) ||
        !find_format(options.format, &format))
        return WRONG_USAGE;
    if (options.root >= options.p) {
        fprintf(stderr, "allfold show: root %d is not below the number of ranks, %d\n",
                options.root, options.p);
        return WRONG_USAGE;
    }
    if (options.root > 0 && !allfold_traits(of.algorithm->collective)->has_root) {
        fprintf(stderr, "allfold show: %s has no root\n",
                allfold_collective_name(of.algorithm->collective));
        return WRONG_USAGE;
    }
    if (options.blocks > 0 && (options.p != options.blocks || options.count > 0 ||
                               !allfold_traits(of.algorithm->collective)->blocks_differ)) {
        fprintf(stderr, "allfold show: --blocks says how many ranks and elements there are, of "
                        "reduce_scatter and allgatherv\n");
        return WRONG_USAGE;
    }
    if (options.lost.is_set && (options.lost.from >= options.p || options.lost.to >= options.p)) {
        fprintf(stderr, "allfold show: --lose %d:%d: the ranks are 0 to %d\n", options.lost.from,
                options.lost.to, options.p - 1);
        return WRONG_USAGE;
    }
    if (options.network != NULL && format == FORMAT_HTML) {
        fprintf(stderr, "allfold show: --network is drawn as text, svg or json\n");
        return WRONG_USAGE;
    }
    if (options.network != NULL && options.lost.is_set) {
        fprintf(stderr, "allfold show: --lose is not for --network\n");
        return WRONG_USAGE;
    }
    if (options.p > ALLFOLD_PICTURE_RANKS && options.lost.is_set) {
        fprintf(stderr, "allfold show: --lose is for up to %d ranks\n", ALLFOLD_PICTURE_RANKS);
        return WRONG_USAGE;
    }
    if (options.p > ALLFOLD_PICTURE_RANKS && format != FORMAT_TEXT && options.network == NULL) {
        fprintf(stderr,
                "allfold show: %s is for up to %d ranks; --format text gives a summary of more\n",
                options.format, ALLFOLD_PICTURE_RANKS);
        return WRONG_USAGE;
    }
    of.p = options.p;
    of.root = options.root;
    of.count = options.blocks > 0 ? options.longest : 1;
    of.begins = options.blocks > 0 ? options.begins : NULL;
    of.commutes = true;
    return show_case(&of, &options, format);
}
