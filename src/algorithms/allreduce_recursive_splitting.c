/* Recursive splitting: recursive vector halving and doubling (Rabenseifner 2004, section 2.5) with
 * mixed radices; the counterpart of recursive multiplying for long vectors.
 *
 * Round i of the reduce-scatter has radix k_i. The ranks whose indices in the core differ only in
 * digit i divide the elements that they have into k_i pieces, and each reduces one piece. The
 * allgather is the reverse. The core has q = k_1 k_2 ... ranks. If q is not p, each rank of a
 * removed pair first reduces one half of the vector.
 *
 * Invariant: see levels.h; operands stay in rank order, and a piece is reduced by only one rank, so
 * all ranks get bitwise identical results. */
#include "algorithms/levels.h"

enum { RADIX, LARGEST_RADIX = 16 };

static struct levels levels_of(const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, radix = (int)parameters->value[RADIX];
    const struct factors k =
        problem->canonical ? allfold_tree_factors(p, radix) : allfold_factors(p, radix);
    struct levels levels = {.count = k.count, .core = k.core};
    for (int i = 0; i < k.count; i++)
        levels.level[i] = (struct level){.radix = k.factor[i], .scatters = true};
    return levels;
}

static bool keeps_tree(const struct allfold_problem *problem,
                       const struct allfold_parameters *parameters)
{
    const struct levels levels = levels_of(problem, parameters);
    return allfold_levels_keep_tree(&levels, problem->group.size);
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const struct levels levels = levels_of(problem, parameters);
    allfold_levels_allreduce(s, problem, &levels);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const struct levels levels = levels_of(problem, parameters);
    return allfold_levels_claim(&levels, problem);
}

const struct allfold_algorithm allfold_allreduce_recursive_splitting = {
    .name = "recursive_splitting",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "in-order mixed-radix recursive splitting, after Rabenseifner 2004, section 2.5",
    .summary = "pieces with radix - 1 peers at once, first apart and then together",
    .use = "long vectors, any operation, where several messages overlap and p is near a product of "
           "small factors: halving_doubling's volume in fewer rounds",
    .consistent = true,
    .keeps_tree = keeps_tree,
    .out_of_order = true,
    .is_inner = true,
    .parameters = {{.name = "radix",
                    .kind = ALLFOLD_PARAMETER_RADIX,
                    .unit = "",
                    .meaning = "largest number of pieces that a round cuts a vector in",
                    .minimum = 2,
                    .maximum = LARGEST_RADIX,
                    .preset = 4,
                    ALLFOLD_TRIED(2, 3, 4, 5, 8, LARGEST_RADIX)}},
    .build = build,
    .claim = claim,
};
