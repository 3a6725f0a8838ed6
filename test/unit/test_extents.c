/* Extents: random taking, giving back, resizing and cleaning, against a map of each page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "heap/extents.h"

enum { PAGES = 3000, MOST = 400, ROUNDS = 60000 };

/* What each page is: 0, or the number of the block that has it, and whether it was ever written. */
struct play {
    struct allfold_extents extents;
    int owner[PAGES];
    bool is_dirty[PAGES];
    struct {
        uint32_t page, pages;
    } blocks[MOST];
    uint32_t random;
};

static uint32_t draw(struct play *play, uint32_t below)
{
    play->random = play->random * 1664525u + 1013904223u;
    return (play->random >> 8) % below;
}

static void own(struct play *play, uint32_t page, uint32_t pages, int owner)
{
    for (uint32_t i = page; i < page + pages; i++) {
        assert_int_equal(play->owner[i] == 0 || owner == 0, true); /* no page has two owners */
        play->owner[i] = owner;
    }
}

static void take(struct play *play, int b)
{
    const uint32_t pages = 1 + draw(play, draw(play, 8) == 0 ? 500 : 12);
    const uint32_t alignment = draw(play, 4) == 0 ? 1u << draw(play, 7) : 1;
    const struct allfold_extent got = allfold_extents_take(&play->extents, pages, alignment);
    if (got.page == ALLFOLD_NO_PAGE)
        return;
    assert_true(got.page + pages <= PAGES && got.pages == pages);
    assert_int_equal(got.page % alignment, 0);
    own(play, got.page, pages, b + 1);
    for (uint32_t i = got.page; i < got.page + pages; i++) {
        if (got.kind == ALLFOLD_EXTENT_CLEAN)
            assert_false(play->is_dirty[i]);
        play->is_dirty[i] = true;
    }
    play->blocks[b].page = got.page;
    play->blocks[b].pages = pages;
}

static void give(struct play *play, int b)
{
    const struct allfold_extent free = allfold_extents_give(&play->extents, play->blocks[b].page);
    own(play, play->blocks[b].page, play->blocks[b].pages, 0);
    for (uint32_t i = free.page; i < free.page + free.pages; i++)
        assert_int_equal(play->owner[i], 0);
    assert_int_equal(free.kind, ALLFOLD_EXTENT_DIRTY);
    play->blocks[b].pages = 0;
    if (draw(play, 3) == 0) {
        allfold_extents_clean(&play->extents, free.page);
        memset(play->is_dirty + free.page, 0, free.pages);
    }
}

static void resize(struct play *play, int b)
{
    const uint32_t page = play->blocks[b].page, had = play->blocks[b].pages;
    const uint32_t pages = 1 + draw(play, 2 * had + 4);
    if (!allfold_extents_resize(&play->extents, page, pages)) {
        /* it could not: a page behind it is somebody's, or the region ends */
        bool could = page + pages <= PAGES;
        for (uint32_t i = page + had; could && i < page + pages; i++)
            could = play->owner[i] == 0;
        assert_false(could);
        return;
    }
    own(play, page, had, 0);
    own(play, page, pages, b + 1);
    for (uint32_t i = page; i < page + pages; i++)
        play->is_dirty[i] = true;
    play->blocks[b].pages = pages;
}

/* The extents cover all pages to the frontier, and say of each what the map says. */
static void assert_agrees(const struct play *play)
{
    struct allfold_extent extent = {0};
    enum allfold_extent_kind before = ALLFOLD_EXTENT_USED;
    uint32_t used = 0, dirty = 0, page = 0, listed = 0;
    for (; allfold_extents_at(&play->extents, page, &extent); page += extent.pages) {
        for (uint32_t i = page; i < page + extent.pages; i++)
            assert_int_equal(play->owner[i] != 0, extent.kind == ALLFOLD_EXTENT_USED);
        assert_int_equal(allfold_extents_length(&play->extents, page),
                         extent.kind == ALLFOLD_EXTENT_USED ? extent.pages : 0);
        if (extent.pages > 1) /* its last page begins none */
            assert_int_equal(allfold_extents_length(&play->extents, page + extent.pages - 1), 0);
        /* no two free ones of a kind touch, and what is clean was never written to */
        assert_true(extent.kind == ALLFOLD_EXTENT_USED || extent.kind != before);
        for (uint32_t i = page; i < page + extent.pages && extent.kind == ALLFOLD_EXTENT_CLEAN; i++)
            assert_false(play->is_dirty[i]);
        before = extent.kind;
        listed += extent.kind == ALLFOLD_EXTENT_DIRTY && extent.pages >= ALLFOLD_LONG_EXTENT_PAGES;
        used += extent.kind == ALLFOLD_EXTENT_USED ? extent.pages : 0;
        dirty += extent.kind == ALLFOLD_EXTENT_DIRTY ? extent.pages : 0;
    }
    assert_int_equal(page, play->extents.frontier);
    assert_int_equal(used, play->extents.used_pages);
    assert_int_equal(dirty, play->extents.dirty_pages);
    uint32_t long_dirty = 0;
    for (page = play->extents.oldest; page != ALLFOLD_NO_PAGE; listed--) {
        long_dirty += play->extents.table[page].pages;
        page = play->extents.table[page].newer;
    }
    assert_int_equal(long_dirty, play->extents.long_dirty_pages);
    assert_int_equal(listed, 0);
}

/* Of long dirty extents the one that became so first is the oldest. */
static void test_age(void **state)
{
    enum { LONG = ALLFOLD_LONG_EXTENT_PAGES, COUNT = 5 };
    static const int order[COUNT] = {3, 0, 4, 1, 2};
    struct allfold_extents extents;
    uint32_t pages[COUNT];
    (void)state;
    assert_true(allfold_extents_open(&extents, PAGES));
    for (int i = 0; i < COUNT; i++) {
        pages[i] = allfold_extents_take(&extents, LONG, 1).page;
        allfold_extents_take(&extents, 1, 1); /* keeps them apart */
    }
    assert_int_equal(allfold_extents_short_dirty(&extents), ALLFOLD_NO_PAGE);
    for (int i = 0; i < COUNT; i++)
        allfold_extents_give(&extents, pages[order[i]]);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(extents.oldest, pages[order[i]]);
        allfold_extents_clean(&extents, extents.oldest);
    }
    assert_int_equal(extents.oldest, ALLFOLD_NO_PAGE);
    assert_int_equal(extents.dirty_pages, 0);
    const uint32_t page = allfold_extents_take(&extents, LONG - 1, 1).page;
    allfold_extents_take(&extents, 1, 1);
    allfold_extents_give(&extents, page);
    assert_int_equal(allfold_extents_short_dirty(&extents), page);
    assert_int_equal(extents.oldest, ALLFOLD_NO_PAGE);
    assert_int_equal(extents.long_dirty_pages, 0);
    allfold_extents_close(&extents);
}

static void test_random(void **state)
{
    static struct play play;
    (void)state;
    play.random = 1;
    assert_true(allfold_extents_open(&play.extents, PAGES));
    for (int round = 0; round < ROUNDS; round++) {
        const int b = (int)draw(&play, MOST);
        if (play.blocks[b].pages == 0)
            take(&play, b);
        else if (draw(&play, 3) == 0)
            resize(&play, b);
        else
            give(&play, b);
        if (round % 100 == 0)
            assert_agrees(&play);
    }
    for (int b = 0; b < MOST; b++)
        if (play.blocks[b].pages > 0)
            give(&play, b);
    assert_agrees(&play);
    assert_int_equal(play.extents.used_pages, 0);
    allfold_extents_close(&play.extents);
}

static void test_limits(void **state)
{
    struct allfold_extents extents;
    (void)state;
    assert_true(allfold_extents_open(&extents, PAGES));
    assert_int_equal(allfold_extents_take(&extents, PAGES + 1, 1).page, ALLFOLD_NO_PAGE);
    assert_int_equal(allfold_extents_take(&extents, UINT32_MAX, 1).page, ALLFOLD_NO_PAGE);
    assert_int_equal(allfold_extents_take(&extents, 1, UINT32_C(1) << 31).page, 0);
    assert_int_equal(allfold_extents_take(&extents, 1, UINT32_C(1) << 31).page, ALLFOLD_NO_PAGE);
    assert_int_equal(allfold_extents_take(&extents, PAGES - 1, 1).page, 1);
    assert_int_equal(allfold_extents_take(&extents, 1, 1).page, ALLFOLD_NO_PAGE);
    assert_int_equal(allfold_extents_length(&extents, 2), 0);
    assert_false(allfold_extents_resize(&extents, 1, PAGES));
    allfold_extents_give(&extents, 0);
    assert_int_equal(allfold_extents_take(&extents, 1, 1).page, 0);
    allfold_extents_close(&extents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_age),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
