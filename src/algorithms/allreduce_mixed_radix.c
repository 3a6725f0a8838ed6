/* A radix and a way for each level of the recursion: the closing wish of Rabenseifner 2004, to
 * combine the principles of its sections and select on each recursion level.
 *
 * The core of q = k_1 k_2 ... ranks recurses by digits of mixed radix. At level i the k_i ranks of
 * a digit either exchange all that they hold (section 2.4) or each reduces one of k_i
 * pieces (section 2.5), which they collect again after the last level, in reverse order. Where q is
 * not p, the odd rank of each removed pair is served as in section 2.4, or, where the first level
 * scatters, as in section 2.5.
 *
 * Invariant: before level i, the elements held are the reduction over the core ranks that differ
 * only in digits before i, which are consecutive: operands stay in rank order, bracketed alike. */
#include "algorithms/levels.h"
#include "algorithms/multiplying.h"
#include "schedule/verbs.h"

enum { LEVELS };

static struct levels levels_of(const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters)
{
    const size_t number = parameters->value[LEVELS];
    return number == 0 ? allfold_best_levels(problem)
                       : allfold_levels_of(number, problem->group.size);
}

/* The rank that stays of a pair has the pair's reduction in OUT, and true comes back. */
static bool remove_pair(struct allfold_builder *s, const struct core *core, int r, size_t n,
                        bool halves, struct allfold_span tmp)
{
    const struct allfold_span in = span(ALLFOLD_IN, 0, n), out = span(ALLFOLD_OUT, 0, n);
    if (halves)
        return allfold_remove_pair(s, core, r, n, out, tmp);
    if (core->index < 0) {
        send_to(s, core->partner, in);
        return false;
    }
    recv_from(s, core->partner, part(tmp, 0, n));
    reduce(s, out, in, part(tmp, 0, n));
    return true;
}

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span in = span(ALLFOLD_IN, 0, n), out = span(ALLFOLD_OUT, 0, n);
    const struct levels k = levels_of(problem, parameters);
    const struct core core = core_of_size(p, k.core, r, 0);
    const struct allfold_span tmp = scratch(s, allfold_levels_room(&k, n));
    const bool is_paired = core.partner >= 0;

    if (p == 1)
        copy(s, out, in);
    if (is_paired && !remove_pair(s, &core, r, n, k.level[0].scatters, tmp)) {
        recv_from(s, core.partner, out);
        return;
    }
    struct bounds held[ALLFOLD_MAX_FACTORS + 1] = {{0, n}};
    struct digit digit[ALLFOLD_MAX_FACTORS];
    for (int i = 0, stride = 1; i < k.count; stride *= k.level[i++].radix) {
        digit[i] = allfold_digit(core.index, k.level[i].radix, stride);
        held[i + 1] = allfold_multiply(s, &core, &digit[i], k.level[i].scatters, held[i],
                                       i == 0 && !is_paired ? in : out, out, tmp);
    }
    for (int i = k.count - 1; i >= 0; i--)
        if (k.level[i].scatters)
            allfold_collect(s, &core, &digit[i], held[i], out);
    if (is_paired)
        send_to(s, core.partner, out);
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
    .only_forced = true,
    .parameters = {{.name = "levels",
                    .unit = "",
                    .meaning =
                        "a digit a level: 2-5 doubles with that radix, 6-9 halves with radix "
                        "2-5; 0 lets the cost model select",
                    .minimum = 0,
                    .maximum = (size_t)1 << 60,
                    .preset = 0,
                    .tried = {0, 7, 86, 673, 2967, 986862}, /* 3 .. 640 ranks */
                    .tried_count = 6}},
    .build = build,
    .claim = claim,
    .unmet = unmet,
};
