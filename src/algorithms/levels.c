/* Codes, claims and the program of levels (see levels.h). */
#include "algorithms/levels.h"

#include <assert.h>

#include "algorithms/costs.h"
#include "algorithms/multiplying.h"
#include "algorithms/peers.h"
#include "schedule/verbs.h"

struct levels allfold_levels_of(size_t number, int p)
{
    static const struct levels none = {.core = 1};
    struct levels levels = none;
    size_t place = 1;
    while (number / place >= 10)
        place *= 10;
    for (; place > 0 && number > 0; place /= 10) {
        const struct level level = allfold_digit_level(number / place % 10);
        if (level.radix < 2 || levels.core > p / level.radix)
            return none;
        levels.core *= level.radix;
        levels.level[levels.count++] = level;
    }
    assert(levels.core <= p);
    return levels.core < p - p / 2 ? none : levels;
}

/* Returns the radices of p ranks, each at most `largest`. If the problem asks for the canonical
 * tree and these radices do not keep it, all radices are 2. */
static struct factors factors_up_to(int largest, int p, bool canonical)
{
    if (!canonical)
        return allfold_factors(p, largest);
    const struct factors factors = allfold_tree_factors(p, largest);
    return allfold_radices_keep_tree(&factors, p) ? factors : allfold_tree_factors(p, 2);
}

size_t allfold_levels_like(size_t number, int p, bool canonical)
{
    size_t like = 0;
    int largest = 2, pieces = 1;
    for (; number > 0; number /= 10) {
        const struct level level = allfold_digit_level(number % 10);
        largest = level.radix > largest ? level.radix : largest;
        pieces *= level.scatters ? level.radix : 1;
    }
    const struct factors factors = factors_up_to(largest, p, canonical);
    for (int i = 0, product = 1; i < factors.count; i++) {
        product *= factors.factor[i];
        like =
            10 * like + allfold_level_digit((struct level){factors.factor[i], product <= pieces});
    }
    return like;
}

bool allfold_levels_keep_tree(const struct levels *levels, int p)
{
    struct factors radices = {.count = levels->count, .core = levels->core};
    for (int i = 0; i < levels->count; i++)
        radices.factor[i] = levels->level[i].radix;
    return allfold_radices_keep_tree(&radices, p);
}

/* Removal: whole vectors (one to the rank that stays, the result back), or halves as in
 * Rabenseifner 2004, section 2.5, where the first level scatters. A level that scatters sends
 * radix - 1 pieces on the way down and again on the way up. */
struct allfold_claim allfold_levels_claim(const struct levels *levels,
                                          const struct allfold_problem *problem)
{
    const size_t n = problem->count;
    const bool removes = levels->core < problem->group.size;
    const bool halves = removes && levels->level[0].scatters;
    struct allfold_claim claim = {.divisor = 1};
    if (removes) {
        claim.rounds = halves ? 3 : 2;
        claim.reduced = halves ? ceil_divide(n, 2) : n;
        claim.sent = halves ? claim.reduced + n : n;
    }
    for (int i = 0; i < levels->count; i++) {
        const size_t others = (size_t)levels->level[i].radix - 1;
        const bool scatters = levels->level[i].scatters;
        claim.divisor *= scatters ? others + 1 : 1;
        const size_t piece = ceil_divide(n, claim.divisor);
        claim.rounds += scatters ? 2 : 1;
        claim.sent += (scatters ? 2 : 1) * others * piece;
        claim.reduced += others * piece;
        claim.ports = others > claim.ports ? (unsigned)others : claim.ports;
    }
    if (halves && claim.divisor % 2 != 0)
        claim.divisor *= 2; /* for the halves of the removal */
    return claim;
}

size_t allfold_levels_room(const struct levels *levels, size_t n)
{
    size_t most = n, pieces = 1;
    for (int i = 0; i < levels->count; i++) {
        const size_t radix = (size_t)levels->level[i].radix;
        pieces *= levels->level[i].scatters ? radix : 1;
        const size_t wanted = (radix - 1) * ceil_divide(n, pieces);
        most = wanted > most ? wanted : most;
    }
    return most;
}

struct levels allfold_best_levels(const struct allfold_problem *problem)
{
    struct levels best = {.core = 1};
    double best_s = 0;
    for (int radix = 2; radix <= ALLFOLD_LARGEST_LEVEL; radix++) {
        const int p = problem->group.size;
        const struct factors factors =
            problem->canonical ? allfold_tree_factors(p, radix) : allfold_factors(p, radix);
        if (problem->canonical && !allfold_radices_keep_tree(&factors, p))
            continue; /* with radix 2 they always do */
        struct levels tried = {.count = factors.count, .core = factors.core};
        for (int i = 0; i < factors.count; i++)
            tried.level[i].radix = factors.factor[i];
        for (int scattering = 0; scattering <= factors.count; scattering++) {
            if (scattering > 0)
                tried.level[scattering - 1].scatters = true;
            const struct allfold_claim claim = allfold_levels_claim(&tried, problem);
            const double cost_s =
                allfold_cost_s(allfold_costs_of(problem), &claim, problem->element_bytes);
            if (best.count == 0 || cost_s < best_s) {
                best = tried;
                best_s = cost_s;
            }
        }
    }
    return best;
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

void allfold_levels_allreduce(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct levels *levels)
{
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span in = span(ALLFOLD_IN, 0, n), out = span(ALLFOLD_OUT, 0, n);
    const struct core core = core_of_size(p, levels->core, r, 0);
    const struct allfold_span tmp = scratch(s, allfold_levels_room(levels, n));
    const bool is_paired = core.partner >= 0;

    if (p == 1)
        copy(s, out, in);
    if (is_paired && !remove_pair(s, &core, r, n, levels->level[0].scatters, tmp)) {
        recv_from(s, core.partner, out);
        return;
    }
    struct bounds held[ALLFOLD_MAX_FACTORS + 1] = {{0, n}};
    struct radix_group group[ALLFOLD_MAX_FACTORS];
    for (int i = 0, stride = 1; i < levels->count; stride *= levels->level[i++].radix) {
        assert(levels->core % (stride * levels->level[i].radix) == 0);
        group[i] = allfold_radix_group(core.index, levels->level[i].radix, stride);
        group[i].by_tree = problem->canonical;
        held[i + 1] = allfold_multiply(s, &core, &group[i], levels->level[i].scatters, held[i],
                                       i == 0 && !is_paired ? in : out, out, tmp);
    }
    for (int i = levels->count - 1; i >= 0; i--)
        if (levels->level[i].scatters)
            allfold_collect(s, &core, &group[i], held[i], out);
    if (is_paired)
        send_to(s, core.partner, out);
}
