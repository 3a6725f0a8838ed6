/* Extents: which pages of a region are allocated, and which are free.
 *
 * A region is a row of pages. Below its frontier it is cut into extents, each of them used or free;
 * beyond the frontier nothing was ever used. Free extents that touch are one extent if both are
 * dirty or both are clean: what is dirty takes memory, and is counted and given out first. They lie
 * in bins by their length, so taking and giving back cost the same however many there are. Long
 * dirty ones are in a list, too, ordered by the time they were freed.
 *
 * Nothing is written into the pages themselves. What is known of an extent stands in two entries of
 * a table, those of its first and its last page. The table is memory that is taken where it is
 * touched. Not thread-safe. */
#ifndef ALLFOLD_HEAP_EXTENTS_H
#define ALLFOLD_HEAP_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

#define ALLFOLD_NO_PAGE UINT32_MAX

enum { ALLFOLD_EXTENT_BINS = 128, ALLFOLD_LONG_EXTENT_PAGES = 64 };

/* Dirty: its pages may hold anything. Clean: they hold zeros and take no memory. */
enum allfold_extent_kind { ALLFOLD_EXTENT_USED = 1, ALLFOLD_EXTENT_DIRTY, ALLFOLD_EXTENT_CLEAN };

struct allfold_extent {
    uint32_t page, pages; /* the first one, and how many */
    enum allfold_extent_kind kind;
};

/* An entry of the table. Of a first page all holds, of a last one the length and the kind. */
struct allfold_extent_entry {
    uint32_t pages;
    uint32_t kind;
    uint32_t next, previous; /* first pages of free extents of the same bin */
    uint32_t newer, older;   /* of long dirty ones; ALLFOLD_NO_PAGE at the ends */
};

struct allfold_extents {
    struct allfold_extent_entry *table;
    uint32_t page_count; /* of the region */
    uint32_t frontier;
    uint32_t used_pages, dirty_pages, long_dirty_pages;
    uint32_t oldest, newest; /* long dirty extent, or ALLFOLD_NO_PAGE */
    struct allfold_extent_bins {
        uint32_t first[ALLFOLD_EXTENT_BINS]; /* page of a free extent, or ALLFOLD_NO_PAGE */
        uint64_t is_filled[ALLFOLD_EXTENT_BINS / 64]; /* a bit for each bin */
    } dirty, clean;
};

/* False without addresses for the table. */
bool allfold_extents_open(struct allfold_extents *extents, uint32_t page_count);
void allfold_extents_close(struct allfold_extents *extents);

/* Takes `pages` pages (> 0) whose first one is a multiple of `alignment`, a power of two. Its kind
 * is what it was before. `page` is ALLFOLD_NO_PAGE where there are not so many. */
struct allfold_extent allfold_extents_take(struct allfold_extents *extents, uint32_t pages,
                                           uint32_t alignment);

/* Gives a used extent back, as dirty. Returns the free extent that it is in now. */
struct allfold_extent allfold_extents_give(struct allfold_extents *extents, uint32_t page);

/* The caller has emptied all pages of this dirty extent. */
void allfold_extents_clean(struct allfold_extents *extents, uint32_t page);

/* One of the longest dirty extents below ALLFOLD_LONG_EXTENT_PAGES; ALLFOLD_NO_PAGE: there is none.
 */
uint32_t allfold_extents_short_dirty(const struct allfold_extents *extents);

/* Makes a used extent longer or shorter where it lies; false where it cannot grow so far. */
bool allfold_extents_resize(struct allfold_extents *extents, uint32_t page, uint32_t pages);

/* The length of the used extent that begins at this page; 0 where none does. */
uint32_t allfold_extents_length(const struct allfold_extents *extents, uint32_t page);

/* The extent that begins at `page`, which is 0 or the end of another one; false at the frontier. */
bool allfold_extents_at(const struct allfold_extents *extents, uint32_t page,
                        struct allfold_extent *extent);

#endif
