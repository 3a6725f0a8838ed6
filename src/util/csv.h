/* CSV files as the subcommands write and read them: a header line with the names of the columns,
 * then lines with one cell for each column. */
#ifndef ALLFOLD_UTIL_CSV_H
#define ALLFOLD_UTIL_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The maximum number of columns. */
enum { ALLFOLD_CSV_COLUMNS = 128 };

/* Receives the cells of line number `line`, in the order of the `names` of allfold_csv_read.
 * Returns false, with a message that says what is wrong with the cells, to stop the reading. */
typedef bool allfold_csv_take(void *context, int line, const char *const *cells, char *message,
                              size_t message_bytes);

/* Reads the CSV file at `path`, which the command `writer` wrote, and calls `take` for each line.
 * Each of the `count` names must be a column of the file, in any order; other columns are ignored.
 * Returns false with a message if the file is wrong: the file, the line, what is wrong and what is
 * expected. */
bool allfold_csv_read(const char *path, const char *writer, const char *const *names, int count,
                      allfold_csv_take *take, void *context, char *message, size_t message_bytes);

/* Writes a text as a cell in double quotes. */
void allfold_csv_write_text(FILE *file, const char *text);

#endif
