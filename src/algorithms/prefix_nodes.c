/* Scan and exscan over nodes (see prefix_nodes.h). */
#include "algorithms/prefix_nodes.h"

#include "algorithms/all.h"
#include "algorithms/composed.h"
#include "algorithms/prefix.h"
#include "schedule/verbs.h"

enum { NODE, LASTS };

/* On the last rank of a node: the fold over the node, of which OUT has this rank's result. */
static struct allfold_span fold_of_node(struct allfold_builder *s, struct allfold_span mine,
                                        struct allfold_span result, bool is_exclusive,
                                        bool is_alone)
{
    if (!is_exclusive || is_alone)
        return is_exclusive ? mine : result;
    const struct allfold_span fold = scratch(s, mine.length);
    reduce(s, fold, result, mine);
    return fold;
}

void allfold_build_prefix_on_nodes(struct allfold_builder *s, const struct allfold_problem *problem,
                                   const struct allfold_parameters *parameters)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int r = problem->group.index, node = nodes->node_of[r];
    const bool is_exclusive = problem->collective == ALLFOLD_EXSCAN;
    const size_t n = problem->count;
    const struct allfold_group own = allfold_node_group(nodes, r);
    const bool is_first = own.index == 0, is_last = own.index == own.size - 1;
    const struct allfold_span mine = allfold_prefix_input(s, problem);
    const struct allfold_span none = span(ALLFOLD_OUT, 0, 0), out = span(ALLFOLD_OUT, 0, n);
    const bool has_own = !is_exclusive || !is_first; /* a result of its node's alone */

    allfold_build_inner(s, problem,
                        &(struct inner){.named = allfold_named(parameters, NODE),
                                        .group = own,
                                        .nodes = allfold_sockets_of(nodes, node),
                                        .count = n,
                                        .in = mine,
                                        .out = has_own ? out : none});
    const struct allfold_span below = node == 0 ? none : has_own ? scratch(s, n) : out;
    if (is_last) {
        const struct allfold_group lasts = {
            .size = nodes->count, .index = node, .ranks = nodes->lasts};
        const struct allfold_span fold =
            node < nodes->count - 1 ? fold_of_node(s, mine, out, is_exclusive, is_first) : mine;
        allfold_build_between_nodes(s, problem,
                                    &(struct inner){.named = allfold_named(parameters, LASTS),
                                                    .group = lasts,
                                                    .count = n,
                                                    .in = fold,
                                                    .out = below});
    }
    if (node == 0)
        return;
    allfold_build_inner(s, problem,
                        &(struct inner){.named = allfold_with_presets(&allfold_bcast_binomial_tree),
                                        .group = own,
                                        .root = own.size - 1,
                                        .count = n,
                                        .in = is_last ? below : none,
                                        .out = is_last ? none : below});
    if (has_own)
        reduce(s, out, below, out);
}

struct allfold_claim allfold_claim_prefix_on_nodes(const struct allfold_problem *problem,
                                                   const struct allfold_parameters *parameters)
{
    const size_t n = problem->count;
    const bool adds_own = problem->collective == ALLFOLD_EXSCAN;
    struct allfold_claim claim = {.reduced = (1 + (size_t)adds_own) * n, .is_bound = true};
    allfold_add_claim_of_nodes(&claim, problem, allfold_named(parameters, NODE), 0, n);
    allfold_add_far_claim(&claim, problem, allfold_named(parameters, LASTS), 1, 0, n);
    allfold_add_claim_of_nodes(&claim, problem, allfold_with_presets(&allfold_bcast_binomial_tree),
                               0, n);
    return claim;
}

const char *allfold_unmet_prefix_on_nodes(const struct allfold_problem *problem,
                                          const struct allfold_parameters *parameters)
{
    const size_t n = problem->count;
    if (!allfold_nodes_are_blocks(problem->nodes))
        return "the ranks of each node next to each other";
    const char *unmet = allfold_inner_unmet_on_nodes(problem, allfold_named(parameters, NODE), n);
    if (unmet == NULL)
        unmet = allfold_inner_unmet_between_nodes(problem, allfold_named(parameters, LASTS), n);
    return unmet;
}
