/* What this process shows to `allfold top`: a page (live/page.h), filled from the report's figures.
 *
 * The exchange of notes (notes.h) says how long this rank waited and which rank came last. After
 * it the page is filled anew, at most once a second. With ALLFOLD_WATCH the ranks therefore
 * exchange some times a second, also where they make few calls. All functions are thread-safe, and
 * do nothing where nobody wants a page. */
#ifndef ALLFOLD_MPI_REPORT_LIVE_H
#define ALLFOLD_MPI_REPORT_LIVE_H

#include "events/page.h"
#include "util/ticks.h"

/* Makes the page, and says where that cannot be. Collective over MPI_COMM_WORLD, after the job has
 * begun. */
void allfold_live_open(void);

/* A blocking call of a collective (or of an enum allfold_passed_collective) begins, at these ticks
 * or at ALLFOLD_PAGE_NO_TICKS; and ends. */
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

/* Fills the page, where that is due. */
void allfold_live_refresh(void);

/* With how many notes the ranks should exchange them next, as far as this rank can tell: it noted
 * `count` in `seconds`. */
uint32_t allfold_live_exchange_interval(uint32_t count, double seconds);

/* Removes the page. */
void allfold_live_close(void);

#endif
