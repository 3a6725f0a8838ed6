/* Live pages: the files through which a running process shows its calls to `allfold top`.
 *
 * A page is a small file in shared memory (/dev/shm) that its process maps and updates about once a
 * second. Only the process's user may open it. The process holds a lock on the file, which the
 * kernel releases when the process ends, however that happens: a page without a lock is stale.
 *
 * A sequence lock guards the figures: its number is odd while the process writes them, and a reader
 * retries until the number is even, and the same before and after reading. */
#ifndef ALLFOLD_EVENTS_LIVE_PAGE_H
#define ALLFOLD_EVENTS_LIVE_PAGE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "events/report_figures.h"
#include "util/ticks.h"

enum {
    ALLFOLD_PAGE_VERSION = 5,
    ALLFOLD_PAGE_ROWS = 32,
    ALLFOLD_PAGE_LATE = 5,
    ALLFOLD_PAGE_NAME_BYTES = 80
};

/* The directory of pages, unless ALLFOLD_WATCH names another one. */
extern const char allfold_page_directory[];

/* Sums since the process started, and since the figures before these. */
struct allfold_page_sums {
    struct allfold_sums all, recent;
};

/* A row of the report, as the page shows it. */
struct allfold_page_row {
    char call[48], algorithm[128], source[64], phase[32];
    int32_t p;
    uint64_t least_bytes, most_bytes;
    struct allfold_page_sums sums;
};

/* A rank that others waited for. Of its sums only `last`, `behind_s` and the fields after it are
 * set. */
struct allfold_page_late {
    int32_t rank;
    struct allfold_page_sums sums;
};

/* The part of a page that the process updates. */
struct allfold_page_figures {
    double refreshed_s,
        interval_s;               /* on the monotonic clock; time since the figures before these */
    struct allfold_page_sums own; /* of this rank */
    uint32_t row_count,
        left_out;        /* row_count: the busiest rows; left_out: how many other rows there are */
    uint32_t late_count; /* the latest ranks first; 0 on all but the node's first rank */
    struct allfold_page_row rows[ALLFOLD_PAGE_ROWS];
    struct allfold_page_late late[ALLFOLD_PAGE_LATE];
};

/* The part of a page that does not change. */
struct allfold_page_head {
    char magic[16];
    uint32_t version, bytes; /* length of the page */
    uint64_t job;            /* the same on all ranks of the job */
    int32_t pid, rank, p, nodes;
    double begin_s;               /* on the monotonic clock */
    struct allfold_moment opened; /* when the page was made, to convert ticks to seconds */
    char program[64], host[64], mpi[64], allfold[16];
};

/* A page. */
struct allfold_page {
    struct allfold_page_head head;
    atomic_uint_least64_t calls; /* blocking calls so far */
    /* When the current blocking call began, in ticks; 0: there is none. */
    atomic_uint_least64_t call_ticks;
    atomic_uint_least32_t collective; /* of the current call, numbered as in rows of the report */
    atomic_uint_least32_t sequence;
    struct allfold_page_figures figures;
};

/* In `call_ticks`: the process is in a call, but the clock has not been read yet. */
enum { ALLFOLD_PAGE_NO_TICKS = 1 };

/* A page of this process, mapped into its memory. */
struct allfold_open_page {
    struct allfold_page *page; /* NULL: there is no page */
    int file;
    char path[4096];
};

/* Makes a page in a directory. Sets magic, version and length of its head, and copies the other
 * members from `head`. False, with errno set, if that fails. */
bool allfold_page_open(struct allfold_open_page *open, const char *directory,
                       const struct allfold_page_head *head);

/* Removes the page. */
void allfold_page_close(struct allfold_open_page *open);

/* Starts an update of the figures. */
void allfold_page_begin_write(struct allfold_page *page);

/* Ends an update of the figures. */
void allfold_page_end_write(struct allfold_page *page);

struct allfold_log;

/* Sets rows, ranks and sums from the log. The log keeps the sums that were shown, because the next
 * figures also have the differences from them. */
void allfold_page_fill(struct allfold_page_figures *figures, struct allfold_log *log);

/* Sets *sums to `all`, and to the difference of `all` from `before`. */
static inline void allfold_page_add_up(struct allfold_page_sums *sums,
                                       const struct allfold_sums *before,
                                       const struct allfold_sums *all)
{
    sums->all = sums->recent = *all;
    allfold_sums_add(&sums->recent, before, -1);
}

/* Records that a blocking call begins at time `ticks`. If several threads call, the page shows one
 * of these calls. */
static inline void allfold_page_enter(struct allfold_page *page, uint64_t ticks,
                                      enum allfold_collective collective)
{
    atomic_store_explicit(&page->collective, (uint32_t)collective, memory_order_relaxed);
    atomic_store_explicit(&page->call_ticks, ticks, memory_order_relaxed);
}

/* Records that a blocking call ends. */
static inline void allfold_page_leave(struct allfold_page *page)
{
    const uint64_t calls = atomic_load_explicit(&page->calls, memory_order_relaxed);
    atomic_store_explicit(&page->calls, calls + 1, memory_order_relaxed);
    atomic_store_explicit(&page->call_ticks, 0, memory_order_relaxed);
}

/* The page of this process; NULL: none. */
extern struct allfold_page *allfold_page_shown;

/* Sets the time at which the current call began, if that is not known yet. Called by a call that
 * has to wait, so that short calls need not read the clock. */
static inline void allfold_page_time_call(void)
{
    struct allfold_page *page = allfold_page_shown;
    if (page != NULL &&
        atomic_load_explicit(&page->call_ticks, memory_order_relaxed) == ALLFOLD_PAGE_NO_TICKS)
        atomic_store_explicit(&page->call_ticks, allfold_ticks(), memory_order_relaxed);
}

/* Returns the prefix of the names of this user's pages. */
void allfold_page_name_prefix(char name[ALLFOLD_PAGE_NAME_BYTES]);

extern const char allfold_page_magic[16];

#endif
