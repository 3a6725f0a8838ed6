/* How programs allocate: temporaries, vectors that grow, arrays of the length that a call needs,
 * threads, interleaved blocks; as the program begins, after it freed much, and between blocks that
 * stay. `bench/heap` runs it with the C library's malloc and with `--one-copy`'s.
 * A line each: pattern, KiB, state, microseconds a round (the median). */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KIB = 1 << 10, MIB = 1 << 20, TIMES = 15 };

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e6 * (double)time.tv_sec + 1e-3 * (double)time.tv_nsec;
}

static char *allocate(size_t bytes)
{
    char *memory = malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "bench_heap_patterns: no memory\n");
        exit(1);
    }
    return memory;
}

static char *written(size_t bytes)
{
    char *memory = allocate(bytes);
    memset(memory, 1, bytes);
    __asm__ volatile("" : : "r"(memory) : "memory");
    return memory;
}

/* --- patterns: a round of each --- */

static void temporary(size_t bytes)
{
    free(written(bytes));
}

/* As an expression of arrays has them: two at a time. */
static void expression(size_t bytes)
{
    char *last = written(bytes);
    for (int i = 0; i < 4; i++) {
        char *next = written(bytes);
        free(last);
        last = next;
    }
    free(last);
}

/* As std::vector does it, which cannot realloc. */
static void growing(size_t bytes)
{
    size_t have = 64;
    char *vector = written(have);
    while (have < bytes) {
        char *longer = allocate(2 * have);
        memcpy(longer, vector, have);
        memset(longer + have, 1, have);
        free(vector);
        vector = longer;
        have *= 2;
    }
    free(vector);
}

static void reallocated(size_t bytes)
{
    char *vector = NULL;
    for (size_t have = 4 * KIB, last = 0; have <= bytes; last = have, have += have / 2) {
        vector = realloc(vector, have);
        if (vector == NULL)
            exit(1);
        memset(vector + last, 1, have - last);
    }
    free(vector);
}

/* As Fortran's automatic arrays and C++ functions with vectors of their own: nested, other lengths
 * in each call. */
static void automatic(size_t bytes)
{
    char *a = written(bytes), *b = written(bytes / 2), *c = written(bytes / 4 + 100);
    free(c);
    c = written(bytes / 3 + 200);
    free(c);
    free(b);
    free(a);
}

static void zeroed(size_t bytes)
{
    char *memory = calloc(bytes, 1);
    if (memory == NULL)
        exit(1);
    for (size_t i = 0; i < bytes; i += 4 * KIB)
        memory[i] = 1;
    free(memory);
}

static void *use_temporaries(void *bytes)
{
    for (int i = 0; i < 50; i++)
        expression((size_t)(uintptr_t)bytes);
    return NULL;
}

static void threads(size_t bytes)
{
    pthread_t other;
    if (pthread_create(&other, NULL, use_temporaries, (void *)(uintptr_t)bytes) != 0)
        exit(1);
    use_temporaries((void *)(uintptr_t)bytes);
    pthread_join(other, NULL);
}

/* Every other block goes, then all. */
static void interleaved(size_t bytes)
{
    enum { COUNT = 10000 };
    static char *blocks[COUNT];
    for (int i = 0; i < COUNT; i++)
        blocks[i] = written(bytes);
    for (int i = 0; i < COUNT; i += 2)
        free(blocks[i]);
    for (int i = 1; i < COUNT; i += 2)
        free(blocks[i]);
}

/* --- states of the program --- */

enum { MUCH = 96, STAYING = 400 };
static char *staying[STAYING];

static void begin_fresh(void)
{
}

static void free_much(void)
{
    static char *blocks[MUCH];
    for (int i = 0; i < MUCH; i++)
        blocks[i] = written(MIB);
    for (int i = 0; i < MUCH; i++)
        free(blocks[i]);
    free(written((size_t)MUCH * MIB));
}

static void fragment(void)
{
    static char *blocks[STAYING];
    for (int i = 0; i < STAYING; i++) {
        blocks[i] = written((size_t)(20 + i * 7 % 200) * KIB);
        staying[i] = written(24 * KIB);
    }
    for (int i = 0; i < STAYING; i++)
        free(blocks[i]);
}

static const struct {
    const char *name;
    void (*bring)(void);
} states[] = {{"at the start", begin_fresh}, {"much freed", free_much}, {"fragmented", fragment}};

static const struct {
    const char *name;
    void (*round)(size_t bytes);
    size_t from, to;
    int rounds;
} patterns[] = {{"temporary", temporary, KIB, 4 * MIB, 64},
                {"expression", expression, 16 * KIB, 4 * MIB, 16},
                {"growing vector", growing, 64 * KIB, 4 * MIB, 16},
                {"realloc", reallocated, 64 * KIB, 4 * MIB, 16},
                {"automatic arrays", automatic, 16 * KIB, 4 * MIB, 16},
                {"calloc", zeroed, 16 * KIB, 4 * MIB, 64},
                {"two threads", threads, 16 * KIB, MIB, 1},
                {"interleaved", interleaved, 20 * KIB, 20 * KIB, 1}};

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static void time_pattern(size_t number, size_t bytes, const char *state)
{
    double us[TIMES];
    for (int i = -1; i < TIMES; i++) {
        const double begin = now_us();
        for (int k = 0; k < patterns[number].rounds; k++)
            patterns[number].round(bytes);
        us[i < 0 ? 0 : i] = (now_us() - begin) / patterns[number].rounds;
    }
    qsort(us, TIMES, sizeof *us, compare);
    printf("%s,%zu,%s,%.2f\n", patterns[number].name, bytes / KIB, state, us[TIMES / 2]);
    fflush(stdout);
}

int main(void)
{
    printf("pattern,KiB,state,us\n");
    for (size_t s = 0; s < sizeof states / sizeof *states; s++)
        for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
            states[s].bring();
            for (size_t bytes = patterns[p].from; bytes <= patterns[p].to; bytes *= 4)
                time_pattern(p, bytes, states[s].name);
            for (int i = 0; i < STAYING; i++) {
                free(staying[i]);
                staying[i] = NULL;
            }
        }
    return 0;
}
