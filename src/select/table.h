/* Tables: which algorithm to take on which nodes, for which sizes and operations. It was measured,
 * or a user chose it. The page docs/tables.md describes their files.
 *
 * A row holds for one collective on one shape (nodes, ranks on the fullest node, ranks in all). It
 * holds for vectors of from_bytes and more and less than to_bytes, and for the arrangements and
 * properties of the operation that it names. At most one row of a table holds for a call, so their
 * order means nothing. Nothing is guessed for shapes and sizes that no row holds for. A table is
 * immutable once made. */
#ifndef ALLFOLD_SELECT_TABLE_H
#define ALLFOLD_SELECT_TABLE_H

#include "algorithms/costs.h"

enum {
    ALLFOLD_TABLE_TEXT_BYTES = 256,
    ALLFOLD_TABLE_MOST_ROWS = 1 << 16,
    ALLFOLD_TABLE_MOST_RANKS = 1 << 24,
};

/* Sets, of which a row has one member or all: bit 1 << arrangement; bit 1 << truth. */
enum { ALLFOLD_ANY_ARRANGEMENT = 7, ALLFOLD_ANY_TRUTH = 3 };

static inline unsigned allfold_only(unsigned member)
{
    return 1u << member;
}

struct allfold_table_row {
    uint32_t number; /* in its file, from 1 */
    enum allfold_collective collective;
    int nodes;
    int ppn;               /* ranks on the fullest node */
    int p;                 /* ranks in all: at most nodes x ppn */
    unsigned arrangements; /* set of enum allfold_arrangement */
    unsigned commutative;  /* set of truths, as the next */
    unsigned exact;
    size_t from_bytes, to_bytes;               /* of the whole vector; SIZE_MAX: no bound */
    const struct allfold_algorithm *algorithm; /* NULL: native */
    struct allfold_parameters parameters;
    double us, native_us; /* microseconds of a call, ours and native; 0: not known */
    uint32_t samples;     /* 0: not known */
    uint32_t run_end;     /* set by allfold_table_make: where rows with other keys begin */
};

/* Where a table comes from, for people; "" where that is not known. */
struct allfold_table_head {
    char created[ALLFOLD_TABLE_TEXT_BYTES]; /* 2026-11-21T20:15:00Z */
    char host[ALLFOLD_TABLE_TEXT_BYTES];
    char processor[ALLFOLD_TABLE_TEXT_BYTES];
    char mpi[ALLFOLD_TABLE_TEXT_BYTES]; /* Open MPI 4.1.4 */
    char allfold[ALLFOLD_TABLE_TEXT_BYTES];
};

struct allfold_table {
    struct allfold_table_head head;
    uint32_t count;
    struct allfold_table_row rows[]; /* sorted */
};

/* What a row must hold for. */
struct allfold_table_key {
    enum allfold_collective collective;
    int nodes, ppn, p;
    unsigned arrangements, commutative, exact; /* one member each */
    size_t bytes;
};

/* The key of a problem. Where the placement of its ranks is not known, the problem has no nodes, so
 * no row holds. */
struct allfold_table_key allfold_table_key_of(const struct allfold_problem *problem);

/* "block", "cyclic", "irregular": an arrangement as tables have it. */
const char *allfold_arrangement_name(enum allfold_arrangement arrangement);

/* Makes a table of rows in any order, which it copies. A number of 0 becomes the row's place from
 * 1. ALLFOLD_BAD_INPUT with `message` saying what is wrong with a row,
 * or that two hold for the same call; ALLFOLD_NO_MEMORY. Then *table is NULL. Freed with
 * allfold_table_free. */
enum allfold_error allfold_table_make(const struct allfold_table_head *head,
                                      const struct allfold_table_row *rows, uint32_t count,
                                      struct allfold_table **table, char *message,
                                      size_t message_bytes);
void allfold_table_free(struct allfold_table *table);

/* What is wrong with a row by itself: ALLFOLD_BAD_INPUT with `message`, which names the member. */
enum allfold_error allfold_table_check_row(const struct allfold_table_row *row, char *message,
                                           size_t message_bytes);

/* The row that holds, or NULL. */
const struct allfold_table_row *allfold_table_find(const struct allfold_table *table,
                                                   const struct allfold_table_key *key);

/* Is there any row for the collective on that many nodes and ranks, whatever else is in the key? */
bool allfold_table_has_rows(const struct allfold_table *table, const struct allfold_table_key *key);

/* Why the row's algorithm cannot serve a problem that the row holds for, in words; NULL where it
 * can. Besides its needs, results that could differ between ranks are never a table's choice. */
const char *allfold_table_unmet(const struct allfold_table_row *row,
                                const struct allfold_problem *problem);

/* A number that is alike for tables by which the same is chosen; 0 for NULL. */
uint64_t allfold_table_fingerprint(const struct allfold_table *table);

/* Puts `newer` over `older`: where rows of both would hold, the older one gives way, and stays for
 * what is left of it. The head is the newer's.
 * Tables of different MPIs are refused, as their times have nothing to do with each other, unless
 * the older one is simulated. Rows get new numbers. As allfold_table_make. */
enum allfold_error allfold_table_merge(const struct allfold_table *older,
                                       const struct allfold_table *newer,
                                       struct allfold_table **merged, char *message,
                                       size_t message_bytes);

#endif
