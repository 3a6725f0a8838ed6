/* Files of tables by chance: true ones, written and then damaged (bytes changed, cut off, put in
 * elsewhere), and pieces of JSON in any order. Each is read, or refused with one message; what is
 * read is written and reads back as the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "support.h"
#include "support_table.h"

enum { FILES = 6000, MOST_BYTES = 20000, MESSAGE = 900 };

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
    table->has_costs = random_below(&seed, 2);
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
    struct allfold_table *again;
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
        cmocka_unit_test(test_fuzz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
