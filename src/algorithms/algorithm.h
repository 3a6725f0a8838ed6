/* Algorithms and their parameters. An algorithm turns a problem, for one rank, into a schedule, and
 * claims what the schedule costs.
 *
 * To add an algorithm, write src/algorithms/COLLECTIVE_NAME.c with its descriptor, and add one line
 * to list.h, anywhere. The descriptor has all properties. CONTRIBUTING.md says which code names
 * algorithms. */
#ifndef ALLFOLD_ALGORITHMS_ALGORITHM_H
#define ALLFOLD_ALGORITHMS_ALGORITHM_H

#include "algorithms/problem.h"
#include "util/memory_pool.h"

/* Initializers for the parameters of descriptors. ALLFOLD_TRIED sets the values that sweeps try.
 * The ALLFOLD_INNER macros make a parameter whose values are the algorithms with `is_inner`;
 * `taken` is the default. */
#define ALLFOLD_TRIED(...)                                                                         \
    .tried = (const size_t[]){__VA_ARGS__},                                                        \
    .tried_count = sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t)
#define ALLFOLD_INNER_OF(named, whose, words, taken)                                               \
    {                                                                                              \
        .name = named, .kind = whose, .unit = "", .meaning = words, .inner = taken                 \
    }
#define ALLFOLD_INNER(named, words, taken)                                                         \
    ALLFOLD_INNER_OF(named, ALLFOLD_PARAMETER_PLAIN, words, taken)
#define ALLFOLD_INNER_ON_NODE(words, taken)                                                        \
    ALLFOLD_INNER_OF("node", ALLFOLD_PARAMETER_ON_NODE, words, taken)
#define ALLFOLD_INNER_ON_ALL(words, taken)                                                         \
    ALLFOLD_INNER_OF("inner", ALLFOLD_PARAMETER_ON_ALL, words, taken)

/* Returns the number of messages that a rank sends and receives at a time. */
static inline unsigned allfold_claim_ports(const struct allfold_claim *claim)
{
    return claim->ports == 0 ? 1 : claim->ports;
}

/* Returns the number of messages in all rounds together that a rank sends, or receives. */
static inline size_t allfold_claim_messages(const struct allfold_claim *claim)
{
    return claim->messages > 0 ? claim->messages : claim->rounds * allfold_claim_ports(claim);
}

/* Returns the number of elements that the busiest rank sends or receives, whichever is more: links
 * carry both directions at once. */
static inline size_t allfold_claim_carried(const struct allfold_claim *claim)
{
    return claim->got > claim->sent ? claim->got : claim->sent;
}

/* Returns the claim of a pipeline or a tree, in which a rank has one message of at most `longest`
 * elements in each round. Every round may wait for the round before it, so a path of sequential
 * messages may have one message of each round. */
static inline struct allfold_claim allfold_rows_claim(struct allfold_claim claim, size_t longest)
{
    claim.serial = claim.rounds * longest;
    return claim;
}

/* Returns the maximum number of elements on a path of sequential messages: of the busiest rank, or
 * of several ranks. */
static inline size_t allfold_claim_serial(const struct allfold_claim *claim)
{
    const size_t carried = allfold_claim_carried(claim);
    return claim->serial > carried ? claim->serial : carried;
}

/* Returns whether operands stay in the order of the ranks, so that the algorithm supports
 * operations that are not commutative. */
static inline bool allfold_is_ordered(const struct allfold_algorithm *algorithm)
{
    return (algorithm->needs & ALLFOLD_NEEDS_COMMUTATIVE) == 0;
}

/* Returns true: the `keeps_tree` of descriptors whose algorithm always sums by the canonical tree.
 */
bool allfold_always_keeps_tree(const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters);

/* Returns whether the algorithm sums by the canonical tree in a problem that asks for it. */
bool allfold_keeps_tree(const struct allfold_algorithm *algorithm,
                        const struct allfold_problem *problem,
                        const struct allfold_parameters *parameters);

/* Returns the unmet need of a choice, as allfold_unmet_need does. NULL stands for the native
 * algorithm, whose order of summation is unknown. */
const char *allfold_unmet_by_choice(const struct allfold_algorithm *algorithm,
                                    const struct allfold_problem *problem,
                                    const struct allfold_parameters *parameters);

/* Returns the text of a need for messages, such as "a commutative operation"; NULL if there is no
 * need. */
const char *allfold_need_text(enum allfold_need need);

/* All algorithms in the order of list.h; a NULL ends the list. */
extern const struct allfold_algorithm *const allfold_algorithms[];

/* Returns the index of an algorithm in allfold_algorithms, which must contain it. */
size_t allfold_number_of(const struct allfold_algorithm *algorithm);

/* Returns the inner algorithm that `value` of a parameter names; NULL if it names none. */
const struct allfold_algorithm *allfold_inner(const struct allfold_parameter *parameter,
                                              size_t value);

/* An algorithm with the values of its parameters. */
struct allfold_named {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
};

/* Returns the number of ranks on which the inner algorithm of a parameter runs, if the composition
 * runs on `ranks` ranks of `nodes` nodes with up to `ppn` ranks each. */
static inline int allfold_inner_ranks(const struct allfold_parameter *parameter, int ranks,
                                      int nodes, int ppn)
{
    return parameter->kind == ALLFOLD_PARAMETER_ON_NODE  ? ppn
           : parameter->kind == ALLFOLD_PARAMETER_ON_ALL ? ranks
                                                         : nodes;
}

/* Returns the inner algorithm that parameter i of a composition names, and the values of the inner
 * algorithm's parameters. Parameter i must name an algorithm. */
struct allfold_named allfold_named(const struct allfold_parameters *parameters, int i);

/* Sets parameter i of a composition to the inner algorithm `inner`, with the values of its
 * parameters. If `inner` is a composition itself, values nested deeper than struct
 * allfold_parameters can store are dropped. */
void allfold_name(struct allfold_parameters *parameters, int i, const struct allfold_named *inner);

/* Returns the algorithm with the default values of its parameters. */
struct allfold_named allfold_with_presets(const struct allfold_algorithm *algorithm);

/* Returns the `back` of an algorithm: the allgather that gathers the result of a reduce_scatter, or
 * the bcast that distributes the result of a reduce. Parameters that both have keep the values that
 * they have in `there`. */
struct allfold_named allfold_way_back(struct allfold_named there);

/* Returns whether a parameter of the algorithm names an inner algorithm. */
bool allfold_is_composition(const struct allfold_algorithm *algorithm);

/* Returns whether the algorithm, or an inner algorithm that these values name, needs cables. */
bool allfold_needs_cables(const struct allfold_algorithm *algorithm,
                          const struct allfold_parameters *parameters);

/* Returns whether the value is valid for the parameter. */
bool allfold_parameter_takes(const struct allfold_parameter *parameter, size_t value);

/* Returns the default of the parameter. */
size_t allfold_parameter_preset(const struct allfold_parameter *parameter);

/* Returns the number of values that sweeps try. */
unsigned allfold_parameter_tried_count(const struct allfold_parameter *parameter);

/* Returns value i of those that sweeps try; for inner algorithms the default is value 0. */
size_t allfold_parameter_tried(const struct allfold_parameter *parameter, size_t i);

/* Returns the number of combinations that sweeps try: of all parameters, or with only_choices only
 * of those that name an inner algorithm. Only one inner algorithm at a time differs from its
 * default, because parts of a composition are independent of each other. */
unsigned allfold_tried_count(const struct allfold_algorithm *algorithm, bool only_choices);

/* Returns combination `number`; other parameters have their defaults. */
struct allfold_parameters allfold_tried(const struct allfold_algorithm *algorithm,
                                        bool only_choices, unsigned number);

/* Writes the value of the algorithm's own parameter i in the syntax of rules: "64K", or an
 * algorithm with its parameters. */
void allfold_parameter_write(const struct allfold_algorithm *algorithm, int i,
                             const struct allfold_parameters *parameters, char *text,
                             size_t text_bytes);

/* Builds as allfold_build does, into memory of `pool`. The caller gives the schedule back to the
 * pool, schedule->bytes bytes. */
enum allfold_error
allfold_build_in(struct allfold_pool *pool, const struct allfold_algorithm *algorithm,
                 const struct allfold_problem *problem, const struct allfold_parameters *parameters,
                 struct allfold_schedule **schedule, char *message, size_t message_bytes);

#endif
