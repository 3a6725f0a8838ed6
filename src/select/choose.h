/* Chooses an algorithm with its parameters for a problem, and says why.
 *
 * A user's rule takes precedence over the tables. Among the tables, the user's table precedes the
 * one that the guard learned, and this one precedes the tuned table. If none of them has a matching
 * row, the built-in table is used (simulated.h). If no row names an algorithm that can handle the
 * problem, the algorithm with the lowest estimated cost (costs.h) is chosen.
 *
 * The choice depends only on what is the same on all ranks. Thread-safe. */
#ifndef ALLFOLD_SELECT_CHOOSE_H
#define ALLFOLD_SELECT_CHOOSE_H

#include "algorithms/costs.h"
#include "select/rules.h"
#include "select/simulated.h"
#include "select/table.h"

/* Tables other than the built-in table, in order of precedence. */
enum allfold_table_kind {
    ALLFOLD_USERS_TABLE,   /* ALLFOLD_TABLE */
    ALLFOLD_LEARNED_TABLE, /* rows that the guard learned in earlier runs */
    ALLFOLD_TUNED_TABLE,   /* the file of `allfold tune` */
    ALLFOLD_TABLE_KINDS
};

/* The rules and tables of a choice, besides the built-in table. Each may be NULL. */
struct allfold_choice_inputs {
    const struct allfold_rules *rules;
    const struct allfold_table *tables[ALLFOLD_TABLE_KINDS];
};

/* What determined a choice. */
enum allfold_choice_source {
    ALLFOLD_CHOICE_FORCED,   /* a rule of the user */
    ALLFOLD_CHOICE_TABLE,    /* a row of the user's table */
    ALLFOLD_CHOICE_LEARNED,  /* a row that the guard learned in an earlier run */
    ALLFOLD_CHOICE_TUNED,    /* a row of the tuned table */
    ALLFOLD_CHOICE_PRICE,    /* the lowest estimated cost */
    ALLFOLD_CHOICE_GUARD,    /* the guard, in this run */
    ALLFOLD_CHOICE_BUILT_IN, /* a row of the built-in table */
};

/* A choice. The rows are owned by their tables. */
struct allfold_choice {
    const struct allfold_algorithm *algorithm; /* NULL: native */
    struct allfold_parameters parameters;
    enum allfold_choice_source source;
    const struct allfold_table_row *row; /* the row that determined the choice; NULL: none */
    const struct allfold_simulated_row *simulated; /* the row of the built-in table; NULL: none */
    bool is_runner_up; /* `algorithm` is the second algorithm of the row `simulated`, because the
                          first one cannot handle the problem */

    /* The first row that matches, but names an algorithm that cannot handle the problem; NULL:
     * there is none. */
    const struct allfold_table_row *skipped_row;
    const char *unmet; /* the need of skipped_row's algorithm that the problem does not meet */
};

/* Returns "forced", "table", "learned", "tuned", "built-in", "price" or "guard". */
const char *allfold_choice_source_name(enum allfold_choice_source source);

/* Returns the name of the source, and a note if a row was skipped: "built-in, row passed over". */
const char *allfold_choice_reason(const struct allfold_choice *choice);

/* Chooses an algorithm. Returns ALLFOLD_UNMET_NEED if a rule forces an algorithm that cannot handle
 * the problem; then `message` names the algorithm and the need. `inputs` may be NULL. */
enum allfold_error allfold_choose(const struct allfold_choice_inputs *inputs,
                                  const struct allfold_problem *problem,
                                  struct allfold_choice *choice, char *message,
                                  size_t message_bytes);

/* Chooses by the built-in table and the estimated costs alone. choice->algorithm is NULL if no
 * algorithm of the collective can handle the problem. */
void allfold_choose_default(const struct allfold_problem *problem, struct allfold_choice *choice);

/* Returns whether the MPI library handles all calls of the problem's collective on these nodes,
 * whatever the other properties of the problem. If so, sets *source to the reason. `inputs` may be
 * NULL. */
bool allfold_always_native(const struct allfold_choice_inputs *inputs,
                           const struct allfold_problem *problem,
                           enum allfold_choice_source *source);

#endif
