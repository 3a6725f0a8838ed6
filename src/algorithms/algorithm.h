/* Algorithms: each turns a problem, for one rank, into a schedule, and says what it claims.
 *
 * How to add one: write src/algorithms/COLLECTIVE_NAME.c with its descriptor, add one line to
 * list.h. Everything else (verifier, command line, forced choice) finds it there. */
#ifndef ALLFOLD_ALGORITHMS_ALGORITHM_H
#define ALLFOLD_ALGORITHMS_ALGORITHM_H

#include "algorithms/problem.h"

enum { ALLFOLD_MAX_PARAMETERS = 2, ALLFOLD_MAX_TRIED = 6 };

struct allfold_algorithm;

struct allfold_parameter {
    const char *name; /* NULL ends the list */
    const char *unit; /* "bytes", or "" for a plain number */
    const char *meaning;
    size_t minimum, maximum, preset;
    size_t tried[ALLFOLD_MAX_TRIED]; /* what the verifier tries, for elements of 4 bytes */
    unsigned tried_count;

    /* Where it names an algorithm: those to choose from, of which a value is the number. */
    const struct allfold_algorithm *const *choices;
};

struct allfold_parameters {
    size_t value[ALLFOLD_MAX_PARAMETERS]; /* in the order of the descriptor */
};

/* What an algorithm claims of a problem, for all ranks together. The verifier holds it against the
 * schedules: never more, and exactly that where `count` is a positive multiple of `divisor`. */
struct allfold_claim {
    size_t rounds;  /* messages one after the other, with `ports` at a time */
    size_t sent;    /* elements that the busiest rank sends */
    size_t reduced; /* element operations of the rank that does most of them */
    unsigned ports; /* messages that a rank sends, and receives, at a time; 0 says one, too */
    size_t divisor; /* > 0 */
    bool is_bound;  /* never exact, for any count */
    size_t got;     /* elements that the busiest rank gets, at most; 0: no more than `sent` */

    /* Of an algorithm that knows which ranks share a node, what goes between nodes, at most. */
    size_t far_rounds;  /* of the rounds: those with messages between nodes */
    size_t far_sent;    /* elements that the busiest node sends to others, or gets from them */
    unsigned far_lanes; /* ranks of a node that send to others at a time; 0: it knows of no nodes */
    bool far_beside;    /* what goes on on the nodes goes on beside that */
};

static inline unsigned allfold_claim_ports(const struct allfold_claim *claim)
{
    return claim->ports == 0 ? 1 : claim->ports;
}

/* Elements that the busiest rank sends, or gets: links carry both ways at once. */
static inline size_t allfold_claim_carried(const struct allfold_claim *claim)
{
    return claim->got > claim->sent ? claim->got : claim->sent;
}

enum allfold_need {
    ALLFOLD_NEEDS_COMMUTATIVE = 1u << 0,
    ALLFOLD_NEEDS_NODES = 1u << 1, /* ranks on several nodes, and it is known where */
};

struct allfold_algorithm {
    const char *name;  /* within its collective */
    const char *alias; /* another name that people know it by; NULL where there is none */
    enum allfold_collective collective;
    const char *source;
    const char *summary; /* what it does */
    const char *use;     /* when to take it, and what to take elsewhere; in the papers' letters */
    unsigned needs;      /* of enum allfold_need */
    bool only_forced; /* the model does not offer it: no benchmark has shown yet where it is best */
    bool only_between_nodes; /* nor where all ranks are on one node: shown between nodes alone */
    bool follows_nodes; /* who sends to whom depends on where the ranks live, where that is known */
    bool consistent;    /* all ranks bracket an element alike, so all get the same bits */
    struct allfold_parameter parameters[ALLFOLD_MAX_PARAMETERS + 1];

    /* Writes the rank's program for a problem whose needs are met; see schedule/verbs.h. */
    void (*build)(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters);

    /* Of such a problem, too. */
    struct allfold_claim (*claim)(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters);

    /* What else it needs of a problem and the parameters together: the unmet need in words, or NULL
     * where there is none. May be NULL itself. */
    const char *(*unmet)(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters);
};

/* Operands stay in the order of the ranks, so that any operation is served. */
static inline bool allfold_is_ordered(const struct allfold_algorithm *algorithm)
{
    return (algorithm->needs & ALLFOLD_NEEDS_COMMUTATIVE) == 0;
}

/* The words of a need, for people: "a commutative operation"; NULL for none. */
const char *allfold_need_text(enum allfold_need need);

/* The first need that is not met, in words, or NULL where the problem can be served. */
const char *allfold_unmet_need(const struct allfold_algorithm *algorithm,
                               const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters);

/* All algorithms, in the order of list.h; a NULL ends them. */
extern const struct allfold_algorithm *const allfold_algorithms[];

/* The algorithm of that name or alias, or NULL. */
const struct allfold_algorithm *allfold_algorithm_find(enum allfold_collective collective,
                                                       const char *name);

/* The presets of all parameters. */
struct allfold_parameters allfold_parameter_presets(const struct allfold_algorithm *algorithm);

/* How many combinations there are of the values that the sweeps try; of all parameters, or of those
 * alone that name an algorithm. */
unsigned allfold_tried_count(const struct allfold_algorithm *algorithm, bool only_choices);

/* The combination of that number, counted like digits; parameters left out have their presets. */
struct allfold_parameters allfold_tried(const struct allfold_algorithm *algorithm,
                                        bool only_choices, unsigned number);

/* Builds and freezes one rank's schedule. On an error *schedule is NULL and `message` (of
 * message_bytes, may be NULL) says what is wrong. */
enum allfold_error allfold_build(const struct allfold_algorithm *algorithm,
                                 const struct allfold_problem *problem,
                                 const struct allfold_parameters *parameters,
                                 struct allfold_schedule **schedule, char *message,
                                 size_t message_bytes);

#endif
