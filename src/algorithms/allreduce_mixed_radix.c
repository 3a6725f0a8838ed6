/* Mixed radix: a radix and a method for each level of the recursion. This is the closing wish of
 * Rabenseifner 2004: to combine the principles of its sections and select on each recursion level.
 *
 * The core of q = k_1 k_2 ... ranks recurses by digits of mixed radix. At level i the k_i ranks of
 * a group either exchange all elements that they have (section 2.4) or each reduces one of k_i
 * pieces (section 2.5). They collect these pieces after the last level, in reverse order. If q is
 * not p, pairs of ranks are removed as in section 2.4, or as in section 2.5 if the first level
 * scatters.
 *
 * Invariant: before level i, a rank's elements are the reduction over the core ranks whose indices
 * differ from its own only in digits before i, which are consecutive. Operands stay in rank order,
 * with the same association on all ranks. */
#include "algorithms/levels.h"

enum { LEVELS };

static struct levels levels_of(const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    const size_t number = parameters->value[LEVELS];
    return number == 0 ? allfold_best_levels(problem)
                       : allfold_levels_of(number, problem->group.size);
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

static const char *unmet(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters)
{
    const bool is_served = parameters->value[LEVELS] == 0 ||
                           allfold_levels_of(parameters->value[LEVELS], problem->group.size).count;
    return is_served ? NULL : "levels whose radices multiply to at least p/2 and at most p";
}

const struct allfold_algorithm allfold_allreduce_mixed_radix = {
    .name = "mixed_radix",
    .collective = ALLFOLD_ALLREDUCE,
    .source = "Rabenseifner 2004, section 4",
    .summary = "each level of the recursion with its own radix, halving or doubling",
    .use = "vectors between those for recursive_doubling and for halving_doubling, any operation: "
           "some levels halve, the others double; and to try such mixtures by hand",
    .consistent = true,
    .keeps_tree = keeps_tree,
    .is_inner = true,
    .parameters = {{.name = "levels",
                    .kind = ALLFOLD_PARAMETER_LEVELS,
                    .unit = "",
                    .meaning =
                        "a digit a level: 2-5 doubles with that radix, 6-9 halves with radix "
                        "2-5; 0 lets the cost model select",
                    .minimum = 0,
                    .maximum = (size_t)1 << 60,
                    .preset = 0,
                    ALLFOLD_TRIED(0, 7, 86, 673, 2967, 986862) /* 3 .. 640 ranks */}},
    .build = build,
    .claim = claim,
    .unmet = unmet,
};
