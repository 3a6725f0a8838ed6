/* Tables: which row holds, against a look at each row. Which rows overlap, and merged tables,
 * against all keys that a row could hold for. What a row may not be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "util/memory.h"
#include "support.h"
#include "support_table.h"

enum { TABLES = 300, KEYS = 400 };

static void test_find(void **state)
{
    (void)state;
    uint64_t seed = 1;
    unsigned found = 0, none = 0;
    for (int i = 0; i < TABLES; i++) {
        struct allfold_table *table = random_table(&seed, random_below(&seed, 40));
        for (int k = 0; k < KEYS; k++) {
            const struct allfold_table_key key = random_key(&seed);
            const struct allfold_table_row *row = allfold_table_find(table, &key), *wanted = NULL;
            bool any = false;
            for (uint32_t r = 0; r < table->count; r++) {
                const struct allfold_table_row *at = &table->rows[r];
                wanted = row_holds(at, &key) ? at : wanted;
                any |= at->collective == key.collective && at->nodes == key.nodes &&
                       at->ppn == key.ppn && at->p == key.p;
            }
            assert_ptr_equal(row, wanted);
            assert_int_equal(allfold_table_has_rows(table, &key), any);
            *(row == NULL ? &none : &found) += 1;
        }
        allfold_table_free(table);
    }
    assert_true(found > TABLES * KEYS / 20 && none > TABLES * KEYS / 20);
}

/* Two rows overlap where there is a key that both hold for. */
static bool are_apart(const struct allfold_table_row *a, const struct allfold_table_row *b)
{
    const size_t from = a->from_bytes > b->from_bytes ? a->from_bytes : b->from_bytes;
    for (unsigned i = 0; i < 12; i++) {
        const struct allfold_table_key key = {.collective = a->collective,
                                              .nodes = a->nodes,
                                              .ppn = a->ppn,
                                              .p = a->p,
                                              .arrangements = allfold_only(i % 3),
                                              .commutative = allfold_only(i / 3 % 2),
                                              .exact = allfold_only(i / 6),
                                              .bytes = from};
        if (row_holds(a, &key) && row_holds(b, &key))
            return false;
    }
    return true;
}

static void test_overlaps(void **state)
{
    (void)state;
    const struct allfold_table_head head = {.created = ""};
    uint64_t seed = 2;
    unsigned refused = 0;
    for (int i = 0; i < 40000; i++) {
        struct allfold_table_row rows[4];
        const uint32_t count = 2 + random_below(&seed, 3);
        char message[300] = "", wanted[100];
        bool apart = true;
        for (uint32_t j = 0; j < count; j++) {
            rows[j] = random_row(&seed);
            rows[j].number = j + 1;
            for (uint32_t k = 0; k < j; k++)
                if (!are_apart(&rows[j], &rows[k])) {
                    apart = false;
                    snprintf(wanted, sizeof wanted, "rows %u and %u overlap: both hold for ", k + 1,
                             j + 1);
                }
        }
        struct allfold_table *table;
        const enum allfold_error error =
            allfold_table_make(&head, rows, count, &table, message, sizeof message);
        if ((error == ALLFOLD_OK) != apart)
            fail_msg("number %d: %s", i, message);
        if (!apart && count == 2)
            assert_non_null(strstr(message, wanted));
        refused += !apart;
        allfold_table_free(table);
    }
    assert_true(refused > 1000 && refused < 20000);
}

static void test_merge(void **state)
{
    (void)state;
    uint64_t seed = 3;
    unsigned from_both = 0;
    for (int i = 0; i < TABLES; i++) {
        struct allfold_table *older = random_table(&seed, random_below(&seed, 40));
        struct allfold_table *newer = random_table(&seed, random_below(&seed, 40)), *merged;
        char message[900] = "";
        if (allfold_table_merge(older, newer, &merged, message, sizeof message) != ALLFOLD_OK)
            fail_msg("%s", message);
        for (int k = 0; k < KEYS; k++) {
            const struct allfold_table_key key = random_key(&seed);
            const struct allfold_table_row *row = allfold_table_find(merged, &key);
            const struct allfold_table_row *wanted = allfold_table_find(newer, &key);
            const struct allfold_table_row *old = allfold_table_find(older, &key);
            from_both += wanted != NULL && old != NULL;
            wanted = wanted == NULL ? old : wanted;
            assert_int_equal(row != NULL, wanted != NULL);
            if (row == NULL)
                continue;
            assert_ptr_equal(row->algorithm, wanted->algorithm);
            assert_true(row->us == wanted->us);
        }
        allfold_table_free(older);
        allfold_table_free(newer);
        allfold_table_free(merged);
    }
    assert_true(from_both > TABLES * KEYS / 500);
}

static void test_merged_heads(void **state)
{
    (void)state;
    struct allfold_table *older, *newer, *merged;
    struct allfold_table_head head = {.mpi = "MPICH 4.0.2", .host = "first"};
    char message[300] = "";
    assert_int_equal(allfold_table_make(&head, NULL, 0, &older, message, 300), ALLFOLD_OK);
    strcpy(head.host, "second");
    assert_int_equal(allfold_table_make(&head, NULL, 0, &newer, message, 300), ALLFOLD_OK);
    assert_int_equal(allfold_table_merge(older, newer, &merged, message, 300), ALLFOLD_OK);
    assert_string_equal(merged->head.host, "second");
    allfold_table_free(merged);
    strcpy(newer->head.mpi, "Open MPI 4.1.4");
    assert_int_equal(allfold_table_merge(older, newer, &merged, message, 300), ALLFOLD_BAD_INPUT);
    assert_non_null(strstr(message, "\"MPICH 4.0.2\", the other of \"Open MPI 4.1.4\""));
    assert_null(merged);
    allfold_table_free(older);
    allfold_table_free(newer);
}

static void test_fingerprints(void **state)
{
    (void)state;
    uint64_t seed = 4;
    assert_int_equal(allfold_table_fingerprint(NULL), 0);
    for (int i = 0; i < TABLES; i++) {
        struct allfold_table *table = random_table(&seed, 1 + random_below(&seed, 9)), *other;
        struct allfold_table_row rows[10];
        char message[300];
        for (uint32_t r = 0; r < table->count; r++)
            rows[r] = table->rows[table->count - 1 - r]; /* in another order */
        rows[0].us += 1;
        assert_int_equal(allfold_table_make(&table->head, rows, table->count, &other, message, 300),
                         ALLFOLD_OK);
        assert_true(allfold_table_fingerprint(table) == allfold_table_fingerprint(other));
        allfold_table_free(other);
        const uint32_t which = random_below(&seed, table->count);
        rows[which].algorithm =
            rows[which].algorithm == NULL
                ? allfold_algorithm_find(rows[which].collective, "binomial_tree")
                : NULL;
        assert_int_equal(allfold_table_make(&table->head, rows, table->count, &other, message, 300),
                         ALLFOLD_OK);
        assert_true(allfold_table_fingerprint(table) != allfold_table_fingerprint(other));
        allfold_table_free(other);
        allfold_table_free(table);
    }
}

static void test_keys(void **state)
{
    (void)state;
    static const int64_t cyclic[] = {0, 1, 0, 1, 0};
    const struct allfold_nodes *nodes = allfold_nodes_make(cyclic, 5);
    struct allfold_problem problem = {.collective = ALLFOLD_ALLGATHER,
                                      .group = allfold_group_all(5, 3),
                                      .count = 7,
                                      .element_bytes = 4,
                                      .commutative = true,
                                      .nodes = nodes};
    struct allfold_table_key key = allfold_table_key_of(&problem);
    assert_true(key.nodes == 2 && key.ppn == 3 && key.p == 5 && key.bytes == 5 * 7 * 4);
    assert_int_equal(key.arrangements, 1 << ALLFOLD_CYCLIC);
    assert_true(key.commutative == 2 && key.exact == 1);
    problem.nodes = NULL;
    assert_int_equal(allfold_table_key_of(&problem).nodes, 0);
    problem.one_node = true;
    key = allfold_table_key_of(&problem);
    assert_true(key.nodes == 1 && key.ppn == 5 && key.p == 5 && key.arrangements == 1);
    allfold_nodes_free(nodes);
}

static void test_unmet(void **state)
{
    (void)state;
    struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                      .group = allfold_group_all(4, 0),
                                      .count = 1,
                                      .element_bytes = 8,
                                      .commutative = true};
    struct allfold_table_row row = {.algorithm =
                                        allfold_algorithm_find(ALLFOLD_ALLREDUCE, "dissemination")};
    assert_non_null(strstr(allfold_table_unmet(&row, &problem), "results are exact"));
    problem.exact = true;
    assert_null(allfold_table_unmet(&row, &problem));
    row.algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "ring");
    assert_null(allfold_table_unmet(&row, &problem));
    problem.commutative = false;
    assert_string_equal(allfold_table_unmet(&row, &problem), "a commutative operation");
    row.algorithm = NULL;
    assert_null(allfold_table_unmet(&row, &problem));
}

static void test_no_memory(void **state)
{
    (void)state;
    uint64_t seed = 5;
    struct allfold_table *older = random_table(&seed, 30), *newer = random_table(&seed, 30),
                         *merged;
    char message[300];
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    unsigned long n = 1;
    for (; error == ALLFOLD_NO_MEMORY; n++) {
        allfold_fail_allocation(n);
        message[0] = '\0';
        error = allfold_table_merge(older, newer, &merged, message, sizeof message);
        assert_int_equal(merged != NULL, error == ALLFOLD_OK);
        if (error != ALLFOLD_OK)
            assert_string_equal(message, "no memory");
    }
    allfold_fail_allocation(0);
    assert_int_equal(error, ALLFOLD_OK);
    assert_true(n > 5);
    allfold_table_free(merged);
    allfold_table_free(older);
    allfold_table_free(newer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),         cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_merge),        cmocka_unit_test(test_merged_heads),
        cmocka_unit_test(test_fingerprints), cmocka_unit_test(test_keys),
        cmocka_unit_test(test_unmet),        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
