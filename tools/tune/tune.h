/* The functions of `allfold tune`, `calibrate` and `table`, one for each action, and what they
 * share. */
#ifndef ALLFOLD_TUNE_TUNE_H
#define ALLFOLD_TUNE_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "algorithms/costs.h"
#include "options.h"
#include "select/table.h"

/* The path of the table if the user names none. */
extern const char allfold_tune_default_output[];

/* Sets the name of the command for messages: "allfold tune", "allfold calibrate" or "allfold
 * table". */
void allfold_tune_set_command(const char *name);

/* Returns whether both paths name the same file. Either may be NULL. */
bool allfold_tune_is_same_file(const char *a, const char *b);

/* The machine and job that are measured, as this program and the measuring part know them. */
struct allfold_tune_job {
    struct allfold_table_head head; /* without the time */
    char placement[20];
    int p, nodes, most, least;
    char error[1024];
};

/* Initializes the job with this machine and the version of this program. */
void allfold_tune_begin(struct allfold_tune_job *job);

/* Reads a line that every measurement prints: "mpi", "job", "error" or "progress". Returns false
 * for other lines. */
bool allfold_tune_take_line(struct allfold_tune_job *job, const char *line);

/* Reads the output of a calibration until the stream ends, prints the fits, and writes the files
 * that the options name. Returns the exit status. */
int allfold_tune_calibrate(const struct allfold_options *options, FILE *stream);

/* Reads the output of a tuning until the stream ends, prints which algorithms are fastest, and
 * writes the table after each size. Returns the exit status. */
int allfold_tune_table(const struct allfold_options *options, FILE *stream);

/* Returns whether --simulate is among the arguments: `allfold tune --simulate` has options of its
 * own and needs no MPI. */
bool allfold_tune_is_simulated(int argc, char **argv);

/* Simulates, and writes a table. Returns the exit status. */
int allfold_tune_simulate(int argc, char **argv);

/* Merges table files into the output; rows of later files replace those of earlier ones. Returns
 * the exit status. */
int allfold_tune_merge(const struct allfold_options *options);

/* Reads table files, and prints their numbers of rows. Returns the exit status. */
int allfold_tune_check(const struct allfold_options *options);

/* Opens a CSV file for writing and writes its first line. Prints a message and returns NULL if that
 * fails. */
FILE *allfold_tune_csv_open(const char *path, const char *head);

/* Closes a CSV file. Prints a message and returns false if it could not be written. */
bool allfold_tune_csv_close(FILE *csv, const char *path);

/* Prints "allfold COMMAND: MESSAGE" on stderr and returns `status`. */
int allfold_tune_say(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
