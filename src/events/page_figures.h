/* The figures of a page, from the log. */
#ifndef ALLFOLD_EVENTS_PAGE_FIGURES_H
#define ALLFOLD_EVENTS_PAGE_FIGURES_H

#include "events/log.h"
#include "events/page.h"

/* Fills in rows, ranks and sums, and remembers what it filled in: the next time sums are recent
 * since then. */
void allfold_page_fill(struct allfold_page_figures *figures, struct allfold_log *log);

#endif
