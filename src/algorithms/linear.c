/* The linear reduction (see linear.h). */
#include "algorithms/linear.h"

#include "schedule/verbs.h"

void allfold_linear_reduce(struct allfold_builder *s, const struct allfold_problem *problem,
                           int root)
{
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span in = span(ALLFOLD_IN, 0, n), out = span(ALLFOLD_OUT, 0, n);
    if (r != root) {
        send_to(s, root, in);
        return;
    }
    /* partial results of ranks below the root need memory of their own, as IN may be OUT */
    const struct allfold_span below = scratch(s, root > 0 ? n : 0);
    const struct allfold_span tmp[2] = {scratch(s, p > 2 ? n : 0), scratch(s, p > 1 ? n : 0)};
    struct allfold_span mine = root > 0 ? below : in;

    for (int i = 0; i < p; i++) {
        const struct allfold_span got = i == 0 && root > 0 ? below : tmp[i % 2];
        if (i != root)
            recv_from(s, i, got);
        if (i == 0)
            continue;
        const struct allfold_span result = i < root ? below : out;
        reduce(s, result, mine, i == root ? in : got);
        mine = result;
    }
    copy(s, out, mine);
}
