/* Choosing: from a problem to an algorithm with its parameters, and why.
 *
 * A user's rule comes first, then the row that holds of a table: first the user's, then what the
 * guard learned, then the tuned one. Else the built-in table has a row (simulated.h). If nothing
 * that its rows name can serve, the algorithm with the lowest price by its claim (costs.h) is
 * taken.
 *
 * The choice depends only on what is the same on all ranks. */
#ifndef ALLFOLD_SELECT_CHOOSE_H
#define ALLFOLD_SELECT_CHOOSE_H

#include "algorithms/costs.h"
#include "select/rules.h"
#include "select/simulated.h"
#include "select/table.h"

/* In the order in which they are asked. */
enum allfold_table_kind {
    ALLFOLD_USERS_TABLE,
    ALLFOLD_LEARNED_TABLE, /* what the guard of earlier runs found */
    ALLFOLD_TUNED_TABLE,
    ALLFOLD_TABLE_KINDS
};

/* What choices go by besides the built-in table; each may be NULL. */
struct allfold_choice_inputs {
    const struct allfold_rules *rules;
    const struct allfold_table *tables[ALLFOLD_TABLE_KINDS];
};

enum allfold_choice_source {
    ALLFOLD_CHOICE_FORCED,
    ALLFOLD_CHOICE_TABLE,
    ALLFOLD_CHOICE_LEARNED,
    ALLFOLD_CHOICE_TUNED,
    ALLFOLD_CHOICE_PRICE,
    ALLFOLD_CHOICE_GUARD,
    ALLFOLD_CHOICE_BUILT_IN,
};

/* Rows belong to their tables. */
struct allfold_choice {
    const struct allfold_algorithm *algorithm; /* NULL: native */
    struct allfold_parameters parameters;
    enum allfold_choice_source source;
    const struct allfold_table_row *row;           /* that it was taken from; NULL: none */
    const struct allfold_simulated_row *simulated; /* of the built-in table; NULL: none */
    bool is_runner_up;                             /* of that row, whose first could not serve */

    /* The first row that holds but names what cannot serve; NULL: there is none. */
    const struct allfold_table_row *skipped_row;
    const char *unmet; /* what that one needs */
};

/* "forced", "table", "learned", "tuned", "built-in", "price", "guard". */
const char *allfold_choice_source_name(enum allfold_choice_source source);

/* The same, and whether a row was passed over: "built-in, row passed over". */
const char *allfold_choice_reason(const struct allfold_choice *choice);

/* Chooses. ALLFOLD_UNMET_NEED where a rule forces an algorithm that cannot serve
 * the problem; then `message` names both. `inputs` may be NULL. */
enum allfold_error allfold_choose(const struct allfold_choice_inputs *inputs,
                                  const struct allfold_problem *problem,
                                  struct allfold_choice *choice, char *message,
                                  size_t message_bytes);

/* The same where nothing is said. choice->algorithm is NULL if no algorithm of the collective can
 * serve the problem. */
void allfold_choose_default(const struct allfold_problem *problem, struct allfold_choice *choice);

/* Does the native algorithm serve all problems of a collective on such nodes, whatever else is in
 * them? Then *source says why. `inputs` may be NULL. */
bool allfold_always_native(const struct allfold_choice_inputs *inputs,
                           const struct allfold_problem *problem,
                           enum allfold_choice_source *source);

#endif
