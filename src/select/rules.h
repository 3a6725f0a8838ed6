/* Rules: which algorithm to use for which sizes, in the syntax of ALLFOLD_ALGORITHM.
 *
 *     ring
 *     0-4K:recursive_doubling;4K-:ring(segment=64K)
 *
 * A rule is [FROM-[TO]:]NAME[(PARAMETER=VALUE,...)], with each parameter at most once. It matches
 * vectors of [FROM, TO) bytes. The first rule that matches is used; if none matches, Allfold
 * chooses. A range may end in `=` instead of `:`. The name `native` is the MPI library's own
 * algorithm.
 *
 * A parameter that names an inner algorithm may have parameters of its own, up to three levels of
 * algorithms with parameters:
 *
 *     smp(node=smp(node=flat,leaders=chain(segment=64K)),leaders=recursive_multiplying(radix=4))
 *
 * An algorithm whose ranks have different orders of summation needs the word `unordered` among its
 * parameters. Without it, the rule is an error for operations that are not exact, because ranks
 * would get different bits. Thread-safe. */
#ifndef ALLFOLD_SELECT_RULES_H
#define ALLFOLD_SELECT_RULES_H

#include <stdbool.h>

#include "algorithms/algorithm.h"

enum { ALLFOLD_MAX_RULES = 16 };

/* A rule: the algorithm for vectors of [from_bytes, to_bytes) bytes. */
struct allfold_rule {
    size_t from_bytes;
    size_t to_bytes;
    const struct allfold_algorithm *algorithm; /* NULL: native */
    struct allfold_parameters parameters;
    bool unordered; /* ranks may get different bits */
};

/* The rules of one collective, in their order. */
struct allfold_rules {
    int count;
    struct allfold_rule rules[ALLFOLD_MAX_RULES];
};

/* Reads the rules of a collective. Returns ALLFOLD_BAD_INPUT if the text is wrong; then `message`
 * says which part is wrong and what is expected, and *rules is empty. An empty text has no rules.
 */
enum allfold_error allfold_rules_read(enum allfold_collective collective, const char *text,
                                      struct allfold_rules *rules, char *message,
                                      size_t message_bytes);

/* Reads one algorithm in the syntax of rules, without a range: "ring(segment=64K)". *algorithm is
 * NULL for native. Returns errors as allfold_rules_read does. */
enum allfold_error allfold_algorithm_read(enum allfold_collective collective, const char *text,
                                          const struct allfold_algorithm **algorithm,
                                          struct allfold_parameters *parameters, char *message,
                                          size_t message_bytes);

/* Returns whether the algorithm's ranks have different orders of summation, so that they may get
 * different bits. */
bool allfold_may_be_unordered(const struct allfold_algorithm *algorithm);

/* Writes a rule, without its range, as allfold_algorithm_read reads it. */
void allfold_rule_write(const struct allfold_rule *rule, char *text, size_t text_bytes);

/* Returns the need of the rule's algorithm that the problem does not meet, or NULL. */
const char *allfold_rule_unmet(const struct allfold_rule *rule,
                               const struct allfold_problem *problem);

/* Returns the first rule that matches a vector of `bytes` bytes, or NULL. */
const struct allfold_rule *allfold_rules_find(const struct allfold_rules *rules, size_t bytes);

#endif
