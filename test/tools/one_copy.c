/*
 * one_copy.c: a program without MPI that allocates at random, as programs do: malloc, calloc,
 * realloc, aligned_alloc, posix_memalign and free. Several threads do so, around the size from
 * which blocks are large, and fork in between. Each block must keep what was written to it. Usage:
 * one_copy [SEED] [mark]: with "mark" tells how many blocks lie in one region of 4 GiB.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 64, ROUNDS = 20000, THREADS = 3, FORKS = 6 };

struct block {
    unsigned char *memory;
    size_t bytes;
    unsigned char mark;
};

struct worker {
    struct block blocks[BLOCKS];
    unsigned random;
    const char *wrong;
};

static unsigned draw(struct worker *worker, unsigned below)
{
    worker->random = worker->random * 1664525u + 1013904223u;
    return (worker->random >> 8) % below;
}

static size_t draw_bytes(struct worker *worker)
{
    static const size_t most[] = {100, 16 << 10, 20 << 10, 200 << 10, 3 << 20};
    return 1 + draw(worker, (unsigned)most[draw(worker, 64) == 0 ? 4 : draw(worker, 4)]);
}

static bool holds(const struct block *block, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += 1 + bytes / 64)
        if (block->memory[i] != block->mark)
            return false;
    return bytes == 0 || block->memory[bytes - 1] == block->mark;
}

static void write_block(struct worker *worker, struct block *block, size_t bytes)
{
    block->bytes = bytes;
    block->mark = (unsigned char)(1 + draw(worker, 255));
    memset(block->memory, block->mark, bytes);
    if (malloc_usable_size(block->memory) < bytes)
        worker->wrong = "malloc_usable_size is less than was asked for";
}

static void allocate(struct worker *worker, struct block *block)
{
    const size_t bytes = draw_bytes(worker), alignment = (size_t)64 << draw(worker, 15);
    void *memory = NULL;
    errno = 77;
    switch (draw(worker, 5)) {
    case 0:
        memory = calloc(1 + bytes / 8, 8);
        for (size_t i = 0; memory != NULL && i < bytes; i++)
            if (((unsigned char *)memory)[i] != 0)
                worker->wrong = "calloc's block is not zero";
        break;
    case 1:
        memory = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
        if ((uintptr_t)memory % alignment != 0)
            worker->wrong = "aligned_alloc's block is not aligned";
        break;
    case 2:
        if (posix_memalign(&memory, alignment, bytes) != 0 || (uintptr_t)memory % alignment != 0)
            worker->wrong = "posix_memalign failed";
        break;
    default:
        memory = malloc(bytes);
        break;
    }
    if (memory == NULL || errno != 77) {
        worker->wrong = "an allocation failed, or changed errno";
        return;
    }
    block->memory = memory;
    write_block(worker, block, bytes);
}

static void resize(struct worker *worker, struct block *block)
{
    const size_t bytes = draw_bytes(worker), kept = bytes < block->bytes ? bytes : block->bytes;
    unsigned char *memory = realloc(block->memory, bytes);
    if (memory == NULL) {
        worker->wrong = "realloc failed";
        return;
    }
    block->memory = memory;
    if (!holds(block, kept))
        worker->wrong = "realloc lost what was there";
    write_block(worker, block, bytes);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    for (int i = 0; i < ROUNDS && worker->wrong == NULL; i++) {
        struct block *block = &worker->blocks[draw(worker, BLOCKS)];
        if (block->memory == NULL) {
            allocate(worker, block);
            continue;
        }
        if (!holds(block, block->bytes))
            worker->wrong = "a block does not hold what was written to it";
        if (draw(worker, 3) == 0) {
            resize(worker, block);
            continue;
        }
        free(block->memory);
        block->memory = NULL;
    }
    for (int b = 0; b < BLOCKS; b++)
        if (worker->blocks[b].memory != NULL && !holds(&worker->blocks[b], worker->blocks[b].bytes))
            worker->wrong = "a block does not hold what was written to it, at the end";
    return NULL;
}

/* What a child finds and does is its own. */
static const char *fork_once(struct worker *worker)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        work(worker);
        _exit(worker->wrong != NULL);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return "a child's blocks were wrong";
    work(worker);
    return worker->wrong;
}

static int count_in_region(const struct worker *worker)
{
    int count = 0;
    for (int b = 0; b < BLOCKS; b++)
        count += worker->blocks[b].memory != NULL && worker->blocks[b].bytes >= 16 << 10 &&
                 (uintptr_t)worker->blocks[b].memory % 4096 == 0;
    return count;
}

int main(int argc, char **argv)
{
    static struct worker workers[THREADS + 1];
    pthread_t threads[THREADS];
    const char *wrong = NULL;
    for (int i = 0; i <= THREADS; i++)
        workers[i].random = (unsigned)(argc > 1 ? argv[1][0] : 0) + 77u * (unsigned)i;
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            return 2;
    for (int i = 0; i < FORKS && wrong == NULL; i++) /* while the others allocate */
        wrong = fork_once(&workers[THREADS]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        wrong = wrong == NULL ? workers[i].wrong : wrong;
    }
    if (wrong != NULL)
        fprintf(stderr, "one_copy: %s\n", wrong);
    printf("%d large blocks at pages\n", count_in_region(&workers[0]));
    return wrong != NULL;
}
