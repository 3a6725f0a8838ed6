/* What `allfold tune`, `calibrate` and `table` are made of. */
#ifndef ALLFOLD_TUNE_TUNE_H
#define ALLFOLD_TUNE_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "algorithms/costs.h"
#include "lab/export/export.h"
#include "options.h"
#include "select/table.h"

/* The table that is written where no other is named. */
extern const char allfold_tune_default_output[];

/* "allfold tune", "allfold calibrate" or "allfold table", for messages. */
void allfold_tune_set_command(const char *name);

/* Do both paths, either of which may be NULL, name one file? */
bool allfold_tune_is_same_file(const char *a, const char *b);

/* What is measured on, as this program and the part that measures have it. */
struct allfold_tune_job {
    struct allfold_table_head head; /* but for the time */
    char placement[20];
    int p, nodes, most, least;
    char error[1024];
};

/* Begins with the machine and the version that this program is of. */
void allfold_tune_begin(struct allfold_tune_job *job);

/* Takes a line that each measurement has: "mpi", "job", "error", "progress"; else returns false. */
bool allfold_tune_take_line(struct allfold_tune_job *job, const char *line);

/* Reads what a calibration says until the stream ends, prints the fits, and writes what is asked
 * for. Returns the exit status. */
int allfold_tune_calibrate(const struct allfold_options *options, FILE *stream);

/* Reads what a tuning says until the stream ends: prints who won, and writes the table after each
 * size. Returns the exit status. */
int allfold_tune_table(const struct allfold_options *options, FILE *stream);

/* `allfold tune --simulate`, which has options of its own and needs no MPI: is that among the
 * words?
 */
bool allfold_tune_is_simulated(int argc, char **argv);

/* Simulates, and writes a table. Returns the exit status. */
int allfold_tune_simulate(int argc, char **argv);

/* `allfold table`. Merges the files into the output, later ones over earlier ones. Returns the exit
 * status. */
int allfold_tune_merge(const struct allfold_options *options);

/* Reads the files, and says how many rows they have. Returns the exit status. */
int allfold_tune_check(const struct allfold_options *options);

/* Makes a table of the CSV files of several launches. Returns the exit status. */
int allfold_tune_pool(const struct allfold_options *options);

/* Writes a table, the second word, as another library's tuning file. Returns the exit status. */
int allfold_tune_export(const struct allfold_options *options, const struct allfold_peer *peer);

/* Opens a CSV for writing and writes its head; NULL, which is said, where that fails. */
FILE *allfold_tune_csv_open(const char *path, const char *head);

/* Closes it; false, which is said, where it is not written. */
bool allfold_tune_csv_close(FILE *csv, const char *path);

/* Says "allfold COMMAND: MESSAGE" on stderr and returns the status. */
int allfold_tune_say(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
