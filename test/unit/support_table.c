/* Tables for tests (see support_table.h). */
#include "support_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "support.h"

enum { BYTES = 64 };

static const struct {
    int nodes, ppn, p;
} shapes[] = {{1, 4, 4}, {4, 1, 4}, {2, 2, 4}, {2, 3, 5}, {2, 3, 6}, {3, 2, 5}};

static const enum allfold_collective collectives[] = {ALLFOLD_ALLREDUCE, ALLFOLD_REDUCE};

static unsigned random_set(uint64_t *seed, uint32_t members, unsigned all)
{
    const uint32_t which = random_below(seed, members + 1);
    return which == members ? all : allfold_only(which);
}

static const struct allfold_algorithm *random_algorithm(uint64_t *seed,
                                                        enum allfold_collective collective)
{
    static const char *const names[] = {"chain", "binomial_tree", "circulant"};
    const uint32_t which = random_below(seed, LENGTH(names) + 1);
    return which == LENGTH(names) ? NULL : allfold_algorithm_find(collective, names[which]);
}

struct allfold_table_row random_row(uint64_t *seed)
{
    const uint32_t shape = random_below(seed, LENGTH(shapes));
    struct allfold_table_row row = {.collective =
                                        collectives[random_below(seed, LENGTH(collectives))],
                                    .nodes = shapes[shape].nodes,
                                    .ppn = shapes[shape].ppn,
                                    .p = shapes[shape].p,
                                    .arrangements = random_set(seed, 3, ALLFOLD_ANY_ARRANGEMENT),
                                    .commutative = random_set(seed, 2, ALLFOLD_ANY_TRUTH),
                                    .exact = random_set(seed, 2, ALLFOLD_ANY_TRUTH),
                                    .from_bytes = random_below(seed, BYTES),
                                    .us = random_below(seed, 100)};
    row.algorithm = random_algorithm(seed, row.collective);
    row.to_bytes = row.from_bytes + 1 + random_below(seed, BYTES / 4);
    if (random_below(seed, 8) == 0)
        row.to_bytes = SIZE_MAX;
    if (row.nodes == 1 || row.ppn == 1)
        row.arrangements = ALLFOLD_ANY_ARRANGEMENT;
    if (row.algorithm != NULL) {
        row.parameters = allfold_parameter_presets(row.algorithm);
        if (row.algorithm->parameters[1].inner != NULL && random_below(seed, 2) == 0) {
            struct allfold_named inner = allfold_named(&row.parameters, 1);
            const unsigned count = allfold_tried_count(inner.algorithm, false);
            inner.parameters = allfold_tried(inner.algorithm, false, random_below(seed, count));
            allfold_name(&row.parameters, 1, &inner);
        }
        if (!allfold_is_ordered(row.algorithm))
            row.commutative = allfold_only(true);
    }
    return row;
}

struct allfold_table_key random_key(uint64_t *seed)
{
    const uint32_t shape = random_below(seed, LENGTH(shapes));
    const bool is_block = shapes[shape].nodes == 1 || shapes[shape].ppn == 1;
    return (struct allfold_table_key){
        .collective = collectives[random_below(seed, LENGTH(collectives))],
        .nodes = shapes[shape].nodes,
        .ppn = shapes[shape].ppn,
        .p = shapes[shape].p,
        .arrangements = allfold_only(is_block ? ALLFOLD_IN_BLOCKS : random_below(seed, 3)),
        .commutative = allfold_only(random_below(seed, 2)),
        .exact = allfold_only(random_below(seed, 2)),
        .bytes = random_below(seed, 2 * BYTES)};
}

bool row_holds(const struct allfold_table_row *row, const struct allfold_table_key *key)
{
    return row->collective == key->collective && row->nodes == key->nodes && row->ppn == key->ppn &&
           row->p == key->p && (row->arrangements & key->arrangements) != 0 &&
           (row->commutative & key->commutative) != 0 && (row->exact & key->exact) != 0 &&
           key->bytes >= row->from_bytes && key->bytes < row->to_bytes;
}

struct allfold_table *random_table(uint64_t *seed, uint32_t rows)
{
    struct allfold_table_head head = {.mpi = "Open MPI 4.1.4", .host = "a \"host\"\\"};
    struct allfold_table_row *list = calloc(rows + 1, sizeof *list);
    struct allfold_table *table = NULL, *larger;
    char message[900] = "";
    uint32_t count = 0;
    if (list == NULL ||
        allfold_table_make(&head, list, 0, &table, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s", message);
    for (uint32_t i = 0; i < rows; i++) {
        list[count] = random_row(seed);
        list[count].number = 0;
        if (allfold_table_make(&head, list, count + 1, &larger, message, sizeof message) !=
            ALLFOLD_OK)
            continue;
        allfold_table_free(table);
        table = larger;
        count++;
    }
    free(list);
    return table;
}

const char *text_in_file(const char *text, size_t bytes)
{
    static char path[100];
    if (path[0] == '\0')
        snprintf(path, sizeof path, "table_%ld.json", (long)getpid());
    if (text == NULL) {
        unlink(path);
        return path;
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
    return path;
}

struct allfold_table *read_text_table(const char *text, char *message, size_t message_bytes)
{
    struct allfold_table *table;
    const char *path = text_in_file(text, strlen(text));
    message[0] = '\0';
    const enum allfold_error error =
        allfold_table_read(path, allfold_table_parse, &table, message, message_bytes);
    assert_int_equal(error == ALLFOLD_OK, table != NULL);
    assert_int_equal(error == ALLFOLD_OK, message[0] == '\0');
    text_in_file(NULL, 0);
    return table;
}
