/* Algorithms: each turns a problem, for one rank, into a schedule, and says what it claims.
 *
 * How to add one: write src/algorithms/COLLECTIVE_NAME.c with its descriptor, and add one line to
 * list.h, anywhere. The descriptor has every property. CONTRIBUTING.md says which code names
 * algorithms. */
#ifndef ALLFOLD_ALGORITHMS_ALGORITHM_H
#define ALLFOLD_ALGORITHMS_ALGORITHM_H

#include "algorithms/problem.h"
#include "util/memory_pool.h"

/* Shared initializers of parameters: the values tried, and a parameter that names an algorithm,
 * which has its default here and takes all that are `is_inner`. */
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

static inline unsigned allfold_claim_ports(const struct allfold_claim *claim)
{
    return claim->ports == 0 ? 1 : claim->ports;
}

/* Messages at a time, summed over the rounds. */
static inline size_t allfold_claim_messages(const struct allfold_claim *claim)
{
    return claim->messages > 0 ? claim->messages : claim->rounds * allfold_claim_ports(claim);
}

/* Elements that the busiest rank sends, or gets: links carry both ways at once. */
static inline size_t allfold_claim_carried(const struct allfold_claim *claim)
{
    return claim->got > claim->sent ? claim->got : claim->sent;
}

/* The claim of a pipeline or a tree, whose rounds have one message of a rank each, of `longest`
 * elements at most. Another rank passes on what one got, so all of them may go in one row. */
static inline struct allfold_claim allfold_rows_claim(struct allfold_claim claim, size_t longest)
{
    claim.serial = claim.rounds * longest;
    return claim;
}

/* Elements that go one after the other: those of the busiest rank, or of a chain of ranks. */
static inline size_t allfold_claim_serial(const struct allfold_claim *claim)
{
    const size_t carried = allfold_claim_carried(claim);
    return claim->serial > carried ? claim->serial : carried;
}

/* Operands stay in the order of the ranks, so that any operation is served. */
static inline bool allfold_is_ordered(const struct allfold_algorithm *algorithm)
{
    return (algorithm->needs & ALLFOLD_NEEDS_COMMUTATIVE) == 0;
}

/* For a descriptor's `keeps_tree`: for all problems. */
bool allfold_always_keeps_tree(const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters);

/* Does it sum by the canonical tree in a problem that it serves, if asked to? */
bool allfold_keeps_tree(const struct allfold_algorithm *algorithm,
                        const struct allfold_problem *problem,
                        const struct allfold_parameters *parameters);

/* As allfold_unmet_need, where NULL stands for the native algorithm, whose order of summation is
 * unknown.
 */
const char *allfold_unmet_by_choice(const struct allfold_algorithm *algorithm,
                                    const struct allfold_problem *problem,
                                    const struct allfold_parameters *parameters);

/* The words of a need, for people: "a commutative operation"; NULL for none. */
const char *allfold_need_text(enum allfold_need need);

/* All algorithms, in the order of list.h; a NULL ends them. */
extern const struct allfold_algorithm *const allfold_algorithms[];

/* Its number there; it must be one of them. */
size_t allfold_number_of(const struct allfold_algorithm *algorithm);

/* The algorithm that a value of a parameter names; NULL where it names none. */
const struct allfold_algorithm *allfold_inner(const struct allfold_parameter *parameter,
                                              size_t value);

/* An algorithm with the values of its parameters. */
struct allfold_named {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
};

/* On how many ranks the inner algorithm of a parameter runs, where its composition runs on `ranks`
 * of nodes with up to `ppn`. */
static inline int allfold_inner_ranks(const struct allfold_parameter *parameter, int ranks,
                                      int nodes, int ppn)
{
    return parameter->kind == ALLFOLD_PARAMETER_ON_NODE  ? ppn
           : parameter->kind == ALLFOLD_PARAMETER_ON_ALL ? ranks
                                                         : nodes;
}

/* The inner algorithm that the algorithm's own parameter i names; it must name one. */
struct allfold_named allfold_named(const struct allfold_parameters *parameters, int i);

/* Names `inner` there, with those of its parameters for which there are levels. */
void allfold_name(struct allfold_parameters *parameters, int i, const struct allfold_named *inner);

struct allfold_named allfold_with_presets(const struct allfold_algorithm *algorithm);

/* The way back of an inner algorithm. It has the same values if both have the same parameters with
 * the same presets, where the counterpart of an algorithm is its way back. Else it has presets. */
struct allfold_named allfold_way_back(struct allfold_named there);

/* Does a parameter of the algorithm name an inner one? */
bool allfold_is_composition(const struct allfold_algorithm *algorithm);

/* Does the algorithm need cables, or what these values name? */
bool allfold_needs_cables(const struct allfold_algorithm *algorithm,
                          const struct allfold_parameters *parameters);

/* May the parameter have that value? */
bool allfold_parameter_takes(const struct allfold_parameter *parameter, size_t value);
size_t allfold_parameter_preset(const struct allfold_parameter *parameter);

/* How many values there are to try, and the one of that number: of algorithms the default first. */
unsigned allfold_parameter_tried_count(const struct allfold_parameter *parameter);
size_t allfold_parameter_tried(const struct allfold_parameter *parameter, size_t i);

/* How many combinations there are of the values that the sweeps try; of all parameters, or of those
 * alone that name an algorithm. Of the latter one at a time differs from its default: parts of a
 * composition know nothing of each other. */
unsigned allfold_tried_count(const struct allfold_algorithm *algorithm, bool only_choices);

/* The combination of that number; parameters left out have their presets. */
struct allfold_parameters allfold_tried(const struct allfold_algorithm *algorithm,
                                        bool only_choices, unsigned number);

/* Writes the value of the algorithm's own parameter i as rules have it: "64K", or the name of an
 * algorithm with its parameters. */
void allfold_parameter_write(const struct allfold_algorithm *algorithm, int i,
                             const struct allfold_parameters *parameters, char *text,
                             size_t text_bytes);

/* As allfold_build, into a piece of a pool, to which schedule->bytes are given back. */
enum allfold_error
allfold_build_in(struct allfold_pool *pool, const struct allfold_algorithm *algorithm,
                 const struct allfold_problem *problem, const struct allfold_parameters *parameters,
                 struct allfold_schedule **schedule, char *message, size_t message_bytes);

#endif
