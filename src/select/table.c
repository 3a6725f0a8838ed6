/* Tables (see table.h).
 *
 * Rows are sorted by collective, ranks, nodes, ranks per node, conditions (arrangements and
 * properties of the operation) and bytes. Rows with the same key except for the bytes are a run. A
 * shape has at most 36 different conditions, and rarely more than a few. */
#include "select/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/memory.h"
#include "util/quantity.h"

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

static struct allfold_table *allocate(const struct allfold_table_head *head, uint32_t count)
{
    struct allfold_table *table =
        allfold_allocate(sizeof *table + (size_t)count * sizeof *table->rows);
    if (table == NULL)
        return NULL;
    table->head = *head;
    table->count = count;
    return table;
}

/* Returns whether the rows are sorted, and each run ends before the next one starts. Only for
 * asserts. */
static inline bool is_in_order(const struct allfold_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct allfold_table_row *row = &table->rows[i];
        if (row->run_end <= i || row->run_end > table->count)
            return false;
        if (i + 1 < table->count && compare_rows(row, row + 1) > 0)
            return false;
        if (i + 1 < row->run_end && row[1].run_end != row->run_end)
            return false;
    }
    return true;
}

enum allfold_error allfold_table_make(const struct allfold_table_head *head,
                                      const struct allfold_table_row *rows, uint32_t count,
                                      struct allfold_table **table, char *message,
                                      size_t message_bytes)
{
    enum allfold_error error = ALLFOLD_OK;
    char what[600] = "";
    *table = NULL;
    for (uint32_t i = 0; i < count && error == ALLFOLD_OK; i++) {
        error = allfold_table_check_row(&rows[i], what, sizeof what);
        if (error != ALLFOLD_OK)
            snprintf(message, message_bytes, "row %u: %s",
                     rows[i].number == 0 ? i + 1 : rows[i].number, what);
    }
    if (error != ALLFOLD_OK)
        return error;
    struct allfold_table *made = allocate(head, count);
    if (made == NULL) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    copy_rows(made, rows);
    assert(is_in_order(made));
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
    const struct allfold_nodes *nodes = problem->one_node ? NULL : problem->nodes; /* no sockets */
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

/* Returns the index of the shape's first row, or the index where it would be inserted. */
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

/* Returns the last row of a run with from_bytes <= bytes; the end of the run if there is none. */
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

static inline bool is_single(unsigned set)
{
    return set != 0 && (set & (set - 1)) == 0;
}

const struct allfold_table_row *allfold_table_find(const struct allfold_table *table,
                                                   const struct allfold_table_key *key)
{
    assert(is_single(key->arrangements) && is_single(key->commutative) && is_single(key->exact));
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
    if (row->algorithm != NULL && !row->algorithm->consistent && !problem->exact)
        return "an operation whose results are exact, as its ranks bracket differently";
    return allfold_unmet_by_choice(row->algorithm, problem, &row->parameters);
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
    for (uint32_t i = 0; i < table->count; i++)
        hash = hash_row(hash, &table->rows[i]);
    return hash;
}

/* --- what a row may be ------------------------------------------------------------------------ */

const char *allfold_arrangement_name(enum allfold_arrangement arrangement)
{
    static const char *const names[] = {
        [ALLFOLD_IN_BLOCKS] = "block",
        [ALLFOLD_CYCLIC] = "cyclic",
        [ALLFOLD_IRREGULAR] = "irregular",
    };
    return arrangement <= ALLFOLD_IRREGULAR ? names[arrangement] : NULL;
}

struct checking {
    const struct allfold_table_row *row;
    char *message;
    size_t message_bytes;
};

static enum allfold_error __attribute__((format(printf, 2, 3)))
refuse(const struct checking *checking, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(checking->message, checking->message_bytes, format, arguments);
    va_end(arguments);
    return ALLFOLD_BAD_INPUT;
}

static enum allfold_error check_shape(const struct checking *checking)
{
    const struct allfold_table_row *row = checking->row;
    if (row->nodes < 1 || row->nodes > ALLFOLD_TABLE_MOST_RANKS)
        return refuse(checking, "\"nodes\" is %d; expected 1 to %d", row->nodes,
                      ALLFOLD_TABLE_MOST_RANKS);
    if (row->ppn < 1 || row->ppn > ALLFOLD_TABLE_MOST_RANKS / row->nodes)
        return refuse(checking, "\"ppn\" is %d; expected 1 to %d on %d nodes", row->ppn,
                      ALLFOLD_TABLE_MOST_RANKS / row->nodes, row->nodes);
    const int least = row->nodes + row->ppn - 1, most = row->nodes * row->ppn;
    if (row->p < least || row->p > most)
        return refuse(checking,
                      "\"p\" is %d; expected %d to %d ranks on %d nodes, of which the fullest "
                      "has %d",
                      row->p, least, most, row->nodes, row->ppn);
    return ALLFOLD_OK;
}

static bool is_one_or_all(unsigned set, unsigned all)
{
    return set == all || (set != 0 && set < all && (set & (set - 1)) == 0);
}

/* What can never be: a row that no call could meet says something else than was meant. */
static enum allfold_error check_conditions(const struct checking *checking)
{
    const struct allfold_table_row *row = checking->row;
    const unsigned truth = allfold_only(true);
    if (!is_one_or_all(row->arrangements, ALLFOLD_ANY_ARRANGEMENT) ||
        !is_one_or_all(row->commutative, ALLFOLD_ANY_TRUTH) ||
        !is_one_or_all(row->exact, ALLFOLD_ANY_TRUTH))
        return refuse(checking, "expected one placement or any, and operations of one kind or any");
    if ((row->nodes == 1 || row->ppn == 1) &&
        (row->arrangements & allfold_only(ALLFOLD_IN_BLOCKS)) == 0)
        return refuse(checking,
                      "\"placement\" is not block, but ranks on %d nodes with %d at most on each "
                      "always are",
                      row->nodes, row->ppn);
    if (!allfold_has_operation(row->collective) &&
        ((row->commutative & truth) == 0 || (row->exact & truth) == 0))
        return refuse(checking,
                      "\"%s\" is false, but %s has no operation, for which that is always true",
                      (row->commutative & truth) == 0 ? "commutative" : "exact",
                      allfold_collective_name(row->collective));
    return ALLFOLD_OK;
}

static enum allfold_error check_bytes(const struct checking *checking)
{
    const struct allfold_table_row *row = checking->row;
    if (row->from_bytes >= row->to_bytes || row->from_bytes > INT64_MAX)
        return refuse(checking,
                      "\"from_bytes\" is %zu, \"to_bytes\" %zu; expected from less to more",
                      row->from_bytes, row->to_bytes);
    return ALLFOLD_OK;
}

/* Of the algorithm and of those that they name. */
static enum allfold_error check_parameters(const struct checking *checking,
                                           const struct allfold_algorithm *algorithm,
                                           const struct allfold_parameters *parameters)
{
    enum allfold_error error = ALLFOLD_OK;
    for (int i = 0; error == ALLFOLD_OK && algorithm->parameters[i].name != NULL; i++) {
        const struct allfold_parameter *parameter = &algorithm->parameters[i];
        if (!allfold_parameter_takes(parameter, parameters->value[i]))
            return refuse(checking, "\"algorithm\": %s of %s is %zu; expected %zu to %zu",
                          parameter->name, algorithm->name, parameters->value[i],
                          parameter->minimum, parameter->maximum);
        if (parameter->inner != NULL) {
            const struct allfold_named inner = allfold_named(parameters, i);
            error = check_parameters(checking, inner.algorithm, &inner.parameters);
        }
    }
    return error;
}

static enum allfold_error check_algorithm(const struct checking *checking)
{
    const struct allfold_table_row *row = checking->row;
    const struct allfold_algorithm *algorithm = row->algorithm;
    if (algorithm == NULL)
        return ALLFOLD_OK;
    if (algorithm->collective != row->collective)
        return refuse(checking, "\"algorithm\" is %s for %s; expected one for %s", algorithm->name,
                      allfold_collective_name(algorithm->collective),
                      allfold_collective_name(row->collective));
    const enum allfold_error error = check_parameters(checking, algorithm, &row->parameters);
    if (error != ALLFOLD_OK)
        return error;
    if (!allfold_is_ordered(algorithm) && row->commutative == allfold_only(false))
        return refuse(checking,
                      "\"algorithm\" is %s, which needs a commutative operation, but "
                      "\"commutative\" is false",
                      algorithm->name);
    return ALLFOLD_OK;
}

static enum allfold_error check_time(const struct checking *checking, const char *name, double us)
{
    static const double longest_us = 1e12;
    if (us >= 0 && us <= longest_us)
        return ALLFOLD_OK;
    return refuse(checking, "\"%s\" is %g; expected 0 to %g microseconds", name, us, longest_us);
}

enum allfold_error allfold_table_check_row(const struct allfold_table_row *row, char *message,
                                           size_t message_bytes)
{
    const struct checking checking = {
        .row = row, .message = message, .message_bytes = message_bytes};
    static enum allfold_error (*const checks[])(const struct checking *) = {
        check_shape, check_conditions, check_bytes, check_algorithm};
    if (row->collective >= ALLFOLD_COLLECTIVE_COUNT)
        return refuse(&checking, "\"collective\" is number %u; expected less than %d",
                      (unsigned)row->collective, ALLFOLD_COLLECTIVE_COUNT);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        const enum allfold_error error = checks[i](&checking);
        if (error != ALLFOLD_OK)
            return error;
    }
    if (check_time(&checking, "us", row->us) != ALLFOLD_OK)
        return ALLFOLD_BAD_INPUT;
    return check_time(&checking, "native_us", row->native_us);
}

/* --- one table over another ------------------------------------------------------------------- */

/* A row is a box: a range of bytes times sets of arrangements, of commutativity and of exactness.
 * What is left of an older row is its box without those of the newer rows. To each newer box it
 * loses what they have in common, and falls into the parts beside that. */
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
    assert(overlap(&row, taken));
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

/* Was it made by simulation, of no MPI? */
static bool is_simulated(const struct allfold_table *table)
{
    static const char word[] = "simulated";
    return strncmp(table->head.mpi, word, sizeof word - 1) == 0;
}

enum allfold_error allfold_table_merge(const struct allfold_table *older,
                                       const struct allfold_table *newer,
                                       struct allfold_table **merged, char *message,
                                       size_t message_bytes)
{
    struct rows list = {NULL};
    *merged = NULL;
    if (!is_simulated(older) && strcmp(older->head.mpi, newer->head.mpi) != 0) {
        snprintf(message, message_bytes,
                 "one table is of \"%.80s\", the other of \"%.80s\"; expected tables of one MPI",
                 older->head.mpi, newer->head.mpi);
        return ALLFOLD_BAD_INPUT;
    }
    for (uint32_t i = 0; i < older->count && !list.is_short; i++)
        add_left(&list, &older->rows[i], newer);
    for (uint32_t i = 0; i < newer->count && !list.is_short; i++)
        add(&list, &newer->rows[i]);
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    if (!list.is_short)
        error =
            allfold_table_make(&newer->head, list.rows, list.count, merged, message, message_bytes);
    else
        snprintf(message, message_bytes, "no memory");
    allfold_free(list.rows);
    return error;
}
