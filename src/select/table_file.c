/* Checks the values of a table file, and makes the table (see table_file.h). */
#include "select/table_file.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "util/memory.h"
#include "select/rules.h"

static enum allfold_error take_collective(const struct allfold_table_words *words,
                                          struct allfold_table_row *row, char *message,
                                          size_t message_bytes)
{
    int at = 0;
    row->collective = allfold_collective_find(words->collective);
    if (row->collective < ALLFOLD_COLLECTIVE_COUNT)
        return ALLFOLD_OK;
    at = snprintf(message, message_bytes,
                  "\"collective\" is \"%.40s\"; expected one of:", words->collective);
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT && at >= 0 && (size_t)at < message_bytes; i++)
        at += snprintf(message + at, message_bytes - (size_t)at, "%s %s", i == 0 ? "" : ",",
                       allfold_collective_name((enum allfold_collective)i));
    return ALLFOLD_BAD_INPUT;
}

static enum allfold_error take_placement(const struct allfold_table_words *words,
                                         struct allfold_table_row *row, char *message,
                                         size_t message_bytes)
{
    row->arrangements = words->placement == NULL ? ALLFOLD_ANY_ARRANGEMENT : 0;
    for (unsigned i = 0; i <= ALLFOLD_IRREGULAR && words->placement != NULL; i++)
        if (strcmp(words->placement, allfold_arrangement_name((enum allfold_arrangement)i)) == 0)
            row->arrangements = allfold_only(i);
    if (row->arrangements != 0)
        return ALLFOLD_OK;
    snprintf(message, message_bytes,
             "\"placement\" is \"%.40s\"; expected block, cyclic, irregular, or to be left out",
             words->placement);
    return ALLFOLD_BAD_INPUT;
}

/* Returns a whole number of the file as an int if it fits, otherwise a value that no check accepts.
 */
static int narrow(int64_t number)
{
    return number < 0 || number > INT_MAX ? -1 : (int)number;
}

static enum allfold_error take_ranks(const struct allfold_table_words *words,
                                     struct allfold_table_row *row, char *message,
                                     size_t message_bytes)
{
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"nodes", words->nodes}, {"ppn", words->ppn}, {"p", words->p}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (narrow(numbers[i].value) < 1 && (i < 2 || numbers[i].value != -1)) {
            snprintf(message, message_bytes, "\"%s\" is %lld; expected 1 to %d", numbers[i].name,
                     (long long)numbers[i].value, ALLFOLD_TABLE_MOST_RANKS);
            return ALLFOLD_BAD_INPUT;
        }
    row->nodes = narrow(words->nodes);
    row->ppn = narrow(words->ppn);
    row->p = narrow(words->p == -1 ? words->nodes * words->ppn : words->p);
    return ALLFOLD_OK;
}

static unsigned truths(int truth)
{
    return truth < 0 ? ALLFOLD_ANY_TRUTH : allfold_only(truth != 0);
}

static void take_conditions(const struct allfold_table_words *words, struct allfold_table_row *row)
{
    row->commutative = truths(words->commutative);
    row->exact = truths(words->exact);
    row->from_bytes = words->from_bytes < 0 ? 0 : (size_t)words->from_bytes;
    row->to_bytes = words->to_bytes < 0 ? SIZE_MAX : (size_t)words->to_bytes;
    row->us = words->us < 0 ? 0 : words->us;
    row->native_us = words->native_us < 0 ? 0 : words->native_us;
}

static enum allfold_error take_algorithm(const struct allfold_table_words *words,
                                         struct allfold_table_row *row, char *message,
                                         size_t message_bytes)
{
    char what[700] = "";
    const enum allfold_error error = allfold_algorithm_read(
        row->collective, words->algorithm, &row->algorithm, &row->parameters, what, sizeof what);
    if (error != ALLFOLD_OK)
        snprintf(message, message_bytes, "\"algorithm\": %s", what);
    return error;
}

static enum allfold_error take_samples(const struct allfold_table_words *words,
                                       struct allfold_table_row *row, char *message,
                                       size_t message_bytes)
{
    if (words->samples > UINT32_MAX) {
        snprintf(message, message_bytes, "\"samples\" is %lld; expected 0 to %u",
                 (long long)words->samples, UINT32_MAX);
        return ALLFOLD_BAD_INPUT;
    }
    row->samples = words->samples < 0 ? 0 : (uint32_t)words->samples;
    return ALLFOLD_OK;
}

static enum allfold_error take(struct allfold_table_draft *draft,
                               const struct allfold_table_words *words, char *message,
                               size_t message_bytes)
{
    static enum allfold_error (*const takes[])(const struct allfold_table_words *,
                                               struct allfold_table_row *, char *, size_t) = {
        take_collective, take_placement, take_ranks, take_algorithm, take_samples};
    struct allfold_table_row row = {.number = draft->count + 1};
    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
        const enum allfold_error error = takes[i](words, &row, message, message_bytes);
        if (error != ALLFOLD_OK)
            return error;
    }
    take_conditions(words, &row);
    if (draft->count == ALLFOLD_TABLE_MOST_ROWS) {
        snprintf(message, message_bytes, "expected %d rows at most", ALLFOLD_TABLE_MOST_ROWS);
        return ALLFOLD_BAD_INPUT;
    }
    void *rows = allfold_make_room(draft->rows, draft->count, &draft->capacity, sizeof row);
    if (rows == NULL) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    draft->rows = rows;
    draft->rows[draft->count++] = row;
    return ALLFOLD_OK;
}

/* Texts of a file get into messages, and these onto terminals. */
static void make_printable(char *message)
{
    for (; *message != '\0'; message++)
        if (iscntrl((unsigned char)*message))
            *message = '?';
}

enum allfold_error
allfold_table_read(const char *path,
                   enum allfold_error (*parse)(const char *path, struct allfold_table_draft *draft,
                                               char *message, size_t message_bytes),
                   struct allfold_table **table, char *message, size_t message_bytes)
{
    struct allfold_table_draft draft = {.take = take};
    char what[800] = "";
    *table = NULL;
    enum allfold_error error = parse(path, &draft, what, sizeof what);
    if (error == ALLFOLD_OK)
        error = allfold_table_make(&draft.head, draft.rows, draft.count, table, what, sizeof what);
    if (error != ALLFOLD_OK && message_bytes > 0) {
        snprintf(message, message_bytes, "%.300s: %s", path, what);
        make_printable(message);
    }
    allfold_free(draft.rows);
    return error;
}
