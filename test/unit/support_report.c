/* Rows of a report (see support_report.h). */
#include "support_report.h"

struct allfold_report_row row_of(enum allfold_collective collective, int p, size_t bytes,
                                 uint64_t calls, double seconds)
{
    return (struct allfold_report_row){.collective = collective,
                                       .p = p,
                                       .least_bytes = bytes,
                                       .most_bytes = bytes,
                                       .algorithm = "ring",
                                       .source = "model",
                                       .moved_bytes = (double)bytes * (double)calls,
                                       .figures = {.calls = calls, .seconds = seconds}};
}
