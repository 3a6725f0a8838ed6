/* How a report shows when ranks were late, and the worst calls. Nothing where nobody waited, or it
 * is not known. */
#ifndef ALLFOLD_EVENTS_LATENESS_FORMAT_H
#define ALLFOLD_EVENTS_LATENESS_FORMAT_H

#include <stdio.h>

#include "events/report_figures.h"

/* As text: a map of characters, and a table. */
void allfold_lateness_print(const struct allfold_report_head *head, FILE *stream);

/* As members of JSON, each after a comma. */
void allfold_lateness_print_json(const struct allfold_report_head *head, FILE *stream);

/* As two pictures of the page, each with a table of its figures. */
void allfold_lateness_print_html(const struct allfold_report_head *head, FILE *stream);

#endif
