/* Algorithms with n messages at a time (End et al. 2016, sections III A to III C; Traeff, arXiv
 * 2410.14234) and recursive multiplying. Rounds, messages and volumes are held against the
 * schedules, by walking them with as many ports. p = 1 .. 64, and some up to 1000; n = 1 .. 8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "algorithms/circulant.h"
#include "algorithms/radix.h"
#include "support.h"
#include "support_claims.h"

enum { MOST_RANKS = 1000, MOST_WAYS = 8 };

/* 1 .. 64, then 81, 107, ... and powers of small numbers and their neighbors on the way. */
static size_t next(size_t p)
{
    static const size_t more[] = {65,  80,  81,  82,  125, 216, 343,
                                  344, 511, 512, 513, 729, 999, 1000};
    if (p < 64)
        return p + 1;
    for (size_t i = 0; i < LENGTH(more); i++)
        if (more[i] > p)
            return more[i];
    return MOST_RANKS + 1;
}

static struct walked counted(enum allfold_collective collective, const char *name, size_t p,
                             size_t parameter, size_t n)
{
    return walked((struct built){collective, name, p, 0, n, parameter, 0});
}

static void assert_messages(const struct walked *walked, size_t p, size_t n, size_t messages)
{
    if (walked->messages != messages)
        fail_msg("p = %zu, n = %zu: %zu messages, expected %zu", p, n, walked->messages, messages);
}

/* The least n that has as many rounds as this one. */
static size_t fewest(size_t n, size_t p)
{
    size_t least = 1;
    while (ceil_log(least + 1, p) > ceil_log(n + 1, p))
        least++;
    return least;
}

/* The messages of one way through the skips s_q = p, s_k = ceil(s_{k+1} / (n+1)). Round k has one
 * for each j > 0 with j s_k < s_{k+1}. */
static size_t messages_of_skips(size_t n, size_t p)
{
    size_t messages = 0;
    for (size_t above = p; above > 1;) {
        const size_t skip = (above + n) / (n + 1);
        for (size_t j = 1; j * skip < above; j++)
            messages++;
        above = skip;
    }
    return messages;
}

/* Traeff: the reduce-scatter takes ceil(log_{n+1} p) rounds and (p-1)/p of the vector, sent and
 * reduced. The allreduce takes twice the rounds and sends 2 (p-1)/p. No difference, for any p. */
static void test_circulant(void **state)
{
    (void)state;
    for (size_t n = 1; n <= MOST_WAYS; n++)
        for (size_t p = 1; p <= MOST_RANKS; p = next(p)) {
            const size_t block = 2, others = (p - 1) * block, k = ceil_log(n + 1, p);
            struct walked w = counted(ALLFOLD_REDUCE_SCATTER_BLOCK, "circulant", p, n + 1, block);
            assert_cost(w.cost, p, 0, k, others, others);
            assert_messages(&w, p, n, messages_of_skips(n, p));
            w = counted(ALLFOLD_ALLGATHER, "circulant", p, n + 1, block);
            assert_cost(w.cost, p, 0, k, others, 0);
            assert_messages(&w, p, n, messages_of_skips(n, p));
            w = counted(ALLFOLD_ALLREDUCE, "circulant", p, n + 1, p * block);
            assert_cost(w.cost, p, 0, 2 * k, 2 * others, others);
            assert_messages(&w, p, n, 2 * messages_of_skips(n, p));
        }
}

/* Section III C: ceil(log_{n+1} p) rounds of n messages of the whole vector.
 *
 * Rounds: the paper's, for every pair. Messages: as of the least n that has as many rounds. In the
 * first round only a of them, the first digit of p - 1 in base n + 1. Nothing but the own vector is
 * known then, so the other n - a would be empty. Reductions: one a message; and in all rounds but
 * the first and the last, one more to have S1 beside S0. */
static void test_bruck(void **state)
{
    (void)state;
    for (size_t n = 1; n <= MOST_WAYS; n++)
        for (size_t p = 2; p <= MOST_RANKS; p = next(p)) {
            const size_t k = ceil_log(n + 1, p), ways = fewest(n, p), length = 3;
            size_t digit = p - 1;
            while (digit > ways)
                digit /= ways + 1;
            const size_t paper = k * ways, empty = ways - digit;
            const size_t messages = paper - empty, sums = k > 1 ? k - 2 : 0;
            const struct walked w = counted(ALLFOLD_ALLREDUCE, "bruck", p, n, length);
            assert_messages(&w, p, n, messages);
            assert_cost(w.cost, p, 0, k, messages * length, (messages + sums) * length);
        }
    const struct walked w = counted(ALLFOLD_ALLREDUCE, "bruck", 64, 5, 1);
    assert_messages(&w, 64, 5, 9); /* 3 + 3 + 3 in base 4; in base 6 they are 1 + 5 + 5 */
}

/* Whether a rank has held the reduction over that number of ranks before the last round, at
 * distance N. */
static bool is_held(size_t ranks, size_t n, size_t last)
{
    for (size_t unit = 1; unit < last; unit *= n + 1)
        if (ranks % unit == 0 && ranks / unit <= n && ranks > 0)
            return true;
    return ranks == last;
}

/* The fewest messages of a last round that brings what is missing, p = s N + c - r. Rounds with r =
 * 0, if any, come first: they leave nothing out. SIZE_MAX where there are none at all. */
static size_t last_messages_of(size_t p, size_t n, bool *leaves_out)
{
    size_t last = 1, least[2] = {SIZE_MAX, SIZE_MAX}; /* with r = 0, with r > 0 */
    for (size_t k = 1; k < ceil_log(n + 1, p); k++)
        last *= n + 1;
    for (size_t s = 1; s <= n; s++)
        for (size_t c = 0; c <= last; c++) {
            if (s * last + c < p || (c > 0 && !is_held(c, n, last)))
                continue;
            const size_t r = s * last + c - p, messages = s - (c == 0);
            if ((r == 0 || is_held(r, n, last)) && messages < least[r > 0])
                least[r > 0] = messages;
        }
    *leaves_out = least[0] == SIZE_MAX;
    return *leaves_out ? least[1] : least[0];
}

/* Section III B: ceil(log_{n+1} p) rounds of n messages of the whole vector, where p can be adapted
 * to.
 *
 * Rounds: the paper's. Messages: less in the last round, s or s - 1 for the s of its theorem,
 * because the other senders have nothing that is missing. Reductions: one a message where nothing
 * is left out; else what lies beyond that is reduced a second time, instead of applying an inverse.
 */
static void test_dissemination(void **state)
{
    (void)state;
    size_t served = 0, leaving_out = 0;
    for (size_t n = 1; n <= MOST_WAYS; n++)
        for (size_t p = 2; p <= MOST_RANKS; p = next(p)) {
            const size_t k = ceil_log(n + 1, p), length = 3;
            bool leaves_out;
            const size_t last = last_messages_of(p, n, &leaves_out);
            if (last == SIZE_MAX)
                continue;
            const size_t messages = (k - 1) * n + last;
            const struct walked w = counted(ALLFOLD_ALLREDUCE, "dissemination", p, n, length);
            const size_t reduced = leaves_out ? w.cost.reduced : messages * length;
            assert_cost(w.cost, p, 0, k, messages * length, reduced);
            assert_messages(&w, p, n, messages);
            assert_true(messages <= k * n);
            assert_in_range(reduced / length, messages - 1, 2 * messages);
            served++;
            leaving_out += leaves_out;
        }
    assert_in_range(served, 500, 600);
    assert_in_range(leaving_out, 100, served / 2);
}

/* Section III B, as a barrier, for every pair: ceil(log_{n+1} p) rounds of n messages.
 *
 * Rounds: the paper's. Messages: of the least n with as many rounds. In the last round only those
 * to ranks not further than p: the others would come round to what is known. */
static void test_dissemination_barrier(void **state)
{
    (void)state;
    for (size_t n = 1; n <= MOST_WAYS; n++)
        for (size_t p = 1; p <= MOST_RANKS; p = next(p)) {
            const size_t k = ceil_log(n + 1, p), ways = p == 1 ? 1 : fewest(n, p);
            size_t last = 1, useless = 0;
            for (size_t l = 1; l < k; l++)
                last *= ways + 1;
            for (size_t i = 1; i <= ways && k > 0; i++)
                useless += i * last >= p;
            const size_t messages = k * ways - useless;
            const struct walked w = counted(ALLFOLD_BARRIER, "dissemination", p, n, 1);
            assert_cost(w.cost, p, 0, k, messages, messages);
            assert_messages(&w, p, n, messages);
        }
}

/* Section 2.4 of Rabenseifner 2004 in base n + 1: for p = (n+1)^k, k rounds of n messages. Else it
 * needs more than ceil(log_{n+1} p) rounds if p has factors above n + 1. It takes two to remove
 * ranks, and never more than with n = 1, floor(lg p) + 2. */
static void test_recursive_multiplying(void **state)
{
    (void)state;
    for (size_t n = 1; n <= MOST_WAYS; n++)
        for (size_t p = 1; p <= MOST_RANKS; p = next(p)) {
            const struct walked w =
                counted(ALLFOLD_ALLREDUCE, "recursive_multiplying", p, n + 1, 3);
            const size_t k = ceil_log(n + 1, p);
            size_t power = 1;
            for (size_t i = 0; i < k; i++)
                power *= n + 1;
            if (power == p) {
                assert_cost(w.cost, p, 0, k, 3 * k * n, 3 * k * n);
                assert_messages(&w, p, n, k * n);
            }
            assert_true(w.cost.rounds >= k);
            assert_true(w.cost.rounds <= floor_lg(p) + (is_power_of_two(p) ? 0 : 2));
            assert_true(w.cost.sent == w.cost.reduced && w.cost.sent == 3 * w.messages);
        }
}

/* Recursive splitting, the allgather of vectors and the circulant reduce. What a radix k costs is
 * held against the schedules by walking them, with as many ports as the algorithm claims. */

enum { MOST_RANKS_RADIX = 70, MOST_RADIX = 16 };

static struct allfold_cost counted_radix(enum allfold_collective collective, const char *name,
                                         size_t radix, size_t p, size_t root, size_t n)
{
    return walked((struct built){collective, name, p, root, n, radix, 0}).cost;
}

/* Section 2.5 of Rabenseifner 2004, with a core of q ranks by any factors. Each factor takes 2
 * rounds; (2 - 2/q) n are sent and (1 - 1/q) n reduced. As there, the removal adds three rounds,
 * 3/2 n sent by the rank that stays, and n/2 reduced. With radix 2 it is recursive halving and
 * doubling. */
static void test_recursive_splitting(void **state)
{
    (void)state;
    for (size_t radix = 2; radix <= MOST_RADIX; radix++)
        for (size_t p = 2; p <= MOST_RANKS_RADIX; p++) {
            const struct factors k = allfold_factors((int)p, (int)radix);
            const size_t q = (size_t)k.core, n = 2 * q, removes = q < p;
            const size_t rounds = 2 * (size_t)k.count + 3 * removes;
            const struct allfold_cost cost =
                counted_radix(ALLFOLD_ALLREDUCE, "recursive_splitting", radix, p, 0, n);
            assert_cost(cost, p, 0, rounds, 2 * (n - n / q) + removes * 3 * n / 2,
                        n - n / q + removes * n / 2);
            if (radix > 2)
                continue;
            const struct allfold_cost halving =
                counted_radix(ALLFOLD_ALLREDUCE, "halving_doubling", PRESET, p, 0, n);
            assert_cost(cost, p, 0, halving.rounds, halving.sent, halving.reduced);
        }
}

/* ceil(log_k p) rounds, n (p - 1) sent and reduced. */
static void test_bruck_allgather(void **state)
{
    (void)state;
    for (size_t radix = 2; radix <= MOST_RADIX; radix++)
        for (size_t p = 1; p <= MOST_RANKS_RADIX; p++)
            assert_cost(counted_radix(ALLFOLD_ALLREDUCE, "bruck_allgather", radix, p, 0, 3), p, 0,
                        ceil_log(radix, p), 3 * (p - 1), 3 * (p - 1));
}

/* Reduce-scatter in ceil(log_k p) rounds with (1 - 1/p) n sent and reduced. Then the gather in as
 * many; for radix 2 the busiest rank sends floor(p/2) blocks. */
static void test_reduce_circulant(void **state)
{
    (void)state;
    for (size_t radix = 2; radix <= MOST_RADIX; radix += 1 + radix / 3)
        for (size_t p = 2; p <= MOST_RANKS_RADIX; p++)
            for (size_t root = 0; root < p; root += 1 + p / 2) {
                const struct skips skips = allfold_skips((int)p, (int)radix);
                const int last = skips.q - 1;
                const size_t n = 2 * p, largest = radix == 2 ? p / 2
                                                             : (size_t)part_blocks(&skips, last,
                                                                                   skips.s[last]);
                assert_cost(counted_radix(ALLFOLD_REDUCE, "circulant", radix, p, root, n), p, root,
                            2 * ceil_log(radix, p), n - 2 + 2 * largest, n - 2);
            }
}

/* Segments of a block go round beside each other: with a port for each, a block takes a round. By
 * pairwise exchange there is room for two of them, and for a round of the ring more. */
static void test_streams(void **state)
{
    (void)state;
    static const struct {
        enum allfold_collective collective;
        const char *name;
        size_t turns, streams;
    } table[] = {{ALLFOLD_ALLREDUCE, "bucket", 2, 8},
                 {ALLFOLD_REDUCE_SCATTER_BLOCK, "bucket", 1, 8},
                 {ALLFOLD_ALLREDUCE, "ring", 2, 2},
                 {ALLFOLD_REDUCE, "ring", 2, 2},
                 {ALLFOLD_REDUCE_SCATTER_BLOCK, "pairwise_exchange", 1, 2}};
    for (size_t i = 0; i < LENGTH(table); i++)
        for (size_t p = 2; p <= 24; p++)
            for (unsigned segments = 1; segments <= 5; segments++) {
                const bool is_vector = table[i].collective != ALLFOLD_REDUCE_SCATTER_BLOCK;
                const size_t n = (is_vector ? p : 1) * segments;
                const unsigned streams =
                    segments < table[i].streams ? segments : (unsigned)table[i].streams;
                const struct built built = {
                    table[i].collective, table[i].name, p, 0, n, 4, streams};
                const struct walked of = walked(built);
                const size_t rounds = table[i].turns * (p - 1) * segments;
                assert_int_equal(of.claim.rounds, rounds);
                assert_in_range(of.cost.rounds, rounds / streams,
                                rounds / streams + (streams < segments ? p : 0));
            }
}

/* The most children of a rank in the k-nomial tree, from its definition: p > 1 ranks are cut into
 * parts of the largest power of k below p, whose leaders but one are children of the root. */
static size_t most_children(size_t p, size_t root, size_t k)
{
    size_t part = 1, of_root = 0, most = 0;
    for (; p > 1; p = root < p - p % part || p % part == 0 ? part : p % part, root %= part) {
        for (part = 1; part * k < p;)
            part *= k;
        const size_t parts = (p + part - 1) / part, whole = p / part;
        of_root += parts - 1;
        if (whole > (root / part < whole)) /* another part is whole */
            most = (k - 1) * ceil_log(k, part) > most ? (k - 1) * ceil_log(k, part) : most;
    }
    return of_root > most ? of_root : most;
}

/* As in Rabenseifner 2004, section 2.3, with radix k: ceil(log_k p) rounds. Sent by the busiest
 * rank of a broadcast, and reduced by that of a reduce: the vector for each child, at most (k - 1)
 * ceil(log_k p) times. */
static void test_knomial_tree(void **state)
{
    (void)state;
    for (size_t k = 2; k <= 64; k += 1 + k / 3)
        for (size_t p = 2; p <= MOST_RANKS; p = next(p))
            for (size_t root = 0; root < p; root += p < 65 ? 1 : p / 3) {
                const size_t n = 3, children = most_children(p, root, k), rounds = ceil_log(k, p);
                assert_true(children <= (k - 1) * rounds);
                struct walked w =
                    walked((struct built){ALLFOLD_REDUCE, "knomial_tree", p, root, n, k, 0});
                assert_cost(w.cost, p, root, rounds, n, children * n);
                w = walked((struct built){ALLFOLD_BCAST, "knomial_tree", p, root, n, k, 0});
                assert_cost(w.cost, p, root, rounds, children * n, 0);
            }
}

/* What is done by an allreduce takes as much as that: Traeff, Gropp and Thakur 2010. */
static void test_by_allreduce(void **state)
{
    static const struct {
        enum allfold_collective collective;
        const char *name;
        bool has_blocks;
    } ways[] = {{ALLFOLD_REDUCE, "allreduce", false},
                {ALLFOLD_BARRIER, "allreduce", false},
                {ALLFOLD_REDUCE_SCATTER_BLOCK, "allreduce", true},
                {ALLFOLD_REDUCE_SCATTER, "allreduce", true}};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (size_t p = 2; p <= 40; p++) {
            const size_t n = ways[i].has_blocks ? p : 1;
            const struct walked by =
                walked((struct built){ways[i].collective, ways[i].name, p, 0, 1, PRESET, 0});
            const struct walked all =
                walked((struct built){ALLFOLD_ALLREDUCE, "mixed_radix", p, 0, n, PRESET, 0});
            assert_cost(by.cost, p, 0, all.cost.rounds, all.cost.sent, all.cost.reduced);
        }
}

/* Barnett et al. 1994: the root sends all blocks but its own twice, in the scatter and in the
 * allgather, and no rank sends more; ceil(log_4 p) and ceil(lg p) rounds at most. */
static void test_scatter_allgather(void **state)
{
    (void)state;
    for (size_t p = 2; p <= 40; p++)
        for (size_t root = 0; root < p; root++) {
            const size_t blocks = 2 * (p - 1), rounds = ceil_log(4, p) + ceil_lg(p);
            const struct walked w = walked(
                (struct built){ALLFOLD_BCAST, "scatter_allgather", p, root, 3 * p, PRESET, 0});
            assert_int_equal(w.cost.sent, 3 * blocks);
            assert_in_range(w.cost.rounds, ceil_lg(p), rounds);
        }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_circulant),
        cmocka_unit_test(test_bruck),
        cmocka_unit_test(test_dissemination),
        cmocka_unit_test(test_dissemination_barrier),
        cmocka_unit_test(test_recursive_multiplying),
        cmocka_unit_test(test_recursive_splitting),
        cmocka_unit_test(test_bruck_allgather),
        cmocka_unit_test(test_reduce_circulant),
        cmocka_unit_test(test_knomial_tree),
        cmocka_unit_test(test_by_allreduce),
        cmocka_unit_test(test_scatter_allgather),
        cmocka_unit_test(test_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
