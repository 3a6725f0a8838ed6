/* Files of tables: what they may hold and what they may not, with the message. Writing and reading
 * back. Every allocation fails in turn, jansson's too. */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "support.h"
#include "support_table.h"
#include "util/memory.h"

enum { MESSAGE = 900 };

static void test_whole_table(void **state)
{
    (void)state;
    static const char text[] =
        "{\"allfold_table\": 1, \"created\": \"2026-11-21T20:15:00Z\",\n"
        "\"machine\": {\"host\": \"h\", \"processor\": \"c\", \"mpi\": \"m\", \"allfold\": "
        "\"a\"},\n"
        "\"model\": {\"node\": {\"latency_s\": 2e-7}},\n"
        "\"rows\": [{\"collective\": \"allreduce\", \"nodes\": 4, \"ppn\": 2, \"placement\": "
        "\"cyclic\", \"p\": 7, \"from_bytes\": 16, \"to_bytes\": 4096, \"commutative\": true,\n"
        "\"exact\": false, \"algorithm\": \"ring(segment=64K)\", \"us\": 12.5, \"native_us\": 20,\n"
        "\"samples\": 100},\n"
        "{\"algorithm\": \"native\", \"collective\": \"bcast\", \"ppn\": 3, \"nodes\": 1},\n"
        "{\"algorithm\": \"smp(leaders=knomial_tree(radix=3))\", \"collective\": \"reduce\",\n"
        "\"ppn\": 3, \"nodes\": 4}]}";
    char message[MESSAGE];
    struct allfold_table *table = read_text_table(text, message, sizeof message);
    assert_string_equal(message, "");
    assert_string_equal(table->head.created, "2026-11-21T20:15:00Z");
    assert_string_equal(table->head.host, "h");
    assert_string_equal(table->head.processor, "c");
    assert_string_equal(table->head.mpi, "m");
    assert_string_equal(table->head.allfold, "a");
    assert_int_equal(table->count, 3);
    const struct allfold_table_row *ring = &table->rows[0], *smp = &table->rows[1];
    const struct allfold_table_row *native = &table->rows[2];
    assert_int_equal(allfold_named(&smp->parameters, 1).parameters.value[0], 3);
    assert_true(ring->number == 1 && ring->collective == ALLFOLD_ALLREDUCE && ring->nodes == 4 &&
                ring->ppn == 2 && ring->p == 7 && ring->arrangements == 1 << ALLFOLD_CYCLIC &&
                ring->commutative == 2 && ring->exact == 1 && ring->from_bytes == 16 &&
                ring->to_bytes == 4096 && ring->us == 12.5 && ring->native_us == 20 &&
                ring->samples == 100 && ring->parameters.value[0] == 65536);
    assert_string_equal(ring->algorithm->name, "ring");
    assert_true(native->number == 2 && native->collective == ALLFOLD_BCAST && native->p == 3 &&
                native->arrangements == ALLFOLD_ANY_ARRANGEMENT && native->algorithm == NULL &&
                native->commutative == ALLFOLD_ANY_TRUTH && native->exact == ALLFOLD_ANY_TRUTH &&
                native->from_bytes == 0 && native->to_bytes == SIZE_MAX && native->us == 0);
    allfold_table_free(table);
}

/* A table of one row, or of more where there is "}, {" in it. */
static const char *table_with(const char *row)
{
    static char text[2000];
    snprintf(text, sizeof text, "{\"allfold_table\": 1, \"rows\": [{%s}]}", row);
    return text;
}

#define SHAPE "\"collective\": \"allreduce\", \"nodes\": 2, \"ppn\": 2"
#define RING SHAPE ", \"algorithm\": \"ring\""

static void test_refused_rows(void **state)
{
    (void)state;
    static const struct {
        const char *row, *wanted;
    } cases[] = {
        {RING ", \"us\": \"12\"", "row 1: \"us\" is \"12\"; expected a number of 0 or more"},
        {RING ", \"us\": -1", "row 1: \"us\" is -1; expected a number of 0 or more"},
        {RING ", \"us\": 1e13", "row 1: \"us\" is 1e+13; expected 0 to 1e+12 microseconds"},
        {RING ", \"p\": 4.0", "row 1: \"p\" is 4; expected a whole number of 0 or more"},
        {RING ", \"p\": -1", "row 1: \"p\" is -1; expected a whole number of 0 or more"},
        {RING ", \"p\": 0", "row 1: \"p\" is 0; expected 1 to 16777216"},
        {RING ", \"p\": 2", "row 1: \"p\" is 2; expected 3 to 4 ranks on 2 nodes, of which the "
                            "fullest has 2"},
        {RING ", \"p\": 5", "row 1: \"p\" is 5; expected 3 to 4"},
        {RING ", \"exact\": 1", "row 1: \"exact\" is 1; expected true or false"},
        {RING ", \"exact\": null", "row 1: \"exact\" is null; expected true or false"},
        {RING ", \"root\": 1", "row 1: \"root\" is no member of it; expected one of: collective, "
                               "nodes, ppn, placement, p, from_bytes, to_bytes, commutative"},
        {RING ", \"placement\": \"blocked\"",
         "row 1: \"placement\" is \"blocked\"; expected block, cyclic, irregular"},
        {RING ", \"samples\": 4294967296", "row 1: \"samples\" is 4294967296; expected 0 to"},
        {RING ", \"from_bytes\": 8, \"to_bytes\": 8",
         "row 1: \"from_bytes\" is 8, \"to_bytes\" 8; expected from less to more"},
        {RING ", \"commutative\": false", "row 1: \"algorithm\" is ring, which needs a commutative "
                                          "operation, but \"commutative\" is false"},
        {RING ", \"nodes\": 3", "duplicate object key near '\"nodes\"'; expected JSON"},
        {RING "}, {" RING, "rows 1 and 2 overlap: both hold for allreduce of 0 bytes on 4 ranks of "
                           "2 nodes"},
        {RING ", \"to_bytes\": 8}, {" RING ", \"from_bytes\": 8}, {" SHAPE
              ", \"algorithm\": \"native\", \"exact\": true, \"from_bytes\": 2048",
         "rows 2 and 3 overlap: both hold for allreduce of 2K bytes"},
        {RING ", \"p\": 3}, 7, {" RING, "row 2 is 7; expected an object"},
        {SHAPE, "row 1: \"algorithm\" is missing; expected a text"},
        {SHAPE ", \"algorithm\": \"rong\"",
         "row 1: \"algorithm\": unknown algorithm for allreduce: 'rong'; did you mean 'ring'?"},
        {SHAPE ", \"algorithm\": \"ring(segment=2T)\"",
         "row 1: \"algorithm\": segment: '2T' is not"},
        {SHAPE ", \"algorithm\": \"ring;chain\"", "';' follows the algorithm; expected one"},
        {SHAPE ", \"algorithm\": \"0-4:ring\"", "unknown algorithm for allreduce: '0-4';"},
        {SHAPE ", \"algorithm\": \"\"", "algorithm for allreduce is missing at the end"},
        {SHAPE ", \"algorithm\": \"\\u001b[31m\"", "unknown algorithm for allreduce: '?[31m'"},
        {"\"nodes\": 2, \"ppn\": 2, \"algorithm\": \"native\"", "\"collective\" is missing"},
        {"\"collective\": \"alltoall\", \"nodes\": 2, \"ppn\": 2, \"algorithm\": \"native\"",
         "row 1: \"collective\" is \"alltoall\"; expected one of: allreduce, reduce, bcast"},
        {"\"collective\": \"bcast\", \"nodes\": 0, \"ppn\": 2, \"algorithm\": \"native\"",
         "row 1: \"nodes\" is 0; expected 1 to 16777216"},
        {"\"collective\": \"bcast\", \"nodes\": 99999999999, \"ppn\": 2, \"algorithm\": \"native\"",
         "row 1: \"nodes\" is 99999999999; expected 1 to 16777216"},
        {"\"collective\": \"bcast\", \"nodes\": 65536, \"ppn\": 65536, \"algorithm\": \"native\"",
         "row 1: \"ppn\" is 65536; expected 1 to 256 on 65536 nodes"},
        {"\"collective\": \"bcast\", \"nodes\": 1, \"ppn\": 2, \"algorithm\": \"native\", "
         "\"placement\": \"cyclic\"",
         "row 1: \"placement\" is not block, but ranks on 1 nodes with 2 at most on each always "
         "are"},
        {"\"collective\": \"barrier\", \"nodes\": 1, \"ppn\": 2, \"algorithm\": \"native\", "
         "\"exact\": false",
         "row 1: \"exact\" is false, but barrier has no operation"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char message[MESSAGE];
        if (read_text_table(table_with(cases[i].row), message, sizeof message) != NULL)
            fail_msg("%s: taken", cases[i].row);
        if (strstr(message, cases[i].wanted) == NULL)
            fail_msg("%s: '%s', not '%s'", cases[i].row, message, cases[i].wanted);
        assert_memory_equal(message, "table_", 6); /* the path */
    }
}

static void test_refused_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"", "line 1, column 0: '[' or '{' expected near end of file; expected JSON"},
        {"{\"allfold_table\": 1, \"rows\": [", "expected JSON"},
        {"[]", "the table is an array; expected an object"},
        {"{}", "the table: \"allfold_table\" is missing; expected a whole number"},
        {"{\"allfold_table\": 1}", "the table: \"rows\" is missing; expected an array"},
        {"{\"allfold_table\": 2, \"rows\": []}",
         "\"allfold_table\" is 2; expected 1, the version of the format"},
        {"{\"allfold_table\": 1, \"rows\": {}}", "\"rows\" is an object; expected an array"},
        {"{\"allfold_table\": 1, \"rows\": [true]}", "row 1 is true; expected an object"},
        {"{\"allfold_table\": 1, \"row\": []}", "the table: \"row\" is no member of it"},
        {"{\"allfold_table\": 1, \"rows\": [], \"machine\": {\"cpu\": \"x\"}}",
         "\"machine\": \"cpu\" is no member of it; expected one of: host, processor, mpi, allfold"},
        {"{\"allfold_table\": 1, \"rows\": [], \"model\": 7}",
         "\"model\" is 7; expected an object"},
        {"{\"allfold_table\": 1, \"rows\": []} x", "end of file expected near 'x'"},
        {"{\"allfold_table\": 1e999, \"rows\": []}", "real number overflow"},
    };
    char message[MESSAGE];
    for (size_t i = 0; i < LENGTH(cases); i++) {
        if (read_text_table(cases[i].text, message, sizeof message) != NULL)
            fail_msg("%s: taken", cases[i].text);
        if (strstr(message, cases[i].wanted) == NULL)
            fail_msg("%s: '%s', not '%s'", cases[i].text, message, cases[i].wanted);
    }
    char *deep = malloc(100001); /* nested by far too much */
    memset(deep, '[', 100000);
    deep[100000] = '\0';
    assert_null(read_text_table(deep, message, sizeof message));
    assert_non_null(strstr(message, "maximum parsing depth reached"));
    free(deep);
    char *long_text = calloc(1, 1000);
    int at = sprintf(long_text, "{\"allfold_table\": 1, \"rows\": [], \"created\": \"");
    memset(long_text + at, 'x', 256);
    strcpy(long_text + at + 256, "\"}");
    assert_null(read_text_table(long_text, message, sizeof message));
    assert_non_null(strstr(message, "\"created\" is 256 bytes long; expected less than 256"));
    free(long_text);
}

static void refuse_path(const char *path, const char *wanted)
{
    char message[MESSAGE] = "";
    struct allfold_table *table;
    assert_int_equal(allfold_table_read(path, allfold_table_parse, &table, message, sizeof message),
                     ALLFOLD_BAD_INPUT);
    assert_null(table);
    if (strstr(message, wanted) == NULL)
        fail_msg("'%s', not '%s'", message, wanted);
}

static void test_what_is_no_file(void **state)
{
    (void)state;
    refuse_path("/nowhere/at/all",
                "/nowhere/at/all: cannot be opened (No such file or directory); expected a table");
    refuse_path(".", ".: is no regular file; expected a table");
    refuse_path("/dev/zero", "is no regular file");
    char path[100];
    snprintf(path, sizeof path, "table_%ld.pipe", (long)getpid());
    assert_int_equal(mkfifo(path, 0600), 0);
    refuse_path(path, "is no regular file");
    unlink(path);
    const char *huge = text_in_file("{", 1);
    assert_int_equal(truncate(huge, (16 << 20) + 1), 0);
    refuse_path(huge, "has 16777217 bytes; expected 16777216 at most");
    text_in_file(NULL, 0);
}

static void test_most_rows(void **state)
{
    (void)state;
    const size_t rows = ALLFOLD_TABLE_MOST_ROWS + 1, row_bytes = 120;
    char *text = malloc(rows * row_bytes + 100), message[MESSAGE];
    size_t at = (size_t)sprintf(text, "{\"allfold_table\": 1, \"rows\": [");
    for (size_t i = 0; i < rows; i++)
        at += (size_t)sprintf(text + at, "%s{" RING ", \"from_bytes\": %zu, \"to_bytes\": %zu}",
                              i == 0 ? "" : ",", i, i + 1);
    strcpy(text + at, "]}");
    assert_null(read_text_table(text, message, sizeof message));
    assert_non_null(strstr(message, "row 65537: expected 65536 rows at most"));
    free(text);
}

static struct allfold_table *written_and_read(const struct allfold_table *table)
{
    char message[MESSAGE] = "";
    const char *path = text_in_file("as it was before", 16);
    struct allfold_table *again = NULL;
    if (allfold_table_write(table, path, message, sizeof message) != ALLFOLD_OK ||
        allfold_table_read(path, allfold_table_parse, &again, message, sizeof message) !=
            ALLFOLD_OK)
        fail_msg("%s", message);
    text_in_file(NULL, 0);
    return again;
}

static void test_writing(void **state)
{
    (void)state;
    uint64_t seed = 6;
    for (int i = 0; i < 40; i++) {
        struct allfold_table *table = random_table(&seed, random_below(&seed, 30));
        struct allfold_table *again = written_and_read(table);
        assert_true(allfold_table_fingerprint(table) == allfold_table_fingerprint(again));
        assert_memory_equal(&table->head, &again->head, sizeof table->head);
        assert_int_equal(table->count, again->count);
        for (uint32_t r = 0; r < table->count; r++)
            assert_true(table->rows[r].us == again->rows[r].us &&
                        table->rows[r].native_us == again->rows[r].native_us &&
                        table->rows[r].samples == again->rows[r].samples);
        allfold_table_free(again);
        allfold_table_free(table);
    }
}

static void test_where_nothing_can_be_written(void **state)
{
    (void)state;
    uint64_t seed = 7;
    char message[MESSAGE] = "";
    struct allfold_table *table = random_table(&seed, 3);
    assert_int_equal(allfold_table_write(table, "/nowhere/at/all", message, sizeof message),
                     ALLFOLD_BAD_INPUT);
    assert_string_equal(message, "/nowhere/at/all cannot be written (No such file or directory)");
    allfold_table_free(table);
}

/* jansson's allocations, of which the n-th fails. While jansson reads, those of 32 and 64 bytes
 * never fail. The buffer of its lexer grows by them, and jansson 2.14 does not check whether it has
 * grown (its issue 362). */
static unsigned long until_failure;
static bool is_reading;

static void *fail_or_allocate(size_t bytes)
{
    if (is_reading && (bytes == 32 || bytes == 64))
        return malloc(bytes);
    return until_failure > 0 && --until_failure == 0 ? NULL : malloc(bytes);
}

static void test_no_memory(void **state)
{
    (void)state;
    uint64_t seed = 8;
    struct allfold_table *table = random_table(&seed, 12), *again = NULL;
    char message[MESSAGE], scratch[100];
    snprintf(scratch, sizeof scratch, "table_memory_%ld.json", (long)getpid());
    json_set_alloc_funcs(fail_or_allocate, free);
    for (int theirs = 0; theirs < 2; theirs++) {
        enum allfold_error error = ALLFOLD_NO_MEMORY;
        unsigned long failed = 0;
        for (unsigned long n = 1; error != ALLFOLD_OK; n++) {
            allfold_fail_allocation(theirs ? 0 : n);
            until_failure = theirs ? n : 0;
            message[0] = '\0';
            is_reading = false;
            error = allfold_table_write(table, scratch, message, sizeof message);
            is_reading = true;
            if (error == ALLFOLD_OK)
                error = allfold_table_read(scratch, allfold_table_parse, &again, message,
                                           sizeof message);
            allfold_fail_allocation(0);
            until_failure = 0;
            failed += error != ALLFOLD_OK;
            assert_int_equal(error == ALLFOLD_OK, message[0] == '\0');
            /* without memory jansson may take the text for wrong; it must be refused all the same
             */
            if (error != ALLFOLD_OK && strstr(message, theirs ? "" : "no memory") == NULL)
                fail_msg("allocation %lu, %d: '%s'", n, theirs, message);
        }
        assert_true(failed >= (theirs ? 100 : 4));
        assert_true(allfold_table_fingerprint(again) == allfold_table_fingerprint(table));
        allfold_table_free(again);
    }
    json_set_alloc_funcs(malloc, free);
    unlink(scratch);
    allfold_table_free(table);
}

/* --- by chance -------------------------------------------------------------------------------- */

/* Files of tables by chance: true ones, written and then damaged (bytes changed, cut off, put in
 * elsewhere), and pieces of JSON in any order. Each is read, or refused with one message; what is
 * read is written and reads back as the same. */

enum { FILES = 6000, MOST_BYTES = 20000 };

static uint64_t seed = 1;

static const char *const pieces[] = {"{",
                                     "}",
                                     "[",
                                     "]",
                                     ":",
                                     ",",
                                     "\"",
                                     "\\u0000",
                                     "\\",
                                     "\n",
                                     "\xff",
                                     "\xc3\xa9",
                                     "null",
                                     "true",
                                     "-1",
                                     "0",
                                     "1e999",
                                     "9223372036854775807",
                                     "9223372036854775808",
                                     "0.5",
                                     "\"allfold_table\": 1",
                                     "\"rows\": []",
                                     "\"rows\"",
                                     "\"collective\"",
                                     "\"allreduce\"",
                                     "\"nodes\": 2",
                                     "\"ppn\": 2",
                                     "\"p\": 3",
                                     "\"algorithm\": \"native\"",
                                     "\"ring(segment=0)\"",
                                     "\"placement\": \"cyclic\"",
                                     "\"from_bytes\": 64",
                                     "\"exact\": false",
                                     "\"model\": {\"node\": {}}",
                                     "%s%n",
                                     "\"us\": 1e-300",
                                     "{\"allfold_table\": 1, \"rows\": [",
                                     "]}"};

/* A true table's text; its length. */
static size_t write_true_one(char *text)
{
    char message[MESSAGE];
    const char *path = text_in_file("", 0);
    struct allfold_table *table = random_table(&seed, random_below(&seed, 8));
    assert_int_equal(allfold_table_write(table, path, message, sizeof message), ALLFOLD_OK);
    allfold_table_free(table);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t bytes = fread(text, 1, MOST_BYTES / 2, file);
    fclose(file);
    return bytes;
}

static size_t insert(char *text, size_t bytes, const char *piece)
{
    const size_t length = strlen(piece), at = random_below(&seed, (uint32_t)bytes + 1);
    if (bytes + length >= MOST_BYTES)
        return bytes;
    memmove(text + at + length, text + at, bytes - at);
    memcpy(text + at, piece, length);
    return bytes + length;
}

static size_t damage(char *text, size_t bytes)
{
    for (uint32_t i = random_below(&seed, 4); i > 0 && bytes > 0; i--)
        switch (random_below(&seed, 4)) {
        case 0:
            text[random_below(&seed, (uint32_t)bytes)] = (char)random_below(&seed, 256);
            break;
        case 1:
            bytes = random_below(&seed, (uint32_t)bytes);
            break;
        case 2: /* a digit, which JSON may not notice */
            for (size_t at = random_below(&seed, (uint32_t)bytes); at < bytes; at++)
                if (text[at] >= '0' && text[at] <= '9') {
                    text[at] = (char)('0' + random_below(&seed, 10));
                    break;
                }
            break;
        default:
            bytes = insert(text, bytes, pieces[random_below(&seed, LENGTH(pieces))]);
        }
    return bytes;
}

/* Writes and reads again what was read. */
static void check_again(const struct allfold_table *table, const char *path)
{
    char message[MESSAGE] = "";
    struct allfold_table *again = NULL;
    if (allfold_table_write(table, path, message, sizeof message) != ALLFOLD_OK ||
        allfold_table_read(path, allfold_table_parse, &again, message, sizeof message) !=
            ALLFOLD_OK)
        fail_msg("%s", message);
    assert_int_equal(again->count, table->count);
    for (uint32_t i = 0; i < table->count; i++)
        assert_true(table->rows[i].algorithm == again->rows[i].algorithm &&
                    table->rows[i].from_bytes == again->rows[i].from_bytes &&
                    table->rows[i].to_bytes == again->rows[i].to_bytes);
    allfold_table_free(again);
}

static void test_fuzz(void **state)
{
    (void)state;
    unsigned read = 0, refused = 0;
    char *text = malloc(MOST_BYTES), *true_one = malloc(MOST_BYTES);
    size_t true_bytes = 0;
    assert_true(text != NULL && true_one != NULL);
    for (int i = 0; i < FILES; i++) {
        size_t bytes = 0;
        if (i % 50 == 0)
            true_bytes = write_true_one(true_one);
        if (i % 4 > 0) {
            memcpy(text, true_one, true_bytes);
            bytes = damage(text, true_bytes);
        } else {
            for (uint32_t k = random_below(&seed, 12); k > 0; k--)
                bytes = insert(text, bytes, pieces[random_below(&seed, LENGTH(pieces))]);
        }
        char *message = malloc(MESSAGE);
        struct allfold_table *table;
        const char *path = text_in_file(text, bytes);
        assert_non_null(message);
        message[0] = '\0';
        const enum allfold_error error =
            allfold_table_read(path, allfold_table_parse, &table, message, MESSAGE);
        if (error == ALLFOLD_OK) {
            read++;
            if (read % 20 == 0)
                check_again(table, path);
        } else {
            refused++;
            assert_int_equal(error, ALLFOLD_BAD_INPUT);
            assert_null(table);
            assert_true(strlen(message) > strlen(path) + 10 && strchr(message, '\n') == NULL);
        }
        allfold_table_free(table);
        free(message);
    }
    free(text);
    free(true_one);
    text_in_file(NULL, 0);
    print_message("%u files read, %u refused\n", read, refused);
    assert_true(read > FILES / 10 && refused > FILES / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_table),
        cmocka_unit_test(test_refused_rows),
        cmocka_unit_test(test_refused_files),
        cmocka_unit_test(test_what_is_no_file),
        cmocka_unit_test(test_most_rows),
        cmocka_unit_test(test_writing),
        cmocka_unit_test(test_where_nothing_can_be_written),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_fuzz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
