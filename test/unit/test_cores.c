/* Which cores processes share, and what quotas say. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "support.h"
#include "support_files.h"
#include "util/cores.h"
#include "util/machine_key.h"

static struct allfold_cores cores(uint64_t low, int64_t quota)
{
    return (struct allfold_cores){.words = {low}, .quota = quota};
}

static bool are_shared(int count, const uint64_t *sets)
{
    struct allfold_cores each[8];
    for (int i = 0; i < count; i++)
        each[i] = cores(sets[i], INT32_MAX);
    return allfold_cores_are_shared(each, count);
}

static void test_sets(void **state)
{
    (void)state;
    static const uint64_t unbound[] = {3, 3, 3}, sockets[] = {3, 3, 12, 12}, apart[] = {1, 2, 4, 8},
                          one_core[] = {1, 1, 4, 8}, nested[] = {3, 1, 2}, full[] = {15, 1, 2, 12};
    assert_false(are_shared(2, unbound));
    assert_true(are_shared(3, unbound));
    assert_false(are_shared(4, sockets)); /* each is bound to half of the cores */
    assert_false(are_shared(4, apart));
    assert_true(are_shared(4, one_core)); /* although there are as many cores as ranks */
    assert_true(are_shared(3, nested));
    assert_false(are_shared(4, full));
    struct allfold_cores far = cores(0, INT32_MAX), each[2] = {cores(1, INT32_MAX)};
    far.words[ALLFOLD_CORE_WORDS - 1] = UINT64_C(1) << 63;
    each[1] = far;
    assert_int_equal(allfold_cores_in_all(each, 2), 2);
    assert_false(allfold_cores_are_shared(each, 2));
}

static void test_quota_counts(void **state)
{
    (void)state;
    struct allfold_cores each[3] = {cores(15, 2), cores(15, 2), cores(15, 2)};
    assert_false(allfold_cores_are_shared(each, 2));
    assert_true(allfold_cores_are_shared(each, 3));
}

static const char *directory;

static int64_t quota(const char *groups)
{
    char path[128];
    files_write("groups", groups);
    snprintf(path, sizeof path, "%s/groups", directory);
    return allfold_cores_quota(path, directory);
}

static void test_quotas(void **state)
{
    (void)state;
    directory = files_begin();
    files_write("a/cpu.max", "250000 100000\n");
    files_write("a/b/cpu.max", "max 100000\n");
    files_write("a/c/cpu.max", "100000 100000\n");
    files_write("cpu/d/cpu.cfs_quota_us", "400000\n");
    files_write("cpu/d/cpu.cfs_period_us", "100000\n");
    files_write("cpu/cpu.cfs_quota_us", "-1\n");
    assert_int_equal(quota("0::/a\n"), 3);
    assert_int_equal(quota("0::/a/b\n"), 3); /* a group has no more than the one around it */
    assert_int_equal(quota("0::/a/c\n"), 1);
    assert_int_equal(quota("0::/\n"), INT32_MAX);
    assert_int_equal(quota("0::/gone\n"), INT32_MAX);
    assert_int_equal(quota("5:cpuset:/d\n4:cpu,cpuacct:/d\n"), 4);
    assert_int_equal(quota("5:cpuset:/d\n"), INT32_MAX);
    assert_int_equal(quota("4:cpu:/d\n0::/a/c\n"), 1);
    assert_int_equal(quota("no line of that kind\n:\n0\n"), INT32_MAX);
    files_write("cpu.max", "50000 100000\n");
    assert_int_equal(quota("0::/a\n"), 1);
    assert_int_equal(allfold_cores_quota("/nowhere", directory), INT32_MAX);
    files_end();
}

/* Cores 0-3 and 8-11 share one last-level cache, 4-7 another one; core 12 tells nothing. */
static void test_caches(void **state)
{
    (void)state;
    directory = files_begin();
    for (int i = 0; i < 12; i++) {
        char name[64];
        snprintf(name, sizeof name, "cpu%d/cache/index2/shared_cpu_list", i);
        files_write(name, "0-15\n"); /* a nearer cache does not count */
        snprintf(name, sizeof name, "cpu%d/cache/index3/shared_cpu_list", i);
        files_write(name, i / 4 == 1 ? "4-7\n" : "0-3,8-11\n");
    }
    static const struct {
        uint64_t cores;
        int64_t key;
    } cases[] = {{1, 1},    {0x0c, 1}, {0x800, 1}, {0xf0f, 1},  {0x10, 5},
                 {0xf0, 5}, {0x18, 0}, {0xfff, 0}, {0x1000, 0}, {0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct allfold_cores mine = cores(cases[i].cores, INT32_MAX);
        assert_int_equal(allfold_cache_key(&mine, directory), cases[i].key);
    }
    files_write("cpu0/cache/index3/shared_cpu_list", "0-9999\n");
    const struct allfold_cores first = cores(1, INT32_MAX);
    assert_int_equal(allfold_cache_key(&first, directory), 0);
    files_end();
}

static void test_process(void **state)
{
    (void)state;
    const struct allfold_cores mine = allfold_cores_of_process();
    assert_true(allfold_cores_in_all(&mine, 1) >= 1);
    assert_true(mine.quota >= 1);
}

enum { NEW_TIME = 0x80 }; /* CLONE_NEWTIME, which older headers lack */

/* What a child finds, in namespaces of its own where `namespaces` says which; -1: it has none. */
static int64_t key_of_child(int64_t (*find)(void), int namespaces)
{
    int ends[2], status;
    int64_t seen = -2;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (namespaces != 0 && unshare(namespaces) != 0) {
            seen = -1;
            _exit(write(ends[1], &seen, sizeof seen) != sizeof seen);
        }
        const pid_t inner = fork(); /* the first process in a new time namespace is a child */
        if (inner == 0) {
            seen = find();
            _exit(write(ends[1], &seen, sizeof seen) != sizeof seen);
        }
        _exit(waitpid(inner, &status, 0) != inner || status != 0);
    }
    assert_int_equal(read(ends[0], &seen, sizeof seen), sizeof seen);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return seen;
}

/* Alike in each process of the machine, and of 63 bits. */
static void test_machine(void **state)
{
    (void)state;
    const int64_t key = allfold_machine_key();
    assert_true(key >= 0 && allfold_machine_cores() >= 1);
    if (access("/proc/sys/kernel/random/boot_id", R_OK) == 0)
        assert_true(key > 0);
    assert_true(key_of_child(allfold_machine_key, 0) == key);
}

/* A time namespace has a clock of its own, and only its processes share it. */
static void test_clock_key(void **state)
{
    (void)state;
    const int64_t key = allfold_clock_key();
    assert_true(key >= 0);
    if (access("/proc/sys/kernel/random/boot_id", R_OK) == 0)
        assert_true(key > 0 && key != allfold_machine_key());
    assert_true(key_of_child(allfold_clock_key, 0) == key);
    const int64_t other = key_of_child(allfold_clock_key, NEW_TIME);
    if (other == -1)
        print_message("skipped: the clock of another time namespace (unshare is refused)\n");
    else
        assert_true(other > 0 && other != key);
}

/* All cores get as many, whichever the seed, and the process may run on all of them afterwards. */
static void test_dealing(void **state)
{
    (void)state;
    enum { DEALS = 16, EACH = 3, MOST = 64 };
    const struct allfold_cores before = allfold_cores_of_process();
    const int all = allfold_cores_in_all(&before, 1);
    const int cores = all < MOST ? all : MOST, processes = EACH * all;
    bool differ = false;
    for (uint64_t seed = 0; seed < DEALS; seed++) {
        int dealt[ALLFOLD_CORE_WORDS * 64] = {0};
        for (int i = 0; i < processes; i++) {
            const int core = allfold_cores_deal(seed, i, processes);
            assert_in_range(core, 0, ALLFOLD_CORE_WORDS * 64 - 1);
            assert_true(before.words[core / 64] >> core % 64 & 1);
            dealt[core]++;
            differ |= i < cores && core != allfold_cores_deal(seed + 1, i, processes);
        }
        for (int core = 0; core < ALLFOLD_CORE_WORDS * 64; core++)
            assert_true(dealt[core] == 0 || dealt[core] == EACH);
    }
    assert_true(differ == (all > 1));
    const struct allfold_cores after = allfold_cores_of_process();
    assert_memory_equal(&before, &after, sizeof before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),    cmocka_unit_test(test_quota_counts),
        cmocka_unit_test(test_quotas),  cmocka_unit_test(test_process),
        cmocka_unit_test(test_machine), cmocka_unit_test(test_clock_key),
        cmocka_unit_test(test_caches),  cmocka_unit_test(test_dealing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
