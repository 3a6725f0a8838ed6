/* What the tests of the report share. */
#ifndef ALLFOLD_TEST_SUPPORT_REPORT_H
#define ALLFOLD_TEST_SUPPORT_REPORT_H

#include "mpi/report/report_format.h"

/* A row of so many calls with as many bytes each, of "ring", chosen by the model. */
struct allfold_report_row row_of(enum allfold_collective collective, int p, size_t bytes,
                                 uint64_t calls, double seconds);

#endif
