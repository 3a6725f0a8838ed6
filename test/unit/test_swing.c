/* Swing's peers, paths and positions against their definitions: circles and tori of even lengths.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "algorithms/swing.h"

enum { MOST_RANKS = 130 };

/* From even places over 1, 1 - 2, 1 - 2 + 4, ..., from odd ones as far to the other side. */
static void check_peers(const struct swing *w)
{
    for (int step = 0; step < w->steps; step++) {
        int stride = 1, far = 0;
        for (int i = 0, term = 1; i <= w->step[step].number; i++, term *= -2)
            far += term;
        for (int d = 0; d < w->step[step].dimension; d++)
            stride *= w->length[d];
        const int length = w->length[w->step[step].dimension];
        for (int r = 0; r < w->p; r++) {
            const int place = r / stride % length, peer = allfold_swing_peer(w, r, step);
            const int to = ((place + (place % 2 == 0 ? far : -far)) % length + length) % length;
            assert_int_equal(peer, r + (to - place) * stride);
            assert_int_equal(allfold_swing_peer(w, peer, step), r);
        }
    }
}

/* Each rank has one used path from each block. It is made of used ones: without its nearest step it
 * is one to the peer in that step. So a rank gives away what it has and its peer lacks. */
static void check_paths(const struct swing *w)
{
    for (int r = 0; r < w->p; r++) {
        bool seen[MOST_RANKS] = {false};
        int count = 0;
        for (uint64_t path = 0; path >> w->steps == 0; path++) {
            const int b = allfold_swing_block_of(w, r, path);
            int walked = r;
            if (b < 0)
                continue;
            for (int step = 0; step < w->steps; step++)
                walked = path >> step & 1 ? allfold_swing_peer(w, walked, step) : walked;
            assert_int_equal(b, walked);
            assert_false(seen[b]);
            seen[b] = true;
            count++;
            if (path != 0)
                assert_int_equal(
                    allfold_swing_block_of(w, allfold_swing_peer(w, r, __builtin_ctzll(path)),
                                           path & (path - 1)),
                    b);
        }
        assert_int_equal(count, w->p);
    }
}

static void check_positions(const struct swing *w)
{
    assert_int_equal(allfold_swing_position(w, 0), 0);
    for (int b = 0; b < w->p; b++) {
        assert_in_range(allfold_swing_position(w, b), 0, w->p - 1);
        assert_int_equal(allfold_swing_at(w, allfold_swing_position(w, b)), b);
    }
    if ((w->p & (w->p - 1)) == 0)
        assert_int_equal(w->nested, w->steps);
    /* in a nested step the two differ in this and in nothing before it */
    for (int step = 0; step < w->nested; step++)
        for (int r = 0; r < w->p; r++) {
            const int peer = allfold_swing_peer(w, r, step);
            for (int before = 0; before <= step; before++)
                assert_int_equal(allfold_swing_is_second(w, r, before) !=
                                     allfold_swing_is_second(w, peer, before),
                                 before == step);
        }
}

static void check(const struct swing *w)
{
    check_peers(w);
    check_paths(w);
    check_positions(w);
}

static void test_circles(void **state)
{
    (void)state;
    for (int p = 2; p <= MOST_RANKS; p += 2) {
        const struct swing w = allfold_swing(p, 0, 0);
        assert_int_equal(w.steps, ceil_log2(p));
        check(&w);
    }
}

static void test_tori(void **state)
{
    (void)state;
    int found = 0;
    for (size_t x = 1; x <= 12; x++)
        for (size_t y = 0; y <= 8; y++)
            for (int p = 1; p <= MOST_RANKS; p++) {
                const size_t first = y > 0 ? x * y : x, z = (size_t)p / first;
                const bool fills =
                    x % 2 == 0 && y % 2 == 0 && z > 0 && z % 2 == 0 && first * z == (size_t)p;
                if (p > 1 && p % 2 == 1)
                    continue;
                const struct swing w = allfold_swing(p, x, y);
                assert_int_equal(w.dimensions, !fills ? 1 : y > 0 ? 3 : 2);
                if (fills) {
                    check(&w);
                    found++;
                }
            }
    assert_true(found > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_circles), cmocka_unit_test(test_tori)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
