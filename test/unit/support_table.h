/* Tables for tests: rows by chance, and what a table must answer, by looking at each row. */
#ifndef ALLFOLD_TEST_SUPPORT_TABLE_H
#define ALLFOLD_TEST_SUPPORT_TABLE_H

#include "select/table_file.h"

/* A row whose collective, shape, conditions and bytes are of so few kinds that many meet; it passes
 * allfold_table_check_row. */
struct allfold_table_row random_row(uint64_t *seed);

/* A key of the same kinds. */
struct allfold_table_key random_key(uint64_t *seed);

/* Does the row hold for it? Written from table.h's words alone. */
bool row_holds(const struct allfold_table_row *row, const struct allfold_table_key *key);

/* A table of random rows: those that overlap with one before are left out. Fails
 * the test where it cannot be made. Freed with allfold_table_free. */
struct allfold_table *random_table(uint64_t *seed, uint32_t rows);

/* Writes a text to a file of the test's own and returns its path, which stays the same; NULL: no
 * file is there any more. */
const char *text_in_file(const char *text, size_t bytes);

/* Reads such a file. The message is "" where it could be read. */
struct allfold_table *read_text_table(const char *text, char *message, size_t message_bytes);

#endif
