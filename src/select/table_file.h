/* Files of tables, in JSON (docs/tables.md, docs/table.schema.json).
 *
 * Reading is in two halves. The parser (table_json.c) knows JSON and needs jansson. For programs
 * that the library is preloaded into, it is a module of its own. So they get jansson only where a
 * table is in use. What a table means is known here and in table.h. */
#ifndef ALLFOLD_SELECT_TABLE_FILE_H
#define ALLFOLD_SELECT_TABLE_FILE_H

#include "select/table.h"

/* A row as a file has it. */
struct allfold_table_words {
    const char *collective, *algorithm;
    const char *placement; /* NULL: any */
    int64_t nodes, ppn;
    int64_t p;                    /* -1: nodes x ppn */
    int64_t from_bytes, to_bytes; /* -1: no bound */
    int commutative, exact;       /* 0, 1; -1: any */
    double us, native_us;         /* -1: not known, as the next */
    int64_t samples;
};

/* What a parser fills. */
struct allfold_table_draft {
    struct allfold_table_head head;
    struct allfold_table_row *rows;
    uint32_t count, capacity;
    /* Takes the next row; on an error `message` says what is wrong with it. */
    enum allfold_error (*take)(struct allfold_table_draft *draft,
                               const struct allfold_table_words *words, char *message,
                               size_t message_bytes);
};

/* Reads a file into a draft. ALLFOLD_BAD_INPUT with `message`: where in the file, what was found,
 * and what is expected; ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_table_parse(const char *path, struct allfold_table_draft *draft,
                                       char *message, size_t message_bytes);

/* Reads a table by a parser: allfold_table_parse, or that of the module. All or nothing:
 * ALLFOLD_BAD_INPUT with `message`, which begins with the path, and *table NULL. Freed with
 * allfold_table_free. */
enum allfold_error
allfold_table_read(const char *path,
                   enum allfold_error (*parse)(const char *path, struct allfold_table_draft *draft,
                                               char *message, size_t message_bytes),
                   struct allfold_table **table, char *message, size_t message_bytes);

/* Writes a table, one row a line, so that the same is chosen by what is read back; times keep
 * six digits. The file at `path` is there whole or as it was before. ALLFOLD_BAD_INPUT with
 * `message` where it cannot be written; ALLFOLD_NO_MEMORY. Needs jansson, as allfold_table_parse.
 */
enum allfold_error allfold_table_write(const struct allfold_table *table, const char *path,
                                       char *message, size_t message_bytes);

#endif
