/* Fills a page for `allfold top` from the log. */
#ifndef ALLFOLD_EVENTS_PAGE_FIGURES_H
#define ALLFOLD_EVENTS_PAGE_FIGURES_H

#include "events/log.h"
#include "events/page.h"

/* Fills in rows, ranks and sums. The log remembers the sums that were shown, because the next page
 * also has the differences from them. */
void allfold_page_fill(struct allfold_page_figures *figures, struct allfold_log *log);

#endif
