/* Reads and writes table files in JSON (docs/tables.md, docs/table.schema.json).
 *
 * Reading has two parts. The parser (table_json.c) reads JSON with jansson. For preloaded programs
 * it is a module of its own, so that jansson is loaded only if a table is used. The other part
 * (table_file.c) checks the values and makes the table. */
#ifndef ALLFOLD_SELECT_TABLE_FILE_H
#define ALLFOLD_SELECT_TABLE_FILE_H

#include "select/table.h"

/* A row as in the file. */
struct allfold_table_words {
    const char *collective, *algorithm;
    const char *placement; /* NULL: any */
    int64_t nodes, ppn;
    int64_t p;                    /* -1: nodes x ppn */
    int64_t from_bytes, to_bytes; /* -1: unlimited */
    int commutative, exact;       /* 0 or 1; -1: any */
    double us, native_us;         /* -1: unknown, as `samples` */
    int64_t samples;
};

/* What a parser fills in. */
struct allfold_table_draft {
    struct allfold_table_head head;
    struct allfold_table_row *rows;
    uint32_t count, capacity;
    /* Adds a row. Returns an error, with `message`, if the row is wrong or out of memory. */
    enum allfold_error (*take)(struct allfold_table_draft *draft,
                               const struct allfold_table_words *words, char *message,
                               size_t message_bytes);
};

/* Parses a file and calls draft->take for each row. Returns ALLFOLD_BAD_INPUT if the file is wrong;
 * then `message` says where in the file, what was found, and what is expected. Returns
 * ALLFOLD_NO_MEMORY if out of memory. */
enum allfold_error allfold_table_parse(const char *path, struct allfold_table_draft *draft,
                                       char *message, size_t message_bytes);

/* Reads a table with a parser: allfold_table_parse, or the module's. Returns ALLFOLD_BAD_INPUT if
 * the file is wrong; then `message`, which starts with the path, says why. On an error, *table is
 * NULL. The caller frees the table with allfold_table_free. */
enum allfold_error
allfold_table_read(const char *path,
                   enum allfold_error (*parse)(const char *path, struct allfold_table_draft *draft,
                                               char *message, size_t message_bytes),
                   struct allfold_table **table, char *message, size_t message_bytes);

/* Writes a table, one row per line. A table that is read back makes the same choices; times have
 * six digits. Replaces the file atomically. Returns ALLFOLD_BAD_INPUT with `message` if the file
 * cannot be written, and ALLFOLD_NO_MEMORY if out of memory. Needs jansson, as allfold_table_parse
 * does. */
enum allfold_error allfold_table_write(const struct allfold_table *table, const char *path,
                                       char *message, size_t message_bytes);

#endif
