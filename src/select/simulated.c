/* The built-in table (see simulated.h). */
#include "select/simulated.h"

#include <math.h>
#include <string.h>

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
 * made for powers of two, and others for one rank a node. Both are guesses (docs/choices.md). */
static const double alone_s = 1, power_s = 0.25;

const char *allfold_network_class_name(enum allfold_network_class network)
{
    static const char *const names[] = {"untold", "fat_tree", "dragonfly", "torus", "ethernet"};
    return names[network];
}

enum allfold_network_class allfold_network_class_of(const struct allfold_nodes *nodes)
{
    enum { SLOW_MBIT = 25000 };
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

static struct range range_of(const struct allfold_problem *problem,
                             enum allfold_network_class network)
{
    const enum allfold_operation_class operation =
        problem->canonical                                                    ? ALLFOLD_CANONICAL
        : problem->commutative || !allfold_has_operation(problem->collective) ? ALLFOLD_COMMUTATIVE
                                                                              : ALLFOLD_ORDERED;
    const bool in_blocks =
        problem->nodes->arrangement == ALLFOLD_IN_BLOCKS || problem->nodes->most == 1;
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

static double distance_to(const struct allfold_simulated_row *row,
                          const struct allfold_nodes *nodes)
{
    const double off = fabs(log2((double)row->nodes / nodes->count));
    return off + fabs(log2((double)row->ppn / nodes->most)) +
           ((row->ppn == 1) != (nodes->most == 1) ? alone_s : 0) +
           (is_power_of_two(row->nodes) != is_power_of_two(nodes->count) ? power_s : 0);
}

static int end_of_shape(int first, int end)
{
    int i = first;
    while (i < end && rows[i].nodes == rows[first].nodes && rows[i].ppn == rows[first].ppn)
        i++;
    return i;
}

/* The nearest shape that is farther than `beyond`, or as far and behind row `after`; its row for so
 * many bytes, or NULL where there is none. */
static const struct allfold_simulated_row *nearest(struct range range,
                                                   const struct allfold_problem *problem,
                                                   size_t bytes, double *beyond, int *after)
{
    int best = -1;
    double least = HUGE_VAL;
    for (int i = range.first, end; i < range.end; i = end) {
        end = end_of_shape(i, range.end);
        const double distance = distance_to(&rows[i], problem->nodes);
        const bool is_new = distance > *beyond || (distance >= *beyond && i > *after);
        if (!is_new || distance >= least)
            continue;
        least = distance;
        best = i;
    }
    if (best < 0)
        return NULL;
    *beyond = least;
    *after = best;
    const struct allfold_simulated_row *row = &rows[best];
    while (row + 1 < &rows[end_of_shape(best, range.end)] && row[1].from_bytes <= bytes)
        row++;
    return row;
}

/* Rows are of ranks in the order of their nodes and switches. For others, what knows no nodes runs
 * over the ranks in that order, where the collective has such a composition. */
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

/* Copies a name without the levels of mixed_radix, which then finds its own. */
static void drop_levels(char *to, const char *name)
{
    static const char levels[] = "(levels=";
    for (const char *at; (at = strstr(name, levels)) != NULL; name = at + strcspn(at, ")") + 1) {
        memcpy(to, name, (size_t)(at - name));
        to += at - name;
    }
    memcpy(to, name, strlen(name) + 1);
}

static bool take(const struct allfold_problem *problem, const struct allfold_simulated_row *row,
                 bool is_runner_up, struct allfold_simulated_choice *choice)
{
    char message[200], name[sizeof *algorithm_names];
    const char *named = algorithm_names[is_runner_up ? row->runner_up : row->algorithm];
    if (row->nodes == problem->nodes->count && row->ppn == problem->nodes->most)
        memcpy(name, named, strlen(named) + 1);
    else /* levels are of one number of ranks */
        drop_levels(name, named);
    if (name[0] == '\0' ||
        allfold_algorithm_read(problem->collective, name, &choice->algorithm, &choice->parameters,
                               message, sizeof message) != ALLFOLD_OK ||
        allfold_unmet_by_choice(choice->algorithm, problem, &choice->parameters) != NULL)
        return false;
    choice->row = row;
    choice->is_runner_up = is_runner_up;
    const bool knows_nodes =
        choice->algorithm->follows_nodes ||
        (choice->algorithm->needs | ALLFOLD_NEEDS_COMMUTATIVE) != ALLFOLD_NEEDS_COMMUTATIVE;
    if (row->in_blocks && !problem->nodes->is_in_order && !knows_nodes)
        renumber(problem, choice);
    return true;
}

bool allfold_simulated_find(const struct allfold_problem *problem,
                            struct allfold_simulated_choice *choice)
{
    const size_t bytes = allfold_problem_length(problem) * problem->element_bytes;
    struct range range = range_of(problem, allfold_network_class_of(problem->nodes));
    if (range.first == range.end)
        range = range_of(problem, ALLFOLD_NETWORK_UNTOLD);
    double beyond = -1;
    int after = -1;
    for (;;) {
        const struct allfold_simulated_row *row = nearest(range, problem, bytes, &beyond, &after);
        if (row == NULL)
            return false;
        if (take(problem, row, false, choice) || take(problem, row, true, choice))
            return true;
    }
}

bool allfold_simulated_runner_up(const struct allfold_problem *problem,
                                 const struct allfold_simulated_row *row,
                                 struct allfold_simulated_choice *choice)
{
    return take(problem, row, true, choice);
}
