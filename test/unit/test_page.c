/* Pages: what a process writes another one reads. A page whose process is gone is stale. What is
 * damaged, of another user's making or no page at all is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "events/page_reader.h"

static char directory[] = "/tmp/allfold-page-XXXXXX";
static int folder;
static struct allfold_page_copy copy;
static const char *why;

static int make_directory(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    folder = open(directory, O_RDONLY | O_DIRECTORY);
    return folder < 0 ? -1 : 0;
}

static int remove_directory(void **state)
{
    (void)state;
    return close(folder) + rmdir(directory);
}

/* The name of the only page; "" where there is none. */
static const char *name_of_page(void)
{
    static char name[NAME_MAX + 1];
    char prefix[ALLFOLD_PAGE_NAME_BYTES];
    DIR *stream = opendir(directory);
    name[0] = '\0';
    allfold_page_name_prefix(prefix);
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            strcpy(name, entry->d_name);
    closedir(stream);
    return name;
}

/* A process with a page, in which `change` is made; it waits until it is killed or asked to end. */
struct process {
    pid_t pid;
    int end; /* a byte there has it end */
};

static void live(void (*change)(struct allfold_page *page), int ready, int end)
{
    static struct allfold_open_page opened;
    static struct allfold_page_head head = {
        .job = 7, .pid = 1, .rank = 2, .p = 4, .nodes = 1, .begin_s = 1, .program = "a program"};
    char byte = 0;
    head.pid = getpid();
    head.opened = allfold_moment();
    if (!allfold_page_open(&opened, directory, &head))
        _exit(1);
    allfold_page_begin_write(opened.page);
    opened.page->figures.refreshed_s = allfold_monotonic_s();
    opened.page->figures.interval_s = 1;
    opened.page->figures.row_count = 1;
    opened.page->figures.rows[0].p = 4;
    strcpy(opened.page->figures.rows[0].call, "allreduce");
    opened.page->figures.rows[0].sums.all.calls = 5;
    allfold_page_end_write(opened.page);
    if (change != NULL)
        change(opened.page);
    if (write(ready, &byte, 1) == 1 && read(end, &byte, 1) == 1)
        allfold_page_close(&opened);
    _exit(0);
}

static struct process start(void (*change)(struct allfold_page *page))
{
    int ready[2], end[2];
    char byte;
    assert_int_equal(pipe(ready) + pipe(end), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ready[0]);
        close(end[1]); /* so that it ends with this process */
        live(change, ready[1], end[0]);
    }
    close(ready[1]);
    close(end[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return (struct process){pid, end[1]};
}

static void finish(const struct process *process, bool is_killed)
{
    if (is_killed)
        kill(process->pid, SIGKILL);
    else
        assert_int_equal(write(process->end, "", 1), 1);
    assert_int_equal(waitpid(process->pid, NULL, 0), process->pid);
    close(process->end);
}

static enum allfold_page_state read_page(void)
{
    return allfold_page_read(folder, name_of_page(), &copy, &why);
}

/* The page of a process in which `change` is made is read so; with BROKEN, for that reason. */
static void check(void (*change)(struct allfold_page *page), enum allfold_page_state expected,
                  const char *reason)
{
    const struct process process = start(change);
    assert_int_equal(read_page(), expected);
    if (reason != NULL)
        assert_non_null(strstr(why, reason));
    finish(&process, false);
    assert_string_equal(name_of_page(), "");
}

static void count_calls(struct allfold_page *page)
{
    allfold_page_enter(page, 5, ALLFOLD_BCAST);
    allfold_page_leave(page);
    allfold_page_enter(page, 5, ALLFOLD_BCAST);
}

static void test_running(void **state)
{
    (void)state;
    struct stat found;
    const struct process process = start(count_calls);
    assert_int_equal(read_page(), ALLFOLD_PAGE_RUNS);
    assert_int_equal(fstatat(folder, name_of_page(), &found, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    assert_int_equal(copy.head.pid, process.pid);
    assert_int_equal(copy.head.rank, 2);
    assert_int_equal(copy.head.job, 7);
    assert_string_equal(copy.head.program, "a program");
    assert_string_equal(copy.figures.rows[0].call, "allreduce");
    assert_int_equal(copy.figures.rows[0].sums.all.calls, 5);
    assert_int_equal(copy.calls, 1);
    assert_true(copy.in_call_s >= 0);
    assert_string_equal(copy.call, "bcast");
    assert_true(copy.age_s >= 0 && copy.age_s < 60);
    finish(&process, false);
    assert_string_equal(name_of_page(), "");
}

static void begin_untimed(struct allfold_page *page)
{
    allfold_page_enter(page, ALLFOLD_PAGE_NO_TICKS,
                       (enum allfold_collective)ALLFOLD_PASSED_alltoall);
}

static void begin_and_wait(struct allfold_page *page)
{
    allfold_page_shown = page;
    allfold_page_time_call(); /* in no call, so there is nothing to time */
    allfold_page_enter(page, ALLFOLD_PAGE_NO_TICKS,
                       (enum allfold_collective)ALLFOLD_PASSED_alltoall);
    allfold_page_time_call();
}

/* A call whose begin was not noted counts; one that waits has its time. */
static void test_untimed(void **state)
{
    (void)state;
    struct process process = start(begin_untimed);
    assert_int_equal(read_page(), ALLFOLD_PAGE_RUNS);
    assert_true(copy.in_call_s == 0);
    assert_string_equal(copy.call, "alltoall");
    finish(&process, false);
    process = start(begin_and_wait);
    assert_int_equal(read_page(), ALLFOLD_PAGE_RUNS);
    assert_true(copy.in_call_s > 0 && copy.in_call_s < 60);
    finish(&process, false);
}

static void test_killed(void **state)
{
    (void)state;
    const struct process process = start(NULL);
    finish(&process, true);
    assert_int_equal(read_page(), ALLFOLD_PAGE_STALE);
    assert_int_equal(copy.head.pid, process.pid);
    assert_int_equal(unlinkat(folder, name_of_page(), 0), 0);
}

static void break_sequence(struct allfold_page *page)
{
    allfold_page_begin_write(page);
}

static void break_magic(struct allfold_page *page)
{
    page->head.magic[3] = 'x';
}

static void break_version(struct allfold_page *page)
{
    page->head.version++;
}

static void break_rank(struct allfold_page *page)
{
    page->head.rank = 4;
}

static void break_rows(struct allfold_page *page)
{
    page->figures.row_count = ALLFOLD_PAGE_ROWS + 1;
}

static void break_late(struct allfold_page *page)
{
    page->figures.late_count = 1;
    page->figures.late[0].rank = -1;
}

static void break_sum(struct allfold_page *page)
{
    page->figures.own.recent.waiting_s = NAN;
}

static void empty_head(struct allfold_page *page)
{
    memset(&page->head, 0, sizeof page->head);
}

static void test_broken(void **state)
{
    (void)state;
    check(NULL, ALLFOLD_PAGE_RUNS, NULL);
    check(empty_head, ALLFOLD_PAGE_STARTING, NULL);
    check(break_sequence, ALLFOLD_PAGE_BROKEN, "damaged");
    check(break_magic, ALLFOLD_PAGE_BROKEN, "no page of Allfold");
    check(break_version, ALLFOLD_PAGE_BROKEN, "another version");
    check(break_rank, ALLFOLD_PAGE_BROKEN, "damaged");
    check(break_rows, ALLFOLD_PAGE_BROKEN, "damaged");
    check(break_late, ALLFOLD_PAGE_BROKEN, "damaged");
    check(break_sum, ALLFOLD_PAGE_BROKEN, "damaged");
}

static void write_escapes(struct allfold_page *page)
{
    memset(page->head.program, 'a', sizeof page->head.program);
    memcpy(page->figures.rows[0].call, "\033[2J\xff", 6);
}

/* A terminal would obey what is no letter. */
static void test_texts(void **state)
{
    (void)state;
    check(write_escapes, ALLFOLD_PAGE_RUNS, NULL);
    assert_int_equal(strlen(copy.head.program), sizeof copy.head.program - 1);
    assert_string_equal(copy.figures.rows[0].call, "?[2J?");
}

static void test_files(void **state)
{
    (void)state;
    char path[NAME_MAX + 1];
    allfold_page_name_prefix(path);
    strcat(path, "1-a");
    assert_int_equal(symlinkat("/dev/null", folder, path), 0);
    assert_int_equal(read_page(), ALLFOLD_PAGE_BROKEN);
    assert_non_null(strstr(why, "a link"));
    assert_int_equal(unlinkat(folder, path, 0), 0);
    assert_int_equal(mkfifoat(folder, path, 0600), 0);
    assert_int_equal(read_page(), ALLFOLD_PAGE_BROKEN);
    assert_non_null(strstr(why, "no file"));
    assert_int_equal(unlinkat(folder, path, 0), 0);
    const int file = openat(folder, path, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(read_page(), ALLFOLD_PAGE_STARTING);
    assert_int_equal(write(file, "text", 4), 4);
    assert_int_equal(read_page(), ALLFOLD_PAGE_BROKEN);
    assert_non_null(strstr(why, "no page of Allfold"));
    assert_int_equal(fchmod(file, 0604), 0);
    assert_int_equal(read_page(), ALLFOLD_PAGE_BROKEN);
    assert_non_null(strstr(why, "0600"));
    close(file);
    assert_int_equal(unlinkat(folder, path, 0), 0);
    assert_int_equal(allfold_page_read(folder, path, &copy, &why), ALLFOLD_PAGE_STARTING);
}

/* Of a page in a directory that is not there, errno says why. */
static void test_no_directory(void **state)
{
    (void)state;
    static struct allfold_open_page opened;
    const struct allfold_page_head head = {.p = 1};
    assert_false(allfold_page_open(&opened, "/nowhere", &head));
    allfold_page_close(&opened);
}

static void test_sums(void **state)
{
    (void)state;
    const struct allfold_sums before = {.calls = 3, .seconds = 1.5, .last = 1},
                              all = {.calls = 10,
                                     .seconds = 4,
                                     .last = 3,
                                     .behind_s = 2,
                                     .chance_s = 1.5,
                                     .squares = 4};
    struct allfold_page_sums sums;
    allfold_page_add_up(&sums, &before, &all);
    assert_int_equal(sums.all.calls, 10);
    assert_int_equal(sums.recent.calls, 7);
    assert_int_equal(sums.recent.last, 2);
    assert_true(sums.recent.seconds == 2.5 && sums.recent.behind_s == 2);
    assert_true(sums.recent.chance_s == 1.5 && sums.recent.squares == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_running),      cmocka_unit_test(test_untimed),
        cmocka_unit_test(test_killed),       cmocka_unit_test(test_broken),
        cmocka_unit_test(test_texts),        cmocka_unit_test(test_files),
        cmocka_unit_test(test_no_directory), cmocka_unit_test(test_sums),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
