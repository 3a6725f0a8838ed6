/* A file that cannot be written whole stays as it was, and nothing is left beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "support_files.h"
#include "util/replace_file.h"

static char path[200], message[400];

static enum allfold_error put(FILE *file, const void *what)
{
    const int lines = *(const int *)what;
    for (int i = 0; i < lines; i++)
        fprintf(file, "%07d\n", i);
    return ALLFOLD_OK;
}

static enum allfold_error replace(const char *name, int lines)
{
    return allfold_replace_file(name, put, &lines, message, sizeof message);
}

static long size_of(const char *name)
{
    struct stat found;
    return stat(name, &found) == 0 ? (long)found.st_size : -1;
}

static int count_files(const char *directory)
{
    int count = 0;
    DIR *stream = opendir(directory);
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(stream);
    return count;
}

static void test_replaced(void **state)
{
    (void)state;
    struct stat found;
    const char *directory = files_begin();
    snprintf(path, sizeof path, "%s/file", directory);
    const mode_t mask = umask(027);
    assert_int_equal(replace(path, 2), ALLFOLD_OK);
    umask(mask);
    assert_int_equal(size_of(path), 16);
    assert_int_equal(stat(path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0640);
    assert_int_equal(replace(path, 3), ALLFOLD_OK);
    assert_int_equal(size_of(path), 24);
    assert_int_equal(count_files(directory), 1);
    files_end();
}

/* As on a full file system, with another error. */
static void test_no_room(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    const struct rlimit little = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY},
                        all = {.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    const char *directory = files_begin();
    snprintf(path, sizeof path, "%s/file", directory);
    assert_int_equal(replace(path, 2), ALLFOLD_OK);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    const enum allfold_error error = replace(path, MANY);
    const int why = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    assert_int_equal(error, ALLFOLD_BAD_INPUT);
    assert_int_equal(why, EFBIG);
    assert_non_null(strstr(message, "cannot be written (File too large)"));
    assert_int_equal(size_of(path), 16);
    assert_int_equal(count_files(directory), 1);
    files_end();
}

/* Devices are no files to replace, and a link stays one. */
static void test_in_place(void **state)
{
    (void)state;
    struct stat found;
    char link[sizeof path + 5];
    const char *directory = files_begin();
    assert_int_equal(replace("/dev/full", 2), ALLFOLD_BAD_INPUT);
    assert_int_equal(errno, ENOSPC);
    assert_string_equal(message, "/dev/full cannot be written (No space left on device)");
    assert_int_equal(replace("/dev/null", 2), ALLFOLD_OK);
    snprintf(path, sizeof path, "%s/file", directory);
    snprintf(link, sizeof link, "%s.link", path);
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(replace(link, 2), ALLFOLD_OK);
    assert_int_equal(lstat(link, &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    assert_int_equal(size_of(path), 16);
    files_end();
}

static void test_nowhere(void **state)
{
    (void)state;
    assert_int_equal(replace("/nowhere/file", 2), ALLFOLD_BAD_INPUT);
    assert_string_equal(message, "/nowhere/file cannot be written (No such file or directory)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replaced), cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_in_place), cmocka_unit_test(test_nowhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
