/* Names of functions from the test's own file, and from files that are cut short or no programs. */
#include <dlfcn.h>
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
#include "util/symbols.h"

static const char own[] = "/proc/self/exe";

static __attribute__((noinline, used)) int hidden_function(int x)
{
    return 3 * x + 1;
}

static uintptr_t own_base(void)
{
    Dl_info info;
    assert_true(dladdr((void *)(uintptr_t)&hidden_function, &info) != 0);
    return (uintptr_t)info.dli_fbase;
}

static void test_own_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uintptr_t address;
    } functions[] = {{"hidden_function", (uintptr_t)&hidden_function},
                     {"test_own_names", (uintptr_t)&test_own_names}};
    for (size_t i = 0; i < LENGTH(functions); i++) {
        char name[64];
        uintptr_t in_file;
        assert_true(allfold_symbol_find(own, own_base(), functions[i].address + 1, &in_file, name,
                                        sizeof name));
        assert_string_equal(name, functions[i].name);
        assert_true(in_file > 0);
        assert_true(allfold_symbol_find(own, own_base(), functions[i].address, &in_file, name, 4));
        assert_true(strncmp(name, functions[i].name, 3) == 0 && name[3] == '\0');
    }
}

static void test_no_name(void **state)
{
    (void)state;
    char name[64];
    uintptr_t in_file;
    assert_true(allfold_symbol_find(own, own_base(), own_base(), &in_file, name, sizeof name));
    assert_string_equal(name, "");
    assert_false(allfold_symbol_find("/nowhere", 0, 1, &in_file, name, sizeof name));
    assert_string_equal(name, "");
    assert_false(allfold_symbol_find("/etc/passwd", 0, 1, &in_file, name, sizeof name));
    assert_false(allfold_symbol_find("/dev/null", 0, 1, &in_file, name, sizeof name));
}

/* Whatever is missing or wrong, nothing past the end is read. */
static void test_broken_files(void **state)
{
    (void)state;
    char path[] = "/tmp/allfold_symbols_XXXXXX", name[64];
    uint64_t seed = 3;
    uintptr_t in_file;
    FILE *whole = fopen(own, "r");
    assert_non_null(whole);
    fseek(whole, 0, SEEK_END);
    const long size = ftell(whole);
    char *bytes = malloc((size_t)size);
    rewind(whole);
    assert_int_equal(fread(bytes, 1, (size_t)size, whole), size);
    fclose(whole);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    for (int i = 0; i < 60; i++) {
        char head[64];
        memcpy(head, bytes, sizeof head);
        const size_t kept = i < 30 ? random_below(&seed, (uint32_t)size) : (size_t)size;
        if (i >= 30) /* counts, offsets and sizes of the head */
            head[16 + random_below(&seed, 48)] = (char)random_below(&seed, 256);
        assert_int_equal(ftruncate(file, 0), 0);
        assert_int_equal(pwrite(file, bytes, kept, 0), kept);
        assert_int_equal(pwrite(file, head, kept < sizeof head ? kept : sizeof head, 0),
                         kept < sizeof head ? kept : sizeof head);
        allfold_symbol_find(path, own_base(), (uintptr_t)&hidden_function, &in_file, name,
                            sizeof name);
    }
    close(file);
    unlink(path);
    free(bytes);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_names),
        cmocka_unit_test(test_no_name),
        cmocka_unit_test(test_broken_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
