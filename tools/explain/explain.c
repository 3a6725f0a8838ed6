/* `allfold explain`: shows which algorithm is chosen for a call, by which rule or table, and why no
 * other. */
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topology/nodes.h"
#include "common.h"
#include "job_file.h"
#include "json.h"
#include "kernels/kernels.h"
#include "mpi_file.h"
#include "explain_network.h"
#include "explain_trace.h"
#include "options.h"
#include "placing.h"
#include "simgrid_platform.h"
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
    const char *type, *operation; /* NULL if the collective has no operation */
    bool commutes;                /* the operation: the problem may be asked without using that */
    struct allfold_choice choice;
    const char *table_path;              /* of the table whose row was taken; NULL: none */
    const char *rule;                    /* text of the rules if they force the choice; else NULL */
    struct explained list[EXPLAIN_MOST]; /* the choice first, algorithms that cannot be used last */
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
    if (choice->skipped_row != NULL)
        printf("passed over: row %u, %s, needs %s\n", choice->skipped_row->number,
               choice->skipped_row->algorithm->name, choice->unmet);
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
        printf("(%d algorithms; --algorithm all lists them)\n", e->count);
        return;
    }
    int width = 30;
    for (int i = 0; i < e->count; i++)
        width = (int)strlen(e->list[i].name) > width ? (int)strlen(e->list[i].name) : width;
    printf("\n%-*s  %s\n", width, "algorithm", "why");
    for (int i = 0; i < e->count; i++)
        printf("%-*s  %s\n", width, e->list[i].name, e->list[i].reason);
}

/* Adds the row that was taken, or skipped; nothing if there is none. */
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

/* Adds the row of the built-in table; nothing if the choice is not by one. */
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
    set_row(object, "passed_over", e->choice.skipped_row);
    allfold_json_set_text(object, "unmet", e->choice.unmet);
    json_object_set_new(object, "algorithms", json_algorithms(e));
    if (e->on_network != NULL)
        json_object_set_new(object, "simulated", allfold_explained_json(e->on_network));
    allfold_json_print(object, stdout);
}

/* --- what is found out ------------------------------------------------------------------------ */

enum { WRONG_USAGE = 2 };

static const struct allfold_taken taken[] = {
    ALLFOLD_TAKES(collective),
    ALLFOLD_TAKES_AS(bytes, 0, "bytes of the vector, like 64K; else an element's"),
    ALLFOLD_TAKES_REDUCTION,
    ALLFOLD_TAKES_AS(algorithm, 0, "all: list all, not only the choice"),
    ALLFOLD_TAKES_MACHINE,
    ALLFOLD_TAKES(cores),
    ALLFOLD_TAKES_HIDDEN(sockets),
    ALLFOLD_TAKES(table),
    ALLFOLD_TAKES_AS(mpi, 0, "openmpi, mpich or abi: its tuned table, too"),
    ALLFOLD_TAKES(job),
    ALLFOLD_TAKES(trace),
    ALLFOLD_TAKES_FORMATS,
};

static const struct allfold_command command = {
    .text = "Says what is chosen for a call, by which rule or row, and why no other algorithm\n"
            "is. No MPI is needed; the ALLFOLD_ variables count as in a program.",
    .taken = taken,
    .count = sizeof taken / sizeof *taken,
};

struct options {
    const struct allfold_options *given;
    int nodes, ppn;
};

/* Returns which options contradict each other; NULL if none do. */
static const char *find_wrong(const struct allfold_options *given)
{
    const bool is_placed = given->nodes != NULL || given->ppn > 0 || given->sockets > 0 ||
                           given->given[ALLFOLD_OPTION_placement];
    if (given->csv != NULL && given->network[0] == '\0' && given->trace == NULL)
        return "--csv is for --network and --trace; expected --json, or one of them";
    if (given->trace != NULL && (given->job != NULL || is_placed || given->cores > 0))
        return "--trace says where the ranks were; expected no --job, --nodes, --ppn, --sockets, "
               "--cores or --placement beside it";
    if (given->job != NULL && is_placed)
        return "--job says where the ranks are; expected no --nodes, --ppn, --sockets or "
               "--placement beside it";
    if (given->algorithm[0] != '\0' && strcmp(given->algorithm, "all") != 0)
        return "--algorithm: expected all, which lists them all";
    if (given->mpi != NULL && (!allfold_mpi_file_is_name(given->mpi) || given->mpi[0] == '\0' ||
                               strchr(given->mpi, '/') != NULL))
        return "--mpi: expected openmpi, mpich or abi";
    return NULL;
}

static void read_options(int argc, char **argv, struct allfold_options *given,
                         struct options *options)
{
    allfold_options_read(&command, argc, argv, given);
    const char *wrong = find_wrong(given);
    if (wrong != NULL)
        allfold_options_refuse(given, "%s", wrong);
    *options = (struct options){given, given->trace != NULL ? 1 : 4, given->trace != NULL ? 1 : 8};
    allfold_options_nodes(given, &options->nodes, &options->ppn);
}

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
static bool read_operation(const struct allfold_options *options, struct explanation *e)
{
    const enum allfold_type type = allfold_type_find(options->type);
    const enum allfold_operation operation = allfold_operation_find(options->operation);
    const bool is_own = strcmp(options->operation, "noncommutative") == 0;
    if (type == ALLFOLD_TYPE_COUNT)
        return refuse("--type", options->type, "a type like double, float, int32 or byte");
    if (operation == ALLFOLD_OPERATION_COUNT && !is_own)
        return refuse("--operation", options->operation,
                      "an operation like sum, or noncommutative");
    e->problem.element_bytes = allfold_type_bytes(type);
    e->problem.commutative = e->problem.exact = e->commutes = true;
    if (!allfold_has_operation(e->problem.collective))
        return true;
    if (!is_own && allfold_kernel_find(type, operation) == NULL)
        return refuse("--operation", options->operation,
                      "an operation that MPI allows for the type");
    e->type = options->type;
    e->operation = options->operation;
    e->problem.commutative = e->commutes = !is_own;
    e->problem.exact = !is_own && allfold_reduction_is_exact(type, operation);
    return true;
}

static bool read_job(const struct options *options, struct explanation *e)
{
    if (!allfold_explained_job_read(options->given->job, &e->job, &e->placed))
        return false;
    e->problem.group = allfold_group_all(e->job.count, 0);
    e->problem.one_node = e->placed.nodes->count == 1;
    return true;
}

static bool read_placement(const struct options *options, struct explanation *e)
{
    const char *how = options->given->placement;
    if (!allfold_tool_check_placement("explain", how) ||
        !allfold_tool_place("explain", how, options->nodes, options->ppn, &e->placed))
        return false;
    if (options->given->sockets > 0 &&
        !allfold_tool_divide("explain", how, options->given->sockets, &e->placed.nodes))
        return false;
    e->problem.group = allfold_group_all(options->nodes * options->ppn, 0);
    e->problem.one_node = options->nodes == 1;
    return true;
}

/* Reads the bytes of the vector; without --bytes, those of one element, or, if the vector consists
 * of blocks, of one element for each rank. */
static bool read_bytes(const struct allfold_options *given, struct explanation *e)
{
    const bool is_barrier = allfold_traits(e->problem.collective)->may_repeat;
    e->problem.element_bytes = is_barrier ? 1 : e->problem.element_bytes;
    size_t element = e->problem.element_bytes;
    if (allfold_has_blocks(e->problem.collective))
        element *= (size_t)e->problem.group.size;
    e->bytes = is_barrier || given->bytes == NULL
                   ? element
                   : allfold_options_size(given, "--bytes", given->bytes);
    e->problem.count = e->bytes / element;
    if (e->bytes % element == 0)
        return true;
    fprintf(stderr, "allfold explain: --bytes %zu is no multiple of %zu: %s\n", e->bytes, element,
            "an element, or where it is blocks, one on each rank");
    return false;
}

static bool read_question(const struct options *options, struct explanation *e)
{
    const struct allfold_options *given = options->given;
    if (!allfold_tool_check_collective("explain", given->collective))
        return false;
    e->problem.collective = allfold_collective_find(given->collective);
    if (!read_operation(given, e) || !(given->job != NULL ? read_job : read_placement)(options, e))
        return false;
    e->problem.shares_cores =
        e->problem.one_node && given->cores > 0 && e->problem.group.size > given->cores;
    if (given->cores > 0 && given->job == NULL &&
        !allfold_tool_extend("explain", (struct allfold_nodes_facts){.cores = given->cores},
                             &e->placed.nodes))
        return false;
    return read_bytes(given, e);
}

/* Reads the tables that a program would use; paths[] has their files. */
static bool read_tables(const struct allfold_options *options,
                        const struct allfold_settings *settings,
                        struct allfold_choice_inputs *inputs,
                        char paths[ALLFOLD_TABLE_KINDS][PATH_MAX])
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
        inputs->tables[i] = table;
    }
    return true;
}

/* Adds an algorithm, NULL for the native one, and why it was chosen or was not. */
static void add(struct explanation *e, const struct allfold_algorithm *algorithm)
{
    struct explained *explained = &e->list[e->count];
    struct allfold_parameters presets = {{0}};
    const char *unmet = NULL;
    char *const reason = explained->reason;
    if (e->count == EXPLAIN_MOST)
        return;
    if (algorithm != NULL) {
        presets = allfold_parameter_presets(algorithm);
        unmet = allfold_unmet_need(algorithm, &e->problem, &presets);
        if (unmet == NULL && !algorithm->consistent && !e->problem.exact)
            unmet = "an exact operation, as its ranks bracket differently";
    }
    explained->is_chosen = algorithm == e->choice.algorithm;
    explained->cannot_serve = unmet != NULL && !explained->is_chosen;
    allfold_algorithm_write(algorithm, explained->is_chosen ? &e->choice.parameters : &presets,
                            explained->name, sizeof explained->name);
    if (explained->is_chosen)
        snprintf(reason, EXPLAIN_TEXT, "chosen (%s)", allfold_choice_source_name(e->choice.source));
    else
        snprintf(reason, EXPLAIN_TEXT, "%s%s", unmet != NULL ? "needs " : "can serve",
                 unmet != NULL ? unmet : "");
    e->count++;
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

/* Chooses as a job does: if a forced algorithm sums in another order and the user asked for a
 * warning only, it is chosen nevertheless. */
static enum allfold_error choose(struct explanation *e, const struct allfold_settings *settings,
                                 const struct allfold_choice_inputs *inputs, char *message,
                                 size_t message_bytes)
{
    const enum allfold_reproducible mode = settings->common.reproducible;
    ask_for_tree(e, mode != ALLFOLD_REPRODUCIBLE_OFF);
    if (e->problem.canonical && allfold_reproducible_is_exact(mode))
        complain(
            "ALLFOLD_REPRODUCIBLE=exact makes calls over integers of sums (docs/reproducible.md); "
            "this is the call by the canonical tree");
    enum allfold_error error =
        allfold_choose(inputs, &e->problem, &e->choice, message, message_bytes);
    if (error == ALLFOLD_UNMET_NEED && e->problem.canonical && allfold_reproducible_warns(mode)) {
        complain(message);
        ask_for_tree(e, false);
        error = allfold_choose(inputs, &e->problem, &e->choice, message, message_bytes);
    }
    return error;
}

/* A rule for all sizes at the end is for the rest; others that overlap may be a slip. */
static void warn_of_overlaps(const struct allfold_rules *rules)
{
    for (int i = 1; i < rules->count; i++) {
        const struct allfold_rule *rule = &rules->rules[i];
        if (rule->from_bytes == 0 && rule->to_bytes == SIZE_MAX && i + 1 == rules->count)
            continue;
        for (int j = 0; j < i; j++)
            if (rule->from_bytes < rules->rules[j].to_bytes &&
                rules->rules[j].from_bytes < rule->to_bytes)
                fprintf(stderr,
                        "allfold explain: rules %d and %d overlap; the first one holds there\n",
                        j + 1, i + 1);
    }
}

static bool explain(struct explanation *e, const struct allfold_settings *settings,
                    struct allfold_choice_inputs *inputs, char paths[ALLFOLD_TABLE_KINDS][PATH_MAX])
{
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    const enum allfold_collective collective = e->problem.collective;
    inputs->rules = &settings->rules[collective];
    warn_of_overlaps(inputs->rules);
    const int card_mbit = settings->common.card_mbit;
    const struct allfold_nodes_facts card = {.card_mbit = card_mbit > 0 ? card_mbit : -1};
    if (card_mbit != ALLFOLD_CARD_UNSET && !e->problem.one_node &&
        !allfold_tool_extend("explain", card, &e->placed.nodes))
        return false;
    if (settings->one_copy && e->problem.one_node && !e->problem.shares_cores)
        e->problem.reading = ALLFOLD_READS_NEAR; /* a job finds out whether cores are near */
    if (settings->rule_error[collective][0] != '\0' ||
        choose(e, settings, inputs, message, sizeof message) != ALLFOLD_OK) {
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
    add(e, NULL);
    qsort(e->list, (size_t)e->count, sizeof *e->list, by_rank);
    return true;
}

/* Reads the network, if the options name one, and finds the groups and sockets of the nodes there,
 * unless the job or an option gives them. */
static bool place_on_network(struct explanation *e, const struct allfold_options *given,
                             struct allfold_network *network)
{
    char message[600] = "no memory";
    const char *how = given->placement;
    if (given->network[0] == '\0')
        return true;
    if (allfold_tool_network(given->network, network, message, sizeof message) != ALLFOLD_OK) {
        complain(message);
        return false;
    }
    if (given->job != NULL && !allfold_explained_job_place(&e->job, network, &e->placed))
        return false;
    if (e->placed.nodes->groups != NULL || e->placed.nodes->cables != NULL)
        return true; /* as the job knows them, so as it chooses */
    return allfold_tool_group("explain", how, network, e->placed.hosts, &e->placed.nodes) &&
           (given->sockets == 0 ||
            allfold_tool_divide("explain", how, given->sockets, &e->placed.nodes));
}

/* Compares the choice with the algorithms that are fastest on the network. */
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

static int explain_trace(const struct allfold_options *options,
                         const struct allfold_choice_inputs *inputs,
                         const struct allfold_network *network)
{
    const struct allfold_replay_machine machine = {.placement = "block",
                                                   .network =
                                                       options->network[0] == '\0' ? NULL : network,
                                                   .inputs = *inputs,
                                                   .memory_bytes = (size_t)2 << 30};
    return allfold_explain_trace(options->trace, &machine, options->json != NULL,
                                 options->csv != NULL);
}

static void print(const struct explanation *e, const struct allfold_options *options)
{
    if (options->csv != NULL)
        allfold_explained_print_csv(e->on_network, stdout);
    else
        (options->json != NULL ? print_json : print_table)(e);
}

int allfold_tool_explain(int argc, char **argv)
{
    static struct allfold_options given = {
        .collective = "allreduce", .type = "double", .operation = "sum", .placement = "block"};
    struct options options;
    static struct explanation explanation;
    static struct allfold_settings settings;
    static char paths[ALLFOLD_TABLE_KINDS][PATH_MAX];
    struct allfold_choice_inputs inputs = {.rules = NULL};
    struct allfold_network network = {.graph = NULL};
    int status = WRONG_USAGE;
    read_options(argc, argv, &given, &options);
    allfold_settings_read_environment(&settings, complain);
    if (read_question(&options, &explanation) && place_on_network(&explanation, &given, &network) &&
        read_tables(&given, &settings, &inputs, paths)) {
        explanation.shows_all = given.algorithm[0] != '\0';
        status = given.trace != NULL ? explain_trace(&given, &inputs, &network)
                 : explain(&explanation, &settings, &inputs, paths) ? 0
                                                                    : 1;
        if (status == 0 && given.trace == NULL && given.network[0] != '\0')
            status = explain_network(&explanation, &network);
        if (status == 0 && given.trace == NULL)
            print(&explanation, &given);
    }
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++)
        allfold_table_free((struct allfold_table *)(uintptr_t)inputs.tables[i]);
    allfold_network_clear(&network);
    allfold_tool_placed_free(&explanation.placed);
    allfold_explained_job_free(&explanation.job);
    return status;
}
