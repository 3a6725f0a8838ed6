/* Choosing: from a problem to an algorithm with its parameters, and why.
 *
 * A user's rule comes first, then the row that holds of a table: first the user's, then what the
 * guard learned, then the tuned one. Where none does, or what it names cannot serve, each algorithm
 * that can serve is costed, and the cheapest is taken. On one node the costs are the papers', of
 * the algorithms' claims (Rabenseifner 2004, section 2.1). They are rounds x latency + bytes sent x
 * time per byte + bytes reduced x time per byte. On several nodes, the programs of some ranks on
 * this placement say what an algorithm that knows no nodes sends between them. Where ranks are few,
 * the programs of all ranks say it (placed.h). Without calibrated constants the network between
 * nodes is unknown, and the time is a mean over a family of networks. The native algorithm is a
 * candidate where textbooks have an algorithm that this library has not. The model's choice is a
 * step function of the count (steps.h). It is the choice for the first count of the step, unless
 * this choice cannot serve the very count.
 *
 * The choice depends only on what is the same on all ranks. */
#ifndef ALLFOLD_SELECT_CHOOSE_H
#define ALLFOLD_SELECT_CHOOSE_H

#include "algorithms/costs.h"
#include "select/rules.h"
#include "select/steps.h"
#include "select/table.h"

/* In the order in which they are asked. */
enum allfold_table_kind {
    ALLFOLD_USERS_TABLE,
    ALLFOLD_LEARNED_TABLE, /* what the guard of earlier runs found */
    ALLFOLD_TUNED_TABLE,
    ALLFOLD_TABLE_KINDS
};

/* What choices go by besides the model; each may be NULL. */
struct allfold_guides {
    const struct allfold_rules *rules;
    const struct allfold_table *tables[ALLFOLD_TABLE_KINDS];
    struct allfold_steps *steps; /* what is known of the model's choices on the placement */
};

enum allfold_choice_source {
    ALLFOLD_CHOICE_FORCED,
    ALLFOLD_CHOICE_TABLE,
    ALLFOLD_CHOICE_LEARNED,
    ALLFOLD_CHOICE_TUNED,
    ALLFOLD_CHOICE_MODEL,
    ALLFOLD_CHOICE_GUARD,
};

/* Rows belong to their tables. */
struct allfold_choice {
    const struct allfold_algorithm *algorithm; /* NULL: native */
    struct allfold_parameters parameters;
    enum allfold_choice_source source;
    double cost_s;     /* what the model expects, for that count; 0 where it was not asked */
    size_t chosen_for; /* the count that the model was asked for: it begins a step, or is the very
                          one; 0 likewise */
    const struct allfold_table_row *row; /* that it was taken from; NULL: none */

    /* The first row that holds but names what cannot serve; NULL: there is none. */
    const struct allfold_table_row *passed;
    const char *unmet; /* what that one needs */
};

/* "forced", "table", "learned", "tuned", "model", "guard". */
const char *allfold_choice_source_name(enum allfold_choice_source source);

/* The same, and whether a row was passed over: "model, row passed over". */
const char *allfold_choice_reason(const struct allfold_choice *choice);

/* The constants that the tables bring: the user's before the tuned ones; NULL where they have none.
 */
const struct allfold_cost_model *allfold_guides_costs(const struct allfold_guides *guides);

/* Why the model does not offer an algorithm for a problem of its collective that it may well serve;
 * NULL where it does. */
const char *allfold_why_not_offered(const struct allfold_algorithm *algorithm,
                                    const struct allfold_problem *problem);

/* What the model says of an algorithm for a problem of its collective. */
struct allfold_appraisal {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters; /* the cheapest of those that are tried */
    double cost_s;                        /* 0 where it cannot serve */
    const char *unmet;                    /* the need that is not met; NULL where it can serve */
    bool breaks_bits; /* results would differ in bits between ranks, so it is not offered */
};

/* With the presets, and where a parameter names an algorithm, with all that the sweeps prove.
 * ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_appraise(const struct allfold_algorithm *algorithm,
                                    const struct allfold_problem *problem,
                                    struct allfold_appraisal *appraisal);

/* What the model expects of the native algorithm; HUGE_VAL where it is no candidate. */
double allfold_native_cost_s(const struct allfold_problem *problem);

/* Chooses. ALLFOLD_NO_MEMORY; ALLFOLD_UNMET_NEED where a rule forces an algorithm that cannot serve
 * the problem; then `message` names both. `guides` may be NULL. The model's constants are the
 * problem's. */
enum allfold_error allfold_choose(const struct allfold_guides *guides,
                                  const struct allfold_problem *problem,
                                  struct allfold_choice *choice, char *message,
                                  size_t message_bytes);

/* The cheapest of our algorithms for the step, where the native algorithm is no choice: also of
 * those that the model does not offer else. ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_choose_ours(const struct allfold_problem *problem,
                                       struct allfold_choice *choice);

/* Does the native algorithm serve all problems of a collective on such nodes, whatever else is in
 * them? Then *source says why. `guides` may be NULL. */
bool allfold_always_native(const struct allfold_guides *guides,
                           const struct allfold_problem *problem,
                           enum allfold_choice_source *source);

#endif
