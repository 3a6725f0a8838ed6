/* What `allfold tune` is made of. */
#ifndef ALLFOLD_TOOLS_TUNE_H
#define ALLFOLD_TOOLS_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "algorithms/costs.h"
#include "lab/export/export.h"
#include "lab/measure/size_list.h"
#include "select/table.h"

enum { ALLFOLD_TUNE_WORDS = 20 };

/* The table that is written where nothing is said, and what is measured. */
extern const char allfold_tune_preset_output[], allfold_tune_preset_type[],
    allfold_tune_preset_operation[];

struct allfold_tune_options {
    bool is_wrong, calibrates, merges, pools, resumes, shows_progress;
    const char *mpi, *network, *groups, *output, *csv;
    const char *collectives, *type, *operation, *start;
    char **files;                    /* to be merged or pooled */
    const struct allfold_peer *peer; /* to export to; NULL: nothing is */
    const char *table, *library;     /* of the export */
    int ppn;
    bool all_commute;
    int file_count;
    struct allfold_size_list sizes;
    double budget_s;
    char *words[ALLFOLD_TUNE_WORDS]; /* for the part that has MPI; freed by the caller from 1 on */
    int word_count;
};

/* Reads them; with `silent`, as on other ranks than 0, says nothing. Returns false where they are
 * wrong, or ends the program. */
bool allfold_tune_options_read(struct allfold_tune_options *options, int argc, char **argv,
                               bool silent);

/* Adds "NAME=VALUE" to the words; false without memory. */
bool allfold_tune_add_word(struct allfold_tune_options *options, const char *name,
                           const char *value);

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
void allfold_tune_clear_progress(void);

/* Reads what a calibration says until the stream ends, prints the fits, and writes what is asked
 * for. Returns the exit status. */
int allfold_tune_calibrate(const struct allfold_tune_options *options, FILE *stream);

/* Reads what a tuning says until the stream ends: prints who won, and writes the table after each
 * size. Returns the exit status. */
int allfold_tune_table(const struct allfold_tune_options *options, FILE *stream);

/* `allfold tune --simulate`, which has options of its own and needs no MPI: is that among the
 * words?
 */
bool allfold_tune_is_simulated(int argc, char **argv);

/* Simulates, and writes a table. Returns the exit status. */
int allfold_tune_simulate(int argc, char **argv);

/* Merges the files into the output, later ones over earlier ones. Returns the exit status. */
int allfold_tune_merge(const struct allfold_tune_options *options);

/* Makes a table of the CSV files of several launches. Returns the exit status. */
int allfold_tune_pool(const struct allfold_tune_options *options);

/* Writes a table as another library's tuning file. Returns the exit status. */
int allfold_tune_export(const struct allfold_tune_options *options);

/* Opens a CSV for writing and writes its head; NULL, which is said, where that fails. */
FILE *allfold_tune_csv_open(const char *path, const char *head);

/* Closes it; false, which is said, where it is not written. */
bool allfold_tune_csv_close(FILE *csv, const char *path);

/* Says "allfold tune: MESSAGE" on stderr and returns the status. */
int allfold_tune_say(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
