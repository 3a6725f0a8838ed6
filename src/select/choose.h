/* Choosing: from a problem to an algorithm with its parameters, and why.
 *
 * A user's rule comes first. Else each algorithm that can serve is costed by its claims, with the
 * papers' model: rounds x latency + bytes sent x time per byte + bytes reduced x time per byte
 * (Rabenseifner 2004, section 2.1), and the cheapest is taken. The MPI library's own is a candidate
 * where textbooks have an algorithm that this library has not.
 *
 * The choice depends only on what all ranks know alike. */
#ifndef ALLFOLD_SELECT_CHOOSE_H
#define ALLFOLD_SELECT_CHOOSE_H

#include "algorithms/costs.h"
#include "select/rules.h"

enum allfold_choice_source { ALLFOLD_CHOICE_FORCED, ALLFOLD_CHOICE_MODEL };

struct allfold_choice {
    const struct allfold_algorithm *algorithm; /* NULL: native */
    struct allfold_parameters parameters;
    enum allfold_choice_source source;
    double cost_s; /* what the model expects; 0 where it was not asked */
};

/* "forced", "model". */
const char *allfold_choice_source_name(enum allfold_choice_source source);

/* Chooses. ALLFOLD_UNMET_NEED where a rule forces an algorithm that cannot serve the problem; then
 * `message` names both. `rules` may be NULL. */
enum allfold_error allfold_choose(const struct allfold_rules *rules,
                                  const struct allfold_problem *problem,
                                  struct allfold_choice *choice, char *message,
                                  size_t message_bytes);

/* The cheapest of our algorithms, where the MPI library's own is no choice: also of those that the
 * model does not offer else. */
struct allfold_choice allfold_choose_ours(const struct allfold_problem *problem);

/* Does the MPI library's own serve all problems of a collective, whatever they are? Then *source
 * says why. `rules` may be NULL. */
bool allfold_always_native(const struct allfold_rules *rules, enum allfold_collective collective,
                           enum allfold_choice_source *source);

#endif
