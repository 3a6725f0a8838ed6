/* Tables (see table.h).
 *
 * Rows are sorted by collective, ranks, nodes, ranks of a node, conditions (arrangements and
 * properties of the operation), bytes. Rows with the same keys but for their bytes are a run; those
 * of a shape have 36 different conditions at most, and seldom more than a few. */
#include "select/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/hash.h"
#include "util/sizes.h"

static int compare_numbers(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Collective, p, nodes and ppn as one number of two words. */
struct shape {
    uint64_t high, low;
};

static struct shape shape_of(enum allfold_collective collective, int p, int nodes, int ppn)
{
    return (struct shape){(uint64_t)collective << 32 | (uint32_t)p,
                          (uint64_t)(uint32_t)nodes << 32 | (uint32_t)ppn};
}

static struct shape row_shape(const struct allfold_table_row *row)
{
    return shape_of(row->collective, row->p, row->nodes, row->ppn);
}

static int compare_shapes(struct shape a, struct shape b)
{
    return a.high != b.high ? compare_numbers(a.high, b.high) : compare_numbers(a.low, b.low);
}

static unsigned conditions(const struct allfold_table_row *row)
{
    return row->arrangements << 4 | row->commutative << 2 | row->exact;
}

static int compare_rows(const void *left, const void *right)
{
    const struct allfold_table_row *a = left, *b = right;
    const int shapes = compare_shapes(row_shape(a), row_shape(b));
    if (shapes != 0)
        return shapes;
    if (conditions(a) != conditions(b))
        return compare_numbers(conditions(a), conditions(b));
    if (a->from_bytes != b->from_bytes)
        return compare_numbers(a->from_bytes, b->from_bytes);
    return compare_numbers(a->number, b->number);
}

static bool are_one_shape(const struct allfold_table_row *a, const struct allfold_table_row *b)
{
    return compare_shapes(row_shape(a), row_shape(b)) == 0;
}

static void mark_runs(struct allfold_table *table)
{
    for (uint32_t i = table->count; i-- > 0;) {
        struct allfold_table_row *row = &table->rows[i], *next = row + 1;
        const bool goes_on =
            i + 1 < table->count && are_one_shape(row, next) && conditions(row) == conditions(next);
        row->run_end = goes_on ? next->run_end : i + 1;
    }
}

static enum allfold_error refuse_overlap(const struct allfold_table_row *a,
                                         const struct allfold_table_row *b, char *message,
                                         size_t message_bytes)
{
    const struct allfold_table_row *first = a->number < b->number ? a : b;
    char bytes[32];
    allfold_size_write_exact(a->from_bytes > b->from_bytes ? a->from_bytes : b->from_bytes, bytes,
                             sizeof bytes);
    snprintf(
        message, message_bytes,
        "rows %u and %u overlap: both hold for %s of %s bytes on %d ranks of %d nodes; expected "
        "one row at most for a call",
        first->number, (first == a ? b : a)->number, allfold_collective_name(a->collective), bytes,
        a->p, a->nodes);
    return ALLFOLD_BAD_INPUT;
}

/* Of two runs, both sorted by bytes; they may be the same one. */
static enum allfold_error check_runs(const struct allfold_table *table, uint32_t i, uint32_t j,
                                     char *message, size_t message_bytes)
{
    const struct allfold_table_row *const rows = table->rows;
    const uint32_t i_end = rows[i].run_end, j_end = rows[j].run_end;
    for (j += i == j; i < i_end && j < j_end;) {
        if (rows[i].from_bytes < rows[j].to_bytes && rows[j].from_bytes < rows[i].to_bytes)
            return refuse_overlap(&rows[i], &rows[j], message, message_bytes);
        if (rows[i].to_bytes <= rows[j].from_bytes)
            i++;
        else
            j++;
        j += i == j;
    }
    return ALLFOLD_OK;
}

static bool meet(const struct allfold_table_row *a, const struct allfold_table_row *b)
{
    return (a->arrangements & b->arrangements) != 0 && (a->commutative & b->commutative) != 0 &&
           (a->exact & b->exact) != 0;
}

static enum allfold_error check_overlaps(const struct allfold_table *table, char *message,
                                         size_t message_bytes)
{
    const struct allfold_table_row *const rows = table->rows;
    enum allfold_error error = ALLFOLD_OK;
    for (uint32_t i = 0; i < table->count && error == ALLFOLD_OK; i = rows[i].run_end)
        for (uint32_t j = i; j < table->count && error == ALLFOLD_OK; j = rows[j].run_end) {
            if (!are_one_shape(&rows[i], &rows[j]))
                break;
            if (meet(&rows[i], &rows[j]))
                error = check_runs(table, i, j, message, message_bytes);
        }
    return error;
}

/* Only what counts is copied, as the fingerprint goes over all bytes. */
static void copy_rows(struct allfold_table *table, const struct allfold_table_row *rows)
{
    for (uint32_t i = 0; i < table->count; i++) {
        table->rows[i] = rows[i];
        if (rows[i].number == 0)
            table->rows[i].number = i + 1;
    }
    qsort(table->rows, table->count, sizeof *table->rows, compare_rows);
    mark_runs(table);
}

static struct allfold_table *allocate(const struct allfold_table_head *head,
                                      const struct allfold_cost_model *costs, uint32_t count)
{
    struct allfold_table *table =
        allfold_allocate(sizeof *table + (size_t)count * sizeof *table->rows);
    if (table == NULL)
        return NULL;
    table->head = *head;
    table->has_costs = costs != NULL;
    table->costs = costs == NULL ? allfold_preset_costs : *costs;
    table->count = count;
    return table;
}

enum allfold_error allfold_table_make(const struct allfold_table_head *head,
                                      const struct allfold_cost_model *costs,
                                      const struct allfold_table_row *rows, uint32_t count,
                                      struct allfold_table **table, char *message,
                                      size_t message_bytes)
{
    enum allfold_error error = ALLFOLD_OK;
    char what[600] = "";
    *table = NULL;
    if (costs != NULL)
        error = allfold_table_check_costs(costs, message, message_bytes);
    for (uint32_t i = 0; i < count && error == ALLFOLD_OK; i++) {
        error = allfold_table_check_row(&rows[i], what, sizeof what);
        if (error != ALLFOLD_OK)
            snprintf(message, message_bytes, "row %u: %s",
                     rows[i].number == 0 ? i + 1 : rows[i].number, what);
    }
    if (error != ALLFOLD_OK)
        return error;
    struct allfold_table *made = allocate(head, costs, count);
    if (made == NULL) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    copy_rows(made, rows);
    error = check_overlaps(made, message, message_bytes);
    if (error == ALLFOLD_OK)
        *table = made;
    else
        allfold_table_free(made);
    return error;
}

void allfold_table_free(struct allfold_table *table)
{
    allfold_free(table);
}

struct allfold_table_key allfold_table_key_of(const struct allfold_problem *problem)
{
    const struct allfold_nodes *nodes = problem->nodes;
    const int p = problem->group.size;
    const enum allfold_arrangement arrangement =
        nodes == NULL ? ALLFOLD_IN_BLOCKS : nodes->arrangement;
    return (struct allfold_table_key){.collective = problem->collective,
                                      .nodes = nodes != NULL ? nodes->count : problem->one_node,
                                      .ppn = nodes != NULL ? nodes->most : p,
                                      .p = p,
                                      .arrangements = allfold_only(arrangement),
                                      .commutative = allfold_only(problem->commutative),
                                      .exact = allfold_only(problem->exact),
                                      .bytes =
                                          allfold_problem_length(problem) * problem->element_bytes};
}

/* The first row of the shape, or where it would be. */
static uint32_t first_of(const struct allfold_table *table, struct shape shape)
{
    uint32_t begin = 0, end = table->count;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (compare_shapes(row_shape(&table->rows[middle]), shape) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* The last row of a run that begins at or before so many bytes; its end where there is none. */
static uint32_t last_from(const struct allfold_table *table, uint32_t run, size_t bytes)
{
    const uint32_t run_end = table->rows[run].run_end;
    uint32_t begin = run, end = run_end;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (table->rows[middle].from_bytes <= bytes)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin == run ? run_end : begin - 1;
}

const struct allfold_table_row *allfold_table_find(const struct allfold_table *table,
                                                   const struct allfold_table_key *key)
{
    const struct shape shape = shape_of(key->collective, key->p, key->nodes, key->ppn);
    const struct allfold_table_row *const rows = table->rows;
    for (uint32_t i = first_of(table, shape);
         i < table->count && compare_shapes(row_shape(&rows[i]), shape) == 0; i = rows[i].run_end) {
        if ((rows[i].arrangements & key->arrangements) == 0 ||
            (rows[i].commutative & key->commutative) == 0 || (rows[i].exact & key->exact) == 0)
            continue;
        const uint32_t last = last_from(table, i, key->bytes);
        if (last < rows[i].run_end && key->bytes < rows[last].to_bytes)
            return &rows[last];
    }
    return NULL;
}

bool allfold_table_has_rows(const struct allfold_table *table, const struct allfold_table_key *key)
{
    const struct shape shape = shape_of(key->collective, key->p, key->nodes, key->ppn);
    const uint32_t first = first_of(table, shape);
    return first < table->count && compare_shapes(row_shape(&table->rows[first]), shape) == 0;
}

const char *allfold_table_unmet(const struct allfold_table_row *row,
                                const struct allfold_problem *problem)
{
    if (row->algorithm == NULL)
        return NULL;
    if (!row->algorithm->consistent && !problem->exact)
        return "an operation whose results are exact, as its ranks bracket differently";
    return allfold_unmet_need(row->algorithm, problem, &row->parameters);
}

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    return allfold_hash(hash, &number, sizeof number);
}

static uint64_t hash_row(uint64_t hash, const struct allfold_table_row *row)
{
    const struct shape shape = row_shape(row);
    const char *name = row->algorithm == NULL ? "native" : row->algorithm->name;
    hash = hash_number(hash_number(hash, shape.high), shape.low);
    hash = hash_number(hash_number(hash, conditions(row)), row->from_bytes);
    hash = hash_number(hash, row->to_bytes);
    hash = allfold_hash(hash, name, strlen(name) + 1);
    return allfold_hash(hash, row->parameters.value, sizeof row->parameters.value);
}

uint64_t allfold_table_fingerprint(const struct allfold_table *table)
{
    uint64_t hash = allfold_hash_of_nothing;
    if (table == NULL)
        return 0;
    hash = allfold_hash(hash, &table->costs, sizeof table->costs);
    hash = hash_number(hash, table->has_costs);
    for (uint32_t i = 0; i < table->count; i++)
        hash = hash_row(hash, &table->rows[i]);
    return hash;
}
