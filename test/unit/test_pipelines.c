/* The arithmetic of pipelines: segments, binary trees, circulant schedules, against their
 * definitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "algorithms/binary_tree.h"
#include "algorithms/circulant.h"
#include "algorithms/doubly_pipelined.h"
#include "algorithms/rotating_tree.h"
#include "algorithms/segments.h"

enum { MOST_RANKS = 150 };

static void test_segments_cover_a_vector_once(void **state)
{
    (void)state;
    for (size_t n = 0; n < 40; n++)
        for (size_t bytes = 0; bytes < 60; bytes++) {
            const struct segments cut = allfold_segments(n, bytes, 4, 7);
            const struct allfold_span whole = {.offset = 5, .length = n, .buffer = 2};
            const size_t wanted = bytes == 0 ? 7 : bytes < 8 ? 1 : bytes / 4;
            size_t next = 5;
            assert_in_range(cut.length, 1, wanted);
            assert_int_equal(cut.count, ceil_divide(n, wanted));
            for (size_t j = 0; j < cut.count; j++) {
                const struct allfold_span segment = segment_of(whole, cut, j);
                assert_int_equal(segment.buffer, 2);
                assert_int_equal(segment.offset, next);
                assert_true(segment.length == cut.length || j == cut.count - 1);
                assert_in_range(segment.length + cut.count, cut.length + 1, n + cut.count);
                next += segment.length;
            }
            assert_int_equal(next, 5 + n);
            const size_t beyond[] = {cut.count, cut.count + 1, SIZE_MAX, SIZE_MAX - 3};
            for (size_t i = 0; i < 4; i++)
                assert_int_equal(segment_of(whole, cut, beyond[i]).length, 0);
        }
}

static void test_halves_make_a_span(void **state)
{
    (void)state;
    for (size_t n = 0; n < 9; n++) {
        const struct allfold_span whole = {.offset = 3, .length = n, .buffer = 1};
        const struct allfold_span first = half_span(whole, false), second = half_span(whole, true);
        assert_int_equal(first.offset, 3);
        assert_int_equal(second.offset, 3 + first.length);
        assert_int_equal(first.length, (n + 1) / 2);
        assert_int_equal(first.length + second.length, n);
    }
}

/* Counts from the definition: the ranks of r's subtree, which have to be consecutive. */
static void check_subtrees(int p, int root, enum shares shares)
{
    int least[MOST_RANKS], most[MOST_RANKS], ranks[MOST_RANKS];
    struct place places[MOST_RANKS];
    for (int r = 0; r < p; r++) {
        places[r] = allfold_binary_tree(0, p, root, r, shares);
        least[r] = most[r] = r;
        ranks[r] = 0;
    }
    for (int r = 0; r < p; r++) {
        int at = r, depth = 0;
        for (;; at = places[at].parent, depth++) {
            least[at] = r < least[at] ? r : least[at];
            most[at] = r > most[at] ? r : most[at];
            ranks[at]++;
            if (places[at].parent < 0)
                break;
        }
        assert_int_equal(at, root);
        assert_int_equal(depth, places[r].depth);
        for (int i = 0; i < places[r].child_count; i++)
            assert_int_equal(places[places[r].children[i]].parent, r);
    }
    for (int r = 0; r < p; r++) {
        assert_int_equal(ranks[r], places[r].ranks);
        assert_int_equal(most[r] - least[r] + 1, ranks[r]);
        const int first = places[r].child_count > 0 ? places[r].children[0] : r;
        const int lo = least[first] < r ? least[first] : r, hi = most[first] > r ? most[first] : r;
        assert_int_equal(hi - lo, first == r ? 0 : ranks[first]);
        assert_true(r == root || places[r].child_count < 2 ||
                    (places[r].children[0] < r) == (places[r].children[1] < r));
    }
}

static void test_subtrees_are_consecutive_ranks(void **state)
{
    (void)state;
    for (int p = 1; p <= MOST_RANKS; p += p < 40 ? 1 : 11)
        for (int root = 0; root < p; root++) {
            check_subtrees(p, root, EARLY_SHARES);
            if (root == 0 || root == p - 1)
                check_subtrees(p, root, EVEN_SHARES);
        }
}

/* Rounds until all have a message; first or second children first. */
static int flood(int p, int root, int r, enum shares shares, bool first_first)
{
    const struct place place = allfold_binary_tree(0, p, root, r, shares);
    int last = 0;
    for (int i = 0; i < place.child_count; i++) {
        const int after = first_first ? i + 1 : place.child_count - i;
        const int rounds = after + flood(p, root, place.children[i], shares, first_first);
        last = rounds > last ? rounds : last;
    }
    return last;
}

static int gather(int p, int r)
{
    const struct place place = allfold_binary_tree(0, p, p - 1, r, EVEN_SHARES);
    int rounds = 0;
    for (int i = 0; i < place.child_count; i++) {
        const int ready = gather(p, place.children[i]);
        rounds = 1 + (ready > rounds ? ready : rounds);
    }
    return rounds;
}

static void test_rounds_of_trees(void **state)
{
    (void)state;
    static const int reached[] = {1, 2, 4, 7, 12, 20, 33, 54, 88, 143};
    for (int t = 0; t < 10; t++) {
        assert_int_equal(allfold_binary_tree_rounds(reached[t], 0), t);
        assert_int_equal(allfold_binary_tree_rounds(reached[t] + 1, 0), t + 1);
    }
    for (int p = 1; p <= MOST_RANKS; p++) {
        for (int root = 0; root < p; root++)
            assert_int_equal(allfold_binary_tree_rounds(p, root),
                             flood(p, root, root, EARLY_SHARES, false));
        assert_int_equal(allfold_trip(p, false).up, gather(p, p - 1));
        assert_int_equal(allfold_trip(p, false).down, flood(p, p - 1, p - 1, EVEN_SHARES, true));
    }
}

/* Sends by the schedule of the sender and receives by that of the receiver. Both have to mean the
 * same block, which the sender has and the receiver has not. */
static void check_circulant(int p, size_t blocks)
{
    static struct circulant all[MOST_RANKS];
    static unsigned char has[MOST_RANKS][40];
    memset(has, 0, sizeof has);
    memset(has[0], 1, sizeof has[0]);
    for (int r = 0; r < p; r++)
        all[r] = allfold_circulant(p, r, blocks);
    const size_t q = (size_t)all[0].q, begin = all[0].first_round;
    for (size_t i = begin; i < begin + blocks - 1 + q; i++) {
        int got_from[MOST_RANKS];
        for (int r = 0; r < p; r++) {
            const int to = (r + all[r].skip[i % q]) % p;
            const size_t block = allfold_circulant_block(&all[r], all[r].forwarded[i % q], i);
            got_from[to] = r;
            if (to == 0)
                continue;
            assert_int_equal(block, allfold_circulant_block(&all[to], all[to].received[i % q], i));
            assert_true(block == SIZE_MAX || has[r][block] == 1);
            assert_true(block == SIZE_MAX || has[to][block] == 0);
        }
        for (int to = 1; to < p; to++) {
            const size_t block = allfold_circulant_block(&all[to], all[to].received[i % q], i);
            assert_int_equal((got_from[to] + all[to].skip[i % q]) % p, to);
            if (block != SIZE_MAX)
                has[to][block] = 1;
        }
    }
    for (int r = 0; r < p; r++)
        for (size_t block = 0; block < blocks; block++)
            assert_int_equal(has[r][block], 1);
}

static void test_circulant_schedules_deliver_each_block_once(void **state)
{
    (void)state;
    for (int p = 2; p <= MOST_RANKS; p++)
        for (size_t blocks = 1; blocks <= 40; blocks = blocks * 3 / 2 + 1)
            check_circulant(p, blocks);
}

/* What a rank receives in a phase: each block of the last phase but its own first, and that. */
static void test_circulant_phases_at_large_p(void **state)
{
    (void)state;
    static const int large[] = {1025, 65536, 99991, (1 << 24) - 1, 1 << 24, INT32_MAX};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        for (int r = 1; r < 200; r++) {
            const struct circulant c = allfold_circulant(large[i], large[i] - r, 1);
            uint64_t seen = 0;
            for (int k = 0; k < c.q; k++) {
                assert_in_range(c.received[k] + c.q, 0, 2 * c.q - 1);
                seen |= (uint64_t)1 << (c.received[k] + c.q) % c.q;
            }
            assert_true(seen == ((uint64_t)1 << c.q) - 1);
        }
}

/* Each node of the tree is in the paths of its ranks, below its parent. Its host is that of the
 * half that it goes to, and never the root. */
static void test_hosts_are_in_their_nodes(void **state)
{
    (void)state;
    for (int p = 2; p <= 40; p++)
        for (int root = 0; root < p; root += 1 + p / 5)
            for (int r = 0; r < p; r++) {
                struct rotating_node path[ALLFOLD_MAX_LOG2];
                const int nodes = allfold_rotating_path(p, r, path);
                assert_true(nodes == ceil_log2(p) || nodes == ceil_log2(p) - 1);
                assert_true(path[nodes - 1].lo == 0 && path[nodes - 1].hi == p);
                for (int i = 0; i < nodes; i++) {
                    const struct rotating_node a = path[i];
                    assert_true(a.lo <= r && r < a.hi && a.lo < a.mid && a.mid < a.hi);
                    assert_int_equal(i == 0 ? 1 : path[i - 1].hi - path[i - 1].lo,
                                     r < a.mid ? a.mid - a.lo : a.hi - a.mid);
                    for (size_t j = 0; j < 9; j++) {
                        const bool right = allfold_rotating_goes_right(a, root, j);
                        const int host = allfold_rotating_host(a.lo, a.hi, root, j);
                        assert_int_equal(host,
                                         allfold_rotating_host(right ? a.mid : a.lo,
                                                               right ? a.hi : a.mid, root, j));
                        assert_true(host != root && right == (host >= a.mid));
                    }
                }
            }
}

/* Where p is a power of two, hosts of the other half of the tree have equal shares of p segments.
 */
static void test_hosts_have_their_turns(void **state)
{
    (void)state;
    for (int p = 4; p <= 64; p *= 2) {
        int turns[64] = {0};
        for (int j = 0; j < p; j++)
            turns[allfold_rotating_host(0, p, p - 1, (size_t)j)]++;
        for (int r = 0; r < p; r++)
            assert_int_equal(turns[r], r < p / 2 ? 2 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments_cover_a_vector_once),
        cmocka_unit_test(test_halves_make_a_span),
        cmocka_unit_test(test_subtrees_are_consecutive_ranks),
        cmocka_unit_test(test_rounds_of_trees),
        cmocka_unit_test(test_circulant_schedules_deliver_each_block_once),
        cmocka_unit_test(test_circulant_phases_at_large_p),
        cmocka_unit_test(test_hosts_are_in_their_nodes),
        cmocka_unit_test(test_hosts_have_their_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
