/* The report as a page: one file, without scripts, that reads on a phone and on paper. */
#ifndef ALLFOLD_EVENTS_REPORT_HTML_H
#define ALLFOLD_EVENTS_REPORT_HTML_H

#include <stdio.h>

#include "events/report_figures.h"

/* The page is well-formed XML, too. Whatever a name holds is escaped. */
void allfold_report_print_html(const struct allfold_report_head *head,
                               const struct allfold_report_row *rows, uint32_t count, FILE *stream);

#endif
