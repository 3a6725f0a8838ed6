/* The page that this process shows to `allfold top` (events/live_page.h), filled from the report's
 * values.
 *
 * After each exchange of notes (call_times.h), which measures how long this rank waited and which
 * rank came last, the page is written, at most once a second. With ALLFOLD_WATCH the ranks
 * therefore exchange notes a few times a second, even if they make few calls. All functions are
 * thread-safe, and do nothing if no page is wanted. */
#ifndef ALLFOLD_MPI_REPORT_LIVE_H
#define ALLFOLD_MPI_REPORT_LIVE_H

#include "events/live_page.h"
#include "util/ticks.h"

/* Makes the page, and prints a message if that fails. Must be called after the job has begun.
 * Collective over MPI_COMM_WORLD. */
void allfold_live_open(void);

/* Record that a blocking call begins, and that it ends. `collective` is an enum allfold_collective
 * or an enum allfold_passed_collective. `ticks` is the time of the begin, or
 * ALLFOLD_PAGE_NO_TICKS. */
static inline void allfold_live_enter(enum allfold_collective collective, uint64_t ticks)
{
    if (allfold_page_shown != NULL)
        allfold_page_enter(allfold_page_shown, ticks, collective);
}

static inline void allfold_live_leave(void)
{
    if (allfold_page_shown != NULL)
        allfold_page_leave(allfold_page_shown);
}

/* Writes the page if that is due. */
void allfold_live_refresh(void);

/* Returns after how many notes the ranks should exchange them next, as this rank estimates from its
 * last `count` notes, which took `seconds`. */
uint32_t allfold_live_exchange_interval(uint32_t count, double seconds);

/* Removes the page. */
void allfold_live_close(void);

#endif
