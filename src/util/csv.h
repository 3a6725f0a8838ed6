/* CSV files, as the subcommands write them: a line of names, and lines of as many cells. */
#ifndef ALLFOLD_UTIL_CSV_H
#define ALLFOLD_UTIL_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { ALLFOLD_CSV_COLUMNS = 128 };

/* Takes the cells of a line, in the order of the names that were asked for. False with a message
 * that says what is wrong with them. */
typedef bool allfold_csv_take(void *context, int line, const char *const *cells, char *message,
                              size_t message_bytes);

/* Reads a file of `writer`, a command, in which each of the names is a column, wherever it stands,
 * and gives its lines to `take`. False with a message: the file, the line, what is wrong, what is
 * expected. */
bool allfold_csv_read(const char *path, const char *writer, const char *const *names, int count,
                      allfold_csv_take *take, void *context, char *message, size_t message_bytes);

/* Writes a text in quotes. */
void allfold_csv_write_text(FILE *file, const char *text);

#endif
