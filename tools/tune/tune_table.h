/* Turns contests into the rows of a table: shared by `allfold tune` and `allfold table pool`. */
#ifndef ALLFOLD_TUNE_TUNE_TABLE_H
#define ALLFOLD_TUNE_TUNE_TABLE_H

#include "lab/measure/contest.h"
#include "select/table.h"
#include "tune/tune.h"

enum { ALLFOLD_TUNE_CONTESTS = 512 };

struct allfold_tuning {
    struct allfold_tune_job job;
    const char *output, *type;
    const char *source;          /* command that made the table, for its first line: "tune" */
    struct allfold_table *older; /* rows that the output file had before; NULL: none */
    enum allfold_collective collective; /* the present collective */
    int count;
    struct allfold_contest contests[ALLFOLD_TUNE_CONTESTS];
    int begin; /* index of the present collective's first contest */
    uint32_t row_count;
    struct allfold_table_row rows[ALLFOLD_TUNE_CONTESTS];
    uint32_t done_rows; /* rows of earlier collectives */
};

/* Makes a tuning for the options' output file; with --resume the file's rows are kept. Prints a
 * message and returns NULL if the file cannot be read. The caller frees it with
 * allfold_tuning_close. */
struct allfold_tuning *allfold_tuning_open(const struct allfold_options *options,
                                           const char *source);
void allfold_tuning_close(struct allfold_tuning *tuning);

/* Joins neighboring rows of the same algorithm; a joined row has the times of its first row.
 * Returns the number of rows that are left. */
uint32_t allfold_tune_join(struct allfold_table_row *rows, uint32_t count);

/* Adds the next size of a collective, prints the fastest algorithm, and writes the table, so that
 * no measurement is lost. Returns the exit status. */
int allfold_tuning_add(struct allfold_tuning *tuning, enum allfold_collective collective,
                       const struct allfold_contest *contest);

#endif
