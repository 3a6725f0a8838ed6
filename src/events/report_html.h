/* Prints a report as an HTML page: one file without scripts, which is also readable on a phone and
 * on paper. */
#ifndef ALLFOLD_EVENTS_REPORT_HTML_H
#define ALLFOLD_EVENTS_REPORT_HTML_H

#include <stdio.h>

#include "events/report_figures.h"

/* Prints the page, which is also well-formed XML. All names are escaped. */
void allfold_report_print_html(const struct allfold_report_head *head,
                               const struct allfold_report_row *rows, uint32_t count, FILE *stream);

#endif
