/* The heap: blocks that hold what is written, memory that goes back to the system, and another
 * process that maps it. Children of forks have copies of their own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "heap/heap.h"
#include "heap/shared_file.h"

enum { MIB = 1 << 20 };

static const struct allfold_heap *const heap = &allfold_own_heap;

/* Where there is none, the reason is the machine's. */
static void need_heap(void)
{
    if (heap->file().descriptor >= 0)
        return;
    print_message("no heap here: %s\n", heap->missing());
    skip();
}

static size_t file_bytes(void)
{
    struct stat status;
    assert_int_equal(fstat(heap->file().descriptor, &status), 0);
    return (size_t)status.st_blocks * 512;
}

static unsigned char *allocate(size_t bytes)
{
    unsigned char *block = heap->allocate(bytes, 1, false);
    assert_non_null(block);
    assert_true(heap->length(block) >= bytes);
    return block;
}

static void test_blocks(void **state)
{
    (void)state;
    need_heap();
    unsigned char *first = allocate(5 * MIB), *second = allocate(20000);
    memset(first, 1, 5 * MIB);
    memset(second, 2, 20000);
    assert_int_equal(heap->length(first + 4096), 0);
    assert_false(heap->release(first + 1));
    assert_false(heap->release(&state));
    assert_false(heap->resize(first, 6 * MIB)); /* the second one is in the way */
    assert_true(heap->resize(first, 4 * MIB));
    assert_int_equal(heap->length(first), 4 * MIB);
    unsigned char *zeroed = heap->allocate(MIB, 1, true); /* where the first one wrote before */
    for (int i = 0; i < MIB; i++)
        assert_int_equal(zeroed[i], 0);
    assert_true(first[4 * MIB - 1] == 1 && second[19999] == 2);
    unsigned char *aligned = heap->allocate(20000, 1 << 20, false);
    assert_int_equal((uintptr_t)aligned % (1 << 20), 0);
    assert_null(heap->allocate(SIZE_MAX, 1, false));
    assert_null(heap->allocate((size_t)1 << 50, 1, false));
    assert_true(heap->release(aligned) && heap->release(zeroed) && heap->release(second));
    assert_true(heap->release(first));
    assert_false(heap->release(first));
}

/* A page takes memory when somebody writes there first, so that its core decides where. */
static void test_first_touch(void **state)
{
    (void)state;
    need_heap();
    const size_t before = file_bytes();
    unsigned char *block = allocate(100 * MIB);
    unsigned char *zeroed = heap->allocate(100 * MIB, 1, true);
    assert_non_null(zeroed);
    assert_true(file_bytes() < before + MIB);
    memset(block + 50 * MIB, 1, 5 * MIB);
    assert_true(file_bytes() >= before + 5 * MIB && file_bytes() < before + 8 * MIB);
    assert_true(heap->release(block) && heap->release(zeroed));
}

static void test_goes_back(void **state)
{
    (void)state;
    need_heap();
    const size_t before = file_bytes();
    unsigned char *large = allocate(200 * MIB);
    memset(large, 1, 200 * MIB);
    assert_true(file_bytes() >= before + 200 * MIB);
    assert_true(heap->release(large));
    assert_true(file_bytes() <= before + 40 * MIB); /* 32 MiB may stay */
    large = heap->allocate(200 * MIB, 1, true);
    for (int i = 0; i < 200 * MIB; i += 4096)
        assert_int_equal(large[i], 0);
    assert_true(heap->release(large));
}

/* How often memory is taken anew for blocks that come and go, after so much was freed: what goes
 * back to the system and comes again takes a page fault each time. */
static long faults_of_temporaries(size_t freed_bytes, size_t bytes)
{
    enum { ROUNDS = 200 };
    struct rusage before, after;
    unsigned char *large = allocate(freed_bytes);
    memset(large, 1, freed_bytes);
    assert_true(heap->release(large));
    for (int i = -2; i < ROUNDS; i++) {
        if (i == 0)
            getrusage(RUSAGE_SELF, &before);
        unsigned char *first = allocate(bytes), *second = allocate(2 * bytes);
        memset(first, 1, bytes);
        memset(second, 2, 2 * bytes);
        assert_true(heap->release(first) && heap->release(second));
    }
    getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt - before.ru_minflt;
}

static void test_temporaries_stay(void **state)
{
    (void)state;
    need_heap();
    for (size_t freed = 8 * MIB; freed <= 128 * MIB; freed *= 2)
        for (size_t bytes = 32 << 10; bytes <= 4 * MIB; bytes *= 2) {
            const long faults = faults_of_temporaries(freed, bytes);
            if (faults > 20)
                fail_msg("after %zu bytes were freed, 200 times two blocks of %zu bytes and more "
                         "take %ld page faults",
                         freed, bytes, faults);
        }
}

/* Nor do many short blocks that lie free keep temporaries from that. */
static void test_temporaries_stay_between_fragments(void **state)
{
    enum { COUNT = 260, BYTES = 120 << 10 };
    static unsigned char *blocks[COUNT], *staying[COUNT];
    (void)state;
    need_heap();
    for (int i = 0; i < COUNT; i++) {
        memset(blocks[i] = allocate(BYTES), 1, BYTES);
        staying[i] = allocate(20 << 10);
    }
    for (int i = 0; i < COUNT; i++)
        assert_true(heap->release(blocks[i]));
    for (size_t bytes = 256 << 10; bytes <= 4 * MIB; bytes *= 2)
        assert_in_range(faults_of_temporaries(bytes, bytes), 0, 20);
    for (int i = 0; i < COUNT; i++)
        assert_true(heap->release(staying[i]));
}

/* What lies free between blocks is little beside these. */
static void test_fragments_go_back(void **state)
{
    enum { COUNT = 8000, BYTES = 20 << 10 };
    static unsigned char *blocks[COUNT];
    (void)state;
    need_heap();
    const size_t before = file_bytes();
    for (int i = 0; i < COUNT; i++)
        memset(blocks[i] = allocate(BYTES), 1, BYTES);
    for (int i = 0; i < COUNT; i++)
        if (i % 4 != 0)
            assert_true(heap->release(blocks[i]));
    const size_t used = (size_t)COUNT / 4 * BYTES;
    assert_true(file_bytes() <= before + 2 * used + 33 * MIB);
    for (int i = 0; i < COUNT; i += 4)
        assert_true(heap->release(blocks[i]));
    assert_true(file_bytes() <= before + 66 * MIB); /* 32 MiB of long pieces and of short ones */
}

static void test_another_process(void **state)
{
    (void)state;
    need_heap();
    unsigned char *block = allocate(MIB);
    const char *memory;
    size_t bytes;
    assert_true(heap->region(&memory, &bytes));
    const off_t offset = (char *)block - memory;
    const struct allfold_shared_file file = heap->file();
    int ready[2], done[2];
    char byte = 0;
    assert_int_equal(pipe(ready) + pipe(done), 0);
    const pid_t child = fork(); /* before it is written to: what it sees comes from the file */
    assert_true(child >= 0);
    if (child == 0) {
        close(ready[1]);
        const int descriptor = allfold_shared_file_open(&file, O_RDONLY);
        unsigned char *seen = mmap(NULL, MIB, PROT_READ, MAP_SHARED, descriptor, offset);
        const bool has_come = read(ready[0], &byte, 1) == 1;
        _exit(descriptor < 0 || seen == MAP_FAILED || !has_come || seen[MIB - 1] != 77);
    }
    block[MIB - 1] = 77;
    int status;
    assert_int_equal(write(ready[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(heap->release(block));
    for (int i = 0; i < 2; i++)
        close(ready[i]), close(done[i]);
}

static void test_named_file(void **state)
{
    (void)state;
    enum { BYTES = 12345 };
    const uint64_t name = (uint64_t)getpid() << 32 | 77;
    const struct allfold_shared_file file = allfold_shared_file_make_named(BYTES, name);
    if (file.descriptor < 0) {
        print_message("no files in /dev/shm here\n");
        skip();
    }
    assert_int_equal(allfold_shared_file_make_named(BYTES, name).descriptor, -1); /* it exists */
    struct stat status;
    assert_int_equal(fstat(file.descriptor, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_true(status.st_blocks * 512 >= BYTES); /* all of it is reserved */
    struct allfold_shared_file elsewhere = file;
    elsewhere.process = -1; /* another PID namespace */
    const int found = allfold_shared_file_open(&elsewhere, O_RDWR);
    assert_true(found >= 0);
    assert_int_equal(pwrite(file.descriptor, "x", 1, BYTES - 1), 1);
    char byte = 0;
    assert_int_equal(pread(found, &byte, 1, BYTES - 1), 1);
    assert_int_equal(byte, 'x');
    elsewhere.inode++; /* another file of the same name */
    assert_int_equal(allfold_shared_file_open(&elsewhere, O_RDWR), -1);
    allfold_shared_file_unlink(&file);
    assert_int_equal(allfold_shared_file_open(&file, O_RDWR), -1);
    close(found);
    close(file.descriptor);
    /* more than /dev/shm can have */
    assert_int_equal(allfold_shared_file_make_named((size_t)1 << 50, name).descriptor, -1);
    assert_int_equal(allfold_shared_file_make_named(BYTES, 0).descriptor, -1);
    const struct allfold_shared_file again = allfold_shared_file_make_named(BYTES, name);
    assert_true(again.descriptor >= 0); /* so the failure left no name behind */
    allfold_shared_file_unlink(&again);
    close(again.descriptor);
}

/* In a child: all that its parent had is there, and is its own. */
static int look_in_child(unsigned char *block, size_t bytes, int go, int done)
{
    char byte = 0;
    for (size_t i = 0; i < bytes; i++)
        if (block[i] != (unsigned char)(i % 251))
            return 1;
    memset(block, 200, bytes);
    if (write(done, &byte, 1) != 1 || read(go, &byte, 1) != 1)
        return 2;
    for (size_t i = 0; i < bytes; i++) /* the parent wrote in the meantime */
        if (block[i] != 200)
            return 3;
    if (heap->file().descriptor >= 0 || heap->length(block) < bytes)
        return 4;
    unsigned char *other = heap->allocate(3 * MIB, 1, true);
    for (size_t i = 0; other != NULL && i < 3 * MIB; i++)
        if (other[i] != 0)
            return 5;
    if (other == NULL || !heap->release(block) || !heap->release(other))
        return 6;
    const pid_t grandchild = fork();
    int status;
    if (grandchild == 0)
        _exit(heap->allocate(MIB, 1, true) == NULL);
    return waitpid(grandchild, &status, 0) == grandchild && status == 0 ? 0 : 7;
}

static void test_fork(void **state)
{
    enum { BYTES = 3 * MIB + 12345 };
    int go[2], done[2], status;
    char byte = 0;
    (void)state;
    need_heap();
    unsigned char *block = allocate(BYTES);
    for (size_t i = 0; i < BYTES; i++)
        block[i] = (unsigned char)(i % 251);
    assert_int_equal(pipe(go) + pipe(done), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(go[1]); /* else it waits for ever where its parent has ended */
        _exit(look_in_child(block, BYTES, go[0], done[1]));
    }
    close(done[1]); /* a child that has ended is seen */
    assert_int_equal(read(done[0], &byte, 1), 1);
    for (size_t i = 0; i < BYTES; i++) /* the child wrote in the meantime */
        assert_int_equal(block[i], i % 251);
    memset(block, 3, BYTES);
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(block[BYTES - 1], 3);
    assert_true(heap->file().descriptor >= 0);
    assert_true(heap->release(block));
    close(done[0]);
    close(go[0]);
    close(go[1]);
}

/* Where there is no memory for a copy at the fork, what the parent writes later shows in the
 * child's unused pages. A zeroed block is zeroed all the same. Most of the blocks are of pages that
 * were never used, but may be: the heap opens 16 MiB at a time. */
static void test_fork_without_copy(void **state)
{
    (void)state;
    need_heap();
    enum { BLOCKS = 24 };
    unsigned char *before[BLOCKS], *after[BLOCKS];
    int written[2], status;
    char byte = 0;
    struct rlimit limit;
    FILE *statm = fopen("/proc/self/statm", "r");
    unsigned long pages;
    for (int i = 0; i < BLOCKS; i++)
        before[i] = allocate(MIB);
    assert_int_equal(pipe(written), 0);
    assert_true(statm != NULL && fscanf(statm, "%lu", &pages) == 1);
    fclose(statm);
    assert_int_equal(getrlimit(RLIMIT_AS, &limit), 0);
    const struct rlimit tight = {(pages + 64) * (rlim_t)sysconf(_SC_PAGESIZE), limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
    const pid_t child = fork();
    setrlimit(RLIMIT_AS, &limit);
    assert_true(child >= 0);
    if (child == 0) {
        close(written[1]);
        if (read(written[0], &byte, 1) != 1)
            _exit(2);
        for (int i = 0; i < BLOCKS; i++) {
            const unsigned char *zeroed = heap->allocate(MIB, 1, true);
            for (size_t k = 0; zeroed != NULL && k < MIB; k++)
                if (zeroed[k] != 0)
                    _exit(3);
        }
        _exit(0);
    }
    for (int i = 0; i < BLOCKS; i++) {
        after[i] = allocate(MIB);
        memset(after[i], 77, MIB);
    }
    assert_int_equal(write(written[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    for (int i = 0; i < BLOCKS; i++)
        assert_true(heap->release(before[i]) && heap->release(after[i]));
    close(written[0]);
    close(written[1]);
}

static void *keep_allocating(void *argument)
{
    const unsigned char mark = (unsigned char)(uintptr_t)argument;
    for (int i = 0; i < 300; i++) {
        const size_t bytes = (size_t)(16 + i % 50) << 10;
        unsigned char *block = heap->allocate(bytes, 1, i % 2 == 0);
        if (block == NULL)
            return "no block";
        memset(block, mark, bytes);
        for (size_t k = 0; k < bytes; k += 997)
            if (block[k] != mark)
                return "somebody else wrote there";
        if (!heap->release(block))
            return "no block of the heap";
    }
    return NULL;
}

/* Forks while other threads allocate: no child hangs, and all can allocate. */
static void test_fork_with_threads(void **state)
{
    enum { THREADS = 3, FORKS = 20 };
    pthread_t threads[THREADS];
    (void)state;
    need_heap();
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_allocating, (void *)(i + 1)), 0);
    for (int i = 0; i < FORKS; i++) {
        int status;
        const pid_t child = fork();
        if (child == 0)
            _exit(keep_allocating((void *)9) != NULL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_first_touch),
        cmocka_unit_test(test_goes_back),
        cmocka_unit_test(test_another_process),
        cmocka_unit_test(test_named_file),
        cmocka_unit_test(test_temporaries_stay),
        cmocka_unit_test(test_temporaries_stay_between_fragments),
        cmocka_unit_test(test_fragments_go_back),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_fork_without_copy),
        cmocka_unit_test(test_fork_with_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
