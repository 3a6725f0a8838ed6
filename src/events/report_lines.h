/* Lines of a report that the table and the page have alike. */
#ifndef ALLFOLD_EVENTS_REPORT_LINES_H
#define ALLFOLD_EVENTS_REPORT_LINES_H

#include <stdio.h>

#include "events/report_figures.h"

/* A line: the machine, the MPI library, ranks and nodes. */
void allfold_report_print_title(const struct allfold_report_head *head,
                                const struct allfold_report_row *rows, uint32_t count,
                                FILE *stream);

/* Lines about bits, one copy, the guard and device memory, as far as there is something to say. */
void allfold_report_print_more(const struct allfold_report_head *head,
                               const struct allfold_report_row *rows, uint32_t count, FILE *stream);

/* Did buffers in device memory go through the host? */
bool allfold_report_has_staged(const struct allfold_report_head *head);

#endif
