/* Rules: which algorithm to take for which sizes, as a user writes them.
 *
 *     ring
 *     0-4K:recursive_doubling;4K-:ring(segment=64K)
 *
 * A rule is [FROM-[TO]:]NAME[(PARAMETER=VALUE,...)], with each parameter once at most. It holds for
 * vectors of FROM bytes and more and less than TO. The first rule that holds is taken; where none
 * does, the choice is free. A range may end in `=` instead of `:`. The name `native` stands for the
 * native algorithm.
 *
 * A parameter that names an inner algorithm may give its parameters, too, up to three levels of
 * algorithms with parameters:
 *
 *     smp(node=smp(node=flat,leaders=chain(segment=64K)),leaders=recursive_multiplying(radix=4))
 *
 * An algorithm whose ranks sum in different orders takes the word `unordered` among its parameters.
 * Without it, the rule is an error for operations that are not exact, because ranks would get
 * different bits. */
#ifndef ALLFOLD_SELECT_RULES_H
#define ALLFOLD_SELECT_RULES_H

#include <stdbool.h>

#include "algorithms/algorithm.h"

enum { ALLFOLD_MAX_RULES = 16 };

struct allfold_rule {
    size_t from_bytes;
    size_t to_bytes;
    const struct allfold_algorithm *algorithm; /* NULL: native */
    struct allfold_parameters parameters;
    bool unordered; /* ranks may get different bits */
};

struct allfold_rules {
    int count;
    struct allfold_rule rules[ALLFOLD_MAX_RULES];
};

/* Reads rules for a collective. ALLFOLD_BAD_INPUT with `message` saying what is wrong with which
 * part of the text, and what would be right; then *rules is empty. An empty text is no rules. */
enum allfold_error allfold_rules_read(enum allfold_collective collective, const char *text,
                                      struct allfold_rules *rules, char *message,
                                      size_t message_bytes);

/* Reads an algorithm as rules have it, alone: "ring(segment=64K)"; *algorithm is NULL for native.
 * As allfold_rules_read, but that there must be just one, and for all sizes. */
enum allfold_error allfold_algorithm_read(enum allfold_collective collective, const char *text,
                                          const struct allfold_algorithm **algorithm,
                                          struct allfold_parameters *parameters, char *message,
                                          size_t message_bytes);

/* Do the algorithm's ranks sum in different orders, so that they may get different bits? */
bool allfold_may_be_unordered(const struct allfold_algorithm *algorithm);

/* Writes a rule without its range, as it is read. */
void allfold_rule_write(const struct allfold_rule *rule, char *text, size_t text_bytes);

/* The need of a rule's algorithm that a problem does not meet, or NULL. */
const char *allfold_rule_unmet(const struct allfold_rule *rule,
                               const struct allfold_problem *problem);

/* The first rule that holds for a vector of that many bytes, or NULL. */
const struct allfold_rule *allfold_rules_find(const struct allfold_rules *rules, size_t bytes);

#endif
