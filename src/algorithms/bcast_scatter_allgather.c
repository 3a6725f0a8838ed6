/* Broadcast by a scatter and an allgather: Barnett, Gupta, Payne, Shuler, van de Geijn and Watts
 * 1994.
 *
 * The root scatters the vector over a k-nomial tree: a rank receives the blocks of its subtree.
 * Then an allgather gives all blocks to all ranks. The root, which has them, receives them again.
 *
 * Invariant: after the scatter rank r has block r at its offset in OUT, the root in IN. */
#include "algorithms/all.h"
#include "algorithms/composed.h"
#include "algorithms/knomial_tree.h"
#include "schedule/verbs.h"

enum { ALLGATHER, RADIX };

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const bool is_root = r == problem->root;
    const struct allfold_span all = span(is_root ? ALLFOLD_IN : ALLFOLD_OUT, 0, problem->count);
    const struct tree tree =
        allfold_knomial_tree(s, p, problem->root, r, (int)parameters->value[RADIX]);

    if (!is_root)
        recv_from(s, tree.parent, allfold_blocks_in(all, p, r, tree.covered));
    for (int i = 0; i < tree.child_count; i++) {
        const struct tree_child *child = &tree.children[i];
        send_to(s, child->rank, allfold_blocks_in(all, p, child->rank, child->covered));
    }
    if (p > 1)
        allfold_build_inner(s, problem,
                            &(struct inner){.named = allfold_named(parameters, ALLGATHER),
                                            .group = allfold_group_all(p, r),
                                            .count = problem->count,
                                            .in = allfold_blocks_in(all, p, r, 1),
                                            .out = is_root ? scratch(s, problem->count) : all});
}

/* Elements that go one after the other down the tree. Its subtrees cover radix^j ranks. */
static size_t scatter_serial(int p, size_t n, size_t radix)
{
    size_t serial = 0;
    for (size_t covered = 1; covered < (size_t)p; covered *= radix)
        serial += lesser(n, covered * ceil_divide(n, (size_t)p));
    return serial;
}

/* The root sends most in the scatter: all blocks but its own. */
static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, root = problem->root;
    const struct allfold_claim tree =
        allfold_knomial_claim(problem, &(struct allfold_parameters){{parameters->value[RADIX]}});
    struct allfold_claim claim = {
        .rounds = tree.rounds,
        .sent = problem->count - block_length(problem->count, p, root),
        .ports = tree.ports,
        .divisor = 1,
        .is_bound = true,
        .serial = scatter_serial(p, problem->count, parameters->value[RADIX]),
    };
    if (p > 1)
        allfold_add_claim(&claim, problem, allfold_named(parameters, ALLGATHER), p, problem->count,
                          NULL);
    return claim;
}

static const char *unmet(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    return allfold_inner_unmet(problem, allfold_named(parameters, ALLGATHER), problem->group.size,
                               problem->count, NULL);
}

const struct allfold_algorithm allfold_bcast_scatter_allgather = {
    .name = "scatter_allgather",
    .collective = ALLFOLD_BCAST,
    .source = "Barnett et al. 1994, Interprocessor Collective Communication Library",
    .summary = "the root scatters blocks over a k-nomial tree, and all ranks gather them",
    .use =
        "long vectors that are too short for many segments: the root sends about two "
        "vectors, in fewer rounds than two_tree; for the longest, two_tree and pipelined_circulant",
    .consistent = true,
    .out_of_order = true,
    .is_inner = true,
    .parameters = {ALLFOLD_INNER_OF("allgather", ALLFOLD_PARAMETER_ON_ALL,
                                    "the allgather of the blocks", &allfold_allgather_circulant),
                   ALLFOLD_KNOMIAL_RADIX},
    .build = build,
    .claim = claim,
    .unmet = unmet,
};
