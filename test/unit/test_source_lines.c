/* Source lines: scripts in the place of addr2line print them. Without lines there is a reason. */
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
#include "util/source_lines.h"

enum { COUNT = 3 };

static char folder[] = "/tmp/allfold_lines_XXXXXX", *path_before;

/* An addr2line, first in PATH, that does this. */
static void put_stand_in(const char *commands)
{
    char name[64];
    snprintf(name, sizeof name, "%s/addr2line", folder);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", commands);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(name, 0700), 0);
}

static int make_folder(void **state)
{
    (void)state;
    char path[4096];
    const char *path_now = getenv("PATH");
    if (mkdtemp(folder) == NULL || (path_before = strdup(path_now ? path_now : "")) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s:%s", folder, path_before);
    return setenv("PATH", path, 1);
}

static int remove_folder(void **state)
{
    (void)state;
    char name[64];
    snprintf(name, sizeof name, "%s/addr2line", folder);
    setenv("PATH", path_before, 1);
    free(path_before);
    return unlink(name) != 0 || rmdir(folder) != 0;
}

static const char *find(struct allfold_source_line lines[COUNT])
{
    static const uintptr_t addresses[COUNT] = {0x1277, 0x20, 0xabcdef};
    memset(lines, 'x', COUNT * sizeof *lines);
    for (int i = 0; i < COUNT; i++)
        lines[i].address = addresses[i];
    return allfold_source_lines_find("/bin/app", lines, COUNT);
}

static void test_lines(void **state)
{
    (void)state;
    struct allfold_source_line lines[COUNT];
    put_stand_in("[ \"$*\" = '-e /bin/app 0x1277 0x20 0xabcdef' ] || exit 1\n"
                 "echo '/home/me/solve.c:42 (discriminator 3)'; echo '??:0'; echo main.c:7");
    assert_null(find(lines));
    assert_string_equal(lines[0].text, "solve.c:42");
    assert_string_equal(lines[1].text, "");
    assert_string_equal(lines[2].text, "main.c:7");
}

/* More lines than addresses, fewer, and one that is longer than any file's name. */
static void test_odd_lines(void **state)
{
    (void)state;
    struct allfold_source_line lines[COUNT];
    put_stand_in("for i in 1 2 3 4 5 6; do echo \"/a/b.c:$i\"; done");
    assert_null(find(lines));
    assert_string_equal(lines[2].text, "b.c:3");
    put_stand_in("echo /a/b.c:8");
    assert_null(find(lines));
    assert_string_equal(lines[0].text, "b.c:8");
    assert_string_equal(lines[1].text, "");
    put_stand_in("printf '/%09000d.c:5\\n/a/b.c:6\\n' 1");
    find(lines);
    assert_string_equal(lines[1].text, "b.c:6");
}

static void test_none(void **state)
{
    (void)state;
    struct allfold_source_line lines[COUNT];
    put_stand_in("echo '??:0'; echo '??:?'; echo '/a/b.c:?'");
    assert_string_equal(find(lines), "the program is built without -g");
    for (int i = 0; i < COUNT; i++)
        assert_string_equal(lines[i].text, "");
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    const char *why = find(lines);
    setenv("PATH", path, 1);
    free(path);
    assert_string_equal(why, "addr2line is not installed");
    assert_string_equal(lines[0].text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_odd_lines),
                                       cmocka_unit_test(test_none)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
