/* Tables: which algorithm to use on which nodes, for which sizes and operations, as measured,
 * simulated or written by a user. The page docs/tables.md describes their files.
 *
 * A row is for one collective on one shape (nodes, ranks on the fullest node, ranks in all). It
 * matches vectors of [from_bytes, to_bytes) bytes, and the arrangements and properties of the
 * operation that it names. At most one row of a table matches a call, so the order of the rows has
 * no meaning. For shapes and sizes that no row matches, the table has no choice. A table is
 * immutable. Thread-safe. */
#ifndef ALLFOLD_SELECT_TABLE_H
#define ALLFOLD_SELECT_TABLE_H

#include "algorithms/costs.h"

enum {
    ALLFOLD_TABLE_TEXT_BYTES = 256,
    ALLFOLD_TABLE_MOST_ROWS = 1 << 16,
    ALLFOLD_TABLE_MOST_RANKS = 1 << 24,
};

/* Sets, of which a row has one member or all. Bit 1 << arrangement; bit 1 << bool. */
enum { ALLFOLD_ANY_ARRANGEMENT = 7, ALLFOLD_ANY_TRUTH = 3 };

/* Returns the set with one member. */
static inline unsigned allfold_only(unsigned member)
{
    return 1u << member;
}

/* A row. */
struct allfold_table_row {
    uint32_t number; /* in its file, from 1 */
    enum allfold_collective collective;
    int nodes;
    int ppn;               /* ranks on the fullest node (ppn: processes per node) */
    int p;                 /* ranks in all: at most nodes x ppn */
    unsigned arrangements; /* set of enum allfold_arrangement */
    unsigned commutative;  /* set of bools, as `exact` */
    unsigned exact;
    size_t from_bytes, to_bytes;               /* of the whole vector; SIZE_MAX: unlimited */
    const struct allfold_algorithm *algorithm; /* NULL: native */
    struct allfold_parameters parameters;
    /* Time of a call in microseconds, Allfold's and the MPI library's; 0: unknown. */
    double us, native_us;
    uint32_t samples; /* number of measurements; 0: unknown */
    /* Set by allfold_table_make: the index after the last row with the same key. */
    uint32_t run_end;
};

/* The origin of a table; "" if it is unknown. allfold_table_merge compares `mpi`; the other texts
 * are only shown. */
struct allfold_table_head {
    char created[ALLFOLD_TABLE_TEXT_BYTES]; /* 2026-11-21T20:15:00Z */
    char host[ALLFOLD_TABLE_TEXT_BYTES];
    char processor[ALLFOLD_TABLE_TEXT_BYTES];
    char mpi[ALLFOLD_TABLE_TEXT_BYTES]; /* "Open MPI 4.1.4"; starts with "simulated" if the table
                                           was simulated */
    char allfold[ALLFOLD_TABLE_TEXT_BYTES];
};

/* A table. */
struct allfold_table {
    struct allfold_table_head head;
    uint32_t count;
    struct allfold_table_row rows[]; /* sorted, see table.c */
};

/* The key of a row: the properties of a call that a row must match. */
struct allfold_table_key {
    enum allfold_collective collective;
    int nodes, ppn, p;
    unsigned arrangements, commutative, exact; /* sets of one member each */
    size_t bytes;
};

/* Returns the key of a problem. If the placement of its ranks is unknown, `nodes` is 0, so that no
 * row matches. */
struct allfold_table_key allfold_table_key_of(const struct allfold_problem *problem);

/* Returns the name of an arrangement in tables: "block", "cyclic", "irregular". */
const char *allfold_arrangement_name(enum allfold_arrangement arrangement);

/* Makes a table from a copy of rows in any order. A row with number 0 gets its position, starting
 * at 1. Returns ALLFOLD_BAD_INPUT if a row is wrong or two rows match the same call; then `message`
 * says what is wrong. Returns ALLFOLD_NO_MEMORY if out of memory. On an error, *table is NULL. The
 * caller frees the table with allfold_table_free. */
enum allfold_error allfold_table_make(const struct allfold_table_head *head,
                                      const struct allfold_table_row *rows, uint32_t count,
                                      struct allfold_table **table, char *message,
                                      size_t message_bytes);

/* Frees a table. NULL is allowed. */
void allfold_table_free(struct allfold_table *table);

/* Checks one row. Returns ALLFOLD_BAD_INPUT if it is wrong; then `message` names the member. */
enum allfold_error allfold_table_check_row(const struct allfold_table_row *row, char *message,
                                           size_t message_bytes);

/* Returns the row that matches, or NULL. */
const struct allfold_table_row *allfold_table_find(const struct allfold_table *table,
                                                   const struct allfold_table_key *key);

/* Returns whether the table has a row for the collective, the nodes and the ranks of the key,
 * whatever the rest of the key. */
bool allfold_table_has_rows(const struct allfold_table *table, const struct allfold_table_key *key);

/* Returns the reason why the row's algorithm cannot handle a problem that the row matches, for
 * messages; NULL if it can. Besides its needs, an algorithm whose results may differ between ranks
 * is never chosen by a table. */
const char *allfold_table_unmet(const struct allfold_table_row *row,
                                const struct allfold_problem *problem);

/* Returns a hash of what a table chooses, so that ranks can compare their tables; 0 for NULL. */
uint64_t allfold_table_fingerprint(const struct allfold_table *table);

/* Merges two tables. If rows of both match the same call, the newer row is used, and the older row
 * remains for the other calls that it matches. The head is that of `newer`. Returns
 * ALLFOLD_BAD_INPUT if the tables are from different MPI libraries, because their times are not
 * comparable, unless `older` is simulated. Rows get new numbers. Otherwise as allfold_table_make.
 */
enum allfold_error allfold_table_merge(const struct allfold_table *older,
                                       const struct allfold_table *newer,
                                       struct allfold_table **merged, char *message,
                                       size_t message_bytes);

#endif
