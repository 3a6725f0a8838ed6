/* Compares the run-length code with memcpy and with the plain sum, as Fig. 1 of Hofmann and
 * Ruenger. Prints GB/s of one vector, for several percentages of elements that are not zero. These
 * are at random positions, which differ between the operands. The rounds of all contenders
 * alternate. Prints medians over the rounds, and medians of the ratios to the same operation
 * without the code. Times are processor times, so that other processes have little effect. Usage:
 * bench_rle [--csv] [float] [BYTES of a vector] [PERCENT%...] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rle_fused/rle_fused.h"
#include "lab/measure/statistics.h"

enum { ROUNDS = 15 };

static const double percents[] = {0.1, 0.2, 0.5, 1,  2,  5,  10, 20, 30,
                                  40,  50,  60,  70, 80, 90, 95, 99, 100};

static enum allfold_type type = ALLFOLD_DOUBLE;
static size_t bytes = 16 << 20, count;

/* Plain vectors, their blocks, and where results go. */
static unsigned char *a, *b, *c;
static struct allfold_rle_block a_block, b_block;
static unsigned char *a_words, *b_words;

static struct allfold_rle_block plain(const void *vector)
{
    return (struct allfold_rle_block){vector, count};
}

static void reduce(enum allfold_rle_runs runs, void *to, struct allfold_rle_block left,
                   struct allfold_rle_block right)
{
    size_t length;
    if (!allfold_rle_fused(type, ALLFOLD_SUM, runs, to, &length, left, right, count))
        abort();
}

static void run_copy(void)
{
    memcpy(c, a, bytes);
}

static void run_encode(void)
{
    allfold_rle_encode(type, ALLFOLD_RLE_ZEROS, c, a, count);
}

static void run_encode_values(void)
{
    allfold_rle_encode(type, ALLFOLD_RLE_VALUES, c, a, count);
}

static void run_decode(void)
{
    allfold_rle_decode(type, c, count, a_block);
}

static void run_add(void)
{
    allfold_kernel_find(type, ALLFOLD_SUM)(c, a, b, count);
}

static void run_add_in_place(void)
{
    allfold_kernel_find(type, ALLFOLD_SUM)(c, c, b, count);
}

static void run_fused(void)
{
    reduce(ALLFOLD_RLE_ZEROS, c, a_block, plain(b));
}

/* The block lies at the right end of the vector. */
static unsigned char *right_end(void)
{
    return c + (count - a_block.length) * allfold_type_bytes(type);
}

static void run_fused_in_place(void)
{
    reduce(ALLFOLD_RLE_ZEROS, c, (struct allfold_rle_block){right_end(), a_block.length}, plain(b));
}

static void run_fused_to_plain(void)
{
    if (!allfold_rle_reduce(type, ALLFOLD_SUM, c, a_block, plain(b), count))
        abort();
}

static void run_fused_blocks(void)
{
    reduce(ALLFOLD_RLE_ZEROS, c, a_block, b_block);
}

static void run_fused_values(void)
{
    reduce(ALLFOLD_RLE_VALUES, c, a_block, plain(b));
}

static void place_vector(void)
{
    memcpy(c, a, bytes);
}

static void place_block(void)
{
    memcpy(right_end(), a_words, a_block.length * allfold_type_bytes(type));
}

static void place_nothing(void)
{
}

enum { COPY, ADD = 4, ADD_IN_PLACE };

static const struct {
    const char *name;
    int base; /* what does the same without the code */
    void (*prepare)(void), (*run)(void);
} tasks[] = {
    [COPY] = {"memcpy", COPY, place_nothing, run_copy},
    {"encode", COPY, place_nothing, run_encode},
    {"encode_values", COPY, place_nothing, run_encode_values},
    {"decode", COPY, place_nothing, run_decode},
    [ADD] = {"a+b->c", ADD, place_nothing, run_add},
    [ADD_IN_PLACE] = {"a+b->a", ADD_IN_PLACE, place_vector, run_add_in_place},
    {"aC+b->cC", ADD, place_nothing, run_fused},
    {"aC+b->aC", ADD_IN_PLACE, place_block, run_fused_in_place},
    {"aC+b->c", ADD, place_nothing, run_fused_to_plain},
    {"aC+bC->cC", ADD, place_nothing, run_fused_blocks},
    {"aC+b->cC_values", ADD, place_nothing, run_fused_values},
};

enum { TASKS = sizeof tasks / sizeof *tasks };

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Bytes of one vector a second. */
static double rate_of(int task)
{
    tasks[task].prepare();
    const double begin = now_s();
    tasks[task].run();
    return (double)bytes / (now_s() - begin);
}

static uint64_t random_bits(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

/* Numbers from 1 to 2 at random places, zeros elsewhere. */
static void fill(void *vector, double percent, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        const double share = 1e-9 * (double)(random_bits(&seed) % 1000000000);
        const double value = 100 * share < percent ? 1 + share : 0;
        if (type == ALLFOLD_DOUBLE)
            ((double *)vector)[i] = value;
        else
            ((float *)vector)[i] = (float)value;
    }
}

static double median_of(const double *samples)
{
    struct allfold_statistics statistics = {0};
    allfold_statistics_of(samples, ROUNDS, 0.95, &statistics);
    return statistics.median;
}

static void measure(double percent, bool is_csv)
{
    static double rates[TASKS][ROUNDS], ratios[TASKS][ROUNDS];
    fill(a, percent, 1);
    fill(b, percent, 2);
    a_block = (struct allfold_rle_block){
        a_words, allfold_rle_encode(type, ALLFOLD_RLE_ZEROS, a_words, a, count)};
    b_block = (struct allfold_rle_block){
        b_words, allfold_rle_encode(type, ALLFOLD_RLE_ZEROS, b_words, b, count)};
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TASKS; i++)
            rates[i][round] = rate_of(i);
        for (int i = 0; i < TASKS; i++)
            ratios[i][round] = rates[i][round] / rates[tasks[i].base][round];
    }
    printf(is_csv ? "%g,%.4f" : "%7g %6.3f", percent, (double)a_block.length / (double)count);
    for (int i = 0; i < TASKS; i++)
        printf(is_csv ? ",%.3f,%.3f" : "  %5.2f (%4.2f)", 1e-9 * median_of(rates[i]),
               median_of(ratios[i]));
    printf("\n");
    fflush(stdout);
}

static void print_head(bool is_csv)
{
    if (!is_csv)
        printf("Allfold %s, kernels: %s; %s, vectors of %zu bytes; GB/s of one vector (ratio to "
               "memcpy, a+b->c or a+b->a)\n",
               ALLFOLD_VERSION, allfold_simd_used(), allfold_type_name(type), bytes);
    printf(is_csv ? "percent,length" : "percent length");
    for (int i = 0; i < TASKS; i++)
        printf(is_csv ? ",%s,%s_ratio" : " %13s", tasks[i].name, tasks[i].name);
    printf("\n");
}

/* Not a multiple of 4096 apart, so that they do not compete for the same lines of the cache. */
static unsigned char *allocate(size_t place)
{
    unsigned char *memory = aligned_alloc(4096, (bytes / 4096 + 4) * 4096);
    if (memory == NULL)
        return NULL;
    memset(memory, 0, bytes + 4 * 2112);
    return memory + place % 5 * 2112 % 4096;
}

int main(int argc, char **argv)
{
    enum { WANTED = 100 };
    double wanted[WANTED];
    size_t wanted_count = 0;
    bool is_csv = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--csv") == 0)
            is_csv = true;
        else if (strcmp(argv[i], "float") == 0)
            type = ALLFOLD_FLOAT;
        else if (strchr(argv[i], '%') != NULL && wanted_count < WANTED)
            wanted[wanted_count++] = strtod(argv[i], NULL);
        else
            bytes = strtoull(argv[i], NULL, 10) / 64 * 64;
    }
    count = bytes / allfold_type_bytes(type);
    unsigned char **arrays[] = {&a, &b, &c, &a_words, &b_words};
    const char *simd = getenv("SIMD");
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = allocate(i);
    if (bytes == 0 || a == NULL || b == NULL || c == NULL || a_words == NULL || b_words == NULL ||
        (simd != NULL && !allfold_simd_use(simd))) {
        fprintf(stderr, "bench_rle: [--csv] [float] [BYTES, 64 or more]; no memory, no such "
                        "SIMD, or no such size\n");
        return 1;
    }
    print_head(is_csv);
    const size_t all = sizeof percents / sizeof *percents;
    for (size_t i = 0; i < (wanted_count > 0 ? wanted_count : all); i++)
        measure(wanted_count > 0 ? wanted[i] : percents[i], is_csv);
    return 0;
}
