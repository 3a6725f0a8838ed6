/* Shrinking: finds a small case that fails, given a failing case, so that the error is easy to
 * read. */
#ifndef ALLFOLD_LAB_VERIFY_SHRINK_H
#define ALLFOLD_LAB_VERIFY_SHRINK_H

#include "lab/verify/verifier.h"

/* The result. It owns `nodes` and `begins`; either may be NULL. */
struct allfold_shrunk {
    struct allfold_case of; /* the case, with the mode, seed and window of the run that failed */
    struct allfold_nodes *nodes; /* of.nodes */
    size_t *begins;              /* of.begins */
    struct allfold_blame blame;
};

/* Searches for a smaller case than `failing` that also fails. It tries fewer ranks, then fewer
 * elements, a lower root, the default parameters, not in place, blocks of equal lengths, and no
 * nodes. The number of tries is limited so that the search ends within seconds. If no smaller case
 * fails, the result is the case itself. Returns ALLFOLD_OK or ALLFOLD_NO_MEMORY. The caller frees
 * the result with allfold_shrunk_free. */
enum allfold_error allfold_shrink(struct allfold_verifier *verifier,
                                  const struct allfold_case *failing,
                                  struct allfold_shrunk *shrunk);
void allfold_shrunk_free(struct allfold_shrunk *shrunk);

#endif
