/* Finds rows in the built-in table (see simulated.h). */
#include "select/simulated.h"

#include <math.h>
#include <string.h>

#include "algorithms/levels.h"
#include "select/rules.h"

/* Arrays, and no pointers, which would have to be relocated in each process. */
static const char algorithm_names[][112] = {
#define NAME(text) text,
#include "select/built_in_rows.inc"
#undef NAME
};

/* Sorted by collective, operation, network, arrangement, nodes, ppn and bytes. */
static const struct allfold_simulated_row rows[] = {
#define ROW(collective, operation, network, in_blocks, ...)                                        \
    {ALLFOLD_##collective, ALLFOLD_##operation, ALLFOLD_NETWORK_##network, in_blocks, __VA_ARGS__},
#include "select/built_in_rows.inc"
#undef ROW
};

enum { ROWS = sizeof rows / sizeof *rows };

/* How far a shape is from another one whose ranks are all alone on their nodes, and how far where
 * one number of nodes is a power of two and the other is not: in powers of two. Some algorithms are
 * made for powers of two, and others for one rank a node. Both are round numbers, of which the
 * regret depends little (docs/choices.md). */
static const double alone_s = 1, power_s = 0.5;

const char *allfold_network_class_name(enum allfold_network_class network)
{
    static const char *const names[ALLFOLD_NETWORK_CLASSES] = {
        "untold",      "fat_tree",  "dragonfly", "torus",       "ethernet",
        "node_copies", "node_near", "node_far",  "node_crowded"};
    return names[network];
}

static enum allfold_network_class class_of_node(const struct allfold_problem *problem)
{
    static const enum allfold_network_class classes[ALLFOLD_READING_COUNT] = {
        [ALLFOLD_READS_COPIES] = ALLFOLD_NETWORK_NODE_COPIES,
        [ALLFOLD_READS_NEAR] = ALLFOLD_NETWORK_NODE_NEAR,
        [ALLFOLD_READS_FAR] = ALLFOLD_NETWORK_NODE_FAR,
    };
    return problem->shares_cores ? ALLFOLD_NETWORK_NODE_CROWDED : classes[problem->reading];
}

enum allfold_network_class allfold_network_class_of(const struct allfold_problem *problem)
{
    enum { SLOW_MBIT = 25000 };
    const struct allfold_nodes *nodes = problem->nodes;
    if (problem->one_node)
        return class_of_node(problem);
    if (nodes == NULL)
        return ALLFOLD_NETWORK_UNTOLD;
    const bool is_slow = nodes->card_mbit > 0 && nodes->card_mbit <= SLOW_MBIT;
    if (is_slow || nodes->cores > 0) /* between nodes of one machine each message is work */
        return ALLFOLD_NETWORK_ETHERNET;
    if (nodes->cables != NULL)
        return ALLFOLD_NETWORK_TORUS;
    if (nodes->groups == NULL)
        return ALLFOLD_NETWORK_UNTOLD;
    return nodes->groups->pair_uplinks < nodes->groups->uplinks ? ALLFOLD_NETWORK_DRAGONFLY
                                                                : ALLFOLD_NETWORK_FAT_TREE;
}

const char *allfold_simulated_name(unsigned number)
{
    return algorithm_names[number];
}

const struct allfold_simulated_row *allfold_simulated_rows(uint32_t *count)
{
    *count = ROWS;
    return rows;
}

/* Of all rows, those of one collective, operation, network and arrangement. */
struct range {
    int first, end;
};

static int compare(const struct allfold_simulated_row *a, const struct allfold_simulated_row *b)
{
    const int differences[] = {a->collective - b->collective, a->operation - b->operation,
                               a->network - b->network, a->in_blocks - b->in_blocks};
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (differences[i] != 0)
            return differences[i];
    return 0;
}

/* The first row that is not before these; with `behind` the first one that is behind them. */
static int bound_of(const struct allfold_simulated_row *key, bool behind)
{
    int first = 0, end = ROWS;
    while (first < end) {
        const int middle = first + (end - first) / 2;
        const int order = compare(&rows[middle], key);
        if (order < 0 || (behind && order == 0))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* Nodes, and ranks on the fullest of them. */
struct shape {
    int nodes, ppn;
};

static struct shape shape_of(const struct allfold_problem *problem)
{
    const int p = problem->group.size;
    if (problem->one_node)
        return (struct shape){1, p};
    return problem->nodes == NULL ? (struct shape){p, 1}
                                  : (struct shape){problem->nodes->count, problem->nodes->most};
}

static struct range range_of(const struct allfold_problem *problem,
                             enum allfold_network_class network)
{
    const enum allfold_operation_class operation =
        problem->canonical                                                    ? ALLFOLD_CANONICAL
        : problem->commutative || !allfold_has_operation(problem->collective) ? ALLFOLD_COMMUTATIVE
                                                                              : ALLFOLD_ORDERED;
    const bool in_blocks = problem->one_node || problem->nodes == NULL ||
                           problem->nodes->arrangement == ALLFOLD_IN_BLOCKS ||
                           problem->nodes->most == 1;
    const struct allfold_simulated_row key = {.collective = (unsigned char)problem->collective,
                                              .operation = (unsigned char)operation,
                                              .network = (unsigned char)network,
                                              .in_blocks = in_blocks};
    return (struct range){bound_of(&key, false), bound_of(&key, true)};
}

static bool is_power_of_two(int n)
{
    return (n & (n - 1)) == 0;
}

static double distance_to(const struct allfold_simulated_row *row, struct shape shape)
{
    const double off = fabs(log2((double)row->nodes / shape.nodes));
    const int unlike = (is_power_of_two(row->nodes) != is_power_of_two(shape.nodes)) +
                       (is_power_of_two(row->ppn) != is_power_of_two(shape.ppn));
    return off + fabs(log2((double)row->ppn / shape.ppn)) +
           ((row->ppn == 1) != (shape.ppn == 1) ? alone_s : 0) + unlike * power_s;
}

static int end_of_shape(int first, int end)
{
    int i = first;
    while (i < end && rows[i].nodes == rows[first].nodes && rows[i].ppn == rows[first].ppn)
        i++;
    return i;
}

/* The shapes of a range, the nearest first. */
struct search {
    struct range range;
    int at;          /* the first row of the shape in hand; -1: none is left */
    double distance; /* of that shape */
};

/* Goes on to the next shape: farther than the one in hand, or as far and behind it. */
static void go_on(struct search *search, struct shape shape)
{
    const struct search before = *search;
    search->at = -1;
    search->distance = HUGE_VAL;
    for (int i = before.range.first, end; i < before.range.end; i = end) {
        end = end_of_shape(i, before.range.end);
        const double distance = distance_to(&rows[i], shape);
        const bool is_new =
            distance > before.distance || (distance >= before.distance && i > before.at);
        if (!is_new || distance >= search->distance)
            continue;
        search->distance = distance;
        search->at = i;
    }
}

static struct search begin_search(struct range range, struct shape shape)
{
    struct search search = {range, -1, -1};
    go_on(&search, shape);
    return search;
}

/* The row of the shape in hand for so many bytes. */
static const struct allfold_simulated_row *row_for(const struct search *search, size_t bytes)
{
    const struct allfold_simulated_row *row = &rows[search->at];
    while (row + 1 < &rows[end_of_shape(search->at, search->range.end)] &&
           row[1].from_bytes <= bytes)
        row++;
    return row;
}

/* Rows are for ranks in the order of their nodes and switches. For other orders, an algorithm that
 * does not use the placement runs over renumbered ranks, if the collective has such a composition.
 */
static void renumber(const struct allfold_problem *problem, struct allfold_simulated_choice *choice)
{
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        const struct allfold_algorithm *outer = allfold_algorithms[i];
        if (outer->collective != problem->collective || !outer->renumbers ||
            allfold_inner(&outer->parameters[0], allfold_number_of(choice->algorithm)) == NULL)
            continue;
        struct allfold_parameters parameters = allfold_parameter_presets(outer);
        const struct allfold_named inner = {choice->algorithm, choice->parameters};
        allfold_name(&parameters, 0, &inner);
        if (allfold_unmet_need(outer, problem, &parameters) != NULL)
            return;
        choice->algorithm = outer;
        choice->parameters = parameters;
        return;
    }
}

/* Levels are of one number of ranks; for others it takes those that are like them. */
static struct allfold_named adapt(struct allfold_named named, int ranks, struct shape shape,
                                  bool canonical)
{
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS; i++) {
        const struct allfold_parameter *parameter = &named.algorithm->parameters[i];
        if (parameter->kind == ALLFOLD_PARAMETER_LEVELS && named.parameters.value[i] != 0) {
            named.parameters.value[i] =
                allfold_levels_like(named.parameters.value[i], ranks, canonical);
        } else if (parameter->inner != NULL) {
            const int of = allfold_inner_ranks(parameter, ranks, shape.nodes, shape.ppn);
            const struct allfold_named inner =
                adapt(allfold_named(&named.parameters, i), of, shape, canonical);
            allfold_name(&named.parameters, i, &inner);
        }
    }
    return named;
}

static bool take(const struct allfold_problem *problem, const struct allfold_simulated_row *row,
                 bool is_runner_up, struct allfold_simulated_choice *choice)
{
    char message[200];
    const char *name = algorithm_names[is_runner_up ? row->runner_up : row->algorithm];
    const struct shape shape = shape_of(problem);
    struct allfold_named named;
    if (name[0] == '\0' ||
        allfold_algorithm_read(problem->collective, name, &named.algorithm, &named.parameters,
                               message, sizeof message) != ALLFOLD_OK)
        return false;
    if (row->nodes != shape.nodes || row->ppn != shape.ppn)
        named = adapt(named, problem->group.size, shape, problem->canonical);
    if (allfold_unmet_by_choice(named.algorithm, problem, &named.parameters) != NULL)
        return false;
    *choice = (struct allfold_simulated_choice){.row = row,
                                                .is_runner_up = is_runner_up,
                                                .algorithm = named.algorithm,
                                                .parameters = named.parameters};
    const bool knows_nodes =
        named.algorithm->follows_nodes ||
        (named.algorithm->needs | ALLFOLD_NEEDS_COMMUTATIVE) != ALLFOLD_NEEDS_COMMUTATIVE;
    if (row->in_blocks && problem->nodes != NULL && !problem->nodes->is_in_order && !knows_nodes)
        renumber(problem, choice);
    return true;
}

/* Is the class one of the networks over which the rows of untold were computed? */
static bool is_one_of_untold(enum allfold_network_class network)
{
    return network == ALLFOLD_NETWORK_FAT_TREE || network == ALLFOLD_NETWORK_DRAGONFLY ||
           network == ALLFOLD_NETWORK_TORUS;
}

bool allfold_simulated_find(const struct allfold_problem *problem,
                            struct allfold_simulated_choice *choice)
{
    const size_t bytes = allfold_problem_length(problem) * problem->element_bytes;
    const struct shape shape = shape_of(problem);
    const enum allfold_network_class network = allfold_network_class_of(problem);
    struct range range = range_of(problem, network), beside = {0, 0};
    if (range.first == range.end)
        range = range_of(problem,
                         problem->one_node ? ALLFOLD_NETWORK_NODE_COPIES : ALLFOLD_NETWORK_UNTOLD);
    else if (is_one_of_untold(network)) /* some of these have fewer shapes */
        beside = range_of(problem, ALLFOLD_NETWORK_UNTOLD);
    struct search of_class = begin_search(range, shape), of_untold = begin_search(beside, shape);
    while (of_class.at >= 0 || of_untold.at >= 0) {
        struct search *nearer = of_untold.distance < of_class.distance ? &of_untold : &of_class;
        const struct allfold_simulated_row *row = row_for(nearer, bytes);
        if (take(problem, row, false, choice) || take(problem, row, true, choice))
            return true;
        go_on(nearer, shape);
    }
    return false;
}

bool allfold_simulated_runner_up(const struct allfold_problem *problem,
                                 const struct allfold_simulated_row *row,
                                 struct allfold_simulated_choice *choice)
{
    return take(problem, row, true, choice);
}
