/* One table over another (see table.h).
 *
 * A row is a box: a range of bytes times sets of arrangements, of commutativity and of exactness.
 * What is left of an older row is that box without those of the newer rows: of each it loses what
 * they have in common, and falls into the parts beside that. */
#include "select/table.h"

#include <stdio.h>
#include <string.h>

#include "util/memory.h"

struct rows {
    struct allfold_table_row *rows;
    uint32_t count, capacity;
    bool is_short; /* of memory */
};

static void add(struct rows *list, const struct allfold_table_row *row)
{
    void *rows = allfold_make_room(list->rows, list->count, &list->capacity, sizeof *row);
    if (rows == NULL) {
        list->is_short = true;
        return;
    }
    list->rows = rows;
    list->rows[list->count] = *row;
    list->rows[list->count++].number = 0;
}

static bool overlap(const struct allfold_table_row *a, const struct allfold_table_row *b)
{
    return a->collective == b->collective && a->nodes == b->nodes && a->ppn == b->ppn &&
           a->p == b->p && (a->arrangements & b->arrangements) != 0 &&
           (a->commutative & b->commutative) != 0 && (a->exact & b->exact) != 0 &&
           a->from_bytes < b->to_bytes && b->from_bytes < a->to_bytes;
}

/* The parts of `row` for each member of `set` that `taken` has not: as rows have one or all. */
static void add_others(struct rows *list, struct allfold_table_row *row, unsigned *set,
                       unsigned taken)
{
    const unsigned all = *set;
    for (unsigned member = 1; member <= all; member <<= 1)
        if (all & member & ~taken) {
            *set = member;
            add(list, row);
        }
    *set = all & taken;
}

/* Adds what is left of `row` without `taken`, which it overlaps. */
static void subtract(struct rows *list, struct allfold_table_row row,
                     const struct allfold_table_row *taken)
{
    struct allfold_table_row part = row;
    part.to_bytes = taken->from_bytes;
    if (part.from_bytes < part.to_bytes)
        add(list, &part);
    part = row;
    part.from_bytes = taken->to_bytes;
    if (part.from_bytes < part.to_bytes)
        add(list, &part);
    row.from_bytes = row.from_bytes > taken->from_bytes ? row.from_bytes : taken->from_bytes;
    row.to_bytes = row.to_bytes < taken->to_bytes ? row.to_bytes : taken->to_bytes;
    add_others(list, &row, &row.arrangements, taken->arrangements);
    add_others(list, &row, &row.commutative, taken->commutative);
    add_others(list, &row, &row.exact, taken->exact);
}

/* Adds what is left of a row without those of `newer` from number i on. */
static void add_left(struct rows *list, const struct allfold_table_row *row,
                     const struct allfold_table *newer)
{
    struct rows pending = {NULL}, next;
    add(&pending, row);
    for (uint32_t i = 0; i < newer->count && !pending.is_short; i++) {
        if (!overlap(row, &newer->rows[i]))
            continue;
        next = (struct rows){NULL};
        for (uint32_t j = 0; j < pending.count; j++)
            if (overlap(&pending.rows[j], &newer->rows[i]))
                subtract(&next, pending.rows[j], &newer->rows[i]);
            else
                add(&next, &pending.rows[j]);
        next.is_short |= pending.is_short;
        allfold_free(pending.rows);
        pending = next;
    }
    for (uint32_t j = 0; j < pending.count; j++)
        add(list, &pending.rows[j]);
    list->is_short |= pending.is_short;
    allfold_free(pending.rows);
}

enum allfold_error allfold_table_merge(const struct allfold_table *older,
                                       const struct allfold_table *newer,
                                       struct allfold_table **merged, char *message,
                                       size_t message_bytes)
{
    struct rows list = {NULL};
    *merged = NULL;
    if (strcmp(older->head.mpi, newer->head.mpi) != 0) {
        snprintf(message, message_bytes,
                 "one table is of \"%.80s\", the other of \"%.80s\"; expected tables of one MPI",
                 older->head.mpi, newer->head.mpi);
        return ALLFOLD_BAD_INPUT;
    }
    for (uint32_t i = 0; i < older->count && !list.is_short; i++)
        add_left(&list, &older->rows[i], newer);
    for (uint32_t i = 0; i < newer->count && !list.is_short; i++)
        add(&list, &newer->rows[i]);
    const struct allfold_cost_model *costs = newer->has_costs   ? &newer->costs
                                             : older->has_costs ? &older->costs
                                                                : NULL;
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    if (!list.is_short)
        error = allfold_table_make(&newer->head, costs, list.rows, list.count, merged, message,
                                   message_bytes);
    else
        snprintf(message, message_bytes, "no memory");
    allfold_free(list.rows);
    return error;
}
