/* Prints a report as text tables, CSV, JSON or HTML. */
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

/* Returns the format for a file name: .csv, .json or .html, otherwise text tables. */
enum allfold_report_format allfold_report_format_of(const char *path);

/* Returns "Open MPI 4.1.4" or "MPICH 4.0.2" from the text of MPI_Get_library_version. */
void allfold_report_name_mpi(const char *version, char *name, size_t name_bytes);

/* Prints a report. */
void allfold_report_print(const struct allfold_report_head *head,
                          const struct allfold_report_row *rows, uint32_t count,
                          enum allfold_report_format format, FILE *stream);

#endif
