/* Bins, lists and the table of extents (see extents.h). */
#include "heap/extents.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

bool allfold_extents_open(struct allfold_extents *extents, uint32_t page_count)
{
    void *table = mmap(NULL, (size_t)page_count * sizeof *extents->table, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *extents = (struct allfold_extents){.page_count = page_count};
    memset(extents->dirty.first, 0xff, sizeof extents->dirty.first);
    memset(extents->clean.first, 0xff, sizeof extents->clean.first);
    extents->oldest = extents->newest = ALLFOLD_NO_PAGE;
    static_assert(ALLFOLD_NO_PAGE == 0xffffffff, "bytes of 0xff make an empty bin");
    if (table == MAP_FAILED)
        return false;
    extents->table = table;
    return true;
}

void allfold_extents_close(struct allfold_extents *extents)
{
    munmap(extents->table, (size_t)extents->page_count * sizeof *extents->table);
    extents->table = NULL;
}

/* --- bins: four for each power of two, those of 1 to 3 pages exactly --- */

static unsigned bin_of(uint32_t pages)
{
    const unsigned log = 31u - (unsigned)__builtin_clz(pages);
    return log < 2 ? pages - 1 : 4 * log - 4 + ((pages >> (log - 2)) & 3u);
}

static struct allfold_extent_bins *bins_of(struct allfold_extents *extents,
                                           enum allfold_extent_kind kind)
{
    return kind == ALLFOLD_EXTENT_DIRTY ? &extents->dirty : &extents->clean;
}

static void put_into_bin(struct allfold_extents *extents, uint32_t page,
                         enum allfold_extent_kind kind)
{
    struct allfold_extent_bins *bins = bins_of(extents, kind);
    const unsigned bin = bin_of(extents->table[page].pages);
    const uint32_t next = bins->first[bin];
    extents->table[page].next = next;
    extents->table[page].previous = ALLFOLD_NO_PAGE;
    if (next != ALLFOLD_NO_PAGE)
        extents->table[next].previous = page;
    bins->first[bin] = page;
    bins->is_filled[bin / 64] |= UINT64_C(1) << bin % 64;
}

static void take_from_bin(struct allfold_extents *extents, uint32_t page,
                          enum allfold_extent_kind kind)
{
    struct allfold_extent_bins *bins = bins_of(extents, kind);
    const struct allfold_extent_entry *entry = &extents->table[page];
    const unsigned bin = bin_of(entry->pages);
    if (entry->next != ALLFOLD_NO_PAGE)
        extents->table[entry->next].previous = entry->previous;
    if (entry->previous != ALLFOLD_NO_PAGE)
        extents->table[entry->previous].next = entry->next;
    else
        bins->first[bin] = entry->next;
    if (bins->first[bin] == ALLFOLD_NO_PAGE)
        bins->is_filled[bin / 64] &= ~(UINT64_C(1) << bin % 64);
}

static uint32_t first_filled(const struct allfold_extent_bins *bins, unsigned from)
{
    for (unsigned word = from / 64; word < ALLFOLD_EXTENT_BINS / 64; word++) {
        uint64_t bits = bins->is_filled[word];
        if (word == from / 64)
            bits &= ~UINT64_C(0) << from % 64;
        if (bits != 0)
            return bins->first[64 * word + (unsigned)__builtin_ctzll(bits)];
    }
    return ALLFOLD_NO_PAGE;
}

uint32_t allfold_extents_short_dirty(const struct allfold_extents *extents)
{
    const unsigned first_long = bin_of(ALLFOLD_LONG_EXTENT_PAGES);
    const uint64_t bits = extents->dirty.is_filled[0] & ~(~UINT64_C(0) << first_long);
    assert(first_long < 64);
    return bits == 0 ? ALLFOLD_NO_PAGE : extents->dirty.first[63 - (unsigned)__builtin_clzll(bits)];
}

/* --- the list by age --- */

static void put_into_list(struct allfold_extents *extents, uint32_t page)
{
    const uint32_t older = extents->newest;
    extents->table[page].older = older;
    extents->table[page].newer = ALLFOLD_NO_PAGE;
    extents->long_dirty_pages += extents->table[page].pages;
    *(older == ALLFOLD_NO_PAGE ? &extents->oldest : &extents->table[older].newer) = page;
    extents->newest = page;
}

static void take_from_list(struct allfold_extents *extents, uint32_t page)
{
    const uint32_t older = extents->table[page].older, newer = extents->table[page].newer;
    *(older == ALLFOLD_NO_PAGE ? &extents->oldest : &extents->table[older].newer) = newer;
    *(newer == ALLFOLD_NO_PAGE ? &extents->newest : &extents->table[newer].older) = older;
    extents->long_dirty_pages -= extents->table[page].pages;
}

static bool is_listed(enum allfold_extent_kind kind, uint32_t pages)
{
    return kind == ALLFOLD_EXTENT_DIRTY && pages >= ALLFOLD_LONG_EXTENT_PAGES;
}

/* --- the table --- */

enum { IS_LAST = 16 }; /* of a last entry's kind, if it is not the first entry, too */

static enum allfold_extent_kind kind_of(const struct allfold_extents *extents, uint32_t page)
{
    return (enum allfold_extent_kind)(extents->table[page].kind & ~(uint32_t)IS_LAST);
}

/* Counts and marks an extent at both of its ends. */
static void mark(struct allfold_extents *extents, uint32_t page, uint32_t pages,
                 enum allfold_extent_kind kind)
{
    struct allfold_extent_entry *first = &extents->table[page];
    struct allfold_extent_entry *last = &extents->table[page + pages - 1];
    assert(pages > 0 && page + pages <= extents->frontier);
    first->pages = last->pages = pages;
    last->kind = (uint32_t)kind | IS_LAST;
    first->kind = kind;
    extents->used_pages += kind == ALLFOLD_EXTENT_USED ? pages : 0;
    extents->dirty_pages += kind == ALLFOLD_EXTENT_DIRTY ? pages : 0;
    if (kind != ALLFOLD_EXTENT_USED)
        put_into_bin(extents, page, kind);
    if (is_listed(kind, pages))
        put_into_list(extents, page);
}

/* The opposite, before the extent is cut or joined. No stale entry may look like an extent. */
static struct allfold_extent unmark(struct allfold_extents *extents, uint32_t page)
{
    const struct allfold_extent_entry entry = extents->table[page];
    assert(entry.kind != 0 && (entry.kind & IS_LAST) == 0 && entry.pages > 0);
    extents->used_pages -= entry.kind == ALLFOLD_EXTENT_USED ? entry.pages : 0;
    extents->dirty_pages -= entry.kind == ALLFOLD_EXTENT_DIRTY ? entry.pages : 0;
    const enum allfold_extent_kind kind = (enum allfold_extent_kind)entry.kind;
    if (kind != ALLFOLD_EXTENT_USED)
        take_from_bin(extents, page, kind);
    if (is_listed(kind, entry.pages))
        take_from_list(extents, page);
    extents->table[page].kind = extents->table[page + entry.pages - 1].kind = 0;
    return (struct allfold_extent){page, entry.pages, kind};
}

/* --- taking --- */

/* How many pages of an extent stand before the first one that is aligned. */
static uint32_t head_of(uint32_t page, uint32_t alignment)
{
    return (alignment - page % alignment) % alignment;
}

static bool holds(const struct allfold_extents *extents, uint32_t page, uint32_t pages,
                  uint32_t alignment)
{
    return extents->table[page].pages >= (uint64_t)pages + head_of(page, alignment);
}

/* Searches some extents of the bin for this length, then takes any extent of a bin of longer ones.
 */
static uint32_t find_free(const struct allfold_extents *extents,
                          const struct allfold_extent_bins *bins, uint32_t pages,
                          uint32_t alignment)
{
    enum { PATIENCE = 16 };
    const uint64_t enough = (uint64_t)pages + alignment - 1;
    uint32_t page = bins->first[bin_of(pages)];
    for (int i = 0; i < PATIENCE && page != ALLFOLD_NO_PAGE; i++) {
        if (holds(extents, page, pages, alignment))
            return page;
        page = extents->table[page].next;
    }
    if (enough > extents->page_count)
        return ALLFOLD_NO_PAGE;
    page = first_filled(bins, bin_of((uint32_t)enough) + 1);
    assert(page == ALLFOLD_NO_PAGE || holds(extents, page, pages, alignment));
    return page;
}

/* Moves the frontier, so that a free extent before it holds so many. */
static uint32_t grow(struct allfold_extents *extents, uint32_t pages, uint32_t alignment)
{
    const uint32_t page = extents->frontier;
    const uint64_t end = (uint64_t)page + head_of(page, alignment) + pages;
    if (end > extents->page_count)
        return ALLFOLD_NO_PAGE;
    extents->frontier = (uint32_t)end;
    mark(extents, page, (uint32_t)end - page, ALLFOLD_EXTENT_CLEAN);
    return page;
}

struct allfold_extent allfold_extents_take(struct allfold_extents *extents, uint32_t pages,
                                           uint32_t alignment)
{
    assert(pages > 0 && alignment > 0 && (alignment & (alignment - 1)) == 0);
    uint32_t page = find_free(extents, &extents->dirty, pages, alignment);
    if (page == ALLFOLD_NO_PAGE)
        page = find_free(extents, &extents->clean, pages, alignment);
    if (page == ALLFOLD_NO_PAGE)
        page = grow(extents, pages, alignment);
    if (page == ALLFOLD_NO_PAGE)
        return (struct allfold_extent){.page = ALLFOLD_NO_PAGE};
    const struct allfold_extent found = unmark(extents, page);
    const uint32_t head = head_of(page, alignment), tail = found.pages - head - pages;
    if (head > 0)
        mark(extents, page, head, found.kind);
    mark(extents, page + head, pages, ALLFOLD_EXTENT_USED);
    if (tail > 0)
        mark(extents, page + head + pages, tail, found.kind);
    return (struct allfold_extent){page + head, pages, found.kind};
}

/* --- giving back --- */

/* Returns the extent of that kind that ends just before `page`; its `pages` is 0 if there is none.
 */
static struct allfold_extent unmark_before(struct allfold_extents *extents, uint32_t page,
                                           enum allfold_extent_kind kind)
{
    const struct allfold_extent none = {.pages = 0};
    if (page == 0 || kind_of(extents, page - 1) != kind)
        return none;
    return unmark(extents, page - extents->table[page - 1].pages);
}

static struct allfold_extent unmark_behind(struct allfold_extents *extents, uint32_t page,
                                           enum allfold_extent_kind kind)
{
    const struct allfold_extent none = {.pages = 0};
    if (page == extents->frontier || kind_of(extents, page) != kind)
        return none;
    return unmark(extents, page);
}

/* A free extent, together with those of its kind that it touches. */
static struct allfold_extent join(struct allfold_extents *extents, uint32_t page, uint32_t pages,
                                  enum allfold_extent_kind kind)
{
    const struct allfold_extent before = unmark_before(extents, page, kind);
    const struct allfold_extent behind = unmark_behind(extents, page + pages, kind);
    const struct allfold_extent joined = {page - before.pages, before.pages + pages + behind.pages,
                                          kind};
    mark(extents, joined.page, joined.pages, joined.kind);
    return joined;
}

struct allfold_extent allfold_extents_give(struct allfold_extents *extents, uint32_t page)
{
    const struct allfold_extent given = unmark(extents, page);
    assert(given.kind == ALLFOLD_EXTENT_USED);
    return join(extents, given.page, given.pages, ALLFOLD_EXTENT_DIRTY);
}

void allfold_extents_clean(struct allfold_extents *extents, uint32_t page)
{
    const struct allfold_extent emptied = unmark(extents, page);
    assert(emptied.kind == ALLFOLD_EXTENT_DIRTY);
    join(extents, emptied.page, emptied.pages, ALLFOLD_EXTENT_CLEAN);
}

/* Where the free extents from `page` on end that are needed to reach `wanted`. */
static uint32_t free_end_of(const struct allfold_extents *extents, uint32_t page, uint32_t wanted)
{
    while (page < wanted && page < extents->frontier &&
           kind_of(extents, page) != ALLFOLD_EXTENT_USED)
        page += extents->table[page].pages;
    return page;
}

/* Makes a used extent longer by what lies behind it: free extents, pages beyond the frontier, or
 * both. */
static bool lengthen(struct allfold_extents *extents, uint32_t page, uint32_t pages)
{
    const uint32_t end = page + extents->table[page].pages, new_end = page + pages;
    if (pages > extents->page_count - page)
        return false;
    const uint32_t free_end = free_end_of(extents, end, new_end);
    enum allfold_extent_kind kind = ALLFOLD_EXTENT_CLEAN;
    if (new_end > free_end && free_end < extents->frontier)
        return false;
    for (uint32_t at = end; at < free_end;) {
        const struct allfold_extent taken = unmark(extents, at);
        kind = taken.kind;
        at += taken.pages;
    }
    unmark(extents, page);
    extents->frontier = new_end > extents->frontier ? new_end : extents->frontier;
    mark(extents, page, pages, ALLFOLD_EXTENT_USED);
    if (new_end < free_end)
        mark(extents, new_end, free_end - new_end, kind);
    return true;
}

bool allfold_extents_resize(struct allfold_extents *extents, uint32_t page, uint32_t pages)
{
    const uint32_t had = allfold_extents_length(extents, page);
    assert(had > 0 && pages > 0);
    if (pages > had)
        return lengthen(extents, page, pages);
    if (pages < had) {
        unmark(extents, page);
        mark(extents, page, pages, ALLFOLD_EXTENT_USED);
        join(extents, page + pages, had - pages, ALLFOLD_EXTENT_DIRTY);
    }
    return true;
}

uint32_t allfold_extents_length(const struct allfold_extents *extents, uint32_t page)
{
    if (page >= extents->frontier || extents->table[page].kind != ALLFOLD_EXTENT_USED)
        return 0;
    return extents->table[page].pages;
}

bool allfold_extents_at(const struct allfold_extents *extents, uint32_t page,
                        struct allfold_extent *extent)
{
    if (page >= extents->frontier)
        return false;
    const struct allfold_extent_entry *entry = &extents->table[page];
    *extent = (struct allfold_extent){page, entry->pages, (enum allfold_extent_kind)entry->kind};
    return true;
}
