/* Extents: an allocator of pages in a region, which records the used and the free ranges of pages.
 *
 * A region consists of pages. Below its frontier it is divided into extents, each of them used or
 * free; pages beyond the frontier were never used. A free extent is dirty if its pages take memory,
 * otherwise clean. Neighboring free extents of the same kind are merged. Dirty extents are counted,
 * and allocated first. Free extents are in bins by length, so allocation and release take constant
 * time. Long dirty extents are also in a list ordered by the time of their release.
 *
 * The pages themselves are not accessed. The data of an extent are in the entries of its first and
 * its last page in a table. The table is a mapping, of which only the accessed pages take memory.
 * One thread at a time. */
#ifndef ALLFOLD_HEAP_EXTENTS_H
#define ALLFOLD_HEAP_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

#define ALLFOLD_NO_PAGE UINT32_MAX

/* The number of bins, and the minimum length of a long extent. */
enum { ALLFOLD_EXTENT_BINS = 128, ALLFOLD_LONG_EXTENT_PAGES = 64 };

/* Dirty: the pages may contain anything. Clean: the pages are zero and take no memory. */
enum allfold_extent_kind { ALLFOLD_EXTENT_USED = 1, ALLFOLD_EXTENT_DIRTY, ALLFOLD_EXTENT_CLEAN };

/* A range of pages. */
struct allfold_extent {
    uint32_t page, pages; /* the first page, and their number */
    enum allfold_extent_kind kind;
};

/* An entry of the table. For the first page of an extent all fields are valid, for the last page
 * its length and kind. */
struct allfold_extent_entry {
    uint32_t pages;
    uint32_t kind;
    uint32_t next, previous; /* first pages of free extents in the same bin */
    uint32_t newer, older;   /* of the list of long dirty extents; ALLFOLD_NO_PAGE at its ends */
};

/* The extents of a region. */
struct allfold_extents {
    struct allfold_extent_entry *table;
    uint32_t page_count; /* of the region */
    uint32_t frontier;
    uint32_t used_pages, dirty_pages, long_dirty_pages;
    uint32_t oldest, newest; /* ends of the list of long dirty extents, or ALLFOLD_NO_PAGE */
    struct allfold_extent_bins {
        uint32_t first[ALLFOLD_EXTENT_BINS]; /* first page of a free extent, or ALLFOLD_NO_PAGE */
        uint64_t is_filled[ALLFOLD_EXTENT_BINS / 64]; /* bit i: bin i is not empty */
    } dirty, clean;
};

/* Initializes the extents of a region of page_count pages that were never used. False if there is
 * no address space for the table. */
bool allfold_extents_open(struct allfold_extents *extents, uint32_t page_count);

/* Unmaps the table. */
void allfold_extents_close(struct allfold_extents *extents);

/* Allocates `pages` pages (> 0) whose first page is a multiple of `alignment`, a power of two.
 * Returns the extent with its kind before; its `page` is ALLFOLD_NO_PAGE if there is no such range.
 */
struct allfold_extent allfold_extents_take(struct allfold_extents *extents, uint32_t pages,
                                           uint32_t alignment);

/* Releases a used extent, which becomes dirty. Returns the free extent that contains it now. */
struct allfold_extent allfold_extents_give(struct allfold_extents *extents, uint32_t page);

/* Marks a dirty extent as clean. The caller must have removed the memory of its pages. */
void allfold_extents_clean(struct allfold_extents *extents, uint32_t page);

/* Returns the first page of one of the longest dirty extents below ALLFOLD_LONG_EXTENT_PAGES;
 * ALLFOLD_NO_PAGE if there is none. */
uint32_t allfold_extents_short_dirty(const struct allfold_extents *extents);

/* Changes the length of a used extent without moving it. False if it cannot grow that far. */
bool allfold_extents_resize(struct allfold_extents *extents, uint32_t page, uint32_t pages);

/* Returns the length of the used extent that starts at `page`; 0 if there is none. */
uint32_t allfold_extents_length(const struct allfold_extents *extents, uint32_t page);

/* Sets *extent to the extent that starts at `page`, which must be 0 or the end of another extent.
 * False at the frontier. */
bool allfold_extents_at(const struct allfold_extents *extents, uint32_t page,
                        struct allfold_extent *extent);

#endif
