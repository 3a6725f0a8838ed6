/* From contests to a table: what a tuning and the pooling of several launches share. */
#ifndef ALLFOLD_TUNE_TUNE_TABLE_H
#define ALLFOLD_TUNE_TUNE_TABLE_H

#include "lab/measure/contest.h"
#include "select/table.h"
#include "tune/tune.h"

enum { ALLFOLD_TUNE_CONTESTS = 512 };

struct allfold_tuning {
    struct allfold_tune_job job;
    const char *output, *type;
    const char *source;                 /* for the line above all others: "tune" */
    struct allfold_table *older;        /* what was there before; NULL: nothing */
    enum allfold_collective collective; /* the present one */
    int count;
    struct allfold_contest contests[ALLFOLD_TUNE_CONTESTS];
    int begin; /* of the present collective's contests */
    uint32_t row_count;
    struct allfold_table_row rows[ALLFOLD_TUNE_CONTESTS];
    uint32_t done_rows; /* of the collectives before */
};

/* One for the options' output; with --resume its rows stay. NULL, which is said, where that cannot
 * be read. Freed with allfold_tuning_close. */
struct allfold_tuning *allfold_tuning_open(const struct allfold_options *options,
                                           const char *source);
void allfold_tuning_close(struct allfold_tuning *tuning);

/* Joins neighboring rows of one algorithm, which keep the times of the first one. Returns how many
 * rows are left. */
uint32_t allfold_tune_join(struct allfold_table_row *rows, uint32_t count);

/* Adds the next size of a collective, prints who won, and writes the table, so that nothing that
 * was measured is lost. Returns the exit status. */
int allfold_tuning_add(struct allfold_tuning *tuning, enum allfold_collective collective,
                       const struct allfold_contest *contest);

#endif
