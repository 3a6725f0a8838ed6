/* What `allfold bench --guidelines` measured: which calls take longer than others that do the same
 * (see measure/guidelines.h). A guideline is broken where the intervals of both medians are apart,
 * and the medians by more than the precision. */
#ifndef ALLFOLD_BENCH_BENCH_GUIDELINES_H
#define ALLFOLD_BENCH_BENCH_GUIDELINES_H

#include "bench/bench_report.h"

/* For eyes, what is broken; as CSV and JSON, all that was compared. */
void allfold_guidelines_print(const struct allfold_bench_report *report);
void allfold_guidelines_write_csv(const struct allfold_bench_report *report, FILE *file);
void allfold_guidelines_write_json(const struct allfold_bench_report *report, FILE *file);

#endif
