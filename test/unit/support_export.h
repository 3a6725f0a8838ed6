/* Exports for tests: tables of few rows, and what becomes of them. */
#ifndef ALLFOLD_TEST_SUPPORT_EXPORT_H
#define ALLFOLD_TEST_SUPPORT_EXPORT_H

#include "export/export.h"

/* A table of lines "NODES PPN COLLECTIVE FROM TO ALGORITHM [MEMBERS]": TO is 0 where there is no
 * bound, and further members of the row are in JSON. Fails the test where it is none. */
struct allfold_table *table_of(const char *rows);

/* Reads the decisions of MPICH from a small library, which calls all algorithms OWN. */
void read_library(struct allfold_export *export);

/* The file of a peer for a table; NULL where there is no rule. To be freed. Where one row alone was
 * left out, export_reason says why; else it is "". */
char *file_of(const char *peer, const char *rows, struct allfold_export_choice choice);
extern char export_reason[300];

/* What is in the file behind the lines on where it is from. */
void expect_file(const char *peer, const char *rows, const char *expected);

/* The row is left out, for a reason that has this text. */
void expect_omission(const char *peer, const char *row, const char *why);

#endif
