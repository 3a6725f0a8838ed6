/* `allfold explain`: what is chosen for a call, by what, and why nothing else is. */
#include <argp.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/nodes.h"
#include "common.h"
#include "job.h"
#include "json.h"
#include "kernels/kernels.h"
#include "on_network.h"
#include "on_trace.h"
#include "placing.h"
#include "platform.h"
#include "select/choose.h"
#include "select/settings.h"
#include "select/table_file.h"
#include "tools.h"
#include "util/quantity.h"

enum { EXPLAIN_MOST = 128, EXPLAIN_TEXT = 240 };

/* An algorithm that was not chosen, or was. */
struct explained {
    char name[ALLFOLD_NAME_BYTES];
    char reason[EXPLAIN_TEXT];
    bool is_chosen, cannot_serve;
};

struct explanation {
    struct allfold_problem problem;
    size_t bytes;
    const char *type, *operation; /* NULL where the collective has no operation */
    bool commutes;                /* the operation: the problem may be asked without using that */
    struct allfold_choice choice;
    const char *table_path; /* of the table whose row was taken; NULL: none */
    const char *rule;       /* the text of the rules where they force; NULL: they do not */
    struct explained list[EXPLAIN_MOST]; /* chosen first, what cannot serve last */
    int count;
    bool shows_all; /* algorithms, not only the first */
    struct allfold_tool_placed placed;
    struct explained_job job;             /* no rank: none was read */
    struct explained_network *on_network; /* NULL: no network is named */
};

/* --- how it is told --------------------------------------------------------------------------- */

static bool has_bytes(const struct explanation *e)
{
    return !allfold_traits(e->problem.collective)->may_repeat;
}

static void print_question(const struct explanation *e)
{
    const struct allfold_nodes *nodes = e->placed.nodes;
    char size[32];
    allfold_size_write_exact(e->bytes, size, sizeof size);
    printf("%s", allfold_collective_name(e->problem.collective));
    if (has_bytes(e))
        printf(" of %s bytes", size);
    printf(" on %d node%s of %d (%d ranks, %s", nodes->count, nodes->count == 1 ? "" : "s",
           nodes->most, e->problem.group.size, allfold_arrangement_name(nodes->arrangement));
    if (e->job.levels > 0)
        printf(", %d switch%s", e->job.switches, e->job.switches == 1 ? "" : "es");
    if (allfold_most_sockets(nodes) > 1)
        printf(", %d sockets a node", allfold_most_sockets(nodes));
    if (e->problem.shares_cores)
        printf(", more than cores");
    if (nodes->cores > 0)
        printf(", one machine with %d core%s", nodes->cores, nodes->cores == 1 ? "" : "s");
    if (e->problem.reading != ALLFOLD_READS_COPIES)
        printf(", one copy");
    if (nodes->card_mbit > 0)
        printf(", cards of %g Gbit/s", nodes->card_mbit / 1e3);
    printf(")");
    if (e->on_network != NULL)
        printf(", network %s", e->on_network->of.network->name);
    if (e->operation != NULL)
        printf(", %s of %s: %s, %s%s", e->operation, e->type,
               e->commutes ? "commutes" : "does not commute",
               e->problem.exact ? "exact" : "not exact",
               e->problem.canonical ? ", by the canonical tree" : "");
    printf("\n");
}

static void print_row(const struct explanation *e)
{
    const struct allfold_table_row *row = e->choice.row;
    if (row->us > 0)
        printf("; %s: %g us",
               row->samples > 0 || row->native_us > 0 ? "measured" : "as the table says", row->us);
    if (row->native_us > 0)
        printf(", native %g us", row->native_us);
}

/* The row of the built-in table, what it was simulated to take, and what comes next. */
static void print_simulated(const struct explanation *e)
{
    const struct allfold_simulated_row *row = e->choice.simulated;
    char size[32];
    allfold_size_write((size_t)row->at_bytes, size, sizeof size);
    printf("built-in table, row of %d x %d from %u bytes on, network %s", row->nodes, row->ppn,
           row->from_bytes, allfold_network_class_name(row->network));
    if (e->choice.is_runner_up)
        printf(", whose %s cannot serve", allfold_simulated_name(row->algorithm));
    if (has_bytes(e))
        printf("\nsimulated at %s: ", size);
    else
        printf("\nsimulated: ");
    printf("%.4g us", (double)row->us);
    const char *runner_up = allfold_simulated_name(row->runner_up);
    if (runner_up[0] != '\0')
        printf("; next is %s with %.4g us (%.2f times as long)", runner_up,
               (double)row->runner_up_us, (double)(row->runner_up_us / row->us));
}

static void print_why(const struct explanation *e)
{
    const struct allfold_choice *choice = &e->choice;
    printf("chosen: %s, by the ", e->list[0].name);
    if (e->rule != NULL) {
        printf("rule %s=%s", allfold_collective_name(e->problem.collective), e->rule);
    } else if (choice->row != NULL) {
        printf("%s table, row %u of %s",
               choice->source == ALLFOLD_CHOICE_TABLE     ? "user's"
               : choice->source == ALLFOLD_CHOICE_LEARNED ? "learned"
                                                          : "tuned",
               choice->row->number, e->table_path);
        print_row(e);
    } else if (choice->simulated != NULL) {
        print_simulated(e);
    } else {
        printf("lowest price, because nothing that the built-in table names can serve");
    }
    printf("\n");
    if (choice->passed != NULL)
        printf("passed over: row %u, %s, needs %s\n", choice->passed->number,
               choice->passed->algorithm->name, choice->unmet);
}

static void print_table(const struct explanation *e)
{
    print_question(e);
    print_why(e);
    if (e->on_network != NULL) {
        allfold_explained_print(e->on_network, stdout);
        return;
    }
    if (!e->shows_all) {
        printf("(%d algorithms; --all lists them)\n", e->count);
        return;
    }
    int width = 30;
    for (int i = 0; i < e->count; i++)
        width = (int)strlen(e->list[i].name) > width ? (int)strlen(e->list[i].name) : width;
    printf("\n%-*s  %s\n", width, "algorithm", "why");
    for (int i = 0; i < e->count; i++)
        printf("%-*s  %s\n", width, e->list[i].name, e->list[i].reason);
}

/* The row that was taken, or passed over; nothing where there is none. */
static void set_row(json_t *object, const char *name, const struct allfold_table_row *row)
{
    if (row == NULL)
        return;
    json_t *member = json_object();
    allfold_json_set_number(member, "number", row->number);
    if (row->us > 0)
        allfold_json_set_number(member, "us", row->us);
    if (row->native_us > 0)
        allfold_json_set_number(member, "native_us", row->native_us);
    json_object_set_new(object, name, member);
}

/* The row of the built-in table; nothing where the choice is not by one. */
static void set_simulated(json_t *object, const struct explanation *e)
{
    const struct allfold_simulated_row *row = e->choice.simulated;
    if (row == NULL)
        return;
    json_t *member = json_object();
    allfold_json_set_text(member, "network", allfold_network_class_name(row->network));
    allfold_json_set_number(member, "nodes", row->nodes);
    allfold_json_set_number(member, "ppn", row->ppn);
    allfold_json_set_number(member, "from_bytes", row->from_bytes);
    allfold_json_set_number(member, "at_bytes", row->at_bytes);
    allfold_json_set_text(member, "algorithm", allfold_simulated_name(row->algorithm));
    allfold_json_set_number(member, "us", (double)row->us);
    allfold_json_set_text(member, "runner_up", allfold_simulated_name(row->runner_up));
    allfold_json_set_number(member, "runner_up_us", (double)row->runner_up_us);
    json_object_set_new(object, "built_in", member);
}

static json_t *json_algorithms(const struct explanation *e)
{
    json_t *list = json_array();
    for (int i = 0; i < e->count; i++) {
        json_t *item = json_object();
        allfold_json_set_text(item, "algorithm", e->list[i].name);
        allfold_json_set_text(item, "reason", e->list[i].reason);
        json_array_append_new(list, item);
    }
    return list;
}

static void print_json(const struct explanation *e)
{
    const struct allfold_nodes *nodes = e->placed.nodes;
    json_t *object = json_object();
    allfold_json_set_text(object, "collective", allfold_collective_name(e->problem.collective));
    allfold_json_set_number(object, "bytes", (double)e->bytes);
    allfold_json_set_number(object, "nodes", nodes->count);
    allfold_json_set_number(object, "ppn", nodes->most);
    allfold_json_set_number(object, "sockets", allfold_most_sockets(nodes));
    allfold_json_set_number(object, "p", e->problem.group.size);
    allfold_json_set_text(object, "placement", allfold_arrangement_name(nodes->arrangement));
    json_object_set_new(object, "shares_cores",
                        json_boolean(e->problem.shares_cores || nodes->is_crowded));
    allfold_json_set_number(object, "card_mbit", nodes->card_mbit);
    json_object_set_new(object, "one_copy", json_boolean(e->problem.reading > 0));
    allfold_json_set_text(object, "operation", e->operation);
    allfold_json_set_text(object, "type", e->type);
    json_object_set_new(object, "commutative", json_boolean(e->commutes));
    json_object_set_new(object, "exact", json_boolean(e->problem.exact));
    json_object_set_new(object, "canonical", json_boolean(e->problem.canonical));
    allfold_json_set_text(object, "algorithm", e->list[0].name);
    allfold_json_set_text(object, "source", allfold_choice_source_name(e->choice.source));
    allfold_json_set_text(object, "rule", e->rule);
    allfold_json_set_text(object, "table", e->table_path);
    set_simulated(object, e);
    set_row(object, "row", e->choice.row);
    set_row(object, "passed_over", e->choice.passed);
    allfold_json_set_text(object, "unmet", e->choice.unmet);
    json_object_set_new(object, "algorithms", json_algorithms(e));
    if (e->on_network != NULL)
        json_object_set_new(object, "simulated", allfold_explained_json(e->on_network));
    allfold_json_print(object, stdout);
}

/* --- what is found out ------------------------------------------------------------------------ */

enum { MOST_RANKS = 1 << 24, WRONG_USAGE = 2, KEY_TRACE = 256, KEY_ONE_MACHINE, KEY_SOCKETS };

struct options {
    const char *collective, *placement, *type, *operation, *table, *mpi, *network, *job, *trace;
    int nodes, ppn, cores, sockets; /* cores and sockets: 0 where they are not given */
    size_t bytes;
    bool json, csv, all, one_machine;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    const char *end;
    const struct {
        int key;
        const char **text;
    } texts[] = {
        {'c', &options->collective}, {'l', &options->placement}, {'t', &options->type},
        {'o', &options->operation},  {'T', &options->table},     {'m', &options->mpi},
        {'n', &options->network},    {'J', &options->job},       {KEY_TRACE, &options->trace}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].key == key) {
            *texts[i].text = argument;
            return 0;
        }
    switch (key) {
    case 'N':
        options->nodes = allfold_tool_number(state, "--nodes", argument, 1, MOST_RANKS);
        return 0;
    case 'k':
        options->ppn = allfold_tool_number(state, "--ppn", argument, 1, MOST_RANKS);
        return 0;
    case 'C':
        options->cores = allfold_tool_number(state, "--cores", argument, 1, MOST_RANKS);
        return 0;
    case KEY_SOCKETS:
        options->sockets = allfold_tool_number(state, "--sockets", argument, 1, MOST_RANKS);
        return 0;
    case KEY_ONE_MACHINE:
        options->one_machine = true;
        return 0;
    case 'b':
        if (!allfold_size_read(argument, &options->bytes, &end) || *end != '\0')
            argp_error(state, "--bytes %s: expected a size like 64K", argument);
        return 0;
    case 'j':
        options->json = true;
        return 0;
    case 'a':
        options->all = true;
        return 0;
    case 'v':
        options->csv = true;
        return 0;
    case ARGP_KEY_END:
        if (options->csv && options->network == NULL && options->trace == NULL)
            argp_error(state,
                       "--csv is for --network and --trace; expected --json, or one of them");
        const bool is_placed = options->nodes > 0 || options->ppn > 0 || options->sockets > 0 ||
                               options->placement != NULL;
        if (options->trace != NULL && (options->job != NULL || is_placed || options->cores > 0))
            argp_error(state,
                       "--trace says where the ranks were; expected no --job, --nodes, --ppn, "
                       "--sockets, --cores or --placement beside it");
        if (options->job != NULL && is_placed)
            argp_error(state, "--job says where the ranks are; expected no --nodes, --ppn, "
                              "--sockets or --placement beside it");
        if (options->one_machine && (options->cores == 0 || options->job != NULL))
            argp_error(state, "--one-machine: expected --cores, the cores of that machine, and no "
                              "--job, which says it");
        if (options->nodes == 0)
            options->nodes = options->trace != NULL ? 1 : 4;
        if (options->ppn == 0)
            options->ppn = options->trace != NULL ? 1 : 8;
        if (options->placement == NULL)
            options->placement = "block";
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
    {"all", 'a', NULL, 0, "list all algorithms, not only the choice and the next four", 0},
    {"nodes", 'N', "N", 0, "number of nodes (preset: 4)", 0},
    {"ppn", 'k', "K", 0, "ranks on each node (preset: 8)", 0},
    {"cores", 'C', "N", 0,
     "cores of the node (preset: enough); where one node has more ranks, they share cores", 0},
    {"sockets", KEY_SOCKETS, "S", 0,
     "sockets of each node, whose ranks share a last-level cache (preset: 1, or those of the "
     "network)",
     0},
    {"one-machine", KEY_ONE_MACHINE, NULL, 0,
     "the nodes are containers of one machine, whose --cores they share", 0},
    {"placement", 'l', "HOW", 0,
     "block (preset), cyclic or random; block:cyclic has the ranks of a node dealt out to its "
     "sockets",
     0},
    {"bytes", 'b', "B", 0,
     "bytes of the vector, of all blocks where it is blocks, like 64K (preset: 8)", 0},
    {"op", 'o', "NAME", 0,
     "the operation: sum (preset), prod, max, ..., or noncommutative for one of a program's own "
     "that does not commute",
     0},
    {"type", 't', "NAME", 0, "the type: double (preset), float, int32, ...", 0},
    {"table", 'T', "FILE", 0, "a table, instead of ALLFOLD_TABLE", 0},
    {"mpi", 'm', "MPI", 0,
     "openmpi or mpich: its tuned table too, as a program under that MPI would have it", 0},
    {"job", 'J', "FILE", 0, "the ranks of a job, as `mpirun ... allfold info --json` has them", 0},
    {"network", 'n', "NAME|FILE", 0,
     "simulate the choice and its rivals on this network, as --network of allfold simulate", 0},
    {"trace", KEY_TRACE, "FILE", 0,
     "the calls of a program, as allfold run --trace=FILE kept them: what served each, and what "
     "the "
     "table should have",
     0},
    {"json", 'j', NULL, 0, "as JSON, for programs", 0},
    {"csv", 'v', NULL, 0, "with --network or --trace: as CSV, for programs", 0},
    {0},
};

static void complain(const char *message)
{
    fprintf(stderr, "allfold explain: %s\n", message);
}

static bool refuse(const char *what, const char *found, const char *expected)
{
    fprintf(stderr, "allfold explain: %s: '%s'; expected %s\n", what, found, expected);
    return false;
}

/* The type and operation, and what follows from them. */
static bool read_operation(const struct options *options, struct explanation *e)
{
    const enum allfold_type type = allfold_type_find(options->type);
    const enum allfold_operation operation = allfold_operation_find(options->operation);
    const bool is_own = strcmp(options->operation, "noncommutative") == 0;
    if (type == ALLFOLD_TYPE_COUNT)
        return refuse("--type", options->type, "a type like double, float, int32 or byte");
    if (operation == ALLFOLD_OPERATION_COUNT && !is_own)
        return refuse("--op", options->operation, "an operation like sum, or noncommutative");
    e->problem.element_bytes = allfold_type_bytes(type);
    e->problem.commutative = e->problem.exact = e->commutes = true;
    if (!allfold_has_operation(e->problem.collective))
        return true;
    if (!is_own && allfold_kernel_find(type, operation) == NULL)
        return refuse("--op", options->operation, "an operation that MPI allows for the type");
    e->type = options->type;
    e->operation = options->operation;
    e->problem.commutative = e->commutes = !is_own;
    e->problem.exact = !is_own && allfold_reduction_is_exact(type, operation);
    return true;
}

static bool read_job(const struct options *options, struct explanation *e)
{
    if (!allfold_explained_job_read(options->job, &e->job, &e->placed))
        return false;
    e->problem.group = allfold_group_all(e->job.count, 0);
    e->problem.one_node = e->placed.nodes->count == 1;
    return true;
}

static bool read_placement(const struct options *options, struct explanation *e)
{
    if ((int64_t)options->nodes * options->ppn > MOST_RANKS)
        return refuse("--nodes", "too many ranks", "16777216 at most");
    if (!allfold_tool_check_placement("explain", options->placement) ||
        !allfold_tool_place("explain", options->placement, options->nodes, options->ppn,
                            &e->placed))
        return false;
    if (options->sockets > 0 &&
        !allfold_tool_divide("explain", options->placement, options->sockets, e->placed.nodes))
        return false;
    e->problem.group = allfold_group_all(options->nodes * options->ppn, 0);
    e->problem.one_node = options->nodes == 1;
    return true;
}

static bool read_question(const struct options *options, struct explanation *e)
{
    if (!allfold_tool_check_collective("explain", options->collective))
        return false;
    e->problem.collective = allfold_collective_find(options->collective);
    if (!read_operation(options, e) ||
        !(options->job != NULL ? read_job : read_placement)(options, e))
        return false;
    const bool are_few = options->cores > 0 && e->problem.group.size > options->cores;
    e->problem.shares_cores = e->problem.one_node && are_few;
    if (options->one_machine && !e->problem.one_node)
        allfold_nodes_set_machine(e->placed.nodes, options->cores, e->problem.group.size);
    const bool is_barrier = allfold_traits(e->problem.collective)->may_repeat;
    size_t element = is_barrier ? 1 : e->problem.element_bytes;
    if (allfold_has_blocks(e->problem.collective))
        element *= (size_t)e->problem.group.size;
    e->problem.element_bytes = is_barrier ? 1 : e->problem.element_bytes;
    e->problem.count = is_barrier ? 1 : options->bytes / element;
    e->bytes = is_barrier ? 1 : options->bytes;
    if (e->bytes % element == 0)
        return true;
    fprintf(stderr, "allfold explain: --bytes %zu is no multiple of %zu: %s\n", e->bytes, element,
            "an element, or where it is blocks, one on each rank");
    return false;
}

/* The tables as a program would have them; paths[] are theirs. */
static bool read_tables(const struct options *options, const struct allfold_settings *settings,
                        struct allfold_guides *guides, char paths[ALLFOLD_TABLE_KINDS][PATH_MAX])
{
    const char *users = options->table != NULL ? options->table : settings->table;
    const char *mpi = options->mpi == NULL ? "" : options->mpi;
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++)
        paths[i][0] = '\0';
    if (users != NULL)
        snprintf(paths[ALLFOLD_USERS_TABLE], PATH_MAX, "%s", users);
    if (settings->learn != NULL && access(settings->learn, F_OK) == 0)
        snprintf(paths[ALLFOLD_LEARNED_TABLE], PATH_MAX, "%s", settings->learn);
    if ((options->mpi != NULL || settings->tuned_table != NULL) &&
        (!allfold_tuned_path(settings->tuned_table, mpi, paths[ALLFOLD_TUNED_TABLE], PATH_MAX) ||
         (settings->tuned_table == NULL && access(paths[ALLFOLD_TUNED_TABLE], R_OK) != 0)))
        paths[ALLFOLD_TUNED_TABLE][0] = '\0';
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++) {
        char message[ALLFOLD_MESSAGE_BYTES];
        struct allfold_table *table = NULL;
        if (paths[i][0] != '\0' && allfold_table_read(paths[i], allfold_table_parse, &table,
                                                      message, sizeof message) != ALLFOLD_OK) {
            complain(message);
            return false;
        }
        guides->tables[i] = table;
    }
    return true;
}

/* Adds an algorithm, and why it was chosen or was not. */
static void add(struct explanation *e, const struct allfold_algorithm *algorithm)
{
    struct explained *explained = &e->list[e->count];
    const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
    const char *unmet = allfold_unmet_need(algorithm, &e->problem, &presets);
    char *const reason = explained->reason;
    if (e->count == EXPLAIN_MOST)
        return;
    explained->is_chosen = algorithm == e->choice.algorithm;
    allfold_algorithm_write(algorithm, explained->is_chosen ? &e->choice.parameters : &presets,
                            explained->name, sizeof explained->name);
    if (explained->is_chosen)
        unmet = NULL;
    else if (unmet == NULL && !algorithm->consistent && !e->problem.exact)
        unmet = "an exact operation, as its ranks bracket differently";
    explained->cannot_serve = unmet != NULL;
    if (explained->is_chosen)
        snprintf(reason, EXPLAIN_TEXT, "chosen (%s)", allfold_choice_source_name(e->choice.source));
    else if (unmet != NULL)
        snprintf(reason, EXPLAIN_TEXT, "needs %s", unmet);
    else
        snprintf(reason, EXPLAIN_TEXT, "can serve");
    e->count++;
}

static void add_native(struct explanation *e)
{
    struct explained native = {.name = "native", .is_chosen = e->choice.algorithm == NULL};
    if (native.is_chosen)
        snprintf(native.reason, EXPLAIN_TEXT, "chosen (%s)",
                 allfold_choice_source_name(e->choice.source));
    else
        snprintf(native.reason, EXPLAIN_TEXT, "can serve");
    if (e->count < EXPLAIN_MOST)
        e->list[e->count++] = native;
}

static int by_rank(const void *left, const void *right)
{
    const struct explained *a = left, *b = right;
    if (a->is_chosen != b->is_chosen)
        return a->is_chosen ? -1 : 1;
    if (a->cannot_serve != b->cannot_serve)
        return a->cannot_serve ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* Asks for the canonical tree as a job does, or no longer asks for it. */
static void ask_for_tree(struct explanation *e, bool wanted)
{
    e->problem.canonical = wanted && e->operation != NULL && !e->problem.exact;
    e->problem.commutative = e->problem.canonical ? false : e->commutes;
    e->problem.nodes = allfold_nodes_for(&e->problem, e->placed.nodes);
}

/* Chooses as a job does: where a forced algorithm brackets otherwise and that is only a warning, it
 * is taken all the same. */
static enum allfold_error choose(struct explanation *e, const struct allfold_settings *settings,
                                 const struct allfold_guides *guides, char *message,
                                 size_t message_bytes)
{
    const enum allfold_reproducible mode = settings->common.reproducible;
    ask_for_tree(e, mode != ALLFOLD_REPRODUCIBLE_OFF);
    if (e->problem.canonical && allfold_reproducible_is_exact(mode))
        complain(
            "ALLFOLD_REPRODUCIBLE=exact makes calls over integers of sums (docs/reproducible.md); "
            "this is the call by the canonical tree");
    enum allfold_error error =
        allfold_choose(guides, &e->problem, &e->choice, message, message_bytes);
    if (error == ALLFOLD_UNMET_NEED && e->problem.canonical && allfold_reproducible_warns(mode)) {
        complain(message);
        ask_for_tree(e, false);
        error = allfold_choose(guides, &e->problem, &e->choice, message, message_bytes);
    }
    return error;
}

static bool explain(struct explanation *e, const struct allfold_settings *settings,
                    struct allfold_guides *guides, char paths[ALLFOLD_TABLE_KINDS][PATH_MAX])
{
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    const enum allfold_collective collective = e->problem.collective;
    guides->rules = &settings->rules[collective];
    if (settings->common.card_mbit != ALLFOLD_CARD_UNSET && !e->problem.one_node)
        allfold_nodes_set_card(e->placed.nodes, settings->common.card_mbit);
    if (settings->one_copy && e->problem.one_node && !e->problem.shares_cores)
        e->problem.reading = ALLFOLD_READS_NEAR; /* a job finds out whether cores are near */
    if (settings->rule_error[collective][0] != '\0' ||
        choose(e, settings, guides, message, sizeof message) != ALLFOLD_OK) {
        complain(message[0] != '\0' ? message : settings->rule_error[collective]);
        return false;
    }
    if (e->choice.source == ALLFOLD_CHOICE_FORCED)
        e->rule = settings->rule_text[collective];
    if (e->choice.row != NULL) {
        const enum allfold_table_kind kind =
            e->choice.source == ALLFOLD_CHOICE_TABLE     ? ALLFOLD_USERS_TABLE
            : e->choice.source == ALLFOLD_CHOICE_LEARNED ? ALLFOLD_LEARNED_TABLE
                                                         : ALLFOLD_TUNED_TABLE;
        e->table_path = paths[kind];
    }
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++)
        if (allfold_algorithms[i]->collective == collective)
            add(e, allfold_algorithms[i]);
    add_native(e);
    qsort(e->list, (size_t)e->count, sizeof *e->list, by_rank);
    return true;
}

/* Reads the network, if one is asked for, and finds the groups that the nodes are in there, and
 * their sockets, unless the job or an option says them. */
static bool place_on_network(struct explanation *e, const struct options *options,
                             struct allfold_network *network)
{
    char message[600] = "no memory";
    if (options->network == NULL)
        return true;
    if (allfold_tool_network(options->network, network, message, sizeof message) != ALLFOLD_OK) {
        complain(message);
        return false;
    }
    if (options->job != NULL && !allfold_explained_job_place(&e->job, network, &e->placed))
        return false;
    if (e->placed.nodes->groups != NULL || e->placed.nodes->cables != NULL)
        return true; /* as the job knows them, so as it chooses */
    return allfold_tool_group("explain", options->placement, network, e->placed.hosts,
                              e->placed.nodes) &&
           (options->sockets == 0 ||
            allfold_tool_divide("explain", options->placement, options->sockets, e->placed.nodes));
}

/* Holds the choice against what the network says. */
static int explain_network(struct explanation *e, const struct allfold_network *network)
{
    static struct explained_network explained;
    char message[600] = "no memory";
    const struct allfold_simulation of = {.bytes = e->bytes,
                                          .element_bytes = e->problem.element_bytes,
                                          .nodes = e->placed.nodes,
                                          .hosts = e->placed.hosts,
                                          .network = network,
                                          .keeps_order = !e->problem.commutative,
                                          .memory_bytes = (size_t)2 << 30};
    if (allfold_explain_on_network(&e->problem, &e->choice, &of, &explained, message,
                                   sizeof message) != ALLFOLD_OK) {
        complain(message);
        return 1;
    }
    e->on_network = &explained;
    return 0;
}

static int explain_trace(const struct options *options, const struct allfold_guides *guides,
                         const struct allfold_network *network)
{
    const struct allfold_replay_machine machine = {.placement = "block",
                                                   .network =
                                                       options->network == NULL ? NULL : network,
                                                   .guides = *guides,
                                                   .memory_bytes = (size_t)2 << 30};
    return allfold_explain_trace(options->trace, &machine, options->json, options->csv);
}

static void print(const struct explanation *e, const struct options *options)
{
    if (options->csv)
        allfold_explained_print_csv(e->on_network, stdout);
    else
        (options->json ? print_json : print_table)(e);
}

int allfold_tool_explain(int argc, char **argv)
{
    struct options options = {
        .collective = "allreduce", .type = "double", .operation = "sum", .bytes = 8};
    const struct argp argp = {
        option_list,
        parse,
        NULL,
        "Says what is chosen for a call, by which rule or row, and why no other "
        "algorithm is. No MPI is needed; the ALLFOLD_ variables count as in a program.\vExit "
        "status: 0 it is explained, 1 the call would fail, 2 wrong usage.",
        NULL,
        NULL,
        NULL};
    static struct explanation explanation;
    static struct allfold_settings settings;
    static char paths[ALLFOLD_TABLE_KINDS][PATH_MAX];
    struct allfold_guides guides = {.rules = NULL};
    struct allfold_network network = {.graph = NULL};
    int status = WRONG_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    allfold_settings_read_environment(&settings, complain);
    if (read_question(&options, &explanation) &&
        place_on_network(&explanation, &options, &network) &&
        read_tables(&options, &settings, &guides, paths)) {
        explanation.shows_all = options.all;
        status = options.trace != NULL ? explain_trace(&options, &guides, &network)
                 : explain(&explanation, &settings, &guides, paths) ? 0
                                                                    : 1;
        if (status == 0 && options.trace == NULL && options.network != NULL)
            status = explain_network(&explanation, &network);
        if (status == 0 && options.trace == NULL)
            print(&explanation, &options);
    }
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++)
        allfold_table_free((struct allfold_table *)(uintptr_t)guides.tables[i]);
    allfold_network_clear(&network);
    allfold_tool_placed_free(&explanation.placed);
    allfold_explained_job_free(&explanation.job);
    return status;
}
