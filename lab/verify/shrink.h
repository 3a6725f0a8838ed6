/* Shrinking: the smallest case that fails like a given one, so that people read little. */
#ifndef ALLFOLD_LAB_VERIFY_SHRINK_H
#define ALLFOLD_LAB_VERIFY_SHRINK_H

#include "lab/verify/verifier.h"

struct allfold_shrunk {
    struct allfold_case of; /* fails; its mode, seed and window are those of the run that did */
    struct allfold_nodes *nodes; /* that `of` points to, or NULL */
    size_t *begins;              /* likewise */
    struct allfold_blame blame;
};

/* Looks for a smaller case than one that fails: fewer ranks, then fewer elements, a lower root, the
 * presets of the parameters. Then not in place, alike blocks, no nodes. It tries so many cases at
 * most that it ends within seconds. Where none is smaller it is the case itself. Nodes are freed
 * with allfold_shrunk_free. ALLFOLD_NO_MEMORY, else ALLFOLD_OK. */
enum allfold_error allfold_shrink(struct allfold_verifier *verifier,
                                  const struct allfold_case *failing,
                                  struct allfold_shrunk *shrunk);
void allfold_shrunk_free(struct allfold_shrunk *shrunk);

#endif
