/* Copies past the caches: from and to anywhere in a line, of any length, and nothing beside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "support.h"
#include "util/copy.h"

enum { MOST = 400, GUARD = 64 };

static _Alignas(64) unsigned char from[MOST + 2 * GUARD], to[MOST + 2 * GUARD];

static void check(size_t read, size_t write, size_t bytes)
{
    memset(to, 0xee, sizeof to);
    allfold_copy_past_caches(to + write, from + read, bytes);
    assert_memory_equal(to + write, from + read, bytes);
    for (size_t i = 0; i < sizeof to; i++)
        if (i < write || i >= write + bytes)
            assert_int_equal(to[i], 0xee);
}

static void test_all_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 7 % 251);
    for (size_t bytes = 0; bytes < MOST; bytes += 1 + bytes / 3)
        for (size_t write = 0; write <= GUARD; write++)
            for (size_t read = 0; read <= GUARD; read += 9)
                check(read, write, bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
