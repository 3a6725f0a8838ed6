/* Results of `allfold bench --guidelines`: which calls are slower than other calls with the same
 * effect (see lab/measure/guidelines.h). A guideline is broken if the confidence intervals of the
 * two medians do not overlap, and the medians differ by more than the precision. */
#ifndef ALLFOLD_BENCH_BENCH_GUIDELINES_H
#define ALLFOLD_BENCH_BENCH_GUIDELINES_H

#include "bench/bench_report.h"

/* Print the results: as text, only broken guidelines; as CSV and JSON, all comparisons. */
void allfold_guidelines_print(const struct allfold_bench_report *report);
void allfold_guidelines_write_csv(const struct allfold_bench_report *report, FILE *file);
void allfold_guidelines_write_json(const struct allfold_bench_report *report, FILE *file);

#endif
