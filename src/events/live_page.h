/* Pages: what a running process shows to `allfold top`.
 *
 * A page is a small file in memory (/dev/shm) that its process maps and fills about once a second.
 * Only the process's user may open it. The process holds a lock on it, which the kernel takes away
 * when the process ends, however that happens: a page without a lock is stale.
 *
 * A sequence lock guards the figures. The number is odd while the process writes them; whoever
 * reads tries again until the number is even, and the same before and after. */
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

/* Where pages are, unless ALLFOLD_WATCH names another directory. */
extern const char allfold_page_directory[];

/* Since the process began, and since the figures before these. */
struct allfold_page_sums {
    struct allfold_sums all, recent;
};

struct allfold_page_row {
    char call[48], algorithm[128], source[64], phase[32];
    int32_t p;
    uint64_t least_bytes, most_bytes;
    struct allfold_page_sums sums;
};

/* A rank that others waited for; `last`, `behind_s` and what follows it are set. */
struct allfold_page_late {
    int32_t rank;
    struct allfold_page_sums sums;
};

/* What the process writes now and then. */
struct allfold_page_figures {
    double refreshed_s, interval_s; /* on the monotonic clock; since the figures before these */
    struct allfold_page_sums own;   /* of this rank */
    uint32_t row_count, left_out;   /* the busiest rows; how many there are beside them */
    uint32_t late_count;            /* the latest first; none on all but the node's first rank */
    struct allfold_page_row rows[ALLFOLD_PAGE_ROWS];
    struct allfold_page_late late[ALLFOLD_PAGE_LATE];
};

/* What stays as it is. */
struct allfold_page_head {
    char magic[16];
    uint32_t version, bytes; /* of the page */
    uint64_t job;            /* the same on all ranks of the job */
    int32_t pid, rank, p, nodes;
    double begin_s;               /* on the monotonic clock */
    struct allfold_moment opened; /* when the page was made: it tells the time of ticks */
    char program[64], host[64], mpi[64], allfold[16];
};

struct allfold_page {
    struct allfold_page_head head;
    atomic_uint_least64_t calls;      /* that blocked, so far */
    atomic_uint_least64_t call_ticks; /* when the one that is on began; 0: none is */
    atomic_uint_least32_t collective; /* of the one that is on, as in rows of the report */
    atomic_uint_least32_t sequence;
    struct allfold_page_figures figures;
};

/* In place of the ticks of a call: it is on, and nobody has read the clock yet. */
enum { ALLFOLD_PAGE_NO_TICKS = 1 };

/* A page of this process, in its memory. */
struct allfold_open_page {
    struct allfold_page *page; /* NULL: there is none */
    int file;
    char path[4096];
};

/* Makes a page in a directory, with the head but its first three members. False with errno. */
bool allfold_page_open(struct allfold_open_page *open, const char *directory,
                       const struct allfold_page_head *head);

/* Removes it. */
void allfold_page_close(struct allfold_open_page *open);

/* Between these two the figures may be written. */
void allfold_page_begin_write(struct allfold_page *page);
void allfold_page_end_write(struct allfold_page *page);

struct allfold_log;

/* Fills in rows, ranks and sums from the log, which remembers the sums that were shown, because the
 * next page also has the differences from them. */
void allfold_page_fill(struct allfold_page_figures *figures, struct allfold_log *log);

/* `sums` become those of `all` calls so far. */
static inline void allfold_page_add_up(struct allfold_page_sums *sums,
                                       const struct allfold_sums *before,
                                       const struct allfold_sums *all)
{
    sums->all = sums->recent = *all;
    allfold_sums_add(&sums->recent, before, -1);
}

/* A call that blocks begins, and ends. With threads, the page has one of the calls in hand. */
static inline void allfold_page_enter(struct allfold_page *page, uint64_t ticks,
                                      enum allfold_collective collective)
{
    atomic_store_explicit(&page->collective, (uint32_t)collective, memory_order_relaxed);
    atomic_store_explicit(&page->call_ticks, ticks, memory_order_relaxed);
}

static inline void allfold_page_leave(struct allfold_page *page)
{
    const uint64_t calls = atomic_load_explicit(&page->calls, memory_order_relaxed);
    atomic_store_explicit(&page->calls, calls + 1, memory_order_relaxed);
    atomic_store_explicit(&page->call_ticks, 0, memory_order_relaxed);
}

/* The page that this process shows; NULL: none. */
extern struct allfold_page *allfold_page_shown;

/* Notes when a call began that nobody has read the clock for. A call that waits asks for it, so
 * that short calls need no clock. */
static inline void allfold_page_time_call(void)
{
    struct allfold_page *page = allfold_page_shown;
    if (page != NULL &&
        atomic_load_explicit(&page->call_ticks, memory_order_relaxed) == ALLFOLD_PAGE_NO_TICKS)
        atomic_store_explicit(&page->call_ticks, allfold_ticks(), memory_order_relaxed);
}

/* The begin of the names of this user's pages. */
void allfold_page_name_prefix(char name[ALLFOLD_PAGE_NAME_BYTES]);

extern const char allfold_page_magic[16];

#endif
