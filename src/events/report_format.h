/* How a report looks: as a table or a page for eyes, as CSV or JSON for programs. */
#ifndef ALLFOLD_EVENTS_REPORT_FORMAT_H
#define ALLFOLD_EVENTS_REPORT_FORMAT_H

#include <stdio.h>

#include "events/report_figures.h"

enum allfold_report_format {
    ALLFOLD_REPORT_TABLE,
    ALLFOLD_REPORT_CSV,
    ALLFOLD_REPORT_JSON,
    ALLFOLD_REPORT_HTML
};

/* By the end of the file's name: .csv, .json, .html, else a table. */
enum allfold_report_format allfold_report_format_of(const char *path);

/* "Open MPI 4.1.4", "MPICH 4.0.2" from what MPI_Get_library_version gives. */
void allfold_report_name_mpi(const char *version, char *name, size_t name_bytes);

void allfold_report_print(const struct allfold_report_head *head,
                          const struct allfold_report_row *rows, uint32_t count,
                          enum allfold_report_format format, FILE *stream);

#endif
