/*
 * test_one_copy.c: vectors of malloc, calloc, realloc and posix_memalign in reductions, while the
 * program forks children that write to all of them, resizes and frees. With --threads, threads of
 * their own allocate, resize and free beside that.
 */
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 2048, KINDS = 4, MOST_THREADS = 4, BLOCKS = 8 };

static int is_shared = -1, rounds = 60, threads = 0;
static atomic_bool is_over;
static _Atomic(const char *) lost; /* what a thread found wrong */

static double *allocate(int kind, size_t count)
{
    const size_t bytes = count * sizeof(double);
    void *memory = NULL;
    switch (kind) {
    case 0:
        memory = malloc(bytes);
        break;
    case 1:
        memory = calloc(count, sizeof(double));
        for (size_t i = 0; memory != NULL && i < count; i++)
            if (((double *)memory)[i] != 0) {
                check_fail("element %zu of calloc's vector is not 0", i);
                break;
            }
        break;
    case 2:
        memory = malloc(100);
        memory = memory == NULL ? NULL : realloc(memory, bytes);
        break;
    default:
        if (posix_memalign(&memory, 64, bytes) != 0)
            memory = NULL;
        break;
    }
    if (memory == NULL)
        check_fail("no memory for %zu doubles", count);
    else if (is_shared >= 0 && count >= LARGE)
        check_equal("a large vector is shared", is_shared, check_is_in_file(memory));
    return memory;
}

/* A child that finds what its parent has, and writes all over it. */
static void fork_once(double *in, size_t count)
{
    int status = 0;
    const double last = in[count - 1];
    const pid_t child = fork();
    if (child == 0) {
        const bool is_right = in[count - 1] == last && (is_shared < 1 || !check_is_in_file(in));
        memset(in, 0, count * sizeof *in);
        free(in);
        _exit(!is_right);
    }
    in[0] += 1; /* the child must not see this, nor undo it */
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        check_fail("a child's copy was not what its parent had");
    in[0] -= 1;
}

static void one_round(uint64_t random)
{
    const int kind = (int)(random % KINDS), p = check_size();
    const size_t count = 1 + random / 8 % 40000, offset = random / 64 % 3;
    double *in = allocate(kind, count + offset), *out = allocate((kind + 1) % KINDS, count);
    if (in == NULL || out == NULL)
        return;
    for (size_t i = 0; i < count + offset; i++)
        in[i] = check_rank() + (double)(i % 1001);
    if (random / 1024 % 4 == 0 && (int)(random / 4096 % (uint64_t)p) == check_rank())
        fork_once(in, count);
    check_equal("MPI_Allreduce", MPI_SUCCESS,
                MPI_Allreduce(in + offset, out, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    free(in); /* others may read it no more */
    for (size_t i = 0; i < count; i++) {
        const double expected = p * (p - 1) / 2.0 + p * (double)((i + offset) % 1001);
        if (out[i] != expected) {
            check_fail("element %zu of %zu is %g, not %g", i, count, out[i], expected);
            break;
        }
    }
    double *longer = realloc(out, 2 * count * sizeof *out);
    if (longer == NULL || longer[0] != p * (p - 1) / 2.0 + p * (double)offset)
        check_fail("realloc lost the result");
    free(longer);
}

struct block {
    unsigned char *memory, mark;
    size_t bytes;
};

/* A block of another size, which must keep what both sizes have. */
static void resize(struct block *block, size_t bytes)
{
    const size_t kept = bytes < block->bytes ? bytes : block->bytes;
    unsigned char *memory = realloc(block->memory, bytes);
    if (memory == NULL) {
        lost = "realloc failed in a thread";
        return;
    }
    for (size_t i = 0; i < kept; i += 509)
        if (memory[i] != block->mark)
            lost = "a thread's block lost what was written to it";
    block->mark++;
    memset(memory, block->mark, bytes);
    block->memory = memory;
    block->bytes = bytes;
}

static void *allocate_beside(void *argument)
{
    struct block blocks[BLOCKS] = {{NULL, 0, 0}};
    uint32_t random = (uint32_t)(size_t)argument;
    while (!is_over && lost == NULL) {
        random = random * 1664525u + 1013904223u;
        struct block *block = &blocks[random >> 8 & (BLOCKS - 1)];
        if ((random >> 12 & 3) != 0) {
            resize(block, 1 + (random >> 14));
            continue;
        }
        free(block->memory);
        *block = (struct block){NULL, 0, 0};
    }
    for (int i = 0; i < BLOCKS; i++)
        free(blocks[i].memory);
    return NULL;
}

static void run(void)
{
    pthread_t thread[MOST_THREADS];
    int count = 0;
    while (count < threads && count < MOST_THREADS &&
           pthread_create(&thread[count], NULL, allocate_beside, (void *)(size_t)(count + 1)) == 0)
        count++;
    for (int round = 0; round < rounds; round++)
        if (check_case("round %d", round)) {
            one_round(check_random(0, (uint64_t)round, check_seed()));
            if (lost != NULL)
                check_fail("%s", lost);
        }
    is_over = true;
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"shared", "whether large vectors are to be shared, 0 or 1", &is_shared, 0, NULL},
        {"rounds", "rounds of allocating, reducing and freeing", &rounds, 1, NULL},
        {"threads", "threads that allocate beside that, 4 at most", &threads, 0, NULL}};
    static const struct check_program program = {
        .doc = "Checks vectors of malloc while the program forks.",
        .run = run,
        .flags = flags,
        .flag_count = 3};
    return check_main(argc, argv, &program);
}
