/* Exscan in the minimum number of rounds with about one operation in each: Traeff 2025,
 * 123-doubling.
 *
 * Rank r sends its own contribution to r + 1, then that of r - 1 and its own to r + 2. From then on
 * it has the reduction over ranks below it, without its own contribution. It sends that to r + d at
 * distance d = 3, 6, 12, ..., which takes no operation. So ranks 1 .. p - 1 alone double, from 3
 * ranks on.
 *
 * Invariant: before distance d >= 3 a rank has the reduction over the d ranks below it, or over all
 * of them. */
#include "algorithms/peers.h"
#include "algorithms/prefix.h"
#include "schedule/verbs.h"

static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, r = problem->group.index;
    struct prefix below = allfold_prefix_begin(s, problem);
    const struct allfold_span result = span(ALLFOLD_OUT, 0, r > 0 ? problem->count : 0);
    for (int d = 1; d <= 2; d++) {
        if (d < p - r)
            send_to(s, r + d, allfold_prefix_all(&below));
        if (r >= d)
            allfold_prefix_receive(&below, r - d);
    }
    for (int d = 3; d < p - 1; d *= 2) {
        if (d < p - r)
            send_to(s, r + d, result);
        if (r > d)
            allfold_prefix_receive(&below, r - d);
    }
}

/* Rounds have the distances 1, 2, 3, 6, 12, ... below p - 1, but there is one at least. With them a
 * rank gets what 1, 3, 6, 12, ... ranks have. */
static int rounds_of(int p)
{
    int rounds = p > 1;
    for (int known = 1; known < p - 1; known = known == 1 ? 3 : 2 * known)
        rounds++;
    return rounds;
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    (void)parameters;
    const int p = problem->group.size, rounds = rounds_of(p);
    const int last = rounds >= 3 ? 3 << (rounds - 3) : 0;   /* the last distance */
    const bool adds_own = rounds >= 3 && p - 1 >= last + 3; /* a rank that gets all messages */
    return (struct allfold_claim){
        .rounds = (size_t)rounds,
        .sent = (size_t)rounds * problem->count,
        .reduced = rounds == 0 ? 0 : (size_t)(rounds - 1 + adds_own) * problem->count,
    };
}

const struct allfold_algorithm allfold_exscan_doubling_123 = {
    .name = "doubling_123",
    .collective = ALLFOLD_EXSCAN,
    .source = "Traeff 2025, Exclusive prefix sums in fewer rounds: 123-doubling",
    .summary =
        "to rank r + d at distance d = 1, 2, then 3, 6, 12, ...; ceil(lg(p-1) + lg(4/3)) rounds",
    .use = "short vectors, any p and operation: as many operations as rounds at most; "
           "simultaneous_trees for some p has one round less, but twice the operations",
    .consistent = true,
    .is_inner = true,
    .build = build,
    .claim = claim,
};
