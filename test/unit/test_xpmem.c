/* Attachments of a process's memory: windows that are kept, shared by vectors side by side, given
 * up when there are too many, and never while they are in use. Over the stand-in for libxpmem,
 * where it is built; the process attaches memory of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>

#include "heap/xpmem.h"

enum {
    WINDOW = ALLFOLD_XPMEM_WINDOW_BYTES,
    MOST = ALLFOLD_XPMEM_MOST_WINDOWS,
    WINDOWS = MOST + 20
};

static char *region; /* of WINDOWS windows, in a file, which takes no memory where it is empty */

static int open_region(void **state)
{
    (void)state;
    const size_t bytes = (size_t)(WINDOWS + 1) * WINDOW;
    const int file = memfd_create("vectors", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
        return -1;
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED)
        return -1;
    region = memory + (WINDOW - (uintptr_t)memory % WINDOW) % WINDOW;
    return 0;
}

static int forget(void **state)
{
    (void)state;
    allfold_xpmem_forget();
    return 0;
}

static struct allfold_xpmem_process *open_self(void)
{
    const struct allfold_xpmem_share share = allfold_xpmem_share();
    if (allfold_xpmem_missing() != NULL) {
        printf("skipped: %s\n", allfold_xpmem_missing());
        assert_int_equal(share.segment, 0);
        assert_null(allfold_xpmem_open(&share));
        skip();
    }
    struct allfold_xpmem_process *process = allfold_xpmem_open(&share);
    assert_non_null(process);
    assert_ptr_equal(process, allfold_xpmem_open(&share));
    assert_int_equal(allfold_xpmem_windows(process), 1); /* that of the word */
    return process;
}

static const char *attach(struct allfold_xpmem_process *process, size_t offset, size_t bytes)
{
    const char *memory = allfold_xpmem_attach(process, (uintptr_t)(region + offset), bytes);
    assert_non_null(memory);
    assert_ptr_not_equal(memory, region + offset);
    return memory;
}

static void test_windows_are_shared(void **state)
{
    (void)state;
    struct allfold_xpmem_process *process = open_self();
    strcpy(region + 100, "first");
    strcpy(region + WINDOW - 3, "across");
    const char *first = attach(process, 100, 6), *second = attach(process, 5000, 100);
    assert_string_equal(first, "first");
    assert_ptr_equal(second, first + 4900);
    assert_int_equal(allfold_xpmem_windows(process), 2);
    const char *across = attach(process, WINDOW - 3, 7);
    assert_string_equal(across, "across");
    assert_int_equal(allfold_xpmem_windows(process), 3);
    strcpy(region + 100, "later"); /* what changes is seen */
    assert_string_equal(first, "later");
    assert_ptr_equal(attach(process, WINDOW + 4, 4), across + 7); /* the window of both units */
    for (int i = 0; i < 2; i++)
        allfold_xpmem_detach(process, i == 0 ? first : across);
    assert_int_equal(allfold_xpmem_windows(process), 3); /* kept */
}

static void test_old_windows_go(void **state)
{
    (void)state;
    struct allfold_xpmem_process *process = open_self();
    for (size_t i = 0; i < WINDOWS; i++) {
        region[i * WINDOW + 7] = (char)i;
        const char *memory = attach(process, i * WINDOW + 7, 1);
        assert_int_equal(*memory, (char)i);
        allfold_xpmem_detach(process, memory);
        assert_in_range(allfold_xpmem_windows(process), 1, MOST);
    }
    assert_int_equal(allfold_xpmem_windows(process), MOST);
    const char *newest = attach(process, (size_t)(WINDOWS - 1) * WINDOW, 1);
    assert_int_equal(newest[7], (char)(WINDOWS - 1));
    assert_int_equal(allfold_xpmem_windows(process), MOST);
}

static void test_windows_in_use_stay(void **state)
{
    (void)state;
    struct allfold_xpmem_process *process = open_self();
    const char *memory[WINDOWS];
    for (size_t i = 0; i < WINDOWS; i++) {
        region[i * WINDOW] = (char)(i + 1);
        memory[i] = attach(process, i * WINDOW, 1);
    }
    assert_in_range(allfold_xpmem_windows(process), WINDOWS, WINDOWS + 1);
    for (size_t i = 0; i < WINDOWS; i++) {
        assert_int_equal(*memory[i], (char)(i + 1));
        allfold_xpmem_detach(process, memory[i]);
    }
}

/* Near the end of all addresses no whole window can be attached, but pages can. */
static void test_pages_where_no_window_fits(void **state)
{
    (void)state;
    struct allfold_xpmem_process *process = open_self();
    const uintptr_t last = (UINT64_C(1) << 47) - 4096;
    const void *memory = allfold_xpmem_attach(process, last - 100, 200);
    assert_non_null(memory);
    allfold_xpmem_detach(process, memory);
    assert_null(allfold_xpmem_attach(process, last, 3 * 4096)); /* beyond them */
    assert_int_equal(allfold_xpmem_windows(process), 0);        /* all were given up for it */
}

/* Numbers of processes are not enough: the memory of another one has another word. */
static void test_another_process(void **state)
{
    (void)state;
    open_self();
    struct allfold_xpmem_share share = allfold_xpmem_share();
    share.word++;
    assert_null(allfold_xpmem_open(&share));
    share.segment = 0;
    assert_null(allfold_xpmem_open(&share));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_windows_are_shared, forget),
        cmocka_unit_test_teardown(test_old_windows_go, forget),
        cmocka_unit_test_teardown(test_windows_in_use_stay, forget),
        cmocka_unit_test_teardown(test_pages_where_no_window_fits, forget),
        cmocka_unit_test_teardown(test_another_process, forget),
    };
    return cmocka_run_group_tests(tests, open_region, NULL);
}
